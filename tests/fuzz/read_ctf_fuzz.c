/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: a trace of ours with two streams, of which the bytes are the first. The second
 * is what an undamaged one looks like, of no event. Events must come out in order, with names.
 */
#include "reader.h"
#include "trace_writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char folder[] = "/dev/shm/ringside-fuzz-XXXXXX", stream[64];

static void must(int condition)
{
	if (!condition)
		abort();
}

static void remove_folder(void)
{
	char path[64];

	unlink(stream);
	snprintf(path, sizeof(path), "%s/stream_1", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/metadata", folder);
	unlink(path);
	rmdir(folder);
}

/* All bytes of the uuid are 0, so that the fuzzer soon has it. */
static void make_trace(void)
{
	const struct trace_info info = { .hz = 1000000000 };
	struct trace_writer writer;

	must(mkdtemp(folder) != NULL);
	must(!trace_writer_open(&writer, folder, &info, 2, NULL));
	must(!trace_writer_close(&writer, NULL));
	snprintf(stream, sizeof(stream), "%s/stream_0", folder);
	atexit(remove_folder);
}

static void write_stream(const uint8_t *data, size_t bytes)
{
	FILE *file = fopen(stream, "w");

	must(file && fwrite(data, 1, bytes, file) == bytes && !fclose(file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct reader *reader;
	struct event event;
	struct diag diag;
	uint64_t time = 0;
	unsigned cpu;
	int status;

	if (!stream[0])
		make_trace();
	write_stream(data, bytes);
	status = reader_open(folder, NULL, &reader, &diag);
	must(status == 0 || (status == -EINVAL && strstr(diag.text, "stream_0")));
	if (status)
		return 0;
	while ((status = reader_next(reader, &event, &cpu, &diag)) == 1) {
		must(event.time >= time);
		time = event.time;
		must(event.device == EVENT_NO_DEVICE ||
			names_get(reader_names(reader), NAME_DEVICE, event.device));
	}
	must(status == 0 || status == -EINVAL);
	reader_close(reader);
	return 0;
}
