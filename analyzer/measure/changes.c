/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int changes_enter(struct changes *changes, uint64_t packet)
{
	struct address_slot *slot;

	if (addresses_reserve(&changes->inside))
		return -ENOMEM;
	slot = addresses_slot(&changes->inside, packet);
	if (slot->value)
		slot->value++;
	else
		addresses_enter(&changes->inside, slot, packet, 1);
	return 0;
}

static void leave(struct changes *changes, uint64_t packet)
{
	struct address_slot *slot = addresses_slot(&changes->inside, packet);

	if (slot->value == 1)
		addresses_remove(&changes->inside, slot);
	else
		slot->value--;
}

/* A packet that is in several devices, one over the other, counts once in all together. */
static int count_inside(struct changes *changes, const struct change *change)
{
	if (change->kind != CHANGE_START) {
		leave(changes, change->packet);
		return 0;
	}
	if (changes_enter(changes, change->packet))
		return -ENOMEM;
	if (changes->inside.used > changes->inside_max)
		changes->inside_max = changes->inside.used;
	return 0;
}

int changes_begin_several(struct changes *changes, uint64_t max)
{
	changes->several = true;
	changes->inside_max = max;
	for (uint64_t number = changes->tail; number-- > changes->head;) {
		const struct change *change = changes_waiting(changes, number);

		if (!change->counts)
			continue;
		if (change->kind == CHANGE_START)
			leave(changes, change->packet);
		else if (changes_enter(changes, change->packet))
			return -ENOMEM;
	}
	return 0;
}

static int apply(struct changes *changes, const struct change *change)
{
	enum change_kind kind = (enum change_kind)change->kind;

	if (!change->counts)
		return 0;
	if (changes->several && count_inside(changes, change))
		return -ENOMEM;
	if (change->queue && occupancy_change(change->queue, change->time, kind))
		return -ENOMEM;
	return occupancy_change(change->device, change->time, kind);
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
		oldest->counts = false;
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
	addresses_clear(&changes->inside);
	free(changes->ring);
	memset(changes, 0, sizeof(*changes));
}
