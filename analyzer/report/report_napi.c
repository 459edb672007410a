/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_napi.h"

#include "cycles.h"
#include "object.h"
#include "print.h"
#include "units.h"
#include <inttypes.h>

static double quotient(uint64_t value, uint64_t by)
{
	return by ? (double)value / (double)by : 0;
}

/* Of n interrupts there are n - 1 gaps. 0 if nobody knows. */
static double interrupts_per_s(const struct napi_device *device, uint64_t hz)
{
	if (device->interrupts < 2 || !hz || !device->interrupt_span)
		return 0;
	return (double)(device->interrupts - 1) / (double)device->interrupt_span * (double)hz;
}

static json_t *work_json(const struct napi_device *device)
{
	struct object object = object_begin();
	double work = (double)device->work;

	object_put(&object, "known", report_number(device->known));
	object_put(&object, "sum", report_number(device->work));
	object_put(&object, "avg", object_ratio(work, (double)device->known));
	object_put(&object, "polls_with_work", report_number(device->working));
	object_put(&object, "polls_without", report_number(device->known - device->working));
	object_put(&object, "avg_with_work", object_ratio(work, (double)device->working));
	return object_end(&object);
}

static json_t *budget_json(const struct napi_device *device)
{
	struct object object = object_begin();

	object_put(&object, "share", object_ratio((double)device->work, (double)device->budget));
	object_put(&object, "polls_full", report_number(device->full));
	return object_end(&object);
}

/* null where no interrupt line is named after the device. */
static json_t *interrupts_json(const struct napi_device *device, uint64_t hz)
{
	struct object object = object_begin();
	double rate = interrupts_per_s(device, hz);

	if (!device->interrupts) {
		json_decref(object.json);
		return json_null();
	}
	object_put(&object, "count", report_number(device->interrupts));
	object_put(&object, "per_s", rate > 0 ? json_real(rate) : json_null());
	object_put(&object, "packets_each",
		device->known ? object_ratio((double)device->work, (double)device->interrupts)
			      : json_null());
	object_put(&object, "polls_each",
		object_ratio((double)device->polls, (double)device->interrupts));
	return object_end(&object);
}

static json_t *device_json(const struct napi_device *device, uint64_t hz)
{
	struct object object = object_begin();

	object_put(&object, "name", object_text(device->name));
	object_put(&object, "polls", report_number(device->polls));
	object_put(&object, "work", work_json(device));
	object_put(&object, "budget", budget_json(device));
	object_put(&object, "polls_timed", report_number(device->time.count));
	object_put(&object, "polls_by_thread", report_number(device->by_thread));
	object_put(&object, "polls_by_process", report_number(device->by_process));
	object_put_time(&object, "poll", hz, object_spread(&device->time, hz));
	object_put_time(&object, "packet", hz,
		device->time_work
			? object_time_avg(device->time_sum / (double)device->time_work, hz)
			: json_null());
	object_put(&object, "interrupts", interrupts_json(device, hz));
	object_put(&object, "received", report_number(device->received));
	object_put(&object, "acks", report_number(device->acks));
	object_put(&object, "received_per_ack",
		object_ratio((double)device->received, (double)device->acks));
	return object_end(&object);
}

static json_t *squeezes_json(const struct napi_report *napi, uint64_t hz)
{
	struct object object = object_begin();

	object_put(&object, "packets", report_number(napi->squeezed_by_packets));
	object_put(&object, "time", hz ? report_number(napi->squeezed_by_time) : json_null());
	return object_end(&object);
}

json_t *report_napi_json(const struct report_input *input, const struct napi_report *napi)
{
	uint64_t hz = input->source->hz;
	struct object object = object_begin(), devices = object_begin_array();
	struct object events = object_events(input->counts, napi->used);

	for (unsigned i = 0; i < napi->device_count; i++)
		object_append(&devices, device_json(&napi->devices[i], hz));
	object_put_source(&object, "ringside.napi/1", input->source, input->counts);
	object_put(&object, "events", object_end(&events));
	object_put(&object, "budget", report_number(napi->budget));
	object_put(&object, "budget_usecs", report_number(napi->budget_usecs));
	object_put(&object, "softirqs", report_number(napi->softirqs));
	object_put(&object, "squeezes", squeezes_json(napi, hz));
	object_put(&object, "repolls", report_number(napi->repolls));
	if (napi->doubtful)
		object_put(&object, "repolls_doubtful", report_number(napi->doubtful));
	object_put(&object, "devices", object_end(&devices));
	return object_end(&object);
}

