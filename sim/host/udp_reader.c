/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that reads a UDP socket: it takes what is there, a packet a call. Where there is
 * nothing it polls busily, if the socket says so, and then sleeps until something comes. A socket
 * knows its device from the first packet on (sk_napi_id), and can't poll before.
 */
#include "world.h"

#include <rte_mbuf.h>

static void begin_call(struct udp_reader *reader, struct cpu *cpu, uint64_t now)
{
	bool may_poll = reader->busy.usecs && reader->receiver->stats.received;

	cpu->due[HOST_TASK] = now;
	if (reader->count) {
		reader->has_polled = false;
		reader->state = READ_COPY;
		cpu->due[HOST_TASK] += host_cost(cpu->host, HOST_COST_read);
	} else if (may_poll && !reader->has_polled) {
		reader->has_polled = true;
		reader->state = READ_BUSY;
		busy_poll_begin(&reader->busy, cpu, now);
	} else {
		reader->has_polled = false;
		task_sleep(&reader->task, now);
	}
}

static void end_call(struct udp_reader *reader, struct cpu *cpu, uint64_t now)
{
	const struct host_receiver *config = reader->receiver->config;
	struct host_receiver_stats *stats = &reader->receiver->stats;
	struct unread *unread = &reader->queue[reader->head];
	uint64_t waited = now - unread->arrived;
	struct event event = { .time = now,
		.id = EVENT_COPY,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.len = config->segment_bytes,
		.packet = unread->address,
		.arg = EVENT_PUT(COPY, task, config->task) };

	host_emit(cpu->host, cpu->index, &event);
	stats->reads++;
	stats->read_waited += waited;
	stats->read_waited_most =
		waited > stats->read_waited_most ? waited : stats->read_waited_most;
	rte_pktmbuf_free(unread->packet);
	reader->head = (reader->head + 1) % UDP_UNREAD_MOST;
	reader->count--;
	reader->state = READ_BEGIN;
	cpu->due[HOST_TASK] = now;
}

static void reader_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	struct udp_reader *reader = (struct udp_reader *)task;

	switch (reader->state) {
	case READ_BEGIN:
		begin_call(reader, cpu, now);
		break;
	case READ_BUSY:
		if (!busy_poll_step(&reader->busy, cpu, reader->count > 0, now))
			reader->state = READ_BEGIN;
		break;
	case READ_COPY:
		end_call(reader, cpu, now);
	}
}

void udp_reader_init(struct udp_reader *reader, struct receiver *receiver, struct host *host)
{
	const struct host_receiver *config = receiver->config;

	reader->receiver = receiver;
	reader->task.step = reader_step;
	reader->task.cpu = &host->cpus[config->cpu];
	reader->task.asleep = true;
	reader->busy.task = &reader->task;
	reader->busy.netdev = receiver->netdev;
	reader->busy.number = config->task;
	reader->busy.usecs = config->busy_poll_us;
	reader->busy.prefers = config->prefer_busy_poll;
}

void udp_reader_free(struct udp_reader *reader)
{
	for (; reader->count; reader->count--) {
		rte_pktmbuf_free(reader->queue[reader->head].packet);
		reader->head = (reader->head + 1) % UDP_UNREAD_MOST;
	}
}

void udp_reader_take(struct udp_reader *reader, struct poll *poll, uint64_t now)
{
	if (reader->count == UDP_UNREAD_MOST) {
		reader->receiver->stats.overflowed += poll->segments;
		return;
	}
	reader->queue[(reader->head + reader->count++) % UDP_UNREAD_MOST] = (struct unread){
		.packet = poll->packet, .address = poll->address, .arrived = poll->arrived
	};
	poll->packet = NULL;
	task_wake(&reader->task, now);
}
