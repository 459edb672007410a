/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver calls that a CPU is in: starts whose xmit event is still to come.
 *
 * A driver's xmit function runs on the CPU that started the packet, and calls nest (a bond's calls
 * that of an Ethernet device), so an xmit event belongs to the last unreturned start of its address
 * and device on its own CPU. The address may have been freed, and started again by another CPU,
 * before it comes. A trace without xmit events never returns: of each CPU the last CALLS_DEPTH
 * calls are kept (the kernel nests 10 at most, XMIT_RECURSION_LIMIT).
 */
#ifndef ANALYZER_MEASURE_CALLS_H
#define ANALYZER_MEASURE_CALLS_H

#include "packets.h"

#define CALLS_DEPTH 16

/* One CPU's; all zero is none. passage->calls names it while the passage is in. */
struct calls {
	struct passage *stack[CALLS_DEPTH]; /* used as a ring: NULL where one has returned */
	unsigned top;  /* number of the next one; its place is top % CALLS_DEPTH */
	unsigned live; /* not NULL */
};

/* Adds a call. Returns the oldest, which had to make place, or NULL. */
struct passage *calls_push(struct calls *calls, struct passage *passage);

/* The last call for the device and the packet, or NULL. */
struct passage *calls_find(const struct calls *calls, const struct device *device, uint64_t packet);

/* The last call for the device, or NULL. */
struct passage *calls_find_device(const struct calls *calls, const struct device *device);

/* Takes a call out: its xmit function has returned. */
void calls_remove(struct passage *passage);

/* Takes the last call out, or returns NULL if there is none. */
struct passage *calls_pop(struct calls *calls);

#endif
