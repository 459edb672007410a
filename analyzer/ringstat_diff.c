/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "report_diff.h"

/* One of the two traces, from its file to its report. Names must live until all is printed. */
struct side {
	struct ringstat_input input;
	void *transmit;
	struct report report;
};

static int measure(struct side *side, const char *file, const struct ringstat_options *options,
	struct diag *diag)
{
	int status = ringstat_input_open(&side->input, file, options, diag);

	if (status)
		return status;
	if (ringstat_transmit.create(&side->transmit, &side->input))
		return ringstat_measure_no_memory(diag);
	status = ringstat_measure_feed(&ringstat_transmit, side->transmit, &side->input, diag);
	if (status)
		return status;
	if (transmit_finish(side->transmit, &side->report.transmit))
		return ringstat_measure_no_memory(diag);
	side->report.source = reader_source(side->input.reader);
	side->report.counts = reader_counts(side->input.reader);
	side->report.names = reader_names(side->input.reader);
	return 0;
}

static int print(const struct side sides[2], const struct ringstat_options *options, FILE *out,
	struct diag *diag)
{
	int a, b;

	if (!options->json)
		report_diff_text(&sides[0].report, &sides[1].report, out);
	else if (ringstat_measure_write(
			 report_diff_json(&sides[0].report, &sides[1].report), out, diag))
		return STATUS_REFUSED;
	a = ringstat_input_status(&sides[0].input);
	b = ringstat_input_status(&sides[1].input);
	return a == STATUS_COMPLETE ? b : a;
}

int ringstat_diff(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	struct side sides[2] = { 0 };
	int status = 0;

	for (unsigned i = 0; i < 2 && !status; i++)
		status = measure(&sides[i], options->files[i], options, diag);
	if (!status)
		status = print(sides, options, out, diag);
	for (unsigned i = 0; i < 2; i++) {
		transmit_destroy(sides[i].transmit);
		ringstat_input_close(&sides[i].input);
	}
	return status;
}
