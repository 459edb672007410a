/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic queue limits: how many bytes may be handed to a device before the queue above it has to
 * wait. The limit is looked for between two failures. If the device ran dry though the queue had
 * been held back, it grows by what was sent and completed since then; if for a whole hold time
 * bytes stood in the device that it could have done without, it shrinks by the least excess seen.
 *
 * Source: what Linux's lib/dynamic_queue_limits.c does (3.3 to 6.1), which BQL uses with bytes and
 * a hold time of 1 s. A pure algorithm: it knows no device and no clock.
 */
#ifndef SIM_HOST_DQL_H
#define SIM_HOST_DQL_H

#include <stdint.h>

#define DQL_LIMIT_MOST UINT64_C(1879048192) /* DQL_MAX_LIMIT: UINT_MAX / 2 - UINT_MAX / 16 */

struct dql {
	uint64_t limit;                /* bytes that may be in the device, plus one packet */
	uint64_t limit_min, limit_max; /* bounds of it */
	uint64_t hold;                 /* unit of `now`: how long excess has to be seen */

	/* Counters since the start. */
	uint64_t queued, completed;
	uint64_t allowed; /* `queued` may go up to here */

	/* As the last completion found them. */
	uint64_t queued_before;
	uint64_t over_before;   /* bytes beyond the limit; 0 too if that completion moved it */
	uint64_t packet_before; /* the packet queued last */

	uint64_t packet; /* the one queued last */
	uint64_t least_excess;
	uint64_t watched_from;
};

/* The limit begins with 0: one packet at a time. Bounds apply from the first completion on. */
void dql_init(struct dql *dql, uint64_t limit_min, uint64_t limit_max, uint64_t hold, uint64_t now);

/* A packet of so many bytes was handed over. */
void dql_queued(struct dql *dql, uint64_t bytes);

/* So many bytes have come back, no more than are out: the limit is looked at. */
void dql_completed(struct dql *dql, uint64_t bytes, uint64_t now);

/* Bytes that may still follow; below 0 the queue has to wait. */
int64_t dql_available(const struct dql *dql);

#endif
