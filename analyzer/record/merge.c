/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include "heap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 1024

/* A CPU's events that wait, as a ring. */
struct lane {
	struct event *events;
	size_t room;       /* a power of two, or 0 */
	size_t head, tail; /* both only grow */
	uint64_t promised;
};

struct merge {
	struct lane *lanes;
	unsigned lane_count;
	struct heap heap; /* of lanes that have events */
	uint64_t settled; /* the smallest promise */
	bool stale;       /* it has to be looked for again */
	bool ended;
	uint64_t late;
};

int merge_create(struct merge **created, unsigned lanes)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	*created = NULL;
	if (!merge)
		return -ENOMEM;
	merge->lanes = calloc(lanes, sizeof(*merge->lanes));
	if (!merge->lanes || heap_create(&merge->heap, lanes)) {
		merge_destroy(merge);
		return -ENOMEM;
	}
	merge->lane_count = lanes;
	*created = merge;
	return 0;
}

void merge_destroy(struct merge *merge)
{
	if (!merge)
		return;
	for (unsigned i = 0; i < merge->lane_count; i++)
		free(merge->lanes[i].events);
	free(merge->lanes);
	heap_free(&merge->heap);
	free(merge);
}

static struct event *first_of(const struct lane *lane)
{
	return &lane->events[lane->head & (lane->room - 1)];
}

static struct heap_entry entry_of(const struct merge *merge, uint32_t lane)
{
	return (struct heap_entry){ .time = first_of(&merge->lanes[lane])->time, .item = lane };
}

static int grow(struct lane *lane)
{
	size_t room = lane->room ? 2 * lane->room : FIRST_ROOM;
	struct event *events = calloc(room, sizeof(*events));

	if (!events)
		return -ENOMEM;
	for (size_t i = lane->head; i != lane->tail; i++)
		events[i & (room - 1)] = lane->events[i & (lane->room - 1)];
	free(lane->events);
	lane->events = events;
	lane->room = room;
	return 0;
}

int merge_add(struct merge *merge, unsigned number, const struct event *event)
{
	struct lane *lane = &merge->lanes[number];
	struct event *added;

	if (lane->tail - lane->head == lane->room && grow(lane))
		return -ENOMEM;
	added = &lane->events[lane->tail++ & (lane->room - 1)];
	*added = *event;
	if (added->time < lane->promised) {
		added->time = lane->promised;
		merge->late++;
	}
	merge_promise(merge, number, added->time);
	if (lane->tail - lane->head == 1)
		heap_push(&merge->heap, entry_of(merge, number));
	return 0;
}

void merge_promise(struct merge *merge, unsigned number, uint64_t time)
{
	struct lane *lane = &merge->lanes[number];

	if (time <= lane->promised)
		return;
	merge->stale = merge->stale || lane->promised == merge->settled;
	lane->promised = time;
}

void merge_end(struct merge *merge)
{
	merge->ended = true;
}

static uint64_t settled(struct merge *merge)
{
	if (merge->stale) {
		merge->settled = UINT64_MAX;
		for (unsigned i = 0; i < merge->lane_count; i++) {
			if (merge->lanes[i].promised < merge->settled)
				merge->settled = merge->lanes[i].promised;
		}
		merge->stale = false;
	}
	return merge->settled;
}

bool merge_next(struct merge *merge, unsigned *number, struct event *event)
{
	struct lane *lane;

	if (!merge->heap.count)
		return false;
	*number = merge->heap.entries[0].item;
	lane = &merge->lanes[*number];
	/* not one of the same time: a lower lane may still have that */
	if (!merge->ended && first_of(lane)->time >= settled(merge))
		return false;
	*event = *first_of(lane);
	lane->head++;
	if (lane->head == lane->tail)
		heap_pop(&merge->heap);
	else
		heap_replace_top(&merge->heap, entry_of(merge, *number));
	return true;
}

size_t merge_waiting(const struct merge *merge, unsigned lane)
{
	return merge->lanes[lane].tail - merge->lanes[lane].head;
}

uint64_t merge_late(const struct merge *merge)
{
	return merge->late;
}
