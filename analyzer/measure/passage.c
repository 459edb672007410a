/* SPDX-License-Identifier: BSD-3-Clause */
#include "passage.h"

#include <errno.h>

static int commit_lap(struct transmit *transmit, struct passage *passage)
{
	uint64_t lap = passage->end - passage->start;
	struct tally *queue = passage->queue;

	passage->device->all.wire_segments += passage->segments;
	if (passage->lowest) {
		passage->counted = true;
		transmit->tx_packets++;
	}
	if (histogram_add(&passage->device->all.lap, lap))
		return -ENOMEM;
	if (!queue)
		return 0;
	queue->wire_segments += passage->segments;
	return histogram_add(&queue->lap, lap);
}

/* Enters the outcome, which nothing changes any more. */
static int commit(struct transmit *transmit, struct passage *passage)
{
	switch ((enum outcome)passage->outcome) {
	case OUTCOME_NONE:
		break;
	case OUTCOME_FREED:
		PASSAGE_COUNT(passage, freed);
		return commit_lap(transmit, passage);
	case OUTCOME_DELIVERED:
		PASSAGE_COUNT(passage, delivered);
		return commit_lap(transmit, passage);
	case OUTCOME_ABORTED:
		PASSAGE_COUNT(passage, aborted);
		break;
	case OUTCOME_UNRESOLVED:
	case OUTCOME_REPLACED:
		PASSAGE_COUNT(passage, unresolved);
		break;
	case OUTCOME_CLOCK_ANOMALY:
		PASSAGE_COUNT(passage, clock_anomalies);
		transmit->clock_anomalies += passage->first_suspect;
		break;
	}
	return 0;
}

static struct change change_of(const struct passage *passage, uint64_t time, enum change_kind kind)
{
	return (struct change){
		.time = time,
		.packet = passage->packet,
		.device = &passage->device->all.occupancy,
		.queue = passage->queue ? &passage->queue->occupancy : NULL,
		.kind = (uint8_t)kind,
	};
}

int passage_start(struct transmit *transmit, struct passage *passage, unsigned waits)
{
	struct change change = change_of(passage, transmit->now, CHANGE_START);

	passage->start = transmit->now;
	passage->suspect = waits & CHANGE_WAITS_FREE;
	passage->lowest = true;
	tally_touch(&passage->device->all, transmit->now);
	if (passage->queue)
		tally_touch(passage->queue, transmit->now);
	change.waits = (uint8_t)waits;
	change.counts = true;
	if (changes_add(&transmit->changes, &change, &passage->start_change))
		return -ENOMEM;
	return waits & CHANGE_WAITS_RETURN ? 0 : passage_settle(transmit, passage);
}

static int commit_queue_delay(struct passage *passage)
{
	uint64_t delay = passage->start - passage->queued_at;

	if (passage->queue && histogram_add(&passage->queue->queue_delay, delay))
		return -ENOMEM;
	return histogram_add(&passage->device->all.queue_delay, delay);
}

int passage_settle(struct transmit *transmit, struct passage *passage)
{
	struct change *change = changes_waiting(&transmit->changes, passage->start_change);

	if (passage->settled)
		return 0;
	passage->settled = true;
	PASSAGE_COUNT(passage, started);
	if (passage->queue_time_known && commit_queue_delay(passage))
		return -ENOMEM;
	if (change) {
		change->waits &= (uint8_t)~CHANGE_WAITS_RETURN;
		if (changes_flush(&transmit->changes))
			return -ENOMEM;
	}
	return commit(transmit, passage);
}

/* Whether the passage's start has reached the occupancies or will: see decide_oldest, changes.c. */
static bool is_in_device(const struct passage *passage, const struct change *start)
{
	return start || !passage->suspect;
}

int passage_begin_several(struct transmit *transmit)
{
	struct changes *changes = &transmit->changes;
	struct passage *passage = transmit->packets.open.first;

	for (; passage; passage = passage->next) {
		if (is_in_device(passage, changes_waiting(changes, passage->start_change)) &&
			changes_enter(changes, passage->packet))
			return -ENOMEM;
	}
	return changes_begin_several(changes, transmit->devices[0]->all.occupancy.max);
}

/* The packet never was in the device. */
static int undo(struct transmit *transmit, struct passage *passage)
{
	struct change *start = changes_waiting(&transmit->changes, passage->start_change);
	struct change less = change_of(passage, transmit->now, CHANGE_CLOSE);
	uint64_t number;

	if (start) {
		start->counts = false;
		start->waits = 0;
		if (passage->end_known)
			changes_waiting(&transmit->changes, passage->end_change)->counts = false;
	} else if (!passage->end_known && is_in_device(passage, start)) {
		less.counts = true;
		if (changes_add(&transmit->changes, &less, &number))
			return -ENOMEM;
	}
	return changes_flush(&transmit->changes);
}

