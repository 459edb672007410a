/* SPDX-License-Identifier: BSD-3-Clause */
#include "occupancy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a level is counted. */
static inline uint64_t place_of(uint64_t level)
{
	if (level < LEVELS_EXACT)
		return level;
	return LEVELS_EXACT + (level - LEVELS_EXACT) / LEVELS_TOGETHER;
}

static struct level *level_of(const struct occupancy *occupancy, uint64_t level)
{
	return &occupancy->levels[place_of(level)];
}

static int grow_levels(struct occupancy *occupancy)
{
	uint64_t room = occupancy->level_room ? 2 * occupancy->level_room : 128;
	struct level *levels = realloc(occupancy->levels, room * sizeof(*levels));

	if (!levels)
		return -ENOMEM;
	memset(levels + occupancy->level_room, 0, (room - occupancy->level_room) * sizeof(*levels));
	occupancy->levels = levels;
	occupancy->level_room = room;
	return 0;
}

static int add_stall(struct occupancy *occupancy, uint64_t end, bool open)
{
	if (occupancy->stall_count == occupancy->stall_room) {
		unsigned room = occupancy->stall_room ? 2 * occupancy->stall_room : 4;
		struct stall *stalls = realloc(occupancy->stalls, room * sizeof(*stalls));

		if (!stalls)
			return -ENOMEM;
		occupancy->stalls = stalls;
		occupancy->stall_room = room;
	}
	occupancy->stalls[occupancy->stall_count++] = (struct stall){
		.start = occupancy->progress,
		.end = end,
		.packets = occupancy->now,
		.open = open,
	};
	return 0;
}

static bool is_stall(const struct occupancy *occupancy, uint64_t end)
{
	return occupancy->stall_cycles && occupancy->now &&
	       end - occupancy->progress >= occupancy->stall_cycles;
}

static void rise(struct occupancy *occupancy, uint64_t time)
{
	if (!occupancy->now && !(occupancy->replaced && occupancy->since == time))
		occupancy->progress = time;
	occupancy->now++;
	if (occupancy->now > occupancy->max)
		occupancy->max = occupancy->now;
	if (occupancy->falling && 2 * occupancy->now >= 3 * occupancy->trough) {
		occupancy->falling = false;
		occupancy->peak = occupancy->now;
	} else if (occupancy->now > occupancy->peak) {
		occupancy->peak = occupancy->now;
	}
}

static void fall(struct occupancy *occupancy)
{
	occupancy->now--;
	if (occupancy->falling) {
		if (occupancy->now < occupancy->trough)
			occupancy->trough = occupancy->now;
	} else if (2 * occupancy->now <= occupancy->peak) {
		level_of(occupancy, occupancy->peak)->peaks++;
		occupancy->falling = true;
		occupancy->trough = occupancy->now;
	}
}

/* Time passes up to a change that nobody saw: it counts if the device has an event later. */
static void pass_unseen(struct occupancy *occupancy, uint64_t time)
{
	if (!occupancy->tail_top) {
		occupancy->tail_top = place_of(occupancy->now);
		occupancy->tail_from = occupancy->since;
	}
	level_of(occupancy, occupancy->now)->tail += time - occupancy->since;
}

/* The device has an event, so the tail counts, but for what of it is beyond `cycles`. */
static void count_tail(struct occupancy *occupancy, uint64_t cycles)
{
	/* Levels only fall in a tail, so the time of the higher one was first. */
	for (uint64_t place = occupancy->tail_top; place; place--) {
		struct level *level = &occupancy->levels[place];
		uint64_t tail = level->tail;

		if (tail > cycles)
			tail = cycles;
		cycles -= tail;
		level->time += tail;
		level->tail = 0;
	}
	occupancy->tail_top = 0;
}

int occupancy_change(struct occupancy *occupancy, uint64_t time, enum change_kind kind)
{
	int error = 0;

	/* Levels 0 to now + 1 have their place, so neither rise nor fall has to look. */
	if (place_of(occupancy->now + 1) >= occupancy->level_room && grow_levels(occupancy))
		return -ENOMEM;
	if (kind == CHANGE_CLOSE) {
		pass_unseen(occupancy, time);
	} else {
		if (occupancy->tail_top)
			count_tail(occupancy, UINT64_MAX);
		level_of(occupancy, occupancy->now)->time += time - occupancy->since;
	}
	switch (kind) {
	case CHANGE_START:
		rise(occupancy, time);
		break;
	case CHANGE_FREE:
		if (is_stall(occupancy, time))
			error = add_stall(occupancy, time, false);
		occupancy->progress = time;
		fall(occupancy);
		break;
	case CHANGE_CLOSE:
		fall(occupancy);
		break;
	case CHANGE_REPLACED:
		occupancy->now--;
		break;
	}
	occupancy->since = time;
	occupancy->replaced = kind == CHANGE_REPLACED;
	return error;
}

int occupancy_finish(struct occupancy *occupancy, uint64_t last_event, uint64_t end_of_trace)
{
	if (occupancy->tail_top)
		count_tail(occupancy,
			last_event > occupancy->tail_from ? last_event - occupancy->tail_from : 0);
	if (occupancy->level_room && last_event > occupancy->since) {
		level_of(occupancy, occupancy->now)->time += last_event - occupancy->since;
		occupancy->since = last_event;
	}
	if (is_stall(occupancy, end_of_trace))
		return add_stall(occupancy, end_of_trace, true);
	return 0;
}

uint64_t occupancy_time_from(const struct occupancy *occupancy, uint64_t level)
{
	uint64_t time = 0;

	for (uint64_t place = place_of(level); place < occupancy->level_room; place++)
		time += occupancy->levels[place].time;
	return time;
}

uint64_t occupancy_intervals_from(const struct occupancy *occupancy, uint64_t level)
{
	uint64_t intervals = 0;

	for (uint64_t place = place_of(level); place < occupancy->level_room; place++)
		intervals += occupancy->levels[place].peaks;
	return intervals;
}

void occupancy_clear(struct occupancy *occupancy)
{
	uint64_t stall_cycles = occupancy->stall_cycles;

	free(occupancy->levels);
	free(occupancy->stalls);
	memset(occupancy, 0, sizeof(*occupancy));
	occupancy->stall_cycles = stall_cycles;
}
