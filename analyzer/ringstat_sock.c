/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measure.h"

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

static int finish(void *measure, const struct report_input *input, json_t **json, FILE *out)
{
	const struct sock_report *report;

	sock_finish(measure, &report);
	if (json)
		*json = report_sock_json(input, report);
	else
		report_sock_text(input, report, out);
	return 0;
}

static void destroy(void *measure)
{
	sock_destroy(measure);
}

int ringstat_sock(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	static const struct ringstat_measure measure = { create, event, finish, destroy };

	return ringstat_measure(&measure, options, out, diag);
}
