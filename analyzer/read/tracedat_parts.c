/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracedat_parts.h"

#include "tracing_data.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones are damage. An option of 1000 CPUs has 20 kB. */
#define OPTION_BYTES_MOST ((uint64_t)16 * 1024 * 1024)
#define TASKS_BYTES_MOST  ((uint64_t)64 * 1024 * 1024)

int tracedat_damaged(
	const struct tracedat_file *file, uint64_t offset, const char *what, struct diag *diag)
{
	return diag_set(
		diag, -EINVAL, "%s: damaged at offset %" PRIu64 ": %s", file->name, offset, what);
}

int tracedat_cut(struct tracedat_file *file, const char *format, ...)
{
	va_list arguments;

	if (file->trouble[0])
		return TRACEDAT_CUT;
	va_start(arguments, format);
	vsnprintf(file->trouble, sizeof(file->trouble), format, arguments);
	va_end(arguments);
	return TRACEDAT_CUT;
}

int tracedat_status(struct tracedat_parts *parts, const struct cursor *cursor, uint64_t offset,
	const char *what)
{
	struct tracedat_file *file = parts->file;
	char text[128];

	if (!cursor->error)
		return 0;
	if (!cursor->memory) {
		offset = cursor->at;
		if (cursor->error == -ENODATA && cursor->end >= file->file.bytes)
			return tracedat_cut(file, "the file is cut at %" PRIu64 " bytes, in its %s",
				file->file.bytes, what);
	}
	if (cursor->error != -ENODATA && cursor->error != -EBADMSG)
		return diag_set(
			parts->diag, cursor->error, "%s: %s", file->name, strerror(-cursor->error));
	snprintf(text, sizeof(text), "its %s %s", what,
		cursor->error == -ENODATA ? "end too early" : "have a length that can't be");
	return tracedat_damaged(file, offset, text, parts->diag);
}

int tracedat_grow(
	struct tracedat_parts *parts, void *items, size_t count, size_t *room, size_t item_bytes)
{
	void *array;

	if (count < *room)
		return 0;
	memcpy(&array, items, sizeof(array)); /* a pointer to whatever kind of item */
	array = realloc(array, (*room ? 2 * *room : 8) * item_bytes);
	if (!array)
		return diag_set(parts->diag, -ENOMEM, "%s: no memory", parts->file->name);
	memcpy(items, &array, sizeof(array));
	*room = *room ? 2 * *room : 8;
	return 0;
}

int tracedat_take_header_info(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset)
{
	struct tracedat_file *file = parts->file;
	char page[12], event[13];
	int status;

	cursor_take(cursor, page, sizeof(page));
	cursor_block(cursor, cursor_number(cursor, 8), TRACING_DATA_FORMAT_BYTES, &parts->block);
	cursor_take(cursor, event, sizeof(event));
	cursor_skip(cursor, cursor_number(cursor, 8));
	status = tracedat_status(parts, cursor, offset, "headers");
	if (status)
		return status;
	if (memcmp(page, "header_page", sizeof(page)) != 0 ||
		memcmp(event, "header_event", sizeof(event)) != 0)
		return tracedat_damaged(file, offset,
			"\"header_page\" and \"header_event\" should stand here", parts->diag);
	if (ring_layout_parse(
		    &file->layout, parts->block.data, parts->block.bytes, file->big_endian))
		return tracedat_damaged(file, offset,
			"header_page describes no page of a ring buffer", parts->diag);
	file->has_layout = true;
	return 0;
}

struct formats {
	struct tracedat_parts *parts;
	const struct cursor *cursor;
	uint64_t offset; /* where they begin in the file */
};

static int take_format(void *context, const char *system, const struct cursor_block *block)
{
	const struct formats *formats = context;
	struct tracedat_parts *parts = formats->parts;
	const struct cursor *cursor = formats->cursor;
	struct diag reason = { "" };
	int error =
		parts->handler->format(parts->handler, system, block->data, block->bytes, &reason);

	if (error == -EINVAL)
		return tracedat_damaged(parts->file,
			cursor->memory ? formats->offset : cursor->at - block->bytes, reason.text,
			parts->diag);
	return error ? diag_set(parts->diag, error, "%s: %s", parts->file->name, strerror(-error))
		     : 0;
}

int tracedat_take_formats(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset)
{
	struct formats formats = { parts, cursor, offset };
	int error = tracing_data_formats(cursor, &parts->block, take_format, &formats);

	return error ? error : tracedat_status(parts, cursor, offset, "event formats");
}

