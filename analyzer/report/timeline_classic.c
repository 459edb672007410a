/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of perf's netdev-times script, which people have scripts for. timeline_report.h says
 * where what it prints is not what the script prints.
 */
#include "timeline_style.h"

static const char bar[] = "         |\n";
static const char two_bars[] = "         |            |\n";

/*
 * Milliseconds to three digits. The original divides as floating-point numbers and rounds as printf
 * does, so where it is a tie the quotient's own error decides; else whole numbers say the same.
 */
static char *put_msec(
	struct timeline_printer *printer, char *to, uint64_t begin, uint64_t end, unsigned width)
{
	bool negative;
	uint64_t ns = timeline_between(printer, begin, end, &negative);
	uint64_t rounded = (ns + 499) / 1000;
	char text[64];

	if (ns % 1000 == 500) {
		double msec = (double)ns / 1e6;

		snprintf(text, sizeof(text), "%*.3f", (int)width, negative ? -msec : msec);
		to = fast_string(&printer->out, to, text);
	} else {
		to = fast_fixed(to, rounded, negative, 3, width);
	}
	return to;
}

/* "(+0.123msec": from the base of the softirq. */
static char *put_offset(
	struct timeline_printer *printer, char *to, const char *what, uint64_t base, uint64_t time)
{
	to = fast_string(&printer->out, to, what);
	to = fast_text(to, "(+");
	to = put_msec(printer, to, base, time, 0);
	return fast_text(to, "msec");
}

/* Seconds, cut at the microsecond. */
static char *put_seconds(struct timeline_printer *printer, char *to, uint64_t time, unsigned width)
{
	uint64_t us = cycles_to_ns(time, printer->hz) / 1000;

	to = fast_fixed(to, us, false, 6, width);
	return fast_text(to, "sec");
}

static char *put_irq(
	struct timeline_printer *printer, char *to, const struct timeline_item *item, uint64_t base)
{
	const struct fast_word *name = timeline_name(printer, NAME_IRQ, item->name);

	to = put_offset(printer, to, "  irq_entry", base, item->time);
	to = fast_text(to, " irq=");
	to = fast_number(to, item->what, 0);
	to = fast_text(to, ":");
	if (name)
		to = fast_word(&printer->out, to, name);
	to = fast_text(to, ")\n");
	return fast_string(&printer->out, to, bar);
}

static char *put_netif_rx(
	struct timeline_printer *printer, char *to, const struct timeline_item *item, uint64_t base)
{
	to = put_offset(printer, to, "         |---netif_rx", base, item->time);
	to = fast_text(to, " skb=");
	to = fast_hex(to, item->what);
	to = fast_text(to, ")\n");
	return fast_string(&printer->out, to, bar);
}

static char *put_end(
	struct timeline_printer *printer, char *to, const struct timeline_item *item, uint64_t base)
{
	struct fast_out *out = &printer->out;
	const struct fast_word *reason;
	const struct timeline_task *task;

	switch ((enum timeline_end)item->how) {
	case TIMELINE_COPIED:
		to = fast_string(out, to, two_bars);
		to = put_offset(
			printer, to, "         |      skb_copy_datagram_iovec", base, item->end);
		to = fast_text(to, " ");
		task = timeline_task(printer, item->name);
		to = fast_bytes(out, to, task ? task->pid : "0", task ? task->pid_bytes : 1);
		to = fast_text(to, ":");
		if (task)
			to = fast_bytes(out, to, task->comm, task->comm_bytes);
		to = fast_text(to, ")\n");
		break;
	case TIMELINE_DROPPED:
		reason = timeline_name(printer, NAME_REASON, item->name);
		to = fast_string(out, to, two_bars);
		to = put_offset(printer, to, "         |      kfree_skb", base, item->end);
		to = fast_text(to, " reason=");
		if (reason)
			to = fast_word(out, to, reason);
		to = fast_text(to, ")\n");
		break;
	case TIMELINE_FREED:
		to = fast_string(out, to, two_bars);
		to = put_offset(printer, to, "         |      consume_skb", base, item->end);
		to = fast_text(to, ")\n");
		break;
	default:
		break;
	}
	return to;
}

