/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measure.h"

#include "report_rxcost.h"
#include <errno.h>
#include <stdlib.h>

/* A report has to know how much of it is wanted. */
struct measure {
	struct rxcost *rxcost;
	uint32_t newest;
};

static int create(void **created, const struct ringstat_input *input)
{
	struct rxcost_options options = { .hz = reader_source(input->reader)->hz,
		.device = input->options->device };
	struct measure *measure = calloc(1, sizeof(*measure));

	*created = measure;
	if (!measure)
		return -ENOMEM;
	measure->newest = input->options->newest;
	return rxcost_create(&measure->rxcost, &options, reader_names(input->reader));
}

static int event(void *state, unsigned cpu, const struct event *event)
{
	return rxcost_event(((struct measure *)state)->rxcost, cpu, event);
}

static int finish(void *state, const struct report_input *input, json_t **json, FILE *out)
{
	const struct measure *measure = state;
	const struct rxcost_report *report;
	int error = rxcost_finish(measure->rxcost, &report);

	if (error)
		return error;
	if (json)
		*json = report_rxcost_json(input, report, measure->newest);
	else
		report_rxcost_text(
			input, report, measure->newest ? measure->newest : RXCOST_PRINTED, out);
	return 0;
}

static void destroy(void *state)
{
	struct measure *measure = state;

	if (measure)
		rxcost_destroy(measure->rxcost);
	free(measure);
}

int ringstat_rxcost(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	static const struct ringstat_measure measure = { create, event, finish, destroy };
	struct ringstat_options with_costs = *options;

	with_costs.costs = true;
	return ringstat_measure(&measure, &with_costs, out, diag);
}
