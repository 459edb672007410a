/* SPDX-License-Identifier: BSD-3-Clause */
/* Between socket and driver: the queueing discipline, who runs it, and BQL, which may stop it. */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>

int netdev_init(struct netdev *netdev)
{
	const struct host_config *config = &netdev->host->config;

	netdev->limit = config->qdisc_limit;
	netdev->bql = netdev->index ? &config->more[netdev->index - 1].bql : &config->bql;
	dql_init(&netdev->dql, netdev->bql->limit_min, netdev->bql->limit_max, config->tick_hz,
		0); /* ticks: a second */
	netdev->slot = calloc((size_t)netdev->limit + 1, sizeof(struct rte_mbuf *));
	return netdev->slot ? 0 : -ENOMEM;
}

static struct packet *private_of(struct rte_mbuf *packet)
{
	return rte_mbuf_to_priv(packet);
}

static struct rte_mbuf *take(struct netdev *netdev)
{
	struct rte_mbuf *packet = netdev->slot[netdev->head];

	netdev->head = netdev->head == netdev->limit ? 0 : netdev->head + 1;
	netdev->count--;
	if (netdev->requeued)
		netdev->requeued--;
	return packet;
}

/* Back to the front: the driver had no room after all. */
static void put_back(struct netdev *netdev, struct rte_mbuf *packet)
{
	netdev->head = netdev->head ? netdev->head - 1 : netdev->limit;
	netdev->slot[netdev->head] = packet;
	netdev->count++;
	netdev->requeued++;
}

static void put(struct netdev *netdev, struct rte_mbuf *packet)
{
	uint32_t at = netdev->head + netdev->count;

	netdev->slot[at > netdev->limit ? at - netdev->limit - 1 : at] = packet;
	if (++netdev->count > netdev->most)
		netdev->most = netdev->count;
}

static void emit(struct cpu *cpu, const struct netdev *netdev, enum event_id id,
	const struct rte_mbuf *packet, uint64_t arg, uint64_t now)
{
	struct host *host = cpu->host;
	struct event event = { .time = now,
		.id = (uint16_t)id,
		.device = netdev->port->config.device,
		.len = packet->pkt_len,
		.packet = (uintptr_t)packet - host->packet_base,
		.arg = arg };

	host_emit(host, cpu->index, &event);
}

static void drop(
	struct cpu *cpu, const struct netdev *netdev, struct rte_mbuf *packet, uint64_t now)
{
	struct host *host = cpu->host;
	const struct packet *private = private_of(packet);

	emit(cpu, netdev, EVENT_FREE, packet, EVENT_PUT(FREE, reason, host->config.drop_reason),
		now);
	if (private->owner)
	private->owner->stats.dropped++;
	netdev->port->config.stack.free(host, packet, now);
}

/* By the driver, for lack of descriptors, or by BQL. */
static bool stopped(const struct netdev *netdev)
{
	return netdev->port->tx.stopped || netdev->held;
}

static bool may_run(const struct netdev *netdev)
{
	return !netdev->running && !stopped(netdev);
}

void netdev_run_begin(struct netdev *netdev, struct queue_run *run, uint64_t now)
{
	run->state = RUN_OVER;
	if (!may_run(netdev) || !netdev->count)
		return;
	netdev->running = true;
	*run = (struct queue_run){ .netdev = netdev, .state = RUN_NEXT, .began = now };
}

/*
 * These, which were written as one packet, or what is behind its first segment. Returns how many
 * found room: only the last ones can be dropped.
 */
static uint32_t queue(struct cpu *cpu, struct netdev *netdev, struct rte_mbuf *packet, uint64_t now)
{
	struct rte_mbuf *next;
	uint32_t queued = 0;

	for (; packet; packet = next) {
		next = private_of(packet)->next;
		if (netdev->count >= netdev->limit) {
			drop(cpu, netdev, packet, now);
			continue;
		}
		put(netdev, packet);
		queued++;
	}
	return queued;
}

/*
 * dev_queue_xmit: where nothing is queued and the queue runs, the packet goes straight to the
 * driver. What was written as one packet is cut into segments first, which leave in one bulk.
 * Returns the cycles until the run's first step, or until the end if the run is over.
 */
uint64_t netdev_queue_xmit(struct cpu *cpu, struct netdev *netdev, struct queue_run *run,
	struct rte_mbuf *packet, uint64_t now)
{
	struct host *host = cpu->host;
	uint32_t follow = private_of(packet)->follow;
	uint64_t cut = follow ? (follow + 1) * host_cost(host, HOST_COST_segment) : 0;
	uint32_t queued;

	emit(cpu, netdev, EVENT_QUEUE, packet, 0, now);
	if (!netdev->count && may_run(netdev)) {
		follow = queue(cpu, netdev, private_of(packet)->next, now);
		netdev->running = true;
		*run = (struct queue_run){ .netdev = netdev,
			.state = RUN_START,
			.packet = packet,
			.direct = true,
			.bulk = follow,
			.began = now };
		return cut + host_cost(host, HOST_COST_qdisc);
	}
	queued = queue(cpu, netdev, packet, now);
	if (queued) /* a bulk ends with the last that is there */
		private_of(packet)->follow = queued - 1;
	netdev_run_begin(netdev, run, now);
	return cut + host_cost(host, HOST_COST_enqueue);
}

