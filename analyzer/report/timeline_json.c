/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline for programs: an object a line. Keys whose value nobody knows are left out. */
#include "timeline_style.h"

#include "clean.h"
#include <stdlib.h>

static char *put_key(struct timeline_printer *printer, char *to, const char *key)
{
	to = fast_text(to, ",\"");
	to = fast_string(&printer->out, to, key);
	return fast_text(to, "\":");
}

static char *put_number(
	struct timeline_printer *printer, char *to, const char *key, uint64_t number)
{
	to = put_key(printer, to, key);
	return fast_number(to, number, 0);
}

/* A text that is clean. */
static char *put_text(struct timeline_printer *printer, char *to, const char *key, const char *text)
{
	if (!text)
		return to;
	to = put_key(printer, to, key);
	to = fast_text(to, "\"");
	to = fast_string(&printer->out, to, text);
	return fast_text(to, "\"");
}

static char *put_word(
	struct timeline_printer *printer, char *to, const char *key, const struct fast_word *word)
{
	if (!word)
		return to;
	to = put_key(printer, to, key);
	to = fast_text(to, "\"");
	to = fast_word(&printer->out, to, word);
	return fast_text(to, "\"");
}

/* `key` without its unit, which is that of the trace. */
static char *put_time(struct timeline_printer *printer, char *to, const char *key, uint64_t time)
{
	if (time == TIMELINE_UNKNOWN)
		return to;
	to = fast_text(to, ",\"");
	to = fast_string(&printer->out, to, key);
	to = fast_string(&printer->out, to, printer->hz ? "_ns\":" : "_cycles\":");
	return fast_number(to, printer->hz ? cycles_to_ns(time, printer->hz) : time, 0);
}

static char *put_packet_address(struct timeline_printer *printer, char *to, uint64_t packet)
{
	to = put_key(printer, to, "packet");
	to = fast_text(to, "\"0x");
	to = fast_hex(to, packet);
	return fast_text(to, "\"");
}

static char *put_task(struct timeline_printer *printer, char *to, uint32_t number)
{
	const struct timeline_task *task = timeline_task(printer, number);

	if (!task)
		return to;
	to = put_number(printer, to, "pid", strtoull(task->pid, NULL, 10));
	return put_text(printer, to, "comm", task->comm);
}

static char *put_end(struct timeline_printer *printer, char *to, const struct timeline_item *item)
{
	to = put_word(printer, to, "end", &timeline_ends[item->how]);
	to = put_time(printer, to, "end", item->end);
	if (item->how == TIMELINE_COPIED)
		to = put_task(printer, to, item->name);
	if (item->how == TIMELINE_DROPPED)
		to = put_word(
			printer, to, "reason", timeline_name(printer, NAME_REASON, item->name));
	return to;
}

static char *put_item(struct timeline_printer *printer, char *to, const struct timeline_item *item)
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

	to = fast_next(&printer->out, to);
	to = fast_text(to, "{\"what\":\"");
	to = fast_string(&printer->out, to, kinds[item->kind]);
	to = fast_text(to, "\"");
	to = put_time(printer, to, "time", item->time);
	to = put_word(printer, to, "device", timeline_name(printer, NAME_DEVICE, item->device));
	if (item->kind == TIMELINE_IRQ) {
		to = put_number(printer, to, "irq", item->what);
		to = put_word(printer, to, "name", timeline_name(printer, NAME_IRQ, item->name));
	} else if (item->kind == TIMELINE_POLL) {
		if (work != EVENT_WORK_UNKNOWN)
			to = put_number(printer, to, "work", work);
		to = put_number(printer, to, "budget", EVENT_GET(NAPI_POLL, budget, item->what));
	} else if (item->kind == TIMELINE_RAISE) {
		to = put_text(printer, to, "by", item->flags ? "softirq" : "task");
	} else {
		to = put_packet_address(printer, to, item->what);
		to = put_number(printer, to, "len", item->len);
	}
	if (item->kind == TIMELINE_RECEIVE)
		to = put_end(printer, to, item);
	return fast_text(to, "}");
}

static char *put_softirq(
	struct timeline_printer *printer, char *to, const struct timeline_item *head)
{
	bool softirq = !(head->flags & TIMELINE_NO_SOFTIRQ);

