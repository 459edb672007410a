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

#include <rte_ether.h>

#define GRO_BYTES_MOST 65536 /* GRO_MAX_SIZE */

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
	return cpu->host->config.kernel->repolls ? &cpu->softirq.poll.list : &cpu->polls;
}

void poll_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	if (!netdev->polled) {
		netdev->waits_from = now;
		append(&cpu->polls, netdev);
	}
	netdev->polled = true;
	softirq_raise(cpu, NET_RX, now);
}

void poll_begin(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	*poll = (struct poll){ .began = now, .budget = cpu->host->config.netdev_budget };
}

/* Has the softirq used up its packets or its time? 2.6.35 asks whether the limit lies behind it. */
static bool used_up(const struct cpu *cpu, uint64_t now)
{
	const struct host *host = cpu->host;
	const struct poll *poll = &cpu->softirq.poll;
	uint64_t used = now - poll->began, limit = host->config.netdev_budget_cycles;

	return poll->budget <= 0 || used > limit || (host->config.kernel->repolls && used == limit);
}

static void count_squeeze(struct cpu *cpu)
{
	struct host_squeezes *squeezes = &cpu->host->squeezes;

	squeezes->by_packets += cpu->softirq.poll.budget <= 0;
	squeezes->by_time += cpu->softirq.poll.budget > 0;
}

/* 6.1: what is left is for the next softirq: first those that had no turn, last those to repoll. */
static void leave_rest(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;
	bool raise = poll->squeezed || poll->repoll.first;

	cpu->host->squeezes.repolls += !poll->squeezed && poll->repoll.first;
	append_all(&poll->list, &cpu->polls);
	append_all(&poll->list, &poll->repoll);
	append_all(&cpu->polls, &poll->list);
	if (raise && cpu->polls.first)
		softirq_raise(cpu, NET_RX, now);
}

