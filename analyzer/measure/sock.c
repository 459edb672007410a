/* SPDX-License-Identifier: BSD-3-Clause */
#include "sock.h"

#include "addresses.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* linux/socket.h and linux/in.h: the trace may come from another system. */
#define FAMILY_INET  2
#define FAMILY_INET6 10
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define FLAG_PEEK    2

struct sock {
	const struct names *names;
	struct names *cgroups;   /* gives them numbers */
	struct addresses by_pid; /* and cgroup: to the process's number plus 1 */
	struct sock_process *processes;
	size_t room;
	struct sock_report report;
};

int sock_create(struct sock **created, const struct names *names)
{
	struct sock *sock = calloc(1, sizeof(*sock));

	*created = sock;
	if (!sock)
		return -ENOMEM;
	sock->names = names;
	sock->cgroups = names_create();
	if (sock->cgroups)
		return 0;
	free(sock);
	*created = NULL;
	return -ENOMEM;
}

/* What a task's name says. */
struct task {
	int64_t pid; /* -1: not told */
	const char *comm;
	size_t comm_bytes;
	const char *cgroup; /* NULL: not told */
};

static struct task split(const char *name)
{
	struct task task = { .pid = -1, .comm = "" };
	const char *mark;
	long long pid;
	char *end;

	if (!name)
		return task;
	pid = strtoll(name, &end, 10);
	if (end != name && pid >= 0 && pid <= INT32_MAX)
		task.pid = pid;
	mark = strchr(end, NAME_CGROUP_MARK);
	task.comm = *end == ' ' ? end + 1 : end;
	task.comm_bytes = mark ? (size_t)(mark - task.comm) : strlen(task.comm);
	task.cgroup = mark ? mark + 1 : NULL;
	return task;
}

static int add_process(struct sock *sock)
{
	size_t room = sock->room ? 2 * sock->room : 16;
	struct sock_process *processes;

	if (sock->report.process_count < sock->room)
		return 0;
	processes = realloc(sock->processes, room * sizeof(*processes));
	if (!processes)
		return -ENOMEM;
	sock->processes = processes;
	sock->room = room;
	return 0;
}

/* The process has that name now. 0 or -ENOMEM. */
static int take_comm(struct sock_process *process, const struct task *task)
{
	const char *comm = process->comm;

	if (comm && strlen(comm) == task->comm_bytes && !memcmp(comm, task->comm, task->comm_bytes))
		return 0;
	free(process->comm);
	process->comm = strndup(task->comm, task->comm_bytes);
	return process->comm ? 0 : -ENOMEM;
}

/* What tells a process in a cgroup from others: its id or -1, and 25 bits of the cgroup. */
static int key_of(struct sock *sock, const struct task *task, uint64_t *key)
{
	int cgroup = task->cgroup ? names_intern(sock->cgroups, NAME_TASK, task->cgroup,
					    strlen(task->cgroup)) +
					    1
				  : 0;

	if (cgroup < 0)
		return -ENOMEM;
	*key = (uint64_t)(task->pid + 1) << 25 | (uint64_t)cgroup;
	return 0;
}

/* The process of an event: by its id, whatever it is called at the time. NULL: no memory. */
static struct sock_process *process_of(struct sock *sock, const struct event *event)
{
	struct task task = split(names_get(
		sock->names, NAME_TASK, (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg)));
	struct address_slot *slot;
	struct sock_process *process;
	uint64_t key;

	if (addresses_reserve(&sock->by_pid) || add_process(sock) || key_of(sock, &task, &key))
		return NULL;
	slot = addresses_slot(&sock->by_pid, key);
	if (!slot->value) {
		addresses_enter(&sock->by_pid, slot, key, (uintptr_t)++sock->report.process_count);
		process = &sock->processes[slot->value - 1];
		*process = (struct sock_process){ .pid = task.pid, .cgroup = task.cgroup };
	}
	process = &sock->processes[slot->value - 1];
	return take_comm(process, &task) ? NULL : process;
}

