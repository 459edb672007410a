/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From cycles to time. Cycles are subtracted first and converted here, once, in 128 bits: no stamp
 * is too large and no frequency is rounded.
 */
#ifndef ANALYZER_REPORT_UNITS_H
#define ANALYZER_REPORT_UNITS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 units_wide;

#define UNITS_NS_PER_S UINT64_C(1000000000)

/* Nanoseconds, rounded to the nearest; UINT64_MAX if they don't fit. hz is not 0. */
static inline uint64_t units_ns(uint64_t cycles, uint64_t hz)
{
	units_wide ns = ((units_wide)cycles * UNITS_NS_PER_S + hz / 2) / hz;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* An average number of cycles in nanoseconds. */
static inline double units_ns_avg(double cycles, uint64_t hz)
{
	return hz == UNITS_NS_PER_S ? cycles : cycles * (double)UNITS_NS_PER_S / (double)hz;
}

#endif
