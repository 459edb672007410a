/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of a perf.data, one after the other: those that lie in it, and those that were packed
 * by zstd into records of the type PERF_COMPRESSED (or 2, with padding), which never come out
 * themselves. A file is mapped, stretch by stretch; from a pipe, blocks are read that stay in the
 * cache while their records are taken apart.
 */
#ifndef ANALYZER_READ_PERF_STREAM_H
#define ANALYZER_READ_PERF_STREAM_H

#include "diag.h"
#include "perf_layout.h"
#include "seekable.h"

#define PERF_COMPRESSED  81
#define PERF_COMPRESSED2 83

struct perf_record {
	const uint8_t *data; /* its head, and what follows */
	size_t bytes;        /* of all that; PERF_HEAD_BYTES at least */
	uint32_t type;
};

/* What is in memory, of the input or unpacked. */
struct perf_window {
	uint8_t *data;
	size_t mapped;     /* 0: it is allocated */
	size_t begin, end; /* what is still to be taken */
};

/* For perf_stream.c, but for perf_stream_next, which is called for each record. */
struct perf_stream {
	struct perf_window *records; /* the next ones are there: window or unpacked */
	bool big_endian;

	struct perf_window window;
	uint64_t window_offset; /* of its data, in the input */
	bool at_end;
	const struct seekable *file; /* NULL: the input */
	struct input *input;
	uint64_t at, end; /* of the file: what is still to be read */

	struct ZSTD_DCtx_s *zstd;
	struct perf_window unpacked;
	const uint8_t *packed; /* what is left of the last packed record */
	size_t packed_bytes;
	uint64_t packed_offset;
	bool more_unpacked; /* zstd has more than there was room for */
	bool within_block;  /* zstd waits for the rest of one */
	char trouble[128];
};

/* From [begin, end) of a file. Either must outlive the stream. 0 or -ENOMEM. */
int perf_stream_open_file(struct perf_stream **stream, const struct seekable *file, uint64_t begin,
	uint64_t end, bool big_endian);

/* What follows in an input, of which `begin` bytes were taken. 0 or -ENOMEM. */
int perf_stream_open_input(
	struct perf_stream **stream, struct input *input, uint64_t begin, bool big_endian);

/*
 * The next record, valid until the next call. 1; 0 at the end (see perf_stream_trouble); -EINVAL
 * with a message ("… at N", without the file's name); -ENOMEM; or the negative errno of reading.
 */
static inline int perf_stream_next(
	struct perf_stream *stream, struct perf_record *record, struct diag *diag);

/*
 * The bytes that follow the last record, which are none: into data, or skipped if that is NULL. 0;
 * -ENODATA if the input ends before that; or a negative errno.
 */
int perf_stream_take(struct perf_stream *stream, uint64_t bytes, uint8_t *data);

/* Where the record that came last begins in the input, or the one that it was packed in. */
uint64_t perf_stream_offset(const struct perf_stream *stream, const struct perf_record *record);

/* It was inside of another one. */
static inline bool perf_stream_is_packed(const struct perf_stream *stream)
{
	return stream->records == &stream->unpacked;
}

/* What is wrong with the end, or NULL: it is inside a record, or packed data are damaged. */
const char *perf_stream_trouble(const struct perf_stream *stream);

void perf_stream_close(struct perf_stream *stream);

/* perf_stream_next where the next record isn't all there, or must be unpacked, or can't be. */
int perf_stream_next_slowly(
	struct perf_stream *stream, struct perf_record *record, struct diag *diag);

/* So far ahead that it is there in time; reading on is no error where there is nothing. */
#define PERF_PREFETCH_BYTES 1024

static inline int perf_stream_next(
	struct perf_stream *stream, struct perf_record *record, struct diag *diag)
{
	struct perf_window *window = stream->records;
	size_t left = window->end - window->begin;
	const uint8_t *data;

	if (left < PERF_HEAD_BYTES)
		return perf_stream_next_slowly(stream, record, diag);
	data = window->data + window->begin;
	record->data = data;
	record->bytes = bytes_16(data + 6, stream->big_endian);
	record->type = bytes_32(data, stream->big_endian);
	if (record->bytes < PERF_HEAD_BYTES || record->bytes > left ||
		record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2)
		return perf_stream_next_slowly(stream, record, diag);
	__builtin_prefetch(data + PERF_PREFETCH_BYTES);
	window->begin += record->bytes;
	return 1;
}

#endif
