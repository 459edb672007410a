/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAPI: the poll of one device. The NET_RX softirq calls it (net_rx.c), the device's thread
 * (napi_thread.c), or a process (busy_poll.c); what differs is where its time goes, and what
 * follows.
 */
#include "world.h"

#include <rte_ether.h>

#define GRO_BYTES_MOST 65536 /* GRO_MAX_SIZE */

/* ____napi_schedule: somebody has to poll the device, its thread or else a softirq of this CPU. */
void poll_hand_over(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	netdev->waits_from = now;
	if (netdev->thread.task.step)
		napi_thread_wake(&netdev->thread, now);
	else
		net_rx_add(cpu, netdev, now);
}

/* The device has something to do. Where it is polled already, that is noted (NAPI_STATE_MISSED). */
void poll_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	netdev->missed = netdev->polled;
	if (netdev->polled)
		return;
	netdev->polled = true;
	poll_hand_over(cpu, netdev, now);
}

static uint32_t weight_of(const struct netdev *netdev)
{
	const struct host_config *config = &netdev->host->config;
	uint64_t packets;

	if (config->weight_policy != HOST_WEIGHT_COST || !netdev->average)
		return config->dev_weight;
	packets = 8 * config->weight_cycles / netdev->average;
	return packets < 1 ? 1 : packets > UINT16_MAX ? UINT16_MAX : (uint32_t)packets;
}

/* Has the device had its share, by the policy? */
static bool weight_used(const struct poll *poll, uint64_t now)
{
	if (poll->weight_cycles)
		return poll->work && now - poll->began >= poll->weight_cycles;
	return poll->work >= poll->weight;
}

void poll_begin(struct poll *poll, struct netdev *netdev, enum host_level level, uint64_t now)
{
	const struct host_config *config = &netdev->host->config;
	uint64_t waited = now - netdev->waits_from;
	bool by_time = config->weight_policy == HOST_WEIGHT_TIME;

	if (waited > netdev->stats.waited_most)
		netdev->stats.waited_most = waited;
	*poll = (struct poll){ .netdev = netdev,
		.level = level,
		.began = now,
		.weight = by_time ? 0 : weight_of(netdev),
		.weight_cycles = by_time ? config->weight_cycles : 0 };
}

/* That of a process has a budget of its own, whatever the policy. */
void poll_begin_busy(
	struct poll *poll, struct netdev *netdev, uint32_t budget, uint32_t task, uint64_t now)
{
	*poll = (struct poll){
		.netdev = netdev, .level = HOST_TASK, .task = task, .began = now, .weight = budget
	};
}

static void count_poll(const struct poll *poll, uint64_t now)
{
	struct netdev *netdev = poll->netdev;
	struct host_napi_stats *stats = &netdev->stats;
	uint64_t took = now - poll->began;

	stats->polls++;
	stats->full += poll->full;
	stats->working += poll->work > 0;
	stats->work += poll->work;
	stats->time += took;
	stats->longest = took > stats->longest ? took : stats->longest;
	if (poll->work && netdev->average)
		netdev->average += took / poll->work - netdev->average / 8;
	else if (poll->work)
		netdev->average = 8 * took / poll->work;
}