void netdev_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	if (netdev->scheduled)
		return;
	netdev->scheduled = true;
	cpu->outputs |= 1u << netdev->index;
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

/*
 * How many packets leave the queueing discipline together with the first (try_bulk_dequeue_skb):
 * until they are what BQL still allows, the last one may exceed it, and no more than the run's
 * quota; and all segments of what was written as one. What was requeued goes out one at a time.
 * (The bound by the quota is of 2025, and in Debian's 6.1.192, whose traces show bulks of 64.)
 */
static uint32_t bulk_after_first(const struct host *host, const struct queue_run *run)
{
	const struct netdev *netdev = run->netdev;
	uint32_t quota = host->config.dev_tx_weight - run->sent, bulk = 0, at = netdev->head;
	int64_t room = dql_available(&netdev->dql) - netdev->slot[at]->pkt_len;
	uint32_t train = private_of(netdev->slot[at])->follow;

	if (netdev->requeued)
		return 0;
	if (!netdev->bql->on || !host->config.kernel->bulk_dequeue)
		return train;
	while (room > 0 && bulk < quota && bulk + 1 < netdev->count) {
		at = at == netdev->limit ? 0 : at + 1;
		room -= netdev->slot[at]->pkt_len;
		bulk++;
	}
	return bulk > train ? bulk : train;
}

static uint64_t run_next(struct cpu *cpu, struct queue_run *run, uint64_t now)
{
	struct netdev *netdev = run->netdev;
	/* BQL doesn't stop a bulk that has begun (dev_hard_start_xmit) */
	bool stops = run->bulk ? netdev->port->tx.stopped : stopped(netdev);

	if (stops || !netdev->count || (!run->bulk && run_used_up(cpu, run, now))) {
		netdev->requeued += run->bulk; /* one put back is among them already */
		run->state = RUN_OVER;
		netdev->running = false;
		if (!stopped(netdev) && netdev->count)
			netdev_schedule(cpu, netdev, now);
		return 0;
	}
	run->bulk = run->bulk ? run->bulk - 1 : bulk_after_first(cpu->host, run);
	run->packet = take(netdev);
	run->state = RUN_START;
	return host_cost(cpu->host, HOST_COST_qdisc);
}

/*
 * The driver has taken a packet, or refused it. BQL counts it, and may stop the queue
 * (netdev_tx_sent_queue). A bulk's tail is written with its last packet, or when the queue stops,
 * or where one of it is refused; the driver knows of its own stop only.
 */
static void sent(const struct queue_run *run, uint64_t now)
{
	struct netdev *netdev = run->netdev;

	if (run->rc == E1000E_TX_BUSY) {
		e1000e_write_tail(netdev->port, now);
		return;
	}
	if (!netdev->bql->on)
		return;
	dql_queued(&netdev->dql, run->bytes);
	if (dql_available(&netdev->dql) >= 0)
		return;
	if (!netdev->held) {
		netdev->holds++;
		netdev->held_at = now;
	}
	netdev->held = true;
	if (run->bulk && !netdev->port->tx.stopped)
		e1000e_write_tail(netdev->port, now);
}

/* Returns the cycles until the next step; 0 and RUN_OVER if there is none. */
uint64_t netdev_run_step(struct cpu *cpu, struct queue_run *run, uint64_t now)
{
	struct host *host = cpu->host;
	struct e1000e_port *port = run->netdev->port;

	if (run->state == RUN_START) {
		run->bytes = run->packet->pkt_len;
		/* drivers hear of it since bulks are dequeued (3.18) */
		port->more_follows = run->bulk && host->config.kernel->bulk_dequeue;
		run->rc = e1000e_xmit(port, cpu->index, run->packet, now);
		sent(run, now);
		run->state = RUN_RETURN;
		return host_cost(host, HOST_COST_xmit);
	}
	if (run->state == RUN_RETURN) {
		if (port->config.sink)
			e1000e_xmit_returned(
				port, cpu->index, run->packet, run->bytes, run->rc, now);
		if (run->rc == E1000E_TX_BUSY)
			put_back(run->netdev, run->packet);
		else if (!run->direct) /* that one went without the queueing discipline */
			run->sent++;
		run->direct = false;
	}
	return run_next(cpu, run, now);
}

/* A clean-up has ended: BQL hears of all its bytes at once (netdev_tx_completed_queue). */
void netdev_cleaned(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	struct host *host = cpu->host;
	uint64_t bytes = netdev->port->stats.bytes - netdev->completed;

	if (!netdev->bql->on || !bytes)
		return;
	netdev->completed += bytes;
	dql_completed(&netdev->dql, bytes, now / host->tick);
	host_changed(&netdev->limits, netdev->dql.limit, now);
	if (!netdev->held || dql_available(&netdev->dql) < 0)
		return;
	netdev->held = false;
	netdev->held_for += now - netdev->held_at;
	if (!netdev->port->tx.stopped)
		netdev_schedule(cpu, netdev, now);
}

/* The driver may have set the throttle anew. */
void netdev_throttled(struct netdev *netdev, uint64_t now)
{
	uint32_t rate = netdev->port->config.interrupt_throttle_rate;

	if (e1000e_throttle_kind(rate) == E1000E_THROTTLE_MODE)
		host_changed(&netdev->rates, netdev->port->throttle.rate, now);
}
