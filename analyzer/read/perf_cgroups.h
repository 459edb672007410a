/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cgroups that processes are in (perf record --all-cgroups). Samples have a cgroup's id, and
 * records of the type CGROUP tell its path. Such a record may come after samples that need it, from
 * the buffer of another CPU; so the path is looked up when an event is handed out, and until then a
 * number stands for the event's process and its cgroup.
 */
#ifndef ANALYZER_READ_PERF_CGROUPS_H
#define ANALYZER_READ_PERF_CGROUPS_H

#include "kernel_event.h"

#define PERF_CGROUP_BYTES 1024 /* of a longer path only so much is kept */

/* Of all paths behind names; then cgroups are told by their ids. */
#define PERF_CGROUP_BYTES_ALL ((size_t)16 * 1024 * 1024)

/* The queue of an event whose process is such a number; it has none. */
#define PERF_CGROUP_HELD 0

/* What has a number: a process in a cgroup, or the name of a task in one. */
struct perf_cgroup_task {
	uint32_t who;    /* the process's id, or the name's index */
	int index;       /* of a name, that of the one with the cgroup; -1: not entered yet */
	uint64_t cgroup; /* its id */
};

/* All zero is empty. */
struct perf_cgroups {
	struct names *keys; /* what has a number here: such a task, and a cgroup */
	struct perf_cgroup_task *tasks;
	size_t task_count, task_room;
	char **paths; /* by the number of the cgroup */
	size_t path_room;
	size_t text_bytes;
};

/* The path of a cgroup; it ends at its first NUL, if any. The first one counts. 0 or -ENOMEM. */
int perf_cgroups_path(
	struct perf_cgroups *cgroups, uint64_t cgroup, const char *path, size_t bytes);

/* The number that stands for a process in a cgroup; -ENOMEM; or -ENOSPC if there is none left. */
int perf_cgroups_hold(struct perf_cgroups *cgroups, uint32_t pid, uint64_t cgroup);

/* What such a number stands for. */
static inline const struct perf_cgroup_task *perf_cgroups_held(
	const struct perf_cgroups *cgroups, uint32_t number)
{
	return &cgroups->tasks[number];
}

/*
 * The index of a task's name with a cgroup behind it (names.h says how), from that of the name
 * without: with the path as it is known by now, or "id 4711". Or what kernel_name returns.
 */
int perf_cgroups_task(
	struct perf_cgroups *cgroups, struct kernel_names *names, uint32_t task, uint64_t cgroup);

void perf_cgroups_clear(struct perf_cgroups *cgroups);

#endif
