/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline for programs: an object a line. Keys whose value nobody knows are left out. */
#include "timeline_style.h"

#include "clean.h"
#include <stdlib.h>

static void put_key(struct timeline_printer *printer, const char *key)
{
	fast_text(&printer->out, ",\"");
	fast_text(&printer->out, key);
	fast_text(&printer->out, "\":");
}

static void put_number(struct timeline_printer *printer, const char *key, uint64_t number)
{
	put_key(printer, key);
	fast_number(&printer->out, number, 0);
}

/* A text that is clean. */
static void put_text(struct timeline_printer *printer, const char *key, const char *text)
{
	if (!text)
		return;
	put_key(printer, key);
	fast_text(&printer->out, "\"");
	fast_text(&printer->out, text);
	fast_text(&printer->out, "\"");
}

static void put_word(
	struct timeline_printer *printer, const char *key, const struct fast_word *word)
{
	if (!word)
		return;
	put_key(printer, key);
	fast_text(&printer->out, "\"");
	fast_word(&printer->out, word);
	fast_text(&printer->out, "\"");
}

/* `key` without its unit, which is that of the trace. */
static void put_time(struct timeline_printer *printer, const char *key, uint64_t time)
{
	if (time == TIMELINE_UNKNOWN)
		return;
	fast_text(&printer->out, ",\"");
	fast_text(&printer->out, key);
	fast_text(&printer->out, printer->hz ? "_ns\":" : "_cycles\":");
	fast_number(&printer->out, printer->hz ? cycles_to_ns(time, printer->hz) : time, 0);
}

static void put_packet_address(struct timeline_printer *printer, uint64_t packet)
{
	put_key(printer, "packet");
	fast_text(&printer->out, "\"0x");
	fast_hex(&printer->out, packet);
	fast_text(&printer->out, "\"");
}

static void put_task(struct timeline_printer *printer, uint32_t number)
{
	struct timeline_task task;

	if (!timeline_task(printer, number, &task))
		return;
	put_number(printer, "pid", strtoull(task.pid, NULL, 10));
	put_text(printer, "comm", task.comm);
}

static void put_end(struct timeline_printer *printer, const struct timeline_item *item)
{
	put_word(printer, "end", &timeline_ends[item->how]);
	put_time(printer, "end", item->end);
	if (item->how == TIMELINE_COPIED)
		put_task(printer, item->name);
	if (item->how == TIMELINE_DROPPED)
		put_word(printer, "reason", timeline_name(printer, NAME_REASON, item->name));
}

static void put_item(struct timeline_printer *printer, const struct timeline_item *item)
{
	static const char *const kinds[] = {
		[TIMELINE_SOFTIRQ] = "softirq",
		[TIMELINE_IRQ] = "irq",
		[TIMELINE_RAISE] = "raise",
		[TIMELINE_NETIF_RX] = "netif_rx",
		[TIMELINE_BEGIN] = "receive_begin",
		[TIMELINE_RECEIVE] = "receive",
		[TIMELINE_POLL] = "napi_poll",
	};
	uint64_t work = EVENT_GET(NAPI_POLL, work, item->what);

	fast_text(&printer->out, "{\"what\":\"");
	fast_text(&printer->out, kinds[item->kind]);
	fast_text(&printer->out, "\"");
	put_time(printer, "time", item->time);
	put_word(printer, "device", timeline_name(printer, NAME_DEVICE, item->device));
	if (item->kind == TIMELINE_IRQ) {
		put_number(printer, "irq", item->what);
		put_word(printer, "name", timeline_name(printer, NAME_IRQ, item->name));
	} else if (item->kind == TIMELINE_POLL) {
		if (work != EVENT_WORK_UNKNOWN)
			put_number(printer, "work", work);
		put_number(printer, "budget", EVENT_GET(NAPI_POLL, budget, item->what));
	} else if (item->kind == TIMELINE_RAISE) {
		put_text(printer, "by", item->flags ? "softirq" : "task");
	} else {
		put_packet_address(printer, item->what);
		put_number(printer, "len", item->len);
	}
	if (item->kind == TIMELINE_RECEIVE)
		put_end(printer, item);
	fast_text(&printer->out, "}");
}

