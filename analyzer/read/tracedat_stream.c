/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracedat_stream.h"

#include "bytes.h"
#include "tracedat_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of pages that aren't packed; at least one page. trace-cmd's chunks have 10 pages. */
#define WINDOW_BYTES ((size_t)64 * 1024)

/* What a chunk may unpack to, and what all streams may have in memory: 1000 CPUs need 40 MB. */
#define CHUNK_BYTES_MOST ((size_t)16 * 1024 * 1024)
#define ALL_BYTES_MOST   ((size_t)256 * 1024 * 1024)

#define COUNT_BYTES      4 /* the number of chunks, before the first */
#define CHUNK_HEAD_BYTES 8

void tracedat_stream_open(struct tracedat_stream *stream, struct tracedat_file *file,
	const struct tracedat_place *place)
{
	*stream = (struct tracedat_stream){ .file = file, .place = place, .at = place->offset };
}

void tracedat_stream_close(struct tracedat_stream *stream)
{
	free(stream->packed);
	free(stream->window);
	stream->packed = stream->window = NULL;
}

/* Says that something is wrong where the last entry is. Returns -EINVAL. */
static int damaged(const struct tracedat_stream *stream, const char *what, struct diag *diag)
{
	const struct tracedat_place *place = stream->place;
	uint64_t in_window = (uint64_t)(stream->page.at - stream->window);
	char text[160];

	if (!place->packed)
		return tracedat_damaged(stream->file, stream->window_at + in_window, what, diag);
	snprintf(text, sizeof(text), "%s (byte %" PRIu64 " of what unpacks from there)", what,
		in_window);
	return tracedat_damaged(stream->file, stream->window_at, text, diag);
}

static int failed(const struct tracedat_stream *stream, int error, struct diag *diag)
{
	return diag_set(diag, error, "%s: %s", stream->file->name, strerror(-error));
}

/* The file ended, or shrank, inside this CPU's data. */
static int cut(const struct tracedat_stream *stream)
{
	tracedat_cut(stream->file, "the file is cut at %" PRIu64 " bytes, in the data of CPU %u",
		stream->file->file.bytes, stream->place->cpu);
	return 0;
}

/* Counts what this stream needs to what all have. Returns 0, or -EINVAL with a message. */
static int reserve(struct tracedat_stream *stream, size_t bytes, struct diag *diag)
{
	struct tracedat_file *file = stream->file;

	if (bytes <= stream->reserved)
		return 0;
	file->window_bytes += bytes - stream->reserved;
	stream->reserved = bytes;
	if (file->window_bytes <= ALL_BYTES_MOST)
		return 0;
	return tracedat_damaged(
		file, stream->at, "CPUs that need more than 256 MiB together", diag);
}

static int make_room(uint8_t **data, size_t *room, size_t bytes)
{
	uint8_t *grown;

	if (*room >= bytes)
		return 0;
	grown = realloc(*data, bytes);
	if (!grown)
		return -ENOMEM;
	*data = grown;
	*room = bytes;
	return 0;
}

/* Pages as they lie in the file. Returns 1, 0 at the end, or a negative errno. */
static int read_pages(struct tracedat_stream *stream, struct diag *diag)
{
	const struct tracedat_place *place = stream->place;
	uint64_t left = place->offset + place->bytes - stream->at;
	size_t bytes = WINDOW_BYTES / place->page_bytes * place->page_bytes;
	int error;

	if (!left)
		return 0;
	if (bytes < place->page_bytes)
		bytes = place->page_bytes;
	if (bytes > left)
		bytes = (size_t)left;
	error = reserve(stream, bytes, diag);
	if (error)
		return error;
	error = make_room(&stream->window, &stream->window_room, bytes);
	if (!error)
		error = seekable_read(&stream->file->file, stream->at, stream->window, bytes);
	if (error == -ENODATA)
		return cut(stream);
	if (error)
		return failed(stream, error, diag);
	stream->window_at = stream->at;
	stream->window_bytes = bytes;
	stream->at += bytes;
	return 1;
}

/* A number of 4 bytes of the file. Returns 1, 0 if the file is cut there, or a negative errno. */
static int take_number(struct tracedat_stream *stream, uint32_t *number, struct diag *diag)
{
	uint8_t data[4];
	int error = seekable_read(&stream->file->file, stream->at, data, sizeof(data));

	if (error == -ENODATA)
		return cut(stream);
	if (error)
		return failed(stream, error, diag);
	*number = bytes_32(data, stream->file->big_endian);
	stream->at += sizeof(data);
	return 1;
}

/* Behind the last chunk nothing may be left. Some count the number of chunks in, some don't. */
static int check_end(const struct tracedat_stream *stream, struct diag *diag)
{
	const struct tracedat_place *place = stream->place;
	uint64_t used = stream->at - place->offset;

	if (used == place->bytes || used == place->bytes + COUNT_BYTES || stream->file->trouble[0])
		return 0;
	return tracedat_damaged(
		stream->file, stream->at, "chunks that end before their CPU's data do", diag);
}

