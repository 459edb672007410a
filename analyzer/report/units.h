/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Averages of cycles as time. (Single times are converted in 128 bits: see cycles.h.)
 */
#ifndef ANALYZER_REPORT_UNITS_H
#define ANALYZER_REPORT_UNITS_H

#include "cycles.h"

/* An average number of cycles in nanoseconds. hz is not 0. */
static inline double units_ns_avg(double cycles, uint64_t hz)
{
	return hz == CYCLES_NS_PER_S ? cycles : cycles * (double)CYCLES_NS_PER_S / (double)hz;
}

#endif
