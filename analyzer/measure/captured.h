/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a capture says: frames, bytes, the gaps between frames, and of TCP the segments, the pure
 * ACKs, and how they answer one another (connections.h).
 */
#ifndef ANALYZER_MEASURE_CAPTURED_H
#define ANALYZER_MEASURE_CAPTURED_H

#include "connections.h"

#define CAPTURED_FLOWS_MOST 20

/* One direction of a connection. */
struct captured_flow {
	struct capture_end from, to;
	uint64_t segments, acks, payload_bytes;
	uint64_t acks_back; /* pure ACKs of the other direction */
};

struct captured_report {
	/* packets = tcp_packets + other_ip + skipped */
	uint64_t packets, tcp_packets, other_ip, skipped;
	uint64_t bytes;          /* on the wire */
	uint64_t bad_timestamps; /* frames whose stamp is damaged */
	uint64_t out_of_order;   /* frames with an earlier stamp than the frame before */
	bool timed;              /* duration_ns is known */
	uint64_t duration_ns;    /* from the earliest stamp to the latest */
	struct spread gap_ns;    /* between a frame and the next, both with sound stamps */

	uint64_t segments, acks, payload_bytes;
	uint32_t connections;      /* those kept */
	uint64_t evicted, untimed; /* see connections.h */
	struct spread ack_delay_ns;
	/* of the connections with the most payload, both directions of each, largest first */
	struct captured_flow flows[CAPTURED_FLOWS_MOST];
	unsigned flow_count;
};

/* All zero, with captured_init, is a capture of nothing. */
struct captured {
	struct captured_report report;
	struct histogram gap_ns;
	struct connections connections;
	bool last_known; /* last_ns is the time of the frame before */
	uint64_t last_ns, first_seen_ns, last_seen_ns;
};

/* 0 or -ENOMEM. */
int captured_init(struct captured *captured);

/* Takes the next frame, in the order of the capture. 0 or -ENOMEM. */
int captured_frame(struct captured *captured, const struct capture_frame *frame);

/* The report, which is valid until captured_clear. */
const struct captured_report *captured_finish(struct captured *captured);

void captured_clear(struct captured *captured);

#endif
