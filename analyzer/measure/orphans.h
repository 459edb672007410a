/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frees that found no packet open, kept for the time in which clocks of CPUs may disagree.
 *
 * Where another CPU starts the same address within that time, the free may well be that packet's
 * own, stamped too early. Most of these frees are nothing of the sort (every received packet ends
 * with one), so keeping one must be cheap: a ring of the last ORPHANS, found by hash. No trace has
 * so many frees in 10 us; if one claims to, the oldest are forgotten.
 */
#ifndef ANALYZER_MEASURE_ORPHANS_H
#define ANALYZER_MEASURE_ORPHANS_H

#include <stdbool.h>
#include <stdint.h>

#define ORPHANS 4096

struct orphan {
	uint64_t packet, time;
	uint64_t previous; /* number of the orphan before it in the same bucket */
	unsigned cpu;
	bool taken;
};

/* All zero, except for the window, is empty. */
struct orphans {
	uint64_t window; /* cycles */
	uint64_t newest; /* number of the newest one; the first is 1 */
	uint64_t oldest; /* that of the oldest that may still be used */
	struct orphan ring[ORPHANS];
	uint64_t newest_of[ORPHANS]; /* bucket → number of its newest orphan; 0: none */
};

void orphans_add(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time);

/*
 * The packet is started: true if another CPU freed its address within the window. Whatever the
 * answer, the frees of this address are done with: they can't belong to a later start.
 */
bool orphans_take(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time);

/* Forgets all. */
void orphans_clear(struct orphans *orphans);

#endif
