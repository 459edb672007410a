/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of one CPU of one buffer of a trace.dat: its pages one after the other, read as they
 * lie in the file or unpacked chunk by chunk. Of each stream only a window is in memory.
 */
#ifndef ANALYZER_READ_TRACEDAT_STREAM_H
#define ANALYZER_READ_TRACEDAT_STREAM_H

#include "tracedat_file.h"

struct tracedat_stream {
	struct tracedat_file *file;
	const struct tracedat_place *place;
	uint64_t at;     /* in the file: what comes behind the window */
	uint64_t chunks; /* of those that are packed: how many are left */
	bool begun;

	uint8_t *packed; /* a chunk as it is in the file */
	size_t packed_room;
	uint8_t *window;
	size_t window_room, window_bytes;
	size_t next_page;   /* in the window */
	size_t reserved;    /* bytes of memory, counted in file->window_bytes */
	uint64_t window_at; /* where the window, or its chunk, is in the file */

	struct ring_page page;
	bool in_page;
	uint64_t time; /* of the last event */
	bool gaps;     /* there were some */
	uint64_t lost; /* in them, at least */
};

/* Before an event: what was lost between the one before it and it. */
struct tracedat_gap {
	bool any;
	uint64_t lost;
	bool unknown; /* more than that, or not known how many */
};

void tracedat_stream_open(struct tracedat_stream *stream, struct tracedat_file *file,
	const struct tracedat_place *place);

/*
 * The next event. It stays where it is until the next call. Returns 1; 0 at the end (of what is
 * there: file->trouble says if that isn't all); -EINVAL, or another errno, with a message.
 */
int tracedat_stream_next(struct tracedat_stream *stream, struct ring_entry *entry,
	struct tracedat_gap *gap, struct diag *diag);

/*
 * The same bytes without a look at pages, for what isn't any: the next window of them. Not to be
 * mixed with tracedat_stream_next. Returns 1, 0 at the end, or a negative errno with a message.
 */
int tracedat_stream_bytes(
	struct tracedat_stream *stream, const uint8_t **data, size_t *bytes, struct diag *diag);

void tracedat_stream_close(struct tracedat_stream *stream);

#endif