/* As the stack sees it: without the link's header. */
static void emit_receive(
	const struct cpu *cpu, struct poll *poll, enum event_id id, uint32_t bytes, uint64_t now)
{
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
static void deliver(
	struct cpu *cpu, struct poll *poll, uint32_t segments, uint32_t bytes, uint64_t now)
{
	emit_receive(cpu, poll, EVENT_RECEIVE, bytes, now);
	poll->segments = segments;
	poll->state = POLL_STACK;
	cpu->due[poll->level] = now + receiver_cost(cpu, poll);
}

static void set_packet(struct cpu *cpu, struct poll *poll, struct rte_mbuf *packet)
{
	poll->packet = packet;
	poll->address = (uintptr_t)packet - cpu->host->packet_base;
}

/* Takes a packet from the ring. Returns false if there is none, or the weight is used. */
static bool receive_packet(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	struct netdev *netdev = poll->netdev;
	struct arrival *arrival;
	struct rte_mbuf *packet;

	if (!netdev->arrivals || weight_used(poll, now) ||
		!e1000e_receive(netdev->port, cpu->index, &packet, 1, now))
		return false;
	set_packet(cpu, poll, packet);
	arrival = &netdev->arrivals[netdev->taken % netdev->arrivals_count];
	poll->receiver = arrival->receiver;
	poll->arrived = arrival->at;
	poll->bytes = arrival->bytes;
	poll->segment = arrival->segment;
	poll->in_pair = true;
	poll->work++;
	count_wait(netdev, arrival, now);
	emit_receive(cpu, poll, EVENT_RECEIVE_BEGIN, poll->bytes, now);
	if (poll->receiver->config->gro) {
		poll->state = POLL_MERGE;
		cpu->due[poll->level] = now + host_cost(cpu->host, HOST_COST_merge);
	} else {
		deliver(cpu, poll, 1, poll->bytes, now);
	}
	return true;
}

/* The stack is done with the packet. */
static void end_packet(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	if (poll->in_pair)
		emit_receive(cpu, poll, EVENT_RECEIVE_END, poll->bytes, now);
	poll->in_pair = false;
	rte_pktmbuf_free(poll->packet);
	poll->packet = NULL;
	poll->state = POLL_RECEIVE;
}

static void deliver_held(
	struct cpu *cpu, struct poll *poll, struct receiver *receiver, uint64_t now)
{
	poll->receiver = receiver;
	set_packet(cpu, poll, receiver->held);
	deliver(cpu, poll, receiver->held_segments, receiver->held_bytes, now);
	receiver->held = NULL;
	receiver->held_segments = 0;
}

/*
 * GRO: the packet joins those of its stream that are held; of their memory the first one's is
 * enough here. What can't take another segment goes up at once.
 */
static void merge(struct cpu *cpu, struct poll *poll, uint64_t now)
{
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
		deliver_held(cpu, poll, receiver, now);
	else
		end_packet(cpu, poll, now);
}

/*
 * At the end of a poll GRO hands up what it holds, but not to a process that keeps the device.
 * Returns false if it holds nothing.
 */
static bool flush_held(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	struct host *host = cpu->host;

	if (poll->netdev->busy)
		return false;
	for (unsigned i = 0; i < host->config.receiver_count; i++) {
		struct receiver *receiver = &host->receivers[i];

		if (receiver->netdev == poll->netdev && receiver->held) {
			deliver_held(cpu, poll, receiver, now);
			return true;
		}
	}
	return false;
}

/* The stack has looked at the packet: an ACK goes out from inside, or that was all. */
static bool stack_step(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	uint64_t took = 0;
	bool goes_on;

	if (poll->state == POLL_STACK) {
		goes_on = receiver_take(poll, now);
		if (goes_on)
			took = reply_begin(&poll->reply, poll->receiver);
		poll->state = POLL_REPLY;
	} else {
		goes_on = reply_step(cpu, &poll->reply, now, &took);
	}
	cpu->due[poll->level] = now + took;
	return goes_on;
}

static const struct host_napi *config_of(const struct netdev *netdev)
{
	return &netdev->host->config.napi[netdev->index];
}

static void start_timer(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	netdev->timer_at = now + config_of(netdev)->flush_timeout;
	netdev->timer_cpu = cpu;
	host_set_timer(netdev->host, netdev->timer_at);
}

/* Does the timer poll next, and not by an interrupt? A poll that finds something begins the count.
 */
static bool defers(struct netdev *netdev, bool work)
{
	if (work)
		netdev->deferrals = config_of(netdev)->defer_hard_irqs;
	if (!netdev->deferrals)
		return false;
	netdev->deferrals--;
	return true;
}

bool poll_leave_to_timer(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	netdev->deferrals = config_of(netdev)->defer_hard_irqs;
	if (!netdev->deferrals)
		return false;
	start_timer(cpu, netdev, now);
	return true;
}

void poll_timer(struct netdev *netdev, uint64_t now)
{
	if (netdev->timer_at > now)
		return;
	netdev->timer_at = CYCLES_NEVER;
	cpu_poll_timer_interrupt(netdev->timer_cpu, netdev, now);
}

/* napi_complete_done: no more polls for now, and the device may interrupt again. */
static void complete(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	struct netdev *netdev = poll->netdev;
	bool deferred = defers(netdev, poll->work);

	netdev->preferred = false;
	if (netdev->missed) {
		netdev->missed = false;
		poll_hand_over(cpu, netdev, now);
		return;
	}
	netdev->polled = false;
	if (deferred) {
		start_timer(cpu, netdev, now);
		return;
	}
	e1000e_poll_done(netdev->port, now);
	netdev_throttled(netdev, now);
	cpu->due[poll->level] += host_cost(cpu->host, HOST_COST_poll);
}

/*
 * The poll is over. Who has used its weight wants another; all others give their place up and may
 * interrupt again. A budget of time is shown as one of 0 packets.
 */
static void end_poll(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_NAPI_POLL,
		.device = poll->netdev->port->config.device,
		.queue = EVENT_NO_QUEUE,
		.len = poll->task,
		.arg = EVENT_PUT(NAPI_POLL, work, poll->work) |
		       EVENT_PUT(NAPI_POLL, budget, poll->weight) };

	host_emit(cpu->host, cpu->index, &event); /* transmit clean-up is no work in NAPI's count */
	poll->full = weight_used(poll, now);
	count_poll(poll, now);
	cpu->due[poll->level] = now;
	/* with more to do it is left to the process that would rather have it, if a timer is there
	 */
	if (poll->full && poll->netdev->preferred && !poll->netdev->busy)
		poll->full = !config_of(poll->netdev)->defer_hard_irqs;
	if (poll->full)
		poll->netdev->waits_from = now;
	else if (!poll->netdev->busy)
		complete(cpu, poll, now);
}

