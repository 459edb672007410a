/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people and programs read of the receive cost measure.
 */
#ifndef ANALYZER_REPORT_REPORT_RXCOST_H
#define ANALYZER_REPORT_REPORT_RXCOST_H

#include "report.h"
#include "rxcost.h"

#define RXCOST_PRINTED 512 /* costs, as the log of 2005 printed them */

/*
 * A new `ringside.rxcost/1`; NULL if there is no memory. What stands at its top is of all devices
 * together. Medians are in ticks of the clock; `newest` costs of each device are in it.
 */
json_t *report_rxcost_json(
	const struct report_input *input, const struct rxcost_report *rxcost, uint32_t newest);

/* A block for each device. */
void report_rxcost_text(const struct report_input *input, const struct rxcost_report *rxcost,
	uint32_t newest, FILE *out);

#endif