static int unpack_chunk(
	struct tracedat_stream *stream, uint32_t packed, uint32_t bytes, struct diag *diag)
{
	struct tracedat_file *file = stream->file;
	int error = make_room(&stream->packed, &stream->packed_room, packed ? packed : 1);

	if (!error)
		error = seekable_read(&file->file, stream->at, stream->packed, packed);
	if (error == -ENODATA)
		return cut(stream);
	if (!error)
		error = unpack_block(file->unpack, stream->packed, packed, bytes, &stream->window,
			&stream->window_room);
	if (error == -EBADMSG)
		return tracedat_damaged(
			file, stream->window_at, "a chunk that can't be unpacked", diag);
	if (error)
		return failed(stream, error, diag);
	stream->window_bytes = bytes;
	stream->at += packed;
	return 1;
}

/* Returns 1, 0 at the end, or a negative errno. */
static int read_chunk(struct tracedat_stream *stream, struct diag *diag)
{
	struct tracedat_file *file = stream->file;
	uint32_t packed, bytes;
	int status;

	if (!stream->begun) {
		uint32_t chunks;

		status = take_number(stream, &chunks, diag);
		if (status != 1)
			return status;
		stream->chunks = chunks;
		stream->begun = true;
	}
	if (!stream->chunks)
		return check_end(stream, diag);
	stream->window_at = stream->at;
	status = take_number(stream, &packed, diag);
	if (status == 1)
		status = take_number(stream, &bytes, diag);
	if (status != 1)
		return status;
	if (bytes > CHUNK_BYTES_MOST || packed > CHUNK_BYTES_MOST)
		return tracedat_damaged(
			file, stream->window_at, "a chunk larger than 16 MiB", diag);
	if (stream->at > file->file.bytes || packed > file->file.bytes - stream->at)
		return cut(stream);
	status = reserve(stream, (size_t)packed + bytes, diag);
	if (status)
		return status;
	stream->chunks--;
	return unpack_chunk(stream, packed, bytes, diag);
}

static int next_window(struct tracedat_stream *stream, struct diag *diag)
{
	stream->window_bytes = 0;
	return stream->place->packed ? read_chunk(stream, diag) : read_pages(stream, diag);
}

int tracedat_stream_bytes(
	struct tracedat_stream *stream, const uint8_t **data, size_t *bytes, struct diag *diag)
{
	int status = next_window(stream, diag);

	*data = stream->window;
	*bytes = stream->window_bytes;
	return status;
}

/*
 * An event that the kernel discarded keeps a time of at least 1 ns even if it took none
 * (kernel/trace/ring_buffer.c, rb_event_discard), so that the times of one page may add up to a
 * little more than the time that the next one begins with.
 */
static uint64_t tolerance(const struct tracedat_stream *stream)
{
	return stream->place->page_bytes / 8;
}

/* Goes to the next page. Returns 1, 0 at the end, or a negative errno. */
static int next_page(struct tracedat_stream *stream, struct tracedat_gap *gap, struct diag *diag)
{
	size_t left = stream->window_bytes - stream->next_page;
	uint32_t page_bytes = stream->place->page_bytes;
	struct ring_page *page = &stream->page;
	int status;

	if (!left) {
		stream->next_page = 0;
		status = next_window(stream, diag);
		if (status != 1)
			return status;
		left = stream->window_bytes;
		if (!left)
			return 1;
	}
	left = left < page_bytes ? left : page_bytes;
	status = ring_page_open(
		page, &stream->file->layout, stream->window + stream->next_page, left, page_bytes);
	stream->next_page += left;
	if (status)
		return damaged(stream, page->why, diag);
	if (page->missed) {
		gap->any = stream->gaps = true;
		gap->unknown = gap->unknown || !page->lost;
		gap->lost += page->lost;
		stream->lost += page->lost ? page->lost : 1;
	}
	stream->in_page = true;
	if (page->end > page->begin && page->time + tolerance(stream) < stream->time)
		return damaged(stream, "a page whose time goes back", diag);
	return 1;
}

int tracedat_stream_next(struct tracedat_stream *stream, struct ring_entry *entry,
	struct tracedat_gap *gap, struct diag *diag)
{
	int status;

	*gap = (struct tracedat_gap){ 0 };
	for (;;) {
		if (!stream->in_page) {
			status = next_page(stream, gap, diag);
			if (status != 1)
				return status;
			continue;
		}
		status = ring_page_next(&stream->page, entry);
		if (status == 1)
			break;
		if (status < 0)
			return damaged(stream, stream->page.why, diag);
		stream->in_page = false;
		if (stream->page.cut)
			return cut(stream);
	}
	if (entry->time < stream->time) {
		if (entry->time + tolerance(stream) < stream->time)
			return damaged(stream, "time goes back", diag);
		entry->time = stream->time;
	}
	stream->time = entry->time;
	return 1;
}
