/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sent packets: queued, handed to the driver, returned by it, ended.
 *
 * The rules are those of transmit.h, without its counting: a packet at two devices has two records,
 * a driver that is busy gives it back, an address that starts again leaves the older unresolved.
 * What is missing in a trace is missing in the record: recordings of 2010 have no start_xmit.
 */
#include "tally.h"
#include "timeline_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENDED_MAX     65536 /* packets that are done with but for their driver call's return */
#define BLOCK_RECORDS 256

enum sending_state {
	SENDING_QUEUED,  /* before the device */
	SENDING_STARTED, /* the driver's xmit function has it */
	SENDING_SENT,    /* the driver has returned, and keeps it */
	SENDING_ENDED,   /* in the journal; only the driver's return is to come */
};

/* One packet at one device. */
struct sending {
	struct timeline_packet packet;
	struct sending *other;           /* the same packet at another device: the one before */
	struct sending *previous, *next; /* of its list */
	uint64_t number;                 /* in the journal: ENDED */
	enum sending_state state;
	bool received; /* in its driver's call, if that goes on still */
};

struct sending_block {
	struct sending_block *next;
	struct sending records[BLOCK_RECORDS];
};

static struct sending *take_spare(struct transmitting *transmitting)
{
	struct sending *sending = transmitting->spare;
	struct sending_block *block;

	if (!sending) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->next = transmitting->blocks;
		transmitting->blocks = block;
		for (int i = 0; i < BLOCK_RECORDS; i++) {
			block->records[i].next = sending;
			sending = &block->records[i];
		}
	}
	transmitting->spare = sending->next;
	return sending;
}

static void join(struct sending_list *list, struct sending *sending)
{
	sending->previous = list->last;
	sending->next = NULL;
	if (list->last)
		list->last->next = sending;
	else
		list->first = sending;
	list->last = sending;
	list->count++;
}

static void leave(struct sending_list *list, struct sending *sending)
{
	if (sending->previous)
		sending->previous->next = sending->next;
	else
		list->first = sending->next;
	if (sending->next)
		sending->next->previous = sending->previous;
	else
		list->last = sending->previous;
	list->count--;
}

/* Takes a record out of the table. */
static void forget(struct transmitting *transmitting, struct sending *sending)
{
	struct address_slot *slot = addresses_slot(&transmitting->packets, sending->packet.packet);
	struct sending *newer = (struct sending *)slot->value;

	leave(sending->state == SENDING_ENDED ? &transmitting->ended : &transmitting->open,
		sending);
	if (newer != sending) {
		while (newer->other != sending)
			newer = newer->other;
		newer->other = sending->other;
	} else if (sending->other) {
		slot->value = (uintptr_t)sending->other;
	} else {
		addresses_remove(&transmitting->packets, slot);
	}
	sending->next = transmitting->spare;
	transmitting->spare = sending;
}

static void change_level(
	struct timeline *timeline, const struct sending *sending, uint64_t time, int change)
{
	uint32_t *level = &timeline->transmitting.in_device[sending->packet.device];

	*level += (uint32_t)change;
	if (timeline->options.level)
		timeline->options.level(
			timeline->options.context, sending->packet.device, time, *level);
}

static bool is_in_device(const struct sending *sending)
{
	return sending->state == SENDING_STARTED || sending->state == SENDING_SENT;
}

/*
 * The packet has ended: into the journal. Where its driver call has yet to return, the record is
 * kept for that; a trace without starts doesn't tell, so there it may be so while it is queued.
 */
static int end(struct timeline *timeline, struct sending *sending, enum timeline_end how,
	uint64_t time, uint32_t reason)
{
	struct transmitting *transmitting = &timeline->transmitting;
	bool returns = sending->state == SENDING_STARTED ||
		       (sending->state == SENDING_QUEUED && !transmitting->starts_seen);
	int error;

	sending->packet.end = how == TIMELINE_UNRESOLVED ? TIMELINE_UNKNOWN : time;
	sending->packet.how = (uint8_t)how;
	sending->packet.reason = (uint16_t)reason;
	sending->number = transmitting->journal.count;
	error = journal_append(&transmitting->journal, &sending->packet, 1);
	if (error)
		return error;
	if (is_in_device(sending))
		change_level(timeline, sending, time, -1);
	if (!returns || how == TIMELINE_UNRESOLVED || how == TIMELINE_REFUSED) {
		forget(transmitting, sending);
		return 0;
	}
	leave(&transmitting->open, sending);
	sending->state = SENDING_ENDED;
	join(&transmitting->ended, sending);
	if (transmitting->ended.count > ENDED_MAX)
		forget(transmitting, transmitting->ended.first);
	return 0;
}

