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

#define WIDTH  100
#define INDENT "        "

/* A word. A tab is a blank at which no line is broken. */
static size_t print_word(FILE *out, const char *word, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		fputc(word[i] == '\t' ? ' ' : word[i], out);
	return bytes;
}

/* Breaks a text into lines, each behind an indent, of which the first goes `hang` less far. */
static void print_wrapped(FILE *out, const char *indent, int hang, const char *text)
{
	size_t column = 0;
	bool first = true;

	for (;;) {
		size_t word;

		text += strspn(text, " ");
		word = strcspn(text, " ");
		if (!word)
			break;
		if (column && column + 1 + word > WIDTH) {
			fputc('\n', out);
			column = 0;
			first = false;
		}
		if (!column)
			column = (size_t)fprintf(out, "%s%*s", indent, first ? 0 : hang, "");
		else
			column += (size_t)fprintf(out, " ");
		column += print_word(out, text, word);
		text += word;
	}
	if (column)
		fputc('\n', out);
}

static void paragraph(FILE *out, const char *indent, const char *text)
{
	print_wrapped(out, indent, 0, text);
}

/* A line of items, which is put together first and then broken where it is too long. */
struct line {
	char *text;
	size_t bytes;
	FILE *stream;
};

/* Where to print the line: without memory at its place, so that it is as long as it is. */
static FILE *begin_line(struct line *line, FILE *out)
{
	*line = (struct line){ 0 };
	line->stream = open_memstream(&line->text, &line->bytes);
	return line->stream ? line->stream : out;
}

static void end_line(struct line *line, const char *indent, FILE *out)
{
	if (!line->stream)
		fputc('\n', out);
	else if (!fclose(line->stream))
		print_wrapped(out, indent, 4, line->text);
	free(line->text);
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
	struct line line;
	FILE *to;

	if (!spread->count)
		return;
	to = begin_line(&line, out);
	fprintf(to, "%s:", what);
	print_time(to, " min", spread->min, hz);
	if (!head_has_it)
		print_avg(to, " avg", spread->avg, hz);
	print_time(to, " p50", spread->p50, hz);
	print_time(to, " p99", spread->p99, hz);
	print_time(to, " p99.9", spread->p999, hz);
	if (!head_has_it)
		print_time(to, " max", spread->max, hz);
	end_line(&line, INDENT, out);
}

static void print_queue(const struct transmit_table *queue, uint64_t hz, FILE *out)
{
	struct line line;
	FILE *to = begin_line(&line, out);

	fprintf(to, "queue %u: TX packets=%" PRIu64, queue->queue, queue->tx_packets);
	if (queue->lap.count) {
		print_avg(to, " lap avg", queue->lap.avg, hz);
		print_time(to, " max", queue->lap.max, hz);
	}
	fprintf(to, " in device avg=%.2f max=%" PRIu64 "%s", queue->in_device_avg,
		queue->in_device_max, queue->verdict == VERDICT_PACKED ? " packed" : "");
	end_line(&line, INDENT, out);
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
	struct line line;
	FILE *to = begin_line(&line, out);

	fputs("stall: no free from ", to);
	print_seconds(to, stall->start, hz);
	fputs(" to ", to);
	print_seconds(to, stall->end, hz);
	fputs(" (", to);
	print_seconds(to, stall->end - stall->start, hz);
	fprintf(to, "), %" PRIu64 " packets inside; %s", stall->packets,
		stall->open ? "it lasts to the end of the trace" : "it ended with a free");
	end_line(&line, INDENT, out);
}

static void print_stalls(const struct report *report, const struct transmit_table *table, FILE *out)
{
	uint64_t hz = report->source->hz;

	for (unsigned i = 0; hz && i < table->stall_count; i++)
		print_stall(&table->stalls[i], hz, out);
}

static void print_drops(const struct report *report, const struct transmit_table *table, FILE *out)
{
	struct line line;
	FILE *to;

	if (!table->drop_count)
		return;
	to = begin_line(&line, out);
	fputs("drops:", to);
	for (unsigned i = 0; i < table->drop_count; i++) {
		const char *name = names_get(report->names, NAME_REASON, table->drops[i].reason);

		print_name(to, " %s", name ? name : "(unknown)");
		fprintf(to, "=%" PRIu64, table->drops[i].packets);
	}
	end_line(&line, INDENT, out);
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

	struct line line;
	FILE *to = begin_line(&line, out);

	fprintf(to, "accounting: %" PRIu64 " started = %" PRIu64 " freed", table->started,
		table->freed);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].count)
			fprintf(to, " + %" PRIu64 " %s", rows[i].count, rows[i].what);
	}
	fprintf(to, " + %" PRIu64 " still in the device", table->at_end);
	end_line(&line, INDENT, out);
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
	words_inside(table, hz, text, sizeof(text));
	paragraph(out, INDENT, text);
	print_accounting(table, out);
	words_doubts(table, text, sizeof(text));
	paragraph(out, INDENT, text);
}

static void print_events(const struct report *report, FILE *out)
{
	const struct trace_counts *counts = report->counts;
	uint64_t hz = report->source->hz;
	struct line line;
	FILE *to = begin_line(&line, out);

	fprintf(to,
		"%" PRIu64 " events read, %" PRIu64 " of use here, %" PRIu64 " lost; %" PRIu64
		" lines unparsed; %" PRIu64 " clock anomalies; format\t%s",
		counts->read, report->transmit->used, counts->lost, counts->unparsed,
		report->transmit->clock_anomalies, report->source->format);
	if (report->source->clock)
		print_name(to, ", clock %s", report->source->clock);
	if (!hz)
		fputs(", not calibrated: times are in cycles (--hz converts)", to);
	else if (hz != CYCLES_NS_PER_S) /* a cycle of those is a nanosecond */
		fprintf(to, ", %" PRIu64 "\tHz", hz);
	end_line(&line, "", out);
}

static void print_total(const struct transmit_report *transmit, FILE *out)
{
	struct line line;
	FILE *to = begin_line(&line, out);

	fprintf(to,
		"All devices together: TX packets=%" PRIu64
		", each counted once at its lowest device; at most %" PRIu64
		" in devices at one time",
		transmit->total_tx_packets, transmit->total_in_device_max);
	end_line(&line, "", out);
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
		print_total(transmit, out);
	print_events(report, out);
}
