/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text report. Each device begins with the six lines that people know from 2010; what has been
 * added comes below them.
 */
#include "report.h"

#include "clean.h"
#include "units.h"
#include "words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  96
#define INDENT "        "

/* Breaks a text into lines, each behind an indent. */
static void paragraph(FILE *out, const char *indent, const char *text)
{
	size_t column = 0;

	for (;;) {
		size_t word;

		text += strspn(text, " ");
		word = strcspn(text, " ");
		if (!word)
			break;
		if (column && column + 1 + word > WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += (size_t)fprintf(out, "%s%.*s", column ? " " : indent, (int)word, text);
		text += word;
	}
	if (column)
		fputc('\n', out);
}

static void print_name(FILE *out, const char *format, const char *name)
	__attribute__((format(printf, 2, 0)));
static void print_name(FILE *out, const char *format, const char *name)
{
	char *clean = clean_terminal(name);

	fprintf(out, format, clean ? clean : "?");
	free(clean);
}

/* 0.795687msec, as in 2010; cycles where the clock isn't calibrated. */
static void print_time(FILE *out, const char *label, uint64_t cycles, uint64_t hz)
{
	uint64_t ns = hz ? cycles_to_ns(cycles, hz) : 0;

	if (hz)
		fprintf(out, "%s=%" PRIu64 ".%06" PRIu64 "msec", label, ns / 1000000, ns % 1000000);
	else
		fprintf(out, "%s=%" PRIu64 "cycles", label, cycles);
}

static void print_avg(FILE *out, const char *label, double cycles, uint64_t hz)
{
	if (hz)
		fprintf(out, "%s=%.6fmsec", label, units_ns_avg(cycles, hz) / 1e6);
	else
		fprintf(out, "%s=%.1fcycles", label, cycles);
}

/* The head: a copy, byte for byte, of what scripts of many years read. */
static void print_head(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	print_name(out, "%-7s", table->name);
	fprintf(out, " TX packets=%" PRIu64 "\n", table->tx_packets);
	fprintf(out, INDENT "lap time between %s - %s:\n", report->transmit->lap_from,
		table->delivered ? "receive" : "free_skb");
	if (table->lap.count) {
		print_avg(out, INDENT "    avg", table->lap.avg, hz);
		print_time(out, "\n" INDENT "    max", table->lap.max, hz);
		fputc('\n', out);
	} else {
		fputs(INDENT "    avg=-\n" INDENT "    max=-\n", out);
	}
	fputs(INDENT "number of packets in device:\n", out);
	if (table->last_event > table->first_event)
		fprintf(out, INDENT "    avg=%7.2f\n", table->in_device_avg);
	else
		fprintf(out, INDENT "    avg=%7s\n", "-");
	fprintf(out, INDENT "    max=%4" PRIu64 "\n", table->in_device_max);
}

static void print_spread(
	FILE *out, const char *what, const struct spread *spread, uint64_t hz, bool head_has_it)
{
	if (!spread->count)
		return;
	fprintf(out, INDENT "%s:", what);
	print_time(out, " min", spread->min, hz);
	if (!head_has_it)
		print_avg(out, " avg", spread->avg, hz);
	print_time(out, " p50", spread->p50, hz);
	print_time(out, " p99", spread->p99, hz);
	print_time(out, " p99.9", spread->p999, hz);
	if (!head_has_it)
		print_time(out, " max", spread->max, hz);
	fputc('\n', out);
}

static void print_queues(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	for (unsigned i = 0; i < table->queue_count && table->queue_count > 1; i++) {
		const struct transmit_table *queue = &table->queues[i];

		fprintf(out, INDENT "queue %u: TX packets=%" PRIu64, queue->queue,
			queue->tx_packets);
		if (queue->lap.count) {
			print_avg(out, " lap avg", queue->lap.avg, hz);
			print_time(out, " max", queue->lap.max, hz);
		}
		fprintf(out, " in device avg=%.2f max=%" PRIu64 "%s\n", queue->in_device_avg,
			queue->in_device_max, queue->verdict == VERDICT_PACKED ? " packed" : "");
	}
}

/* Seconds as the trace has them. */
static void print_seconds(FILE *out, uint64_t cycles, uint64_t hz)
{
	uint64_t ns = cycles_to_ns(cycles, hz);

	fprintf(out, "%" PRIu64 ".%06" PRIu64 " s", ns / CYCLES_NS_PER_S,
		ns % CYCLES_NS_PER_S / 1000);
}

static void print_stalls(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	for (unsigned i = 0; hz && i < table->stall_count; i++) {
		const struct stall *stall = &table->stalls[i];

		fputs(INDENT "stall: no free from ", out);
		print_seconds(out, stall->start, hz);
		fputs(" to ", out);
		print_seconds(out, stall->end, hz);
		fputs(" (", out);
		print_seconds(out, stall->end - stall->start, hz);
		fprintf(out, "), %" PRIu64 " packets inside; %s\n", stall->packets,
			stall->open ? "it lasts to the end of the trace" : "it ended with a free");
	}
}

static void print_drops(const struct report *report, const struct transmit_table *table, FILE *out)
{
	for (unsigned i = 0; i < table->drop_count; i++) {
		const char *name = names_get(report->names, NAME_REASON, table->drops[i].reason);

		print_name(out, i ? " %s" : INDENT "drops: %s", name ? name : "(unknown)");
		fprintf(out, "=%" PRIu64, table->drops[i].packets);
	}
	if (table->drop_count)
		fputc('\n', out);
}

static void print_oddities(const struct transmit_table *table, FILE *out)
{
	const struct {
		const char *format;
		uint64_t count;
	} rows[] = {
		{ "%" PRIu64 " retries (the driver was busy)", table->retries },
		{ "%" PRIu64 " freed before the driver's xmit function returned",
			table->free_before_xmit_return },
		{ "%" PRIu64 " segments on the wire",
			table->wire_segments == table->tx_packets ? 0 : table->wire_segments },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char line[96];

		if (!rows[i].count)
			continue;
		snprintf(line, sizeof(line), rows[i].format, rows[i].count);
		fprintf(out, INDENT "%s\n", line);
	}
}

/* "17600 started = 17600 freed + 0 …": every packet is accounted for. */
static void print_accounting(const struct transmit_table *table, FILE *out)
{
	const struct {
		const char *what;
		uint64_t count;
	} rows[] = {
		{ "delivered", table->delivered },
		{ "refused", table->refused },
		{ "aborted", table->aborted },
		{ "unresolved", table->unresolved },
		{ "clock anomalies", table->clock_anomalies },
	};

	fprintf(out, INDENT "accounting: %" PRIu64 " started = %" PRIu64 " freed", table->started,
		table->freed);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].count)
			fprintf(out, " + %" PRIu64 " %s", rows[i].count, rows[i].what);
	}
	fprintf(out, " + %" PRIu64 " still in the device\n", table->at_end);
}

