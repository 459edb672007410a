/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAPI: the NET_RX softirq polls the devices whose interrupt has come, one after the other, and a
 * device that has more to do than its weight is polled again.
 *
 * In 2.6.35 that is one loop over one list: a device that has used its weight goes to the end, and
 * the loop ends when nothing is left or the softirq has used up packets or time. In 6.1 (since
 * 3.19) each device is polled once in a softirq; those that have used their weight are put aside,
 * and another softirq is raised for them.
 */
#include "world.h"

static void append(struct poll_list *list, struct netdev *netdev)
{
	netdev->next = NULL;
	if (list->first)
		list->last->next = netdev;
	else
		list->first = netdev;
	list->last = netdev;
}

static struct netdev *take_first(struct poll_list *list)
{
	struct netdev *netdev = list->first;

	list->first = netdev->next;
	return netdev;
}

/* All of `from` behind what is in `to`; `from` is empty then. */
static void append_all(struct poll_list *to, struct poll_list *from)
{
	if (!from->first)
		return;
	if (to->first)
		to->last->next = from->first;
	else
		to->first = from->first;
	to->last = from->last;
	from->first = NULL;
}

void poll_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	if (!netdev->polled)
		append(&cpu->polls, netdev);
	netdev->polled = true;
	softirq_raise(cpu, NET_RX, now);
}

void poll_begin(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	*poll = (struct poll){ .began = now };
	poll->list = cpu->polls;
	cpu->polls.first = NULL;
}

/* Takes the next device. Returns false if there is none. */
static bool next_device(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	if (!poll->list.first)
		return false;
	poll->netdev = take_first(&poll->list);
	poll->state = POLL_CLEAN;
	poll->device_began = now;
	return true;
}

/* The poll is over: the device gives its place up, and may interrupt again. */
static void end_device(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct poll *poll = &cpu->softirq.poll;
	struct netdev *netdev = poll->netdev;
	struct event event = { .time = now,
		.id = EVENT_NAPI_POLL,
		.device = netdev->port->config.device,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(NAPI_POLL, budget, host->config.dev_weight) };

	host_emit(host, cpu->index, &event); /* transmit clean-up is no work in NAPI's count */
	netdev->polled = false;
	e1000e_poll_done(netdev->port, now);
	netdev_throttled(netdev, now);
	poll->state = POLL_NEXT;
	cpu->due[HOST_SOFTIRQ] = now + host_cost(host, HOST_COST_poll);
}

/* One thing of a poll. Returns false if NET_RX is over. */
bool poll_step(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct poll *poll = &cpu->softirq.poll;

	if (poll->state == POLL_NEXT && !next_device(cpu, now))
		return false;
	if (e1000e_clean_packet(poll->netdev->port, cpu->index, now)) {
		cpu->due[HOST_SOFTIRQ] = now + host_cost(host, HOST_COST_clean);
		return true;
	}
	netdev_cleaned(cpu, poll->netdev, now);
	if (e1000e_clean_done(poll->netdev->port, cpu->index, now))
		netdev_schedule(cpu, poll->netdev, now);
	end_device(cpu, now);
	return true;
}
