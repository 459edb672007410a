/* SPDX-License-Identifier: BSD-3-Clause */
/* Version 7 of trace.dat: sections and options. */
#include "tracedat_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_HEAD_BYTES 16
#define SECTION_PACKED     1 /* a section's flag */
#define SECTIONS_MOST      65536
#define UNPACKED_MOST      ((uint64_t)64 * 1024 * 1024) /* event formats have 1 to 4 MB */

struct section {
	unsigned number;
	bool packed;
	uint64_t offset, data, bytes; /* data and bytes without the head */
};

struct sections {
	struct tracedat_parts *parts;
	struct section *all; /* in the order of the file */
	size_t count, room;
	bool cut;        /* the file ends in one of them, or may end too early behind one */
	uint8_t *memory; /* the one that was unpacked last */
	size_t memory_room;
};

static struct cursor cursor_at(const struct sections *s, uint64_t offset)
{
	const struct tracedat_file *file = s->parts->file;

	return (struct cursor){
		.file = &file->file,
		.at = offset,
		.end = file->file.bytes,
		.big_endian = file->big_endian,
	};
}

static struct section take_head(struct cursor *cursor)
{
	struct section section = { .offset = cursor->at };

	section.number = (unsigned)cursor_number(cursor, 2);
	section.packed = cursor_number(cursor, 2) & SECTION_PACKED;
	cursor_skip(cursor, 4); /* a name for it, for people */
	section.bytes = cursor_number(cursor, 8);
	section.data = cursor->at;
	return section;
}

/* From one section to the next, up to the end of the file, or to where it was cut. */
static int walk(struct sections *s, uint64_t offset)
{
	struct tracedat_parts *parts = s->parts;
	uint64_t end = parts->file->file.bytes;

	while (offset < end && !s->cut) {
		struct cursor cursor = cursor_at(s, offset);
		struct section section = take_head(&cursor);
		int error = tracedat_grow(parts, &s->all, s->count, &s->room, sizeof(section));

		if (error)
			return error;
		if (s->count == SECTIONS_MOST)
			return tracedat_damaged(
				parts->file, offset, "too many sections", parts->diag);
		if (!cursor.error)
			s->all[s->count++] = section;
		s->cut = cursor.error || section.bytes > end - section.data;
		if (s->cut)
			tracedat_cut(parts->file,
				"the file is cut at %" PRIu64 " bytes, in its section at %" PRIu64,
				end, offset);
		else if (section.number != TRACEDAT_BUFFER)
			error = tracedat_claim(parts, offset, SECTION_HEAD_BYTES + section.bytes);
		else
			error = tracedat_claim(parts, offset, SECTION_HEAD_BYTES);
		if (error)
			return error;
		offset = section.data + section.bytes;
	}
	/* trace-cmd writes the names of sections last */
	s->cut = s->cut || !s->count || s->all[s->count - 1].number != TRACEDAT_STRINGS;
	return 0;
}

/* Makes a cursor over what a section unpacks to. */
static int unpack_section(struct sections *s, const struct section *section, struct cursor *cursor)
{
	struct tracedat_parts *parts = s->parts;
	uint64_t packed = cursor_number(cursor, 4), bytes = cursor_number(cursor, 4);
	char text[96];
	int status;

	cursor_block(cursor, packed, UNPACKED_MOST, &parts->block);
	status = tracedat_status(parts, cursor, section->offset, "sections");
	if (status)
		return status;
	if (unpack_kind(parts->file->unpack) == UNPACK_NONE)
		return tracedat_damaged(parts->file, section->offset,
			"a compressed section in a file without compression", parts->diag);
	if (bytes > UNPACKED_MOST) {
		snprintf(text, sizeof(text), "a section that unpacks to %" PRIu64 " bytes", bytes);
		return tracedat_damaged(parts->file, section->offset, text, parts->diag);
	}
	status = unpack_block(parts->file->unpack, parts->block.data, parts->block.bytes,
		(size_t)bytes, &s->memory, &s->memory_room);
	if (status == -ENOMEM)
		return diag_set(parts->diag, status, "%s: no memory", parts->file->name);
	if (status)
		return tracedat_damaged(parts->file, section->offset,
			"a section that can't be unpacked", parts->diag);
	*cursor = (struct cursor){
		.memory = s->memory, .end = bytes, .big_endian = parts->file->big_endian
	};
	return 0;
}

