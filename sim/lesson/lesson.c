/* SPDX-License-Identifier: BSD-3-Clause */
/* What all lessons do: find their scenarios, run them, tell. */
#include "lesson.h"

#include "outcome.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct lesson *const lessons[] = {
	&lesson_packed_ring,
	&lesson_ack_doubling,
	&lesson_napi_weight,
	&lesson_bql,
	&lesson_throttle,
	NULL,
};

const struct lesson *lesson_find(const char *name)
{
	for (size_t i = 0; lessons[i]; i++) {
		if (!strcmp(lessons[i]->name, name))
			return lessons[i];
	}
	return NULL;
}

static unsigned count_runs(const struct lesson *lesson)
{
	unsigned count = 0;

	while (lesson->runs[count].config)
		count++;
	return count;
}

static int load(struct lesson_result *result, const struct lesson_run *run, struct diag *diag)
{
	unsigned sets = 0;

	while (run->set[sets])
		sets++;
	result->run = run;
	snprintf(result->file, sizeof(result->file), "%s/%s", CONFIGS, run->config);
	return scenario_load(&result->scenario, result->file, run->set, sets, diag);
}

static int run_one(struct lesson_result *result, struct diag *diag)
{
	const struct run_options options = { .measures = true };
	int error = scenario_run(&result->scenario, &options, &result->outcome, diag);

	if (!error && !outcome_device(&result->outcome))
		error = diag_set(diag, -EINVAL, "%s: nothing was sent: there is nothing to tell",
			result->file);
	return error;
}

static int run_all(const struct lesson *lesson, struct lesson_result *results, unsigned count,
	struct diag *diag)
{
	struct scenario *scenarios = calloc(count, sizeof(*scenarios));
	int error = scenarios ? 0 : diag_set(diag, -ENOMEM, "%s: no memory", lesson->name);

	for (unsigned i = 0; i < count && !error; i++) {
		error = load(&results[i], &lesson->runs[i], diag);
		if (!error)
			scenarios[i] = results[i].scenario;
	}
	if (!error)
		error = scenario_start(scenarios, count, diag);
	free(scenarios);
	for (unsigned i = 0; i < count && !error; i++)
		error = run_one(&results[i], diag);
	return error;
}

int lesson_give(const struct lesson *lesson, FILE *out, struct diag *diag)
{
	unsigned count = count_runs(lesson);
	struct lesson_result *results = calloc(count, sizeof(*results));
	int error;

	if (!results)
		return diag_set(diag, -ENOMEM, "%s: no memory", lesson->name);
	error = run_all(lesson, results, count, diag);
	if (!error)
		lesson->tell(results, out);
	for (unsigned i = 0; i < count; i++)
		outcome_release(&results[i].outcome);
	free(results);
	return error;
}

void lesson_heading(FILE *out, const char *text)
{
	fprintf(out, "\n%s\n", text);
	for (size_t i = strlen(text); i--;)
		fputc('-', out);
	fputs("\n\n", out);
}

void lesson_next(FILE *out, const char *command, const char *shows)
{
	fprintf(out, "  $ %s\n    %s\n", command, shows);
}

void lesson_table(const struct lesson_column *columns, unsigned count,
	const struct lesson_figure *rows, FILE *out)
{
	enum { LABEL = 34, FIGURE = 14 };

	fprintf(out, "%-*s", LABEL, "");
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "%*s", FIGURE, columns[i].head);
	fputc('\n', out);
	for (; rows->label; rows++) {
		fprintf(out, "%-*s", LABEL, rows->label);
		for (unsigned i = 0; i < count; i++) {
			double value = rows->value(columns[i].outcome, columns[i].device);
			char text[40] = "-";

			if (!isnan(value))
				snprintf(text, sizeof(text), rows->format, value); // NOLINT: ours
			fprintf(out, "%*s", FIGURE, text);
		}
		fputc('\n', out);
	}
}
