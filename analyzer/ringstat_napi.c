/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measure.h"

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

static int finish(void *measure, const struct report_input *input, json_t **json, FILE *out)
{
	const struct napi_report *report;
	int error = napi_finish(measure, &report);

	if (error)
		return error;
	if (json)
		*json = report_napi_json(input, report);
	else
		report_napi_text(input, report, out);
	return 0;
}

static void destroy(void *measure)
{
	napi_destroy(measure);
}

int ringstat_napi(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	static const struct ringstat_measure measure = { create, event, finish, destroy };

	return ringstat_measure(&measure, options, out, diag);
}
