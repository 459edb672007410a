/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame of a capture: what the readers of captures hand to the measures.
 */
#ifndef ANALYZER_EVENT_CAPTURE_FRAME_H
#define ANALYZER_EVENT_CAPTURE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum capture_kind {
	CAPTURE_SKIPPED, /* no IP that can be read */
	CAPTURE_IP,      /* IP, but no TCP header that can be read: UDP, later fragments, … */
	CAPTURE_TCP,
};

/* RFC 9293, 3.1 */
enum { TCP_FIN = 0x01, TCP_SYN = 0x02, TCP_RST = 0x04, TCP_ACK = 0x10 };

/* One end of a connection. No padding: ends are compared and hashed as bytes. */
struct capture_end {
	uint8_t address[16]; /* of IPv4 ::ffff:a.b.c.d (RFC 4291, 2.5.5.2) */
	uint16_t port;
};

struct capture_frame {
	uint64_t time_ns; /* since 1970 */
	bool time_bad;    /* the stamp is damaged, time_ns means nothing */
	uint8_t kind;     /* enum capture_kind; what follows wire_bytes is TCP's */
	uint32_t wire_bytes;

	uint8_t flags;
	uint16_t mss; /* the largest segment that the sender takes, from its SYN; 0: not told */
	uint32_t sequence, acknowledged;
	uint32_t payload_bytes;
	struct capture_end source, destination;
};

#endif
