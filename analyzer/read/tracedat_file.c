/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracedat_file.h"

#include "tracedat_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_BYTES 10 /* "options  ", "flyrecord", "latency  " with their ends */

#define TOP_BUFFER UINT_MAX /* of version 6; instances have the number of their option */

#define PAGE_BYTES_LEAST 64
#define PAGE_BYTES_MOST  (16 * 1024 * 1024)

static int check_page_bytes(struct tracedat_parts *parts, uint32_t page_bytes, uint64_t offset)
{
	char text[64];

	if (page_bytes >= PAGE_BYTES_LEAST && page_bytes <= PAGE_BYTES_MOST && page_bytes % 4 == 0)
		return 0;
	snprintf(text, sizeof(text), "pages of %" PRIu32 " bytes", page_bytes);
	return tracedat_damaged(parts->file, offset, text, parts->diag);
}

/* Kernel symbols, printk formats and ftrace's own events say nothing of packets. */
static int skip_counted(struct tracedat_parts *parts, struct cursor *cursor, const char *what)
{
	cursor_skip(cursor, cursor_number(cursor, 4));
	return tracedat_status(parts, cursor, cursor->at, what);
}

static int skip_ftrace_formats(struct tracedat_parts *parts, struct cursor *cursor)
{
	uint64_t count = cursor_number(cursor, 4);

	while (count-- && !cursor->error)
		cursor_skip(cursor, cursor_number(cursor, 8));
	return tracedat_status(parts, cursor, cursor->at, "ftrace formats");
}

/* Behind a table, where an option says so: the clock, as tracefs' trace_clock or its name only. */
static int take_clock(struct tracedat_parts *parts, struct cursor *cursor, size_t first_place)
{
	struct tracedat_file *file = parts->file;

	cursor_block(cursor, cursor_number(cursor, 8), CURSOR_STRING_BYTES, &parts->block);
	for (size_t i = first_place; i < file->place_count && !cursor->error; i++)
		tracedat_clock_name(parts->block.data, file->places[i].clock);
	return tracedat_status(parts, cursor, cursor->at, "clock");
}

/*
 * Where each CPU's pages are. They follow one another, each from a new page on, which tells a file
 * that is cut before some of them from an offset that is wrong.
 */
static int take_table(struct tracedat_parts *parts, struct cursor *cursor, unsigned buffer)
{
	struct tracedat_file *file = parts->file;
	uint64_t expected = cursor->at + UINT64_C(16) * parts->cpu_count + CURSOR_STRING_BYTES;
	int status = 0;

	for (uint32_t cpu = 0; cpu < parts->cpu_count && status >= 0 && !cursor->error; cpu++) {
		struct tracedat_place place = {
			.cpu = cpu,
			.buffer = buffer,
			.page_bytes = file->page_bytes,
			.offset = cursor_number(cursor, 8),
			.bytes = cursor_number(cursor, 8),
		};
		uint64_t bytes = place.bytes;

		if (cursor->error || !bytes)
			continue;
		status = tracedat_bound_place(parts, &place,
			place.offset <=
				tracedat_page_after(
					expected > file->file.bytes ? expected : file->file.bytes,
					file->page_bytes));
		expected = place.offset + bytes;
		if (status >= 0 && place.bytes)
			status = tracedat_add_place(parts, &place);
	}
	if (status >= 0)
		status = tracedat_status(parts, cursor, cursor->at, "table of CPUs");
	return status;
}

/* One buffer: the table of its pages and its clock; or the text of a latency tracer. */
static int take_buffer(struct tracedat_parts *parts, struct cursor *cursor, unsigned buffer)
{
	struct tracedat_file *file = parts->file;
	uint64_t begin = cursor->at;
	size_t first_place = file->place_count;
	char tag[TAG_BYTES];
	int status;

	cursor_take(cursor, tag, sizeof(tag));
	status = tracedat_status(parts, cursor, begin, "kind of data");
	if (status)
		return status;
	if (!memcmp(tag, "latency  ", TAG_BYTES)) {
		file->text.page_bytes = file->page_bytes;
		file->text.offset = cursor->at;
		file->text.bytes = file->file.bytes - cursor->at;
		return tracedat_claim(parts, begin, file->file.bytes - begin);
	}
	if (memcmp(tag, "flyrecord", TAG_BYTES) != 0)
		return tracedat_damaged(
			file, begin, "\"flyrecord\" or \"latency\" should stand here", parts->diag);
	status = take_table(parts, cursor, buffer);
	if (!status && parts->clock_option)
		status = take_clock(parts, cursor, first_place);
	return status < 0 ? status : tracedat_claim(parts, begin, cursor->at - begin);
}

