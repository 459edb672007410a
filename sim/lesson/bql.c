/* SPDX-License-Identifier: BSD-3-Clause */
/* How many bytes may stand in the ring: where BQL shortens the lap, and where it can't. */
#include "lesson.h"

#include "outcome.h"
#include <inttypes.h>

enum { WIRE_WITHOUT, WIRE_WITH, SLOW_WITHOUT, SLOW_WITH };

#define SLOW "e1000e-6.1-r256-itr500-1472B-bql.yaml"

static const struct lesson_run runs[] = {
	[WIRE_WITHOUT] = { "without BQL", "bql-wire-bound.yaml", { "bql=off" } },
	[WIRE_WITH] = { "with BQL", "bql-wire-bound.yaml", { "bql=on" } },
	[SLOW_WITHOUT] = { "without BQL", SLOW, { "bql=off" } },
	[SLOW_WITH] = { "with BQL", SLOW, { "bql=on" } },
	{ 0 },
};

static double lap_ms(const struct lesson_result *result)
{
	return outcome_device(&result->outcome)->lap.avg / 1e6;
}

static double per_s(const struct lesson_result *result)
{
	return (double)outcome_device(&result->outcome)->tx_packets /
	       outcome_seconds(&result->outcome);
}

static uint64_t limit(const struct lesson_result *result)
{
	return result->outcome.host.limits.last;
}

/* Of the frames that the lesson sends. */
static double frame_bytes(const struct lesson_result *result)
{
	return (double)result->outcome.host.nic.bytes / (double)result->outcome.host.nic.packets;
}

static void table(const struct lesson_result *results, unsigned count, FILE *out)
{
	fprintf(out, "%-14s%14s%12s%12s%14s%14s%14s\n", "", "packets/s", "in device", "at most",
		"lap avg, ms", "lap max, ms", "limit, bytes");
	for (unsigned i = 0; i < count; i++) {
		const struct transmit_table *device = outcome_device(&results[i].outcome);

		fprintf(out, "%-14s%14.0f%12.2f%12" PRIu64 "%14.3f%14.3f", results[i].run->label,
			per_s(&results[i]), device->in_device_avg, device->in_device_max,
			lap_ms(&results[i]), (double)device->lap.max / 1e6);
		if (outcome_has_bql(&results[i].outcome))
			fprintf(out, "%14" PRIu64 "\n", limit(&results[i]));
		else
			fprintf(out, "%14s\n", "-");
	}
	fputc('\n', out);
}

/* How it was found, a change a line. */
static void way(const struct lesson_result *result, FILE *out)
{
	const struct host_changes *limits = &result->outcome.host.limits;

	for (uint64_t i = 0; i < limits->count && i < HOST_CHANGES_MOST; i++)
		fprintf(out, "  %10.6f s %10" PRIu64 " bytes %6.0f packets\n",
			(double)limits->first[i].at / 1e9, limits->first[i].value,
			(double)limits->first[i].value / frame_bytes(result));
	fputc('\n', out);
}

static void tell_wire(const struct lesson_result *results, FILE *out)
{
	const struct lesson_result *with = &results[WIRE_WITH], *without = &results[WIRE_WITHOUT];
	double frame_us = 1e6 / per_s(with);
	double gap_us =
		outcome_seconds(&with->outcome) * 1e6 / (double)with->outcome.host.nic.interrupts;

	lesson_heading(out, "1. A busy wire");
	fprintf(out, "configs/%s: full frames at 1 Gbit/s, at most 20000 interrupts a second\n\n",
		with->run->config);
	table(without, 2, out);
	paragraph(out,
		"A frame takes the wire %.1f us, and clean-ups are %.1f us apart: %.1f frames "
		"leave "
		"between two. Without BQL the ring fills up nevertheless, with %" PRIu64
		" packets, and each waits for all that stand before it: %.2f ms, whatever it is. "
		"With BQL %.1f stand there, and the lap is %.1f times shorter. The wire is as busy "
		"as before: %.0f packets a second instead of %.0f.",
		frame_us, gap_us, gap_us / frame_us,
		outcome_device(&without->outcome)->in_device_max, lap_ms(without),
		outcome_device(&with->outcome)->in_device_avg, lap_ms(without) / lap_ms(with),
		per_s(with), per_s(without));
	fputc('\n', out);
	paragraph(out,
		"The limit ended at %" PRIu64
		" bytes, %.0f frames: what two intervals send, since a clean-up tells only "
		"what was sent before it, and what is queued then has to last until the next:",
		limit(with), (double)limit(with) / frame_bytes(with));
	fputc('\n', out);
	way(with, out);
}

