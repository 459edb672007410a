/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline for a person. */
#include "timeline_style.h"

/* Where the clock isn't calibrated times are cycles. */
static char *put_time(struct timeline_printer *printer, char *to, uint64_t time, unsigned width)
{
	if (time == TIMELINE_UNKNOWN)
		return fast_column(&printer->out, to, &timeline_none, (int)width);
	if (printer->hz)
		to = fast_seconds(&printer->second, to, cycles_to_ns(time, printer->hz), width);
	else
		to = fast_number(to, time, width);
	return to;
}

/* put_between of any clock, and of times that nobody saw. */
static __attribute__((noinline)) char *put_any_between(
	struct timeline_printer *printer, char *to, uint64_t begin, uint64_t end, unsigned width)
{
	bool negative;
	uint64_t ns;

	if (begin == TIMELINE_UNKNOWN || end == TIMELINE_UNKNOWN)
		return fast_column(&printer->out, to, &timeline_none, (int)width);
	ns = timeline_between(printer, begin, end, &negative);
	return fast_fixed(to, ns, negative, printer->hz ? 6 : 0, width);
}

/* Milliseconds, to a nanosecond. */
static char *put_between(
	struct timeline_printer *printer, char *to, uint64_t begin, uint64_t end, unsigned width)
{
	bool negative = end < begin;

	if (printer->hz != CYCLES_NS_PER_S || begin == TIMELINE_UNKNOWN || end == TIMELINE_UNKNOWN)
		return put_any_between(printer, to, begin, end, width);
	return fast_fixed(to, negative ? begin - end : end - begin, negative, 6, width);
}

static char *put_packet_address(char *to, uint64_t packet)
{
	return fast_hex(fast_text(to, " 0x"), packet);
}

static char *put_task(struct timeline_printer *printer, char *to, uint32_t number)
{
	const struct timeline_task *task = timeline_task(printer, number);

	if (!task)
		return fast_text(to, "a process");
	to = fast_bytes(&printer->out, to, task->comm, task->comm_bytes);
	to = fast_text(to, " (");
	to = fast_bytes(&printer->out, to, task->pid, task->pid_bytes);
	return fast_text(to, ")");
}

static const struct fast_word unknown = FAST_WORD("unknown");

/* What happened to a received packet, and how long after it had come. */
static char *put_end(struct timeline_printer *printer, char *to, const struct timeline_item *item)
{
	const struct fast_word *reason;

	to = fast_text(to, ", ");
	to = fast_word(&printer->out, to, &timeline_ends[item->how]);
	if (item->how == TIMELINE_OPEN || item->how == TIMELINE_UNRESOLVED)
		return to;
	if (item->how == TIMELINE_COPIED) {
		to = fast_text(to, " to ");
		to = put_task(printer, to, item->name);
	}
	to = fast_text(to, " after ");
	to = put_between(printer, to, item->time, item->end, 0);
	if (item->how == TIMELINE_DROPPED) {
		reason = timeline_name(printer, NAME_REASON, item->name);
		to = fast_text(to, ": ");
		to = fast_word(&printer->out, to, reason ? reason : &unknown);
	}
	return to;
}

static char *put_receive(
	struct timeline_printer *printer, char *to, const struct timeline_item *item)
{
	to = fast_word(&printer->out, to, timeline_device(printer, item->device));
	to = put_packet_address(to, item->what);
	to = fast_text(to, " ");
	to = fast_number(to, item->len, 0);
	to = fast_text(to, " bytes");
	if (item->kind == TIMELINE_RECEIVE)
		to = put_end(printer, to, item);
	return to;
}

static char *put_poll(struct timeline_printer *printer, char *to, const struct timeline_item *item)
{
	uint64_t work = EVENT_GET(NAPI_POLL, work, item->what);

	to = fast_word(&printer->out, to, timeline_device(printer, item->device));
	if (work == EVENT_WORK_UNKNOWN)
		return to;
	to = fast_text(to, " work ");
	to = fast_number(to, work, 0);
	to = fast_text(to, " of ");
	return fast_number(to, EVENT_GET(NAPI_POLL, budget, item->what), 0);
}