/* Lines of "PID COMM". */
int tracedat_take_tasks(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset)
{
	struct cursor_block *block = &parts->block;
	char *line, *end;
	int status;

	cursor_block(cursor, cursor_number(cursor, 8), TASKS_BYTES_MOST, block);
	status = tracedat_status(parts, cursor, offset, "command lines");
	if (status)
		return status;
	for (line = block->data; *line; line = end) {
		char *comm;
		long pid = strtol(line, &comm, 10);
		int error = 0;

		end = line + strcspn(line, "\n");
		if (comm > line && comm < end && *comm == ' ' && pid >= 0 && pid <= INT32_MAX)
			error = parts->handler->task(
				parts->handler, (int)pid, comm + 1, (size_t)(end - comm) - 1);
		if (error)
			return diag_set(
				parts->diag, error, "%s: %s", parts->file->name, strerror(-error));
		end += *end == '\n';
	}
	return 0;
}

void tracedat_clock_name(const char *text, char clock[TRACEDAT_CLOCK_BYTES])
{
	const char *name = strchr(text, '[');
	size_t bytes;

	name = name ? name + 1 : text;
	bytes = strcspn(name, "] \n");
	if (bytes >= TRACEDAT_CLOCK_BYTES)
		bytes = TRACEDAT_CLOCK_BYTES - 1;
	memcpy(clock, name, bytes);
	clock[bytes] = '\0';
}

static uint64_t number_behind(const char *line, const char *name)
{
	size_t bytes = strlen(name);

	if (strncmp(line, name, bytes) != 0 || !isdigit((unsigned char)line[bytes]))
		return 0;
	return strtoull(line + bytes, NULL, 10);
}

/*
 * "CPU: 0\nentries: 0\noverrun: 17\ncommit overrun: 0\n…dropped events: 0\n…", and before those of
 * an instance "Buffer: NAME".
 */
static int take_stat(struct tracedat_parts *parts)
{
	struct tracedat_stat stat = { .cpu = TRACEDAT_CPUS_MOST };
	const char *line = parts->block.data;
	int error;

	while (*line) {
		size_t bytes = strcspn(line, "\n");

		if (!strncmp(line, "Buffer: ", 8))
			snprintf(parts->stat_buffer, sizeof(parts->stat_buffer), "%.*s",
				(int)bytes - 8, line + 8);
		if (!strncmp(line, "CPU: ", 5))
			stat.cpu = (unsigned)strtoul(line + 5, NULL, 10);
		stat.overwritten += number_behind(line, "overrun: ");
		stat.overwritten += number_behind(line, "commit overrun: ");
		stat.dropped += number_behind(line, "dropped events: ");
		line += bytes + (line[bytes] == '\n');
	}
	if (!(stat.overwritten || stat.dropped) || stat.cpu >= TRACEDAT_CPUS_MOST)
		return 0;
	memcpy(stat.buffer, parts->stat_buffer, sizeof(stat.buffer));
	error = tracedat_grow(
		parts, &parts->stats, parts->stat_count, &parts->stat_room, sizeof(stat));
	if (!error)
		parts->stats[parts->stat_count++] = stat;
	return error;
}

int tracedat_add_place(struct tracedat_parts *parts, const struct tracedat_place *place)
{
	struct tracedat_file *file = parts->file;
	int error = tracedat_grow(
		parts, &file->places, file->place_count, &file->place_room, sizeof(*place));

	if (!error)
		file->places[file->place_count++] = *place;
	return error;
}

int tracedat_claim(struct tracedat_parts *parts, uint64_t begin, uint64_t bytes)
{
	struct tracedat_extent extent = { begin, begin + bytes };
	int error = tracedat_grow(
		parts, &parts->extents, parts->extent_count, &parts->extent_room, sizeof(extent));

	if (!error)
		parts->extents[parts->extent_count++] = extent;
	return error;
}

int tracedat_bound_place(
	struct tracedat_parts *parts, struct tracedat_place *place, bool may_be_cut)
{
	const struct tracedat_file *file = parts->file;
	uint64_t end = file->file.bytes;
	char text[96];

	/* trace-cmd doesn't count the number of chunks in */
	if (place->offset <= end && place->bytes <= end - place->offset)
		return tracedat_claim(parts, place->offset,
			place->bytes + (place->packed ? sizeof(uint32_t) : 0));
	if (!may_be_cut || place->bytes > UINT64_MAX - place->offset) {
		snprintf(text, sizeof(text),
			"the data of CPU %u are not in the file (%" PRIu64 " bytes)", place->cpu,
			end);
		return tracedat_damaged(file, place->offset, text, parts->diag);
	}
	tracedat_cut(parts->file, "the file is cut at %" PRIu64 " bytes, in the data of CPU %u",
		end, place->cpu);
	place->bytes = place->offset < end ? end - place->offset : 0;
	return tracedat_claim(parts, place->offset, place->bytes);
}

