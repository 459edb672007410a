/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that let a packet into a device: queue, start_xmit and xmit.
 */
#include "passage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Devices are told apart by their names; two numbers may have the same. */
static struct device *new_device(struct transmit *transmit, unsigned index)
{
	const char *name = names_get(transmit->names, NAME_DEVICE, index);
	struct device *device;

	if (!name)
		name = "(unknown)";
	for (unsigned i = 0; i < transmit->device_count; i++) {
		if (!strcmp(transmit->devices[i]->name, name)) {
			transmit->by_index[index] = transmit->devices[i];
			return transmit->devices[i];
		}
	}
	device = device_create(name, transmit->options.stall_cycles);
	if (!device)
		return NULL;
	transmit->devices[transmit->device_count++] = device;
	transmit->by_index[index] = device;
	if (transmit->device_count == 2 && passage_begin_several(transmit))
		return NULL;
	return device;
}

static struct device *device_of(struct transmit *transmit, const struct event *event)
{
	struct device *device = transmit->by_index[event->device];

	return device ? device : new_device(transmit, event->device);
}

/* The queue that an event names. 0 with NULL if it doesn't; -ENOMEM. */
static int queue_of(struct device *device, const struct event *event, struct tally **queue)
{
	unsigned number = event_queue(event);

	*queue = NULL;
	if (number == EVENT_QUEUE_UNKNOWN)
		return 0;
	*queue = device_queue(device, number);
	return *queue ? 0 : -ENOMEM;
}

static struct passage *find(const struct transmit *transmit, uint64_t packet,
	const struct device *device, enum passage_state state)
{
	struct passage *passage = packets_find(&transmit->packets, packet);

	while (passage && (passage->device != device || passage->state != state))
		passage = passage->other;
	return passage;
}

int transmit_on_queue(struct transmit *transmit, const struct event *event)
{
	struct device *device = device_of(transmit, event);
	struct passage *passage;

	if (!device)
		return -ENOMEM;
	transmit->used++;
	orphans_requeue(&transmit->orphans, event->packet, transmit->now);
	passage = find(transmit, event->packet, device, PASSAGE_QUEUED);
	if (!passage)
		passage = find(transmit, event->packet, device, PASSAGE_LEFT);
	if (passage)
		packets_move(&transmit->packets, passage, PASSAGE_QUEUED);
	else
		passage = packets_add(&transmit->packets, event->packet, PASSAGE_QUEUED);
	if (!passage)
		return -ENOMEM;
	passage->device = device;
	passage->queued_at = event->time;
	passage->queue_time_known = true;
	return 0;
}

/*
 * "An address that starts again while open: the older packet closes as unresolved." The older
 * packet's passages further down are over as well: they began after the one that is replaced.
 */
static int replace(struct transmit *transmit, struct passage *older)
{
	uint64_t from = older->start_change;
	struct passage *passage, *next;
	struct device *device = older->device;

	for (passage = packets_find(&transmit->packets, older->packet); passage; passage = next) {
		enum outcome outcome =
			passage->device == device ? OUTCOME_REPLACED : OUTCOME_UNRESOLVED;

		next = passage->other;
		if (passage->state != PASSAGE_OPEN || passage->start_change < from)
			continue;
		if (passage_close(
			    transmit, passage, passage_unseen(passage, outcome), transmit->now))
			return -ENOMEM;
	}
	return 0;
}

/*
 * A passage for a packet that enters the device now, known or not. It is suspect if its free may
 * have been seen already: by itself, or (for a second device) by the same packet above.
 *
 * This device takes over as the packet's lowest one. If the packet was delivered by a veth and not
 * freed since, it is the same packet still, on its way through the host.
 */
static struct passage *enter(
	struct transmit *transmit, unsigned cpu, const struct event *event, struct device *device)
{
	uint64_t taking;
	bool suspect = orphans_take(&transmit->orphans, event->packet, cpu, transmit->now, &taking);
	struct passage *passage = packets_find(&transmit->packets, event->packet);
	struct passage *next, *queued = NULL;
	bool above = false;

	for (; passage; passage = next) {
		next = passage->other;
		if (passage->device == device && passage->state == PASSAGE_DELIVERED) {
			/* Often no free follows a delivery: the address simply starts again. */
			packets_forget(&transmit->packets, passage);
			continue;
		}
		if (passage->device == device && passage->state == PASSAGE_QUEUED)
			queued = passage;
		above |= passage->state == PASSAGE_OPEN && passage->suspect;
		transmit->tx_packets -= passage->counted;
		passage->counted = passage->lowest = false;
	}
	passage = queued;
	if (passage)
		packets_move(&transmit->packets, passage, PASSAGE_OPEN);
	else
		passage = packets_add(&transmit->packets, event->packet, PASSAGE_OPEN);
	if (!passage)
		return NULL;
	passage->device = device;
	passage->segments = 1;
	passage->suspect = suspect || above;
	passage->first_suspect = suspect;
	passage->taking = taking;
	return passage;
}

/* The first start_xmit of a trace: what was measured from xmit events on doesn't count. */
static void go_by_starts(struct transmit *transmit)
{
	struct packets *packets = &transmit->packets;
	struct passage *passage, *next;

	transmit->starts_seen = true;
	while (packets->open.first)
		packets_forget(packets, packets->open.first);
	for (passage = packets->remembered.first; passage; passage = next) {
		next = passage->next;
		passage->counted = false;
		if (passage->state == PASSAGE_LEFT)
			packets_forget(packets, passage);
	}
	for (unsigned i = 0; i < transmit->device_count; i++)
		device_restart(transmit->devices[i]);
	changes_clear(&transmit->changes);
	transmit->changes.several = transmit->device_count > 1;
	transmit->tx_packets = 0;
	transmit->clock_anomalies = 0;
}

