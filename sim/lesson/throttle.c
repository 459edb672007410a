/* SPDX-License-Identifier: BSD-3-Clause */
/* What interrupt throttling costs and saves, and how its dynamic modes choose. */
#include "lesson.h"

#include "outcome.h"
#include <inttypes.h>

enum { FAST, SLOW, MODE_3, MODE_1, GIGABIT };

#define CONFIG "throttle-mode-3.yaml"

static const struct lesson_run runs[] = {
	[FAST] = { "20000", CONFIG, { "InterruptThrottleRate=20000" } },
	[SLOW] = { "4000", CONFIG, { "InterruptThrottleRate=4000" } },
	[MODE_3] = { "3 (dynamic)", CONFIG, { "InterruptThrottleRate=3" } },
	[MODE_1] = { "1 (dynamic)", CONFIG, { "InterruptThrottleRate=1" } },
	[GIGABIT] = { "3, 1 Gbit/s", CONFIG, { "InterruptThrottleRate=3", "line_rate_mbps=1000" } },
	{ 0 },
};

static double lap_us(const struct lesson_result *result)
{
	return outcome_device(&result->outcome)->lap.avg / 1e3;
}

static uint64_t interrupts(const struct lesson_result *result)
{
	return result->outcome.host.nic.interrupts;
}

/* CPU time that interrupts and clean-up take, as a share of all. */
static double overhead(const struct lesson_result *result)
{
	const uint64_t *busy = result->outcome.host.cpus[0].busy;

	return (double)(busy[HOST_SOFTIRQ] + busy[HOST_HARDIRQ]) / (double)result->outcome.host.end;
}

static void table(const struct lesson_result *results, FILE *out)
{
	fprintf(out, "%-16s%14s%16s%14s%14s%12s\n", "rate or mode", "interrupts", "irq+softirq, %",
		"lap avg, us", "lap max, us", "in device");
	for (unsigned i = FAST; i <= MODE_1; i++) {
		const struct transmit_table *device = outcome_device(&results[i].outcome);

		fprintf(out, "%-16s%14" PRIu64 "%16.2f%14.1f%14.1f%12" PRIu64 "\n",
			results[i].run->label, interrupts(&results[i]), 100 * overhead(&results[i]),
			lap_us(&results[i]), (double)device->lap.max / 1e3, device->in_device_max);
	}
	fputc('\n', out);
}

/* A change a line, with a bar: a column is 2000 interrupts a second. */
static void way(const struct lesson_result *result, FILE *out)
{
	enum { COLUMN = 2000 };
	const struct host_changes *rates = &result->outcome.host.rates;

	for (uint64_t i = 0; i < rates->count && i < HOST_CHANGES_MOST; i++) {
		fprintf(out, "  %10.6f s %8" PRIu64 " ", (double)rates->first[i].at / 1e9,
			rates->first[i].value);
		for (uint64_t j = 0; j < rates->first[i].value / COLUMN; j++)
			fputc('#', out);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void tell_price(const struct lesson_result *results, FILE *out)
{
	lesson_heading(out, "1. What a rate costs");
	fprintf(out,
		"configs/%s: 3000 full frames as fast as they can be made, then one\n"
		"small one each millisecond\n\n",
		CONFIG);
	table(results, out);
	paragraph(out,
		"4000 a second make %" PRIu64 " interrupts where 20000 make %" PRIu64
		", and spare %.0f %% of the time in interrupts and softirqs; but the lap is %.1f "
		"times as long: a packet is free when an interrupt has told so, however soon it "
		"was "
		"sent. The single packets lose nothing with either: the first interrupt after a "
		"quiet time comes at once.",
		interrupts(&results[SLOW]), interrupts(&results[FAST]),
		100 * (1 - overhead(&results[SLOW]) / overhead(&results[FAST])),
		lap_us(&results[SLOW]) / lap_us(&results[FAST]));
}

static void tell_modes(const struct lesson_result *results, FILE *out)
{
	lesson_heading(out, "2. A rate that follows the load");
	paragraph(out,
		"Modes 1 and 3 look at each interval between two interrupts: its packets and its "
		"bytes. More than 10000 bytes in packets of more than 1200 are bulk, which gets "
		"4000 interrupts a second; less than 6000 bytes are not, and get 20000. Downwards "
		"the rate goes at once, upwards by a quarter of its aim an interval. Mode 3:");
	fputc('\n', out);
	way(&results[MODE_3], out);
	paragraph(out,
		"The load changes at 30 ms, and each step after that is one packet's interrupt. "
		"Mode 1 also has a class of 70000, for 2 packets and less than 512 bytes, and for "
		"what it finds at the start:");
	fputc('\n', out);
	way(&results[MODE_1], out);
	paragraph(out,
		"On a wire of 1 Gbit/s the same load set the rate %" PRIu64 " time%s, to %" PRIu64
		": four full frames are all that fit into the 50 us between two interrupts, 6056 "
		"bytes, which is no bulk. There it takes packets of more than 2000 bytes, as "
		"segmentation offload makes them. %" PRIu64
		" interrupts were made instead of %" PRIu64 ".",
		results[GIGABIT].outcome.host.rates.count,
		results[GIGABIT].outcome.host.rates.count == 1 ? "" : "s",
		results[GIGABIT].outcome.host.rates.last, interrupts(&results[GIGABIT]),
		interrupts(&results[MODE_3]));
}

static void tell(const struct lesson_result *results, FILE *out)
{
	fputs("Interrupt throttling: how often, and who decides\n"
	      "================================================\n\n",
		out);
	paragraph(out,
		"InterruptThrottleRate keeps interrupts apart: 100 to 100000 is a rate that stays; "
		"1 and 3 let the driver choose by the load, 4 by what goes in and out in two "
		"seconds. Each interrupt costs CPU time; each that is spared lets packets stand in "
		"the ring that were sent long ago.");
	tell_price(results, out);
	tell_modes(results, out);
	lesson_heading(out, "What to look at");
	paragraph(out,
		"Interrupts against the lap. A dynamic mode is worth its rules only where the load "
		"crosses their bounds. Here mode 3 made %" PRIu64
		" interrupts, a fixed 4000 %" PRIu64
		": what the mode adds is the way back, for a load that would rather not wait.",
		interrupts(&results[MODE_3]), interrupts(&results[SLOW]));
	lesson_heading(out, "What to change next");
	lesson_next(out, "ringside run configs/" CONFIG " --set message_bytes=100",
		"bytes, not packets, make bulk: which rate do small frames get?");
	lesson_next(out,
		"ringside run configs/" CONFIG " \\"
		"\n      --set InterruptThrottleRate=4 --set duration_s=2.1",
		"mode 4: 4 a second until its first look at 2 s, then 8000 for a one-way load");
	lesson_next(out, "ringside run configs/" CONFIG " --set send=3000",
		"36 packets in an interval of bulk are too many: the rate swings");
	lesson_next(out, "ringside run configs/" CONFIG " --set bql=on",
		"BQL looks for its limit while the throttle looks for its rate");
}

const struct lesson lesson_throttle = {
	.name = "throttle",
	.about = "what interrupt throttling costs, and how its dynamic modes choose a rate",
	.runs = runs,
	.tell = tell,
};
