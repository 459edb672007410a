/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.data, from a file or piped: samples of tracepoints become events.
 */
#include "cycles.h"
#include "order.h"
#include "perf_tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(struct perf_reader *perf, int error, const char *reason, struct diag *diag)
{
	if (error == -EINVAL && reason[0])
		return diag_set(diag, error, "%s: %s", perf->reader.source.file, reason);
	return reader_failed(&perf->reader, &perf->names, error, diag);
}

/* More events come out of the runs. 1, 0 at the end, or a negative errno with a message. */
static int get_ready(struct perf_reader *perf, struct diag *diag)
{
	for (;;) {
		int status = runs_next(perf->runs, &perf->ready, &perf->ready_end);
		struct diag reason = { "" };

		if (status == 1)
			return 1;
		if (!status && perf->at_end)
			return 0;
		if (!status)
			status = perf_read_round(perf, &reason);
		if (status < 0)
			return failed(perf, status, reason.text, diag);
	}
}

/* Settles events up to a held one, which is no event. 0 or a negative errno. */
static int settle(struct perf_reader *perf)
{
	int error = 0;

	for (; !error && perf->ready < perf->ready_end; perf->ready++) {
		struct event *event = &perf->ready->event;

		if (!perf_tasks_is_unsettled(event))
			continue;
		if (perf_tasks_is_held(event))
			break;
		error = perf_tasks_settle(perf, event);
	}
	return error;
}

static int some(struct reader *reader, const struct cpu_event **begin, const struct cpu_event **end,
	struct diag *diag)
{
	struct perf_reader *perf = (struct perf_reader *)reader;
	int error;

	for (;;) {
		int status = perf->ready == perf->ready_end ? get_ready(perf, diag) : 1;

		if (status != 1)
			return status;
		*begin = perf->ready;
		error = settle(perf);
		*end = perf->ready;
		if (!error && *begin < *end)
			return 1;
		if (!error)
			error = perf_tasks_settle(perf, &perf->ready++->event);
		if (error)
			return failed(perf, error, "", diag);
	}
}

static void close_perf(struct reader *reader)
{
	struct perf_reader *perf = (struct perf_reader *)reader;

	if (perf->folder)
		perf_folder_close(perf->folder);
	else
		perf_stream_close(perf->stream);
	runs_destroy(perf->runs);
	raw_events_destroy(perf->raw);
	perf_attrs_free(&perf->attrs);
	perf_cgroups_clear(&perf->cgroups);
	seekable_close(&perf->file);
	input_close(perf->input);
	reader_release(reader);
	free(perf);
}

static const struct reader_format perf_format = { .some = some, .close = close_perf };

static int open_pipe(struct perf_reader *perf)
{
	uint8_t header[PERF_PIPE_HEADER_BYTES];
	size_t got = 0;

	while (got < sizeof(header)) { /* they were peeked at: they are there */
		ssize_t n = input_read(perf->input, header + got, sizeof(header) - got);

		if (n <= 0)
			return n ? (int)n : -EIO;
		got += (size_t)n;
	}
	return perf_stream_open_input(
		&perf->stream, perf->input, sizeof(header), perf->attrs.big_endian);
}

/* A file that tells of others in its folder is read with them, or not at all. */
static int open_parts(struct perf_reader *perf, const struct perf_header *header,
	const char *folder, struct diag *reason)
{
	struct perf_stream *data = perf->stream;

	if (header->folder && header->folder != PERF_FOLDER_VERSION)
		return diag_set(reason, -EINVAL,
			"its folder is laid out in an unknown way (version %" PRIu64 ")",
			header->folder);
	if (header->folder && !folder)
		return diag_set(reason, -EINVAL,
			"the events of this perf.data are in files beside it: give the folder");
	if (!folder)
		return 0;
	perf->stream = NULL;
	return perf_folder_open(&perf->folder, folder, data, &perf->attrs, reason);
}

static int open_file(struct perf_reader *perf, const char *folder, struct diag *reason)
{
	struct input *input = perf->input;
	struct perf_header header = { 0 };
	int error;

	perf->input = NULL; /* it goes to the file, also on failure */
	error = seekable_open(&perf->file, input);
	if (!error)
		error = perf_header_read(
			&perf->file, &perf->attrs, &perf->names, &perf->raw, &header, reason);
	if (error)
		return error;
	if (header.cut)
		reader_truncated(&perf->reader, "it ends before its last section does");
	perf->reader.source.clock = perf->attrs.clock;
	reader_kernel(&perf->reader, header.release, sizeof(header.release));
	error = perf_stream_open_file(&perf->stream, &perf->file, header.data_begin,
		header.data_end, perf->attrs.big_endian);
	return error ? error : open_parts(perf, &header, folder, reason);
}

static int open_either(struct perf_reader *perf, const char *folder, struct diag *reason)
{
	const char *data;
	size_t bytes;
	int error = input_peek(perf->input, &data, &bytes);

	if (error)
		return error;
	if (bytes < PERF_PIPE_HEADER_BYTES)
		return diag_set(reason, -EINVAL, "it ends within its header, at %zu", bytes);
	perf->attrs.big_endian = !memcmp(data, PERF_MAGIC_BIG_ENDIAN, 8);
	return perf_header_is_pipe((const uint8_t *)data, perf->attrs.big_endian)
		       ? open_pipe(perf)
		       : open_file(perf, folder, reason);
}

/* `folder`: the one whose `data` the input is, or NULL. */
static int open_perf(struct input *input, const char *file, const char *folder,
	const struct reader_options *options, size_t records, struct reader **reader,
	struct diag *diag)
{
	struct perf_reader *perf = calloc(1, sizeof(*perf));
	struct diag reason = { "" };
	int error = -ENOMEM;

	*reader = NULL;
	if (!perf) {
		input_close(input);
		return diag_set(diag, error, "%s: no memory", file);
	}
	perf->input = input;
	perf->file.fd = -1;
	if (!reader_prepare(&perf->reader, &perf_format, file))
		error = runs_create(&perf->runs, records < ORDER_RECORDS ? records : RUNS_EVENTS);
	perf->reader.source.format = "perf.data";
	perf->names.names = perf->reader.names;
	if (!error)
		error = open_either(perf, folder, &reason);
	if (error)
		error = failed(perf, error, reason.text, diag);
	else
		error = reader_set_hz(&perf->reader, CYCLES_NS_PER_S, options, diag);
	if (error)
		close_perf(&perf->reader);
	else
		*reader = &perf->reader;
	return error;
}

int perf_reader_open(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag)
{
	return open_perf(input, file, NULL, options, records, reader, diag);
}

int perf_folder_reader_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag)
{
	char path[4096];
	struct input *input;
	int error;

	*reader = NULL;
	if (snprintf(path, sizeof(path), "%s/" PERF_FOLDER_DATA, folder) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "%s: its name is too long", folder);
	error = input_open(path, &input, diag);
	if (error)
		return error;
	return open_perf(input, folder, folder, options, ORDER_RECORDS, reader, diag);
}