/* Version 7's places of a buffer, behind its page size. */
static int take_places(struct tracedat_parts *parts, struct cursor *option, const char *clock,
	struct tracedat_buffer *buffer)
{
	struct tracedat_place place = { .buffer = (unsigned)parts->buffer_count };
	uint64_t cpus;
	int error = 0;

	tracedat_clock_name(clock, place.clock);
	place.page_bytes = (uint32_t)cursor_number(option, 4);
	cpus = cursor_number(option, 4);
	while (cpus-- && !option->error && !error) {
		place.cpu = (unsigned)cursor_number(option, 4);
		place.offset = cursor_number(option, 8);
		place.bytes = cursor_number(option, 8);
		if (place.cpu >= TRACEDAT_CPUS_MOST)
			option->error = -EBADMSG;
		if (!option->error && place.bytes)
			error = tracedat_add_place(parts, &place);
	}
	buffer->place_count = parts->file->place_count - buffer->first_place;
	return error;
}

static int take_buffer(struct tracedat_parts *parts, struct cursor *option, bool text)
{
	struct tracedat_buffer buffer = {
		.text = text,
		.first_place = parts->file->place_count,
		.offset = cursor_number(option, 8),
	};
	char clock[CURSOR_STRING_BYTES];
	int error = 0;

	cursor_string(option, buffer.name);
	if (parts->file->version > 6) {
		cursor_string(option, clock);
		if (!text)
			error = take_places(parts, option, clock, &buffer);
	}
	if (!error)
		error = tracedat_grow(parts, &parts->buffers, parts->buffer_count,
			&parts->buffer_room, sizeof(buffer));
	if (!error && !option->error)
		parts->buffers[parts->buffer_count++] = buffer;
	return error;
}

static int take_option_data(struct tracedat_parts *parts, struct cursor *option, unsigned number)
{
	struct tracedat_file *file = parts->file;

	switch (number) {
	case TRACEDAT_CPUSTAT:
		return take_stat(parts);
	case TRACEDAT_BUFFER:
	case TRACEDAT_BUFFER_TEXT:
		return take_buffer(parts, option, number == TRACEDAT_BUFFER_TEXT);
	case TRACEDAT_CLOCK:
		parts->clock_option = true;
		if (parts->block.bytes)
			tracedat_clock_name(parts->block.data, file->clock);
		return 0;
	case TRACEDAT_UNAME: /* "Linux HOST RELEASE MACHINE" */
		if (parts->block.bytes)
			sscanf(parts->block.data, "%*s %*s %64s", file->kernel);
		return 0;
	case TRACEDAT_CPUCOUNT:
		parts->cpu_count = (uint32_t)cursor_number(option, 4);
		if (parts->cpu_count > TRACEDAT_CPUS_MOST)
			option->error = -EBADMSG;
		return 0;
	case TRACEDAT_TSC2NSEC:
		file->tsc_mult = (uint32_t)cursor_number(option, 4);
		file->tsc_shift = (uint32_t)cursor_number(option, 4);
		if (file->tsc_shift > 63)
			option->error = -EBADMSG;
		return 0;
	case TRACEDAT_DONE:
	case TRACEDAT_HEADER_INFO:
	case TRACEDAT_EVENT_FORMATS:
	case TRACEDAT_CMDLINES:
		parts->sections[number] = cursor_number(option, 8);
		if (number != TRACEDAT_DONE && !parts->sections[number])
			option->error = -EBADMSG;
		return 0;
	default:
		return 0;
	}
}

int tracedat_take_option(
	struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset, unsigned number)
{
	struct cursor_block *block = &parts->block;
	struct cursor option = { .big_endian = cursor->big_endian };
	int status;

	cursor_block(cursor, cursor_number(cursor, 4), OPTION_BYTES_MOST, block);
	status = tracedat_status(parts, cursor, offset, "options");
	if (status)
		return status;
	option.memory = (const uint8_t *)block->data;
	option.end = block->bytes;
	status = take_option_data(parts, &option, number);
	if (status)
		return status;
	return tracedat_status(
		parts, &option, cursor->memory ? offset : cursor->at - block->bytes, "options");
}
