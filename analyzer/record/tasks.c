/* SPDX-License-Identifier: BSD-3-Clause */
#include "tasks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "Tgid:\t1234" in /proc/THREAD/status. The thread itself if it can't be read. */
static int32_t process_of(int32_t thread)
{
	char line[256];
	int process = thread;
	FILE *status;

	snprintf(line, sizeof(line), "/proc/%d/status", thread);
	status = fopen(line, "re");
	if (!status)
		return thread;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	}
	fclose(status);
	return process > 0 ? process : thread;
}

/* 0 or -ENOMEM. A process that has ended has no name. */
static int name_process(struct raw_events *raw, int32_t process)
{
	char text[64];
	size_t bytes;
	FILE *comm;

	snprintf(text, sizeof(text), "/proc/%d/comm", process);
	comm = fopen(text, "re");
	if (!comm)
		return 0;
	bytes = fread(text, 1, sizeof(text) - 1, comm);
	fclose(comm);
	if (bytes && text[bytes - 1] == '\n')
		bytes--;
	return raw_events_task(raw, process, text, bytes);
}

int tasks_process(struct tasks *tasks, struct raw_events *raw, int32_t thread, uint64_t time_ns)
{
	struct task_slot *slot = &tasks->slots[(uint32_t)thread % TASKS_SLOTS];

	if (thread <= 0)
		return thread;
	if (slot->thread != thread || time_ns > slot->time + TASKS_VALID_NS) {
		slot->thread = thread;
		slot->process = process_of(thread);
		slot->time = time_ns;
		if (name_process(raw, slot->process))
			return -ENOMEM;
	}
	return slot->process;
}
