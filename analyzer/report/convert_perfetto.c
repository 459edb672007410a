/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace event format of Chrome, which ui.perfetto.dev opens: a counter of the packets in each
 * device, spans of the packets that were sent and received, the softirqs of each CPU. Times are
 * microseconds, to a nanosecond. The viewer sorts, so packets may come when they have ended.
 *
 * A packet that the driver gives back (NETDEV_TX_BUSY) counts while the driver's call lasts.
 */
#include "convert_formats.h"

#include "cycles.h"
#include "fast_out.h"
#include "timeline.h"
#include "timeline_style.h"
#include <errno.h>
#include <stdlib.h>

/* A device is a process of the viewer, numbered from 1; the CPUs are another one. */
#define CPUS_PROCESS 1000

struct converter {
	struct convert_job job;
	struct timeline *timeline;
	struct fast_out out;
	struct clean_names cleaned;
	bool named[EVENT_NO_DEVICE + 1];
	bool any;       /* an event was written: the next is behind a comma */
	uint64_t spans; /* the next one's id */
};

static char *begin_event(struct converter *converter, char *to, const char *phase, const char *name,
	unsigned process)
{
	struct fast_out *out = &converter->out;

	to = fast_string(out, to, converter->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	converter->any = true;
	to = fast_string(out, to, phase);
	to = fast_text(to, "\",\"name\":\"");
	to = fast_string(out, to, name);
	to = fast_text(to, "\",\"pid\":");
	return fast_number(to, process, 0);
}

static char *put_number(struct converter *converter, char *to, const char *key, uint64_t number)
{
	to = fast_text(to, ",\"");
	to = fast_string(&converter->out, to, key);
	to = fast_text(to, "\":");
	return fast_number(to, number, 0);
}

static char *put_us(struct converter *converter, char *to, const char *key, uint64_t cycles)
{
	to = fast_text(to, ",\"");
	to = fast_string(&converter->out, to, key);
	to = fast_text(to, "\":");
	return fast_fixed(to, cycles_to_ns(cycles, converter->job.source->hz), false, 3, 0);
}

static const char *name_of(struct converter *converter, enum name_kind kind, uint32_t index)
{
	const struct fast_word *name =
		clean_name(&converter->cleaned, converter->job.names, kind, index, CLEAN_JSON);

	return name ? name->text : NULL;
}

/* The viewer's number of a device. */
static unsigned process_of(uint8_t device)
{
	return device + 1U;
}

/* Tells the viewer the device's name before the first use of its number. */
static char *put_process(struct converter *converter, char *to, uint8_t device)
{
	const char *name;

	if (converter->named[device])
		return to;
	converter->named[device] = true;
	name = name_of(converter, NAME_DEVICE, device);
	to = begin_event(converter, to, "M", "process_name", process_of(device));
	to = fast_text(to, ",\"args\":{\"name\":\"");
	to = fast_string(&converter->out, to, name ? name : "(no device)");
	return fast_text(to, "\"}}");
}

static void on_level(void *context, uint8_t device, uint64_t time, uint32_t in_device)
{
	struct converter *converter = context;
	char *to = put_process(converter, fast_begin(&converter->out), device);

	to = begin_event(converter, to, "C", "in device", process_of(device));
	to = put_us(converter, to, "ts", time);
	to = fast_text(to, ",\"args\":{\"packets\":");
	to = fast_number(to, in_device, 0);
	fast_end(&converter->out, fast_text(to, "}}"));
}

static void close_perfetto(struct converter *converter)
{
	if (!converter)
		return;
	timeline_destroy(converter->timeline);
	clean_names_clear(&converter->cleaned);
	free(converter);
}

static int open_perfetto(
	struct converter **opened, const struct convert_job *job, struct diag *diag)
{
	struct converter *converter = calloc(1, sizeof(*converter));
	struct timeline_options options = {
		.receive = true, .transmit = true, .level = on_level, .context = converter
	};
	char *to;

	*opened = converter;
	if (!converter || timeline_create(&converter->timeline, &options, job->names))
		return diag_set(diag, -ENOMEM, "no memory");
	converter->job = *job;
	converter->out.out = job->out;
	to = fast_begin(&converter->out);
	to = fast_text(to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	to = begin_event(converter, to, "M", "process_name", CPUS_PROCESS);
	fast_end(&converter->out, fast_text(to, ",\"args\":{\"name\":\"NET_RX softirqs\"}}"));
	return 0;
}

static char *put_lost(
	struct converter *converter, char *to, unsigned cpu, const struct event *event)
{
	to = begin_event(converter, to, "i", "events lost", CPUS_PROCESS);
	to = put_us(converter, to, "ts", event->time);
	to = put_number(converter, to, "tid", cpu);
	to = fast_text(to, ",\"s\":\"g\",\"args\":{\"count\":");
	to = fast_number(to, EVENT_GET(LOST, count, event->arg), 0);
	return fast_string(&converter->out, to,
		EVENT_GET(LOST, unknown, event->arg) ? ",\"at_least\":true}}" : "}}");
}

static int failed(int error, struct diag *diag)
{
	return diag_set(diag, error, "%s",
		error == -ENOMEM ? "no memory" : "a temporary file can't be written or read");
}

static int event_perfetto(
	struct converter *converter, unsigned cpu, const struct event *event, struct diag *diag)
{
	int error = timeline_event(converter->timeline, cpu, event);

	if (event->id == EVENT_LOST)
		fast_end(&converter->out,
			put_lost(converter, fast_begin(&converter->out), cpu, event));
	return error ? failed(error, diag) : 0;
}

/* The begin or the end of a span, up to its arguments. */
static char *put_edge(struct converter *converter, char *to, const char *phase, const char *name,
	const char *category, unsigned process, uint64_t time)
{
	to = begin_event(converter, to, phase, name, process);
	to = fast_text(to, ",\"cat\":\"");
	to = fast_string(&converter->out, to, category);
	to = fast_text(to, "\",\"tid\":0,\"id\":");
	to = fast_number(to, converter->spans, 0);
	return put_us(converter, to, "ts", time);
}

static char *put_begin(struct converter *converter, char *to, const char *name,
	const char *category, unsigned process, uint64_t time, uint64_t packet, uint32_t len)
{
	to = put_edge(converter, to, "b", name, category, process, time);
	to = fast_text(to, ",\"args\":{\"packet\":\"0x");
	to = fast_hex(to, packet);
	to = fast_text(to, "\"");
	to = put_number(converter, to, "len", len);
	return fast_text(to, "}}");
}

static char *put_end(struct converter *converter, char *to, const char *name, const char *category,
	unsigned process, uint64_t time, const char *how, const char *detail)
{
	to = put_edge(converter, to, "e", name, category, process, time);
	to = fast_text(to, ",\"args\":{\"end\":\"");
	to = fast_string(&converter->out, to, how);
	if (detail) {
		to = fast_text(to, "\",\"by\":\"");
		to = fast_string(&converter->out, to, detail);
	}
	return fast_text(to, "\"}}");
}

/* Queued, then in the device; a span whose end nobody saw has none. */
static char *put_packet(struct converter *converter, char *to, const struct timeline_packet *packet)
{
	unsigned process = process_of(packet->device);
	uint64_t begin = packet->start != TIMELINE_UNKNOWN ? packet->start : packet->xmit;
	const char *reason = packet->how == TIMELINE_DROPPED
				     ? name_of(converter, NAME_REASON, packet->reason)
				     : NULL;
	const char *how = timeline_ends[packet->how].text;

	to = put_process(converter, to, packet->device);
	if (packet->queued != TIMELINE_UNKNOWN) {
		uint64_t left = begin != TIMELINE_UNKNOWN ? begin : packet->end;

		converter->spans++;
		to = put_begin(converter, to, "queued", "tx", process, packet->queued,
			packet->packet, packet->len);
		if (left != TIMELINE_UNKNOWN)
			to = put_end(converter, to, "queued", "tx", process, left,
				left == begin ? "started" : how, left == begin ? NULL : reason);
	}
	if (begin == TIMELINE_UNKNOWN)
		return to;
	converter->spans++;
	to = put_begin(
		converter, to, "in device", "tx", process, begin, packet->packet, packet->len);
	if (packet->end != TIMELINE_UNKNOWN)
		to = put_end(converter, to, "in device", "tx", process,
			packet->end < begin ? begin : packet->end, how, reason);
	return to;
}

static char *put_received(struct converter *converter, char *to, const struct timeline_item *item)
{
	unsigned process = process_of(item->device);
	const char *by = NULL;

	to = put_process(converter, fast_next(&converter->out, to), item->device);
	if (item->how == TIMELINE_DROPPED)
		by = name_of(converter, NAME_REASON, item->name);
	else if (item->how == TIMELINE_COPIED && item->name)
		by = name_of(converter, NAME_TASK, item->name - 1);
	converter->spans++;
	to = put_begin(converter, to, "received", "rx", process, item->time, item->what, item->len);
	if (item->end != TIMELINE_UNKNOWN)
		to = put_end(converter, to, "received", "rx", process, item->end,
			timeline_ends[item->how].text, by);
	return to;
}

static char *put_softirq(struct converter *converter, char *to, const struct timeline_item *head)
{
	bool whole = head->end != TIMELINE_UNKNOWN && head->end >= head->time;

	to = begin_event(converter, to, whole ? "X" : "B",
		head->flags & TIMELINE_NO_SOFTIRQ ? "poll" : "NET_RX", CPUS_PROCESS);
	to = put_number(converter, to, "tid", head->what);
	to = put_us(converter, to, "ts", head->time);
	if (whole)
		to = put_us(converter, to, "dur", head->end - head->time);
	to = fast_text(to, "}");
	for (uint32_t i = 1; i <= head->len; i++) {
		if (head[i].kind == TIMELINE_RECEIVE)
			to = put_received(converter, to, &head[i]);
	}
	return to;
}

static int finish_perfetto(struct converter *converter, struct diag *diag)
{
	const struct timeline_packet *packet;
	const struct timeline_item *head;
	int error = timeline_finish(converter->timeline);
	char *to = fast_begin(&converter->out);

	while (!error && (head = timeline_next_softirq(converter->timeline, &error)))
		to = put_softirq(converter, fast_next(&converter->out, to), head);
	while (!error && (packet = timeline_next_packet(converter->timeline, &error)))
		to = put_packet(converter, fast_next(&converter->out, to), packet);
	if (error)
		return failed(error, diag);
	to = fast_text(fast_next(&converter->out, to), "\n],\"otherData\":{\"complete\":");
	to = fast_string(&converter->out, to,
		trace_counts_complete(converter->job.counts) ? "true" : "false");
	to = put_number(converter, to, "hz", converter->job.source->hz);
	to = put_number(converter, to, "lost", converter->job.counts->lost);
	fast_end(&converter->out, fast_text(to, "}}\n"));
	fast_flush(&converter->out);
	return 0;
}

const struct convert_format convert_perfetto = {
	.name = "perfetto",
	.needs_hz = "its times are microseconds",
	.open = open_perfetto,
	.event = event_perfetto,
	.finish = finish_perfetto,
	.close = close_perfetto,
};