/* Opens the section that an option says to be at an offset. */
static int open_section(struct sections *s, uint64_t offset, unsigned number,
	struct section *section, struct cursor *cursor)
{
	const struct tracedat_file *file = s->parts->file;
	uint64_t end = file->file.bytes;
	char text[96];

	if (offset > INT64_MAX || (offset >= end && !s->cut)) {
		snprintf(text, sizeof(text),
			"section %u should begin here, but the file has %" PRIu64 " bytes", number,
			end);
		return tracedat_damaged(file, offset, text, s->parts->diag);
	}
	*cursor = cursor_at(s, offset);
	*section = take_head(cursor);
	if (cursor->error)
		return tracedat_status(s->parts, cursor, offset, "sections");
	if (section->number != number) {
		snprintf(text, sizeof(text), "section %u should begin here, not %u", number,
			section->number);
		return tracedat_damaged(file, offset, text, s->parts->diag);
	}
	if (section->bytes > end - section->data && !s->cut)
		return tracedat_damaged(
			file, offset, "a section that reaches beyond the file", s->parts->diag);
	if (section->bytes < end - section->data)
		cursor->end = section->data + section->bytes;
	return 0;
}

static int open_unpacked(
	struct sections *s, uint64_t offset, unsigned number, struct cursor *cursor)
{
	struct section section;
	int status = open_section(s, offset, number, &section, cursor);

	return status || !section.packed ? status : unpack_section(s, &section, cursor);
}

/* Sections of options, each of which tells where the next one is. */
static int take_options(struct sections *s, uint64_t offset)
{
	struct tracedat_parts *parts = s->parts;

	for (size_t rounds = 0; offset; rounds++) {
		uint64_t section = offset;
		unsigned number;
		struct cursor cursor;
		int status = open_unpacked(s, offset, TRACEDAT_DONE, &cursor);

		if (!status && rounds > s->count)
			return tracedat_damaged(parts->file, offset,
				"options that lead back to themselves", parts->diag);
		for (number = UINT_MAX; !status && number != TRACEDAT_DONE;) {
			uint64_t at = cursor.memory ? section : cursor.at;

			number = (unsigned)cursor_number(&cursor, 2);
			status = tracedat_take_option(parts, &cursor, at, number);
		}
		if (status)
			return status;
		offset = parts->sections[TRACEDAT_DONE];
	}
	return 0;
}

static int take_section(struct sections *s, unsigned number,
	int (*take)(struct tracedat_parts *, struct cursor *, uint64_t))
{
	uint64_t offset = s->parts->sections[number];
	struct cursor cursor;
	int status = offset ? open_unpacked(s, offset, number, &cursor) : 0;

	if (status || !offset)
		return status;
	status = take(s->parts, &cursor, offset);
	if (!status && cursor.at != cursor.end)
		return tracedat_damaged(s->parts->file, offset,
			"a section that ends before its bytes do", s->parts->diag);
	return status;
}

/* A buffer's data: its section tells whether they are packed, its option where each CPU's are. */
static int bound_buffer(struct sections *s, const struct tracedat_buffer *buffer)
{
	struct tracedat_file *file = s->parts->file;
	unsigned number = buffer->text ? TRACEDAT_BUFFER_TEXT : TRACEDAT_BUFFER;
	struct section section;
	struct cursor cursor;
	int status = 0;

	if (!buffer->text && !buffer->place_count)
		return 0;
	status = open_section(s, buffer->offset, number, &section, &cursor);
	if (status)
		return status;
	if (section.packed && unpack_kind(file->unpack) == UNPACK_NONE)
		return tracedat_damaged(file, section.offset,
			"compressed data in a file without compression", s->parts->diag);
	if (buffer->text) {
		file->text.page_bytes = file->page_bytes;
		file->text.offset = section.data;
		file->text.bytes = cursor.end - section.data;
		file->text.packed = section.packed;
	}
	for (size_t i = 0; i < buffer->place_count && status >= 0; i++) {
		struct tracedat_place *place = &file->places[buffer->first_place + i];

		place->packed = section.packed;
		status = tracedat_bound_place(s->parts, place, s->cut);
	}
	return status;
}