/* "options", if there are any: numbered, up to the number 0. */
static int take_options(struct tracedat_parts *parts, struct cursor *cursor)
{
	uint64_t begin = cursor->at;
	char tag[TAG_BYTES];
	unsigned number;
	int status;

	cursor_take(cursor, tag, sizeof(tag));
	status = tracedat_status(parts, cursor, begin, "kind of data");
	if (status)
		return status;
	if (memcmp(tag, "options  ", TAG_BYTES) != 0) {
		cursor->at = begin;
		return 0;
	}
	do {
		begin = cursor->at;
		number = (unsigned)cursor_number(cursor, 2);
		if (number)
			status = tracedat_take_option(parts, cursor, begin, number);
		else
			status = tracedat_status(parts, cursor, begin, "options");
	} while (number && !status);
	return status;
}

static int take_instances(struct tracedat_parts *parts)
{
	struct tracedat_file *file = parts->file;
	int status = 0;

	for (size_t i = 0; i < parts->buffer_count && status >= 0; i++) {
		struct cursor cursor = {
			.file = &file->file,
			.at = parts->buffers[i].offset,
			.end = file->file.bytes,
			.big_endian = file->big_endian,
		};

		if (cursor.at > INT64_MAX || (cursor.at > cursor.end && !file->trouble[0]))
			return tracedat_damaged(file, cursor.at,
				"an instance's table is not in the file", parts->diag);
		status = take_buffer(parts, &cursor, (unsigned)i);
	}
	return status;
}

int tracedat_read_v6(struct tracedat_parts *parts, struct cursor *cursor)
{
	int status = tracedat_take_header_info(parts, cursor, cursor->at);

	if (!status)
		status = skip_ftrace_formats(parts, cursor);
	if (!status)
		status = tracedat_take_formats(parts, cursor, cursor->at);
	if (!status)
		status = skip_counted(parts, cursor, "kernel symbols");
	if (!status)
		status = skip_counted(parts, cursor, "printk formats");
	if (!status)
		status = tracedat_take_tasks(parts, cursor, cursor->at);
	if (status)
		return status;
	parts->cpu_count = (uint32_t)cursor_number(cursor, 4);
	if (parts->cpu_count > TRACEDAT_CPUS_MOST)
		return tracedat_damaged(
			parts->file, cursor->at - 4, "a number of CPUs that can't be", parts->diag);
	status = tracedat_status(parts, cursor, cursor->at, "number of CPUs");
	if (!status)
		status = take_options(parts, cursor);
	if (!status)
		status = tracedat_claim(parts, 0, cursor->at);
	if (!status)
		status = take_buffer(parts, cursor, TOP_BUFFER);
	return status < 0 ? status : take_instances(parts);
}

