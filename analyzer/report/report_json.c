/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "clean.h"
#include "object.h"
#include "words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_unreliable(struct object *object, const struct transmit_table *table)
{
	char reason[160];

	if (!table->unreliable)
		return;
	snprintf(reason, sizeof(reason),
		"%" PRIu64 " of %" PRIu64 " packets closed as unresolved, more than 1 %%",
		table->unresolved, table->started);
	object_put(object, "unreliable", json_true());
	object_put(object, "reason", json_string(reason));
}

static json_t *in_device_json(const struct transmit_table *table, uint64_t hz)
{
	struct object object = object_begin();
	bool span = table->last_event > table->first_event;

	object_put(&object, "avg", span ? json_real(table->in_device_avg) : json_null());
	object_put(&object, "max", report_number(table->in_device_max));
	object_put(&object, "at_end", report_number(table->at_end));
	object_put_time(&object, "oldest", hz,
		table->at_end ? object_time(table->oldest, hz) : json_null());
	object_put(&object, "capacity",
		table->capacity ? report_number(table->capacity) : json_null());
	if (table->above_capacity)
		object_put(&object, "above_capacity", json_true());
	put_unreliable(&object, table);
	return object_end(&object);
}

static json_t *accounting_json(const struct transmit_table *table)
{
	struct object object = object_begin();

	object_put(&object, "started", report_number(table->started));
	object_put(&object, "freed", report_number(table->freed));
	object_put(&object, "delivered", report_number(table->delivered));
	object_put(&object, "refused", report_number(table->refused));
	object_put(&object, "aborted", report_number(table->aborted));
	object_put(&object, "unresolved", report_number(table->unresolved));
	object_put(&object, "clock_anomalies", report_number(table->clock_anomalies));
	object_put(&object, "in_device", report_number(table->at_end));
	return object_end(&object);
}

static json_t *packed_json(const struct transmit_table *table)
{
	struct object object = object_begin();
	bool known = table->verdict != VERDICT_UNKNOWN;

	object_put(&object, "verdict", json_string(words_verdict_name(table->verdict)));
	object_put(&object, "time_share", known ? json_real(table->full_time_share) : json_null());
	object_put(&object, "intervals", report_number(table->intervals));
	object_put(&object, "full_intervals",
		known ? report_number(table->full_intervals) : json_null());
	return object_end(&object);
}

static json_t *stalls_json(const struct transmit_table *table, uint64_t hz)
{
	struct object array = object_begin_array();

	for (unsigned i = 0; i < table->stall_count; i++) {
		const struct stall *stall = &table->stalls[i];
		struct object object = object_begin();

		object_put_time(&object, "start", hz, object_time(stall->start, hz));
		object_put_time(&object, "end", hz, object_time(stall->end, hz));
		object_put(&object, "packets", report_number(stall->packets));
		object_put(&object, "ended_by", json_string(stall->open ? "end of trace" : "free"));
		put_unreliable(&object, table);
		object_append(&array, object_end(&object));
	}
	return object_end(&array);
}

/* Two names may be the same once they are UTF-8; then their packets add up. */
static json_t *drops_json(const struct report *report, const struct transmit_table *table)
{
	struct object object = object_begin();

	for (unsigned i = 0; i < table->drop_count; i++) {
		const struct drop_count *drop = &table->drops[i];
		const char *name = names_get(report->names, NAME_REASON, drop->reason);
		char *key = clean_utf8(name ? name : "(unknown)");
		json_t *other = key ? json_object_get(object.json, key) : NULL;

		if (key)
			object_put(&object, key,
				report_number(drop->packets + (uint64_t)json_integer_value(other)));
		object.failed |= !key;
		free(key);
	}
	return object_end(&object);
}

static void put_table(
	struct object *object, const struct report *report, const struct transmit_table *table)
{
	uint64_t hz = report->source->hz;

	object_put(object, "tx_packets", report_number(table->tx_packets));
	object_put(object, "wire_segments", report_number(table->wire_segments));
	object_put_time(object, "lap", hz, object_spread(&table->lap, hz));
	object_put(object, "in_device", in_device_json(table, hz));
	object_put(object, "retries", report_number(table->retries));
	object_put(object, "tx_refused", report_number(table->refused));
	object_put(object, "unresolved", report_number(table->unresolved));
	object_put(
		object, "free_before_xmit_return", report_number(table->free_before_xmit_return));
	object_put(object, "lap_from", json_string(report->transmit->lap_from));
	object_put(object, "lap_to", json_string(table->delivered ? "delivered" : "free"));
	object_put_time(object, "queue_delay", hz,
		table->queue_delay.count ? object_spread(&table->queue_delay, hz) : json_null());
	object_put(object, "drops", drops_json(report, table));
	object_put(object, "accounting", accounting_json(table));
	object_put(object, "packed", packed_json(table));
	object_put(object, "stalls", stalls_json(table, hz));
}

static json_t *device_json(const struct report *report, const struct transmit_table *table)
{
	struct object object = object_begin(), queues = object_begin_array();

	object_put(&object, "name", object_text(table->name));
	put_table(&object, report, table);
	for (unsigned i = 0; i < table->queue_count; i++) {
		struct object queue = object_begin();

		object_put(&queue, "queue", report_number(table->queues[i].queue));
		put_table(&queue, report, &table->queues[i]);
		object_append(&queues, object_end(&queue));
	}
	object_put(&object, "queues", object_end(&queues));
	return object_end(&object);
}

static json_t *events_json(const struct report *report)
{
	struct object object = object_events(report->counts, report->transmit->used);

	object_put(&object, "clock_anomalies", report_number(report->transmit->clock_anomalies));
	return object_end(&object);
}

static json_t *total_json(const struct transmit_report *transmit)
{
	struct object object = object_begin(), in_device = object_begin();

	object_put(&object, "tx_packets", report_number(transmit->total_tx_packets));
	object_put(&in_device, "max", report_number(transmit->total_in_device_max));
	object_put(&object, "in_device", object_end(&in_device));
	return object_end(&object);
}

json_t *report_json(const struct report *report)
{
	const struct transmit_report *transmit = report->transmit;
	struct object object = object_begin(), devices = object_begin_array();

	for (unsigned i = 0; i < transmit->device_count; i++)
		object_append(&devices, device_json(report, &transmit->devices[i]));
	object_put_source(&object, "ringside.report/1", report->source, report->counts);
	object_put(&object, "events", events_json(report));
	object_put(&object, "devices", object_end(&devices));
	object_put(&object, "total", total_json(transmit));
	return object_end(&object);
}
