/* SPDX-License-Identifier: BSD-3-Clause */
#include "orphans.h"

#include <stddef.h>

static uint64_t *bucket_of(struct orphans *orphans, uint64_t packet)
{
	return &orphans->newest_of[packet * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

_Static_assert(ORPHANS == 1 << 12, "bucket_of takes the upper 12 bits");

static struct orphan *orphan_of(struct orphans *orphans, uint64_t number)
{
	return &orphans->ring[number % ORPHANS];
}

/* The orphan of this number, or NULL if it is too old to be of use. */
static struct orphan *usable(struct orphans *orphans, uint64_t number, uint64_t time)
{
	struct orphan *orphan = orphan_of(orphans, number);

	/* A bucket goes from young to old, so what follows is too old as well. */
	if (!number || number < orphans->oldest || time - orphan->time > orphans->window)
		return NULL;
	return orphan;
}

void orphans_add(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time, bool queued)
{
	uint64_t *newest = bucket_of(orphans, packet);
	uint64_t number = ++orphans->newest;

	*orphan_of(orphans, number) = (struct orphan){
		.packet = packet,
		.time = time,
		.previous = *newest,
		.cpu = cpu,
		.queued = queued,
	};
	*newest = number;
	if (number - orphans->oldest >= ORPHANS)
		orphans->oldest = number - ORPHANS + 1;
}

bool orphans_take(
	struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time, uint64_t *taking)
{
	struct orphan *orphan;
	bool found = false;

	*taking = ++orphans->takings;
	for (uint64_t number = *bucket_of(orphans, packet);
		(orphan = usable(orphans, number, time)); number = orphan->previous) {
		if (orphan->packet != packet || orphan->taken)
			continue;
		orphan->taken = *taking;
		found |= orphan->cpu != cpu;
	}
	return found;
}

void orphans_give_back(struct orphans *orphans, uint64_t packet, uint64_t time, uint64_t taking)
{
	struct orphan *orphan;

	for (uint64_t number = *bucket_of(orphans, packet);
		(orphan = usable(orphans, number, time)); number = orphan->previous) {
		if (orphan->packet == packet && orphan->taken == taking)
			orphan->taken = 0;
	}
}

void orphans_requeue(struct orphans *orphans, uint64_t packet, uint64_t time)
{
	struct orphan *orphan;

	for (uint64_t number = *bucket_of(orphans, packet);
		(orphan = usable(orphans, number, time)); number = orphan->previous) {
		if (orphan->packet == packet && orphan->queued)
			orphan->taken = UINT64_MAX;
	}
}

void orphans_clear(struct orphans *orphans)
{
	orphans->oldest = orphans->newest + 1;
}
