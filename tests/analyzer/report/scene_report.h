/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of reports: a scene becomes a report, and that a text or a JSON object.
 */
#ifndef TESTS_ANALYZER_REPORT_SCENE_REPORT_H
#define TESTS_ANALYZER_REPORT_SCENE_REPORT_H

#include "report.h"

#include "../measure/scene.h"
#include <math.h>
#include <stdlib.h>

static struct trace_source source;
static struct trace_counts counts;

/* Plays the events into a report of the file "trace.txt", read without loss at 1 GHz. */
static inline struct report make_report(
	const struct transmit_options *options, const struct scene_event *events, size_t count)
{
	source = (struct trace_source){ "trace.txt", "ftrace", NULL, SECONDS };
	counts = (struct trace_counts){ .read = count };
	return (struct report){
		.source = &source,
		.counts = &counts,
		.transmit = scene_play(options, events, count),
		.names = scene_names,
	};
}

#define MAKE(options, ...)                                                \
	make_report(options, (const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

static inline char *text_of(const struct report *report)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	report_text(report, out);
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static inline bool begins_with(const char *text, const char *head)
{
	return !strncmp(text, head, strlen(head));
}

static inline char *written(int (*write)(const json_t *, FILE *), const json_t *json)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(write(json, out), 0);
	fclose(out);
	return text;
}

/* The value at a path like "devices.0.lap_ns.max". */
static inline const json_t *look_up(const json_t *json, const char *path)
{
	char copy[128], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while (json && (key = strsep(&rest, ".")))
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
					   : json_object_get(json, key);
	return json;
}

static inline bool is_integer(const json_t *json, const char *path, json_int_t value)
{
	const json_t *found = look_up(json, path);

	return json_is_integer(found) && json_integer_value(found) == value;
}

static inline bool is_real(const json_t *json, const char *path, double value)
{
	const json_t *found = look_up(json, path);

	return json_is_real(found) && fabs(json_real_value(found) - value) < 1e-9;
}

static inline bool is_text(const json_t *json, const char *path, const char *value)
{
	const json_t *found = look_up(json, path);

	return json_is_string(found) && !strcmp(json_string_value(found), value);
}

static inline bool is_null(const json_t *json, const char *path)
{
	return json_is_null(look_up(json, path));
}

#endif