/* Where a CPU's chunks end, of which the first four bytes tell how many there are. */
static uint64_t chunks_end(struct cursor cursor)
{
	uint64_t chunks = cursor_number(&cursor, 4);

	while (chunks-- && !cursor.error) {
		uint64_t packed = cursor_number(&cursor, 4);

		cursor_skip(&cursor, 4 + packed);
	}
	return cursor.error ? cursor.end : cursor.at;
}

/* Where a CPU's pages end: where the next page's time is earlier. */
static uint64_t pages_end(const struct tracedat_file *file, struct cursor cursor)
{
	uint64_t page = cursor.at, last = 0;

	for (; page < cursor.end; page += file->page_bytes) {
		uint64_t time;

		cursor.at = page + file->layout.time_offset;
		time = cursor_number(&cursor, 8);
		if (cursor.error)
			break;
		if (time < last)
			return page;
		last = time;
	}
	return cursor.end;
}

/*
 * The data of a section whose option is behind the cut. CPUs without data don't show, so that
 * numbers may be too low; nothing else depends on them.
 */
static int find_places(struct sections *s, const struct section *section)
{
	struct tracedat_parts *parts = s->parts;
	struct tracedat_file *file = parts->file;
	struct cursor cursor = cursor_at(s, tracedat_page_after(section->data, file->page_bytes));
	struct tracedat_place place = {
		.buffer = (unsigned)parts->buffer_count,
		.page_bytes = file->page_bytes,
		.packed = section->packed,
	};
	int error = 0;

	memcpy(place.clock, file->clock, sizeof(place.clock));
	if (section->bytes < cursor.end - section->data)
		cursor.end = section->data + section->bytes;
	while (cursor.at < cursor.end && !error && place.cpu < TRACEDAT_CPUS_MOST) {
		uint64_t end = place.packed ? chunks_end(cursor) : pages_end(file, cursor);

		place.offset = cursor.at;
		place.bytes = end - cursor.at;
		error = tracedat_add_place(parts, &place);
		cursor.at = tracedat_page_after(end, file->page_bytes);
		place.cpu++;
	}
	return error;
}

static int take_buffers(struct sections *s)
{
	struct tracedat_parts *parts = s->parts;
	int status = 0;

	for (size_t i = 0; i < parts->buffer_count && status >= 0; i++)
		status = bound_buffer(s, &parts->buffers[i]);
	for (size_t k = 0; k < s->count && s->cut && status >= 0; k++) {
		bool told = s->all[k].number != TRACEDAT_BUFFER;

		for (size_t i = 0; i < parts->buffer_count; i++)
			told = told || parts->buffers[i].offset == s->all[k].offset;
		if (!told)
			status = find_places(s, &s->all[k]);
	}
	return status;
}

static int take_all(struct sections *s, uint64_t options)
{
	int status = take_options(s, options);

	if (status >= 0)
		status = take_section(s, TRACEDAT_HEADER_INFO, tracedat_take_header_info);
	if (status >= 0)
		status = take_section(s, TRACEDAT_EVENT_FORMATS, tracedat_take_formats);
	if (status >= 0)
		status = take_section(s, TRACEDAT_CMDLINES, tracedat_take_tasks);
	return status < 0 ? status : take_buffers(s);
}

int tracedat_read_v7(struct tracedat_parts *parts, struct cursor *cursor)
{
	struct tracedat_file *file = parts->file;
	struct sections s = { .parts = parts };
	char name[CURSOR_STRING_BYTES], version[CURSOR_STRING_BYTES];
	uint64_t options;
	int status;

	cursor_string(cursor, name);
	cursor_string(cursor, version);
	options = cursor_number(cursor, 8);
	status = tracedat_status(parts, cursor, cursor->at, "head");
	if (status)
		return status;
	status = unpack_create(&file->unpack, name);
	if (status == -ENOTSUP)
		return diag_set(parts->diag, -EINVAL,
			"%s: its compression is %s, and only zlib and zstd are known", file->name,
			name);
	if (status)
		return diag_set(parts->diag, status, "%s: no memory", file->name);
	status = tracedat_claim(parts, 0, cursor->at);
	if (!status)
		status = walk(&s, cursor->at);
	if (!status)
		status = take_all(&s, options);
	free(s.all);
	free(s.memory);
	return status;
}
