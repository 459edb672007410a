/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"

#include "cycles.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const char *words_verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_UNKNOWN] = "unknown",
		[VERDICT_NOT_PACKED] = "not packed",
		[VERDICT_PACKED] = "packed",
	};

	return names[verdict];
}

/* Adds to a text that is cut at its size. */
static void add(char *text, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add(char *text, size_t bytes, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, bytes - used, format, args);
	va_end(args);
}

/* The ring was full: in most intervals between clean-ups, or only now and then? */
static void say_packed(const struct transmit_table *table, char *text, size_t bytes)
{
	bool mostly = 2 * table->full_intervals > table->intervals;

	add(text, bytes, "%s: ", mostly ? "packed" : "full, but not packed for long");
	if (table->intervals)
		add(text, bytes, "in %" PRIu64 " of %" PRIu64 " intervals between clean-ups ",
			table->full_intervals, table->intervals);
	if (table->capacity)
		add(text, bytes, "the device owned all that its ring can, %" PRIu32 " packets",
			table->capacity);
	else
		add(text, bytes,
			"the device owned the same maximum of %" PRIu64
			", which looks like all that its ring can",
			table->in_device_max);
	add(text, bytes, ", for %.1f %% of the time. ", 100 * table->full_time_share);
	if (mostly)
		add(text, bytes,
			"The ring decides what gets through: a larger one, or clean-ups at shorter "
			"intervals, would help, unless wire or CPU are at their limit too.");
	else if (table->stall_count)
		add(text, bytes, "It filled up because the device let nothing go: see the stall.");
	else
		add(text, bytes, "Mostly it isn't the ring that limits the sender.");
}

void words_verdict(const struct transmit_table *table, char *text, size_t bytes)
{
	text[0] = '\0';
	switch (table->verdict) {
	case VERDICT_PACKED:
		say_packed(table, text, bytes);
		break;
	case VERDICT_NOT_PACKED:
		add(text, bytes,
			"not packed: at most %" PRIu64 " packets of the %" PRIu32
			" that the ring can own. What limits the sender isn't the ring.",
			table->in_device_max, table->capacity);
		break;
	case VERDICT_UNKNOWN:
		if (table->delivered) {
			add(text, bytes, "no ring: packets go straight to the receiving side.");
			break;
		}
		add(text, bytes,
			"unknown whether the ring packs: it isn't known what the ring can own "
			"(--ring and --profile, or --capacity, tell), and the maximum of %" PRIu64
			" isn't reached again in most intervals between clean-ups.",
			table->in_device_max);
		break;
	}
}

void words_inside(const struct transmit_table *table, uint64_t hz, char *text, size_t bytes)
{
	bool one = table->at_end == 1;

	text[0] = '\0';
	if (!table->overdue)
		return;
	add(text, bytes, "%" PRIu64 " packet%s still inside, %s", table->at_end,
		one ? " is" : "s are", one ? "for " : "the oldest for ");
	if (hz)
		add(text, bytes, "%.6f\ts",
			(double)cycles_to_ns(table->oldest, hz) / (double)CYCLES_NS_PER_S);
	else
		add(text, bytes, "%" PRIu64 " cycles", table->oldest);
	add(text, bytes, ", longer than any lap: %s",
		table->overtaken ? "as younger ones have left, its free may be missing"
				 : "the transmitter may have died");
}

void words_doubts(const struct transmit_table *table, char *text, size_t bytes)
{
	text[0] = '\0';
	if (table->unreliable)
		add(text, bytes,
			"UNRELIABLE: %" PRIu64 " of %" PRIu64
			" packets closed as unresolved, more than 1 %%. Their frees are missing, "
			"so the"
			" numbers in the device and the stalls can't be trusted. ",
			table->unresolved, table->started);
	if (table->above_capacity)
		add(text, bytes,
			"The maximum of %" PRIu64 " is more than the ring can own (%" PRIu32
			"): frees lag behind the driver's clean-up of descriptors, as where they "
			"are"
			" left to the NET_TX softirq, so part of these packets had left the ring; "
			"or the "
			"ring, profile or descriptors a packet that were given aren't this "
			"trace's. ",
			table->in_device_max, table->capacity);
}

void words_incomplete(const struct trace_counts *counts, char *text, size_t bytes)
{
	text[0] = '\0';
	if (trace_counts_complete(counts))
		return;
	add(text, bytes, "PARTIAL: ");
	if (counts->lost || counts->lost_unknown)
		add(text, bytes,
			"%s%" PRIu64
			" events were lost by the recorder; nothing pairs across the gap. ",
			counts->lost_unknown ? "at least " : "", counts->lost);
	if (counts->truncated)
		add(text, bytes, "the input is cut. ");
	if (counts->trouble[0])
		add(text, bytes, "(%s)", counts->trouble);
}
