/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measures as subcommands drive them. `report` makes a transmit measure and `diff` two;
 * `record` makes those of the groups of events that it records.
 */
#ifndef ANALYZER_RINGSTAT_MEASURES_H
#define ANALYZER_RINGSTAT_MEASURES_H

#include "ringstat_measure.h"

extern const struct ringstat_measure ringstat_transmit; /* its state is a struct transmit */
extern const struct ringstat_measure ringstat_packets;  /* ringstat timeline's */
extern const struct ringstat_measure ringstat_polls;    /* ringstat napi's */
extern const struct ringstat_measure ringstat_calls;    /* ringstat sock's */
extern const struct ringstat_measure ringstat_costs;    /* ringstat rxcost's */

#endif