static int add_error(struct sock_traffic *traffic, uint32_t number)
{
	unsigned i = 0;

	traffic->errors++;
	while (i < traffic->kind_count && traffic->kinds[i].number != number)
		i++;
	if (i == SOCK_ERRNOS) {
		traffic->other_errors++;
		return 0;
	}
	if (!traffic->kinds)
		traffic->kinds = calloc(SOCK_ERRNOS, sizeof(*traffic->kinds));
	if (!traffic->kinds)
		return -ENOMEM;
	if (i == traffic->kind_count)
		traffic->kinds[traffic->kind_count++].number = number;
	traffic->kinds[i].calls++;
	return 0;
}

static int add_call(struct sock_traffic *traffic, const struct event *event)
{
	int32_t result = (int32_t)event->len;

	if (result < 0)
		return add_error(traffic, (uint32_t) - (int64_t)result);
	if (event->id == EVENT_SOCK_SEND) {
		traffic->sends++;
		traffic->sent_bytes += (uint32_t)result;
	} else if (EVENT_GET(SOCK_RECV, flags, event->arg) & FLAG_PEEK) {
		traffic->peeks++;
	} else {
		traffic->receives++;
		traffic->received_bytes += (uint32_t)result;
	}
	return 0;
}

int sock_event(struct sock *sock, const struct event *event)
{
	uint64_t family = EVENT_GET(SOCK_SEND, family, event->arg);
	uint64_t protocol = EVENT_GET(SOCK_SEND, protocol, event->arg);
	struct sock_process *process;

	if (event->id != EVENT_SOCK_SEND && event->id != EVENT_SOCK_RECV)
		return 0;
	if ((family != FAMILY_INET && family != FAMILY_INET6) ||
		(protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP)) {
		sock->report.ignored++;
		return 0;
	}
	sock->report.used++;
	process = process_of(sock, event);
	if (!process)
		return -ENOMEM;
	return add_call(&process->traffic[protocol == PROTOCOL_TCP ? SOCK_TCP : SOCK_UDP], event);
}

static uint64_t bytes_of(const struct sock_process *process)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < SOCK_PROTOCOLS; i++)
		bytes += process->traffic[i].sent_bytes + process->traffic[i].received_bytes;
	return bytes;
}

static int by_bytes(const void *left, const void *right)
{
	const struct sock_process *a = left, *b = right;
	uint64_t a_bytes = bytes_of(a), b_bytes = bytes_of(b);
	int comm = strcmp(a->comm, b->comm);

	if (a_bytes != b_bytes)
		return a_bytes < b_bytes ? 1 : -1;
	if (comm)
		return comm;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "");
}

static int by_calls(const void *left, const void *right)
{
	const struct sock_error *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

static void add_up(struct sock_traffic *total, struct sock_traffic *traffic)
{
	total->sends += traffic->sends;
	total->sent_bytes += traffic->sent_bytes;
	total->receives += traffic->receives;
	total->received_bytes += traffic->received_bytes;
	total->peeks += traffic->peeks;
	total->errors += traffic->errors;
	if (traffic->kinds)
		qsort(traffic->kinds, traffic->kind_count, sizeof(*traffic->kinds), by_calls);
}

void sock_finish(struct sock *sock, const struct sock_report **report)
{
	size_t count = sock->report.process_count;

	*report = &sock->report;
	sock->report.processes = sock->processes;
	for (size_t i = 0; i < count; i++) {
		for (unsigned p = 0; p < SOCK_PROTOCOLS; p++)
			add_up(&sock->report.total[p], &sock->processes[i].traffic[p]);
	}
	if (count)
		qsort(sock->processes, count, sizeof(*sock->processes), by_bytes);
}

void sock_destroy(struct sock *sock)
{
	if (!sock)
		return;
	for (size_t i = 0; i < sock->report.process_count; i++) {
		free(sock->processes[i].comm);
		for (unsigned p = 0; p < SOCK_PROTOCOLS; p++)
			free(sock->processes[i].traffic[p].kinds);
	}
	free(sock->processes);
	names_destroy(sock->cgroups);
	addresses_clear(&sock->by_pid);
	free(sock);
}