static char *put_irq(struct timeline_printer *printer, char *to, const struct timeline_item *item)
{
	const struct fast_word *name = timeline_name(printer, NAME_IRQ, item->name);

	to = fast_number(to, item->what, 0);
	if (name) {
		to = fast_text(to, " ");
		to = fast_word(&printer->out, to, name);
	}
	return to;
}

/* "      0.003102  receive       " */
static char *begin_line(struct timeline_printer *printer, char *to, uint64_t base, uint64_t time,
	const struct fast_word *what)
{
	to = put_between(printer, to, base, time, 14);
	return fast_word(&printer->out, to, what);
}

/* What a line begins with behind its time; of what may have nothing behind that, without blanks. */
static const struct fast_word kinds[] = {
	[TIMELINE_SOFTIRQ] = FAST_WORD("  softirq       "),
	[TIMELINE_IRQ] = FAST_WORD("  irq_entry     "),
	[TIMELINE_RAISE] = FAST_WORD("  softirq_raise "),
	[TIMELINE_NETIF_RX] = FAST_WORD("  netif_rx      "),
	[TIMELINE_BEGIN] = FAST_WORD("  receive_begin "),
	[TIMELINE_RECEIVE] = FAST_WORD("  receive       "),
	[TIMELINE_POLL] = FAST_WORD("  napi_poll     "),
};
static const struct fast_word softirq_entry = FAST_WORD("  softirq_entry");
static const struct fast_word softirq_exit = FAST_WORD("  softirq_exit");

static char *put_item(
	struct timeline_printer *printer, char *to, const struct timeline_item *item, uint64_t base)
{
	to = fast_next(&printer->out, to);
	to = begin_line(printer, to, base, item->time, &kinds[item->kind]);
	if (item->kind == TIMELINE_IRQ)
		to = put_irq(printer, to, item);
	else if (item->kind == TIMELINE_POLL)
		to = put_poll(printer, to, item);
	else if (item->kind == TIMELINE_RAISE)
		to = fast_string(
			&printer->out, to, item->flags ? "by the softirq before" : "by a task");
	else
		to = put_receive(printer, to, item);
	return fast_text(to, "\n");
}

/* A poll that no softirq did: whose it was. */
static char *put_poller(
	struct timeline_printer *printer, char *to, const struct timeline_item *head)
{
	const struct timeline_task *task = timeline_task(printer, head->name);

	if (task && task->is_napi_thread) {
		to = fast_text(to, ", by the NAPI thread ");
		to = put_task(printer, to, head->name);
		return to;
	}
	to = fast_text(to, ", in no softirq that was seen (busy polling, a tap");
	to = fast_string(&printer->out, to, head->name ? "), in " : ", a NAPI thread)");
	if (head->name)
		to = put_task(printer, to, head->name);
	return to;
}

/* Where it comes from, if not from an interrupt. */
static const char *cause_of(const struct timeline_item *head)
{
	if (head->flags & TIMELINE_CONTINUED)
		return ", continued";
	for (uint32_t i = 1; i <= head->causes; i++) {
		if (head[i].kind == TIMELINE_IRQ)
			return "";
	}
	return ", without an interrupt";
}

static char *put_entry(
	struct timeline_printer *printer, char *to, const struct timeline_item *head, uint64_t base)
{
	if (head->flags & TIMELINE_NO_SOFTIRQ)
		return to;
	to = begin_line(printer, to, base, head->time, &softirq_entry);
	if (head->name) {
		to = fast_text(to, " ");
		to = put_task(printer, to, head->name);
	}
	return fast_text(to, "\n");
}

static char *put_softirq(
	struct timeline_printer *printer, char *to, const struct timeline_item *head)
{
	uint64_t base = timeline_base(head);
	uint32_t i = 1;

	to = put_time(printer, to, base, 0);
	to = fast_text(to, " cpu ");
	to = fast_number(to, head->what, 0);
	if (head->flags & TIMELINE_NO_SOFTIRQ)
		to = put_poller(printer, to, head);
	else
		to = fast_string(&printer->out, to, cause_of(head));
	to = fast_text(to, "\n");
	for (; i <= head->causes && head[i].time <= head->time; i++)
		to = put_item(printer, to, &head[i], base);
	to = put_entry(printer, to, head, base);
	for (; i <= head->len; i++)
		to = put_item(printer, to, &head[i], base);
	if (!(head->flags & (TIMELINE_NO_SOFTIRQ | TIMELINE_NO_EXIT))) {
		to = begin_line(printer, to, base, head->end, &softirq_exit);
		to = fast_text(to, "\n");
	}
	return fast_text(to, "\n");
}

