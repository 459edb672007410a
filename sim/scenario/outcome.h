/* SPDX-License-Identifier: BSD-3-Clause */
/* What outcome.c (JSON) and words.c (text) both say of a run. */
#ifndef SIM_SCENARIO_OUTCOME_H
#define SIM_SCENARIO_OUTCOME_H

#include "scenario.h"

#define OUTCOME_BUSY 0.97 /* share of time from which on wire or CPU can do no more */

/* What kept the rate from being higher. */
enum limit {
	LIMIT_SENDER,  /* its CPU time, or its pauses */
	LIMIT_RING,    /* full in most intervals between clean-ups */
	LIMIT_BQL,     /* its bound stopped the queue, though ring and wire had room */
	LIMIT_BUFFER,  /* the sender slept for send buffer, though the ring had room */
	LIMIT_WIRE,    /* busy nearly all the time */
	LIMIT_STALL,   /* nothing left the device for long, or something never did */
	LIMIT_NONE,    /* nothing was sent */
	LIMIT_SOURCE,  /* all that came was received, and nobody sends */
	LIMIT_RECEIVE, /* more came than a receive ring had room for */
};

extern const char *const limit_names[];

/* A figure that a source may publish. */
struct figure {
	const char *name; /* its key under `published` and in the JSON */
	const char *label;
	const char *format;                                /* of its values in text */
	size_t offset;                                     /* in struct scenario_published */
	double (*modelled)(const struct outcome *outcome); /* NAN: nothing was sent */
};

extern const struct figure figures[]; /* ended by a row without name */

double figure_published(const struct figure *figure, const struct outcome *outcome);
bool outcome_has_figures(const struct outcome *outcome);

/* The model's one device, or NULL if nothing reached it. */
const struct transmit_table *outcome_device(const struct outcome *outcome);

double outcome_seconds(const struct outcome *outcome); /* from its first event to its last */
enum limit outcome_limit(const struct outcome *outcome);
double outcome_blocked_share(const struct outcome *outcome); /* of the senders' time */
double outcome_wire_share(const struct outcome *outcome);
double outcome_cpu_share(const struct outcome *outcome);
bool outcome_has_bql(const struct outcome *outcome);
double outcome_bql_share(const struct outcome *outcome); /* of time: BQL stopped the queue */

/* Prints a text in lines of at most 96 columns; what is longer than 2 KiB is cut. */
void paragraph(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool outcome_receives(const struct outcome *outcome);
uint64_t outcome_dropped(const struct outcome *outcome);
uint64_t outcome_messages(const struct outcome *outcome);

#endif
