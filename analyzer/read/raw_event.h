/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binary records of the kernel's tracepoints (the raw data of perf's samples, the entries of
 * trace.dat's ring buffers) become struct event, as kernel_event.h says. How they are laid out
 * stands in the trace: a text for each kind of event (tracefs' events/SYSTEM/NAME/format).
 *
 * A format is read once, by libtraceevent, and becomes a plan: where each field lies that the event
 * needs. So a record costs a few loads, whatever else the kernel has put into it.
 */
#ifndef ANALYZER_READ_RAW_EVENT_H
#define ANALYZER_READ_RAW_EVENT_H

#include "diag.h"
#include "kernel_event.h"

/* Of one format text. The longest of ours, kfree_skb's with its reasons, has 6 KiB. */
#define RAW_FORMAT_BYTES (64 * 1024)

/* Tasks whose names are kept; of those beyond only the number is known. */
#define RAW_TASKS ((size_t)1 << 17)

#define RAW_PID_UNKNOWN (-1)

struct raw_events;

struct raw_record {
	uint64_t time;
	int32_t pid;      /* of the process; RAW_PID_UNKNOWN: the record's own common_pid */
	const void *data; /* begins with the type of the event, 16 bits */
	size_t bytes;     /* of data; nothing is read behind them */
};

enum raw_event_status {
	RAW_EVENT_SKIP,     /* of a kind that has no use here, or no format */
	RAW_EVENT_USED,     /* *event is filled */
	RAW_EVENT_UNPARSED, /* a known event without what it must have, or with a bad value */
};

/*
 * `names` must outlive the result. big_endian and long_bytes (4 or 8) are the recording machine's;
 * either byte order is read on either. 0 or -ENOMEM.
 */
int raw_events_create(
	struct raw_events **raw, struct kernel_names *names, bool big_endian, unsigned long_bytes);

/*
 * Adds the format of an event. Formats of no use are ignored, as is a second one of the same id. 0;
 * -EINVAL with a message ("the format of net:net_dev_xmit …", without the file's name) if it is one
 * of ours and can't be read; -ENOMEM.
 */
int raw_events_add(struct raw_events *raw, const char *system, const char *format, size_t bytes,
	struct diag *diag);

/* The name of a process from now on; it ends at its first NUL, if any. 0 or -ENOMEM. */
int raw_events_task(struct raw_events *raw, int32_t pid, const char *comm, size_t bytes);

/* A process has its parent's name until it gets its own. 0 or -ENOMEM. */
int raw_events_fork(struct raw_events *raw, int32_t pid, int32_t parent);

/*
 * From now on events have processes' ids in the place of their names' indices, because names are
 * known only when events are in the order of time: raw_events_task_index gives the index then.
 */
void raw_events_hold_tasks(struct raw_events *raw);

/* The largest id that is held; an event with a larger one is unparsed. Linux has 2^22 at most. */
#define RAW_PID_MOST ((1 << 24) - 2)

/* Whether there is a format of an event that tells who ran. */
bool raw_events_tell_tasks(const struct raw_events *raw);

/* The index of a process's name as it is now, or what kernel_task returns. */
int raw_events_task_index(struct raw_events *raw, int32_t pid);

/*
 * Returns an enum raw_event_status, or a negative errno: -EOVERFLOW if a kind of names is used up
 * (kernel_names.used_up), -ENOMEM.
 */
int raw_event_parse(struct raw_events *raw, const struct raw_record *record, struct event *event);

void raw_events_destroy(struct raw_events *raw);

#endif
