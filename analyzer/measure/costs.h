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

/* Packets, by their costs, and what they sent. */
struct costs_kept {
	struct histogram costs;
	struct histogram senders; /* of those that sent ACKs */
	struct histogram acks;    /* the same, each once for every ACK */
};

/*
 * Where dear and cheap packets alternate, the order tells which is which, whatever else makes them
 * dearer: emptied caches do it to a cheap one together with the dear one behind it, and a processor
 * that others slow down to all for a while. A dip, clearly cheaper than both its neighbours, is a
 * cheap one, a peak a dear one, and what is neither is on the side of the middle between the last
 * dip and the last peak that it lies on. Where more than two of eight packets are neither, the
 * order isn't asked. All zero is the beginning.
 */
struct costs_order {
	uint64_t dip, peak; /* the last ones' costs */
	uint64_t extremes;  /* dips and peaks */
	uint8_t neither;    /* a bit for each of the last eight */
};

/* All zero is empty. */
struct costs {
	struct rxcost_table table;             /* the counts that events add to */
	struct costs_kept all;                 /* costs of packets */
	struct costs_kept sides[RXCOST_SIDES]; /* the same, by what their order tells */
	struct costs_order order;
	struct pair last[2];                    /* the one before the last, and the last */
	struct histogram ratios;                /* of peaks: see costs_ratio */
	struct histogram with_ack, without_ack; /* of data segments */
	bool finer;                   /* than microseconds, some cost is, if they are nanoseconds */
	struct rxcost_sample *newest; /* a ring once it is full: RXCOST_NEWEST */
	unsigned room, next;          /* next: the oldest in a full ring */
};

/* Are there more dips and peaks than where costs have no order? */
bool costs_alternate(const struct costs *costs);

/*
 * How many times the average of its neighbours' costs a peak costs, where the order is asked: the
 * median, right to 0.8 %. Each is compared with those beside it, so it matters little how fast the
 * processor was. 0: there is none.
 */
double costs_ratio(const struct costs *costs);

/* A pair; one with a packet gives a cost. 0 or -ENOMEM. */
int costs_add(struct costs *costs, const struct pair *pair);

/* After the last pair. 0 or -ENOMEM. */
int costs_end(struct costs *costs);

/* Forgets the costs of pairs that seemed to hold a packet: from now on it is known which do. */
void costs_restart(struct costs *costs);

/* The step of the clock: many a text has no more than microseconds. */
uint64_t costs_unit(const struct costs *costs, uint64_t hz);

/* Fills in what follows from the rest. 0 or -ENOMEM. */
int costs_sum_up(struct costs *costs, uint64_t hz);

void costs_clear(struct costs *costs);

#endif
