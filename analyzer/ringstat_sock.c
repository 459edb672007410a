/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "report_sock.h"

static int create(void **measure, const struct ringstat_input *input)
{
	return sock_create((struct sock **)measure, reader_names(input->reader));
}

static int event(void *measure, unsigned cpu, const struct event *event)
{
	(void)cpu;
	return sock_event(measure, event);
}

static int finish(void *measure, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	struct report_input source = ringstat_measure_source(input);
	const struct sock_report *report;

	sock_finish(measure, &report);
	if (input->options->json)
		return ringstat_measure_write(report_sock_json(&source, report), out, diag);
	report_sock_text(&source, report, out);
	return 0;
}

static void destroy(void *measure)
{
	sock_destroy(measure);
}

const struct ringstat_measure ringstat_calls = { create, event, finish, destroy };

int ringstat_sock(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	return ringstat_measure(&ringstat_calls, options, out, diag);
}
