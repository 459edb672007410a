/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_tasks.h"

#include <errno.h>
#include <string.h>

#define COMM_BYTES 16 /* linux/sched.h, TASK_COMM_LEN, with the NUL */

static_assert(
	offsetof(struct event, arg) == offsetof(struct event, packet) + 8, "a name goes into both");

static int take(struct perf_reader *perf, const struct event *held)
{
	if (held->id == PERF_HELD_FORK)
		return raw_events_fork(perf->raw, (int32_t)held->len, (int32_t)held->arg);
	return raw_events_task(perf->raw, (int32_t)held->len,
		(const char *)held + offsetof(struct event, packet), COMM_BYTES);
}

/* Puts a record among the events; one that is too late for that is taken at once. */
static int hold(struct perf_reader *perf, struct event *held)
{
	struct event *event;
	int error;

	if (!raw_events_tell_tasks(perf->raw))
		return 0;                            /* nobody asks */
	if (!held->time || held->time == UINT64_MAX) /* perf has made it up, at its begin */
		held->time = perf->latest;
	error = runs_place(perf->runs, held->time, &event);
	if (error)
		return error == -ESTALE ? take(perf, held) : error;
	*event = *held;
	return runs_commit(perf->runs, 0);
}

int perf_tasks_comm(struct perf_reader *perf, const struct perf_record *record, uint64_t time)
{
	const uint8_t *data = record->data + PERF_HEAD_BYTES;
	bool big_endian = perf->attrs.big_endian;
	struct event held = { .time = time, .id = PERF_HELD_COMM };
	size_t bytes;

	if (record->bytes < PERF_HEAD_BYTES + 8 || !perf->raw ||
		bytes_32(data, big_endian) != bytes_32(data + 4, big_endian))
		return 0;
	bytes = record->bytes - PERF_HEAD_BYTES - 8;
	held.len = bytes_32(data, big_endian);
	memcpy((char *)&held + offsetof(struct event, packet), data + 8,
		bytes < COMM_BYTES ? bytes : COMM_BYTES - 1);
	return hold(perf, &held);
}

int perf_tasks_fork(struct perf_reader *perf, const struct perf_record *record)
{
	const uint8_t *data = record->data + PERF_HEAD_BYTES;
	bool big_endian = perf->attrs.big_endian;
	struct event held = { .id = PERF_HELD_FORK };

	if (record->bytes < PERF_HEAD_BYTES + 24 || !perf->raw)
		return 0;
	held.time = bytes_64(data + 16, big_endian);
	held.len = bytes_32(data, big_endian);
	held.arg = bytes_32(data + 4, big_endian);
	return hold(perf, &held);
}

/* A call of a socket, which may be held with its cgroup. */
static int name_caller(struct perf_reader *perf, struct event *event)
{
	uint32_t held = (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg), pid = held;
	const struct perf_cgroup_task *in = NULL;
	uint64_t cgroup = 0;
	int task;

	if (event->queue == PERF_CGROUP_HELD) {
		in = perf_cgroups_held(&perf->cgroups, held);
		pid = in->who;
		cgroup = in->cgroup;
	}
	task = raw_events_task_index(perf->raw, (int32_t)pid);
	if (task >= 0 && in)
		task = perf_cgroups_task(&perf->cgroups, &perf->names, (uint32_t)task, cgroup);
	if (task < 0)
		return task;
	event->queue = EVENT_NO_QUEUE;
	event->arg ^= EVENT_PUT(SOCK_SEND, process, held ^ (uint32_t)task);
	return 0;
}

/* A task that ran: one more than the process's id becomes one more than its name's index. */
static int name_task(struct perf_reader *perf, struct event *event, uint64_t held, uint64_t one)
{
	int task = held ? raw_events_task_index(perf->raw, (int32_t)held - 1) : 0;

	if (task < 0)
		return task;
	if (held)
		event->arg ^= (held ^ ((uint64_t)task + 1)) * one;
	return 0;
}

/* The same of a poll, which has it in its len. */
static int name_poller(struct perf_reader *perf, struct event *event)
{
	int task = event->len ? raw_events_task_index(perf->raw, (int32_t)event->len - 1) : 0;

	if (task < 0)
		return task;
	event->len = event->len ? (uint32_t)task + 1 : 0;
	return 0;
}

int perf_tasks_settle(struct perf_reader *perf, struct event *event)
{
	if (!perf->raw || !raw_events_tell_tasks(perf->raw))
		return 0;
	switch (event->id) {
	case EVENT_SOCK_SEND:
	case EVENT_SOCK_RECV:
		return name_caller(perf, event);
	case EVENT_COPY:
		return name_task(
			perf, event, EVENT_GET(COPY, task, event->arg), EVENT_PUT(COPY, task, 1));
	case EVENT_SOFTIRQ_ENTRY:
		return name_task(perf, event, EVENT_GET(SOFTIRQ_ENTRY, task, event->arg),
			EVENT_PUT(SOFTIRQ_ENTRY, task, 1));
	case EVENT_NAPI_POLL:
		return name_poller(perf, event);
	default:
		return take(perf, event);
	}
}
