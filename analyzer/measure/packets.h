/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The match table: which packets are where, found by their address in O(1).
 *
 * A packet can be at several devices at once (a VLAN over a bond over an Ethernet device hands the
 * same packet down), so an address leads to a short chain of passages, one for each device that it
 * passes. Memory is bounded by the packets that are open, plus PACKETS_REMEMBERED that aren't but
 * of which something is still of use (when they were queued, that they have been delivered).
 */
#ifndef ANALYZER_MEASURE_PACKETS_H
#define ANALYZER_MEASURE_PACKETS_H

#include "addresses.h"
#include <stdbool.h>

#define PACKETS_REMEMBERED (1 << 18)

enum passage_state {
	PASSAGE_CLOSED,    /* not in the table: its packet has left, or was forgotten */
	PASSAGE_QUEUED,    /* before the device */
	PASSAGE_LEFT,      /* it was queued, and left before its xmit event came */
	PASSAGE_OPEN,      /* in the device */
	PASSAGE_DELIVERED, /* it was in the device; the free of its memory is to come */
};

/* How a passage ended. */
enum outcome {
	OUTCOME_NONE,
	OUTCOME_FREED,
	OUTCOME_DELIVERED,
	OUTCOME_ABORTED,
	OUTCOME_UNRESOLVED, /* nobody saw it leave */
	OUTCOME_REPLACED,   /* the same; known because its address starts again */
	OUTCOME_CLOCK_ANOMALY,
};

struct device;
struct tally;
struct calls;

/* The way of one packet through one device. */
struct passage {
	struct passage *other;           /* the same packet at another device */
	struct passage *previous, *next; /* of its list, in the order in which they joined it */
	uint64_t packet;                 /* address */
	struct device *device;
	struct tally *queue;            /* NULL: not known which */
	struct calls *calls;            /* the CPU whose driver call hasn't returned, else NULL */
	uint64_t queued_at, start, end; /* cycles */
	uint64_t start_change, end_change; /* numbers in changes.h */
	uint64_t taking;                   /* what its start took of orphans.h */
	uint32_t segments;                 /* on the wire */
	uint8_t state;                     /* enum passage_state */
	uint8_t outcome;                   /* enum outcome */
	bool queue_time_known : 1;
	bool settled : 1;       /* it is certain that the start succeeded */
	bool suspect : 1;       /* its free may have come before its start: see orphans.h */
	bool first_suspect : 1; /* the one of its packet whose anomaly counts for the trace */
	bool freed_early : 1;   /* before the driver's xmit function returned */
	bool received : 1;      /* the same, if it is certain that it was before */
	bool end_known : 1;     /* end_change is valid */
	bool lowest : 1;        /* the last device that the packet was handed to */
	bool counted : 1;       /* in the trace's number of packets */
};

struct passage_list {
	struct passage *first, *last;
	size_t count;
};

struct passage_block;

/* All zero is an empty table. */
struct packets {
	struct addresses addresses; /* to the youngest passage of each */
	struct passage *spare;
	struct passage_block *blocks;
	struct passage_list open;       /* in the order of their start */
	struct passage_list remembered; /* queued, left or delivered */
};

/* The passages of a packet, the youngest first, or NULL. */
static inline struct passage *packets_find(const struct packets *packets, uint64_t packet)
{
	return (struct passage *)addresses_get(&packets->addresses, packet);
}

/*
 * Enters a new passage, PASSAGE_QUEUED or PASSAGE_OPEN. Where PACKETS_REMEMBERED are remembered the
 * oldest of them is forgotten, so pointers to such passages are stale. NULL only if there is no
 * memory.
 */
struct passage *packets_add(struct packets *packets, uint64_t packet, enum passage_state state);

/*
 * Moves a passage to the end of its new state's list; PASSAGE_CLOSED takes it out of the table, and
 * packets_release is then due.
 */
void packets_move(struct packets *packets, struct passage *passage, enum passage_state state);

/* Gives a passage's memory back, if it is closed and no driver call refers to it. */
void packets_release(struct packets *packets, struct passage *passage);

/* Closes and releases a passage of which nothing more is asked. */
void packets_forget(struct packets *packets, struct passage *passage);

/* Frees everything; the table is empty again. */
void packets_clear(struct packets *packets);

#endif
