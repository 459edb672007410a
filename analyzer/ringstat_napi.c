/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "report_napi.h"

static int create(void **measure, const struct ringstat_input *input)
{
	const struct ringstat_options *options = input->options;
	struct napi_options napi = {
		.hz = reader_source(input->reader)->hz,
		.budget = options->budget ? options->budget : NAPI_BUDGET,
		.budget_usecs = options->budget_usecs ? options->budget_usecs : NAPI_BUDGET_USECS,
		.device = options->device,
	};

	return napi_create((struct napi **)measure, &napi, reader_names(input->reader));
}

static int event(void *measure, unsigned cpu, const struct event *event)
{
	return napi_event(measure, cpu, event);
}

static int finish(void *measure, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	struct report_input source = ringstat_measure_source(input);
	const struct napi_report *report;

	if (napi_finish(measure, &report))
		return ringstat_measure_no_memory(diag);
	if (input->options->json)
		return ringstat_measure_write(report_napi_json(&source, report), out, diag);
	report_napi_text(&source, report, out);
	return 0;
}

static void destroy(void *measure)
{
	napi_destroy(measure);
}

const struct ringstat_measure ringstat_polls = { create, event, finish, destroy };

int ringstat_napi(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	return ringstat_measure(&ringstat_polls, options, out, diag);
}
