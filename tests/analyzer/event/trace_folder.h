/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for a trace of the case's own, and a look at what is in it. */
#ifndef TESTS_ANALYZER_EVENT_TRACE_FOLDER_H
#define TESTS_ANALYZER_EVENT_TRACE_FOLDER_H

#include "harness.h"
#include "trace_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* (128 KiB - 72) / 32, rounded down, and where the packet that is full ends. */
#define RECORDS_A_PACKET 4093
#define FULL_PACKET      (72 + 4093 * 32)

static const struct trace_info info = {
	.hz = 1000000000,
	.uuid = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	.offset_s = 1700000000,
	.capacity = 118,
};

static char folder[64]; /* of the case's trace; made by setup, removed by teardown */

static inline void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/trace_writer_XXXXXX", tmp ? tmp : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static inline const char *file(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static inline void remove_folder(void)
{
	unlink(file("metadata"));
	unlink(file("stream_0"));
	unlink(file("stream_1"));
	unlink(file("stream_2"));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* Returns the file's bytes, to be freed, and their number. */
static inline unsigned char *contents(const char *name, size_t *bytes)
{
	FILE *in = fopen(file(name), "rb");
	unsigned char *data = malloc(4 * FULL_PACKET);

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	*bytes = fread(data, 1, 4 * FULL_PACKET, in);
	fclose(in);
	return data;
}

static inline void emit(struct trace_writer *writer, unsigned cpu, struct event event)
{
	event_emit(&writer->sink, cpu, event);
}

static const struct event start = {
	.time = 0x1122334455667788,
	.id = EVENT_START_XMIT,
	.device = 1,
	.queue = 2,
	.len = 1514,
	.packet = 0x8000000000000001,
	.arg = 0x00000042000105a8, /* header_bytes 66, gso_segs 1, gso_size 1448 */
};

#endif
