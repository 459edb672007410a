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
#include <string.h>

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

static void begin_event(
	struct converter *converter, const char *phase, const char *name, unsigned process)
{
	struct fast_out *out = &converter->out;

	fast_text(out, converter->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	converter->any = true;
	fast_text(out, phase);
	fast_text(out, "\",\"name\":\"");
	fast_text(out, name);
	fast_text(out, "\",\"pid\":");
	fast_number(out, process, 0);
}

static void put_number(struct converter *converter, const char *key, uint64_t number)
{
	fast_text(&converter->out, ",\"");
	fast_text(&converter->out, key);
	fast_text(&converter->out, "\":");
	fast_number(&converter->out, number, 0);
}

static void put_us(struct converter *converter, const char *key, uint64_t cycles)
{
	fast_text(&converter->out, ",\"");
	fast_text(&converter->out, key);
	fast_text(&converter->out, "\":");
	fast_fixed(&converter->out, cycles_to_ns(cycles, converter->job.source->hz), false, 3, 0);
}

static const char *name_of(struct converter *converter, enum name_kind kind, uint32_t index)
{
	const struct fast_word *name =
		clean_name(&converter->cleaned, converter->job.names, kind, index, CLEAN_JSON);

	return name ? name->text : NULL;
}

/* The viewer's number of the device, which is told its name before the first use. */
static unsigned process_of(struct converter *converter, uint8_t device)
{
	const char *name;

	if (converter->named[device])
		return device + 1U;
	converter->named[device] = true;
	name = name_of(converter, NAME_DEVICE, device);
	begin_event(converter, "M", "process_name", device + 1U);
	fast_text(&converter->out, ",\"args\":{\"name\":\"");
	fast_text(&converter->out, name ? name : "(no device)");
	fast_text(&converter->out, "\"}}");
	return device + 1U;
}

static void on_level(void *context, uint8_t device, uint64_t time, uint32_t in_device)
{
	struct converter *converter = context;
	unsigned process = process_of(converter, device);

	begin_event(converter, "C", "in device", process);
	put_us(converter, "ts", time);
	fast_text(&converter->out, ",\"args\":{\"packets\":");
	fast_number(&converter->out, in_device, 0);
	fast_text(&converter->out, "}}");
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

	*opened = converter;
	if (!converter || timeline_create(&converter->timeline, &options, job->names))
		return diag_set(diag, -ENOMEM, "no memory");
	converter->job = *job;
	converter->out.out = job->out;
	fast_text(&converter->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	begin_event(converter, "M", "process_name", CPUS_PROCESS);
	fast_text(&converter->out, ",\"args\":{\"name\":\"NET_RX softirqs\"}}");
	return 0;
}

static void put_lost(struct converter *converter, unsigned cpu, const struct event *event)
{
	begin_event(converter, "i", "events lost", CPUS_PROCESS);
	put_us(converter, "ts", event->time);
	put_number(converter, "tid", cpu);
	fast_text(&converter->out, ",\"s\":\"g\",\"args\":{\"count\":");
	fast_number(&converter->out, EVENT_GET(LOST, count, event->arg), 0);
	fast_text(&converter->out,
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
		put_lost(converter, cpu, event);
	return error ? failed(error, diag) : 0;
}

/* The begin or the end of a span, up to its arguments. */
static void put_edge(struct converter *converter, const char *phase, const char *name,
	const char *category, unsigned process, uint64_t time)
{
	begin_event(converter, phase, name, process);
	fast_text(&converter->out, ",\"cat\":\"");
	fast_text(&converter->out, category);
	fast_text(&converter->out, "\",\"tid\":0,\"id\":");
	fast_number(&converter->out, converter->spans, 0);
	put_us(converter, "ts", time);
}

static void put_begin(struct converter *converter, const char *name, const char *category,
	unsigned process, uint64_t time, uint64_t packet, uint32_t len)
{
	put_edge(converter, "b", name, category, process, time);
	fast_text(&converter->out, ",\"args\":{\"packet\":\"0x");
	fast_hex(&converter->out, packet);
	fast_text(&converter->out, "\"");
	put_number(converter, "len", len);
	fast_text(&converter->out, "}}");
}

static void put_end(struct converter *converter, const char *name, const char *category,
	unsigned process, uint64_t time, const char *how, const char *detail)
{
	put_edge(converter, "e", name, category, process, time);
	fast_text(&converter->out, ",\"args\":{\"end\":\"");
	fast_text(&converter->out, how);
	if (detail) {
		fast_text(&converter->out, "\",\"by\":\"");
		fast_text(&converter->out, detail);
	}
	fast_text(&converter->out, "\"}}");
}

/* Queued, then in the device; a span whose end nobody saw has none. */
static void put_packet(struct converter *converter, const struct timeline_packet *packet)
{
	unsigned process = process_of(converter, packet->device);
	uint64_t begin = packet->start != TIMELINE_UNKNOWN ? packet->start : packet->xmit;
	const char *reason = packet->how == TIMELINE_DROPPED
				     ? name_of(converter, NAME_REASON, packet->reason)
				     : NULL;
	const char *how = timeline_ends[packet->how].text;

	if (packet->queued != TIMELINE_UNKNOWN) {
		uint64_t left = begin != TIMELINE_UNKNOWN ? begin : packet->end;

		converter->spans++;
		put_begin(converter, "queued", "tx", process, packet->queued, packet->packet,
			packet->len);
		if (left != TIMELINE_UNKNOWN)
			put_end(converter, "queued", "tx", process, left,
				left == begin ? "started" : how, left == begin ? NULL : reason);
	}
	if (begin == TIMELINE_UNKNOWN)
		return;
	converter->spans++;
	put_begin(converter, "in device", "tx", process, begin, packet->packet, packet->len);
	if (packet->end != TIMELINE_UNKNOWN)
		put_end(converter, "in device", "tx", process,
			packet->end < begin ? begin : packet->end, how, reason);
}

static void put_received(struct converter *converter, const struct timeline_item *item)
{
	unsigned process = process_of(converter, item->device);
	const char *by = NULL;

	if (item->how == TIMELINE_DROPPED)
		by = name_of(converter, NAME_REASON, item->name);
	else if (item->how == TIMELINE_COPIED && item->name)
		by = name_of(converter, NAME_TASK, item->name - 1);
	converter->spans++;
	put_begin(converter, "received", "rx", process, item->time, item->what, item->len);
	if (item->end != TIMELINE_UNKNOWN)
		put_end(converter, "received", "rx", process, item->end,
			timeline_ends[item->how].text, by);
}

static void put_softirq(struct converter *converter, const struct timeline_item *head)
{
	bool whole = head->end != TIMELINE_UNKNOWN && head->end >= head->time;

	begin_event(converter, whole ? "X" : "B",
		head->flags & TIMELINE_NO_SOFTIRQ ? "poll" : "NET_RX", CPUS_PROCESS);
	put_number(converter, "tid", head->what);
	put_us(converter, "ts", head->time);
	if (whole)
		put_us(converter, "dur", head->end - head->time);
	fast_text(&converter->out, "}");
	for (uint32_t i = 1; i <= head->len; i++) {
		if (head[i].kind == TIMELINE_RECEIVE)
			put_received(converter, &head[i]);
	}
}

static int finish_perfetto(struct converter *converter, struct diag *diag)
{
	const struct timeline_packet *packet;
	const struct timeline_item *head;
	int error = timeline_finish(converter->timeline);

	while (!error && (head = timeline_next_softirq(converter->timeline, &error)))
		put_softirq(converter, head);
	while (!error && (packet = timeline_next_packet(converter->timeline, &error)))
		put_packet(converter, packet);
	if (error)
		return failed(error, diag);
	fast_text(&converter->out, "\n],\"otherData\":{\"complete\":");
	fast_text(&converter->out, trace_counts_complete(converter->job.counts) ? "true" : "false");
	put_number(converter, "hz", converter->job.source->hz);
	put_number(converter, "lost", converter->job.counts->lost);
	fast_text(&converter->out, "}}\n");
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
