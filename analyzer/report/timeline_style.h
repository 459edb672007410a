/* SPDX-License-Identifier: BSD-3-Clause */
/* What the layouts of timeline_report.h share. */
#ifndef ANALYZER_REPORT_TIMELINE_STYLE_H
#define ANALYZER_REPORT_TIMELINE_STYLE_H

#include "cycles.h"
#include "fast_out.h"
#include "timeline_report.h"

/* "PID COMM" of a task; the pid's digits are a number. */
struct timeline_task {
	const char *pid, *comm; /* comm is NULL where the task isn't told */
	size_t pid_bytes, comm_bytes;
	bool is_napi_thread;
};

struct timeline_printer {
	const struct timeline_report *report;
	const struct names *names;
	uint64_t hz; /* 0: times are cycles */
	struct fast_out out;
	struct fast_second second;
	struct clean_names cleaned;
	enum clean_style clean;
	struct timeline_task task; /* that was asked for last */
	uint32_t task_number;
	signed char wanted[EVENT_NO_DEVICE + 1]; /* by --dev; 0: not looked up yet, else 1 or -1 */
	/* what was printed */
	uint64_t softirqs, received, sent;
	uint64_t received_ends[TIMELINE_ENDS], sent_ends[TIMELINE_ENDS];
};

struct timeline_layout {
	enum clean_style clean;
	const char *packets_heading; /* before sent packets; NULL: none */
	/* Each returns where the next one puts its text (fast_out.h). begin and end may be NULL. */
	char *(*begin)(struct timeline_printer *printer, char *to);
	char *(*softirq)(
		struct timeline_printer *printer, char *to, const struct timeline_item *head);
	char *(*packet)(
		struct timeline_printer *printer, char *to, const struct timeline_packet *packet);
	char *(*end)(struct timeline_printer *printer, char *to);
};

extern const struct timeline_layout timeline_text, timeline_json, timeline_classic;

extern const struct fast_word timeline_none; /* "-" */

/* "copied", "freed", …, by enum timeline_end. */
extern const struct fast_word timeline_ends[TIMELINE_ENDS];

/* What the times of a softirq are counted from: the earliest that is known of it. */
uint64_t timeline_base(const struct timeline_item *head);

static inline const struct fast_word *timeline_name(
	struct timeline_printer *printer, enum name_kind kind, uint32_t index)
{
	return clean_name(&printer->cleaned, printer->names, kind, index, printer->clean);
}

/* The device's name, "-" if it has none. */
static inline const struct fast_word *timeline_device(
	struct timeline_printer *printer, uint8_t device)
{
	const struct fast_word *name = timeline_name(printer, NAME_DEVICE, device);

	return name ? name : &timeline_none;
}

/* Another task than the last one. */
void timeline_new_task(struct timeline_printer *printer, uint32_t number);

/* The task with that number, as events count them; NULL if it isn't told. */
static inline const struct timeline_task *timeline_task(
	struct timeline_printer *printer, uint32_t number)
{
	if (number != printer->task_number)
		timeline_new_task(printer, number);
	return printer->task.comm ? &printer->task : NULL;
}

/* From one time to another, either way round: nanoseconds, or cycles where hz is 0. */
static inline uint64_t timeline_between(
	const struct timeline_printer *printer, uint64_t from, uint64_t to, bool *negative)
{
	uint64_t cycles = to >= from ? to - from : from - to;

	*negative = to < from;
	return printer->hz ? cycles_to_ns(cycles, printer->hz) : cycles;
}

#endif