static void print_device(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;
	char text[1024];

	print_head(report, table, out);
	print_spread(out, "lap time", &table->lap, hz, true);
	print_spread(out, "waited in the queue before", &table->queue_delay, hz, false);
	print_queues(report, table, out);
	print_oddities(table, out);
	print_drops(report, table, out);
	words_verdict(table, text, sizeof(text));
	paragraph(out, INDENT, text);
	print_stalls(report, table, out);
	print_accounting(table, out);
	words_doubts(table, text, sizeof(text));
	paragraph(out, INDENT, text);
}

static void print_events(const struct report *report, FILE *out)
{
	const struct trace_counts *counts = report->counts;

	fprintf(out,
		"%" PRIu64 " events read, %" PRIu64 " of use here, %" PRIu64 " lost; %" PRIu64
		" lines unparsed; %" PRIu64 " clock anomalies; format %s",
		counts->read, report->transmit->used, counts->lost, counts->unparsed,
		report->transmit->clock_anomalies, report->source->format);
	if (report->source->clock)
		print_name(out, ", clock %s", report->source->clock);
	if (report->source->hz)
		fprintf(out, ", %" PRIu64 " Hz\n", report->source->hz);
	else
		fputs(", not calibrated: times are in cycles (--hz converts)\n", out);
}

void report_text(const struct report *report, FILE *out)
{
	const struct transmit_report *transmit = report->transmit;
	uint64_t started = 0;
	char text[1024];

	words_incomplete(report, text, sizeof(text));
	paragraph(out, "", text);
	for (unsigned i = 0; i < transmit->device_count; i++) {
		print_device(report, &transmit->devices[i], out);
		fputc('\n', out);
		started += transmit->devices[i].started;
	}
	if (!started)
		fputs("Nothing was transmitted in this trace.\n", out);
	if (transmit->device_count > 1)
		fprintf(out,
			"All devices together: TX packets=%" PRIu64
			", each counted once at its lowest device; at most %" PRIu64
			" in devices at one time\n",
			transmit->total_tx_packets, transmit->total_in_device_max);
	print_events(report, out);
}
