/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time: model code is given `now` in cycles and never reads a clock. Virtual time and the TSC
 * differ only in who says what `now` is and how many cycles a second has.
 */
#ifndef SIM_CLOCK_CLOCK_H
#define SIM_CLOCK_CLOCK_H

#include <stdint.h>

#define CLOCK_NEVER      UINT64_MAX
#define CLOCK_VIRTUAL_HZ UINT64_C(1000000000) /* in virtual time a cycle is a nanosecond */
#define CLOCK_NS_PER_S   UINT64_C(1000000000)

/* Products of times and frequencies don't fit 64 bits; ISO C has nothing wider. */
__extension__ typedef unsigned __int128 clock_product;

/* Nanoseconds as cycles of a clock of that frequency, rounded down; exact for any product. */
static inline uint64_t clock_cycles(uint64_t ns, uint64_t hz)
{
	return hz == CLOCK_NS_PER_S ? ns : (uint64_t)((clock_product)ns * hz / CLOCK_NS_PER_S);
}

/* Cycles as nanoseconds, rounded down. */
static inline uint64_t clock_ns(uint64_t cycles, uint64_t hz)
{
	return hz == CLOCK_NS_PER_S ? cycles
				    : (uint64_t)((clock_product)cycles * CLOCK_NS_PER_S / hz);
}

#endif
