/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "clean.h"
#include "cycles.h"
#include "field_name.h"
#include "report.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What `packet` and `len` are called for an event; NULL where they mean nothing. */
struct labels {
	const char *packet, *len;
	bool len_is_signed; /* a return value: bytes, or a negative errno */
	bool len_is_task;
};

static const struct labels labels[EVENT_ID_COUNT] = {
	[EVENT_QUEUE] = { "packet", "len", false },
	[EVENT_START_XMIT] = { "packet", "len", false },
	[EVENT_XMIT] = { "packet", "len", false },
	[EVENT_DONE] = { "packet", NULL, false },
	[EVENT_FREE] = { "packet", NULL, false },
	[EVENT_NAPI_POLL] = { .len_is_task = true },
	[EVENT_RECEIVE] = { "packet", "len", false },
	[EVENT_RECEIVE_BEGIN] = { "packet", "len", false },
	[EVENT_RECEIVE_END] = { "packet", NULL, false },
	[EVENT_COPY] = { "packet", "len", false },
	[EVENT_SOCK_SEND] = { "sock", "ret", true },
	[EVENT_SOCK_RECV] = { "sock", "ret", true },
};

/* One event on its way out, as text or as JSON. */
struct line {
	FILE *out;
	json_t *json; /* NULL: text */
	bool failed;
};

static void put_json(struct line *line, const char *key, json_t *value)
{
	if (json_object_set_new(line->json, key, value))
		line->failed = true;
}

static void put_text(struct line *line, const char *key, const char *text)
{
	char *clean = line->json ? clean_utf8(text) : clean_terminal(text);

	if (!clean)
		line->failed = true;
	else if (line->json)
		put_json(line, key, json_string(clean));
	else
		fprintf(line->out, strchr(clean, ' ') ? " %s=\"%s\"" : " %s=%s", key, clean);
	free(clean);
}

static void put_number(struct line *line, const char *key, int64_t number)
{
	if (line->json)
		put_json(line, key, json_integer(number));
	else
		fprintf(line->out, " %s=%" PRId64, key, number);
}

/* Addresses are too large for JSON's numbers, as most programs read them. */
static void put_hex(struct line *line, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	put_text(line, key, text);
}

/* The vectors of linux/interrupt.h, as the kernel's events print them beside the number. */
static void put_action(struct line *line, unsigned vec)
{
	static const char *const actions[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

	if (vec < sizeof(actions) / sizeof(*actions))
		put_text(line, "action", actions[vec]);
}

static void put_field(
	struct line *line, const struct names *names, const struct event_field *field, uint64_t arg)
{
	uint64_t bits = arg >> field->shift & (UINT64_MAX >> (64 - field->bits));
	const char *name = field_name(names, field, bits);

	if (name)
		put_text(line, field->name, name);
	else if (field_is_untold(field, bits))
		return;
	else if (field->id == EVENT_NAPI_POLL && !strcmp(field->name, "work") &&
		 bits == EVENT_WORK_UNKNOWN)
		put_text(line, field->name, "unknown");
	else if (field->style == EVENT_STYLE_hex)
		put_hex(line, field->name, bits);
	else if (field->style == EVENT_STYLE_signed)
		put_number(line, field->name,
			(int64_t)(bits << (64 - field->bits)) >> (64 - field->bits));
	else
		put_number(line, field->name, (int64_t)bits);
	if (!strcmp(field->name, "vec"))
		put_action(line, (unsigned)bits);
}

static void put_fields(struct line *line, const struct names *names, const struct event *event)
{
	const struct labels *label = &labels[event->id];
	const char *task;

	if (event_queue(event) != EVENT_QUEUE_UNKNOWN)
		put_number(line, "queue", event_queue(event));
	if (label->packet)
		put_hex(line, label->packet, event->packet);
	if (label->len)
		put_number(line, label->len,
			label->len_is_signed ? (int32_t)event->len : (int64_t)event->len);
	for (const struct event_field *field = event_fields; field->name; field++) {
		if (field->id == event->id && strcmp(field->name, "queue_high") != 0)
			put_field(line, names, field, event->arg);
	}
	task = label->len_is_task && event->len ? names_get(names, NAME_TASK, event->len - 1)
						: NULL;
	if (task)
		put_text(line, "task", task);
}

static void begin_text(
	struct line *line, const struct event *event, unsigned cpu, uint64_t hz, const char *device)
{
	char *clean = clean_terminal(device ? device : "-");
	uint64_t ns = hz ? cycles_to_ns(event->time, hz) : 0;

	if (hz)
		fprintf(line->out, "%6" PRIu64 ".%09" PRIu64, ns / CYCLES_NS_PER_S,
			ns % CYCLES_NS_PER_S);
	else
		fprintf(line->out, "%" PRIu64, event->time);
	fprintf(line->out, " [%03u] %-8s %-13s", cpu, clean ? clean : "?", event_name(event->id));
	free(clean);
}

static void begin_json(
	struct line *line, const struct event *event, unsigned cpu, uint64_t hz, const char *device)
{
	uint64_t time = hz ? cycles_to_ns(event->time, hz) : event->time;

	put_json(line, hz ? "time_ns" : "time_cycles", report_number(time));
	put_number(line, "cpu", cpu);
	if (device)
		put_text(line, "device", device);
	put_text(line, "event", event_name(event->id));
}

static int print_event(
	const struct ringstat_input *input, const struct event *event, unsigned cpu, FILE *out)
{
	const struct names *names = reader_names(input->reader);
	const char *device = names_get(names, NAME_DEVICE, event->device);
	uint64_t hz = reader_source(input->reader)->hz;
	struct line line = { .out = out, .json = input->options->json ? json_object() : NULL };

	if (!event_name(event->id))
		return 0;
	if (input->options->json)
		begin_json(&line, event, cpu, hz, device);
	else
		begin_text(&line, event, cpu, hz, device);
	put_fields(&line, names, event);
	if (!line.json)
		fputc('\n', out);
	else if (report_write_line(line.json, out) == -ENOMEM) /* -EIO is seen at the end */
		line.failed = true;
	json_decref(line.json);
	return line.failed ? -1 : 0;
}

static bool is_of_device(const struct ringstat_input *input, const struct event *event)
{
	const char *name, *device = input->options->device;

	if (!device)
		return true;
	name = names_get(reader_names(input->reader), NAME_DEVICE, event->device);
	return name && !strcmp(name, device);
}

static int dump_file(
	const struct ringstat_options *options, const char *file, FILE *out, struct diag *diag)
{
	struct ringstat_input input;
	struct event event;
	unsigned cpu;
	int found, status = ringstat_input_open(&input, file, options, diag);

	if (status)
		return status;
	while ((found = ringstat_input_next(&input, &event, &cpu, diag)) > 0) {
		if (!is_of_device(&input, &event))
			continue;
		if (print_event(&input, &event, cpu, out)) {
			status = diag_set(diag, STATUS_REFUSED, "%s: no memory to print", file);
			break;
		}
	}
	if (found < 0 || (!status && ringstat_input_check_device(&input, diag)))
		status = STATUS_REFUSED;
	if (!status)
		status = ringstat_input_status(&input);
	ringstat_input_close(&input);
	return status;
}

int ringstat_dump(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	int worst = STATUS_COMPLETE;

	for (int i = 0; i < options->file_count; i++) {
		int status = dump_file(options, options->files[i], out, diag);

		if (status == STATUS_REFUSED)
			return status;
		if (status == STATUS_PARTIAL)
			worst = status;
	}
	return worst;
}
