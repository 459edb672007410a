/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reader of perf.data keeps, for perf.c (opening, handing out), perf_records.c (what each
 * record means), perf_samples.c (those that are samples) and perf_tasks.c (who ran).
 */
#ifndef ANALYZER_READ_PERF_IMPL_H
#define ANALYZER_READ_PERF_IMPL_H

#include "perf_cgroups.h"
#include "perf_folder.h"
#include "perf_header.h"
#include "perf_stream.h"
#include "reader_impl.h"
#include "runs.h"

/* Lost events, until it is known when the gap ended. */
struct gap {
	bool open;
	uint64_t count;
	uint64_t time; /* UINT64_MAX: not told */
	unsigned cpu;
	bool any_cpu; /* that isn't told either */
};

struct perf_reader {
	struct reader reader;
	struct seekable file; /* or, of what is piped: */
	struct input *input;
	struct perf_attrs attrs;
	struct kernel_names names;
	struct raw_events *raw; /* NULL: there are no formats (yet) */
	struct perf_stream *stream;
	struct perf_folder *folder; /* not NULL: the streams are its own, `stream` the last one */
	struct runs *runs;
	struct cpu_event *ready, *ready_end; /* came out of them */
	struct perf_cgroups cgroups;         /* empty if none are recorded */
	bool at_end;

	uint64_t latest;       /* time of all samples so far */
	uint64_t round_latest; /* the same when the last round ended */
	size_t round_events;   /* since then */
	bool any_round;
	uint64_t rounds_read; /* events read when the last round ended */
	struct gap gap;
	uint64_t lost_told;    /* by records of where */
	uint64_t lost_counted; /* by the events themselves, at the end */
	bool late;             /* an event came too late */
};

/* perf_samples.c: each 0 or a negative errno. */

/* Events that were lost: at this time, before the CPU's next one. */
int perf_add_lost(struct perf_reader *perf, unsigned cpu, uint64_t time, uint64_t count);

/* The gap that is open, if any, ends before this sample; NULL: before anything else. */
int perf_end_gap(struct perf_reader *perf, const struct perf_sample *next);

/* Takes one sample, of any form. */
int perf_take_sample(struct perf_reader *perf, const struct perf_record *record);

/*
 * Takes the samples of the usual form that come next in the stream, as many as lie there and can be
 * taken without more work: which may be none. (Not of a folder, whose streams' records alternate.)
 */
int perf_take_samples(struct perf_reader *perf);

/*
 * Takes the records up to the end of a round, so that events may come out, or of the file: at_end
 * is set then. 0; -EINVAL with a reason (without the file's name); or another negative errno.
 */
int perf_read_round(struct perf_reader *perf, struct diag *reason);

#endif
