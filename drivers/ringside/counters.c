/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringside.h"

#include "cycles.h"
#include <rte_cycles.h>
#include <stddef.h>
#include <string.h>

#define DRIVER(member) RINGSIDE_OF_DRIVER, offsetof(struct e1000e_stats, member)
#define DEVICE(member) RINGSIDE_OF_DEVICE, offsetof(struct nic_stats, member)
#define QUEUE(member)  RINGSIDE_OF_QUEUE, offsetof(struct ringside_queue_stats, member)

const struct ringside_counter ringside_counters[] = {
	{ "packets", true, DRIVER(queued) },
	{ "bytes", true, DRIVER(queued_bytes) },
	{ "cleaned_packets", true, DRIVER(packets) },
	{ "wire_packets", true, DEVICE(packets) },
	{ "wire_bytes", true, DEVICE(bytes) },
	{ "queue_stops", true, DRIVER(stops) },
	{ "queue_wakes", true, DRIVER(wakes) },
	{ "ring_full", true, DRIVER(busy) },
	{ "refused", true, QUEUE(tx_refused) },
	{ "interrupts", true, DEVICE(interrupts) },
	{ "peer_lost", true, QUEUE(peer_lost) },
	{ "wire_taken", true, QUEUE(wire_taken) },
	{ "wire_full", true, QUEUE(wire_full) },
	{ "wire_errors", true, QUEUE(wire_tx_errors) },
	{ "longest_poll_gap_ns", true, RINGSIDE_LONGEST,
		offsetof(struct ringside_queue_stats, longest_gap) },
	{ "packets", false, DRIVER(rx_packets) },
	{ "bytes", false, DRIVER(rx_bytes) },
	{ "missed", false, DEVICE(rx_missed) },
	{ "no_buffer", false, DRIVER(rx_no_buffer) },
	{ "wire_given", false, QUEUE(wire_given) },
	{ "wire_skipped", false, QUEUE(wire_skipped) },
	{ "wire_ended", false, QUEUE(wire_ended) },
	{ "wire_errors", false, QUEUE(wire_rx_errors) },
	{ 0 },
};

/* Of the present start only. */
static uint64_t current(const struct ringside_queue *queue, const struct ringside_counter *counter)
{
	const void *base = &queue->stats;
	uint64_t value;

	if (counter->source == RINGSIDE_OF_DRIVER)
		base = queue->driver ? &queue->driver->stats : NULL;
	else if (counter->source == RINGSIDE_OF_DEVICE)
		base = queue->nic ? nic_stats(queue->nic) : NULL;
	value = base ? *(const uint64_t *)((const char *)base + counter->offset) : 0;
	return counter->source == RINGSIDE_LONGEST ? cycles_to_ns(value, rte_get_tsc_hz()) : value;
}

uint64_t ringside_count(const struct ringside_queue *queue, unsigned counter)
{
	return queue->counter_base[counter] + current(queue, &ringside_counters[counter]);
}

uint64_t ringside_count_named(const struct ringside_queue *queue, bool tx, const char *name)
{
	for (unsigned i = 0; ringside_counters[i].name; i++) {
		if (ringside_counters[i].tx == tx && !strcmp(ringside_counters[i].name, name))
			return ringside_count(queue, i);
	}
	return 0;
}

/* Device and driver are about to go; what is the queue's own stays where it is. */
void ringside_counters_keep(struct ringside_queue *queue)
{
	for (unsigned i = 0; ringside_counters[i].name; i++) {
		if (ringside_counters[i].source == RINGSIDE_OF_DRIVER ||
			ringside_counters[i].source == RINGSIDE_OF_DEVICE)
			queue->counter_base[i] += current(queue, &ringside_counters[i]);
	}
}

void ringside_counters_reset(struct ringside_queue *queue)
{
	queue->stats.longest_gap = 0; /* a maximum has no base to count from */
	for (unsigned i = 0; ringside_counters[i].name; i++)
		queue->counter_base[i] = -current(queue, &ringside_counters[i]);
}
