/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of CTF traces: a folder with one, whose files can be damaged.
 */
#ifndef TESTS_ANALYZER_READ_CTF_FOLDER_H
#define TESTS_ANALYZER_READ_CTF_FOLDER_H

#include "collect.h"
#include "trace_writer.h"
#include <dirent.h>
#include <unistd.h>

static const struct trace_info info = {
	.hz = 2900000000,
	.uuid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.capacity = 118,
};

/* A folder for a trace; the trace is removed with it. */
static char folder[64];

static inline void make_folder(void)
{
	strcpy(folder, "/tmp/ringside-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static inline void path_of(const char *name, char path[200])
{
	snprintf(path, 200, "%s/%.100s", folder, name);
}

static inline void remove_folder(void)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);

	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	while ((entry = readdir(dir))) {
		char path[200];

		path_of(entry->d_name, path);
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	closedir(dir);
	rmdir(folder);
}

/* The whole file. The caller frees it. */
static inline char *slurp(const char *name, size_t *bytes)
{
	char path[200], *data = calloc(1, 1 << 20);
	FILE *file;

	path_of(name, path);
	file = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	*bytes = fread(data, 1, (1 << 20) - 1, file);
	fclose(file);
	return data;
}

static inline void spew(const char *name, const void *data, size_t bytes)
{
	char path[200];
	FILE *file;

	path_of(name, path);
	file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(data, 1, bytes, file), bytes);
	fclose(file);
}

static inline void read_folder(struct collected *got)
{
	*got = (struct collected){ 0 };
	got->status = reader_open(folder, NULL, &got->reader, &got->diag);
	if (!got->status)
		collect_events(got);
}

static inline void write_event(struct trace_writer *writer, unsigned cpu, uint64_t time,
	unsigned id, uint64_t packet, uint64_t arg)
{
	struct event event = { .time = time,
		.id = (uint16_t)id,
		.device = id == EVENT_FREE || id == EVENT_LOST ? EVENT_NO_DEVICE : 0,
		.queue = EVENT_NO_QUEUE,
		.len = 98,
		.packet = packet,
		.arg = arg };

	event_emit(&writer->sink, cpu, event);
}

/* Two CPUs, near 2^62 cycles; the second event of each has the time of one of the other's. */
static inline void write_small_trace(void)
{
	const uint64_t t = UINT64_C(1) << 62;
	struct trace_writer writer;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 2, NULL), 0);
	trace_writer_name(&writer, 1, t, NAME_DEVICE, 0, "a-device-with-a-name-of-many-parts");
	trace_writer_name(&writer, 0, t, NAME_REASON, 1, "sixteen-letters!");
	write_event(&writer, 0, t, EVENT_START_XMIT, 0x100, 0);
	write_event(&writer, 0, t + 29, EVENT_FREE, 0x100, EVENT_PUT(FREE, reason, 1));
	write_event(&writer, 1, t + 29, EVENT_START_XMIT, 0x200, 0);
	write_event(&writer, 1, t + 5829, EVENT_FREE, 0x200, 0);
	write_event(&writer, 0, t + 5829, EVENT_LOST, 0, EVENT_PUT(LOST, count, 3));
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, NULL), 0);
}

#endif
