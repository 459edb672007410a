/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_rxcost.h"

#include "object.h"

static json_t *clusters_json(const struct rxcost_table *table, uint64_t hz)
{
	struct object array = object_begin_array();

	for (unsigned i = 0; i < table->cluster_count; i++) {
		const struct rxcost_cluster *cluster = &table->clusters[i];
		struct object object = object_begin();

		object_put(&object, "median", report_number(cluster->median));
		object_put_time(&object, "median", hz, object_time(cluster->median, hz));
		object_put(&object, "count", report_number(cluster->count));
		object_put(&object, "acks", report_number(cluster->acks));
		object_put(&object, "ack_senders", report_number(cluster->senders));
		object_put(&object, "time_share", json_real(cluster->time_share));
		object_append(&array, object_end(&object));
	}
	return object_end(&array);
}

static json_t *kind_json(const struct rxcost_kind *kind, uint64_t hz)
{
	struct object object = object_begin();

	object_put(&object, "count", report_number(kind->count));
	object_put(&object, "median", kind->count ? report_number(kind->median) : json_null());
	object_put_time(
		&object, "median", hz, kind->count ? object_time(kind->median, hz) : json_null());
	object_put(&object, "time_share", kind->count ? json_real(kind->time_share) : json_null());
	return object_end(&object);
}

/* Data segments by what they did. */
static json_t *segments_json(const struct rxcost_table *table, uint64_t hz)
{
	struct object object = object_begin();
	const struct rxcost_kind *with = &table->with_ack, *without = &table->without_ack;

	object_put(&object, "count", report_number(with->count + without->count));
	object_put(&object, "with_ack", kind_json(with, hz));
	object_put(&object, "without_ack", kind_json(without, hz));
	object_put(&object, "ratio",
		with->count ? object_ratio((double)with->median, (double)without->median)
			    : json_null());
	return object_end(&object);
}

static json_t *pairs_json(const struct rxcost_table *table)
{
	struct object object = object_begin();

	object_put(&object, "count", report_number(table->pairs));
	object_put(&object, "empty", report_number(table->empty));
	object_put(&object, "several_packets", report_number(table->several));
	object_put(&object, "held_irq", report_number(table->held_irq));
	return object_end(&object);
}

static json_t *acks_json(const struct rxcost_table *table, bool softirqs_seen)
{
	struct object object = object_begin();

	object_put(&object, "inside", report_number(table->acks_inside));
	object_put(&object, "in_softirq",
		softirqs_seen ? report_number(table->acks_in_softirq) : json_null());
	object_put(&object, "elsewhere", report_number(table->acks_elsewhere));
	return object_end(&object);
}

static json_t *pattern_json(const struct rxcost_table *table)
{
	struct object object = object_begin();

	object_put(&object, "every", table->every ? report_number(table->every) : json_null());
	object_put(&object, "share", table->every ? json_real(table->every_share) : json_null());
	object_put(&object, "by_order", json_boolean(table->by_order));
	object_put(&object, "dips", report_number(table->dips));
	object_put(&object, "dips_excess",
		table->dips ? report_number(table->dips_excess) : json_null());
	object_put(&object, "peaks", report_number(table->peaks));
	return object_end(&object);
}

static json_t *idle_json(const struct rxcost_table *table)
{
	struct object object = object_begin();

	object_put(&object, "packets", report_number(table->idle));
	object_put(&object, "runs", report_number(table->idle_runs));
	object_put(
		&object, "median", table->idle ? report_number(table->idle_median) : json_null());
	return object_end(&object);
}

/* The newest costs, oldest first; beside them which of these packets sent an ACK. */
static void put_newest(struct object *object, const struct rxcost_table *table, uint32_t newest)
{
	struct object costs = object_begin_array(), marks = object_begin_array();
	unsigned count = newest < table->newest_count ? newest : table->newest_count;

	for (unsigned i = table->newest_count - count; i < table->newest_count; i++) {
		object_append(&costs, report_number(table->newest[i].cost));
		object_append(&marks, json_boolean(table->newest[i].sent_ack));
	}
	object_put(object, "newest", object_end(&costs));
	object_put(object, "newest_sent_ack", object_end(&marks));
}

static void put_table(struct object *object, const struct rxcost_report *rxcost,
	const struct rxcost_table *table, uint64_t hz, uint32_t newest)
{
	object_put(object, "packets", report_number(table->packets));
	object_put(object, "per_packet", json_boolean(table->per_packet));
	object_put(object, "clusters", clusters_json(table, hz));
	object_put(object, "ratio", table->ratio > 0 ? json_real(table->ratio) : json_null());
	object_put(object, "ratio_of_medians",
		table->ratio_of_medians > 0 ? json_real(table->ratio_of_medians) : json_null());
	object_put(object, "outliers", report_number(table->outliers));
	object_put(object, "outlier_above",
		table->outlier_above ? report_number(table->outlier_above) : json_null());
	object_put_time(object, "cost", hz, object_spread(&table->cost, hz));
	object_put(object, "pattern", pattern_json(table));
	object_put(object, "idle", idle_json(table));
	object_put(object, "segments", segments_json(table, hz));
	object_put(object, "acks", acks_json(table, rxcost->softirqs_seen));
	object_put(object, "pairs", pairs_json(table));
	if (newest)
		put_newest(object, table, newest);
}

json_t *report_rxcost_json(
	const struct report_input *input, const struct rxcost_report *rxcost, uint32_t newest)
{
	uint64_t hz = input->source->hz;
	struct object object = object_begin(), devices = object_begin_array();
	struct object events = object_events(input->counts, report_rxcost_used(input, rxcost));

	for (unsigned i = 0; i < rxcost->device_count; i++) {
		struct object device = object_begin();

		object_put(&device, "name", object_text(rxcost->devices[i].name));
		put_table(&device, rxcost, &rxcost->devices[i], hz, newest);
		object_append(&devices, object_end(&device));
	}
	object_put_source(&object, "ringside.rxcost/1", input->source, input->counts);
	object_put(&object, "hz", hz ? report_number(hz) : json_null());
	object_put(&events, "nested", report_number(rxcost->nested));
	object_put(&events, "unpaired", report_number(rxcost->unpaired));
	object_put(&object, "events", object_end(&events));
	object_put_time(&object, "event_writing", hz,
		rxcost->writing ? object_time(rxcost->writing, hz) : json_null());
	put_table(&object, rxcost, &rxcost->all, hz, newest);
	object_put(&object, "devices", object_end(&devices));
	return object_end(&object);
}
