/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who runs: the names of processes change (COMM, FORK), and their records stand in the buffer of
 * the CPU where that was. So these go in among the events, as held ones, and are taken when events
 * are handed out, in the order of time. Until then an event has its process's id.
 */
#ifndef ANALYZER_READ_PERF_TASKS_H
#define ANALYZER_READ_PERF_TASKS_H

#include "perf_impl.h"

/* Ids of held records, which no event has; event.len is the process's id. */
enum {
	PERF_HELD_COMM = EVENT_ID_COUNT, /* its name: the 16 bytes of event.packet and event.arg */
	PERF_HELD_FORK,                  /* its parent: event.arg */
};

/*
 * COMM: process, thread, and its name from that time on (UINT64_MAX: not told); the first thread's
 * is the process's. FORK: process and its parent, whose name the child has until it takes another,
 * and its time. 0 or a negative errno.
 */
int perf_tasks_comm(struct perf_reader *perf, const struct perf_record *record, uint64_t time);
int perf_tasks_fork(struct perf_reader *perf, const struct perf_record *record);

/* Names the tasks of the events that are ready, and takes out what is held. 0 or a negative errno.
 */
int perf_tasks_settle(struct perf_reader *perf);

#endif
