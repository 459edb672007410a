/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that reads from a socket. It is woken when something has come, or polls the device
 * itself (busy_poll.c), and reads until nothing is left; each packet is copied to it (the copy
 * event, as skb_copy_datagram_iter's in a kernel). While it has the socket, the softirq leaves what
 * comes in the backlog, and the process does that on its way out. TCP's ACK for what it has read
 * leaves from here (tcp_recvmsg, tcp_cleanup_rbuf, release_sock).
 *
 * TCP packets that follow each other become one where their memory allows it, and are copied as
 * one (tcp_try_coalesce): up to 18. The ring's first buffers are of another kind, and don't.
 */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>

#define PIECES_MOST  18   /* MAX_SKB_FRAGS, and the head */
#define SKB_BYTES    256  /* struct sk_buff */
#define FIRST_MEMORY 2304 /* of a packet in a buffer from kmalloc: 2048 and the sk_buff */
#define MEMORY       2176 /* of one in a piece of a page: 1522 + 66, 320 and the sk_buff */
#define COPIED_BYTES 256  /* copybreak: smaller frames leave the buffer in the ring */
#define SMALL_MEMORY 1280

#define UDP_BUFFER_BYTES 212992 /* net.core.rmem_default */

static bool grow(struct unread_queue *queue)
{
	uint32_t room = queue->room ? 2 * queue->room : 64;
	struct unread *slot = malloc(room * sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t i = 0; i < queue->count; i++)
		slot[i] = queue->slot[(queue->head + i) % queue->room];
	free(queue->slot);
	queue->slot = slot;
	queue->room = room;
	queue->head = 0;
	return true;
}

/* Joins it to the last one, if it can. */
static bool join(struct unread_queue *queue, const struct unread *unread)
{
	struct unread *last;

	if (!queue->count || !unread->joins)
		return false;
	last = &queue->slot[(queue->head + queue->count - 1) % queue->room];
	if (last->pieces + unread->pieces > PIECES_MOST)
		return false;
	last->bytes += unread->bytes;
	last->memory += unread->memory - SKB_BYTES;
	last->pieces += unread->pieces;
	last->push = last->push || unread->push;
	queue->memory += unread->memory - SKB_BYTES;
	rte_pktmbuf_free(unread->packet);
	return true;
}

/* Returns the memory that it takes there; 0 if there is none for the queue itself. */
static uint32_t put(struct unread_queue *queue, const struct unread *unread)
{
	if (join(queue, unread))
		return unread->memory - SKB_BYTES;
	if (queue->count == queue->room && !grow(queue))
		return 0;
	queue->slot[(queue->head + queue->count++) % queue->room] = *unread;
	queue->memory += unread->memory;
	return unread->memory;
}

static struct unread take(struct unread_queue *queue)
{
	struct unread unread = queue->slot[queue->head];

	queue->head = (queue->head + 1) % queue->room;
	queue->count--;
	queue->memory -= unread.memory;
	return unread;
}

/* Into the socket's queue. Does it have to be acknowledged at once? */
static bool receive(struct receiver *receiver, const struct unread *unread, uint64_t now)
{
	uint32_t memory = put(&receiver->reader.queue, unread);

	if (!memory) {
		rte_pktmbuf_free(unread->packet);
		receiver->netdev->host->error = -ENOMEM;
		return false;
	}
	task_wake(&receiver->reader.task, now);
	if (!receiver->config->tcp)
		return false;
	/* what it is worth is seen before it joins another */
	window_data(&receiver->window, unread->bytes, unread->memory, unread->push,
		receiver->config->quick_acks, now);
	receiver->window.memory -= unread->memory - memory;
	return receiver_acks(receiver, window_wants_ack(&receiver->window), now);
}

static uint32_t memory_of(struct netdev *netdev, uint32_t frame_bytes, bool *joins)
{
	*joins = !netdev->first_buffers || frame_bytes < COPIED_BYTES;
	if (frame_bytes < COPIED_BYTES)
		return SMALL_MEMORY;
	if (!netdev->first_buffers)
		return MEMORY;
	netdev->first_buffers--;
	return FIRST_MEMORY;
}

bool reader_take(struct receiver *receiver, struct poll *poll, uint64_t now)
{
	struct reader *reader = &receiver->reader;
	const struct host_receiver *config = receiver->config;
	struct unread unread = { .packet = poll->packet,
		.address = poll->address,
		.arrived = poll->arrived,
		.bytes = config->stream ? poll->segment.bytes
					: poll->segments * config->segment_bytes,
		.pieces = poll->segments,
		.push = poll->segment.push };
	uint64_t room = config->tcp ? WINDOW_BUFFER_MOST : UDP_BUFFER_BYTES;

	unread.memory = memory_of(receiver->netdev, poll->bytes, &unread.joins);
	unread.joins = unread.joins && config->tcp;
	unread.memory += (poll->segments - 1) * (MEMORY - SKB_BYTES);
	room = config->buffer_bytes ? config->buffer_bytes : room;
	/* the sender of a stream keeps to the window, so that there is room */
	if (!config->stream && reader->queue.memory + reader->backlog.memory >= room) {
		receiver->stats.overflowed += poll->segments;
		return false;
	}
	poll->packet = NULL;
	if (!reader->owns)
		return receive(receiver, &unread, now);
	receiver->stats.backlogged += poll->segments;
	if (!put(&reader->backlog, &unread)) {
		rte_pktmbuf_free(unread.packet);
		receiver->netdev->host->error = -ENOMEM;
	}
	return false;
}

static void emit_copy(struct cpu *cpu, const struct reader *reader, uint64_t now)
{
	const struct unread *unread = &reader->queue.slot[reader->queue.head];
	struct event event = { .time = now,
		.id = EVENT_COPY,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.len = unread->bytes,
		.packet = unread->address,
		.arg = EVENT_PUT(COPY, task, reader->receiver->config->task) };

	host_emit(cpu->host, cpu->index, &event);
}

static void next_in(struct reader *reader, struct cpu *cpu, enum reader_state state, uint64_t at)
{
	reader->state = state;
	cpu->due[HOST_TASK] = at;
}

/* What the call does next: copy, the backlog, the ACK, the backlog once more, the end. */
static void go_on(struct reader *reader, struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct receiver *receiver = reader->receiver;
	const struct host_receiver *config = receiver->config;

	if (!reader->has_read && reader->queue.count && (config->tcp || !reader->bytes)) {
		next_in(reader, cpu, READER_COPY, now);
		return;
	}
	if (reader->backlog.count) {
		next_in(reader, cpu, READER_BACKLOG, now + host_cost(host, HOST_COST_receive));
		return;
	}
	if (!reader->has_read) {
		reader->has_read = true;
		if (config->tcp && window_wants_ack_after_read(&receiver->window, reader->bytes)) {
			receiver->stats.read_acks++;
			next_in(reader, cpu, READER_ACK,
				now + reply_begin(&reader->reply, receiver));
			return;
		}
	}
	reader->owns = reader->task.in_call = false;
	next_in(reader, cpu, READER_BEGIN, now);
}

/*
 * There is nothing: it polls the device busily, if it may and hasn't just done so, or sleeps. The
 * socket knows its device from the first packet on (sk_napi_id).
 */
static void wait(struct reader *reader, struct cpu *cpu, uint64_t now)
{
	if (!reader->busy.usecs || !reader->receiver->stats.received || reader->has_polled) {
		reader->has_polled = false;
		task_sleep(&reader->task, now);
		return;
	}
	reader->has_polled = true;
	reader->state = READER_BUSY;
	busy_poll_begin(&reader->busy, cpu, now);
}

static void begin(struct reader *reader, struct cpu *cpu, uint64_t now)
{
	if (!reader->queue.count) {
		wait(reader, cpu, now);
		return;
	}
	reader->has_polled = false;
	reader->owns = reader->task.in_call = true;
	reader->has_read = false;
	reader->bytes = 0;
	next_in(reader, cpu, READER_COPY, now + host_cost(cpu->host, HOST_COST_read));
}

static void end_copy(struct reader *reader, uint64_t now)
{
	struct unread unread = take(&reader->queue);
	struct host_receiver_stats *stats = &reader->receiver->stats;
	uint64_t waited = now - unread.arrived;

	stats->read_packets++;
	stats->read_waited += waited;
	stats->read_waited_most =
		waited > stats->read_waited_most ? waited : stats->read_waited_most;
	stats->reads += !reader->bytes;
	stats->read_bytes += unread.bytes;
	reader->bytes += unread.bytes;
	if (reader->receiver->config->tcp)
		window_read(&reader->receiver->window, unread.bytes, unread.memory, now);
	rte_pktmbuf_free(unread.packet);
}

static void reply_or_go_on(struct reader *reader, struct cpu *cpu, bool replies, uint64_t now)
{
	if (replies)
		next_in(reader, cpu, READER_ACK,
			now + reply_begin(&reader->reply, reader->receiver));
	else
		go_on(reader, cpu, now);
}

static void ack_step(struct reader *reader, struct cpu *cpu, uint64_t now)
{
	uint64_t took = 0;

	reader->task.bh_off = true;
	if (reply_step(cpu, &reader->reply, now, &took)) {
		cpu->due[HOST_TASK] = now + took;
		return;
	}
	go_on(reader, cpu, now);
	task_bh_enable(&reader->task, now);
}

static void reader_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	struct reader *reader = (struct reader *)task;
	struct unread unread;
	uint64_t copy;

	switch (reader->state) {
	case READER_BEGIN:
		begin(reader, cpu, now);
		break;
	case READER_BUSY:
		if (!busy_poll_step(&reader->busy, cpu, reader->queue.count > 0, now))
			reader->state = READER_BEGIN;
		break;
	case READER_COPY:
		emit_copy(cpu, reader, now);
		copy = host_cost(cpu->host, HOST_COST_copy) *
		       reader->queue.slot[reader->queue.head].bytes / 1024;
		next_in(reader, cpu, READER_COPIED, now + copy);
		break;
	case READER_COPIED:
		end_copy(reader, now);
		go_on(reader, cpu, now);
		break;
	case READER_BACKLOG:
		unread = take(&reader->backlog);
		reply_or_go_on(reader, cpu, receive(reader->receiver, &unread, now), now);
		break;
	case READER_ACK:
		ack_step(reader, cpu, now);
		break;
	}
}

void reader_init(struct reader *reader, struct receiver *receiver, struct host *host)
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
	receiver->netdev->first_buffers = receiver->netdev->port->rx.count - 1u;
	window_init(&receiver->window, config->segment_bytes, config->buffer_bytes);
}

static void discard(struct unread_queue *queue)
{
	while (queue->count) {
		struct unread unread = take(queue);

		rte_pktmbuf_free(unread.packet);
	}
	free(queue->slot);
}

void reader_free(struct reader *reader)
{
	discard(&reader->queue);
	discard(&reader->backlog);
}
