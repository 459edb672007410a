/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace as the subcommands see it: opened, asked for its clock, cut to the time asked for.
 */
#ifndef ANALYZER_RINGSTAT_INPUT_H
#define ANALYZER_RINGSTAT_INPUT_H

#include "reader.h"
#include "ringstat.h"

struct ringstat_input {
	struct reader *reader;
	const struct ringstat_options *options;
	const char *file;
	uint64_t most; /* cycles: of a later time nobody can tell the nanoseconds in 64 bits */
	bool all;      /* neither that nor --from or --to leaves anything out */
	struct cpu_event one;
};

/*
 * 0 or STATUS_REFUSED with a message in diag: also where an option speaks of seconds and nobody
 * knows the clock's frequency, and where the input is a capture of frames.
 */
int ringstat_input_open(struct ringstat_input *input, const char *file,
	const struct ringstat_options *options, struct diag *diag);

/* The same, but captures are taken: of a capture *capture is set, and the input has no reader. */
int ringstat_input_open_any(struct ringstat_input *input, const char *file,
	const struct ringstat_options *options, struct capture **capture, struct diag *diag);

/*
 * The next event between --from and --to; the input is read to its end in any case, as only then it
 * is known to be whole. 1, 0 at the end, or -1 with a message in diag: also where a time doesn't
 * fit in 64 bits of nanoseconds, which is after 584 years.
 */
int ringstat_input_next_within(
	struct ringstat_input *input, struct event *event, unsigned *cpu, struct diag *diag);

static inline int ringstat_input_next(
	struct ringstat_input *input, struct event *event, unsigned *cpu, struct diag *diag)
{
	return input->all ? reader_next(input->reader, event, cpu, diag)
			  : ringstat_input_next_within(input, event, cpu, diag);
}

/* The same, of as many as there are; see reader_next_some. */
static inline int ringstat_input_next_some(struct ringstat_input *input,
	const struct cpu_event **begin, const struct cpu_event **end, struct diag *diag)
{
	if (input->all)
		return reader_next_some(input->reader, begin, end, diag);
	*begin = &input->one;
	*end = *begin + 1;
	return ringstat_input_next_within(input, &input->one.event, &input->one.cpu, diag);
}

/*
 * After the end: when the time that was asked for is over. That is the trace's last event, of any
 * kind, or --to if the trace goes on behind it. False if the trace ends before --from.
 */
bool ringstat_input_end(const struct ringstat_input *input, uint64_t *time);

/* After the end: STATUS_REFUSED if the input doesn't have the device that was asked for, else 0. */
int ringstat_input_check_device(const struct ringstat_input *input, struct diag *diag);

/*
 * After the end: STATUS_COMPLETE, or STATUS_PARTIAL with a line on standard error that says what is
 * missing.
 */
int ringstat_status(const char *file, const struct trace_counts *counts);
int ringstat_input_status(const struct ringstat_input *input);

void ringstat_input_close(struct ringstat_input *input);

#endif
