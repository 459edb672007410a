/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "capture.h"
#include "captured_report.h"
#include "report.h"
#include <errno.h>
#include <string.h>

static int no_memory(struct diag *diag)
{
	return diag_set(diag, STATUS_REFUSED, "no memory");
}

/* An option is honoured or refused. */
static int check_options(
	const char *file, const struct ringstat_options *options, struct diag *diag)
{
	const struct {
		bool given;
		const char *name;
	} rows[] = {
		{ options->device, "--dev" },
		{ options->from_given, "--from" },
		{ options->to_given, "--to" },
		{ options->expire_ns, "--expire" },
		{ options->stall_given, "--stall" },
		{ options->capacity, "what a queue can own" },
		{ options->hz, "--hz" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].given)
			return diag_set(diag, STATUS_REFUSED,
				"%s: this is a capture of frames, for which %s means nothing", file,
				rows[i].name);
	}
	return 0;
}

static int print(const struct capture_report *report, bool as_json, FILE *out, struct diag *diag)
{
	json_t *json;
	int error;

	if (!as_json) {
		captured_report_text(report, out);
		return 0;
	}
	json = captured_report_json(report);
	error = json ? report_write_json(json, out) : -ENOMEM;
	json_decref(json);
	if (error == -ENOMEM)
		return no_memory(diag);
	return error ? diag_set(diag, STATUS_REFUSED, "temporary file: %s", strerror(errno)) : 0;
}

static int measure(struct capture *capture, struct captured *captured, bool as_json, FILE *out,
	struct diag *diag)
{
	struct capture_report report = {
		.source = capture_source(capture),
		.counts = capture_counts(capture),
		.link = capture_link(capture),
	};
	struct capture_frame frame;

	if (captured_init(captured))
		return no_memory(diag);
	while (capture_next(capture, &frame)) {
		if (captured_frame(captured, &frame))
			return no_memory(diag);
	}
	report.captured = captured_finish(captured);
	if (print(&report, as_json, out, diag))
		return STATUS_REFUSED;
	return ringstat_status(report.source->file, report.counts);
}

int ringstat_capture(struct capture *capture, const struct ringstat_options *options, FILE *out,
	struct diag *diag)
{
	struct captured captured = { 0 };
	int status = check_options(capture_source(capture)->file, options, diag);

	if (!status)
		status = measure(capture, &captured, options->json, out, diag);
	captured_clear(&captured);
	capture_close(capture);
	return status;
}
