/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of perf's netdev-times script, which people have scripts for. timeline_report.h says
 * where what it prints is not what the script prints.
 */
#include "timeline_style.h"

#include <inttypes.h>

static const char bar[] = "         |\n";
static const char two_bars[] = "         |            |\n";

/*
 * Milliseconds to three digits. The original divides as floating-point numbers and rounds as printf
 * does, so where it is a tie the quotient's own error decides; else whole numbers say the same.
 */
static void put_msec(struct timeline_printer *printer, uint64_t from, uint64_t to, unsigned width)
{
	bool negative;
	uint64_t ns = timeline_between(printer, from, to, &negative);
	uint64_t rounded = (ns + 499) / 1000;
	char text[64];

	if (ns % 1000 == 500) {
		double msec = (double)ns / 1e6;

		snprintf(text, sizeof(text), "%*.3f", (int)width, negative ? -msec : msec);
		fast_text(&printer->out, text);
	} else {
		fast_fixed(&printer->out, rounded, negative, 3, width);
	}
}

/* "(+0.123msec": from the base of the softirq. */
static void put_offset(
	struct timeline_printer *printer, const char *what, uint64_t base, uint64_t time)
{
	fast_text(&printer->out, what);
	fast_text(&printer->out, "(+");
	put_msec(printer, base, time, 0);
	fast_text(&printer->out, "msec");
}

/* Seconds, cut at the microsecond. */
static void put_seconds(struct timeline_printer *printer, uint64_t time, unsigned width)
{
	uint64_t us = cycles_to_ns(time, printer->hz) / 1000;

	fast_fixed(&printer->out, us, false, 6, width);
	fast_text(&printer->out, "sec");
}

static void put_irq(
	struct timeline_printer *printer, const struct timeline_item *item, uint64_t base)
{
	const struct fast_word *name = timeline_name(printer, NAME_IRQ, item->name);

	put_offset(printer, "  irq_entry", base, item->time);
	fast_text(&printer->out, " irq=");
	fast_number(&printer->out, item->what, 0);
	fast_text(&printer->out, ":");
	if (name)
		fast_word(&printer->out, name);
	fast_text(&printer->out, ")\n");
	fast_text(&printer->out, bar);
}

static void put_netif_rx(
	struct timeline_printer *printer, const struct timeline_item *item, uint64_t base)
{
	put_offset(printer, "         |---netif_rx", base, item->time);
	fast_text(&printer->out, " skb=");
	fast_hex(&printer->out, item->what);
	fast_text(&printer->out, ")\n");
	fast_text(&printer->out, bar);
}

static void put_end(
	struct timeline_printer *printer, const struct timeline_item *item, uint64_t base)
{
	struct fast_out *out = &printer->out;
	const struct fast_word *reason;
	struct timeline_task task;

	switch ((enum timeline_end)item->how) {
	case TIMELINE_COPIED:
		fast_text(out, two_bars);
		put_offset(printer, "         |      skb_copy_datagram_iovec", base, item->end);
		fast_text(out, " ");
		if (!timeline_task(printer, item->name, &task))
			task = (struct timeline_task){ "0", "", 1, 0 };
		fast_bytes(out, task.pid, task.pid_bytes);
		fast_text(out, ":");
		fast_bytes(out, task.comm, task.comm_bytes);
		fast_text(out, ")\n");
		break;
	case TIMELINE_DROPPED:
		reason = timeline_name(printer, NAME_REASON, item->name);
		fast_text(out, two_bars);
		put_offset(printer, "         |      kfree_skb", base, item->end);
		fast_text(out, " reason=");
		if (reason)
			fast_word(out, reason);
		fast_text(out, ")\n");
		break;
	case TIMELINE_FREED:
		fast_text(out, two_bars);
		put_offset(printer, "         |      consume_skb", base, item->end);
		fast_text(out, ")\n");
		break;
	default:
		break;
	}
}

