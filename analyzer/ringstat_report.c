/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "cycles.h"
#include "report.h"
#include <errno.h>
#include <string.h>

/* Cycles of a time, rounded up: nothing shorter than the time asked for must do. */
static uint64_t cycles_of(uint64_t ns, uint64_t hz)
{
	cycles_product cycles = ((cycles_product)ns * hz + CYCLES_NS_PER_S - 1) / CYCLES_NS_PER_S;

	return cycles > UINT64_MAX ? UINT64_MAX : (uint64_t)cycles;
}

static int no_memory(struct diag *diag)
{
	return diag_set(diag, STATUS_REFUSED, "no memory");
}

static int start(const struct ringstat_input *input, struct transmit **transmit, struct diag *diag)
{
	const struct ringstat_options *options = input->options;
	uint64_t hz = reader_source(input->reader)->hz;
	struct transmit_options measure = {
		.hz = hz,
		.expire_cycles = cycles_of(options->expire_ns, hz),
		.stall_cycles = cycles_of(options->stall_ns, hz),
		.capacity = options->capacity ? options->capacity : reader_capacity(input->reader),
		.device = options->device,
	};

	if (transmit_create(transmit, &measure, reader_names(input->reader)))
		return no_memory(diag);
	return 0;
}

static int print(const struct ringstat_input *input, const struct transmit_report *transmit,
	FILE *out, struct diag *diag)
{
	struct report report = {
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.transmit = transmit,
		.names = reader_names(input->reader),
	};
	json_t *json;
	int error;

	if (!input->options->json) {
		report_text(&report, out);
		return 0;
	}
	json = report_json(&report);
	if (!json)
		return no_memory(diag);
	error = report_write_json(json, out);
	json_decref(json);
	if (error == -ENOMEM)
		return no_memory(diag);
	return error ? diag_set(diag, STATUS_REFUSED, "temporary file: %s", strerror(errno)) : 0;
}

static int measure(
	struct ringstat_input *input, struct transmit *transmit, FILE *out, struct diag *diag)
{
	const struct transmit_report *report;
	struct event event, end = { .id = EVENT_NONE };
	unsigned cpu;
	int found;

	while ((found = ringstat_input_next(input, &event, &cpu, diag)) > 0) {
		if (transmit_event(transmit, cpu, &event))
			return no_memory(diag);
	}
	if (found < 0 || ringstat_input_check_device(input, diag))
		return STATUS_REFUSED;
	if (ringstat_input_end(input, &end.time) && transmit_event(transmit, 0, &end))
		return no_memory(diag);
	if (transmit_finish(transmit, &report))
		return no_memory(diag);
	if (print(input, report, out, diag))
		return STATUS_REFUSED;
	return ringstat_input_status(input);
}

static int report_file(
	const struct ringstat_options *options, const char *file, FILE *out, struct diag *diag)
{
	struct transmit *transmit = NULL;
	struct ringstat_input input;
	int status = ringstat_input_open(&input, file, options, diag);

	if (status)
		return status;
	status = start(&input, &transmit, diag);
	if (!status)
		status = measure(&input, transmit, out, diag);
	transmit_destroy(transmit);
	ringstat_input_close(&input);
	return status;
}

int ringstat_report(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	int worst = STATUS_COMPLETE;

	for (int i = 0; i < options->file_count; i++) {
		int status;

		if (options->file_count > 1 && !options->json)
			fprintf(out, "%s%s:\n", i ? "\n" : "", options->files[i]);
		status = report_file(options, options->files[i], out, diag);
		if (status == STATUS_REFUSED)
			return status;
		if (status == STATUS_PARTIAL)
			worst = status;
	}
	return worst;
}
