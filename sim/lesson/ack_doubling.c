/* SPDX-License-Identifier: BSD-3-Clause */
/* What one received packet costs, with and without an ACK; and what GRO makes of it. */
#include "lesson.h"

#include <inttypes.h>
#include <math.h>

#define TICK_HZ 12e6 /* the clock of the log of 2005 */

static double segments(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)outcome->host.receivers[0].received;
}

static double acks(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)outcome->host.receivers[0].acks;
}

static double segments_an_ack(const struct outcome *outcome, unsigned device)
{
	return segments(outcome, device) / acks(outcome, device);
}

static double cpu_share(const struct outcome *outcome, unsigned device)
{
	const uint64_t *busy = outcome->host.cpus[0].busy;

	(void)device;
	return 100 * (double)(busy[HOST_SOFTIRQ] + busy[HOST_HARDIRQ]) / (double)outcome->host.end;
}

static double ns_a_segment(const struct outcome *outcome, unsigned device)
{
	return (double)outcome->host.napi[0].time / segments(outcome, device);
}

static const struct lesson_figure rows[] = {
	{ "segments", "%.0f", segments },
	{ "ACKs", "%.0f", acks },
	{ "segments an ACK", "%.2f", segments_an_ack },
	{ "polls, ns a segment", "%.0f", ns_a_segment },
	{ "CPU busy, %", "%.1f", cpu_share },
	{ 0 },
};

/* The newest costs in ticks, as the log has them: rows of 16, a star where an ACK was sent. */
static void print_log(const struct rxcost_table *costs, FILE *out)
{
	enum { ROWS = 4, ROW = 16 };
	unsigned first = costs->newest_count > ROWS * ROW ? costs->newest_count - ROWS * ROW : 0;

	for (unsigned i = first; i < costs->newest_count; i++) {
		const struct rxcost_sample *sample = &costs->newest[i];
		double ticks = (double)sample->cost / (double)CLOCK_VIRTUAL_HZ * TICK_HZ;

		fprintf(out, "%s%3.0f%s%s", (i - first) % ROW ? " " : "[ ", ticks,
			sample->sent_ack ? "*" : " ", (i - first) % ROW == ROW - 1 ? "]\n" : "");
	}
}

static void tell(const struct lesson_result *results, FILE *out)
{
	const struct rxcost_table *costs = &results[0].outcome.rxcost_report->all;
	const struct lesson_column columns[] = { { "without GRO", &results[0].outcome, 0 },
		{ "with GRO", &results[1].outcome, 0 } };

	fputs("ACKs: every second packet costs 1.7 times as much\n"
	      "=================================================\n\n",
		out);
	paragraph(out,
		"A TCP stream comes in, and around each packet's way up the stack somebody reads a "
		"clock of 12 MHz. The newest costs, in ticks; a star is a packet that sent an "
		"ACK:");
	fputc('\n', out);
	print_log(costs, out);
	fputc('\n', out);
	paragraph(out,
		"%" PRIu64 " packets without an ACK have a median of %.1f ticks (%" PRIu64
		" ns), %" PRIu64 " with one %.1f (%" PRIu64 " ns): %.2f times as much, and %.0f %% "
		"of the time for half of the packets. The log of 2005 has 37 and 63.",
		costs->without_ack.count, (double)costs->without_ack.median * TICK_HZ / 1e9,
		costs->without_ack.median, costs->with_ack.count,
		(double)costs->with_ack.median * TICK_HZ / 1e9, costs->with_ack.median,
		(double)costs->with_ack.median / (double)costs->without_ack.median,
		100 * costs->with_ack.time_share);
	fputc('\n', out);
	lesson_table(columns, 2, rows, out);
	lesson_heading(out, "What to look at");
	paragraph(out,
		"The costs alternate, because a receiver acknowledges every "
		"second "
		"segment, from inside the receive path: its ACK goes through queue, driver and "
		"ring "
		"before the next packet's turn. A count of packets doesn't see that. GRO merges "
		"segments that are in the ring together before the stack sees them: one way up "
		"for several, and one ACK for %.0f.",
		segments_an_ack(&results[1].outcome, 0));
	lesson_heading(out, "What to change next");
	lesson_next(out, "ringside run configs/miller-tg3.yaml --set quick_acks=1000",
		"an ACK for each of the first segments");
	lesson_next(out, "ringside run configs/miller-tg3.yaml --set interval_us=1000",
		"a poll, and an interrupt, for each");
	lesson_next(out, "ringside lesson napi-weight", "what dear packets do to a neighbour");
}

static const struct lesson_run runs[] = {
	{ "without GRO", "miller-tg3.yaml", { NULL } },
	{ "with GRO", "miller-tg3.yaml", { "gro=true" } },
	{ 0 },
};

const struct lesson lesson_ack_doubling = { "ack-doubling",
	"every second segment sends an ACK and costs 1.7 times as much", runs, tell };
