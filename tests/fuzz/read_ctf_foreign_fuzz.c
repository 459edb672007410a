/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: a CTF trace of another program. The first line of the bytes that is empty ends
 * its metadata, what follows is its stream. Events must come out in order, with names.
 */
#include "reader_impl.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char folder[] = "/dev/shm/ringside-fuzz-XXXXXX", metadata[64], stream[64];

static void must(int condition)
{
	if (!condition)
		abort();
}

static void remove_folder(void)
{
	unlink(stream);
	unlink(metadata);
	rmdir(folder);
}

static void make_folder(void)
{
	must(mkdtemp(folder) != NULL);
	snprintf(metadata, sizeof(metadata), "%s/metadata", folder);
	snprintf(stream, sizeof(stream), "%s/stream", folder);
	atexit(remove_folder);
}

static void write_file(const char *path, const uint8_t *data, size_t bytes)
{
	FILE *file = fopen(path, "w");

	must(file && fwrite(data, 1, bytes, file) == bytes && !fclose(file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint8_t *end = memmem(data, bytes, "\n\n", 2);
	size_t text = end ? (size_t)(end - data) + 2 : bytes;
	struct reader *reader;
	struct event event;
	struct diag diag;
	uint64_t time = 0;
	unsigned cpu;
	int status;

	if (!stream[0])
		make_folder();
	write_file(metadata, data, text);
	write_file(stream, data + text, bytes - text);
	status = ctf_foreign_open(folder, NULL, &reader, &diag);
	must(status ? !reader && strstr(diag.text, folder) : reader != NULL);
	if (status)
		return 0;
	while ((status = reader_next(reader, &event, &cpu, &diag)) == 1) {
		must(event.time >= time);
		time = event.time;
		must(event.device == EVENT_NO_DEVICE ||
			names_get(reader_names(reader), NAME_DEVICE, event.device));
	}
	must(status == 0);
	reader_close(reader);
	return 0;
}
