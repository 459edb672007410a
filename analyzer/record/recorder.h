/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel does now, as a reader: events come out by time while they happen, and the reader
 * ends when the recording does. So whatever takes a trace takes this, too.
 *
 * One thread reads all CPUs' buffers in turn, every 10 ms and without a pause where there is much.
 * An event comes out when no CPU can have an earlier one: those with much to read have told it by
 * their last event, and of those that are idle it is taken that nothing is written later than
 * 100 ms after its time (the kernel stamps an event and finishes it with preemption off). What
 * comes later all the same is kept, its time is changed, and it is counted.
 */
#ifndef ANALYZER_RECORD_RECORDER_H
#define ANALYZER_RECORD_RECORDER_H

#include "groups.h"
#include "reader.h"

struct recorder_options {
	const char *tracefs; /* where it is mounted; NULL: it is found */
	unsigned groups;     /* enum record_group: bits */
	unsigned buffer_kib; /* the kernel's buffer of each CPU */
};

/* Asked, in the thread that reads, some hundred times a second. Put this first in a struct. */
struct recorder_watch {
	bool (*go_on)(struct recorder_watch *watch); /* false: the recording ends */
};

/*
 * Gets everything ready, with tracing still off. 0; -ENOENT if the kernel has none of the events;
 * or another negative errno, with a message in diag.
 */
int recorder_open(struct reader **reader, const struct recorder_options *options,
	struct recorder_watch *watch, struct diag *diag);

/* From now on the kernel records. 0 or a negative errno with a message. */
int recorder_start(struct reader *reader, struct diag *diag);

/* "system:name, ...": what the kernel doesn't have; "" if it has all. */
const char *recorder_missing(const struct reader *reader);

/* Events whose time was changed. */
uint64_t recorder_late(const struct reader *reader);

#endif
