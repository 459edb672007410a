/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "clean.h"
#include "units.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An object that is being filled; a failure shows at the end. */
struct object {
	json_t *json;
	bool failed;
};

static struct object begin(void)
{
	return (struct object){ .json = json_object() };
}

/* Takes the value over, also where it fails: NULL stands for a value that couldn't be made. */
static void put(struct object *object, const char *key, json_t *value)
{
	if (json_object_set_new(object->json, key, value))
		object->failed = true;
}

static json_t *end(struct object *object)
{
	if (!object->failed)
		return object->json;
	json_decref(object->json);
	return NULL;
}

static void append(struct object *object, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		object->failed = true;
}

/* Names come from the input and need not be UTF-8, which JSON is. */
static json_t *text(const char *bytes)
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

/* "lap_ns", or "lap_cycles" where the clock isn't calibrated. */
static void put_time(struct object *object, const char *name, uint64_t hz, json_t *value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", name, hz ? "ns" : "cycles");
	put(object, key, value);
}

static json_t *time_of(uint64_t cycles, uint64_t hz)
{
	return report_number(hz ? cycles_to_ns(cycles, hz) : cycles);
}

/* Of nothing there is neither an average nor a maximum. */
static json_t *spread_json(const struct spread *spread, uint64_t hz)
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
	struct object object = begin();
	bool any = spread->count;

	put(&object, "min", any ? time_of(spread->min, hz) : json_null());
	put(&object, "avg",
		any ? json_real(hz ? units_ns_avg(spread->avg, hz) : spread->avg) : json_null());
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		put(&object, rows[i].key, any ? time_of(rows[i].value, hz) : json_null());
	return end(&object);
}

static void put_unreliable(struct object *object, const struct transmit_table *table)
{
	char reason[160];

	if (!table->unreliable)
		return;
	snprintf(reason, sizeof(reason),
		"%" PRIu64 " of %" PRIu64 " packets closed as unresolved, more than 1 %%",
		table->unresolved, table->started);
	put(object, "unreliable", json_true());
	put(object, "reason", json_string(reason));
}

static json_t *in_device_json(const struct transmit_table *table, uint64_t hz)
{
	struct object object = begin();
	bool span = table->last_event > table->first_event;

	put(&object, "avg", span ? json_real(table->in_device_avg) : json_null());
	put(&object, "max", report_number(table->in_device_max));
	put(&object, "at_end", report_number(table->at_end));
	put_time(&object, "oldest", hz, table->at_end ? time_of(table->oldest, hz) : json_null());
	put(&object, "capacity", table->capacity ? report_number(table->capacity) : json_null());
	if (table->above_capacity)
		put(&object, "above_capacity", json_true());
	put_unreliable(&object, table);
	return end(&object);
}

static json_t *accounting_json(const struct transmit_table *table)
{
	struct object object = begin();

	put(&object, "started", report_number(table->started));
	put(&object, "freed", report_number(table->freed));
	put(&object, "delivered", report_number(table->delivered));
	put(&object, "refused", report_number(table->refused));
	put(&object, "aborted", report_number(table->aborted));
	put(&object, "unresolved", report_number(table->unresolved));
	put(&object, "clock_anomalies", report_number(table->clock_anomalies));
	put(&object, "in_device", report_number(table->at_end));
	return end(&object);
}

static json_t *packed_json(const struct transmit_table *table)
{
	static const char *const verdicts[] = {
		[VERDICT_UNKNOWN] = "unknown",
		[VERDICT_NOT_PACKED] = "not packed",
		[VERDICT_PACKED] = "packed",
	};
	struct object object = begin();
	bool known = table->verdict != VERDICT_UNKNOWN;

	put(&object, "verdict", json_string(verdicts[table->verdict]));
	put(&object, "time_share", known ? json_real(table->full_time_share) : json_null());
	put(&object, "intervals", report_number(table->intervals));
	put(&object, "full_intervals", known ? report_number(table->full_intervals) : json_null());
	return end(&object);
}

static json_t *stalls_json(const struct transmit_table *table, uint64_t hz)
{
	struct object array = { .json = json_array() };

	for (unsigned i = 0; i < table->stall_count; i++) {
		const struct stall *stall = &table->stalls[i];
		struct object object = begin();

		put_time(&object, "start", hz, time_of(stall->start, hz));
		put_time(&object, "end", hz, time_of(stall->end, hz));
		put(&object, "packets", report_number(stall->packets));
		put(&object, "ended_by", json_string(stall->open ? "end of trace" : "free"));
		put_unreliable(&object, table);
		append(&array, array.json, end(&object));
	}
	return end(&array);
}

