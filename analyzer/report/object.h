/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON objects as all reports make them: filled key by key, with one look at the end whether that
 * succeeded; and the parts that all of them have.
 */
#ifndef ANALYZER_REPORT_OBJECT_H
#define ANALYZER_REPORT_OBJECT_H

#include "reader.h"
#include "transmit.h"
#include <jansson.h>

/* An object (or array) that is being filled; a failure shows at the end. */
struct object {
	json_t *json;
	bool failed;
};

struct object object_begin(void);
struct object object_begin_array(void);

/* Take the value over, also where they fail: NULL stands for a value that couldn't be made. */
void object_put(struct object *object, const char *key, json_t *value);
void object_append(struct object *array, json_t *value);

/* The JSON, or NULL if anything has failed. */
json_t *object_end(struct object *object);

/* A string, or null of NULL. Names come from the input and need not be UTF-8, which JSON is. */
json_t *object_text(const char *bytes);

/* Puts "NAME_ns", or "NAME_cycles" where the clock isn't calibrated (hz is 0). */
void object_put_time(struct object *object, const char *name, uint64_t hz, json_t *value);

/* Cycles in the unit that such a key has. */
json_t *object_time(uint64_t cycles, uint64_t hz);
json_t *object_time_avg(double cycles, uint64_t hz);

/* {"min", "avg", "p50", "p99", "p999", "max"}, all null if nothing was counted. */
json_t *object_spread(const struct spread *spread, uint64_t hz);

/* A quotient; null if there is nothing to divide by. */
json_t *object_ratio(double value, double by);

/* Puts "schema", "source", "complete", and "trouble" where it isn't. */
void object_put_source(struct object *object, const char *schema, const struct trace_source *source,
	const struct trace_counts *counts);

/* "events": what was read, used, unparsed and lost. */
struct object object_events(const struct trace_counts *counts, uint64_t used);

#endif
