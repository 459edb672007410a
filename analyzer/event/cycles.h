/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles and nanoseconds. Event times, and every `now` of the model, are cycles of a clock whose
 * frequency stands beside them. They are subtracted first and converted here, in 128 bits: no stamp
 * is too large and no frequency is rounded.
 */
#ifndef ANALYZER_EVENT_CYCLES_H
#define ANALYZER_EVENT_CYCLES_H

#include <stdint.h>

#define CYCLES_NEVER    UINT64_MAX
#define CYCLES_NS_PER_S UINT64_C(1000000000)

__extension__ typedef unsigned __int128 cycles_product; /* ISO C has nothing as wide */

/* Nanoseconds as cycles, rounded down. */
static inline uint64_t cycles_of_ns(uint64_t ns, uint64_t hz)
{
	return hz == CYCLES_NS_PER_S ? ns : (uint64_t)((cycles_product)ns * hz / CYCLES_NS_PER_S);
}

/* Cycles as nanoseconds, rounded to the nearest; UINT64_MAX if they don't fit. hz is not 0. */
static inline uint64_t cycles_to_ns(uint64_t cycles, uint64_t hz)
{
	cycles_product ns;

	if (hz == CYCLES_NS_PER_S)
		return cycles;
	ns = ((cycles_product)cycles * CYCLES_NS_PER_S + hz / 2) / hz;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

#endif