static void tell_slow(const struct lesson_result *results, FILE *out)
{
	const struct lesson_result *with = &results[SLOW_WITH], *without = &results[SLOW_WITHOUT];
	const struct host_changes *limits = &with->outcome.host.limits;
	uint64_t ring = outcome_device(&with->outcome)->in_device_max;
	uint64_t last = limits->count < HOST_CHANGES_MOST ? limits->count : HOST_CHANGES_MOST;

	lesson_heading(out, "2. Slow interrupts");
	fprintf(out, "configs/%s: as a real driver was traced, 500 interrupts a second\n\n",
		with->run->config);
	table(without, 2, out);
	paragraph(out,
		"Here nothing comes back for 2 ms, and then everything at once. Had the queue been "
		"stopped meanwhile, the device would have run dry, so the limit grows: each "
		"interval sends it and one packet more, finds all of that completed, and adds it:");
	fputc('\n', out);
	way(with, out);
	paragraph(out,
		"With %.0f packets it covers the %" PRIu64
		" that the ring takes. From there on the ring stops the queue, BQL stops it no "
		"more "
		"(it did %" PRIu64
		" times), and the lap is that of a ring that fills: %.2f ms, and %.2f ms "
		"without BQL. The real trace has the same %" PRIu64
		" packets and %.2f ms. The rate is lower only for the %.0f ms in which the limit "
		"grew; the whole run is %.0f ms.",
		(double)limit(with) / frame_bytes(with), ring, with->outcome.host.limit_stops,
		lap_ms(with), lap_ms(without), ring, with->scenario.published.lap_avg_ms,
		last ? (double)limits->first[last - 1].at / 1e6 : 0,
		outcome_seconds(&with->outcome) * 1e3);
}

static void tell(const struct lesson_result *results, FILE *out)
{
	fputs("BQL: how many bytes may stand in the ring\n"
	      "=========================================\n\n",
		out);
	paragraph(out,
		"What stands in a transmit ring is sent in its order, however urgent the next "
		"packet may be. Byte queue limits (Linux 3.3) let in no more than the device needs "
		"to be busy until the next clean-up; the rest waits in the queueing discipline, "
		"which can still choose. Nobody sets the limit. It grows when the device has run "
		"dry though the queue was held back, and shrinks when for a second there was more "
		"than needed.");
	tell_wire(results, out);
	tell_slow(results, out);
	lesson_heading(out, "What to look at");
	paragraph(out,
		"The lap, beside the rate. BQL takes from the ring what only waits there, as long "
		"as clean-ups keep up with the wire. A packet that has been sent but not cleaned "
		"counts as if it stood in the device, so where interrupts are slow the limit must "
		"cover an interval's packets, sent or not, and the lap is the interval. That is a "
		"matter of InterruptThrottleRate, which no limit of bytes can mend.");
	lesson_heading(out, "What to change next");
	lesson_next(out,
		"ringside run configs/bql-wire-bound.yaml --set InterruptThrottleRate=2000",
		"the same wire, clean-ups ten times rarer: how far does the limit grow?");
	lesson_next(out, "ringside run configs/bql-wire-bound.yaml --set bql_limit_max=3000",
		"two frames for an interval of four: the lap is shorter still, and the wire idles");
	lesson_next(out, "ringside run configs/bql-wire-bound.yaml --set line_rate_mbps=100",
		"a slow wire, where a ring without BQL (bql=off) holds the longest queue");
	lesson_next(out, "ringside run configs/" SLOW " \\\n      --set bql_limit_max=20000",
		"a bound below an interval's packets: what decides the rate now?");
}

const struct lesson lesson_bql = {
	.name = "bql",
	.about = "how many bytes may stand in the ring: where BQL shortens the lap",
	.runs = runs,
	.tell = tell,
};
