/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_cgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK_BYTES 512 /* of a task's name: kernel_task's are shorter */

/* Names give numbers to texts; here are two kinds of keys. */
enum { KEY_TASK = NAME_TASK, KEY_CGROUP = NAME_REASON };

static int number_of(struct perf_cgroups *cgroups, enum name_kind kind, const char *key)
{
	if (!cgroups->keys)
		cgroups->keys = names_create();
	return cgroups->keys ? names_intern(cgroups->keys, kind, key, strlen(key)) : -ENOMEM;
}

static void key_of(uint64_t cgroup, char key[24])
{
	snprintf(key, 24, "%" PRIu64, cgroup);
}

int perf_cgroups_path(struct perf_cgroups *cgroups, uint64_t cgroup, const char *path, size_t bytes)
{
	char key[24];
	int number;

	key_of(cgroup, key);
	number = number_of(cgroups, (enum name_kind)KEY_CGROUP, key);
	if (number < 0)
		return number == -ENOSPC ? 0 : number; /* it is told by its id */
	if ((size_t)number >= cgroups->path_room) {
		size_t room = cgroups->path_room ? 2 * cgroups->path_room : 16;
		char **paths = realloc(cgroups->paths, room * sizeof(*paths));

		if (!paths)
			return -ENOMEM;
		memset(paths + cgroups->path_room, 0, (room - cgroups->path_room) * sizeof(*paths));
		cgroups->paths = paths;
		cgroups->path_room = room;
	}
	if (cgroups->paths[number])
		return 0;
	cgroups->paths[number] =
		strndup(path, bytes < PERF_CGROUP_BYTES ? bytes : PERF_CGROUP_BYTES);
	return cgroups->paths[number] ? 0 : -ENOMEM;
}

/* The number of a process in a cgroup ('p'), or of a task's name in one ('t'). */
static int number_of_task(struct perf_cgroups *cgroups, char what, uint32_t who, uint64_t cgroup)
{
	char key[48];
	int number;

	snprintf(key, sizeof(key), "%c%" PRIu32 " %" PRIu64, what, who, cgroup);
	number = number_of(cgroups, (enum name_kind)KEY_TASK, key);
	if (number < 0 || (size_t)number < cgroups->task_count)
		return number;
	if (cgroups->task_count == cgroups->task_room) {
		size_t room = cgroups->task_room ? 2 * cgroups->task_room : 16;
		struct perf_cgroup_task *tasks = realloc(cgroups->tasks, room * sizeof(*tasks));

		if (!tasks)
			return -ENOMEM;
		cgroups->tasks = tasks;
		cgroups->task_room = room;
	}
	cgroups->tasks[cgroups->task_count++] =
		(struct perf_cgroup_task){ .who = who, .index = -1, .cgroup = cgroup };
	return number;
}

int perf_cgroups_hold(struct perf_cgroups *cgroups, uint32_t pid, uint64_t cgroup)
{
	return number_of_task(cgroups, 'p', pid, cgroup);
}

/* The path, or NULL if it wasn't told or there is no room for more. */
static const char *path_of(struct perf_cgroups *cgroups, const char *key)
{
	int number = names_find(cgroups->keys, (enum name_kind)KEY_CGROUP, key, strlen(key));
	const char *path = number < 0 ? NULL : cgroups->paths[number];

	if (!path || strlen(path) > PERF_CGROUP_BYTES_ALL - cgroups->text_bytes)
		return NULL;
	cgroups->text_bytes += strlen(path);
	return path;
}

int perf_cgroups_task(
	struct perf_cgroups *cgroups, struct kernel_names *names, uint32_t task, uint64_t cgroup)
{
	int number = number_of_task(cgroups, 't', task, cgroup), bytes;
	char key[24], text[TASK_BYTES + PERF_CGROUP_BYTES];
	const char *path;

	if (number == -ENOSPC) {
		names->used_up = NAME_TASK;
		return -EOVERFLOW;
	}
	if (number < 0 || cgroups->tasks[number].index >= 0)
		return number < 0 ? number : cgroups->tasks[number].index;
	key_of(cgroup, key);
	path = path_of(cgroups, key);
	bytes = snprintf(text, sizeof(text), "%s%c%s%s", names_get(names->names, NAME_TASK, task),
		NAME_CGROUP_MARK, path ? "" : "id ", path ? path : key);
	cgroups->tasks[number].index = kernel_name(names, NAME_TASK, text, (size_t)bytes);
	return cgroups->tasks[number].index;
}

void perf_cgroups_clear(struct perf_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->path_room; i++)
		free(cgroups->paths[i]);
	free(cgroups->paths);
	free(cgroups->tasks);
	names_destroy(cgroups->keys);
	*cgroups = (struct perf_cgroups){ 0 };
}
