/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From tallies to tables: everything that can only be said when the trace has ended.
 */
#include "passage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Without a capacity to compare with, a ring shows that it is packed by a plateau: the same maximum
 * again in most intervals. 14 packets are the least that counts: what the smallest ring of e1000e
 * (64 descriptors) can own of packets with 3 descriptors and a reserve of 22.
 */
#define PLATEAU_INTERVALS 4
#define PLATEAU_LEAST     14

static void note_oldest(struct tally *tally, uint64_t age)
{
	if (age > tally->oldest)
		tally->oldest = age;
}

static void count_at_end(struct transmit *transmit, struct passage *passage)
{
	uint64_t age = transmit->now - passage->start;

	PASSAGE_COUNT(passage, at_end);
	note_oldest(&passage->device->all, age);
	if (passage->queue)
		note_oldest(passage->queue, age);
}

/* What is still open at the end: driver calls have returned, suspects were clock anomalies. */
static int close_all(struct transmit *transmit)
{
	struct passage *passage, *next;

	if (transmit->options.expire_cycles && transmit_expire(transmit))
		return -ENOMEM;
	if (passage_settle_all(transmit))
		return -ENOMEM;
	for (passage = transmit->packets.open.first; passage; passage = next) {
		next = passage->next;
		if (!passage->suspect)
			count_at_end(transmit, passage);
		else if (passage_close(transmit, passage, OUTCOME_CLOCK_ANOMALY, transmit->now))
			return -ENOMEM;
	}
	return changes_flush(&transmit->changes);
}

static int finish_occupancy(struct transmit *transmit, struct tally *tally)
{
	return occupancy_finish(&tally->occupancy, tally->last_event, transmit->now);
}

/* The level at which the ring is full, or 0 if nobody knows one. */
static uint64_t full_level(const struct occupancy *occupancy, uint64_t capacity)
{
	uint64_t intervals = occupancy_intervals_from(occupancy, 0);

	if (capacity)
		return capacity;
	if (intervals >= PLATEAU_INTERVALS && occupancy->max >= PLATEAU_LEAST &&
		2 * occupancy_intervals_from(occupancy, occupancy->max) > intervals)
		return occupancy->max;
	return 0;
}

static void judge(
	struct transmit_table *table, const struct occupancy *occupancy, uint32_t capacity)
{
	uint64_t full = full_level(occupancy, capacity);
	uint64_t span = table->last_event - table->first_event;

	table->capacity = capacity;
	table->above_capacity = capacity && occupancy->max > capacity;
	table->intervals = occupancy_intervals_from(occupancy, 0);
	if (!full)
		return;
	table->verdict = occupancy->max >= full ? VERDICT_PACKED : VERDICT_NOT_PACKED;
	table->full_intervals = occupancy_intervals_from(occupancy, full);
	if (span)
		table->full_time_share =
			(double)occupancy_time_from(occupancy, full) / (double)span;
}

/* Longer than 1.5 laps as long as the longest: nobody can tell if there was none. */
static bool is_overdue(const struct tally *tally, uint64_t age)
{
	uint64_t longest = tally->lap.max;

	return tally->lap.count && age > longest && age - longest > longest / 2;
}

static void judge_oldest(
	struct transmit_table *table, const struct tally *tally, uint64_t end_of_trace)
{
	uint64_t start = end_of_trace - tally->oldest, progress = tally->occupancy.progress;

	if (!tally->at_end)
		return;
	table->oldest = tally->oldest;
	table->overdue = is_overdue(tally, tally->oldest);
	table->overtaken = progress > start && is_overdue(tally, progress - start);
}

static struct transmit_table table_of(
	const struct transmit *transmit, const struct device *device, const struct tally *tally)
{
	struct transmit_table table = {
		.name = device->name,
		.queue = tally->number,
		.first_event = tally->first_event,
		.last_event = tally->last_event,
		.tx_packets = tally->lap.count,
		.wire_segments = tally->wire_segments,
		.lap = histogram_spread(&tally->lap),
		.queue_delay = histogram_spread(&tally->queue_delay),
		.started = tally->started,
		.freed = tally->freed,
		.delivered = tally->delivered,
		.refused = tally->refused,
		.aborted = tally->aborted,
		.unresolved = tally->unresolved,
		.clock_anomalies = tally->clock_anomalies,
		.at_end = tally->at_end,
		.retries = tally->retries,
		.free_before_xmit_return = tally->free_before_xmit_return,
		.in_device_max = tally->occupancy.max,
		.unreliable = 100 * tally->unresolved > tally->started,
		.stalls = tally->occupancy.stalls,
		.stall_count = tally->occupancy.stall_count,
	};
	uint64_t span = table.last_event - table.first_event;

	if (span)
		table.in_device_avg = (double)tally->lap.sum / (double)span;
	judge_oldest(&table, tally, transmit->now);
	/* A veth or the loopback has no ring that could be full. */
	judge(&table, &tally->occupancy,
		device->delivers || tally->delivered ? 0 : transmit->options.capacity);
	return table;
}