/* "gso_segs where it is not 0; else payload / gso_size, rounded up; 1 without gso_size." */
static uint32_t segments_of(const struct event *event)
{
	uint32_t gso_size = (uint32_t)EVENT_GET(START_XMIT, gso_size, event->arg);
	uint32_t gso_segs = (uint32_t)EVENT_GET(START_XMIT, gso_segs, event->arg);
	uint32_t header = (uint32_t)EVENT_GET(START_XMIT, header_bytes, event->arg);
	uint32_t payload = event->len > header ? event->len - header : 0;

	if (gso_segs)
		return gso_segs;
	if (!gso_size || payload <= gso_size)
		return 1;
	return (payload - 1) / gso_size + 1;
}

int transmit_on_start(struct transmit *transmit, unsigned cpu, const struct event *event)
{
	struct device *device = device_of(transmit, event);
	struct calls *calls = cpus_get(&transmit->calls, cpu);
	struct passage *passage;
	struct tally *queue;

	if (!device || !calls || queue_of(device, event, &queue))
		return -ENOMEM;
	transmit->used++;
	if (!transmit->starts_seen)
		go_by_starts(transmit);
	/* A CPU is in one call of a device at a time, so an older one has returned unseen. */
	passage = calls_find_device(calls, device);
	transmit->returns_unseen |= passage != NULL;
	if (passage && passage_settle(transmit, passage))
		return -ENOMEM;
	passage = find(transmit, event->packet, device, PASSAGE_OPEN);
	if (passage && replace(transmit, passage))
		return -ENOMEM;
	passage = enter(transmit, cpu, event, device);
	if (!passage)
		return -ENOMEM;
	passage->queue = queue;
	passage->segments = segments_of(event);
	if (passage_start(transmit, passage,
		    CHANGE_WAITS_RETURN | (passage->suspect ? CHANGE_WAITS_FREE : 0)))
		return -ENOMEM;
	passage = calls_push(calls, passage);
	if (passage && passage_settle(transmit, passage))
		return -ENOMEM;
	if (passage)
		packets_release(&transmit->packets, passage);
	return 0;
}

/* The return of a driver call whose start was seen. */
static int on_return(
	struct transmit *transmit, unsigned cpu, const struct event *event, struct device *device)
{
	uint32_t rc = (uint32_t)EVENT_GET(XMIT, rc, event->arg);
	struct calls *calls = cpus_get(&transmit->calls, cpu);
	struct passage *passage;

	if (!calls)
		return -ENOMEM;
	passage = calls_find(calls, device, event->packet);
	if (!passage) { /* it began before the trace, or before a gap */
		device->all.retries += rc == EVENT_RC_BUSY;
		return 0;
	}
	calls_remove(passage);
	passage->received = passage->received && !rc; /* it was, in this call */
	if (passage->freed_early)
		PASSAGE_COUNT(passage, free_before_xmit_return);
	if (rc == EVENT_RC_BUSY)
		PASSAGE_COUNT(passage, retries);
	if (rc)
		return passage_fail(transmit, passage, rc == EVENT_RC_BUSY);
	if (passage_settle(transmit, passage))
		return -ENOMEM;
	if (passage->received && passage->state == PASSAGE_OPEN)
		return passage_close(transmit, passage, OUTCOME_DELIVERED, transmit->now);
	packets_release(&transmit->packets, passage);
	return 0;
}

/* An xmit event in a trace without start_xmit: the lap begins here, if it begins. */
static int on_xmit_as_start(
	struct transmit *transmit, unsigned cpu, const struct event *event, struct device *device)
{
	uint32_t rc = (uint32_t)EVENT_GET(XMIT, rc, event->arg);
	struct passage *left = find(transmit, event->packet, device, PASSAGE_LEFT);
	struct passage *passage = find(transmit, event->packet, device, PASSAGE_OPEN);
	uint64_t taking;

	if (passage && replace(transmit, passage))
		return -ENOMEM;
	if (rc == EVENT_RC_BUSY) {
		device->all.retries++;
		return 0;
	}
	if (left) {
		device->all.free_before_xmit_return++;
		orphans_take(&transmit->orphans, event->packet, cpu, transmit->now, &taking);
		packets_forget(&transmit->packets, left);
	}
	if (rc) {
		device->all.started++;
		device->all.refused++;
		passage = find(transmit, event->packet, device, PASSAGE_QUEUED);
		if (passage)
			packets_forget(&transmit->packets, passage);
		return 0;
	}
	if (left)
		return 0;
	passage = enter(transmit, cpu, event, device);
	if (!passage || queue_of(device, event, &passage->queue))
		return -ENOMEM;
	passage->queue_time_known = false; /* the driver's time would be in it */
	return passage_start(transmit, passage, passage->suspect ? CHANGE_WAITS_FREE : 0);
}

int transmit_on_xmit(struct transmit *transmit, unsigned cpu, const struct event *event)
{
	struct device *device = device_of(transmit, event);

	if (!device)
		return -ENOMEM;
	transmit->used++;
	transmit->returns_seen = true;
	if (transmit->starts_seen)
		return on_return(transmit, cpu, event, device);
	return on_xmit_as_start(transmit, cpu, event, device);
}