static char *put_receive(
	struct timeline_printer *printer, char *to, const struct timeline_item *item, uint64_t base)
{
	to = put_offset(printer, to, "         |---netif_receive_skb", base, item->time);
	to = fast_text(to, " skb=");
	to = fast_hex(to, item->what);
	to = fast_text(to, " len=");
	to = fast_number(to, item->len, 0);
	to = fast_text(to, ")\n");
	to = put_end(printer, to, item, base);
	return fast_string(&printer->out, to, bar);
}

/* A poll is followed by a bar, or by an empty line if it is the softirq's last event. */
static char *put_poll(struct timeline_printer *printer, char *to, const struct timeline_item *item,
	uint64_t base, bool is_last)
{
	to = put_offset(printer, to, "  napi_poll_exit", base, item->time);
	to = fast_text(to, " ");
	to = fast_word(&printer->out, to, timeline_device(printer, item->device));
	to = fast_text(to, ")\n");
	return fast_string(&printer->out, to, is_last ? "\n" : bar);
}

static char *put_item(struct timeline_printer *printer, char *to, const struct timeline_item *item,
	uint64_t base, bool is_last)
{
	to = fast_next(&printer->out, to);
	switch ((enum timeline_kind)item->kind) {
	case TIMELINE_IRQ:
		to = put_irq(printer, to, item, base);
		break;
	case TIMELINE_NETIF_RX:
		to = put_netif_rx(printer, to, item, base);
		break;
	case TIMELINE_RECEIVE:
		to = put_receive(printer, to, item, base);
		break;
	case TIMELINE_POLL:
		to = put_poll(printer, to, item, base, is_last);
		break;
	case TIMELINE_SOFTIRQ:
	case TIMELINE_RAISE: /* unknown in 2010 */
	case TIMELINE_BEGIN:
		break;
	}
	return to;
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

static char *put_softirq(
	struct timeline_printer *printer, char *to, const struct timeline_item *head)
{
	uint64_t base = base_of(head);
	uint32_t last = head->len;

	while (last && head[last].kind == TIMELINE_BEGIN)
		last--;
	to = put_seconds(printer, to, base, 0);
	to = fast_text(to, " cpu=");
	to = fast_number(to, head->what, 0);
	to = fast_text(to, "\n");
	for (uint32_t i = 1; i <= head->causes; i++)
		to = put_item(printer, to, &head[i], base, false);
	if (!(head->flags & TIMELINE_NO_SOFTIRQ)) {
		to = put_offset(printer, to, "  softirq_entry", base, head->time);
		to = fast_text(to, ")\n");
		to = fast_string(&printer->out, to, bar);
	}
	for (uint32_t i = head->causes + UINT32_C(1); i <= head->len; i++)
		to = put_item(printer, to, &head[i], base, i == last);
	return to;
}

/* Only those of which all three times are known. */
static char *put_packet(
	struct timeline_printer *printer, char *to, const struct timeline_packet *packet)
{
	struct fast_out *out = &printer->out;
	bool freed = packet->how == TIMELINE_FREED || packet->how == TIMELINE_DROPPED ||
		     packet->how == TIMELINE_ABORTED;

	if (!freed || packet->queued == TIMELINE_UNKNOWN || packet->xmit == TIMELINE_UNKNOWN)
		return to;
	to = fast_column(out, to, timeline_device(printer, packet->device), 7);
	to = fast_text(to, " ");
	to = fast_number(to, packet->len, 5);
	to = fast_text(to, " ");
	to = put_seconds(printer, to, packet->queued, 13);
	to = fast_text(to, " ");
	to = put_msec(printer, to, packet->queued, packet->xmit, 12);
	to = fast_text(to, "msec      ");
	to = put_msec(printer, to, packet->xmit, packet->end, 12);
	return fast_text(to, "msec\n");
}

const struct timeline_layout timeline_classic = {
	.clean = CLEAN_TERMINAL,
	.softirq = put_softirq,
	.packets_heading = "   dev    len      Qdisc               netdevice             free\n",
	.packet = put_packet,
};
