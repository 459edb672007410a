/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Narrated experiments: a lesson runs scenarios of ours (those in configs/) and tells in a page of
 * text what came of them, what to look at in the figures, and what to change next. The text's
 * figures are those just measured; receive costs and polls are measured too.
 */
#ifndef SIM_LESSON_LESSON_H
#define SIM_LESSON_LESSON_H

#include "outcome.h"

#define LESSON_SETS_MOST 4

/* One run. A table of them ends with a row without config. */
struct lesson_run {
	const char *label;  /* its row in tables */
	const char *config; /* in configs/ */
	const char *set[LESSON_SETS_MOST + 1];
};

/* What came of a run. */
struct lesson_result {
	const struct lesson_run *run;
	char file[512];
	struct scenario scenario;
	struct outcome outcome;
};

struct lesson {
	const char *name;
	const char *about; /* for --help */
	const struct lesson_run *runs;
	void (*tell)(const struct lesson_result *results, FILE *out); /* one result a run */
};

/* The table of lessons, ended by a row without name. */
extern const struct lesson *const lessons[];
extern const struct lesson lesson_ack_doubling;
extern const struct lesson lesson_bql;
extern const struct lesson lesson_napi_weight;
extern const struct lesson lesson_packed_ring;
extern const struct lesson lesson_throttle;

/* The lesson of that name, or NULL. */
const struct lesson *lesson_find(const char *name);

/*
 * Runs it and tells it. Nothing is printed unless all runs went well. Returns 0 or a negative errno
 * with a message in diag.
 */
int lesson_give(const struct lesson *lesson, FILE *out, struct diag *diag);

/* A table of figures: a column is a device of an outcome. Rows end with one without label. */
struct lesson_figure {
	const char *label;
	const char *format;
	double (*value)(const struct outcome *outcome, unsigned device); /* NAN: a dash */
};
struct lesson_column {
	const char *head;
	const struct outcome *outcome;
	unsigned device;
};
void lesson_table(const struct lesson_column *columns, unsigned count,
	const struct lesson_figure *rows, FILE *out);

/* A heading with its underline; and "What to change next": commands and what they show. */
void lesson_heading(FILE *out, const char *text);
void lesson_next(FILE *out, const char *command, const char *shows);

#endif
