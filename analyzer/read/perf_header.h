/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a perf.data file (tools/perf/Documentation/perf.data-file-format.txt in Linux): it
 * tells where the descriptions of its events are, where its records, and behind them, by one bit
 * each, the sections with all else. What is piped has a header of 16 bytes and all else in records.
 */
#ifndef ANALYZER_READ_PERF_HEADER_H
#define ANALYZER_READ_PERF_HEADER_H

#include "perf_attrs.h"
#include "seekable.h"
#include "tracing_data.h"

#define PERF_MAGIC             "PERFILE2" /* as a number in the byte order of the machine */
#define PERF_MAGIC_BIG_ENDIAN  "2ELIFREP"
#define PERF_PIPE_HEADER_BYTES 16

/* Numbers of sections, and of what records of the type HEADER_FEATURE hold. */
enum {
	PERF_TRACING_DATA = 1,
	PERF_OSRELEASE = 4,
	PERF_DIR_FORMAT = 24,
	PERF_COMPRESSION = 27,
};

#define PERF_STRING_BYTES 256 /* of a section with a string, at most */

/* What the header and the sections say. */
struct perf_header {
	bool tracepoints;                /* there are some among its events */
	uint64_t data_begin, data_end;   /* records, as far as the file goes */
	bool cut;                        /* the file ends before its last section does */
	uint64_t folder;                 /* version of the folder it is a part of; 0: it isn't */
	char release[PERF_STRING_BYTES]; /* of the kernel; "" if it isn't told */
};

/* The first 16 bytes: whether they are a pipe's. */
bool perf_header_is_pipe(const uint8_t *data, bool big_endian);

/*
 * Reads the header of a file: events go to `attrs`, formats to *raw (NULL where there are none). 0;
 * -EINVAL with a message (without the file's name); or another negative errno.
 */
int perf_header_read(const struct seekable *file, struct perf_attrs *attrs,
	struct kernel_names *names, struct raw_events **raw, struct perf_header *header,
	struct diag *diag);

/* A section's string: *length bytes of it behind 32 bits that tell them, 0 if it is cut. */
const char *perf_header_string(const uint8_t *data, size_t bytes, bool big_endian, size_t *length);

/* Looks at what compression was used. 0, or -EINVAL with a message. */
int perf_header_compression(const uint8_t *data, size_t bytes, bool big_endian, struct diag *diag);

#endif
