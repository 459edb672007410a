/* SPDX-License-Identifier: BSD-3-Clause */
#include "orphans.h"

static uint64_t *bucket_of(struct orphans *orphans, uint64_t packet)
{
	return &orphans->newest_of[packet * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

_Static_assert(ORPHANS == 1 << 12, "bucket_of takes the upper 12 bits");

static struct orphan *orphan_of(struct orphans *orphans, uint64_t number)
{
	return &orphans->ring[number % ORPHANS];
}

void orphans_add(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time)
{
	uint64_t *newest = bucket_of(orphans, packet);
	uint64_t number = ++orphans->newest;

	*orphan_of(orphans, number) = (struct orphan){
		.packet = packet,
		.time = time,
		.previous = *newest,
		.cpu = cpu,
	};
	*newest = number;
	if (number - orphans->oldest >= ORPHANS)
		orphans->oldest = number - ORPHANS + 1;
}

bool orphans_take(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time)
{
	uint64_t number = *bucket_of(orphans, packet);
	bool found = false;

	while (number && number >= orphans->oldest) {
		struct orphan *orphan = orphan_of(orphans, number);

		/* A bucket goes from young to old, so what follows is too old as well. */
		if (time - orphan->time > orphans->window)
			break;
		if (orphan->packet == packet && !orphan->taken) {
			orphan->taken = true;
			found |= orphan->cpu != cpu;
		}
		number = orphan->previous;
	}
	return found;
}

void orphans_clear(struct orphans *orphans)
{
	orphans->oldest = orphans->newest + 1;
}
