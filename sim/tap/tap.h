/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TAP interfaces: Ethernet interfaces of this kernel whose cable is a file descriptor. What the
 * kernel sends is read from it, what is written to it the kernel receives, a frame a call, without
 * FCS, and checksummed by the kernel.
 *
 * A TAP does not push back: the kernel keeps up to txqueuelen frames for the reader and drops what
 * comes beyond. Only the interface's own counters know how many, and the interface may have been
 * moved to another network namespace meanwhile; struct tap_watch follows it there.
 */
#ifndef SIM_TAP_TAP_H
#define SIM_TAP_TAP_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TAP_FRAME_MOST (9216 + 14) /* bytes without FCS: an MTU of 9216 */

/*
 * Makes the interface, which goes with the descriptor, or takes one that is there already and
 * unused (`ip tuntap add NAME mode tap`), which stays. Returns the descriptor, which does not
 * block; or a negative errno, and *what says what failed.
 */
int tap_open(const char *name, const char **what);

/* What the kernel dropped of what it had to send through the interface, since the first look. */
struct tap_drops {
	uint64_t queue; /* tx_dropped: the TAP's own queue was full */
	uint64_t qdisc; /* by the queueing discipline above it, if there is one that counts */
};

struct tap_watch {
	int tap;                /* the interface's descriptor, not owned */
	dev_t namespace_device; /* where the interface was seen last */
	ino_t namespace_number;
	bool seen;
	struct tap_drops last; /* the counters as they stood */
	struct tap_drops drops;
};

/*
 * Begins to watch: what was dropped before doesn't count. Nothing is held that would keep the
 * interface or its namespace alive. 0 or a negative errno.
 */
int tap_watch_open(struct tap_watch *watch, int tap);

/*
 * Brings watch->drops up to the present. 0; -EBADFD if the interface is gone; or another negative
 * errno if its counters can't be read (-EPERM: it is in a namespace that isn't ours to look into).
 */
int tap_watch_update(struct tap_watch *watch);

#endif
