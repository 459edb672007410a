/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of processes that binary records only have the number of.
 */
#ifndef ANALYZER_READ_RAW_TASKS_H
#define ANALYZER_READ_RAW_TASKS_H

#include "kernel_event.h"

struct raw_tasks;

/* 0 or -ENOMEM. */
int raw_tasks_create(struct raw_tasks **tasks);

/* See raw_events_task. */
int raw_tasks_name(struct raw_tasks *tasks, int32_t pid, const char *comm, size_t bytes);

/* See raw_events_fork. */
int raw_tasks_fork(struct raw_tasks *tasks, int32_t pid, int32_t parent);

/*
 * The index of a process's name, as it is now: "<...>" if it was never told, as ftrace has it. Or
 * what kernel_task returns.
 */
int raw_tasks_index(struct raw_tasks *tasks, struct kernel_names *names, int32_t pid);

void raw_tasks_destroy(struct raw_tasks *tasks);

#endif
