/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader_impl.h"

#include "capture.h"
#include "costs_list.h"
#include "order.h"
#include "perf_folder.h"
#include "perf_header.h"
#include "tracedat_file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Formats that begin with a magic number. Their readers come here; until then a word of help. */
static const struct magic {
	const char *bytes;
	size_t count;
	const char *help;
} magics[] = {
	{ "\xc1\x1f\xfc\xc1", 4, "a stream of a CTF trace: give the folder that holds it" },
	{ "/* CTF 1.", 9, "the metadata of a CTF trace: give the folder that holds it" },
};

int reader_prepare(struct reader *reader, const struct reader_format *format, const char *file)
{
	reader->format = format;
	reader->source.file = strdup(file);
	reader->names = names_create();
	return reader->source.file && reader->names ? 0 : -ENOMEM;
}

void reader_release(struct reader *reader)
{
	free((char *)reader->source.file);
	names_destroy(reader->names);
}

void reader_truncated(struct reader *reader, const char *reason)
{
	struct trace_counts *counts = &reader->counts;
	size_t used = strlen(counts->trouble);

	counts->truncated = true;
	snprintf(counts->trouble + used, sizeof(counts->trouble) - used, "%s%s%s",
		used ? "" : reader->source.file, used ? ", " : ": ", reason);
}

void reader_kernel(struct reader *reader, const char *release, size_t bytes)
{
	bytes = strnlen(release, bytes < READER_KERNEL_BYTES ? bytes : READER_KERNEL_BYTES - 1);
	memcpy(reader->kernel, release, bytes);
	reader->kernel[bytes] = '\0';
	reader->source.kernel = bytes ? reader->kernel : NULL;
}

void reader_lost(struct reader *reader, uint64_t count, bool unknown)
{
	struct trace_counts *counts = &reader->counts;
	bool too_many = count > EVENT_LOST_MOST - counts->lost;

	counts->lost = too_many ? EVENT_LOST_MOST : counts->lost + count;
	counts->lost_unknown = counts->lost_unknown || unknown || too_many;
}

int reader_failed(
	const struct reader *reader, const struct kernel_names *names, int error, struct diag *diag)
{
	static const char *const kinds[NAME_KINDS] = {
		[NAME_DEVICE] = "devices",
		[NAME_TASK] = "tasks",
		[NAME_REASON] = "drop reasons",
		[NAME_IRQ] = "interrupt handlers",
	};
	const char *file = reader->source.file;

	if (error == -ENOMEM)
		return diag_set(diag, error, "%s: no memory", file);
	if (error == -EOVERFLOW)
		return diag_set(diag, error, "%s: has more names of %s than fit (%" PRIu32 ")",
			file, kinds[names->used_up], names_room(names->used_up));
	return diag_set(diag, error, "%s: can't be read, or sorted in $TMPDIR or /tmp: %s", file,
		strerror(-error));
}

int reader_set_hz(struct reader *reader, uint64_t told, const struct reader_options *options,
	struct diag *diag)
{
	uint64_t given = options ? options->hz : 0;

	if (told && given && told != given)
		return diag_set(diag, -EINVAL,
			"%s: %" PRIu64 " Hz was given, but this trace's clock has %" PRIu64 " Hz",
			reader->source.file, given, told);
	reader->source.hz = told ? told : given;
	return 0;
}

int reader_open_input(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag)
{
	const char *data;
	size_t bytes;
	int error = input_peek(input, &data, &bytes);

	*reader = NULL;
	if (error)
		diag_set(diag, error, "%s: %s", file, strerror(-error));
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]) && !error; i++) {
		if (bytes >= magics[i].count && !memcmp(data, magics[i].bytes, magics[i].count))
			error = diag_set(diag, -EINVAL, "%s: %s", file, magics[i].help);
	}
	if (!error && capture_is(data, bytes)) {
		if (options && options->capture)
			return capture_open_input(input, file, options->capture, diag);
		error = diag_set(diag, -EINVAL,
			"%s: a capture of frames (pcap), no trace of events: only ringstat report "
			"reads it",
			file);
	}
	if (error) {
		input_close(input);
		return error;
	}
	if (options && options->costs && costs_list_recognised(data, bytes))
		return costs_list_open(input, file, options, reader, diag);
	if (bytes >= 8 && (!memcmp(data, PERF_MAGIC, 8) || !memcmp(data, PERF_MAGIC_BIG_ENDIAN, 8)))
		return perf_reader_open(input, file, options, records, reader, diag);
	if (bytes >= strlen(TRACEDAT_MAGIC) &&
		!memcmp(data, TRACEDAT_MAGIC, strlen(TRACEDAT_MAGIC)))
		return tracedat_reader_open(input, file, options, records, reader, diag);
	return text_reader_open(input, file, options, records, reader, diag);
}

int reader_open(const char *path, const struct reader_options *options, struct reader **reader,
	struct diag *diag)
{
	struct input *input;
	struct stat status;
	int error;

	*reader = NULL;
	if (strcmp(path, "-") != 0 && !stat(path, &status) && S_ISDIR(status.st_mode))
		return perf_folder_is(path) ? perf_folder_reader_open(path, options, reader, diag)
					    : ctf_reader_open(path, options, reader, diag);
	error = input_open(path, &input, diag);
	if (error)
		return error;
	return reader_open_input(input, path, options, ORDER_RECORDS, reader, diag);
}

int reader_next_some(struct reader *reader, const struct cpu_event **begin,
	const struct cpu_event **end, struct diag *diag)
{
	if (reader->left < reader->left_end) { /* by reader_next */
		*begin = reader->left;
		*end = reader->left = reader->left_end;
		return 1;
	}
	if (reader->format->some)
		return reader->format->some(reader, begin, end, diag);
	*begin = &reader->one;
	*end = *begin + 1;
	return reader->format->next(reader, &reader->one.event, &reader->one.cpu, diag);
}

int reader_next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	if (reader->format->next)
		return reader->format->next(reader, event, cpu, diag);
	if (reader->left == reader->left_end) {
		const struct cpu_event *begin, *end;
		int status = reader->format->some(reader, &begin, &end, diag);

		if (status != 1)
			return status;
		reader->left = begin;
		reader->left_end = end;
	}
	*event = reader->left->event;
	*cpu = reader->left++->cpu;
	return 1;
}

const struct trace_source *reader_source(const struct reader *reader)
{
	return &reader->source;
}

const struct trace_counts *reader_counts(const struct reader *reader)
{
	return &reader->counts;
}

const struct names *reader_names(const struct reader *reader)
{
	return reader->names;
}

uint32_t reader_capacity(const struct reader *reader)
{
	return reader->capacity;
}

void reader_close(struct reader *reader)
{
	if (reader)
		reader->format->close(reader);
}
