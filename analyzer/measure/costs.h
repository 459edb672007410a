/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rxcost.c gathers of a device, and of all together, and rxcost_report.c sums up.
 */
#ifndef ANALYZER_MEASURE_COSTS_H
#define ANALYZER_MEASURE_COSTS_H

#include "histogram.h"
#include "rxcost.h"

/* All zero is empty. */
struct costs {
	struct rxcost_table table;              /* the counts that events add to */
	struct histogram all;                   /* costs of packets */
	struct histogram senders;               /* of those that sent ACKs */
	struct histogram acks;                  /* the same, each once for every ACK */
	struct histogram with_ack, without_ack; /* of data segments */
	bool finer;                   /* than microseconds, some cost is, if they are nanoseconds */
	struct rxcost_sample *newest; /* a ring once it is full: RXCOST_NEWEST */
	unsigned room, next;          /* next: the oldest in a full ring */
};

/* A pair that is over. */
struct pair {
	uint64_t cost;
	uint32_t packets, acks;
	bool data; /* the packet has a payload */
	bool irq;
};

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
