/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frees that found no packet open, kept for the time in which clocks of CPUs may disagree.
 *
 * Where another CPU starts the same address within that time, the free may well be that packet's
 * own, stamped too early. Most of these frees are nothing of the sort (every received packet ends
 * with one), so keeping one must be cheap: a ring of the last ORPHANS, found by hash. No trace has
 * so many frees in 10 us; if one claims to, the oldest are forgotten.
 *
 * A free that found its packet queued is of that packet, in any case: dropped by the qdisc, or
 * started later and freed too early by the clock. So it is kept, too, but when the address is
 * queued once more that is another packet.
 */
#ifndef ANALYZER_MEASURE_ORPHANS_H
#define ANALYZER_MEASURE_ORPHANS_H

#include <stdbool.h>
#include <stdint.h>

#define ORPHANS 4096

struct orphan {
	uint64_t packet, time;
	uint64_t previous; /* number of the orphan before it in the same bucket */
	uint64_t taken;    /* by which call of orphans_take; 0: not yet */
	unsigned cpu;
	bool queued; /* it found its packet queued */
};

/* All zero, except for the window, is empty. */
struct orphans {
	uint64_t window; /* cycles */
	uint64_t newest; /* number of the newest one; the first is 1 */
	uint64_t oldest; /* that of the oldest that may still be used */
	uint64_t takings;
	struct orphan ring[ORPHANS];
	uint64_t newest_of[ORPHANS]; /* bucket → number of its newest orphan; 0: none */
};

void orphans_add(
	struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time, bool queued);

/*
 * The packet is started: true if another CPU freed its address within the window. Whatever the
 * answer, the frees of this address are done with: they can't belong to a later start. *taking is a
 * number for orphans_give_back.
 */
bool orphans_take(
	struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time, uint64_t *taking);

/* That start has failed, so the next one is judged as if it hadn't been. */
void orphans_give_back(struct orphans *orphans, uint64_t packet, uint64_t time, uint64_t taking);

/* The packet is queued: frees that had found the address queued were of the packet before. */
void orphans_requeue(struct orphans *orphans, uint64_t packet, uint64_t time);

/* Forgets all. */
void orphans_clear(struct orphans *orphans);

#endif