static int compare_extents(const void *a, const void *b)
{
	const struct tracedat_extent *left = a, *right = b;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

/*
 * All of the file should be of use to someone, but for what fills a page up, and to one only. Bytes
 * that nobody claims are data whose size was lost: that doesn't make the rest worthless, but the
 * file isn't whole.
 */
static int check_claims(struct tracedat_parts *parts)
{
	struct tracedat_file *file = parts->file;
	bool cut = file->trouble[0];
	uint64_t known = 0;

	qsort(parts->extents, parts->extent_count, sizeof(*parts->extents), compare_extents);
	for (size_t i = 0; i <= parts->extent_count; i++) {
		bool last = i == parts->extent_count;
		uint64_t begin = last ? file->file.bytes : parts->extents[i].begin;

		if (begin > tracedat_page_after(known, file->page_bytes) && !cut)
			tracedat_cut(file,
				"nothing tells what its bytes %" PRIu64 " to %" PRIu64 " are",
				known, begin);
		if (last)
			break;
		/* a number of chunks may be counted in twice */
		if (begin + sizeof(uint32_t) < known)
			return tracedat_damaged(file, begin,
				"this is said to belong to two parts of the file", parts->diag);
		if (parts->extents[i].end > known)
			known = parts->extents[i].end;
	}
	return 0;
}

/* Losses of CPUs without data aren't counted: they are of buffers that were not extracted. */
static void place_losses(struct tracedat_parts *parts)
{
	for (size_t i = 0; i < parts->file->place_count; i++) {
		struct tracedat_place *place = &parts->file->places[i];
		const char *name = place->buffer < parts->buffer_count
					   ? parts->buffers[place->buffer].name
					   : "";

		for (size_t k = 0; k < parts->stat_count; k++) {
			const struct tracedat_stat *stat = &parts->stats[k];

			if (stat->cpu != place->cpu || strcmp(stat->buffer, name) != 0)
				continue;
			place->overwritten += stat->overwritten;
			place->dropped += stat->dropped;
		}
	}
}

/* The first bytes, which are the same in all versions. */
static int read_start(struct tracedat_parts *parts, struct cursor *cursor)
{
	struct tracedat_file *file = parts->file;
	char magic[sizeof(TRACEDAT_MAGIC) - 1], version[CURSOR_STRING_BYTES];
	uint8_t order;
	int status;

	cursor_take(cursor, magic, sizeof(magic));
	cursor_string(cursor, version);
	cursor_take(cursor, &order, 1);
	if (cursor->error == -ENODATA)
		return diag_set(parts->diag, -EINVAL, "%s: cut at %" PRIu64 " bytes, in its head",
			file->name, file->file.bytes);
	if (!cursor->error && strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return diag_set(parts->diag, -EINVAL,
			"%s: trace.dat of version %s is not known, only 6 and 7 are", file->name,
			version);
	if (order > 1)
		return tracedat_damaged(
			file, cursor->at - 1, "byte order is neither 0 nor 1", parts->diag);
	file->version = (unsigned)(version[0] - '0');
	file->big_endian = order;
	cursor->big_endian = order;
	cursor_skip(cursor, 1); /* the size of the recording program's long, not the kernel's */
	file->page_bytes = (uint32_t)cursor_number(cursor, 4);
	status = tracedat_status(parts, cursor, 0, "head");
	return status ? status : check_page_bytes(parts, file->page_bytes, cursor->at - 4);
}

/* All places must have one clock, or their events can't be put in one order. */
static int settle_clock(struct tracedat_parts *parts)
{
	struct tracedat_file *file = parts->file;

	for (size_t i = 0; i < file->place_count; i++) {
		if (strcmp(file->places[i].clock, file->places[0].clock) != 0)
			return diag_set(parts->diag, -EINVAL,
				"%s: its buffers have unlike clocks (%s, %s)", file->name,
				file->places[0].clock, file->places[i].clock);
	}
	if (file->place_count && file->places[0].clock[0])
		memcpy(file->clock, file->places[0].clock, sizeof(file->clock));
	return 0;
}

static int check_places(struct tracedat_parts *parts)
{
	struct tracedat_file *file = parts->file;

	for (size_t i = 0; i < file->place_count; i++) {
		int error =
			check_page_bytes(parts, file->places[i].page_bytes, file->places[i].offset);

		if (error)
			return error;
	}
	if (file->place_count && !file->has_layout)
		return diag_set(parts->diag, -EINVAL,
			"%s: it doesn't tell what the pages of its ring buffers look like",
			file->name);
	place_losses(parts);
	return parts->extent_count && check_claims(parts) ? -EINVAL : settle_clock(parts);
}

int tracedat_file_open(struct tracedat_file *file, struct input *input, const char *name,
	struct tracedat_handler *handler, struct diag *diag)
{
	struct tracedat_parts parts = { .file = file, .handler = handler, .diag = diag };
	struct cursor cursor = { .file = &file->file };
	int status;

	*file = (struct tracedat_file){ .name = name };
	status = seekable_open(&file->file, input);
	if (status)
		return diag_set(diag, status, "%s: %s", name, strerror(-status));
	cursor.end = file->file.bytes;
	if (input_trouble(input))
		tracedat_cut(file, "%s", input_trouble(input));
	status = read_start(&parts, &cursor);
	if (!status)
		status = file->version == 6 ? tracedat_read_v6(&parts, &cursor)
					    : tracedat_read_v7(&parts, &cursor);
	if (status >= 0)
		status = check_places(&parts);
	free(parts.block.data);
	free(parts.buffers);
	free(parts.stats);
	free(parts.extents);
	return status < 0 ? status : 0;
}

void tracedat_file_close(struct tracedat_file *file)
{
	seekable_close(&file->file);
	unpack_destroy(file->unpack);
	free(file->places);
	file->places = NULL;
	file->place_count = 0;
}
