/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline for a person. */
#include "napi.h"
#include "timeline_style.h"

/* Where the clock isn't calibrated times are cycles. */
static void put_time(struct timeline_printer *printer, uint64_t time, unsigned width)
{
	if (printer->hz)
		fast_fixed(&printer->out, cycles_to_ns(time, printer->hz), false, 9, width);
	else
		fast_number(&printer->out, time, width);
}

/* Milliseconds, to a nanosecond. */
static void put_between(
	struct timeline_printer *printer, uint64_t from, uint64_t to, unsigned width)
{
	bool negative;
	uint64_t ns = timeline_between(printer, from, to, &negative);

	if (from == TIMELINE_UNKNOWN || to == TIMELINE_UNKNOWN)
		fast_column(&printer->out, &timeline_none, (int)width);
	else
		fast_fixed(&printer->out, ns, negative, printer->hz ? 6 : 0, width);
}

static void put_packet_address(struct timeline_printer *printer, uint64_t packet)
{
	fast_text(&printer->out, " 0x");
	fast_hex(&printer->out, packet);
}

static void put_task(struct timeline_printer *printer, uint32_t number)
{
	struct timeline_task task;

	if (!timeline_task(printer, number, &task)) {
		fast_text(&printer->out, "a process");
		return;
	}
	fast_bytes(&printer->out, task.comm, task.comm_bytes);
	fast_text(&printer->out, " (");
	fast_bytes(&printer->out, task.pid, task.pid_bytes);
	fast_text(&printer->out, ")");
}

static const struct fast_word unknown = FAST_WORD("unknown");

/* What happened to a received packet, and how long after it had come. */
static void put_end(struct timeline_printer *printer, const struct timeline_item *item)
{
	const struct fast_word *reason;

	fast_text(&printer->out, ", ");
	fast_word(&printer->out, &timeline_ends[item->how]);
	if (item->how == TIMELINE_OPEN || item->how == TIMELINE_UNRESOLVED)
		return;
	if (item->how == TIMELINE_COPIED) {
		fast_text(&printer->out, " to ");
		put_task(printer, item->name);
	}
	fast_text(&printer->out, " after ");
	put_between(printer, item->time, item->end, 0);
	if (item->how == TIMELINE_DROPPED) {
		reason = timeline_name(printer, NAME_REASON, item->name);
		fast_text(&printer->out, ": ");
		fast_word(&printer->out, reason ? reason : &unknown);
	}
}

static void put_receive(struct timeline_printer *printer, const struct timeline_item *item)
{
	fast_word(&printer->out, timeline_device(printer, item->device));
	put_packet_address(printer, item->what);
	fast_text(&printer->out, " ");
	fast_number(&printer->out, item->len, 0);
	fast_text(&printer->out, " bytes");
	if (item->kind == TIMELINE_RECEIVE)
		put_end(printer, item);
}

static void put_poll(struct timeline_printer *printer, const struct timeline_item *item)
{
	uint64_t work = EVENT_GET(NAPI_POLL, work, item->what);

	fast_word(&printer->out, timeline_device(printer, item->device));
	if (work == EVENT_WORK_UNKNOWN)
		return;
	fast_text(&printer->out, " work ");
	fast_number(&printer->out, work, 0);
	fast_text(&printer->out, " of ");
	fast_number(&printer->out, EVENT_GET(NAPI_POLL, budget, item->what), 0);
}

static void put_irq(struct timeline_printer *printer, const struct timeline_item *item)
{
	const struct fast_word *name = timeline_name(printer, NAME_IRQ, item->name);

	fast_number(&printer->out, item->what, 0);
	if (name) {
		fast_text(&printer->out, " ");
		fast_word(&printer->out, name);
	}
}

