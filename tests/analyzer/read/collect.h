/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of readers: all that a reader says of a text, in one struct.
 */
#ifndef TESTS_ANALYZER_READ_COLLECT_H
#define TESTS_ANALYZER_READ_COLLECT_H

#include "harness.h"
#include "reader_impl.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collected_event {
	struct event event;
	unsigned cpu;
	unsigned zero; /* no padding, so that these can be compared as bytes */
};

struct collected {
	struct reader *reader; /* still open, for its names and counts */
	struct collected_event *events;
	size_t count;
	int status; /* of the call that failed, or 0 */
	struct diag diag;
};

static inline void collect_free(struct collected *got)
{
	reader_close(got->reader);
	free(got->events);
	*got = (struct collected){ 0 };
}

/* Takes all events of got->reader. */
static inline void collect_events(struct collected *got)
{
	struct collected_event next = { 0 };
	size_t room = 0;

	while ((got->status = reader_next(got->reader, &next.event, &next.cpu, &got->diag)) == 1) {
		if (got->count == room) {
			room = room ? 2 * room : 64;
			got->events = realloc(got->events, room * sizeof(*got->events));
			CU_ASSERT_PTR_NOT_NULL_FATAL(got->events);
		}
		got->events[got->count++] = next;
	}
}

/* Reads a text with memory for `records` events while sorting. */
static inline void collect_sorted_in(
	const char *text, size_t bytes, size_t records, struct collected *got)
{
	struct input *input;

	*got = (struct collected){ 0 };
	CU_ASSERT_EQUAL_FATAL(input_open_memory(text, bytes, &input), 0);
	got->status = reader_open_input(input, "text", NULL, records, &got->reader, &got->diag);
	if (!got->status)
		collect_events(got);
}

static inline void collect_bytes(const char *text, size_t bytes, struct collected *got)
{
	collect_sorted_in(text, bytes, 64, got);
}

static inline void collect(const char *text, struct collected *got)
{
	collect_bytes(text, strlen(text), got);
}

/* Writes bytes to a new file in the folder for temporary files; its name is in path. */
static inline void write_temporary(const void *data, size_t bytes, char path[64])
{
	FILE *file;
	int fd;

	strcpy(path, "/tmp/ringside-test-XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	file = fdopen(fd, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(data, 1, bytes, file), bytes);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

#endif
