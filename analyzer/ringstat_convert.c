/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "convert.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(const struct ringstat_options *options, const struct convert_format **format,
	struct diag *diag)
{
	if (!options->convert_to)
		return diag_set(diag, STATUS_USAGE, "--to is needed: ctf, perfetto or csv");
	*format = convert_format_find(options->convert_to);
	if (!*format)
		return diag_set(diag, STATUS_USAGE, "--to: '%s' is not one of ctf, perfetto, csv",
			options->convert_to);
	if ((*format)->folder && (!options->output || !strcmp(options->output, "-")))
		return diag_set(diag, STATUS_USAGE, "--output is needed: the folder for the trace");
	if (options->file_count != 1)
		return diag_set(diag, STATUS_USAGE, "one FILE at a time is converted");
	return 0;
}

static int convert_events(struct ringstat_input *input, const struct convert_format *format,
	const struct convert_job *job, struct diag *diag)
{
	struct converter *converter = NULL;
	struct event event;
	unsigned cpu;
	int error = format->open(&converter, job, diag), found = 0;

	while (!error && (found = ringstat_input_next(input, &event, &cpu, diag)) > 0)
		error = format->event(converter, cpu, &event, diag);
	if (!error && !found)
		error = format->finish(converter, diag);
	format->close(converter);
	return error || found < 0 ? STATUS_REFUSED : 0;
}

/* What can't be written whole is taken away again, if it is a file and not, say, a terminal. */
static void remove_file(const char *path)
{
	struct stat status;

	if (!lstat(path, &status) && S_ISREG(status.st_mode))
		unlink(path);
}

/* To a file that the user named. */
static int convert_to_file(struct ringstat_input *input, const struct convert_format *format,
	struct convert_job *job, struct diag *diag)
{
	const char *path = input->options->output;
	int status;

	job->out = fopen(path, "we");
	if (!job->out)
		return diag_set(diag, STATUS_REFUSED, "%s: %s", path, strerror(errno));
	status = convert_events(input, format, job, diag);
	if (!status && (fflush(job->out) || ferror(job->out)))
		status = diag_set(diag, STATUS_REFUSED, "%s: %s", path, strerror(errno));
	fclose(job->out);
	if (status)
		remove_file(path);
	return status;
}

static int convert_input(struct ringstat_input *input, const struct convert_format *format,
	FILE *out, struct diag *diag)
{
	const char *output = input->options->output;
	struct convert_job job = {
		.source = reader_source(input->reader),
		.counts = reader_counts(input->reader),
		.names = reader_names(input->reader),
		.capacity = reader_capacity(input->reader),
		.folder = output,
		.out = out,
	};
	int status;

	if (format->needs_hz && !job.source->hz)
		return diag_set(diag, STATUS_REFUSED,
			"%s: its clock counts cycles of an unknown frequency, and %s: --hz is "
			"needed",
			input->file, format->needs_hz);
	if (output && strcmp(output, "-") != 0 && !format->folder)
		status = convert_to_file(input, format, &job, diag);
	else
		status = convert_events(input, format, &job, diag);
	return status ? status : ringstat_input_status(input);
}

int ringstat_convert(const struct ringstat_options *options, FILE *out, struct diag *diag)
{
	const struct convert_format *format = NULL;
	struct ringstat_input input;
	int status = check(options, &format, diag);

	if (!status)
		status = ringstat_input_open(&input, options->files[0], options, diag);
	if (status)
		return status;
	status = convert_input(&input, format, out, diag);
	ringstat_input_close(&input);
	return status;
}
