/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_measures.h"

#include "cycles.h"
#include <errno.h>

/* Cycles of a time, rounded up: nothing shorter than the time asked for must do. */
static uint64_t cycles_of(uint64_t ns, uint64_t hz)
{
	cycles_product cycles = ((cycles_product)ns * hz + CYCLES_NS_PER_S - 1) / CYCLES_NS_PER_S;

	return cycles > UINT64_MAX ? UINT64_MAX : (uint64_t)cycles;
}

static int create(void **measure, const struct ringstat_input *input)
{
	const struct ringstat_options *options = input->options;
	uint64_t hz = reader_source(input->reader)->hz;
	struct transmit_options transmit = {
		.hz = hz,
		.expire_cycles = cycles_of(options->expire_ns, hz),
		.stall_cycles = cycles_of(options->stall_ns, hz),
		.capacity = options->capacity ? options->capacity : reader_capacity(input->reader),
		.device = options->device,
	};

	return transmit_create((struct transmit **)measure, &transmit, reader_names(input->reader));
}

static int event(void *measure, unsigned cpu, const struct event *event)
{
	return transmit_event(measure, cpu, event);
}

static int finish(void *measure, const struct ringstat_input *input, FILE *out, struct diag *diag)
{
	struct report report = {
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.names = reader_names(input->reader),
	};

	if (transmit_finish(measure, &report.transmit))
		return ringstat_measure_no_memory(diag);
	if (input->options->json)
		return ringstat_measure_write(report_json(&report), out, diag);
	report_text(&report, out);
	return 0;
}

static void destroy(void *measure)
{
	transmit_destroy(measure);
}

const struct ringstat_measure ringstat_transmit = { create, event, finish, destroy };

static int report_file(
	const struct ringstat_options *options, const char *file, FILE *out, struct diag *diag)
{
	struct ringstat_input input;
	struct capture *capture = NULL;
	int status = ringstat_input_open_any(&input, file, options, &capture, diag);

	if (status)
		return status;
	if (capture)
		return ringstat_capture(capture, options, out, diag);
	return ringstat_measure_input(&ringstat_transmit, &input, out, diag);
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
