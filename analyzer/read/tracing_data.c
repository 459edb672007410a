/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracing_data.h"

#include "tracedat_file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int tracing_data_formats(struct cursor *cursor, struct cursor_block *block,
	tracing_data_take_fn *take, void *context)
{
	uint64_t systems = cursor_number(cursor, 4);

	while (systems-- && !cursor->error) {
		char system[CURSOR_STRING_BYTES];
		uint64_t events;

		cursor_string(cursor, system);
		events = cursor_number(cursor, 4);
		while (events-- && !cursor->error) {
			uint64_t bytes = cursor_number(cursor, 8);
			int error = 0;

			if (cursor_block(cursor, bytes, TRACING_DATA_FORMAT_BYTES, block))
				error = take(context, system, block);
			if (error)
				return error;
		}
	}
	return 0;
}

/* What ring buffers and ftrace's own events look like, of which perf.data has none. */
static void skip_headers(struct cursor *cursor)
{
	char name[CURSOR_STRING_BYTES];
	uint64_t count;

	for (int i = 0; i < 2; i++) { /* "header_page" and "header_event" */
		cursor_string(cursor, name);
		cursor_skip(cursor, cursor_number(cursor, 8));
	}
	count = cursor_number(cursor, 4);
	while (count-- && !cursor->error)
		cursor_skip(cursor, cursor_number(cursor, 8));
}

struct adding {
	struct raw_events *raw;
	struct diag *diag;
};

static int add_format(void *context, const char *system, const struct cursor_block *format)
{
	struct adding *adding = context;

	return raw_events_add(adding->raw, system, format->data, format->bytes, adding->diag);
}

int tracing_data_parse(const uint8_t *data, size_t bytes, struct kernel_names *names,
	struct raw_events **raw, struct diag *diag)
{
	struct cursor cursor = { .memory = data, .end = bytes };
	struct cursor_block block = { 0 };
	char magic[sizeof(TRACEDAT_MAGIC) - 1], version[CURSOR_STRING_BYTES];
	unsigned long_bytes;
	int error = 0;

	cursor_take(&cursor, magic, sizeof(magic));
	if (memcmp(magic, TRACEDAT_MAGIC, sizeof(magic)) != 0)
		return diag_set(diag, -EINVAL, "the formats of its events aren't such");
	cursor_string(&cursor, version); /* "0.5", "0.6"; what changed is behind the formats */
	cursor.big_endian = cursor_number(&cursor, 1);
	long_bytes = (unsigned)cursor_number(&cursor, 1);
	cursor_skip(&cursor, 4); /* the size of a page */
	skip_headers(&cursor);
	/* no record tells the idle tasks' name */
	if (!cursor.error && !*raw &&
		(raw_events_create(raw, names, cursor.big_endian, long_bytes) ||
			raw_events_task(*raw, 0, "swapper", 7)))
		return diag_set(diag, -ENOMEM, "no memory");
	if (*raw)
		raw_events_hold_tasks(*raw);
	if (!cursor.error)
		error = tracing_data_formats(
			&cursor, &block, add_format, &(struct adding){ *raw, diag });
	free(block.data);
	if (error || !cursor.error)
		return error;
	if (cursor.error == -ENOMEM)
		return diag_set(diag, -ENOMEM, "no memory");
	return diag_set(diag, -EINVAL,
		cursor.error == -EBADMSG
			? "the formats of its events have a length that can't be, at %" PRIu64
			  " in them"
			: "the formats of its events go beyond their end, at %" PRIu64 " in them",
		cursor.at);
}