/* "      0.003102  receive       " */
static void begin_line(struct timeline_printer *printer, uint64_t base, uint64_t time,
	const struct fast_word *what)
{
	put_between(printer, base, time, 14);
	fast_word(&printer->out, what);
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

static void put_item(
	struct timeline_printer *printer, const struct timeline_item *item, uint64_t base)
{
	begin_line(printer, base, item->time, &kinds[item->kind]);
	if (item->kind == TIMELINE_IRQ)
		put_irq(printer, item);
	else if (item->kind == TIMELINE_POLL)
		put_poll(printer, item);
	else if (item->kind == TIMELINE_RAISE)
		fast_text(&printer->out, item->flags ? "by the softirq before" : "by a task");
	else
		put_receive(printer, item);
	fast_text(&printer->out, "\n");
}

/* A poll that no softirq did: whose it was. */
static void put_poller(struct timeline_printer *printer, const struct timeline_item *head)
{
	if (napi_is_thread(printer->names, head->name)) {
		fast_text(&printer->out, ", by the NAPI thread ");
		put_task(printer, head->name);
		return;
	}
	fast_text(&printer->out, ", in no softirq that was seen (busy polling, a tap");
	fast_text(&printer->out, head->name ? "), in " : ", a NAPI thread)");
	if (head->name)
		put_task(printer, head->name);
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

static void put_entry(
	struct timeline_printer *printer, const struct timeline_item *head, uint64_t base)
{
	if (head->flags & TIMELINE_NO_SOFTIRQ)
		return;
	begin_line(printer, base, head->time, &softirq_entry);
	if (head->name) {
		fast_text(&printer->out, " ");
		put_task(printer, head->name);
	}
	fast_text(&printer->out, "\n");
}

static void put_softirq(struct timeline_printer *printer, const struct timeline_item *head)
{
	uint64_t base = timeline_base(head);
	uint32_t i = 1;

	put_time(printer, base, 0);
	fast_text(&printer->out, " cpu ");
	fast_number(&printer->out, head->what, 0);
	if (head->flags & TIMELINE_NO_SOFTIRQ)
		put_poller(printer, head);
	else
		fast_text(&printer->out, cause_of(head));
	fast_text(&printer->out, "\n");
	for (; i <= head->causes && head[i].time <= head->time; i++)
		put_item(printer, &head[i], base);
	put_entry(printer, head, base);
	for (; i <= head->len; i++)
		put_item(printer, &head[i], base);
	if (!(head->flags & (TIMELINE_NO_SOFTIRQ | TIMELINE_NO_EXIT))) {
		begin_line(printer, base, head->end, &softirq_exit);
		fast_text(&printer->out, "\n");
	}
	fast_text(&printer->out, "\n");
}

static void begin_packets(struct timeline_printer *printer)
{
	fast_text(&printer->out, "device   bytes  first seen at        start_xmit  xmit returns"
				 "           end\n");
}

/* The time of a packet before the one asked for, of those that are known. */
static uint64_t first_of(uint64_t a, uint64_t b, uint64_t c)
{
	if (a != TIMELINE_UNKNOWN)
		return a;
	return b != TIMELINE_UNKNOWN ? b : c;
}

static void put_packet(struct timeline_printer *printer, const struct timeline_packet *packet)
{
	struct fast_out *out = &printer->out;
	const struct fast_word *reason =
		packet->how == TIMELINE_DROPPED
			? timeline_name(printer, NAME_REASON, packet->reason)
			: NULL;

	fast_column(out, timeline_device(printer, packet->device), -7);
	fast_text(out, " ");
	fast_number(out, packet->len, 6);
	fast_text(out, " ");
	put_time(printer, first_of(packet->queued, packet->start, packet->xmit), 16);
	fast_text(out, " ");
	put_between(printer, packet->queued, packet->start, 15);
	fast_text(out, " ");
	put_between(printer, first_of(packet->start, packet->queued, TIMELINE_UNKNOWN),
		packet->xmit, 13);
	fast_text(out, " ");
	put_between(
		printer, first_of(packet->xmit, packet->start, packet->queued), packet->end, 13);
	fast_text(out, " ");
	fast_word(out, &timeline_ends[packet->how]);
	if (reason) {
		fast_text(out, ": ");
		fast_word(out, reason);
	}
	if (packet->retries) {
		fast_text(out, ", the driver was busy: ");
		fast_number(out, packet->retries, 0);
	}
	fast_text(out, "\n");
}

static void put_ends(struct timeline_printer *printer, uint64_t all, const char *what,
	const uint64_t ends[TIMELINE_ENDS])
{
	const char *separator = ": ";

	fast_number(&printer->out, all, 0);
	fast_text(&printer->out, what);
	for (int i = 0; i < TIMELINE_ENDS; i++) {
		if (!ends[i])
			continue;
		fast_text(&printer->out, separator);
		fast_number(&printer->out, ends[i], 0);
		fast_text(&printer->out, " ");
		fast_word(&printer->out, &timeline_ends[i]);
		separator = ", ";
	}
	fast_text(&printer->out, "\n");
}

static void put_left_out(struct timeline_printer *printer, uint64_t count, const char *what)
{
	if (!count)
		return;
	fast_number(&printer->out, count, 0);
	fast_text(&printer->out, what);
}

static void end(struct timeline_printer *printer)
{
	const struct timeline_report *report = printer->report;
	const struct timeline_counts *counts = timeline_counts(report->timeline);

	fast_text(&printer->out, "\n");
	if (report->receive) {
		put_ends(printer, printer->received, " packets received", printer->received_ends);
		put_left_out(printer, counts->empty_softirqs,
			" softirqs had no known cause and nothing in them: left out\n");
		put_left_out(printer, counts->causes_dropped,
			" interrupts or netif_rx led to no softirq: left out\n");
	}
	if (report->transmit)
		put_ends(printer, printer->sent, " packets sent", printer->sent_ends);
	fast_number(&printer->out, report->counts->read, 0);
	fast_text(&printer->out, " events read, ");
	fast_number(&printer->out, report->counts->lost, 0);
	fast_text(&printer->out, " lost; ");
	fast_number(&printer->out, report->counts->unparsed, 0);
	fast_text(&printer->out, " lines unparsed; times behind the first one are ");
	fast_text(&printer->out, printer->hz ? "milliseconds\n" : "cycles\n");
}

const struct timeline_layout timeline_text = {
	.clean = CLEAN_TERMINAL,
	.softirq = put_softirq,
	.begin_packets = begin_packets,
	.packet = put_packet,
	.end = end,
};
