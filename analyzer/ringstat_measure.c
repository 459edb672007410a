/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measure.h"

#include <errno.h>
#include <string.h>

int ringstat_measure_no_memory(struct diag *diag)
{
	return diag_set(diag, STATUS_REFUSED, "no memory");
}

int ringstat_measure_failed(const struct ringstat_input *input, int error, struct diag *diag)
{
	if (error == -ENOMEM)
		return ringstat_measure_no_memory(diag);
	return diag_set(diag, STATUS_REFUSED,
		"%s: what is past can't be kept in a temporary file: %s", input->file,
		strerror(-error));
}

struct report_input ringstat_measure_source(const struct ringstat_input *input)
{
	return (struct report_input){
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.names = reader_names(input->reader),
	};
}

int ringstat_measure_write(json_t *json, FILE *out, struct diag *diag)
{
	int error = json ? report_write_json(json, out) : -ENOMEM;

	json_decref(json);
	if (error == -ENOMEM)
		return ringstat_measure_no_memory(diag);
	return error ? diag_set(diag, STATUS_REFUSED, "temporary file: %s", strerror(errno)) : 0;
}

int ringstat_measure_feed(const struct ringstat_measure *measure, void *state,
	struct ringstat_input *input, struct diag *diag)
{
	const struct cpu_event *at, *stop;
	struct event end = { .id = EVENT_NONE };
	int found, error = 0;

	while (!error && (found = ringstat_input_next_some(input, &at, &stop, diag)) > 0) {
		for (; at < stop && !error; at++)
			error = measure->event(state, at->cpu, &at->event);
	}
	if (!error && (found < 0 || ringstat_input_check_device(input, diag)))
		return STATUS_REFUSED;
	if (!error && ringstat_input_end(input, &end.time))
		error = measure->event(state, 0, &end);
	return error ? ringstat_measure_failed(input, error, diag) : 0;
}

int ringstat_measure_finish(const struct ringstat_measure *measure, void *state,
	const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	int status = measure->finish(state, input, out, diag);

	return status ? status : ringstat_input_status(input);
}

int ringstat_measure_input(const struct ringstat_measure *measure, struct ringstat_input *input,
	FILE *out, struct diag *diag)
{
	void *state = NULL;
	int status = 0;

	if (measure->create(&state, input))
		status = ringstat_measure_no_memory(diag);
	if (!status)
		status = ringstat_measure_feed(measure, state, input, diag);
	if (!status)
		status = ringstat_measure_finish(measure, state, input, out, diag);
	measure->destroy(state);
	ringstat_input_close(input);
	return status;
}

int ringstat_measure(const struct ringstat_measure *measure, const struct ringstat_options *options,
	FILE *out, struct diag *diag)
{
	int worst = STATUS_COMPLETE;

	for (int i = 0; i < options->file_count; i++) {
		struct ringstat_input input;
		int status = ringstat_input_open(&input, options->files[i], options, diag);

		if (!status && options->file_count > 1 && !options->json)
			fprintf(out, "%s%s:\n", i ? "\n" : "", options->files[i]);
		if (!status)
			status = ringstat_measure_input(measure, &input, out, diag);
		if (status == STATUS_REFUSED)
			return status;
		if (status == STATUS_PARTIAL)
			worst = status;
	}
	return worst;
}
