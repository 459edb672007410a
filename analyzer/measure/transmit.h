/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transmit measure: how many packets does a device own, for how long, and does its ring pack?
 *
 * Matches start_xmit (or xmit, in a trace without any start_xmit) with free by packet address, for
 * each device, and keeps laps, occupancy, queue delay, drops, retries and stalls. The rules are
 * those of a driver's reader: cases/README in the specification lists them, transmit_in.c cites
 * them. Streaming: O(1) an event, memory bounded by the packets that are open.
 */
#ifndef ANALYZER_MEASURE_TRANSMIT_H
#define ANALYZER_MEASURE_TRANSMIT_H

#include "event.h"
#include "names.h"
#include <stdbool.h>

/* So long without a free makes a stall, unless the user says otherwise. */
#define TRANSMIT_STALL_NS UINT64_C(2000000000)

struct transmit;

struct transmit_options {
	uint64_t hz;            /* of event.time; 0: cycles without calibration */
	uint64_t expire_cycles; /* a packet open for longer closes as unresolved; 0: never */
	uint64_t stall_cycles;  /* time without a free that makes a stall (2 s); 0: no stalls */
	uint32_t capacity;      /* packets that a queue can own; 0: not known */
	const char *device;     /* only this one (exact name), or NULL for all */
};

/* Distribution of times, in cycles. All zero if count is 0. */
struct spread {
	uint64_t count;
	uint64_t min, max, p50, p99, p999; /* min and max exact, percentiles to 1 % */
	double avg;
};

enum verdict { VERDICT_UNKNOWN, VERDICT_NOT_PACKED, VERDICT_PACKED };

struct stall {
	uint64_t start, end; /* cycles; end is the end of the trace if nothing ended it */
	uint64_t packets;    /* in the device when it ended, the freed one included */
	bool open;           /* no free ended it */
};

struct drop_count {
	uint32_t reason; /* index of a NAME_REASON */
	uint64_t packets;
};

/* One device, or one of its queues. */
struct transmit_table {
	const char *name;                 /* of the device */
	unsigned queue;                   /* where it is a queue's table */
	uint64_t first_event, last_event; /* cycles */

	uint64_t tx_packets;    /* completed laps */
	uint64_t wire_segments; /* of those packets */
	struct spread lap;
	struct spread queue_delay; /* queue to start_xmit */

	/* started = freed + delivered + refused + aborted + unresolved + anomalies + at_end */
	uint64_t started, freed, delivered, refused, aborted, unresolved, clock_anomalies, at_end;
	uint64_t oldest;  /* cycles that the oldest of at_end has been in the device at the end */
	bool overdue;     /* that is more than 1.5 of the longest lap */
	bool overtaken;   /* others left when it was overdue already: it is its free that is missing
			   */
	uint64_t retries; /* NETDEV_TX_BUSY; not started */
	uint64_t free_before_xmit_return;

	double in_device_avg; /* sum of laps / (last_event - first_event) */
	uint64_t in_device_max;
	uint32_t capacity;   /* 0: not known */
	bool above_capacity; /* frees lag behind the clean-up: in_device_max isn't the ring's */
	bool unreliable;     /* over 1 % unresolved: in_device and stalls can't be trusted */
	enum verdict verdict;
	double full_time_share; /* of first to last event, at capacity (or at the plateau) */
	uint64_t intervals, full_intervals; /* between clean-ups; those that reached it */

	const struct drop_count *drops;
	unsigned drop_count;
	const struct stall *stalls;
	unsigned stall_count;
	const struct transmit_table *queues; /* in order of their number; NULL in a queue's */
	unsigned queue_count;
};

struct transmit_report {
	const char *lap_from;                 /* "start_xmit" or "xmit" */
	const struct transmit_table *devices; /* sorted by name, as bytes */
	unsigned device_count;
	uint64_t used;             /* events that were of use */
	uint64_t total_tx_packets; /* each packet once, at its lowest device */
	uint64_t total_in_device_max;
	uint64_t clock_anomalies;
};

/*
 * What a queue can own, to compare a measured maximum with: the packet that leaves fewer than
 * `reserve` descriptors free is queued and stops the queue, and an empty ring has one less than
 * `ring` (the post-check of Linux's e1000e). `descriptors` a packet, at least 1; 0 if none fits.
 */
static inline uint32_t transmit_capacity(uint32_t ring, uint32_t reserve, uint32_t descriptors)
{
	return ring > reserve + 1 ? (ring - 1 - reserve) / descriptors + 1 : 0;
}

/* `names` gives the names of devices and reasons; it may grow while events come. 0 or -ENOMEM. */
int transmit_create(struct transmit **transmit, const struct transmit_options *options,
	const struct names *names);

/*
 * Events must come in the order of their time. One of any kind tells how late it is: of a trace
 * that ends with events that are none of ours, EVENT_NONE at its end. 0 or -ENOMEM.
 */
int transmit_event(struct transmit *transmit, unsigned cpu, const struct event *event);

/*
 * Ends the measurement at the time of the last event: what is open then is still in the device, a
 * stall lasts to there, and expire_cycles looks back from there. The report is the transmit's own
 * and lives until transmit_destroy. 0 or -ENOMEM.
 */
int transmit_finish(struct transmit *transmit, const struct transmit_report **report);

/* A device while the measurement goes on. */
struct transmit_now {
	const char *name;
	uint64_t tx_packets; /* completed laps so far */
	uint64_t in_device, in_device_max;
};

/* Devices are numbered from 0 as they were first seen. False if there are not so many. */
bool transmit_look(const struct transmit *transmit, unsigned number, struct transmit_now *now);

void transmit_destroy(struct transmit *transmit);

#endif