static void put_receive(
	struct timeline_printer *printer, const struct timeline_item *item, uint64_t base)
{
	put_offset(printer, "         |---netif_receive_skb", base, item->time);
	fast_text(&printer->out, " skb=");
	fast_hex(&printer->out, item->what);
	fast_text(&printer->out, " len=");
	fast_number(&printer->out, item->len, 0);
	fast_text(&printer->out, ")\n");
	put_end(printer, item, base);
	fast_text(&printer->out, bar);
}

/* A poll is followed by a bar, or by an empty line if it is the softirq's last event. */
static void put_poll(struct timeline_printer *printer, const struct timeline_item *item,
	uint64_t base, bool is_last)
{
	put_offset(printer, "  napi_poll_exit", base, item->time);
	fast_text(&printer->out, " ");
	fast_word(&printer->out, timeline_device(printer, item->device));
	fast_text(&printer->out, ")\n");
	fast_text(&printer->out, is_last ? "\n" : bar);
}

static void put_item(struct timeline_printer *printer, const struct timeline_item *item,
	uint64_t base, bool is_last)
{
	switch ((enum timeline_kind)item->kind) {
	case TIMELINE_IRQ:
		put_irq(printer, item, base);
		break;
	case TIMELINE_NETIF_RX:
		put_netif_rx(printer, item, base);
		break;
	case TIMELINE_RECEIVE:
		put_receive(printer, item, base);
		break;
	case TIMELINE_POLL:
		put_poll(printer, item, base, is_last);
		break;
	case TIMELINE_SOFTIRQ:
	case TIMELINE_RAISE: /* unknown in 2010 */
	case TIMELINE_BEGIN:
		break;
	}
}

/* The raise of a softirq is no line of this layout, so nothing counts from it. */
static uint64_t base_of(const struct timeline_item *head)
{
	for (uint32_t i = 1; i <= head->causes; i++) {
		if (head[i].kind != TIMELINE_RAISE)
			return head[i].time;
	}
	return head->time;
}

static void put_softirq(struct timeline_printer *printer, const struct timeline_item *head)
{
	uint64_t base = base_of(head);
	uint32_t last = head->len;

	while (last && head[last].kind == TIMELINE_BEGIN)
		last--;
	put_seconds(printer, base, 0);
	fast_text(&printer->out, " cpu=");
	fast_number(&printer->out, head->what, 0);
	fast_text(&printer->out, "\n");
	for (uint32_t i = 1; i <= head->causes; i++)
		put_item(printer, &head[i], base, false);
	if (!(head->flags & TIMELINE_NO_SOFTIRQ)) {
		put_offset(printer, "  softirq_entry", base, head->time);
		fast_text(&printer->out, ")\n");
		fast_text(&printer->out, bar);
	}
	for (uint32_t i = head->causes + UINT32_C(1); i <= head->len; i++)
		put_item(printer, &head[i], base, i == last);
}

static void begin_packets(struct timeline_printer *printer)
{
	fast_text(&printer->out,
		"   dev    len      Qdisc               netdevice             free\n");
}

/* Only those of which all three times are known. */
static void put_packet(struct timeline_printer *printer, const struct timeline_packet *packet)
{
	struct fast_out *out = &printer->out;
	bool freed = packet->how == TIMELINE_FREED || packet->how == TIMELINE_DROPPED ||
		     packet->how == TIMELINE_ABORTED;

	if (!freed || packet->queued == TIMELINE_UNKNOWN || packet->xmit == TIMELINE_UNKNOWN)
		return;
	fast_column(out, timeline_device(printer, packet->device), 7);
	fast_text(out, " ");
	fast_number(out, packet->len, 5);
	fast_text(out, " ");
	put_seconds(printer, packet->queued, 13);
	fast_text(out, " ");
	put_msec(printer, packet->queued, packet->xmit, 12);
	fast_text(out, "msec      ");
	put_msec(printer, packet->xmit, packet->end, 12);
	fast_text(out, "msec\n");
}

const struct timeline_layout timeline_classic = {
	.clean = CLEAN_TERMINAL,
	.softirq = put_softirq,
	.begin_packets = begin_packets,
	.packet = put_packet,
};
