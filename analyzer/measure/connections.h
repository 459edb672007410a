/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TCP connections of a capture: how many segments each end sends, as they'd be on the wire, how
 * many pure ACKs, and how long an ACK takes.
 *
 * Memory is bounded: of CONNECTIONS_MOST connections that were heard of last, and
 * CONNECTIONS_OPEN_MOST segments that wait for their ACK. What has to go is counted.
 */
#ifndef ANALYZER_MEASURE_CONNECTIONS_H
#define ANALYZER_MEASURE_CONNECTIONS_H

#include "capture_frame.h"
#include "histogram.h"

#define CONNECTIONS_MOST      65536
#define CONNECTIONS_OPEN_MOST (1024 * 1024)
#define CONNECTIONS_MSS       1460 /* where no SYN was seen: Ethernet, IPv4, no options */

/* What one end sends. */
struct connection_side {
	uint64_t segments; /* with data, each of at most the MSS */
	uint64_t acks;     /* pure: no data, no SYN, FIN or RST */
	uint64_t payload_bytes;
	uint16_t mss;     /* what it takes, as its SYN says; 0: no SYN with an MSS was seen */
	bool sent;        /* sent_to is valid */
	uint32_t sent_to; /* the sequence number behind all that it has sent */
	uint32_t oldest, newest; /* its open segments: index in the pool + 1; 0: none */
};

struct connection {
	struct capture_end ends[2]; /* ends[i] sends what sides[i] counts */
	struct connection_side sides[2];
	uint32_t chain;        /* next of the same hash: index + 1 */
	uint32_t older, newer; /* by when they were heard of last: index + 1 */
};

struct open_segment {
	uint64_t time_ns;
	uint32_t sent_to;
	uint32_t next; /* index + 1 */
};

/* All zero, with connections_init, is empty. */
struct connections {
	struct connection *all;
	uint32_t count, room;
	uint32_t *buckets;
	uint32_t oldest, newest; /* index + 1 */
	struct open_segment *pool;
	uint32_t pool_used, pool_room, pool_free; /* pool_free: index + 1 */

	uint64_t evicted;              /* connections that made place for others */
	uint64_t untimed;              /* segments whose ACK delay isn't known, for want of place */
	struct connection_side total;  /* of all, also of those that are gone */
	struct histogram ack_delay_ns; /* from a frame with data to the pure ACK that covers it */
};

/* 0 or -ENOMEM. */
int connections_init(struct connections *connections);

/* Takes a frame of kind CAPTURE_TCP. 0 or -ENOMEM. */
int connections_frame(struct connections *connections, const struct capture_frame *frame);

void connections_clear(struct connections *connections);

#endif
