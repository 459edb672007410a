/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people and programs read: the text report, whose head is the one known from 2010, and the
 * JSON object `ringside.report/1`. Both come from the same transmit_report.
 */
#ifndef ANALYZER_REPORT_REPORT_H
#define ANALYZER_REPORT_REPORT_H

#include "reader.h"
#include "transmit.h"
#include <jansson.h>
#include <stdio.h>

/* Where the events of a report come from. */
struct report_input {
	const struct trace_source *source;
	const struct trace_counts *counts;
	const struct names *names;
};

/* One report: where it comes from and what was measured. */
struct report {
	const struct trace_source *source;
	const struct trace_counts *counts;
	const struct transmit_report *transmit;
	const struct names *names;
};

/* False if events were lost or the input was cut: exit status 3. */
bool report_complete(const struct report *report);

/* A new reference to the object; NULL if there is no memory. Times are in ns where hz is known. */
json_t *report_json(const struct report *report);

/* Writes the text. Write errors are the stream's (ferror). */
void report_text(const struct report *report, FILE *out);

/*
 * A new integer, or NULL if there is no memory. JSON's integers have no limit but jansson's are
 * signed: of 2^63 and more this makes something that only the two functions below write right.
 */
json_t *report_number(uint64_t value);

/*
 * Write any of our JSON objects, one format for all programs: indented, or in one line, both with a
 * newline. 0, -ENOMEM or -EIO.
 */
int report_write_json(const json_t *object, FILE *out);
int report_write_line(const json_t *object, FILE *out);

#endif
