/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which process a thread is of, and its name, while it lives: from /proc. A thread may become
 * another program, or end and leave its number to another, so what was looked up is true for a
 * while only. Of one that has ended before nothing is known but its number.
 */
#ifndef ANALYZER_RECORD_TASKS_H
#define ANALYZER_RECORD_TASKS_H

#include "raw_event.h"

#define TASKS_SLOTS    65536
#define TASKS_VALID_NS 100000000

/* What was looked up; two threads that share a slot are looked up again. All zero is empty. */
struct tasks {
	struct task_slot {
		uint64_t time;
		int32_t thread, process;
	} slots[TASKS_SLOTS];
};

/*
 * The process of a thread at this time (which doesn't go back by much), whose name the raw events
 * know from now on. The thread itself if it is gone; -ENOMEM.
 */
int tasks_process(struct tasks *tasks, struct raw_events *raw, int32_t thread, uint64_t time_ns);

#endif
