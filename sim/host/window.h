/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TCP socket's receive window, as Linux 6.1 keeps it: how much of the receive buffer it offers,
 * how that grows, and when it makes the receiver acknowledge (net/ipv4/tcp_input.c, tcp_output.c
 * and tcp.c, read for what they do).
 *
 * Half of the buffer is for payload (tcp_adv_win_scale 1), since memory is counted with its
 * overhead. What is offered follows a threshold that grows with each segment that is no waste of
 * memory, by two segments, until it meets the room that there is; while it grows, each segment is
 * acknowledged at once. Where nobody has set the buffer, it grows with what the process reads in a
 * round trip. Once the window is as large as it gets, unread data makes it smaller, and no ACK
 * leaves from the receive path: the process sends it when it has read.
 */
#ifndef SIM_HOST_WINDOW_H
#define SIM_HOST_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOW_BUFFER_BYTES 131072  /* net.ipv4.tcp_rmem, the default */
#define WINDOW_BUFFER_MOST  6291456 /* and the most that tuning makes of it */

/* include/net/tcp.h. After a pause longer than the timeout ACKs are quick again. */
#define TCP_RTO_MIN_NS UINT64_C(200000000)
#define TCP_INIT_CWND  10

struct window {
	uint32_t segment; /* payload of a full one */
	uint64_t buffer;  /* bytes, as the kernel prints SO_RCVBUF */
	bool tuned;       /* it may grow */
	uint64_t most; /* that may ever be offered: half of the buffer, less a segment at first */
	uint64_t threshold;         /* what may be offered now (rcv_ssthresh) */
	uint64_t offered;           /* with the last ACK, from `acked` on */
	uint64_t next, acked, read; /* sequence numbers: received, acknowledged, read up to there */
	uint64_t memory;            /* bytes that unread packets take */

	uint32_t seen_segment; /* the largest payload seen, at first a guess (rcv_mss) */
	uint64_t quick;        /* ACKs that wait for nothing */
	uint64_t quick_sent;
	bool scheduled; /* an ACK is owed */
	bool pushed;    /* a segment has ended a write since the last one */
	bool begun;
	uint64_t last_data; /* ns */

	uint64_t round_trip;           /* ns, eight of them */
	uint64_t round_bytes;          /* read in the last one */
	uint64_t round_read, round_at; /* from where, and when, the present one counts */
};

/* `buffer` 0: tuned. Times are in ns. */
void window_init(struct window *window, uint32_t segment, uint64_t buffer);

/* The connection is there: what is read counts from now on. */
void window_open(struct window *window, uint64_t now);

/*
 * A segment of so many bytes is in the queue, and takes so much memory. `push`: it ends what was
 * written. `most_quick`: of ACKs that it begins with, and begins again with after a pause.
 */
void window_data(struct window *window, uint32_t bytes, uint32_t memory, bool push,
	uint64_t most_quick, uint64_t now);

/* Does that segment have to be acknowledged at once? */
bool window_wants_ack(struct window *window);

/* The process has copied a packet. Its own time stamp has come back after `round_trip`. */
void window_read(struct window *window, uint64_t bytes, uint64_t memory, uint64_t now);
void window_round_trip(struct window *window, uint64_t ns);

/* The process has read `bytes` in this call: does it send an ACK? */
bool window_wants_ack_after_read(struct window *window, uint64_t bytes);

/* An ACK leaves: returns the window that it offers. */
uint64_t window_acknowledge(struct window *window);

#endif
