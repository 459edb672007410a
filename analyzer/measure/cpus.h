/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a measure knows of each CPU: a block of memory that is all zero when the CPU is first seen.
 */
#ifndef ANALYZER_MEASURE_CPUS_H
#define ANALYZER_MEASURE_CPUS_H

#include <stddef.h>

#define CPUS_MOST 65536 /* CPUs with larger numbers share the state of smaller ones */

/* All zero but for `bytes` is empty. */
struct cpus {
	size_t bytes; /* of a CPU's state */
	void **states;
	unsigned room;
};

/* The state of a CPU. NULL only if there is no memory. */
void *cpus_get(struct cpus *cpus, unsigned cpu);

/* All states are zero again: nothing is known across a gap in the trace. */
void cpus_forget(struct cpus *cpus);

/* Frees the memory. */
void cpus_clear(struct cpus *cpus);

#endif
