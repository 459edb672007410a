/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_sock.h"

#include "object.h"
#include "print.h"
#include <inttypes.h>
#include <string.h>

static const char *const protocols[SOCK_PROTOCOLS] = { [SOCK_TCP] = "tcp", [SOCK_UDP] = "udp" };

/*
 * The name of an error: the C library's, and those that the kernel has for itself (linux/errno.h),
 * which its own functions return and events show.
 */
static const char *errno_name(uint32_t number, char *text, size_t bytes)
{
	static const struct {
		uint32_t number;
		const char *name;
	} inner[] = {
		{ 512, "ERESTARTSYS" },
		{ 513, "ERESTARTNOINTR" },
		{ 514, "ERESTARTNOHAND" },
		{ 515, "ENOIOCTLCMD" },
		{ 516, "ERESTART_RESTARTBLOCK" },
		{ 524, "ENOTSUPP" },
		{ 529, "EIOCBQUEUED" },
	};
	const char *name = number <= INT32_MAX ? strerrorname_np((int)number) : NULL;

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner) && !name; i++) {
		if (inner[i].number == number)
			name = inner[i].name;
	}
	if (name)
		return name;
	snprintf(text, bytes, "%" PRIu32, number);
	return text;
}

/* {"EAGAIN":1,"ECONNRESET":2} */
static json_t *errnos_json(const struct sock_traffic *traffic)
{
	struct object object = object_begin();

	for (unsigned i = 0; i < traffic->kind_count; i++) {
		char text[16];

		object_put(&object, errno_name(traffic->kinds[i].number, text, sizeof(text)),
			report_number(traffic->kinds[i].calls));
	}
	if (traffic->other_errors)
		object_put(&object, "others", report_number(traffic->other_errors));
	return object_end(&object);
}

static struct object traffic_object(const struct sock_traffic *traffic)
{
	struct object object = object_begin();

	object_put(&object, "sent_bytes", report_number(traffic->sent_bytes));
	object_put(&object, "sends", report_number(traffic->sends));
	object_put(&object, "received_bytes", report_number(traffic->received_bytes));
	object_put(&object, "receives", report_number(traffic->receives));
	object_put(&object, "peeks", report_number(traffic->peeks));
	object_put(&object, "errors", report_number(traffic->errors));
	return object;
}

static json_t *process_json(const struct sock_process *process)
{
	struct object object = object_begin();

	object_put(&object, "comm", object_text(process->comm));
	object_put(&object, "pid", process->pid < 0 ? json_null() : json_integer(process->pid));
	object_put(&object, "cgroup",
		process->cgroup ? object_text(process->cgroup) : json_null()); /* not told */
	for (unsigned i = 0; i < SOCK_PROTOCOLS; i++) {
		struct object traffic = traffic_object(&process->traffic[i]);

		object_put(&traffic, "errno", errnos_json(&process->traffic[i]));
		object_put(&object, protocols[i], object_end(&traffic));
	}
	return object_end(&object);
}

json_t *report_sock_json(const struct report_input *input, const struct sock_report *sock)
{
	struct object object = object_begin(), processes = object_begin_array();
	struct object events = object_events(input->counts, sock->used), total = object_begin();

	for (size_t i = 0; i < sock->process_count; i++)
		object_append(&processes, process_json(&sock->processes[i]));
	for (unsigned i = 0; i < SOCK_PROTOCOLS; i++) {
		struct object traffic = traffic_object(&sock->total[i]);

		object_put(&total, protocols[i], object_end(&traffic));
	}
	object_put_source(&object, "ringside.sock/1", input->source, input->counts);
	object_put(&events, "other_protocols", report_number(sock->ignored));
	object_put(&object, "events", object_end(&events));
	object_put(&object, "processes", object_end(&processes));
	object_put(&object, "total", object_end(&total));
	return object_end(&object);
}

static bool is_silent(const struct sock_traffic *traffic)
{
	return !traffic->sends && !traffic->receives && !traffic->peeks && !traffic->errors;
}

static void print_traffic(const struct sock_traffic *traffic, const char *protocol, FILE *out)
{
	struct print_line line;
	FILE *to;

	if (is_silent(traffic))
		return;
	to = print_begin_line(&line, out);
	fprintf(to,
		"%s: sent %" PRIu64 "\tbytes in %" PRIu64 "\tcall%s, received %" PRIu64
		"\tbytes in %" PRIu64 "\tcall%s",
		protocol, traffic->sent_bytes, traffic->sends, print_plural(traffic->sends),
		traffic->received_bytes, traffic->receives, print_plural(traffic->receives));
	if (traffic->peeks)
		fprintf(to, ", %" PRIu64 "\tpeek%s", traffic->peeks, print_plural(traffic->peeks));
	if (traffic->errors)
		fprintf(to, ", %" PRIu64 "\terror%s", traffic->errors,
			print_plural(traffic->errors));
	for (unsigned i = 0; i < traffic->kind_count; i++) {
		char text[16];

		fprintf(to, "%s %s=%" PRIu64, i ? "" : ":",
			errno_name(traffic->kinds[i].number, text, sizeof(text)),
			traffic->kinds[i].calls);
	}
	if (traffic->other_errors)
		fprintf(to, " others=%" PRIu64, traffic->other_errors);
	print_end_line(&line, PRINT_INDENT, out);
}

void report_sock_text(const struct report_input *input, const struct sock_report *sock, FILE *out)
{
	struct print_line line;
	FILE *to;

	print_incomplete(out, input->counts);
	for (size_t i = 0; i < sock->process_count; i++) {
		const struct sock_process *process = &sock->processes[i];

		print_name(out, "%s", *process->comm ? process->comm : "(unknown)");
		if (process->pid >= 0)
			fprintf(out, " %" PRId64, process->pid);
		if (process->cgroup)
			print_name(out, " in %s", process->cgroup);
		fputc('\n', out);
		for (unsigned p = 0; p < SOCK_PROTOCOLS; p++)
			print_traffic(&process->traffic[p], protocols[p], out);
	}
	if (!sock->process_count)
		fputs("No TCP or UDP call in this trace: it takes sock:sock_send_length and "
		      "sock:sock_recv_length.\n",
			out);
	if (sock->process_count > 1) {
		fputs("All processes together\n", out);
		for (unsigned p = 0; p < SOCK_PROTOCOLS; p++)
			print_traffic(&sock->total[p], protocols[p], out);
	}
	fputc('\n', out);
	to = print_begin_line(&line, out);
	print_events(to, input->counts, sock->used);
	if (sock->ignored)
		fprintf(to, "; %" PRIu64 " calls of other protocols", sock->ignored);
	print_source(to, input->source);
	print_end_line(&line, "", out);
}