static void put_softirq(struct timeline_printer *printer, const struct timeline_item *head)
{
	bool softirq = !(head->flags & TIMELINE_NO_SOFTIRQ);

	fast_text(&printer->out, softirq ? "{\"type\":\"softirq\"" : "{\"type\":\"poll\"");
	put_number(printer, "cpu", head->what);
	put_time(printer, softirq ? "entry" : "begin", head->time);
	put_time(printer, softirq ? "exit" : "end", head->end);
	if (head->flags & TIMELINE_CONTINUED)
		fast_text(&printer->out, ",\"continued\":true");
	put_task(printer, head->name);
	fast_text(&printer->out, ",\"causes\":[");
	for (uint32_t i = 1; i <= head->len; i++) {
		if (i == head->causes + UINT32_C(1))
			fast_text(&printer->out, "],\"items\":[");
		else if (i > 1)
			fast_text(&printer->out, ",");
		put_item(printer, &head[i]);
	}
	fast_text(&printer->out, head->len == head->causes ? "],\"items\":[]}\n" : "]}\n");
}

static void put_packet(struct timeline_printer *printer, const struct timeline_packet *packet)
{
	fast_text(&printer->out, "{\"type\":\"transmit\"");
	put_word(printer, "device", timeline_name(printer, NAME_DEVICE, packet->device));
	put_packet_address(printer, packet->packet);
	put_number(printer, "len", packet->len);
	if (packet->queue != EVENT_QUEUE_UNKNOWN)
		put_number(printer, "queue", packet->queue);
	put_time(printer, "queued", packet->queued);
	put_time(printer, "start", packet->start);
	put_time(printer, "xmit", packet->xmit);
	put_word(printer, "end", &timeline_ends[packet->how]);
	put_time(printer, "end", packet->end);
	if (packet->how == TIMELINE_DROPPED)
		put_word(printer, "reason", timeline_name(printer, NAME_REASON, packet->reason));
	if (packet->retries)
		put_number(printer, "retries", packet->retries);
	fast_text(&printer->out, "}\n");
}

/* A text of the input's; nothing if there is none. */
static void put_foreign(struct timeline_printer *printer, const char *key, const char *text)
{
	char *clean = text ? clean_json(text) : NULL;

	if (text)
		put_text(printer, key, clean ? clean : "?");
	free(clean);
}

static void begin(struct timeline_printer *printer)
{
	const struct trace_source *source = printer->report->source;

	fast_text(&printer->out, "{\"schema\":\"ringside.timeline/1\",\"type\":\"source\"");
	put_foreign(printer, "file", source->file);
	put_text(printer, "format", source->format);
	put_foreign(printer, "clock", source->clock);
	put_foreign(printer, "kernel", source->kernel);
	if (source->hz)
		put_number(printer, "hz", source->hz);
	fast_text(&printer->out, "}\n");
}

static void put_ends(struct timeline_printer *printer, const char *key, uint64_t all,
	const uint64_t ends[TIMELINE_ENDS])
{
	put_key(printer, key);
	fast_text(&printer->out, "{\"packets\":");
	fast_number(&printer->out, all, 0);
	for (int i = 0; i < TIMELINE_ENDS; i++) {
		if (ends[i])
			put_number(printer, timeline_ends[i].text, ends[i]);
	}
	fast_text(&printer->out, "}");
}

static void end(struct timeline_printer *printer)
{
	const struct timeline_report *report = printer->report;
	const struct timeline_counts *counts = timeline_counts(report->timeline);

	fast_text(&printer->out, "{\"type\":\"summary\",\"complete\":");
	fast_text(&printer->out, trace_counts_complete(report->counts) ? "true" : "false");
	fast_text(&printer->out, ",\"events\":{\"read\":");
	fast_number(&printer->out, report->counts->read, 0);
	put_number(printer, "unparsed", report->counts->unparsed);
	put_number(printer, "lost", report->counts->lost);
	if (report->counts->lost_unknown)
		fast_text(&printer->out, ",\"lost_unknown\":true");
	fast_text(&printer->out, "}");
	if (report->receive) {
		put_number(printer, "softirqs", printer->softirqs);
		put_number(printer, "empty_softirqs", counts->empty_softirqs);
		put_number(printer, "causes_dropped", counts->causes_dropped);
		put_ends(printer, "receive", printer->received, printer->received_ends);
	}
	if (report->transmit)
		put_ends(printer, "transmit", printer->sent, printer->sent_ends);
	fast_text(&printer->out, "}\n");
}

const struct timeline_layout timeline_json = {
	.clean = CLEAN_JSON,
	.begin = begin,
	.softirq = put_softirq,
	.packet = put_packet,
	.end = end,
};
