/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures that two traces are compared by: one table for the text and the JSON.
 */
#ifndef ANALYZER_REPORT_DIFF_FIGURES_H
#define ANALYZER_REPORT_DIFF_FIGURES_H

#include "report.h"

enum figure_unit {
	FIGURE_COUNT,
	FIGURE_NUMBER, /* neither whole nor a time */
	FIGURE_RATE,   /* per second */
	FIGURE_SHARE,  /* 0 to 1 */
	FIGURE_TIME,   /* cycles until it is printed */
};

struct figure_value {
	bool known;
	double value;
};

struct figure {
	const char *key;   /* in JSON; a time's gets "_ns" or "_cycles" */
	const char *label; /* in the text; a time's gets its unit */
	enum figure_unit unit;
	struct figure_value (*value)(const struct transmit_table *table, uint64_t hz);
};

extern const struct figure diff_figures[];
extern const unsigned diff_figure_count;

/* A figure of a device, times in ns if `ns` is asked for. Not known if the trace has no device. */
struct figure_value figure_value(const struct figure *figure, const struct transmit_table *table,
	const struct report *report, bool ns);

/* A device of either trace; the one that it isn't in has NULL. */
struct diff_pair {
	const char *name;
	const struct transmit_table *a, *b;
};

/*
 * The next device by name; `at` counts the devices of A and B that have been taken, {0, 0} at
 * first. False if there is none.
 */
bool diff_next(
	const struct report *a, const struct report *b, unsigned at[2], struct diff_pair *pair);

/* Times are in ns as soon as one clock is calibrated. */
bool diff_in_ns(const struct report *a, const struct report *b);

#endif