/* Two names may be the same once they are UTF-8; then their packets add up. */
static json_t *drops_json(const struct report *report, const struct transmit_table *table)
{
	struct object object = begin();

	for (unsigned i = 0; i < table->drop_count; i++) {
		const struct drop_count *drop = &table->drops[i];
		const char *name = names_get(report->names, NAME_REASON, drop->reason);
		char *key = clean_utf8(name ? name : "(unknown)");
		json_t *other = key ? json_object_get(object.json, key) : NULL;

		if (key)
			put(&object, key,
				report_number(drop->packets + (uint64_t)json_integer_value(other)));
		object.failed |= !key;
		free(key);
	}
	return end(&object);
}

static void put_table(
	struct object *object, const struct report *report, const struct transmit_table *table)
{
	uint64_t hz = report->source->hz;

	put(object, "tx_packets", report_number(table->tx_packets));
	put(object, "wire_segments", report_number(table->wire_segments));
	put_time(object, "lap", hz, spread_json(&table->lap, hz));
	put(object, "in_device", in_device_json(table, hz));
	put(object, "retries", report_number(table->retries));
	put(object, "tx_refused", report_number(table->refused));
	put(object, "unresolved", report_number(table->unresolved));
	put(object, "free_before_xmit_return", report_number(table->free_before_xmit_return));
	put(object, "lap_from", json_string(report->transmit->lap_from));
	put(object, "lap_to", json_string(table->delivered ? "delivered" : "free"));
	put_time(object, "queue_delay", hz,
		table->queue_delay.count ? spread_json(&table->queue_delay, hz) : json_null());
	put(object, "drops", drops_json(report, table));
	put(object, "accounting", accounting_json(table));
	put(object, "packed", packed_json(table));
	put(object, "stalls", stalls_json(table, hz));
}

static json_t *device_json(const struct report *report, const struct transmit_table *table)
{
	struct object object = begin(), queues = { .json = json_array() };

	put(&object, "name", text(table->name));
	put_table(&object, report, table);
	for (unsigned i = 0; i < table->queue_count; i++) {
		struct object queue = begin();

		put(&queue, "queue", report_number(table->queues[i].queue));
		put_table(&queue, report, &table->queues[i]);
		append(&queues, queues.json, end(&queue));
	}
	put(&object, "queues", end(&queues));
	return end(&object);
}

static json_t *source_json(const struct trace_source *source)
{
	struct object object = begin();

	put(&object, "file", text(source->file));
	put(&object, "format", text(source->format));
	put(&object, "clock", text(source->clock));
	put(&object, "hz", source->hz ? report_number(source->hz) : json_null());
	return end(&object);
}

static json_t *events_json(const struct report *report)
{
	const struct trace_counts *counts = report->counts;
	struct object object = begin();

	put(&object, "read", report_number(counts->read));
	put(&object, "used", report_number(report->transmit->used));
	put(&object, "unparsed", report_number(counts->unparsed));
	if (counts->skipped)
		put(&object, "skipped", report_number(counts->skipped));
	put(&object, "lost", report_number(counts->lost));
	if (counts->lost_unknown)
		put(&object, "lost_unknown", json_true());
	if (counts->truncated)
		put(&object, "truncated", json_true());
	put(&object, "clock_anomalies", report_number(report->transmit->clock_anomalies));
	return end(&object);
}

static json_t *total_json(const struct transmit_report *transmit)
{
	struct object object = begin(), in_device = begin();

	put(&object, "tx_packets", report_number(transmit->total_tx_packets));
	put(&in_device, "max", report_number(transmit->total_in_device_max));
	put(&object, "in_device", end(&in_device));
	return end(&object);
}

json_t *report_json(const struct report *report)
{
	const struct transmit_report *transmit = report->transmit;
	struct object object = begin(), devices = { .json = json_array() };

	for (unsigned i = 0; i < transmit->device_count; i++)
		append(&devices, devices.json, device_json(report, &transmit->devices[i]));
	put(&object, "schema", json_string("ringside.report/1"));
	put(&object, "source", source_json(report->source));
	put(&object, "complete", json_boolean(report_complete(report)));
	if (!report_complete(report) && report->counts->trouble[0])
		put(&object, "trouble", text(report->counts->trouble));
	put(&object, "events", events_json(report));
	put(&object, "devices", end(&devices));
	put(&object, "total", total_json(transmit));
	return end(&object);
}
