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

struct perf_stream;

struct perf_record {
	const uint8_t *data; /* its head, and what follows */
	size_t bytes;        /* of all that; PERF_HEAD_BYTES at least */
	uint32_t type;
	bool packed; /* it was inside of another one */
};

/* From [begin, end) of a file. Either must outlive the stream. 0 or -ENOMEM. */
int perf_stream_open_file(struct perf_stream **stream, const struct seekable *file, uint64_t begin,
	uint64_t end, bool big_endian);

/* What follows in an input, of which `begin` bytes were taken. 0 or -ENOMEM. */
int perf_stream_open_input(
	struct perf_stream **stream, struct input *input, uint64_t begin, bool big_endian);

/*
 * The next record, valid until the next call. 1; 0 at the end (see perf_stream_cut); -EINVAL with a
 * message ("… at N", without the file's name); -ENOMEM; or the negative errno of reading.
 */
int perf_stream_next(struct perf_stream *stream, struct perf_record *record, struct diag *diag);

/*
 * The bytes that follow the last record, which are none: into data, or skipped if that is NULL. 0;
 * -ENODATA if the input ends before that; or a negative errno.
 */
int perf_stream_take(struct perf_stream *stream, uint64_t bytes, uint8_t *data);

/* Where the last record begins in the input, or the one that it was packed in. */
uint64_t perf_stream_offset(const struct perf_stream *stream);

/* What is wrong with the end, or NULL: it is inside a record, or packed data are damaged. */
const char *perf_stream_trouble(const struct perf_stream *stream);

void perf_stream_close(struct perf_stream *stream);

#endif