static struct sending *find_packet(const struct transmitting *transmitting, uint64_t packet)
{
	return (struct sending *)addresses_get(&transmitting->packets, packet);
}

static struct sending *find(const struct transmitting *transmitting, const struct event *event)
{
	struct sending *sending = find_packet(transmitting, event->packet);

	while (sending && sending->packet.device != event->device)
		sending = sending->other;
	return sending;
}

/* Makes a new record. Records of the same address stay. NULL only if there is no memory. */
static struct sending *add(struct transmitting *transmitting, const struct event *event)
{
	struct address_slot *slot;
	struct sending *sending;

	if (addresses_reserve(&transmitting->packets))
		return NULL;
	sending = take_spare(transmitting);
	if (!sending)
		return NULL;
	*sending = (struct sending){
		.packet = {
			.packet = event->packet,
			.queued = TIMELINE_UNKNOWN,
			.start = TIMELINE_UNKNOWN,
			.xmit = TIMELINE_UNKNOWN,
			.end = TIMELINE_UNKNOWN,
			.len = event->len,
			.queue = EVENT_QUEUE_UNKNOWN,
			.device = event->device,
		},
	};
	join(&transmitting->open, sending);
	slot = addresses_slot(&transmitting->packets, event->packet);
	sending->other = (struct sending *)slot->value;
	if (sending->other)
		slot->value = (uintptr_t)sending;
	else
		addresses_enter(&transmitting->packets, slot, event->packet, (uintptr_t)sending);
	return sending;
}

/*
 * Closes the records of an older packet with this address: that of the same device, and those of
 * others whose driver call has returned.
 */
static int replace(struct timeline *timeline, const struct event *event, bool others)
{
	struct sending *sending = find_packet(&timeline->transmitting, event->packet), *next;
	int error = 0;

	for (; sending && !error; sending = next) {
		bool same = sending->packet.device == event->device;

		next = sending->other;
		if (!same && !(others && sending->state == SENDING_SENT))
			continue;
		if (sending->state == SENDING_ENDED)
			forget(&timeline->transmitting, sending);
		else
			error = end(timeline, sending, TIMELINE_UNRESOLVED, event->time, 0);
	}
	return error;
}

static int on_queue(struct timeline *timeline, const struct event *event)
{
	struct transmitting *transmitting = &timeline->transmitting;
	struct sending *sending;
	int error;

	transmitting->queues_seen = true;
	error = replace(timeline, event, true);
	if (error)
		return error;
	sending = add(transmitting, event);
	if (!sending)
		return -ENOMEM;
	sending->packet.queued = event->time;
	return 0;
}

static int on_start(struct timeline *timeline, const struct event *event)
{
	struct transmitting *transmitting = &timeline->transmitting;
	struct sending *sending = find(transmitting, event);

	transmitting->starts_seen = true;
	if (!sending || sending->state != SENDING_QUEUED) {
		/* without a queue event of its own: a segment of a larger one, or a raw socket's */
		int error = replace(timeline, event, transmitting->queues_seen);

		if (error)
			return error;
		sending = add(transmitting, event);
		if (!sending)
			return -ENOMEM;
	}
	sending->state = SENDING_STARTED;
	sending->packet.start = event->time;
	sending->packet.queue = (uint16_t)event_queue(event);
	change_level(timeline, sending, event->time, 1);
	return 0;
}

/* The driver has returned. */
static int on_return(struct timeline *timeline, struct sending *sending, const struct event *event)
{
	uint32_t rc = (uint32_t)EVENT_GET(XMIT, rc, event->arg);

	if (rc && rc != EVENT_RC_BUSY)
		return end(timeline, sending, TIMELINE_REFUSED, event->time, 0);
	if (!rc) {
		if (sending->state == SENDING_QUEUED)
			change_level(timeline, sending, event->time, 1);
		sending->packet.xmit = event->time;
		sending->state = SENDING_SENT;
		return sending->received
			       ? end(timeline, sending, TIMELINE_DELIVERED, event->time, 0)
			       : 0;
	}
	if (sending->state == SENDING_STARTED)
		change_level(timeline, sending, event->time, -1);
	if (sending->packet.retries < UINT16_MAX)
		sending->packet.retries++;
	sending->packet.start = TIMELINE_UNKNOWN;
	sending->received = false;
	sending->state = SENDING_QUEUED;
	return 0;
}

