/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zstd.h>

/* Room for the largest record, 65535 bytes, and for several before it; stays in the cache. */
#define WINDOW_BYTES ((size_t)256 * 1024)

/* A stretch of a file is mapped: large enough to make that rare, and less than all of it. */
#define MAP_BYTES  ((size_t)8 * 1024 * 1024)
#define PAGE_BYTES UINT64_C(65536) /* a multiple of the page sizes that there are */

/* So much zstd asks for between two blocks. perf ends no frame, but blocks where it writes. */
#define ZSTD_BLOCK_HEAD_BYTES 3

static void release(struct perf_window *window)
{
	if (window->mapped)
		munmap(window->data, window->mapped);
	else
		free(window->data);
}

static int create(struct perf_stream **stream, const struct perf_stream *made)
{
	struct perf_stream *s = malloc(sizeof(*s));

	*stream = s;
	if (!s)
		return -ENOMEM;
	*s = *made;
	s->records = &s->window;
	if (s->file && s->file->fd >= 0)
		return 0; /* it will be mapped */
	s->window.data = malloc(WINDOW_BYTES);
	if (s->window.data)
		return 0;
	free(s);
	*stream = NULL;
	return -ENOMEM;
}

int perf_stream_open_file(struct perf_stream **stream, const struct seekable *file, uint64_t begin,
	uint64_t end, bool big_endian)
{
	struct perf_stream made = {
		.file = file,
		.at = begin,
		.end = end,
		.big_endian = big_endian,
		.window_offset = begin,
	};

	return create(stream, &made);
}

int perf_stream_open_input(
	struct perf_stream **stream, struct input *input, uint64_t begin, bool big_endian)
{
	struct perf_stream made = {
		.input = input,
		.big_endian = big_endian,
		.window_offset = begin,
	};

	return create(stream, &made);
}

/* Reads what comes next, at least a byte. Returns how many; 0 at the end; or a negative errno. */
static ssize_t read_some(struct perf_stream *s, uint8_t *data, size_t bytes)
{
	int error;

	if (!s->file)
		return input_read(s->input, data, bytes);
	if (bytes > s->end - s->at)
		bytes = (size_t)(s->end - s->at);
	error = bytes ? seekable_read(s->file, s->at, data, bytes) : 0;
	if (error)
		return error == -ENODATA ? 0 : error; /* it shrinks while we read */
	s->at += bytes;
	return (ssize_t)bytes;
}

/* Moves what is left to the front, so that there is room behind it. */
static void make_room(struct perf_window *window)
{
	memmove(window->data, window->data + window->begin, window->end - window->begin);
	window->end -= window->begin;
	window->begin = 0;
}

/*
 * Maps the next stretch of a file, from the first record that isn't used up. 1; 0 at the end, also
 * where the file has become shorter; or a negative errno.
 */
static int map_next(struct perf_stream *s)
{
	uint64_t begin = s->at - (s->window.end - s->window.begin);
	uint64_t page = begin & ~(PAGE_BYTES - 1);
	size_t bytes = s->end - page < MAP_BYTES ? (size_t)(s->end - page) : MAP_BYTES;
	struct stat status;
	void *map;

	if (s->at == s->end)
		return 0;
	if (fstat(s->file->fd, &status))
		return -errno;
	if ((uint64_t)status.st_size < page + bytes)
		return 0;
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, s->file->fd, (off_t)page);
	if (map == MAP_FAILED)
		return -errno;
	madvise(map, bytes, MADV_SEQUENTIAL);
	release(&s->window);
	s->window = (struct perf_window){ map, bytes, (size_t)(begin - page), bytes };
	s->window_offset = page;
	s->at = page + bytes;
	return 1;
}

/* Reads one more block. 1; 0 at the end; or a negative errno. */
static int fill(struct perf_stream *s)
{
	ssize_t n;

	if (s->file && s->file->fd >= 0)
		return map_next(s);
	s->window_offset += s->window.begin;
	make_room(&s->window);
	n = s->at_end ? 0
		      : read_some(s, s->window.data + s->window.end, WINDOW_BYTES - s->window.end);
	if (n < 0)
		return (int)n;
	s->at_end = !n;
	s->window.end += (size_t)n;
	return n > 0;
}

/* The record that a window begins with. 1; 0 if it isn't all there; -EINVAL if it can't be. */
static int front(const struct perf_window *window, bool big_endian, struct perf_record *record)
{
	size_t bytes = window->end - window->begin;

	if (bytes < PERF_HEAD_BYTES)
		return 0;
	record->data = window->data + window->begin;
	record->bytes = bytes_16(record->data + 6, big_endian);
	record->type = bytes_32(record->data, big_endian);
	if (record->bytes < PERF_HEAD_BYTES)
		return -EINVAL;
	return record->bytes <= bytes;
}

static bool is_packed(const struct perf_record *record)
{
	return record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2;
}

static int too_small(const struct perf_stream *s, const struct perf_record *record,
	const char *what, struct diag *diag)
{
	return diag_set(diag, -EINVAL,
		"%s at %" PRIu64 " has a size of %zu bytes, which is too small", what,
		perf_stream_offset(s, record), record->bytes);
}

/* The next record that lies in the input itself. */
static int next_plain(struct perf_stream *s, struct perf_record *record, struct diag *diag)
{
	for (;;) {
		int status = front(&s->window, s->big_endian, record);

		if (status == 1) {
			s->window.begin += record->bytes;
			return 1;
		}
		if (status < 0)
			return too_small(s, record, "the record", diag);
		status = fill(s);
		if (status < 0)
			return status;
		if (!status) {
			if (s->window.begin < s->window.end)
				snprintf(s->trouble, sizeof(s->trouble),
					"it ends within the record at %" PRIu64,
					s->window_offset + s->window.begin);
			return 0;
		}
	}
}

