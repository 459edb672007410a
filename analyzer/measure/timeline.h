/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of each packet: received in which softirq, raised by which interrupt, copied to whom or
 * freed; sent when, queued, started and returned by the driver, and ended how.
 *
 * Streaming, O(1) an event. In memory are the packets that are open, the softirqs that are running,
 * and the newest of what is done with; the rest waits in a temporary file (journal.h). Afterwards
 * softirqs are handed out in the order in which they ended, and so are sent packets.
 *
 * An address names the newest packet that has it. Where it is received, or sent, once more while
 * the older packet is open, nobody saw that one's end: it is unresolved. (So is a received packet
 * that is sent on: its address doesn't tell it from a new packet in the same place.) The same holds
 * for a packet whose driver call has returned when its address is queued at another device; while
 * the call lasts it is the same packet on its way down (a bond's on its Ethernet device).
 */
#ifndef ANALYZER_MEASURE_TIMELINE_H
#define ANALYZER_MEASURE_TIMELINE_H

#include "event.h"
#include "names.h"
#include <stdbool.h>

#define TIMELINE_UNKNOWN UINT64_MAX /* of a time that nobody saw */

/* How a packet ended. */
enum timeline_end {
	TIMELINE_OPEN,       /* not by the end of the trace */
	TIMELINE_COPIED,     /* to a process; received packets only */
	TIMELINE_FREED,      /* consumed */
	TIMELINE_DROPPED,    /* freed with a reason */
	TIMELINE_DELIVERED,  /* a veth, tun, tap or lo has passed it to the other side */
	TIMELINE_REFUSED,    /* the driver consumed it and didn't send it */
	TIMELINE_ABORTED,    /* freed unsent */
	TIMELINE_UNRESOLVED, /* its address was used again, or events were lost */
	TIMELINE_ENDS
};

/* What can be in a softirq. */
enum timeline_kind {
	TIMELINE_SOFTIRQ, /* the head */
	TIMELINE_IRQ,     /* an interrupt that raised it, or that queued a packet for it */
	TIMELINE_RAISE,   /* raised by a task, or by a softirq before */
	TIMELINE_NETIF_RX,
	TIMELINE_BEGIN, /* the receive path of a packet begins, in the driver's poll: see rxcost */
	TIMELINE_RECEIVE,
	TIMELINE_POLL, /* a poll function has returned */
};

/* Of a head: what it is, besides a softirq that was seen from entry to exit. */
enum {
	TIMELINE_NO_SOFTIRQ = 1, /* no softirq was seen around it: busy poll, a NAPI thread, … */
	TIMELINE_NO_EXIT = 2,    /* its exit was not seen */
	TIMELINE_CONTINUED = 4,  /* it had more than fits: the one before goes on here */
};

/*
 * A softirq is a head and, after it, its items: first those that led to it (IRQ, RAISE, NETIF_RX),
 * of which head.causes says how many, then those that happened in it, in order of time. (The last
 * causes may be interrupts that came just behind its entry: see timeline_receive.c.)
 */
struct timeline_item {
	uint64_t time;   /* cycles; of a head: its entry, or its first item's without a softirq */
	uint64_t what;   /* packet; irq number; napi_poll's arg; of a head: the CPU */
	uint32_t len;    /* of a packet; of a head: how many items follow */
	uint16_t causes; /* of a head */
	uint8_t kind;    /* enum timeline_kind */
	uint8_t device;
	/* what becomes known later */
	uint64_t end;  /* time; of a head: exit */
	uint32_t name; /* COPIED: task as event.h has it; DROPPED: reason; IRQ: its name; head: task
			*/
	uint8_t how;   /* enum timeline_end */
	uint8_t flags; /* of a head, as above */
	uint8_t unused[2];
};
static_assert(sizeof(struct timeline_item) == 40, "most of what is kept of a trace is these");

/* A packet that was sent. Times are TIMELINE_UNKNOWN where they were not seen. */
struct timeline_packet {
	uint64_t packet;
	uint64_t queued, start, xmit, end; /* cycles; start: of the try that succeeded */
	uint32_t len;                      /* as it was queued, or else started */
	uint16_t queue;                    /* EVENT_QUEUE_UNKNOWN */
	uint16_t reason;                   /* of TIMELINE_DROPPED */
	uint16_t retries;                  /* NETDEV_TX_BUSY */
	uint8_t device;
	uint8_t how; /* enum timeline_end */
	uint8_t unused[4];
};

struct timeline_options {
	bool receive, transmit; /* what is followed */
	bool frees_only; /* a delivery ends nothing: sent packets end with their free, as in 2010 */
	/* If not NULL: a device has one packet more, or one less, from this time on. */
	void (*level)(void *context, uint8_t device, uint64_t time, uint32_t in_device);
	void *context;
};

/* What is left out. */
struct timeline_counts {
	uint64_t empty_softirqs; /* of no known cause and with nothing in it */
	uint64_t causes_dropped; /* interrupts and netif_rx that no softirq came of */
};

struct timeline;

/* 0 or -ENOMEM. `names` tells devices; it may grow while events come. */
int timeline_create(struct timeline **timeline, const struct timeline_options *options,
	const struct names *names);

/*
 * Events must come in the order of time, and be of those that event.h lists. 0, -ENOMEM, or the
 * negative errno of the file.
 */
int timeline_event(struct timeline *timeline, unsigned cpu, const struct event *event);

/* No more events: what is open stays so. 0 or a negative errno. */
int timeline_finish(struct timeline *timeline);

/*
 * After that: the next softirq, its head and head.len items, or the next packet that was sent.
 * NULL at the end, or with *error a negative errno. Valid until the next call.
 */
const struct timeline_item *timeline_next_softirq(struct timeline *timeline, int *error);
const struct timeline_packet *timeline_next_packet(struct timeline *timeline, int *error);

const struct timeline_counts *timeline_counts(const struct timeline *timeline);

void timeline_destroy(struct timeline *timeline);

#endif
