/* SPDX-License-Identifier: BSD-3-Clause */
/* Between socket and driver: the queueing discipline, and who runs it. */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>

int netdev_init(struct host *host)
{
	struct netdev *netdev = &host->netdev;

	netdev->limit = host->config.qdisc_limit;
	netdev->slot = calloc((size_t)netdev->limit + 1, sizeof(struct rte_mbuf *));
	return netdev->slot ? 0 : -ENOMEM;
}

static struct rte_mbuf *take(struct netdev *netdev)
{
	struct rte_mbuf *packet = netdev->slot[netdev->head];

	netdev->head = netdev->head == netdev->limit ? 0 : netdev->head + 1;
	netdev->count--;
	return packet;
}

/* Back to the front: the driver had no room after all. */
static void put_back(struct netdev *netdev, struct rte_mbuf *packet)
{
	netdev->head = netdev->head ? netdev->head - 1 : netdev->limit;
	netdev->slot[netdev->head] = packet;
	netdev->count++;
}

static void put(struct netdev *netdev, struct rte_mbuf *packet)
{
	uint32_t at = netdev->head + netdev->count;

	netdev->slot[at > netdev->limit ? at - netdev->limit - 1 : at] = packet;
	if (++netdev->count > netdev->most)
		netdev->most = netdev->count;
}

static void emit(struct cpu *cpu, enum event_id id, const struct rte_mbuf *packet, uint64_t arg,
	uint64_t now)
{
	struct host *host = cpu->host;
	struct event event = { .time = now,
		.id = (uint16_t)id,
		.device = host->config.driver.device,
		.len = packet->pkt_len,
		.packet = (uintptr_t)packet - host->packet_base,
		.arg = arg };

	host_emit(host, cpu->index, &event);
}

static void drop(struct cpu *cpu, struct rte_mbuf *packet, uint64_t now)
{
	struct host *host = cpu->host;
	const struct packet *private = rte_mbuf_to_priv(packet);

	emit(cpu, EVENT_FREE, packet, EVENT_PUT(FREE, reason, host->config.drop_reason), now);
	private->owner->stats.dropped++;
	host->config.driver.stack.free(host, packet, now);
}

static bool may_run(const struct host *host)
{
	return !host->netdev.running && !host->port->tx.stopped;
}

void netdev_run_begin(struct host *host, struct queue_run *run, uint64_t now)
{
	run->state = RUN_OVER;
	if (!may_run(host) || !host->netdev.count)
		return;
	host->netdev.running = true;
	*run = (struct queue_run){ .state = RUN_NEXT, .began = now };
}

/*
 * dev_queue_xmit: where nothing is queued and the queue runs, the packet goes straight to the
 * driver. Returns the cycles until the run's first step, or until the end if the run is over.
 */
uint64_t netdev_queue_xmit(
	struct cpu *cpu, struct queue_run *run, struct rte_mbuf *packet, uint64_t now)
{
	struct host *host = cpu->host;
	struct netdev *netdev = &host->netdev;

	emit(cpu, EVENT_QUEUE, packet, 0, now);
	if (!netdev->count && may_run(host)) {
		netdev->running = true;
		*run = (struct queue_run){
			.state = RUN_START, .packet = packet, .direct = true, .began = now
		};
		return host_cost(host, HOST_COST_qdisc);
	}
	if (netdev->count >= netdev->limit)
		drop(cpu, packet, now);
	else
		put(netdev, packet);
	netdev_run_begin(host, run, now);
	return host_cost(host, HOST_COST_enqueue);
}

void netdev_schedule(struct cpu *cpu, uint64_t now)
{
	if (cpu->host->netdev.scheduled)
		return;
	cpu->host->netdev.scheduled = true;
	softirq_raise(cpu, NET_TX, now);
}

/*
 * Has this run sent enough? Then the rest is for the NET_TX softirq. 2.6.35 looks after each packet
 * whether a task waits or a tick has passed; later kernels count.
 */
static bool run_used_up(const struct cpu *cpu, const struct queue_run *run, uint64_t now)
{
	const struct host *host = cpu->host;

	if (!run->sent)
		return false;
	if (host->config.kernel->qdisc_yields)
		return cpu->need_resched || now / host->tick != run->began / host->tick;
	return run->sent >= host->config.dev_tx_weight;
}

static uint64_t run_next(struct cpu *cpu, struct queue_run *run, uint64_t now)
{
	struct host *host = cpu->host;

	if (host->port->tx.stopped || !host->netdev.count || run_used_up(cpu, run, now)) {
		run->state = RUN_OVER;
		host->netdev.running = false;
		if (!host->port->tx.stopped && host->netdev.count)
			netdev_schedule(cpu, now);
		return 0;
	}
	run->packet = take(&host->netdev);
	run->state = RUN_START;
	return host_cost(host, HOST_COST_qdisc);
}

/* Returns the cycles until the next step; 0 and RUN_OVER if there is none. */
uint64_t netdev_run_step(struct cpu *cpu, struct queue_run *run, uint64_t now)
{
	struct host *host = cpu->host;

	if (run->state == RUN_START) {
		run->bytes = run->packet->pkt_len;
		run->rc = e1000e_xmit(host->port, cpu->index, run->packet, now);
		run->state = RUN_RETURN;
		return host_cost(host, HOST_COST_xmit);
	}
	if (run->state == RUN_RETURN) {
		if (host->port->config.sink)
			e1000e_xmit_returned(
				host->port, cpu->index, run->packet, run->bytes, run->rc, now);
		if (run->rc == E1000E_TX_BUSY)
			put_back(&host->netdev, run->packet);
		else if (!run->direct) /* that one went without the queueing discipline */
			run->sent++;
		run->direct = false;
	}
	return run_next(cpu, run, now);
}
