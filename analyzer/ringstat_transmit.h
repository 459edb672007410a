/* SPDX-License-Identifier: BSD-3-Clause */
/* The transmit measure as subcommands drive it: `report` makes one, `diff` two. */
#ifndef ANALYZER_RINGSTAT_TRANSMIT_H
#define ANALYZER_RINGSTAT_TRANSMIT_H

#include "ringstat_measure.h"

/* Its state is a struct transmit. */
extern const struct ringstat_measure ringstat_transmit;

#endif
