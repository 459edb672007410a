/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers: a trace in any known format becomes events in the order of their time (equal times keep
 * the order of the input). The format is detected from the content; "-" is standard input; gzip is
 * looked through. Memory is bounded, whatever the size of the trace (order.h says how).
 */
#ifndef ANALYZER_READ_READER_H
#define ANALYZER_READ_READER_H

#include "diag.h"
#include "event.h"
#include "names.h"
#include <stdbool.h>

struct capture;

struct reader_options {
	uint64_t hz; /* of a clock in cycles that the trace doesn't calibrate; 0: not given */
	bool costs;  /* a plain list of receive costs is wanted, too (costs_list.h) */
	/* where a capture of frames goes (capture.h): the reader is NULL then. NULL: refused */
	struct capture **capture;
};

/* What the trace says of itself. */
struct trace_source {
	const char *file;   /* as the user named it */
	const char *format; /* "perf.data", "trace.dat", "perf-script", "ftrace", "ctf", "costs"
			       (also "sim" and "tracefs", for events that come from no file) */
	const char *clock;  /* name of the clock if the trace tells it, else NULL */
	uint64_t hz;        /* frequency of event.time; 0: cycles without a calibration */
	const char *kernel; /* release of the kernel that was traced, if the trace tells it */
};

/* What became of the input. Complete after reader_next (or reader_next_some) has returned 0. */
struct trace_counts {
	uint64_t read;     /* events recognised, of known kinds or not */
	uint64_t unparsed; /* lines that are no event, comment, blank line or call
			      frame; records that can't be used */
	uint64_t skipped;  /* records of types that aren't known */
	uint64_t lost;     /* events that the recorder lost */
	bool lost_unknown; /* the recorder didn't count all of them: lost is a lower bound */
	bool truncated;    /* the input ends in the middle of something */
	uint64_t last;     /* time of the last event, of known kinds or not: the trace ends there */
	char trouble[256]; /* what a person should know of an incomplete input; "" if it is whole */
};

/* Nothing of what was recorded is missing. */
static inline bool trace_counts_complete(const struct trace_counts *counts)
{
	return !counts->lost && !counts->lost_unknown && !counts->truncated;
}

struct reader;

/*
 * Opens a trace and finds out its format. On failure *reader is NULL and diag names the file and
 * the reason: -ENOENT and the like, -ENOMEM, or -EINVAL if no format is recognised (an empty file,
 * a text in which no line is an event), its version is unknown, or it is corrupt.
 */
int reader_open(const char *path, const struct reader_options *options, struct reader **reader,
	struct diag *diag);

/*
 * The next event in time. EVENT_LOST events stand where the gap ends: before the next event of
 * their CPU. NAME records are not handed out. Returns 1; 0 at the end; a negative errno with a
 * message in diag if the input can't be trusted.
 */
int reader_next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag);

/*
 * The same, as many as there are without more work: at least one, from *begin to *end, where 1 is
 * returned. They stay where they are until the next call, which may be either.
 */
int reader_next_some(struct reader *reader, const struct cpu_event **begin,
	const struct cpu_event **end, struct diag *diag);

const struct trace_source *reader_source(const struct reader *reader);
const struct trace_counts *reader_counts(const struct reader *reader);
const struct names *reader_names(const struct reader *reader);

/* What a queue of the device can own if the trace says so (the model's do), else 0. */
uint32_t reader_capacity(const struct reader *reader);

void reader_close(struct reader *reader);

#endif
