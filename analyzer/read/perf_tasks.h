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

static inline bool perf_tasks_is_held(const struct event *event)
{
	return event->id >= EVENT_ID_COUNT;
}

/* The event has a task, or is held. */
static inline bool perf_tasks_is_unsettled(const struct event *event)
{
	const uint32_t ids = UINT32_C(1) << EVENT_SOCK_SEND | UINT32_C(1) << EVENT_SOCK_RECV |
			     UINT32_C(1) << EVENT_COPY | UINT32_C(1) << EVENT_SOFTIRQ_ENTRY |
			     UINT32_C(1) << EVENT_NAPI_POLL | UINT32_C(1) << PERF_HELD_COMM |
			     UINT32_C(1) << PERF_HELD_FORK;

	static_assert(PERF_HELD_FORK < 32, "each has a bit");
	return ids >> event->id & 1;
}

/* Names the event's task, or takes what is held. 0 or a negative errno. */
int perf_tasks_settle(struct perf_reader *perf, struct event *event);

#endif
