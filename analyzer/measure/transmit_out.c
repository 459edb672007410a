/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that end a packet's stay in a device: free, receive, lost; and the passing of time.
 */
#include "passage.h"

#include <errno.h>

static int drop(struct passage *passage, uint32_t reason)
{
	if (!reason)
		return 0;
	if (passage->queue && tally_drop(passage->queue, reason))
		return -ENOMEM;
	return tally_drop(&passage->device->all, reason);
}

/* Where a free found its packet: of several places the last. */
enum found { FOUND_NOTHING, FOUND_QUEUED, FOUND_INSIDE };

static void note(enum found *found, enum found place)
{
	if (place > *found)
		*found = place;
}

static int free_passage(struct transmit *transmit, struct passage *passage,
	const struct event *event, enum found *found)
{
	uint32_t reason = (uint32_t)EVENT_GET(FREE, reason, event->arg);
	bool aborted = EVENT_GET(FREE, aborted, event->arg);

	switch ((enum passage_state)passage->state) {
	case PASSAGE_CLOSED:
		break;
	case PASSAGE_QUEUED:
		if (drop(passage, reason))
			return -ENOMEM;
		note(found, FOUND_QUEUED);
		if (transmit->starts_seen)
			packets_forget(&transmit->packets, passage);
		else
			packets_move(&transmit->packets, passage, PASSAGE_LEFT);
		break;
	case PASSAGE_LEFT:
		note(found, FOUND_INSIDE);
		break;
	case PASSAGE_OPEN:
		note(found, FOUND_INSIDE);
		passage->freed_early = passage->calls != NULL;
		if (drop(passage, reason))
			return -ENOMEM;
		return passage_close(transmit, passage, aborted ? OUTCOME_ABORTED : OUTCOME_FREED,
			transmit->now);
	case PASSAGE_DELIVERED:
		note(found, FOUND_INSIDE);
		passage->freed_early = passage->calls != NULL;
		packets_forget(&transmit->packets, passage);
		break;
	}
	return 0;
}

int transmit_on_free(struct transmit *transmit, unsigned cpu, const struct event *event)
{
	struct passage *passage = packets_find(&transmit->packets, event->packet), *next;
	enum found found = FOUND_NOTHING;

	transmit->used += passage != NULL;
	for (; passage; passage = next) {
		next = passage->other;
		if (free_passage(transmit, passage, event, &found))
			return -ENOMEM;
	}
	if (found != FOUND_INSIDE)
		orphans_add(&transmit->orphans, event->packet, cpu, transmit->now,
			found == FOUND_QUEUED);
	return 0;
}

/*
 * A device delivers if its name says so, or if the packet is received while the call of its driver
 * goes on, on the same CPU: by a veth of any name, as a container has. Hardware can't do that: a
 * memory that was freed in the call isn't received into before the call returns, since softirqs
 * are off in it. Whether a call goes on is only known where returns are recorded:
 * before the first one was seen, a packet is delivered when its call returns.
 */
static __attribute__((noinline)) bool is_in_call(
	struct transmit *transmit, unsigned cpu, struct passage *passage)
{
	if (!passage->calls || transmit->returns_unseen ||
		passage->calls != cpus_get(&transmit->calls, cpu))
		return false;
	passage->received = !transmit->returns_seen;
	return transmit->returns_seen;
}

/* netif_rx or netif_receive_skb: the other side of a veth, or of the loopback, has the packet. */
int transmit_on_receive(struct transmit *transmit, unsigned cpu, const struct event *event)
{
	struct passage *passage = packets_find(&transmit->packets, event->packet), *next;

	for (; passage; passage = next) {
		next = passage->other;
		if (!passage->device->delivers && !is_in_call(transmit, cpu, passage))
			continue;
		if (passage->state == PASSAGE_OPEN) {
			transmit->used++;
			if (passage_close(transmit, passage, OUTCOME_DELIVERED, transmit->now))
				return -ENOMEM;
		} else if (passage->state == PASSAGE_QUEUED && !transmit->starts_seen) {
			transmit->used++;
			packets_move(&transmit->packets, passage, PASSAGE_LEFT);
		}
	}
	return 0;
}

/*
 * Nothing pairs across a gap: a free may be missing, so that the next one of the same address
 * belongs to another packet.
 */
int transmit_on_lost(struct transmit *transmit)
{
	struct packets *packets = &transmit->packets;

	transmit->used++;
	if (passage_settle_all(transmit))
		return -ENOMEM;
	while (packets->open.first) {
		if (passage_close(transmit, packets->open.first, OUTCOME_UNRESOLVED, transmit->now))
			return -ENOMEM;
	}
	while (packets->remembered.first)
		packets_forget(packets, packets->remembered.first);
	orphans_clear(&transmit->orphans);
	return 0;
}

int transmit_expire(struct transmit *transmit)
{
	struct passage *oldest;

	while ((oldest = transmit->packets.open.first) &&
		transmit->now - oldest->start > transmit->options.expire_cycles) {
		if (passage_close(transmit, oldest, passage_unseen(oldest, OUTCOME_UNRESOLVED),
			    oldest->start + transmit->options.expire_cycles))
			return -ENOMEM;
	}
	return 0;
}
