/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rxcost.c gathers of a device, and of all together, and rxcost_report.c sums up.
 */
#ifndef ANALYZER_MEASURE_COSTS_H
#define ANALYZER_MEASURE_COSTS_H

#include "histogram.h"
#include "rxcost.h"

/* A pair that is over. */
struct pair {
	uint64_t cost;
	uint32_t packets, acks;
	bool data; /* the packet has a payload */
	bool irq;
};

#define COSTS_DIP 9 /* a dip's neighbours cost more than a ninth more: it costs 10 % less */

/* The packets whose costs stand in a part of a histogram, and what they sent. */
struct costs_kept {
	struct histogram costs;
	struct histogram senders; /* of those that sent ACKs */
	struct histogram acks;    /* the same, each once for every ACK */
};

/* All zero is empty. */
struct costs {
	struct rxcost_table table;              /* the counts that events add to */
	struct costs_kept all;                  /* costs of packets */
	struct costs_kept dips;                 /* of those that are dips */
	struct pair last[2];                    /* the one before the last, and the last */
	struct histogram with_ack, without_ack; /* of data segments */
	bool finer;                   /* than microseconds, some cost is, if they are nanoseconds */
	struct rxcost_sample *newest; /* a ring once it is full: RXCOST_NEWEST */
	unsigned room, next;          /* next: the oldest in a full ring */
};

/*
 * Something (a cache that has been emptied, say) can make a cheap packet and the dear one behind it
 * dearer by the same amount, so that both cost as much as dear ones. In the order of dear and cheap
 * it is the cheap one still, if it costs clearly less than both its neighbours.
 */
static inline bool costs_is_dip(uint64_t before, uint64_t cost, uint64_t after)
{
	const uint64_t limit = cost + cost / COSTS_DIP;

	return limit < before && limit < after;
}

/* A pair; one with a packet gives a cost. 0 or -ENOMEM. */
int costs_add(struct costs *costs, const struct pair *pair);

/* Forgets the costs of pairs that seemed to hold a packet: from now on it is known which do. */
void costs_restart(struct costs *costs);

/* The step of the clock: many a text has no more than microseconds. */
uint64_t costs_unit(const struct costs *costs, uint64_t hz);

/* Fills in what follows from the rest. 0 or -ENOMEM. */
int costs_sum_up(struct costs *costs, uint64_t hz);

void costs_clear(struct costs *costs);

#endif
