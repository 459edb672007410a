/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text that tells CTF readers how to read our streams. The layout never varies
 * (trace_writer.h), so neither does the text, but for what struct trace_info holds and the number
 * of streams. Its last line says that it is whole.
 */
#ifndef ANALYZER_EVENT_TRACE_METADATA_H
#define ANALYZER_EVENT_TRACE_METADATA_H

#include "event.h"
#include <stdbool.h>
#include <stdio.h>

#define TRACE_LAYOUT       1
#define TRACE_METADATA_END "/* the end of the metadata */\n"
#define TRACE_NAME_BYTES   16 /* of a name, in a NAME record */
#define TRACE_STREAMS_MOST 1024
#define TRACE_INFO_BYTES   65 /* of a text, with its end */

/* What the metadata tells besides the layout. */
struct trace_info {
	uint64_t hz;       /* of event.time, at least 1 */
	uint8_t uuid[16];  /* from the seed where runs must be repeatable */
	uint64_t offset_s; /* time of cycle 0, seconds since 1970 */
	/* "" where it isn't known; '_' is written for all but printable ASCII, quotes and braces */
	char clock[TRACE_INFO_BYTES];  /* what counts the cycles: "mono" */
	char kernel[TRACE_INFO_BYTES]; /* release of the kernel that was traced */
	uint32_t capacity; /* packets that a queue of the model's devices can own; 0: not told */
	/* Of a trace that was converted: what its own reader said besides the events. */
	uint64_t unused;   /* events of kinds that are of no use here */
	uint64_t unparsed; /* lines */
	uint64_t last;     /* time of the last event of any kind; 0: not told */
	bool cut;          /* a part of it was missing */
};

/*
 * Blocks are separated by empty lines; those before the first event class are the layout. Write
 * errors are the stream's (ferror).
 */
void trace_metadata_write(FILE *out, const struct trace_info *info, unsigned streams);

#endif
