/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_tasks.h"

#include "raw_event.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES  16 /* linux/sched.h, TASK_COMM_LEN, with the NUL */
#define NOT_ENTERED (-1)

struct task {
	int32_t pid;
	int index;             /* of its name, or NOT_ENTERED */
	char comm[COMM_BYTES]; /* "": this slot is free */
};

/* Open addressing; at most half of the slots are in use. */
struct raw_tasks {
	struct task *slots;
	size_t slot_count; /* a power of two, or 0 */
	size_t used;
};

int raw_tasks_create(struct raw_tasks **tasks)
{
	*tasks = calloc(1, sizeof(**tasks));
	return *tasks ? 0 : -ENOMEM;
}

/* The slot of a process, or the free one where it belongs. */
static struct task *find(const struct raw_tasks *tasks, int32_t pid)
{
	size_t mask = tasks->slot_count - 1;
	size_t at = (uint32_t)pid * UINT32_C(2654435769) & mask;

	while (tasks->slots[at].comm[0] && tasks->slots[at].pid != pid)
		at = (at + 1) & mask;
	return &tasks->slots[at];
}

static int grow(struct raw_tasks *tasks)
{
	struct raw_tasks larger = {
		.slot_count = tasks->slot_count ? 2 * tasks->slot_count : 64,
		.used = tasks->used,
	};

	larger.slots = calloc(larger.slot_count, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < tasks->slot_count; i++) {
		if (tasks->slots[i].comm[0])
			*find(&larger, tasks->slots[i].pid) = tasks->slots[i];
	}
	free(tasks->slots);
	*tasks = larger;
	return 0;
}

int raw_tasks_name(struct raw_tasks *tasks, int32_t pid, const char *comm, size_t bytes)
{
	struct task *task;

	bytes = strnlen(comm, bytes < COMM_BYTES ? bytes : COMM_BYTES - 1);
	if (!bytes)
		return 0;
	if (2 * (tasks->used + 1) > tasks->slot_count && grow(tasks))
		return -ENOMEM;
	task = find(tasks, pid);
	if (!task->comm[0]) {
		if (tasks->used == RAW_TASKS)
			return 0;
		tasks->used++;
	} else if (strlen(task->comm) == bytes && !memcmp(task->comm, comm, bytes)) {
		return 0;
	}
	*task = (struct task){ .pid = pid, .index = NOT_ENTERED };
	memcpy(task->comm, comm, bytes);
	return 0;
}

int raw_tasks_fork(struct raw_tasks *tasks, int32_t pid, int32_t parent)
{
	char comm[COMM_BYTES] = "";

	if (pid != parent && tasks->slot_count)
		memcpy(comm, find(tasks, parent)->comm, COMM_BYTES);
	return raw_tasks_name(tasks, pid, comm, COMM_BYTES);
}

static int enter(struct kernel_names *names, int32_t pid, const char *comm)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	return kernel_task(names, number, strlen(number), comm, strlen(comm));
}

int raw_tasks_index(struct raw_tasks *tasks, struct kernel_names *names, int32_t pid)
{
	struct task *task = tasks->slot_count ? find(tasks, pid) : NULL;

	if (!task || !task->comm[0])
		return enter(names, pid, "<...>");
	if (task->index == NOT_ENTERED) {
		int index = enter(names, pid, task->comm);

		if (index < 0)
			return index;
		task->index = index;
	}
	return task->index;
}

void raw_tasks_destroy(struct raw_tasks *tasks)
{
	if (!tasks)
		return;
	free(tasks->slots);
	free(tasks);
}
