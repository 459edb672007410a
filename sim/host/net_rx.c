/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NET_RX softirq polls the devices whose interrupt has come, one after the other, and a device
 * that has more to do than its weight is polled again.
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

/* The list that devices are polled from. */
static struct poll_list *poll_from(struct cpu *cpu)
{
	return cpu->host->config.kernel->repolls ? &cpu->softirq.net_rx.list : &cpu->polls;
}

/* A device that wants to be polled. */
void net_rx_add(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	append(&cpu->polls, netdev);
	softirq_raise(cpu, NET_RX, now);
}

void net_rx_begin(struct cpu *cpu, uint64_t now)
{
	struct net_rx *rx = &cpu->softirq.net_rx;

	*rx = (struct net_rx){ .began = now, .budget = cpu->host->config.netdev_budget };
}

/* Has the softirq used up its packets or its time? 2.6.35 asks whether the limit lies behind it. */
static bool used_up(const struct cpu *cpu, uint64_t now)
{
	const struct host *host = cpu->host;
	const struct net_rx *rx = &cpu->softirq.net_rx;
	uint64_t used = now - rx->began, limit = host->config.netdev_budget_cycles;

	return rx->budget <= 0 || used > limit || (host->config.kernel->repolls && used == limit);
}

static void count_squeeze(struct cpu *cpu)
{
	struct host_squeezes *squeezes = &cpu->host->squeezes;

	squeezes->by_packets += cpu->softirq.net_rx.budget <= 0;
	squeezes->by_time += cpu->softirq.net_rx.budget > 0;
}

/* 6.1: what is left is for the next softirq: first those that had no turn, last those to repoll. */
static void leave_rest(struct cpu *cpu, uint64_t now)
{
	struct net_rx *rx = &cpu->softirq.net_rx;
	bool raise = rx->squeezed || rx->repoll.first;

	cpu->host->squeezes.repolls += !rx->squeezed && rx->repoll.first;
	append_all(&rx->list, &cpu->polls);
	append_all(&rx->list, &rx->repoll);
	append_all(&cpu->polls, &rx->list);
	if (raise && cpu->polls.first)
		softirq_raise(cpu, NET_RX, now);
}

/* Is there a device that may be polled now? */
static bool may_go_on(struct cpu *cpu, uint64_t now)
{
	if (cpu->host->config.kernel->repolls) {
		if (poll_from(cpu)->first && !cpu->softirq.net_rx.squeezed)
			return true;
		leave_rest(cpu, now);
		return false;
	}
	if (!poll_from(cpu)->first)
		return false;
	if (!used_up(cpu, now))
		return true;
	count_squeeze(cpu);
	softirq_raise(cpu, NET_RX, now);
	return false;
}

/* Begins the poll of the next device. Returns false if there is none. */
static bool next_device(struct cpu *cpu, uint64_t now)
{
	struct net_rx *rx = &cpu->softirq.net_rx;

	if (!may_go_on(cpu, now))
		return false;
	poll_begin(&rx->poll, take_first(poll_from(cpu)), HOST_SOFTIRQ, now);
	return true;
}

/* A poll is over. Who has used its weight wants another. */
static void end_device(struct cpu *cpu, uint64_t now)
{
	const struct host_kernel *kernel = cpu->host->config.kernel;
	struct net_rx *rx = &cpu->softirq.net_rx;
	struct netdev *netdev = rx->poll.netdev;

	rx->poll.netdev = NULL;
	rx->budget -= rx->poll.work;
	if (rx->poll.full)
		append(kernel->repolls ? &rx->repoll : &cpu->polls, netdev);
	if (kernel->repolls && used_up(cpu, now)) {
		rx->squeezed = true;
		count_squeeze(cpu);
	}
}

/* One thing of a poll. Returns false if NET_RX is over. */
bool net_rx_step(struct cpu *cpu, uint64_t now)
{
	struct net_rx *rx = &cpu->softirq.net_rx;
	struct poll *poll = &rx->poll;

	if (!rx->begun && cpu->host->config.kernel->repolls)
		append_all(&rx->list, &cpu->polls);
	rx->begun = true;
	if (!poll->netdev && !next_device(cpu, now))
		return false;
	if (!poll_step(cpu, poll, now))
		end_device(cpu, now);
	return true;
}
