/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many packets are in a device, or in one of its queues, as time goes by: the most at one
 * moment, the time spent at each level, the peaks between clean-ups, and stalls.
 *
 * Changes must come in the order of time and be final (changes.h sees to that).
 *
 * An interval is what lies between two clean-ups. A clean-up has taken place when the level has
 * fallen to half of the interval's peak or less; the next interval begins when the level has risen
 * by half of the trough again, so a driver that frees and refills at once doesn't make an interval
 * of every packet.
 *
 * A stall is an episode in which packets are inside and none is freed, for at least the time given.
 * It begins at the last free, or when the device stopped being empty, and ends with the next free
 * or with the trace. Where all packets close without a free (events were lost, --expire) nobody
 * knows when they left, so a stall that was going on isn't claimed.
 */
#ifndef ANALYZER_MEASURE_OCCUPANCY_H
#define ANALYZER_MEASURE_OCCUPANCY_H

#include "transmit.h"

/*
 * What is known of each level costs memory, and no ring owns more than 65,535 packets. Above that,
 * where memory is full of packets that nobody frees, so many levels count as the lowest of them.
 */
#define LEVELS_EXACT    65536
#define LEVELS_TOGETHER 64

enum change_kind {
	CHANGE_START,
	CHANGE_FREE,     /* the packet was seen to leave: progress */
	CHANGE_CLOSE,    /* it is taken for gone, but nobody saw it leave */
	CHANGE_REPLACED, /* the same, and its address is started again at the same time */
};

/* What happened at one level, the number of packets inside, or at LEVELS_TOGETHER high ones. */
struct level {
	uint64_t time;  /* cycles spent at it */
	uint64_t tail;  /* the same since the device's last event: see occupancy_finish */
	uint64_t peaks; /* intervals that rose to it and not above */
};

/* All zero, except for stall_cycles, is an empty device. */
struct occupancy {
	uint64_t stall_cycles; /* time without a free that makes a stall; 0: no stalls */
	uint64_t now, max;     /* packets inside */
	uint64_t since;        /* of the last change */
	uint64_t progress;     /* the last free, or when the device stopped being empty */
	bool replaced;         /* the last change was CHANGE_REPLACED: empty only in appearance */

	bool falling; /* after a clean-up, before the level has risen again */
	uint64_t peak, trough;

	uint64_t tail_from; /* when the tail begins */
	uint64_t tail_top;  /* the highest of levels[] with a tail; 0: there is no tail */

	struct level *levels; /* of levels 0 to max, the high ones together */
	uint64_t level_room;
	struct stall *stalls;
	unsigned stall_count, stall_room;
};

/* One packet more (CHANGE_START) or less (all others). 0 or -ENOMEM. */
int occupancy_change(struct occupancy *occupancy, uint64_t time, enum change_kind kind);

/*
 * Ends the measurement. Times at levels count up to the device's last event, though packets may
 * have closed unseen after it (that is the tail); a stall may go on to the end of the trace. 0 or
 * -ENOMEM.
 */
int occupancy_finish(struct occupancy *occupancy, uint64_t last_event, uint64_t end_of_trace);

/* Time spent at a level or above it. */
uint64_t occupancy_time_from(const struct occupancy *occupancy, uint64_t level);

/* Intervals whose peak is at least `level`; all of them for 0. */
uint64_t occupancy_intervals_from(const struct occupancy *occupancy, uint64_t level);

/* Frees its memory; the device is empty again. */
void occupancy_clear(struct occupancy *occupancy);

#endif
