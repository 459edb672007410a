/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "timeline_report.h"
#include <errno.h>
#include <string.h>

static int fail(const char *file, int error, struct diag *diag)
{
	if (error == -ENOMEM)
		return diag_set(diag, STATUS_REFUSED, "no memory");
	return diag_set(diag, STATUS_REFUSED,
		"%s: what is past can't be kept in a temporary file: %s", file, strerror(-error));
}

static int print(
	const struct ringstat_input *input, struct timeline *timeline, FILE *out, struct diag *diag)
{
	const struct ringstat_options *options = input->options;
	enum timeline_style style = options->json     ? TIMELINE_JSON
				    : options->compat ? TIMELINE_CLASSIC
						      : TIMELINE_TEXT;
	struct timeline_report report = {
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.names = reader_names(input->reader),
		.timeline = timeline,
		.device = options->device,
		.receive = options->receive,
		.transmit = options->transmit,
	};
	int error = timeline_write(&report, style, out);

	return error ? fail(input->file, error, diag) : 0;
}

/* --dev may also name an interrupt, of which there are received packets. */
static bool is_interrupt(const struct ringstat_input *input)
{
	const char *name = input->options->device;

	return name && input->options->receive &&
	       names_find(reader_names(input->reader), NAME_IRQ, name, strlen(name)) >= 0;
}

static int measure(
	struct ringstat_input *input, struct timeline *timeline, FILE *out, struct diag *diag)
{
	struct event event;
	unsigned cpu;
	int found, error;

	while ((found = ringstat_input_next(input, &event, &cpu, diag)) > 0) {
		error = timeline_event(timeline, cpu, &event);
		if (error)
			return fail(input->file, error, diag);
	}
	if (found < 0)
		return STATUS_REFUSED;
	if (!is_interrupt(input) && ringstat_input_check_device(input, diag))
		return STATUS_REFUSED;
	error = timeline_finish(timeline);
	if (error)
		return fail(input->file, error, diag);
	if (print(input, timeline, out, diag))
		return STATUS_REFUSED;
	return ringstat_input_status(input);
}

static int timeline_file(
	const struct ringstat_options *options, const char *file, FILE *out, struct diag *diag)
{
	struct timeline_options measure_options = {
		.receive = options->receive,
		.transmit = options->transmit,
		.frees_only = options->compat,
	};
	struct timeline *timeline = NULL;
	struct ringstat_input input;
	int status = ringstat_input_open(&input, file, options, diag);

	if (status)
		return status;
	if (options->compat && !reader_source(input.reader)->hz)
		status = diag_set(diag, STATUS_REFUSED,
			"%s: its clock counts cycles of an unknown frequency, so --compat needs "
			"--hz",
			file);
	else if (timeline_create(&timeline, &measure_options, reader_names(input.reader)))
		status = fail(file, -ENOMEM, diag);
	else
		status = measure(&input, timeline, out, diag);
	timeline_destroy(timeline);
	ringstat_input_close(&input);
	return status;
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