/* A device with several rings is as packed as the fullest of them. */
static void judge_by_queues(struct transmit_table *table)
{
	const struct transmit_table *worst = NULL;

	if (table->queue_count < 2)
		return;
	for (unsigned i = 0; i < table->queue_count; i++) {
		const struct transmit_table *queue = &table->queues[i];

		if (!worst || queue->verdict > worst->verdict ||
			(queue->verdict == worst->verdict &&
				queue->full_time_share > worst->full_time_share))
			worst = queue;
	}
	table->capacity *= table->queue_count;
	table->above_capacity = table->capacity && table->in_device_max > table->capacity;
	table->verdict = worst->verdict;
	table->full_time_share = worst->full_time_share;
	table->intervals = worst->intervals;
	table->full_intervals = worst->full_intervals;
}

static void list_drops(
	struct transmit_table *table, const struct tally *tally, struct drop_count **next)
{
	table->drops = *next;
	for (uint32_t reason = 0; reason < tally->drop_room; reason++) {
		if (tally->drops[reason])
			*(*next)++ = (struct drop_count){ reason, tally->drops[reason] };
	}
	table->drop_count = (unsigned)(*next - table->drops);
}

static size_t count_drops(const struct tally *tally)
{
	size_t count = 0;

	for (uint32_t reason = 0; reason < tally->drop_room; reason++)
		count += tally->drops[reason] != 0;
	return count;
}

static int by_name(const void *a, const void *b)
{
	const struct device *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* Without the devices that nobody asked for. */
static void select_devices(struct transmit *transmit)
{
	unsigned kept = 0;

	for (unsigned i = 0; transmit->only && i < transmit->device_count; i++) {
		struct device *device = transmit->devices[i];

		if (strcmp(device->name, transmit->only))
			device_destroy(device);
		else
			transmit->devices[kept++] = device;
	}
	if (transmit->only)
		transmit->device_count = kept;
	qsort(transmit->devices, transmit->device_count, sizeof(struct device *), by_name);
}

/* Makes place for all tables and drops, so that pointers into them stay. */
static int allocate(struct transmit *transmit)
{
	size_t tables = transmit->device_count, drops = 0;

	for (unsigned i = 0; i < transmit->device_count; i++) {
		const struct device *device = transmit->devices[i];

		tables += device->queue_count;
		drops += count_drops(&device->all);
		for (uint32_t q = 0; q < device->queue_room; q++)
			drops += device->queues[q] ? count_drops(device->queues[q]) : 0;
	}
	transmit->tables = calloc(tables + 1, sizeof(*transmit->tables));
	transmit->drops = calloc(drops + 1, sizeof(*transmit->drops));
	return transmit->tables && transmit->drops ? 0 : -ENOMEM;
}

static void finish_device(struct transmit *transmit, const struct device *device,
	struct transmit_table *table, struct transmit_table **queues, struct drop_count **drops)
{
	*table = table_of(transmit, device, &device->all);
	list_drops(table, &device->all, drops);
	table->queues = *queues;
	table->queue_count = device->queue_count;
	for (uint32_t q = 0; q < device->queue_room; q++) {
		if (!device->queues[q])
			continue;
		**queues = table_of(transmit, device, device->queues[q]);
		list_drops((*queues)++, device->queues[q], drops);
	}
	judge_by_queues(table);
}

static int finish_occupancies(struct transmit *transmit)
{
	for (unsigned i = 0; i < transmit->device_count; i++) {
		struct device *device = transmit->devices[i];

		if (finish_occupancy(transmit, &device->all))
			return -ENOMEM;
		for (uint32_t q = 0; q < device->queue_room; q++) {
			if (device->queues[q] && finish_occupancy(transmit, device->queues[q]))
				return -ENOMEM;
		}
	}
	return 0;
}

static uint64_t most_in_any_device(const struct transmit *transmit)
{
	if (transmit->changes.several)
		return transmit->changes.inside_max;
	return transmit->device_count ? transmit->devices[0]->all.occupancy.max : 0;
}

int transmit_finish(struct transmit *transmit, const struct transmit_report **finished)
{
	struct transmit_report *report = &transmit->report;
	struct transmit_table *queues;
	struct drop_count *drops;

	if (close_all(transmit))
		return -ENOMEM;
	report->total_in_device_max = most_in_any_device(transmit);
	select_devices(transmit);
	if (finish_occupancies(transmit) || allocate(transmit))
		return -ENOMEM;
	queues = transmit->tables + transmit->device_count;
	drops = transmit->drops;
	for (unsigned i = 0; i < transmit->device_count; i++)
		finish_device(
			transmit, transmit->devices[i], &transmit->tables[i], &queues, &drops);
	report->lap_from = transmit->starts_seen ? "start_xmit" : "xmit";
	report->devices = transmit->tables;
	report->device_count = transmit->device_count;
	report->used = transmit->used;
	report->total_tx_packets = transmit->tx_packets;
	report->clock_anomalies = transmit->clock_anomalies;
	if (transmit->only) {
		const struct transmit_table *device = transmit->tables; /* zero if there is none */

		report->total_tx_packets = device->tx_packets;
		report->total_in_device_max = device->in_device_max;
		report->clock_anomalies = device->clock_anomalies;
	}
	*finished = report;
	return 0;
}
