/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time: model code is given `now` in cycles and never reads a clock. Virtual time and the TSC
 * differ only in who says what `now` is and how many cycles a second has.
 */
#ifndef SIM_CLOCK_CLOCK_H
#define SIM_CLOCK_CLOCK_H

#include "cycles.h"

#define CLOCK_VIRTUAL_HZ CYCLES_NS_PER_S /* in virtual time a cycle is a nanosecond */

#endif
