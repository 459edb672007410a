/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace in another format: our CTF traces (trace_writer.h), the JSON that Perfetto and Chrome
 * show, or CSV. Events go out as they come in; names, losses and the clock's frequency go with
 * them.
 *
 * A converted CTF trace gives the same report, napi, sock and timeline as the original. One thing
 * it can't hold is the order of events that have the same time and are of different CPUs, which a
 * text in microseconds may have: the lower CPU comes first then.
 */
#ifndef ANALYZER_REPORT_CONVERT_H
#define ANALYZER_REPORT_CONVERT_H

#include "reader.h"
#include <stdio.h>

/* What is converted, and where to. All must live until close; counts are complete at finish. */
struct convert_job {
	const struct trace_source *source;
	const struct trace_counts *counts;
	const struct names *names;
	uint32_t capacity;   /* see reader_capacity */
	const char *folder;  /* a CTF trace's */
	FILE *out;           /* all others' */
	uint64_t offset_s;   /* time of 0, in seconds since 1970, where that is known */
	const uint8_t *uuid; /* of a CTF trace, 16 bytes; NULL: it is made from the source's name */
};

struct converter;

struct convert_format {
	const char *name;
	const char *needs_hz; /* why the clock's frequency must be known; NULL: it needn't */
	bool folder;          /* it makes a folder instead of a file */
	/* Each 0 or a negative errno, with a message in diag; write errors are also the stream's.
	 */
	int (*open)(struct converter **converter, const struct convert_job *job, struct diag *diag);
	int (*event)(struct converter *converter, unsigned cpu, const struct event *event,
		struct diag *diag);
	int (*finish)(struct converter *converter, struct diag *diag);
	void (*close)(struct converter *converter); /* NULL is allowed */
};

/* "ctf", "perfetto" or "csv"; NULL for others. */
const struct convert_format *convert_format_find(const char *name);

#endif