static void print_work(const struct napi_device *device, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	if (!device->known) {
		fputs("work: this kernel doesn't tell", to);
	} else {
		fprintf(to, "work: %" PRIu64 " packets, %.2f a poll", device->work,
			quotient(device->work, device->known));
		if (device->known < device->polls)
			fprintf(to, " (of %" PRIu64 " polls it is known)", device->known);
		if (device->working && device->working < device->known)
			fprintf(to,
				"; %.2f in each of the %" PRIu64 " poll%s with work, %" PRIu64
				" found none",
				quotient(device->work, device->working), device->working,
				print_plural(device->working), device->known - device->working);
	}
	if (device->budget)
		fprintf(to, "; %.1f\t%% of the budget used, %" PRIu64 " poll%s used it up",
			100 * quotient(device->work, device->budget), device->full,
			print_plural(device->full));
	print_end_line(&line, PRINT_INDENT, out);
}

/* Polls that no softirq did: nobody saw when they began. */
static void print_outside(const struct napi_device *device, FILE *out)
{
	uint64_t outside = device->polls - device->time.count;
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fprintf(to, "%" PRIu64 " poll%s outside of a NET_RX softirq", outside,
		print_plural(outside));
	if (device->by_thread)
		fprintf(to, ", %" PRIu64 " by the device's thread (threaded NAPI)",
			device->by_thread);
	if (device->by_process)
		fprintf(to, ", %" PRIu64 " by processes (busy polling)", device->by_process);
	fputs(": the time is not known", to);
	print_end_line(&line, PRINT_INDENT, out);
}

static void print_poll_time(const struct napi_device *device, uint64_t hz, FILE *out)
{
	double each = device->time_work ? device->time_sum / (double)device->time_work : 0;

	print_spread(out, "time of a poll", &device->time, hz, false);
	if (device->time_work && hz)
		fprintf(out, PRINT_INDENT "%.0f ns of it a packet\n", units_ns_avg(each, hz));
	else if (device->time_work)
		fprintf(out, PRINT_INDENT "%.0f cycles of it a packet\n", each);
	if (device->time.count < device->polls)
		print_outside(device, out);
}

static void print_device(const struct napi_device *device, uint64_t hz, FILE *out)
{
	double rate = interrupts_per_s(device, hz);

	print_name(out, "%-7s", device->name);
	fprintf(out, " polls=%" PRIu64 "\n", device->polls);
	print_work(device, out);
	print_poll_time(device, hz, out);
	if (device->interrupts) {
		fprintf(out, PRINT_INDENT "interrupts: %" PRIu64, device->interrupts);
		if (rate > 0)
			fprintf(out, ", %.1f a second", rate);
		if (device->known)
			fprintf(out, "; %.2f packets", quotient(device->work, device->interrupts));
		fprintf(out, "%s%.2f polls each\n", device->known ? ", " : "; ",
			quotient(device->polls, device->interrupts));
	}
	if (device->received && device->acks)
		fprintf(out,
			PRINT_INDENT "received: %" PRIu64 " packets, sent: %" PRIu64
				     " ACKs, %.2f packets an ACK\n",
			device->received, device->acks, quotient(device->received, device->acks));
	fputc('\n', out);
}

static void print_softirqs(const struct napi_report *napi, uint64_t hz, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fprintf(to,
		"%" PRIu64 " NET_RX softirqs: %" PRIu64 " squeezed by packets (%" PRIu32
		"\tof budget)",
		napi->softirqs, napi->squeezed_by_packets, napi->budget);
	if (hz)
		fprintf(to, ", %" PRIu64 " by time (%" PRIu32 "\tus)", napi->squeezed_by_time,
			napi->budget_usecs);
	fprintf(to, ", %" PRIu64 " repolls", napi->repolls);
	if (!hz && napi->repolls)
		fputs(" or squeezed by time, which takes a calibrated clock to tell", to);
	else if (napi->doubtful)
		fprintf(to,
			", of which %" PRIu64
			" may be squeezes by packets, as the work of their polls isn't known",
			napi->doubtful);
	if (!napi->interrupts_seen && (napi->repolls || napi->squeezed_by_time))
		fputs("; without events of hard interrupts it isn't known which of these were "
		      "raised by an interrupt",
			to);
	print_end_line(&line, "", out);
}

void report_napi_text(const struct report_input *input, const struct napi_report *napi, FILE *out)
{
	uint64_t hz = input->source->hz;
	struct print_line line;
	FILE *to;

	print_incomplete(out, input->counts);
	for (unsigned i = 0; i < napi->device_count; i++)
		print_device(&napi->devices[i], hz, out);
	if (!napi->device_count)
		fputs("Nothing was polled in this trace: it needs napi:napi_poll events.\n", out);
	print_softirqs(napi, hz, out);
	to = print_begin_line(&line, out);
	print_events(to, input->counts, napi->used);
	print_source(to, input->source);
	print_end_line(&line, "", out);
}
