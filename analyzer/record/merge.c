/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

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
	unsigned *heap; /* lanes that have events, the earliest on top */
	unsigned heap_count;
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
	merge->heap = calloc(lanes, sizeof(*merge->heap));
	if (!merge->lanes || !merge->heap) {
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
	free(merge->heap);
	free(merge);
}

static struct event *first_of(const struct lane *lane)
{
	return &lane->events[lane->head & (lane->room - 1)];
}

static bool earlier(const struct merge *merge, unsigned a, unsigned b)
{
	uint64_t left = first_of(&merge->lanes[a])->time, right = first_of(&merge->lanes[b])->time;

	return left != right ? left < right : a < b;
}

/* The lane on top goes down to where it belongs. */
static void sink_top(struct merge *merge)
{
	unsigned lane = merge->heap[0], at = 0;

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child + 1 < merge->heap_count &&
			earlier(merge, merge->heap[child + 1], merge->heap[child]))
			child++;
		if (child >= merge->heap_count || !earlier(merge, merge->heap[child], lane))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = lane;
}

static void enter(struct merge *merge, unsigned lane)
{
	unsigned at = merge->heap_count++;

	while (at && earlier(merge, lane, merge->heap[(at - 1) / 2])) {
		merge->heap[at] = merge->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	merge->heap[at] = lane;
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
		enter(merge, number);
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

	if (!merge->heap_count)
		return false;
	lane = &merge->lanes[merge->heap[0]];
	/* not one of the same time: a lower lane may still have that */
	if (!merge->ended && first_of(lane)->time >= settled(merge))
		return false;
	*number = merge->heap[0];
	*event = *first_of(lane);
	lane->head++;
	if (lane->head == lane->tail)
		merge->heap[0] = merge->heap[--merge->heap_count];
	if (merge->heap_count)
		sink_top(merge);
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
