/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The container trace.dat, versions 6 and 7, as trace-cmd writes it (its manual pages
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5)): everything but the pages of the ring buffer.
 * Version 6 is one header after the other; version 7 is a chain of sections, found by options, each
 * compressed or not.
 *
 * A file that is cut is read as far as it goes. Of version 7 the place of a buffer's data stands
 * behind the data: where it is missing, the data are found by walking over them, and CPUs are
 * numbered as they come.
 */
#ifndef ANALYZER_READ_TRACEDAT_FILE_H
#define ANALYZER_READ_TRACEDAT_FILE_H

#include "diag.h"
#include "ring_page.h"
#include "seekable.h"
#include "unpack.h"

#define TRACEDAT_MAGIC       "\x17\x08\x44tracing"
#define TRACEDAT_CLOCK_BYTES 32

/* Where one CPU's pages are, of one buffer (the top one, or an instance). */
struct tracedat_place {
	unsigned cpu;
	unsigned buffer; /* tells buffers apart */
	char clock[TRACEDAT_CLOCK_BYTES];
	uint32_t page_bytes;
	bool packed; /* in chunks that are compressed */
	uint64_t offset, bytes;
	/*
	 * Lost events by the recorder's statistics: overwritten before they were read, of which
	 * pages tell where, if not how many; and dropped because there was no room.
	 */
	uint64_t overwritten, dropped;
};

/* What is handed out while a file is opened. Each returns 0 or a negative errno. */
struct tracedat_handler {
	/*
	 * The text of an event's format; file->layout is known by then. -EINVAL, with what is wrong
	 * in diag, if it is damaged.
	 */
	int (*format)(struct tracedat_handler *handler, const char *system, const char *text,
		size_t bytes, struct diag *diag);
	/* The name of a process. */
	int (*task)(struct tracedat_handler *handler, int pid, const char *comm, size_t bytes);
};

struct tracedat_file {
	const char *name; /* of the file; the caller's */
	struct seekable file;
	unsigned version;
	bool big_endian;
	uint32_t page_bytes;
	struct unpack *unpack;
	struct ring_layout layout;
	bool has_layout;

	char clock[TRACEDAT_CLOCK_BYTES]; /* of all places; "" if the file doesn't tell it */
	char kernel[65];                  /* its release (uname(2)); "" if it isn't told */
	uint32_t tsc_mult, tsc_shift;     /* ns = cycles x mult >> shift; mult 0: not told */

	struct tracedat_place *places; /* none is empty */
	size_t place_count, place_room;
	size_t window_bytes;        /* of memory that all streams have */
	struct tracedat_place text; /* a latency tracer's text instead of pages, if bytes isn't 0 */
	char trouble[192];          /* why not all is there; "" if the file is whole */
};

/*
 * Reads all but the pages. Takes over the input. Returns 0; or -EINVAL, or another errno, with a
 * message that names file, offset and reason. tracedat_file_close is due in any case.
 */
int tracedat_file_open(struct tracedat_file *file, struct input *input, const char *name,
	struct tracedat_handler *handler, struct diag *diag);

void tracedat_file_close(struct tracedat_file *file);

/* Says that the file is damaged at an offset. Returns -EINVAL. */
int tracedat_damaged(
	const struct tracedat_file *file, uint64_t offset, const char *what, struct diag *diag);

#endif