/* The packet's lowest device is now the one before, if it is still there. */
static void pass_lowest_on(struct transmit *transmit, struct passage *passage)
{
	struct passage *other, *latest = NULL;

	if (!passage->lowest)
		return;
	passage->lowest = false;
	for (other = packets_find(&transmit->packets, passage->packet); other;
		other = other->other) {
		if (other != passage && other->state == PASSAGE_OPEN &&
			(!latest || other->start_change > latest->start_change))
			latest = other;
	}
	if (latest)
		latest->lowest = true;
}

static bool is_queued_again(struct transmit *transmit, const struct passage *passage)
{
	const struct passage *other = packets_find(&transmit->packets, passage->packet);

	while (other && (other->device != passage->device || other->state != PASSAGE_QUEUED))
		other = other->other;
	return other;
}

/* Back to before the start. */
static void requeue(struct transmit *transmit, struct passage *passage)
{
	if (is_queued_again(transmit, passage)) {
		packets_forget(&transmit->packets, passage);
		return;
	}
	passage->queue = NULL;
	passage->outcome = OUTCOME_NONE;
	passage->settled = passage->suspect = passage->first_suspect = false;
	passage->freed_early = passage->end_known = false;
	packets_move(&transmit->packets, passage, PASSAGE_QUEUED);
}

int passage_fail(struct transmit *transmit, struct passage *passage, bool busy)
{
	/* Taken for returned when the CPU started the next packet: then a lap can't be undone. */
	if (passage->settled && passage->outcome != OUTCOME_NONE) {
		packets_release(&transmit->packets, passage);
		return 0;
	}
	if (undo(transmit, passage))
		return -ENOMEM;
	if (busy)
		orphans_give_back(
			&transmit->orphans, passage->packet, transmit->now, passage->taking);
	pass_lowest_on(transmit, passage);
	if (busy && passage->settled) {
		passage->device->all.started--;
		if (passage->queue)
			passage->queue->started--;
	} else if (!busy) {
		if (!passage->settled)
			PASSAGE_COUNT(passage, started);
		PASSAGE_COUNT(passage, refused);
	}
	passage->settled = true;
	if (passage->state == PASSAGE_CLOSED)
		packets_release(&transmit->packets, passage);
	else if (busy)
		requeue(transmit, passage);
	else
		packets_forget(&transmit->packets, passage);
	return 0;
}

static enum change_kind kind_of(enum outcome outcome)
{
	if (outcome == OUTCOME_REPLACED)
		return CHANGE_REPLACED;
	return outcome == OUTCOME_UNRESOLVED ? CHANGE_CLOSE : CHANGE_FREE;
}

/* Enters the end in the occupancies. */
static int leave(struct transmit *transmit, struct passage *passage, enum change_kind kind)
{
	struct change *start = changes_waiting(&transmit->changes, passage->start_change);
	struct change end = change_of(passage, passage->end, kind);

	end.counts = is_in_device(passage, start);
	if (start)
		start->waits &= (uint8_t)~CHANGE_WAITS_FREE;
	passage->end_known = true;
	if (changes_add(&transmit->changes, &end, &passage->end_change))
		return -ENOMEM;
	return changes_flush(&transmit->changes);
}

int passage_close(
	struct transmit *transmit, struct passage *passage, enum outcome outcome, uint64_t time)
{
	bool seen = outcome == OUTCOME_FREED || outcome == OUTCOME_DELIVERED ||
		    outcome == OUTCOME_ABORTED;

	passage->end = time;
	passage->outcome = (uint8_t)outcome;
	if (seen) {
		tally_touch(&passage->device->all, time);
		if (passage->queue)
			tally_touch(passage->queue, time);
	}
	if (passage->suspect && !seen ? undo(transmit, passage)
				      : leave(transmit, passage, kind_of(outcome)))
		return -ENOMEM;
	if (passage->settled && commit(transmit, passage))
		return -ENOMEM;
	packets_move(&transmit->packets, passage,
		outcome == OUTCOME_DELIVERED ? PASSAGE_DELIVERED : PASSAGE_CLOSED);
	packets_release(&transmit->packets, passage);
	return 0;
}

int passage_settle_all(struct transmit *transmit)
{
	for (unsigned cpu = 0; cpu < transmit->calls.room; cpu++) {
		struct passage *passage;

		if (!transmit->calls.states[cpu])
			continue;
		while ((passage = calls_pop(transmit->calls.states[cpu]))) {
			if (passage_settle(transmit, passage))
				return -ENOMEM;
			packets_release(&transmit->packets, passage);
		}
	}
	return 0;
}
