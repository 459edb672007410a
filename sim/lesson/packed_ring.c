/* SPDX-License-Identifier: BSD-3-Clause */
/* A transmit ring that is packed, and one that isn't. */
#include "lesson.h"

#include <inttypes.h>
#include <math.h>

static const struct transmit_table *device_of(const struct outcome *outcome)
{
	return outcome_device(outcome);
}

static double capacity(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)outcome->capacity;
}

static double most(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)device_of(outcome)->in_device_max;
}

static double full(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return 100 * (double)device_of(outcome)->full_intervals /
	       (double)device_of(outcome)->intervals;
}

static double per_s(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)device_of(outcome)->tx_packets / outcome_seconds(outcome);
}

static double lap_avg(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return device_of(outcome)->lap.avg / 1e6;
}

static double lap_max(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return (double)device_of(outcome)->lap.max / 1e6;
}

static double blocked(const struct outcome *outcome, unsigned device)
{
	(void)device;
	return 100 * outcome_blocked_share(outcome);
}

static const struct lesson_figure rows[] = {
	{ "packets that the ring can own", "%.0f", capacity },
	{ "most that it owned", "%.0f", most },
	{ "full between clean-ups, % of times", "%.0f", full },
	{ "packets a second", "%.0f", per_s },
	{ "lap time, average (ms)", "%.6f", lap_avg },
	{ "lap time, longest (ms)", "%.6f", lap_max },
	{ "sender asleep for buffer, %", "%.0f", blocked },
	{ 0 },
};

static void tell(const struct lesson_result *results, FILE *out)
{
	const struct scenario *s = results[0].outcome.scenario;
	const struct lesson_column columns[] = { { "ring 256", &results[0].outcome, 0 },
		{ "ring 512", &results[1].outcome, 0 } };

	fputs("The packed ring: what it can own decides the throughput\n"
	      "=======================================================\n\n",
		out);
	paragraph(out,
		"A process sends datagrams of 1 byte as fast as it can. The driver frees what was "
		"sent only in an interrupt, and there are %" PRIu64
		" of those a second. A packet takes two descriptors, and the queue stops when "
		"fewer "
		"than %" PRIu64 " are free.",
		s->driver.throttle_rate, s->driver.reserve);
	fputc('\n', out);
	lesson_table(columns, 2, rows, out);
	lesson_heading(out, "What to look at");
	paragraph(out,
		"The smaller ring is full before each interrupt, and the sender "
		"waits. What it can own times the interrupts is all that can be sent: %.0f x "
		"%" PRIu64 " = %.0f a second, and %.0f came of it. Twice the ring, and the sender "
		"decides: it never fills, and %.0f %% more packets go out.",
		most(&results[0].outcome, 0), s->driver.throttle_rate,
		most(&results[0].outcome, 0) * (double)s->driver.throttle_rate,
		per_s(&results[0].outcome, 0),
		100 * (per_s(&results[1].outcome, 0) / per_s(&results[0].outcome, 0) - 1));
	lesson_heading(out, "What to change next");
	lesson_next(out, "ringside run configs/sanagi-256.yaml --set InterruptThrottleRate=2000",
		"twice the interrupts: the same ring is enough");
	lesson_next(out, "ringside run configs/sanagi-256.yaml --set checksum=false",
		"a descriptor a packet: how many can it own now?");
	lesson_next(out, "ringside run configs/sanagi-256.yaml --set ring_size=384",
		"how large must the ring be?");
}

static const struct lesson_run runs[] = {
	{ "ring 256", "sanagi-256.yaml", { NULL } },
	{ "ring 512", "sanagi-512.yaml", { NULL } },
	{ 0 },
};

const struct lesson lesson_packed_ring = { "packed-ring",
	"a ring that interrupts can't empty in time decides the throughput", runs, tell };
