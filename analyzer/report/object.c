/* SPDX-License-Identifier: BSD-3-Clause */
#include "object.h"

#include "clean.h"
#include "report.h"
#include "units.h"
#include <stdlib.h>

struct object object_begin(void)
{
	return (struct object){ .json = json_object() };
}

struct object object_begin_array(void)
{
	return (struct object){ .json = json_array() };
}

void object_put(struct object *object, const char *key, json_t *value)
{
	if (json_object_set_new(object->json, key, value))
		object->failed = true;
}

void object_append(struct object *array, json_t *value)
{
	if (json_array_append_new(array->json, value))
		array->failed = true;
}

json_t *object_end(struct object *object)
{
	if (!object->failed)
		return object->json;
	json_decref(object->json);
	return NULL;
}

json_t *object_text(const char *bytes)
{
	char *copy;
	json_t *json;

	if (!bytes)
		return json_null();
	copy = clean_utf8(bytes);
	json = copy ? json_string(copy) : NULL;
	free(copy);
	return json;
}

void object_put_time(struct object *object, const char *name, uint64_t hz, json_t *value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", name, hz ? "ns" : "cycles");
	object_put(object, key, value);
}

json_t *object_time(uint64_t cycles, uint64_t hz)
{
	return report_number(hz ? cycles_to_ns(cycles, hz) : cycles);
}

json_t *object_time_avg(double cycles, uint64_t hz)
{
	return json_real(hz ? units_ns_avg(cycles, hz) : cycles);
}

/* Of nothing there is neither an average nor a maximum. */
json_t *object_spread(const struct spread *spread, uint64_t hz)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "p50", spread->p50 },
		{ "p99", spread->p99 },
		{ "p999", spread->p999 },
		{ "max", spread->max },
	};
	struct object object = object_begin();
	bool any = spread->count;

	object_put(&object, "min", any ? object_time(spread->min, hz) : json_null());
	object_put(&object, "avg", any ? object_time_avg(spread->avg, hz) : json_null());
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		object_put(
			&object, rows[i].key, any ? object_time(rows[i].value, hz) : json_null());
	return object_end(&object);
}

json_t *object_ratio(double value, double by)
{
	return by > 0 ? json_real(value / by) : json_null();
}

static json_t *source_json(const struct trace_source *source)
{
	struct object object = object_begin();

	object_put(&object, "file", object_text(source->file));
	object_put(&object, "format", object_text(source->format));
	object_put(&object, "clock", object_text(source->clock));
	object_put(&object, "hz", source->hz ? report_number(source->hz) : json_null());
	object_put(&object, "kernel", object_text(source->kernel));
	return object_end(&object);
}

void object_put_source(struct object *object, const char *schema, const struct trace_source *source,
	const struct trace_counts *counts)
{
	bool complete = trace_counts_complete(counts);

	object_put(object, "schema", json_string(schema));
	object_put(object, "source", source_json(source));
	object_put(object, "complete", json_boolean(complete));
	if (!complete && counts->trouble[0])
		object_put(object, "trouble", object_text(counts->trouble));
}

struct object object_events(const struct trace_counts *counts, uint64_t used)
{
	struct object object = object_begin();

	object_put(&object, "read", report_number(counts->read));
	object_put(&object, "used", report_number(used));
	object_put(&object, "unparsed", report_number(counts->unparsed));
	if (counts->skipped)
		object_put(&object, "skipped", report_number(counts->skipped));
	object_put(&object, "lost", report_number(counts->lost));
	if (counts->lost_unknown)
		object_put(&object, "lost_unknown", json_true());
	if (counts->truncated)
		object_put(&object, "truncated", json_true());
	return object;
}
