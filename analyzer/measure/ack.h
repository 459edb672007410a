/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pure ACKs, by what a trace tells of a packet: lengths, and no payload.
 */
#ifndef ANALYZER_MEASURE_ACK_H
#define ANALYZER_MEASURE_ACK_H

#include "event.h"

#define TCP_OPTION_BYTES_MOST \
	40 /* RFC 9293, 3.1: the header has at most 60 bytes, 20 of them fixed */

/* The longest packet, from the IP header on, that need not have a payload: IPv4, TCP, options. */
#define ACK_BYTES_MOST (20 + 20 + TCP_OPTION_BYTES_MOST)

/*
 * Whether a start_xmit looks like a pure ACK: it has the headers of Ethernet, IP and TCP and at
 * most the room of TCP's options behind them. A trace doesn't tell the options' length, so up to 40
 * bytes of payload would look the same; so does UDP with 12 to 52 bytes of payload.
 */
static inline bool is_ack(const struct event *start)
{
	uint64_t header = EVENT_GET(START_XMIT, header_bytes, start->arg);

	return !EVENT_GET(START_XMIT, gso_size, start->arg) && start->len >= header &&
	       start->len <= header + TCP_OPTION_BYTES_MOST;
}

#endif
