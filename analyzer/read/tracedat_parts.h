/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What versions 6 and 7 of trace.dat have in common, taken from a cursor, for tracedat_file.c and
 * tracedat_sections.c.
 */
#ifndef ANALYZER_READ_TRACEDAT_PARTS_H
#define ANALYZER_READ_TRACEDAT_PARTS_H

#include "cursor.h"
#include "tracedat_file.h"

/* Numbers of options and of sections (trace-cmd.dat.v7(5)); others are skipped. */
enum {
	TRACEDAT_DONE = 0,
	TRACEDAT_CPUSTAT = 2,
	TRACEDAT_BUFFER = 3,
	TRACEDAT_CLOCK = 4,
	TRACEDAT_UNAME = 5,
	TRACEDAT_CPUCOUNT = 8,
	TRACEDAT_TSC2NSEC = 14,
	TRACEDAT_STRINGS = 15,
	TRACEDAT_HEADER_INFO = 16,
	TRACEDAT_EVENT_FORMATS = 18,
	TRACEDAT_CMDLINES = 21,
	TRACEDAT_BUFFER_TEXT = 22,
	TRACEDAT_SECTIONS
};

#define TRACEDAT_CPUS_MOST 16384

/* Returned beside 0 and negative errnos: the file is cut before the end of what was to be read. */
#define TRACEDAT_CUT 1

/* A buffer as an option tells it. */
struct tracedat_buffer {
	char name[CURSOR_STRING_BYTES];
	bool text;                       /* of a latency tracer */
	uint64_t offset;                 /* of its table (version 6) or its section (7) */
	size_t first_place, place_count; /* version 7 */
};

/* Lost events of a CPU, by the recorder's statistics. */
struct tracedat_stat {
	char buffer[CURSOR_STRING_BYTES];
	unsigned cpu;
	uint64_t overwritten, dropped;
};

/* A stretch of the file whose use is known. */
struct tracedat_extent {
	uint64_t begin, end;
};

/* What is gathered while a file is opened. */
struct tracedat_parts {
	struct tracedat_file *file;
	struct tracedat_handler *handler;
	struct diag *diag;
	struct cursor_block block; /* whatever is being read */

	struct tracedat_buffer *buffers;
	size_t buffer_count, buffer_room;
	struct tracedat_stat *stats;
	size_t stat_count, stat_room;
	char stat_buffer[CURSOR_STRING_BYTES]; /* that the statistics being read are of */

	struct tracedat_extent *extents;
	size_t extent_count, extent_room;

	bool clock_option;                    /* version 6: clocks stand behind the tables */
	uint32_t cpu_count;                   /* 0: not told */
	uint64_t sections[TRACEDAT_SECTIONS]; /* offsets by number, 0 where there is none */
};

/*
 * What became of a cursor: 0; TRACEDAT_CUT, noted in file->trouble, if the file itself ended; or a
 * negative errno with a message. `what` is what was being read, `offset` where it begins.
 */
int tracedat_status(struct tracedat_parts *parts, const struct cursor *cursor, uint64_t offset,
	const char *what);

/*
 * Makes room for one more item behind `count` of them; `items` is the address of the pointer to the
 * first. 0 or -ENOMEM with a message.
 */
int tracedat_grow(
	struct tracedat_parts *parts, void *items, size_t count, size_t *room, size_t item_bytes);

/* Notes the first reason why not all is there. Returns TRACEDAT_CUT. */
int tracedat_cut(struct tracedat_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * These take what the cursor is at; `offset` is where that begins in the file. They return as
 * tracedat_status.
 */
int tracedat_take_header_info(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset);
int tracedat_take_formats(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset);
int tracedat_take_tasks(struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset);

/* The rest of an option whose number was taken: its length and its data. */
int tracedat_take_option(
	struct tracedat_parts *parts, struct cursor *cursor, uint64_t offset, unsigned number);

/* "local global [mono]": the name in brackets, or all of a text without any. */
void tracedat_clock_name(const char *text, char clock[TRACEDAT_CLOCK_BYTES]);

int tracedat_add_place(struct tracedat_parts *parts, const struct tracedat_place *place);

/*
 * Cuts a place's data off where the file ends, and claims them. If the file can't be cut there,
 * as far as the caller knows, that is damage.
 */
int tracedat_bound_place(
	struct tracedat_parts *parts, struct tracedat_place *place, bool may_be_cut);

/* Notes what a stretch of the file is for. 0 or -ENOMEM with a message. */
int tracedat_claim(struct tracedat_parts *parts, uint64_t begin, uint64_t bytes);

static inline uint64_t tracedat_page_after(uint64_t offset, uint32_t page_bytes)
{
	return (offset + page_bytes - 1) / page_bytes * page_bytes;
}

/* The two versions, from behind the page size on. */
int tracedat_read_v6(struct tracedat_parts *parts, struct cursor *cursor);
int tracedat_read_v7(struct tracedat_parts *parts, struct cursor *cursor);

#endif