/* The time of a packet before the one asked for, of those that are known. */
static uint64_t first_of(uint64_t a, uint64_t b, uint64_t c)
{
	if (a != TIMELINE_UNKNOWN)
		return a;
	return b != TIMELINE_UNKNOWN ? b : c;
}

static char *put_packet(
	struct timeline_printer *printer, char *to, const struct timeline_packet *packet)
{
	struct fast_out *out = &printer->out;
	const struct fast_word *reason =
		packet->how == TIMELINE_DROPPED
			? timeline_name(printer, NAME_REASON, packet->reason)
			: NULL;

	to = fast_column(out, to, timeline_device(printer, packet->device), -7);
	to = fast_text(to, " ");
	to = fast_number(to, packet->len, 6);
	to = fast_text(to, " ");
	to = put_time(printer, to, first_of(packet->queued, packet->start, packet->xmit), 16);
	to = fast_text(to, " ");
	to = put_between(printer, to, packet->queued, packet->start, 15);
	to = fast_text(to, " ");
	to = put_between(printer, to, first_of(packet->start, packet->queued, TIMELINE_UNKNOWN),
		packet->xmit, 13);
	to = fast_text(to, " ");
	to = put_between(printer, to, first_of(packet->xmit, packet->start, packet->queued),
		packet->end, 13);
	to = fast_text(to, " ");
	to = fast_word(out, to, &timeline_ends[packet->how]);
	if (reason) {
		to = fast_text(to, ": ");
		to = fast_word(out, to, reason);
	}
	if (packet->retries) {
		to = fast_text(to, ", the driver was busy: ");
		to = fast_number(to, packet->retries, 0);
	}
	return fast_text(to, "\n");
}

static char *put_ends(struct timeline_printer *printer, char *to, uint64_t all, const char *what,
	const uint64_t ends[TIMELINE_ENDS])
{
	const char *separator = ": ";

	to = fast_number(to, all, 0);
	to = fast_string(&printer->out, to, what);
	for (int i = 0; i < TIMELINE_ENDS; i++) {
		if (!ends[i])
			continue;
		to = fast_string(&printer->out, to, separator);
		to = fast_number(to, ends[i], 0);
		to = fast_text(to, " ");
		to = fast_word(&printer->out, to, &timeline_ends[i]);
		separator = ", ";
	}
	return fast_text(to, "\n");
}

static char *put_left_out(
	struct timeline_printer *printer, char *to, uint64_t count, const char *what)
{
	if (!count)
		return to;
	to = fast_number(to, count, 0);
	return fast_string(&printer->out, to, what);
}

static char *end(struct timeline_printer *printer, char *to)
{
	const struct timeline_report *report = printer->report;
	const struct timeline_counts *counts = timeline_counts(report->timeline);

	to = fast_text(to, "\n");
	if (report->receive) {
		to = put_ends(printer, to, printer->received, " packets received",
			printer->received_ends);
		to = put_left_out(printer, to, counts->empty_softirqs,
			" softirqs had no known cause and nothing in them: left out\n");
		to = put_left_out(printer, to, counts->causes_dropped,
			" interrupts or netif_rx led to no softirq: left out\n");
	}
	if (report->transmit)
		to = put_ends(printer, to, printer->sent, " packets sent", printer->sent_ends);
	to = fast_number(to, report->counts->read, 0);
	to = fast_text(to, " events read, ");
	to = fast_number(to, report->counts->lost, 0);
	to = fast_text(to, " lost; ");
	to = fast_number(to, report->counts->unparsed, 0);
	to = fast_text(to, " lines unparsed; times behind the first one are ");
	return fast_string(&printer->out, to, printer->hz ? "milliseconds\n" : "cycles\n");
}

const struct timeline_layout timeline_text = {
	.clean = CLEAN_TERMINAL,
	.softirq = put_softirq,
	.packets_heading = "device   bytes  first seen at        start_xmit  xmit returns"
			   "           end\n",
	.packet = put_packet,
	.end = end,
};
