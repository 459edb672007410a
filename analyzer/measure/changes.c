/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int apply(struct changes *changes, const struct change *change)
{
	if (change->counts_in_total && change->kind != CHANGE_START) {
		changes->total--;
	} else if (change->counts_in_total) {
		changes->total++;
		if (changes->total > changes->total_max)
			changes->total_max = changes->total;
	}
	if (!change->counts)
		return 0;
	if (change->queue &&
		occupancy_change(change->queue, change->time, (enum change_kind)change->kind))
		return -ENOMEM;
	return occupancy_change(change->device, change->time, (enum change_kind)change->kind);
}

static int grow(struct changes *changes)
{
	uint64_t room = changes->room ? 2 * changes->room : 64;
	struct change *ring = malloc(room * sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	for (uint64_t i = changes->head; i < changes->tail; i++)
		ring[i & (room - 1)] = changes->ring[i & (changes->room - 1)];
	free(changes->ring);
	changes->ring = ring;
	changes->room = room;
	return 0;
}

static void decide_oldest(struct changes *changes)
{
	struct change *oldest = changes_waiting(changes, changes->head);

	if (oldest->waits & CHANGE_WAITS_FREE)
		oldest->counts = oldest->counts_in_total = false;
	oldest->waits = 0;
}

int changes_flush(struct changes *changes)
{
	while (changes->head < changes->tail) {
		struct change *oldest = changes_waiting(changes, changes->head);

		if (oldest->waits)
			return 0;
		changes->head++;
		if (apply(changes, oldest))
			return -ENOMEM;
	}
	return 0;
}

int changes_add(struct changes *changes, const struct change *change, uint64_t *number)
{
	if (changes->head == changes->tail && !change->waits) {
		*number = changes->tail++;
		changes->head++;
		return apply(changes, change);
	}
	if (changes->tail - changes->head == CHANGES_MAX) {
		decide_oldest(changes);
		if (changes_flush(changes))
			return -ENOMEM;
		return changes_add(changes, change, number);
	}
	if (changes->tail - changes->head == changes->room && grow(changes))
		return -ENOMEM;
	*number = changes->tail++;
	*changes_waiting(changes, *number) = *change;
	return 0;
}

void changes_clear(struct changes *changes)
{
	free(changes->ring);
	memset(changes, 0, sizeof(*changes));
}