	to = fast_string(
		&printer->out, to, softirq ? "{\"type\":\"softirq\"" : "{\"type\":\"poll\"");
	to = put_number(printer, to, "cpu", head->what);
	to = put_time(printer, to, softirq ? "entry" : "begin", head->time);
	to = put_time(printer, to, softirq ? "exit" : "end", head->end);
	if (head->flags & TIMELINE_CONTINUED)
		to = fast_text(to, ",\"continued\":true");
	to = put_task(printer, to, head->name);
	to = fast_text(to, ",\"causes\":[");
	for (uint32_t i = 1; i <= head->len; i++) {
		if (i == head->causes + UINT32_C(1))
			to = fast_text(to, "],\"items\":[");
		else if (i > 1)
			to = fast_text(to, ",");
		to = put_item(printer, to, &head[i]);
	}
	return fast_string(
		&printer->out, to, head->len == head->causes ? "],\"items\":[]}\n" : "]}\n");
}

static char *put_packet(
	struct timeline_printer *printer, char *to, const struct timeline_packet *packet)
{
	to = fast_text(to, "{\"type\":\"transmit\"");
	to = put_word(printer, to, "device", timeline_name(printer, NAME_DEVICE, packet->device));
	to = put_packet_address(printer, to, packet->packet);
	to = put_number(printer, to, "len", packet->len);
	if (packet->queue != EVENT_QUEUE_UNKNOWN)
		to = put_number(printer, to, "queue", packet->queue);
	to = put_time(printer, to, "queued", packet->queued);
	to = put_time(printer, to, "start", packet->start);
	to = put_time(printer, to, "xmit", packet->xmit);
	to = put_word(printer, to, "end", &timeline_ends[packet->how]);
	to = put_time(printer, to, "end", packet->end);
	if (packet->how == TIMELINE_DROPPED)
		to = put_word(
			printer, to, "reason", timeline_name(printer, NAME_REASON, packet->reason));
	if (packet->retries)
		to = put_number(printer, to, "retries", packet->retries);
	return fast_text(to, "}\n");
}

/* A text of the input's; nothing if there is none. */
static char *put_foreign(
	struct timeline_printer *printer, char *to, const char *key, const char *text)
{
	char *clean = text ? clean_json(text) : NULL;

	if (text)
		to = put_text(printer, to, key, clean ? clean : "?");
	free(clean);
	return to;
}

static char *begin(struct timeline_printer *printer, char *to)
{
	const struct trace_source *source = printer->report->source;

	to = fast_text(to, "{\"schema\":\"ringside.timeline/1\",\"type\":\"source\"");
	to = put_foreign(printer, to, "file", source->file);
	to = put_text(printer, to, "format", source->format);
	to = put_foreign(printer, to, "clock", source->clock);
	to = put_foreign(printer, to, "kernel", source->kernel);
	if (source->hz)
		to = put_number(printer, to, "hz", source->hz);
	return fast_text(to, "}\n");
}

static char *put_ends(struct timeline_printer *printer, char *to, const char *key, uint64_t all,
	const uint64_t ends[TIMELINE_ENDS])
{
	to = put_key(printer, to, key);
	to = fast_text(to, "{\"packets\":");
	to = fast_number(to, all, 0);
	for (int i = 0; i < TIMELINE_ENDS; i++) {
		if (ends[i])
			to = put_number(printer, to, timeline_ends[i].text, ends[i]);
	}
	return fast_text(to, "}");
}

static char *end(struct timeline_printer *printer, char *to)
{
	const struct timeline_report *report = printer->report;
	const struct timeline_counts *counts = timeline_counts(report->timeline);

	to = fast_text(to, "{\"type\":\"summary\",\"complete\":");
	to = fast_string(
		&printer->out, to, trace_counts_complete(report->counts) ? "true" : "false");
	to = fast_text(to, ",\"events\":{\"read\":");
	to = fast_number(to, report->counts->read, 0);
	to = put_number(printer, to, "unparsed", report->counts->unparsed);
	to = put_number(printer, to, "lost", report->counts->lost);
	if (report->counts->lost_unknown)
		to = fast_text(to, ",\"lost_unknown\":true");
	to = fast_text(to, "}");
	if (report->receive) {
		to = put_number(printer, to, "softirqs", printer->softirqs);
		to = put_number(printer, to, "empty_softirqs", counts->empty_softirqs);
		to = put_number(printer, to, "causes_dropped", counts->causes_dropped);
		to = put_ends(printer, to, "receive", printer->received, printer->received_ends);
	}
	if (report->transmit)
		to = put_ends(printer, to, "transmit", printer->sent, printer->sent_ends);
	return fast_text(to, "}\n");
}

const struct timeline_layout timeline_json = {
	.clean = CLEAN_JSON,
	.begin = begin,
	.softirq = put_softirq,
	.packet = put_packet,
	.end = end,
};
