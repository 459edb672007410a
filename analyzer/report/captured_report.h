/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture's report, as text for people and as JSON: of the same schema as the report of a trace
 * (report.h), with `capture` in the place of devices and events.
 */
#ifndef ANALYZER_REPORT_CAPTURED_REPORT_H
#define ANALYZER_REPORT_CAPTURED_REPORT_H

#include "captured.h"
#include "reader.h"
#include <jansson.h>
#include <stdio.h>

struct capture_report {
	const struct trace_source *source;
	const struct trace_counts *counts;
	const struct captured_report *captured;
	const char *link; /* name of the link type */
};

/* A new reference to the object; NULL if there is no memory. */
json_t *captured_report_json(const struct capture_report *report);

/* Writes the text. Write errors are the stream's (ferror). */
void captured_report_text(const struct capture_report *report, FILE *out);

#endif
