/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the subcommands that measure have in common: files become events, events go to a measure,
 * and what it found is printed as text or as JSON.
 */
#ifndef ANALYZER_RINGSTAT_MEASURE_H
#define ANALYZER_RINGSTAT_MEASURE_H

#include "report.h"
#include "ringstat_input.h"

/* A measure, whatever its type. */
struct ringstat_measure {
	/* 0 or -ENOMEM; destroy is due in any case. */
	int (*create)(void **measure, const struct ringstat_input *input);
	/* 0 or a negative errno, for ringstat_measure_failed. */
	int (*event)(void *measure, unsigned cpu, const struct event *event);
	/* Ends the measurement and writes the report. 0, or STATUS_REFUSED with a message. */
	int (*finish)(
		void *measure, const struct ringstat_input *input, FILE *out, struct diag *diag);
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

/* What a report says of its input. */
struct report_input ringstat_measure_source(const struct ringstat_input *input);

/* Says why an event couldn't be taken. Returns STATUS_REFUSED. */
int ringstat_measure_failed(const struct ringstat_input *input, int error, struct diag *diag);
int ringstat_measure_no_memory(struct diag *diag);

#endif
