/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the text reports are made of: lines that are broken where they are too long, names of which
 * a terminal must not see every byte, times, and the parts that all reports have.
 *
 * A tab in a text is a blank at which no line is broken.
 */
#ifndef ANALYZER_REPORT_PRINT_H
#define ANALYZER_REPORT_PRINT_H

#include "reader.h"
#include "transmit.h"
#include <stdio.h>

#define PRINT_INDENT "        "

/* A paragraph behind an indent. */
void print_paragraph(FILE *out, const char *indent, const char *text);

/* A line of items, which is put together first and then broken where it is too long. */
struct print_line {
	char *text;
	size_t bytes;
	FILE *stream;
};

/* Where to print the line: without memory at its place, so that it is as long as it is. */
FILE *print_begin_line(struct print_line *line, FILE *out);
void print_end_line(struct print_line *line, const char *indent, FILE *out);

/* `format` has one %s. */
void print_name(FILE *out, const char *format, const char *name)
	__attribute__((format(printf, 2, 0)));

/* 0.795687msec, as in 2010; cycles where the clock isn't calibrated (hz is 0). */
void print_time(FILE *out, const char *label, uint64_t cycles, uint64_t hz);
void print_avg(FILE *out, const char *label, double cycles, uint64_t hz);

/* "1 poll", "2 polls": what stands behind the word. */
static inline const char *print_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* A line with a distribution, or nothing if it is empty; without what the head has told of it. */
void print_spread(
	FILE *out, const char *what, const struct spread *spread, uint64_t hz, bool head_has_it);

/* The first paragraph of a report whose input isn't whole. */
void print_incomplete(FILE *out, const struct trace_counts *counts);

/* The two parts of the last line: "72235 events read, 70400 of use here, 0 lost; …", "; format …".
 */
void print_events(FILE *line, const struct trace_counts *counts, uint64_t used);
void print_source(FILE *line, const struct trace_source *source);

#endif