static int on_xmit(struct timeline *timeline, const struct event *event)
{
	struct transmitting *transmitting = &timeline->transmitting;
	struct sending *sending = find(transmitting, event);
	int error;

	transmitting->returns_seen = true;
	if (sending && sending->state == SENDING_ENDED) {
		error = journal_change(&transmitting->journal, sending->number,
			offsetof(struct timeline_packet, xmit), &event->time, sizeof(event->time));
		forget(transmitting, sending);
		return error;
	}
	if (sending && sending->state != SENDING_SENT)
		return on_return(timeline, sending, event);
	if (transmitting->starts_seen || EVENT_GET(XMIT, rc, event->arg))
		return 0; /* its call began before the trace */
	error = replace(timeline, event, transmitting->queues_seen);
	if (error)
		return error;
	sending = add(transmitting, event);
	return sending ? on_return(timeline, sending, event) : -ENOMEM;
}

static int on_free(struct timeline *timeline, const struct event *event)
{
	uint32_t reason = (uint32_t)EVENT_GET(FREE, reason, event->arg);
	struct sending *sending = find_packet(&timeline->transmitting, event->packet), *next;
	enum timeline_end how = reason ? TIMELINE_DROPPED : TIMELINE_FREED;
	int error = 0;

	if (EVENT_GET(FREE, aborted, event->arg))
		how = TIMELINE_ABORTED;
	for (; sending && !error; sending = next) {
		next = sending->other;
		if (sending->state != SENDING_ENDED)
			error = end(timeline, sending, how, event->time, reason);
	}
	return error;
}

static bool delivers(struct timeline *timeline, uint8_t device)
{
	uint8_t *known = &timeline->transmitting.delivers[device];

	if (!*known) {
		const char *name = names_get(timeline->names, NAME_DEVICE, device);

		*known = name && device_delivers(name) ? 2 : 1;
	}
	return *known == 2;
}

/*
 * The driver's call for the packet goes on, so that nobody but the other side of a veth, whatever
 * its name, can receive it (transmit_out.c says why, and what of the first one).
 */
static bool is_delivered_in_call(const struct transmitting *transmitting, struct sending *sending)
{
	if (sending->state != SENDING_STARTED)
		return false;
	sending->received = !transmitting->returns_seen && sending == transmitting->open.last;
	return transmitting->returns_seen;
}

/* The other side of a veth, or of the loopback, has the packet. */
static int on_receive(struct timeline *timeline, const struct event *event)
{
	struct sending *sending = NULL, *next;
	int error = 0;

	if (!timeline->options.frees_only)
		sending = find_packet(&timeline->transmitting, event->packet);
	for (; sending && !error; sending = next) {
		bool inside = is_in_device(sending) || (sending->state == SENDING_QUEUED &&
							       !timeline->transmitting.starts_seen);

		next = sending->other;
		if (inside && (delivers(timeline, sending->packet.device) ||
				      is_delivered_in_call(&timeline->transmitting, sending)))
			error = end(timeline, sending, TIMELINE_DELIVERED, event->time, 0);
	}
	return error;
}

/* Nothing pairs across a gap. */
static int on_lost(struct timeline *timeline, const struct event *event)
{
	struct transmitting *transmitting = &timeline->transmitting;
	int error = 0;

	while (transmitting->ended.first)
		forget(transmitting, transmitting->ended.first);
	while (transmitting->open.first && !error)
		error = end(
			timeline, transmitting->open.first, TIMELINE_UNRESOLVED, event->time, 0);
	return error;
}

transmitting_handler *const transmitting_handlers[EVENT_ID_COUNT] = {
	[EVENT_QUEUE] = on_queue,
	[EVENT_START_XMIT] = on_start,
	[EVENT_XMIT] = on_xmit,
	[EVENT_FREE] = on_free,
	[EVENT_RECEIVE] = on_receive,
	[EVENT_LOST] = on_lost,
};

int transmitting_finish(struct timeline *timeline)
{
	struct transmitting *transmitting = &timeline->transmitting;
	int error = 0;

	for (struct sending *open = transmitting->open.first; open && !error; open = open->next)
		error = journal_append(&transmitting->journal, &open->packet, 1);
	return error;
}

void transmitting_destroy(struct transmitting *transmitting)
{
	while (transmitting->blocks) {
		struct sending_block *block = transmitting->blocks;

		transmitting->blocks = block->next;
		free(block);
	}
	addresses_clear(&transmitting->packets);
	journal_destroy(&transmitting->journal);
}
