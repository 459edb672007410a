/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people and programs read of the receive cost measure.
 */
#ifndef ANALYZER_REPORT_REPORT_RXCOST_H
#define ANALYZER_REPORT_REPORT_RXCOST_H

#include "report.h"
#include "rxcost.h"
#include <string.h>

#define RXCOST_PRINTED 512 /* costs, as the log of 2005 printed them */

/* The input is a plain list: no devices, and nothing is known but the costs. */
static inline bool report_rxcost_of_list(const struct report_input *input)
{
	return !strcmp(input->source->format, "costs");
}

/* What was of use: each number of a list is one thing, though it makes several events. */
static inline uint64_t report_rxcost_used(
	const struct report_input *input, const struct rxcost_report *rxcost)
{
	return report_rxcost_of_list(input) ? rxcost->all.packets : rxcost->used;
}

/*
 * A new `ringside.rxcost/1`; NULL if there is no memory. What stands at its top is of all devices
 * together. Medians are in ticks of the clock; `newest` costs of each device are in it, with who
 * sent an ACK.
 */
json_t *report_rxcost_json(
	const struct report_input *input, const struct rxcost_report *rxcost, uint32_t newest);

/* A block for each device. */
void report_rxcost_text(const struct report_input *input, const struct rxcost_report *rxcost,
	uint32_t newest, FILE *out);

#endif