/* Is there a device that may be polled now? */
static bool may_go_on(struct cpu *cpu, uint64_t now)
{
	if (cpu->host->config.kernel->repolls) {
		if (poll_from(cpu)->first && !cpu->softirq.poll.squeezed)
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

static uint32_t weight_of(const struct host *host, const struct netdev *netdev)
{
	uint64_t packets;

	if (host->config.weight_policy != HOST_WEIGHT_COST || !netdev->average)
		return host->config.dev_weight;
	packets = 8 * host->config.weight_cycles / netdev->average;
	return packets < 1 ? 1 : packets > UINT16_MAX ? UINT16_MAX : (uint32_t)packets;
}

/* Takes the next device. Returns false if there is none. */
static bool next_device(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;
	struct netdev *netdev;

	if (!may_go_on(cpu, now))
		return false;
	netdev = take_first(poll_from(cpu));
	if (now - netdev->waits_from > netdev->stats.waited_most)
		netdev->stats.waited_most = now - netdev->waits_from;
	poll->netdev = netdev;
	poll->state = POLL_CLEAN;
	poll->device_began = now;
	poll->work = 0;
	poll->weight = weight_of(cpu->host, netdev);
	return true;
}

/* Has the device had its share, by the policy? */
static bool weight_used(const struct cpu *cpu, uint64_t now)
{
	const struct host_config *config = &cpu->host->config;
	const struct poll *poll = &cpu->softirq.poll;

	if (config->weight_policy == HOST_WEIGHT_TIME)
		return poll->work && now - poll->device_began >= config->weight_cycles;
	return poll->work >= poll->weight;
}

static void count_poll(struct netdev *netdev, const struct poll *poll, bool full, uint64_t now)
{
	struct host_napi_stats *stats = &netdev->stats;
	uint64_t took = now - poll->device_began;

	stats->polls++;
	stats->full += full;
	stats->working += poll->work > 0;
	stats->work += poll->work;
	stats->time += took;
	stats->longest = took > stats->longest ? took : stats->longest;
	if (poll->work && netdev->average)
		netdev->average += took / poll->work - netdev->average / 8;
	else if (poll->work)
		netdev->average = 8 * took / poll->work;
}

/*
 * The poll is over. Who has used its weight wants another; all others give their place up and may
 * interrupt again. A budget of time is shown as one of 0 packets.
 */
static void end_device(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct poll *poll = &cpu->softirq.poll;
	struct netdev *netdev = poll->netdev;
	bool full = weight_used(cpu, now);
	uint32_t budget = host->config.weight_policy == HOST_WEIGHT_TIME ? 0 : poll->weight;
	struct event event = { .time = now,
		.id = EVENT_NAPI_POLL,
		.device = netdev->port->config.device,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(NAPI_POLL, work, poll->work) |
		       EVENT_PUT(NAPI_POLL, budget, budget) };

	host_emit(host, cpu->index, &event); /* transmit clean-up is no work in NAPI's count */
	count_poll(netdev, poll, full, now);
	poll->state = POLL_NEXT;
	poll->budget -= poll->work;
	cpu->due[HOST_SOFTIRQ] = now;
	if (full) {
		netdev->waits_from = now;
		append(host->config.kernel->repolls ? &poll->repoll : &cpu->polls, netdev);
	} else {
		netdev->polled = false;
		e1000e_poll_done(netdev->port, now);
		netdev_throttled(netdev, now);
		cpu->due[HOST_SOFTIRQ] += host_cost(host, HOST_COST_poll);
	}
	if (host->config.kernel->repolls && used_up(cpu, now)) {
		poll->squeezed = true;
		count_squeeze(cpu);
	}
}

/* As the stack sees it: without the link's header. */
static void emit_receive(const struct cpu *cpu, enum event_id id, uint32_t bytes, uint64_t now)
{
	const struct poll *poll = &cpu->softirq.poll;
	struct event event = { .time = now,
		.id = (uint16_t)id,
		.device = poll->netdev->port->config.device,
		.queue = EVENT_NO_QUEUE,
		.len = bytes - RTE_ETHER_HDR_LEN,
		.packet = poll->address };

	host_emit(cpu->host, cpu->index, &event);
}

static void count_wait(struct netdev *netdev, const struct arrival *arrival, uint64_t now)
{
	struct host_receiver_stats *stats = &arrival->receiver->stats;
	uint64_t waited = now - arrival->at;

	netdev->taken++;
	if (netdev != arrival->receiver->netdev) /* an ACK of a stream's */
		return;
	stats->waited += waited;
	stats->waited_most = waited > stats->waited_most ? waited : stats->waited_most;
}

/* Hands `segments` to the stack, as one packet. */
static void deliver(struct cpu *cpu, uint32_t segments, uint32_t bytes, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	emit_receive(cpu, EVENT_RECEIVE, bytes, now);
	poll->segments = segments;
	poll->state = POLL_STACK;
	cpu->due[HOST_SOFTIRQ] = now + receiver_cost(cpu);
}

static void set_packet(struct cpu *cpu, struct rte_mbuf *packet)
{
	struct poll *poll = &cpu->softirq.poll;

	poll->packet = packet;
	poll->address = (uintptr_t)packet - cpu->host->packet_base;
}

/* Takes a packet from the ring. Returns false if there is none, or the weight is used. */
static bool receive_packet(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;
	struct netdev *netdev = poll->netdev;
	struct arrival *arrival;
	struct rte_mbuf *packet;

	if (!netdev->arrivals || weight_used(cpu, now) ||
		!e1000e_receive(netdev->port, cpu->index, &packet, 1, now))
		return false;
	set_packet(cpu, packet);
	arrival = &netdev->arrivals[netdev->taken % netdev->arrivals_count];
	poll->receiver = arrival->receiver;
	poll->bytes = arrival->bytes;
	poll->segment = arrival->segment;
	poll->in_pair = true;
	poll->work++;
	count_wait(netdev, arrival, now);
	emit_receive(cpu, EVENT_RECEIVE_BEGIN, poll->bytes, now);
	if (poll->receiver->config->gro) {
		poll->state = POLL_MERGE;
		cpu->due[HOST_SOFTIRQ] = now + host_cost(cpu->host, HOST_COST_merge);
	} else {
		deliver(cpu, 1, poll->bytes, now);
	}
	return true;
}

/* The stack is done with the packet. */
static void end_packet(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	if (poll->in_pair)
		emit_receive(cpu, EVENT_RECEIVE_END, poll->bytes, now);
	poll->in_pair = false;
	rte_pktmbuf_free(poll->packet);
	poll->packet = NULL;
	poll->state = POLL_RECEIVE;
}

static void deliver_held(struct cpu *cpu, struct receiver *receiver, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;

	poll->receiver = receiver;
	set_packet(cpu, receiver->held);
	deliver(cpu, receiver->held_segments, receiver->held_bytes, now);
	receiver->held = NULL;
	receiver->held_segments = 0;
}

/*
 * GRO: the packet joins those of its stream that are held; of their memory the first one's is
 * enough here. What can't take another segment goes up at once.
 */
static void merge(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;
	struct receiver *receiver = poll->receiver;
	uint32_t payload = receiver->config->segment_bytes;

	if (receiver->held) {
		receiver->held_bytes += payload;
		rte_pktmbuf_free(poll->packet);
	} else {
		receiver->held_bytes = receiver->bytes;
		receiver->held = poll->packet;
	}
	poll->packet = NULL;
	receiver->held_segments++;
	if (receiver->held_bytes + payload > GRO_BYTES_MOST)
		deliver_held(cpu, receiver, now);
	else
		end_packet(cpu, now);
}

/* At the end of a poll GRO hands up what it holds. Returns false if it holds nothing. */
static bool flush_held(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;

	for (unsigned i = 0; i < host->config.receiver_count; i++) {
		struct receiver *receiver = &host->receivers[i];

		if (receiver->netdev == cpu->softirq.poll.netdev && receiver->held) {
			deliver_held(cpu, receiver, now);
			return true;
		}
	}
	return false;
}

/* The stack has looked at the packet: an ACK goes out from inside, or that was all. */
static bool stack_step(struct cpu *cpu, uint64_t now)
{
	struct poll *poll = &cpu->softirq.poll;
	uint64_t took = 0;
	bool goes_on;

	if (poll->state == POLL_STACK) {
		goes_on = receiver_take(cpu, now);
		if (goes_on)
			took = reply_begin(&poll->reply, poll->receiver);
		poll->state = POLL_REPLY;
	} else {
		goes_on = reply_step(cpu, &poll->reply, now, &took);
	}
	cpu->due[HOST_SOFTIRQ] = now + took;
	return goes_on;
}

/* One thing of a poll. Returns false if NET_RX is over. */
bool poll_step(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct poll *poll = &cpu->softirq.poll;

	if (!poll->begun && host->config.kernel->repolls)
		append_all(&poll->list, &cpu->polls);
	poll->begun = true;
	if (poll->state == POLL_NEXT && !next_device(cpu, now))
		return false;
	if (poll->state == POLL_CLEAN) {
		if (e1000e_clean_packet(poll->netdev->port, cpu->index, now)) {
			cpu->due[HOST_SOFTIRQ] = now + host_cost(host, HOST_COST_clean);
			return true;
		}
		netdev_cleaned(cpu, poll->netdev, now);
		if (e1000e_clean_done(poll->netdev->port, cpu->index, now))
			netdev_schedule(cpu, poll->netdev, now);
		poll->state = POLL_RECEIVE;
	}
	if (poll->state == POLL_MERGE)
		merge(cpu, now);
	else if (poll->state != POLL_RECEIVE && !stack_step(cpu, now))
		end_packet(cpu, now);
	if (poll->state == POLL_RECEIVE && !receive_packet(cpu, now) && !flush_held(cpu, now))
		end_device(cpu, now);
	return true;
}
