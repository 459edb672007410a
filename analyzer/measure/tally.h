/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted for a device, and in the same way for each of its queues.
 */
#ifndef ANALYZER_MEASURE_TALLY_H
#define ANALYZER_MEASURE_TALLY_H

#include "histogram.h"
#include "occupancy.h"

struct tally {
	unsigned number; /* of the queue */
	bool seen;       /* first_event and last_event are valid */
	uint64_t first_event, last_event;
	uint64_t wire_segments;
	uint64_t started, freed, delivered, refused, aborted, unresolved, clock_anomalies, at_end;
	uint64_t oldest; /* for how long the oldest of at_end has been in */
	uint64_t retries, free_before_xmit_return;
	struct histogram lap, queue_delay;
	struct occupancy occupancy;
	uint64_t *drops; /* by reason, 0 to drop_room - 1 */
	uint32_t drop_room;
};

struct device {
	struct tally all;
	char *name;
	bool delivers;         /* by its name: a packet leaves when the other side receives it */
	struct tally **queues; /* by number; NULL: not seen */
	uint32_t queue_room;
	unsigned queue_count;
};

/* NULL only if there is no memory. `name` is copied. */
struct device *device_create(const char *name, uint64_t stall_cycles);

/* Devices that hand their packets to the other side without a free: lo, veth, tun and tap. */
bool device_delivers(const char *name);

void device_destroy(struct device *device);

/* The tally of a queue, which is made if it is new. NULL only if there is no memory. */
struct tally *device_queue(struct device *device, unsigned number);

/* Forgets what was measured, except for retries and drops, which are true in any case. */
void device_restart(struct device *device);

/* An event of the device, or of the queue, has taken place. */
static inline void tally_touch(struct tally *tally, uint64_t time)
{
	if (!tally->seen) {
		tally->seen = true;
		tally->first_event = time;
	}
	tally->last_event = time;
}

/* 0 or -ENOMEM. */
int tally_drop(struct tally *tally, uint32_t reason);

#endif
