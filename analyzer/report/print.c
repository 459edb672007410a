/* SPDX-License-Identifier: BSD-3-Clause */
#include "print.h"

#include "clean.h"
#include "units.h"
#include "words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 100

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

void print_paragraph(FILE *out, const char *indent, const char *text)
{
	print_wrapped(out, indent, 0, text);
}

FILE *print_begin_line(struct print_line *line, FILE *out)
{
	*line = (struct print_line){ 0 };
	line->stream = open_memstream(&line->text, &line->bytes);
	return line->stream ? line->stream : out;
}

void print_end_line(struct print_line *line, const char *indent, FILE *out)
{
	if (!line->stream)
		fputc('\n', out);
	else if (!fclose(line->stream))
		print_wrapped(out, indent, 4, line->text);
	free(line->text);
}

void print_name(FILE *out, const char *format, const char *name)
{
	char *clean = clean_terminal(name);

	fprintf(out, format, clean ? clean : "?");
	free(clean);
}

void print_time(FILE *out, const char *label, uint64_t cycles, uint64_t hz)
{
	uint64_t ns = hz ? cycles_to_ns(cycles, hz) : 0;

	if (hz)
		fprintf(out, "%s=%" PRIu64 ".%06" PRIu64 "msec", label, ns / 1000000, ns % 1000000);
	else
		fprintf(out, "%s=%" PRIu64 "cycles", label, cycles);
}

void print_avg(FILE *out, const char *label, double cycles, uint64_t hz)
{
	if (hz)
		fprintf(out, "%s=%.6fmsec", label, units_ns_avg(cycles, hz) / 1e6);
	else
		fprintf(out, "%s=%.1fcycles", label, cycles);
}

void print_spread(
	FILE *out, const char *what, const struct spread *spread, uint64_t hz, bool head_has_it)
{
	struct print_line line;
	FILE *to;

	if (!spread->count)
		return;
	to = print_begin_line(&line, out);
	fprintf(to, "%s:", what);
	print_time(to, " min", spread->min, hz);
	if (!head_has_it)
		print_avg(to, " avg", spread->avg, hz);
	print_time(to, " p50", spread->p50, hz);
	print_time(to, " p99", spread->p99, hz);
	print_time(to, " p99.9", spread->p999, hz);
	if (!head_has_it)
		print_time(to, " max", spread->max, hz);
	print_end_line(&line, PRINT_INDENT, out);
}

void print_incomplete(FILE *out, const struct trace_counts *counts)
{
	char text[1024];

	words_incomplete(counts, text, sizeof(text));
	print_paragraph(out, "", text);
}

void print_events(FILE *line, const struct trace_counts *counts, uint64_t used)
{
	fprintf(line,
		"%" PRIu64 " events read, %" PRIu64 " of use here, %" PRIu64 " lost; %" PRIu64
		" lines unparsed",
		counts->read, used, counts->lost, counts->unparsed);
}

void print_source(FILE *line, const struct trace_source *source)
{
	fprintf(line, "; format\t%s", source->format);
	if (source->clock)
		print_name(line, ", clock %s", source->clock);
	if (!source->hz)
		fputs(", not calibrated: times are in cycles (--hz converts)", line);
	else if (source->hz != CYCLES_NS_PER_S) /* a cycle of those is a nanosecond */
		fprintf(line, ", %" PRIu64 "\tHz", source->hz);
	if (source->kernel)
		print_name(line, ", Linux\t%s", source->kernel);
}