/* One thing of a poll. Returns false if it is over. */
bool poll_step(struct cpu *cpu, struct poll *poll, uint64_t now)
{
	struct e1000e_port *port = poll->netdev->port;

	if (poll->state == POLL_CLEAN) {
		if (e1000e_clean_packet(port, cpu->index, now)) {
			cpu->due[poll->level] = now + host_cost(cpu->host, HOST_COST_clean);
			return true;
		}
		netdev_cleaned(cpu, poll->netdev, now);
		if (e1000e_clean_done(port, cpu->index, now))
			netdev_schedule(cpu, poll->netdev, now);
		poll->state = POLL_RECEIVE;
	}
	if (poll->state == POLL_MERGE)
		merge(cpu, poll, now);
	else if (poll->state != POLL_RECEIVE && !stack_step(cpu, poll, now))
		end_packet(cpu, poll, now);
	if (poll->state != POLL_RECEIVE || receive_packet(cpu, poll, now) ||
		flush_held(cpu, poll, now))
		return true;
	end_poll(cpu, poll, now);
	return false;
}

/* Who polls besides softirqs is on a CPU that is there, in a kernel that has such. */
bool poll_config_valid(const struct host_config *config)
{
	for (unsigned i = 0; i <= config->more_count; i++) {
		const struct host_napi *napi = &config->napi[i];

		if (napi->threaded && (!config->kernel->threads || napi->cpu >= config->cpus))
			return false;
		if (!napi->defer_hard_irqs != !napi->flush_timeout ||
			(napi->defer_hard_irqs && !config->kernel->defers_irqs))
			return false;
	}
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct host_receiver *receiver = &config->receivers[i];

		if (receiver->busy_poll_us && !(receiver->read && config->kernel->busy_polls))
			return false;
		if (receiver->prefer_busy_poll && !receiver->busy_poll_us)
			return false;
	}
	return true;
}
