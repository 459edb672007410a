/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "timeline_report.h"

static int create(void **created, const struct ringstat_input *input)
{
	struct timeline_options options = {
		.receive = input->options->receive,
		.transmit = input->options->transmit,
		.frees_only = input->options->compat,
	};

	return timeline_create((struct timeline **)created, &options, reader_names(input->reader));
}

static int event(void *state, unsigned cpu, const struct event *event)
{
	return timeline_event(state, cpu, event);
}

static int finish(void *state, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	const struct ringstat_options *options = input->options;
	enum timeline_style style = options->json     ? TIMELINE_JSON
				    : options->compat ? TIMELINE_CLASSIC
						      : TIMELINE_TEXT;
	struct timeline_report report = {
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.names = reader_names(input->reader),
		.timeline = state,
		.device = options->device,
		.receive = options->receive,
		.transmit = options->transmit,
	};
	int error = timeline_finish(state);

	if (!error)
		error = timeline_write(&report, style, out);
	return error ? ringstat_measure_failed(input, error, diag) : 0;
}

static void destroy(void *state)
{
	timeline_destroy(state);
}

const struct ringstat_measure ringstat_packets = { create, event, finish, destroy };

static int timeline_file(
	const struct ringstat_options *options, const char *file, FILE *out, struct diag *diag)
{
	struct ringstat_input input;
	int status = ringstat_input_open(&input, file, options, diag);

	if (status)
		return status;
	if (!options->compat || reader_source(input.reader)->hz)
		return ringstat_measure_input(&ringstat_packets, &input, out, diag);
	ringstat_input_close(&input);
	return diag_set(diag, STATUS_REFUSED,
		"%s: its clock counts cycles of an unknown frequency, so --compat needs --hz",
		file);
}

int ringstat_timeline(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	int worst = STATUS_COMPLETE;

	if (options->json && options->compat)
		return diag_set(diag, STATUS_USAGE, "--json and --compat exclude each other");
	for (int i = 0; i < options->file_count; i++) {
		int status = timeline_file(options, options->files[i], out, diag);

		if (status == STATUS_REFUSED)
			return status;
		if (status == STATUS_PARTIAL)
			worst = status;
	}
	return worst;
}