/* Goes on to what a record has packed. -EINVAL if it is smaller than it must be. */
static int start_packed(struct perf_stream *s, const struct perf_record *record, struct diag *diag)
{
	uint64_t bytes = record->bytes - PERF_HEAD_BYTES;
	size_t head = PERF_HEAD_BYTES;

	if (record->type == PERF_COMPRESSED2) {
		head += 8;
		if (record->bytes < head)
			return too_small(s, record, "the packed record", diag);
		bytes = bytes_64(record->data + PERF_HEAD_BYTES, s->big_endian);
		if (bytes > record->bytes - head)
			return diag_set(diag, -EINVAL,
				"the packed record at %" PRIu64 " has %" PRIu64
				" bytes of data in %zu",
				perf_stream_offset(s, record), bytes, record->bytes);
	}
	if (!s->zstd) {
		s->zstd = ZSTD_createDStream();
		s->unpacked.data = malloc(WINDOW_BYTES);
		if (!s->zstd || !s->unpacked.data)
			return -ENOMEM;
	}
	s->packed = record->data + head;
	s->packed_bytes = (size_t)bytes;
	s->packed_offset = perf_stream_offset(s, record);
	s->records = &s->unpacked;
	return 0;
}

/* Unpacks more of it. 1; 0 if there is no more; -EBADMSG if the data are damaged. */
static int unpack(struct perf_stream *s)
{
	ZSTD_inBuffer in = { s->packed, s->packed_bytes, 0 };
	ZSTD_outBuffer out;
	size_t status;

	if (!s->packed_bytes && !s->more_unpacked)
		return 0;
	make_room(&s->unpacked);
	out = (ZSTD_outBuffer){ s->unpacked.data, WINDOW_BYTES, s->unpacked.end };
	status = ZSTD_decompressStream(s->zstd, &out, &in);
	if (ZSTD_isError(status)) {
		snprintf(s->trouble, sizeof(s->trouble),
			"the packed record at %" PRIu64 " is damaged (%s)", s->packed_offset,
			ZSTD_getErrorName(status));
		return -EBADMSG;
	}
	s->packed += in.pos;
	s->packed_bytes -= in.pos;
	s->more_unpacked = out.pos == out.size;
	s->within_block = status != 0 && status != ZSTD_BLOCK_HEAD_BYTES;
	s->unpacked.end = out.pos;
	return 1;
}

/* The next record that was packed. 1; 0 if the last packed record is used up; -EINVAL, -EBADMSG. */
static int next_packed(struct perf_stream *s, struct perf_record *record, struct diag *diag)
{
	for (;;) {
		int status = front(&s->unpacked, s->big_endian, record);

		if (status == 1 && is_packed(record))
			return diag_set(diag, -EINVAL,
				"a record packed in the one at %" PRIu64 " is itself a packed one",
				s->packed_offset);
		if (status == 1) {
			s->unpacked.begin += record->bytes;
			return 1;
		}
		if (status < 0)
			return too_small(s, record, "a record packed in the one", diag);
		status = unpack(s);
		if (status != 1)
			return status;
	}
}

int perf_stream_next_slowly(struct perf_stream *s, struct perf_record *record, struct diag *diag)
{
	for (;;) {
		int status = perf_stream_is_packed(s) ? next_packed(s, record, diag) : 0;

		if (status == -EBADMSG)
			return 0; /* perf_stream_trouble says it */
		if (status)
			return status;
		s->records = &s->window;
		status = next_plain(s, record, diag);
		if (status != 1)
			return status;
		if (!is_packed(record))
			return 1;
		status = start_packed(s, record, diag);
		if (status)
			return status;
	}
}

int perf_stream_take(struct perf_stream *s, uint64_t bytes, uint8_t *data)
{
	while (bytes) {
		size_t here = s->window.end - s->window.begin;
		int status;

		if (here > bytes)
			here = (size_t)bytes;
		if (data) {
			memcpy(data, s->window.data + s->window.begin, here);
			data += here;
		}
		s->window.begin += here;
		bytes -= here;
		if (!bytes)
			return 0;
		if (s->file && !data) { /* skipped without a look */
			uint64_t left = s->end - s->at, skipped = bytes < left ? bytes : left;

			s->at += skipped;
			s->window_offset += skipped;
			return skipped == bytes ? 0 : -ENODATA;
		}
		status = fill(s);
		if (status != 1)
			return status ? status : -ENODATA;
	}
	return 0;
}

uint64_t perf_stream_offset(const struct perf_stream *s, const struct perf_record *record)
{
	if (perf_stream_is_packed(s))
		return s->packed_offset;
	return s->window_offset + (uint64_t)(record->data - s->window.data);
}

const char *perf_stream_trouble(const struct perf_stream *s)
{
	if (s->trouble[0])
		return s->trouble;
	if (s->file && s->at < s->end)
		return "it has become shorter";
	if (s->unpacked.begin < s->unpacked.end)
		return "its packed data end within a record";
	if (s->within_block)
		return "its packed data end within a block";
	return s->input ? input_trouble(s->input) : NULL;
}

void perf_stream_close(struct perf_stream *s)
{
	if (!s)
		return;
	ZSTD_freeDStream(s->zstd);
	release(&s->unpacked);
	release(&s->window);
	free(s);
}
