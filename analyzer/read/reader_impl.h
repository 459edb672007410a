/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the formats share: each makes a struct with this one first, and fills in its functions.
 * reader.c finds out which format it is.
 */
#ifndef ANALYZER_READ_READER_IMPL_H
#define ANALYZER_READ_READER_IMPL_H

#include "input.h"
#include "kernel_event.h"
#include "reader.h"

struct reader_format {
	/* See reader_next and reader_next_some. A format has one of them. */
	int (*next)(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag);
	int (*some)(struct reader *reader, const struct cpu_event **begin,
		const struct cpu_event **end, struct diag *diag);
	/* Frees what the format has beside struct reader, and the struct itself. */
	void (*close)(struct reader *reader);
};

#define READER_KERNEL_BYTES 65 /* with its end: Linux's own limit of a release (uname(2)) */

struct reader {
	const struct reader_format *format;
	struct trace_source source; /* source.file is the reader's own copy */
	struct trace_counts counts;
	struct names *names;
	uint32_t capacity;                /* see reader_capacity; one for all devices */
	char kernel[READER_KERNEL_BYTES]; /* source.kernel, once it is known */
	/* For the other way than the format's: */
	const struct cpu_event *left, *left_end; /* of some, to be handed out one by one */
	struct cpu_event one;                    /* that makes some */
};

/*
 * Fills in the common part: 0 or -ENOMEM. reader_release frees it, also if that failed half-way.
 */
int reader_prepare(struct reader *reader, const struct reader_format *format, const char *file);
void reader_release(struct reader *reader);

/* There is an event of that time, handed out or not: it may be the last. */
static inline void reader_saw(struct reader *reader, uint64_t time)
{
	if (time > reader->counts.last)
		reader->counts.last = time;
}

/* Notes that the input isn't whole, and why; reasons add up. */
void reader_truncated(struct reader *reader, const char *reason);

/* Notes the release of the kernel that was traced: up to the end of it, or of `bytes`. */
void reader_kernel(struct reader *reader, const char *release, size_t bytes);

/* Counts lost events. More than EVENT_LOST_MOST, in all, are that many and unknown. */
void reader_lost(struct reader *reader, uint64_t count, bool unknown);

/*
 * The frequency of a reader's clock from what the trace says (0: cycles that it doesn't calibrate)
 * and what the user says. Two that differ are refused: -EINVAL with a message.
 */
int reader_set_hz(struct reader *reader, uint64_t told, const struct reader_options *options,
	struct diag *diag);

/* Says why reading or sorting failed, of kernel's events; returns the error. */
int reader_failed(const struct reader *reader, const struct kernel_names *names, int error,
	struct diag *diag);

/*
 * As reader_open, for an input that is open already; it is the reader's from now on, also on
 * failure. `records` bounds the memory for sorting (order.h).
 */
int reader_open_input(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag);

/* The formats. text.c */
int text_reader_open(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag);

/* perf.data, as a file or as it is piped. perf.c */
int perf_reader_open(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag);

/* A folder that perf record --threads has made (perf_folder.h). perf.c */
int perf_folder_reader_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag);

/* trace.dat of trace-cmd; `records` is for the text of a latency tracer. tracedat.c */
int tracedat_reader_open(struct input *input, const char *file,
	const struct reader_options *options, size_t records, struct reader **reader,
	struct diag *diag);

/* A folder with a CTF trace of any other layout than ours. ctf_foreign.c */
int ctf_foreign_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag);

/* A folder with a CTF trace. ctf.c */
int ctf_reader_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag);

#endif
