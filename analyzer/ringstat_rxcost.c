/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "report_rxcost.h"

static int create(void **created, const struct ringstat_input *input)
{
	struct rxcost_options options = { .hz = reader_source(input->reader)->hz,
		.device = input->options->device };

	return rxcost_create((struct rxcost **)created, &options, reader_names(input->reader));
}

static int event(void *state, unsigned cpu, const struct event *event)
{
	return rxcost_event(state, cpu, event);
}

static int finish(void *state, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	struct report_input source = ringstat_measure_source(input);
	uint32_t newest = input->options->newest;
	const struct rxcost_report *report;

	if (rxcost_finish(state, &report))
		return ringstat_measure_no_memory(diag);
	if (input->options->json)
		return ringstat_measure_write(
			report_rxcost_json(&source, report, newest), out, diag);
	report_rxcost_text(&source, report, newest ? newest : RXCOST_PRINTED, out);
	return 0;
}

static void destroy(void *state)
{
	rxcost_destroy(state);
}

const struct ringstat_measure ringstat_costs = { create, event, finish, destroy };

int ringstat_rxcost(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	struct ringstat_options with_costs = *options;

	with_costs.costs = true;
	return ringstat_measure(&ringstat_costs, &with_costs, out, diag);
}
