/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the subcommands that measure have in common: files become events, events go to a measure,
 * and what it found is printed as text or as JSON.
 */
#ifndef ANALYZER_RINGSTAT_MEASURE_H
#define ANALYZER_RINGSTAT_MEASURE_H

#include "report.h"
#include "ringstat_input.h"

/* A measure, whatever its type. Functions that return int return 0 or -ENOMEM. */
struct ringstat_measure {
	int (*create)(void **measure, const struct ringstat_input *input);
	int (*event)(void *measure, unsigned cpu, const struct event *event);
	/* Ends the measurement and makes the report: a new object, or text if json is NULL. */
	int (*finish)(void *measure, const struct report_input *input, json_t **json, FILE *out);
	void (*destroy)(void *measure);
};

/* Every file gets a report of its own. A status as ringstat_command.run. */
int ringstat_measure(const struct ringstat_measure *measure, const struct ringstat_options *options,
	FILE *out, struct diag *diag);

/* The same for one input, which is open, and is closed here. */
int ringstat_measure_input(const struct ringstat_measure *measure, struct ringstat_input *input,
	FILE *out, struct diag *diag);

/* All events of an input, to its end, go to one measure. 0 or STATUS_REFUSED. */
int ringstat_measure_feed(const struct ringstat_measure *measure, void *state,
	struct ringstat_input *input, struct diag *diag);

/* What came of it goes to `out`. A status as ringstat_command.run. */
int ringstat_measure_finish(const struct ringstat_measure *measure, void *state,
	const struct ringstat_input *input, FILE *out, struct diag *diag);

/* Writes an object and releases it; NULL is one that there was no memory for. 0, STATUS_REFUSED. */
int ringstat_measure_write(json_t *json, FILE *out, struct diag *diag);

int ringstat_measure_no_memory(struct diag *diag);

#endif
