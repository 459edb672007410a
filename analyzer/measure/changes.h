/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of occupancy that are not certain yet, in the order of time.
 *
 * When a packet is handed to a driver, nobody knows whether it gets in: the driver may return
 * NETDEV_TX_BUSY a microsecond later, and then the packet never was in the device. Counting it
 * meanwhile would show one packet more than a full ring can own; counting it from the return on
 * would miss a maximum. The same holds for a start whose free may have been stamped earlier by
 * another CPU's clock. So changes queue up behind an uncertain one and reach the occupancies in
 * order when it has been decided.
 *
 * Nearly always that is one change for the time of one driver call. There is a bound all the same:
 * when CHANGES_MAX changes wait, the oldest uncertain one is decided: a start that has not returned
 * is taken for in, one that waits for its free's clock for not in.
 */
#ifndef ANALYZER_MEASURE_CHANGES_H
#define ANALYZER_MEASURE_CHANGES_H

#include "addresses.h"
#include "occupancy.h"

#define CHANGES_MAX 16384

/* What a change waits for: bits. */
enum change_wait {
	CHANGE_WAITS_RETURN = 1, /* the driver's xmit function */
	CHANGE_WAITS_FREE = 2,   /* a second free, which shows that the clocks are right */
};

struct change {
	uint64_t time;
	uint64_t packet;
	struct occupancy *device;
	struct occupancy *queue; /* NULL: not known which */
	uint8_t kind;            /* enum change_kind; CHANGE_START is one more, others one less */
	uint8_t waits;           /* enum change_wait */
	bool counts;             /* false: it never was */
};

/* All zero is empty. */
struct changes {
	struct change *ring;
	uint64_t room;           /* a power of two, or 0 */
	uint64_t head, tail;     /* numbers of the oldest waiting change and of the next one */
	bool several;            /* devices: else all packets are in the one that there is */
	struct addresses inside; /* packets in any of several devices → in how many */
	uint64_t inside_max;     /* the most at one moment, each counted once */
};

/* Adds a change; *number is how the calls below name it. 0 or -ENOMEM. */
int changes_add(struct changes *changes, const struct change *change, uint64_t *number);

/* The change if it still waits in the queue, so can be undone without a trace, else NULL. */
static inline struct change *changes_waiting(const struct changes *changes, uint64_t number)
{
	if (number < changes->head)
		return NULL;
	return &changes->ring[number & (changes->room - 1)];
}

/* Passes on what is certain now. To be called after taking bits out of `waits`. 0 or -ENOMEM. */
int changes_flush(struct changes *changes);

/* A packet is in a device by all changes so far, waiting ones too. 0 or -ENOMEM. */
int changes_enter(struct changes *changes, uint64_t packet);

/*
 * From now on there are several devices. So far there was one, whose packets have been entered and
 * of which `max` were inside at most: what still waits is taken back out. 0 or -ENOMEM.
 */
int changes_begin_several(struct changes *changes, uint64_t max);

/* Frees its memory; it is empty again, for one device. */
void changes_clear(struct changes *changes);

#endif
