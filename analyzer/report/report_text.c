/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text report. Each device begins with the six lines that people know from 2010; what has been
 * added comes below them.
 */
#include "report.h"

#include "cycles.h"
#include "print.h"
#include "words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The head: a copy, byte for byte, of what scripts of many years read. */
static void print_head(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	print_name(out, "%-7s", table->name);
	fprintf(out, " TX packets=%" PRIu64 "\n", table->tx_packets);
	fprintf(out, PRINT_INDENT "lap time between %s - %s:\n", report->transmit->lap_from,
		table->delivered ? "receive" : "free_skb");
	if (table->lap.count) {
		print_avg(out, PRINT_INDENT "    avg", table->lap.avg, hz);
		print_time(out, "\n" PRINT_INDENT "    max", table->lap.max, hz);
		fputc('\n', out);
	} else {
		fputs(PRINT_INDENT "    avg=-\n" PRINT_INDENT "    max=-\n", out);
	}
	fputs(PRINT_INDENT "number of packets in device:\n", out);
	if (table->last_event > table->first_event)
		fprintf(out, PRINT_INDENT "    avg=%7.2f\n", table->in_device_avg);
	else
		fprintf(out, PRINT_INDENT "    avg=%7s\n", "-");
	fprintf(out, PRINT_INDENT "    max=%4" PRIu64 "\n", table->in_device_max);
}

static void print_queue(const struct transmit_table *queue, uint64_t hz, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fprintf(to, "queue %u: TX packets=%" PRIu64, queue->queue, queue->tx_packets);
	if (queue->lap.count) {
		print_avg(to, " lap avg", queue->lap.avg, hz);
		print_time(to, " max", queue->lap.max, hz);
	}
	fprintf(to, " in device avg=%.2f max=%" PRIu64 "%s", queue->in_device_avg,
		queue->in_device_max, queue->verdict == VERDICT_PACKED ? " packed" : "");
	print_end_line(&line, PRINT_INDENT, out);
}

static void print_queues(const struct report *report, const struct transmit_table *table, FILE *out)
{
	for (unsigned i = 0; i < table->queue_count && table->queue_count > 1; i++)
		print_queue(&table->queues[i], report->source->hz, out);
}

/* Seconds as the trace has them, in a line. */
static void print_seconds(FILE *out, uint64_t cycles, uint64_t hz)
{
	uint64_t ns = cycles_to_ns(cycles, hz);

	fprintf(out, "%" PRIu64 ".%06" PRIu64 "\ts", ns / CYCLES_NS_PER_S,
		ns % CYCLES_NS_PER_S / 1000);
}

static void print_stall(const struct stall *stall, uint64_t hz, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fputs("stall: no free from ", to);
	print_seconds(to, stall->start, hz);
	fputs(" to ", to);
	print_seconds(to, stall->end, hz);
	fputs(" (", to);
	print_seconds(to, stall->end - stall->start, hz);
	fprintf(to, "), %" PRIu64 " packets inside; %s", stall->packets,
		stall->open ? "it lasts to the end of the trace" : "it ended with a free");
	print_end_line(&line, PRINT_INDENT, out);
}

static void print_stalls(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	for (unsigned i = 0; hz && i < table->stall_count; i++)
		print_stall(&table->stalls[i], hz, out);
}

static void print_drops(const struct report *report, const struct transmit_table *table, FILE *out)
{
	struct print_line line;
	FILE *to;

	if (!table->drop_count)
		return;
	to = print_begin_line(&line, out);
	fputs("drops:", to);
	for (unsigned i = 0; i < table->drop_count; i++) {
		const char *name = names_get(report->names, NAME_REASON, table->drops[i].reason);

		print_name(to, " %s", name ? name : "(unknown)");
		fprintf(to, "=%" PRIu64, table->drops[i].packets);
	}
	print_end_line(&line, PRINT_INDENT, out);
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
		fprintf(out, PRINT_INDENT "%s\n", line);
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

	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fprintf(to, "accounting: %" PRIu64 " started = %" PRIu64 " freed", table->started,
		table->freed);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].count)
			fprintf(to, " + %" PRIu64 " %s", rows[i].count, rows[i].what);
	}
	fprintf(to, " + %" PRIu64 " still in the device", table->at_end);
	print_end_line(&line, PRINT_INDENT, out);
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
	print_paragraph(out, PRINT_INDENT, text);
	print_stalls(report, table, out);
	words_inside(table, hz, text, sizeof(text));
	print_paragraph(out, PRINT_INDENT, text);
	print_accounting(table, out);
	words_doubts(table, text, sizeof(text));
	print_paragraph(out, PRINT_INDENT, text);
}

static void print_end(const struct report *report, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	print_events(to, report->counts, report->transmit->used);
	fprintf(to, "; %" PRIu64 " clock anomalies", report->transmit->clock_anomalies);
	print_source(to, report->source);
	print_end_line(&line, "", out);
}

static void print_total(const struct transmit_report *transmit, FILE *out)
{
	struct print_line line;
	FILE *to = print_begin_line(&line, out);

	fprintf(to,
		"All devices together: TX packets=%" PRIu64
		", each counted once at its lowest device; at most %" PRIu64
		" in devices at one time",
		transmit->total_tx_packets, transmit->total_in_device_max);
	print_end_line(&line, "", out);
}

void report_text(const struct report *report, FILE *out)
{
	const struct transmit_report *transmit = report->transmit;
	uint64_t started = 0;

	print_incomplete(out, report->counts);
	for (unsigned i = 0; i < transmit->device_count; i++) {
		print_device(report, &transmit->devices[i], out);
		fputc('\n', out);
		started += transmit->devices[i].started;
	}
	if (!started)
		fputs("Nothing was transmitted in this trace.\n", out);
	if (transmit->device_count > 1)
		print_total(transmit, out);
	print_end(report, out);
}
