/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that opens a TCP connection and writes a stream, and the sender under it. What it
 * writes becomes packets of up to 64 KiB, as many segments as fit (GSO); each goes to the device as
 * a train of segments. How much may leave is for the receiver's window, the congestion window, and
 * Nagle in Minshall's form: a segment that isn't full waits while another such one is
 * unacknowledged (tcp_sendmsg, tcp_write_xmit and tcp_ack of Linux 6.1, read for what they do).
 *
 * While the process is in its call, ACKs wait for it to give the socket back; else they are
 * processed in the softirq, and what they let go leaves from there. The process gives way to
 * others when it returns, and after each packet that it has sent: the kernel isn't preempted.
 *
 * The congestion window knows slow start only, and loss is met in the plainest way: where no ACK
 * comes for the retransmission timeout, the process sends again from the last one on.
 */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <string.h>

#define HEADERS_BYTES    66       /* Ethernet 14, IP 20, TCP 32 with time stamps */
#define PACKET_MOST      65215u   /* 65536 less MAX_TCP_HEADER and 1 */
#define MEMORY_BYTES     32768u   /* SKB_FRAG_PAGE_ORDER */
#define SEGMENT_CHARGE   4352u    /* what a segment of the send buffer counts */
#define SEND_BUFFER_MOST 4194304u /* net.ipv4.tcp_wmem */

static uint32_t segments_of(const struct stream *stream, uint64_t bytes)
{
	uint32_t full = stream->receiver->config->segment_bytes;

	return (uint32_t)((bytes + full - 1) / full);
}

/* The largest packet: whole segments, of no more than half of the window that was ever open. */
static uint32_t packet_most(const struct stream *stream)
{
	uint32_t full = stream->receiver->config->segment_bytes, most = PACKET_MOST;

	if (stream->window_most / 2 < most)
		most = (uint32_t)(stream->window_most / 2);
	if (most / full > HOST_TRAIN_MOST)
		most = HOST_TRAIN_MOST * full;
	return most < full ? full : most - most % full;
}

static uint32_t send_buffer(const struct stream *stream)
{
	uint64_t segments = stream->congestion > TCP_INIT_CWND ? stream->congestion : TCP_INIT_CWND;
	uint64_t bytes = 2 * segments * SEGMENT_CHARGE;

	return bytes < SEND_BUFFER_MOST ? (uint32_t)bytes : SEND_BUFFER_MOST;
}

/* Bytes that the congestion window lets go: no more than half of it at once. */
static uint64_t quota(const struct stream *stream)
{
	uint32_t in_flight = segments_of(stream, stream->next - stream->acked);
	uint32_t half = stream->congestion / 2 ? stream->congestion / 2 : 1, room;

	if (in_flight >= stream->congestion)
		return 0;
	room = stream->congestion - in_flight;
	return (uint64_t)(room < half ? room : half) * stream->receiver->config->segment_bytes;
}

/* Bytes of the packet that may leave now; 0: none. */
static uint64_t may_send(const struct stream *stream)
{
	uint64_t waits = stream->written - stream->next, bytes = packet_most(stream), most;
	uint32_t full = stream->receiver->config->segment_bytes;

	bytes = waits < bytes ? waits : bytes;
	most = quota(stream);
	if (stream->edge - stream->next < most)
		most = stream->edge - stream->next;
	if (most < bytes)
		return most - most % full;
	if (bytes % full && stream->small > stream->acked)
		return bytes - bytes % full;
	return bytes;
}

static uint32_t milliseconds(uint64_t now)
{
	return (uint32_t)(now / (CLOCK_VIRTUAL_HZ / 1000));
}

/* A segment in two buffers, one for the headers, with what TCP has to say in it. */
static struct rte_mbuf *make_segment(struct stream *stream, uint32_t bytes, uint64_t now)
{
	struct host *host = stream->netdev->host;
	struct rte_mbuf *packet = rte_pktmbuf_alloc(host->pool);
	struct rte_mbuf *payload = rte_pktmbuf_alloc(host->pool);
	struct segment segment = { .from = stream->next,
		.bytes = bytes,
		.stamp = milliseconds(now),
		.echo = stream->heard,
		.push = stream->next + bytes == stream->pushed };

	if (!packet || !payload) {
		rte_pktmbuf_free(packet);
		rte_pktmbuf_free(payload);
		host->error = -ENOMEM;
		return NULL;
	}
	host->outstanding++;
	packet->data_len = HEADERS_BYTES;
	payload->data_len = (uint16_t)bytes;
	packet->next = payload;
	packet->nb_segs = 2;
	packet->pkt_len = bytes + HEADERS_BYTES;
	packet->l2_len = 14;
	packet->l3_len = 20;
	packet->l4_len = 32;
	packet->ol_flags = stream->receiver->config->stream_checksum
				   ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM
				   : 0;
	*(struct packet *)rte_mbuf_to_priv(packet) = (struct packet){ 0 };
	memcpy(rte_pktmbuf_mtod(packet, void *), &segment, sizeof(segment));
	stream->next += bytes;
	if (bytes < stream->receiver->config->segment_bytes)
		stream->small = stream->next;
	return packet;
}

/* What opens the connection, or answers to the answer. */
static struct rte_mbuf *open_packet(struct stream *stream, uint64_t now)
{
	struct host *host = stream->netdev->host;
	struct segment segment = { .stamp = milliseconds(now),
		.echo = stream->heard,
		.opens = stream->connection == STREAM_CLOSED };

	stream->connection = segment.opens ? STREAM_OPENING : STREAM_OPEN;
	if (segment.opens) {
		stream->progress_at = now;
		host_set_timer(host, stream_timer_at(stream));
	}
	return receiver_packet(host, &segment, stream->receiver->config->stream_checksum);
}

struct rte_mbuf *stream_next(struct stream *stream, uint64_t now)
{
	uint32_t full = stream->receiver->config->segment_bytes, in_flight;
	struct rte_mbuf *first = NULL, **place = &first;
	uint64_t left = may_send(stream);
	uint32_t count = segments_of(stream, left);
	bool was_acked = stream->next == stream->acked;

	if (stream->connection == STREAM_CLOSED || stream->connection == STREAM_ANSWERED)
		return open_packet(stream, now);
	for (; left; left -= left < full ? left : full) {
		*place = make_segment(stream, left < full ? (uint32_t)left : full, now);
		if (!*place)
			break;
		place = &((struct packet *)rte_mbuf_to_priv(*place))->next;
	}
	if (!first)
		return NULL;
	((struct packet *)rte_mbuf_to_priv(first))->follow = count - 1;
	if (stream->written - stream->next < stream->tail)
		stream->tail = (uint32_t)(stream->written - stream->next);
	if (was_acked) {
		stream->progress_at = now;
		host_set_timer(stream->netdev->host, stream_timer_at(stream));
	}
	in_flight = segments_of(stream, stream->next - stream->acked);
	if (in_flight > stream->in_flight_most)
		stream->in_flight_most = in_flight;
	return first;
}

/* Slow start, while the window is what limits. */
static void grow(struct stream *stream, uint32_t segments)
{
	if (stream->congestion < 2 * stream->in_flight_most)
		stream->congestion += segments;
}

static void process_ack(struct stream *stream, const struct segment *segment, uint64_t now)
{
	uint64_t waits;

	if (segment->ack > stream->acked) {
		grow(stream, segments_of(stream, segment->ack - stream->acked));
		stream->acked = segment->ack;
		stream->progress_at = now;
	}
	if (stream->next < stream->acked) /* sent before the timeout, and has come after it */
		stream->next = stream->acked;
	stream->edge = segment->ack + segment->window;
	stream->heard = segment->stamp;
	if (segment->window > stream->window_most)
		stream->window_most = segment->window;
	waits = stream->written - stream->acked;
	if (stream->blocked && 3 * waits <= 2 * (uint64_t)send_buffer(stream)) {
		stream->blocked = false;
		task_wake(&stream->task, now);
	}
}

/* An ACK has come. Returns true if data may follow it at once. */
bool stream_acked(struct stream *stream, const struct segment *segment, uint64_t now)
{
	if (segment->opens) {
		if (stream->connection == STREAM_OPEN)
			return false; /* it has come twice */
		stream->connection = STREAM_ANSWERED;
		stream->heard = segment->stamp;
		stream->window_most = stream->edge = segment->window;
		task_wake(&stream->task, now);
		return true;
	}
	if (stream->owns) {
		stream->backlogged = true;
		stream->backlog = *segment;
		return false;
	}
	process_ack(stream, segment, now);
	return may_send(stream) > 0;
}

static void next_in(struct stream *stream, struct cpu *cpu, enum stream_state state, uint64_t at)
{
	stream->state = state;
	cpu->due[HOST_TASK] = at;
}

static bool is_over(const struct stream *stream, uint64_t now)
{
	const struct host_receiver *config = stream->receiver->config;

	return now >= config->stop ||
	       (config->stream_bytes && stream->written >= config->stream_bytes);
}

static void begin(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	const struct host_receiver *config = stream->receiver->config;
	uint64_t left = config->stream_bytes - stream->written;

	if (stream->connection == STREAM_CLOSED) {
		next_in(stream, cpu, STREAM_PUSH, now);
		return;
	}
	if (stream->connection != STREAM_OPEN || is_over(stream, now)) {
		stream->task.in_call = false;
		task_sleep(&stream->task, now);
		return;
	}
	stream->owns = true;
	stream->left = config->write_bytes;
	if (config->stream_bytes && left < stream->left)
		stream->left = (uint32_t)left;
	next_in(stream, cpu, STREAM_COPY, now + host_cost(cpu->host, HOST_COST_write));
}

/* What is copied goes where the last piece ended, and on in new memory: what that takes. */
static uint64_t memory(struct stream *stream)
{
	uint64_t took = 0;

	for (; stream->room < stream->piece; stream->room += MEMORY_BYTES)
		took += host_cost(stream->netdev->host, HOST_COST_alloc);
	stream->room -= stream->piece;
	return took;
}

/* Copies until a packet is full, if there is send buffer; else waits for it. */
static void copy(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	uint32_t most = packet_most(stream);

	stream->owns = true;
	if (stream->written - stream->acked >= send_buffer(stream)) {
		if (stream->backlogged) {
			next_in(stream, cpu, STREAM_BACKLOG,
				now + host_cost(cpu->host, HOST_COST_acked));
			return;
		}
		stream->owns = stream->task.in_call = false;
		stream->blocked = true;
		task_sleep(&stream->task, now);
		return;
	}
	if (stream->tail >= most)
		stream->tail = 0;
	stream->piece = stream->left < most - stream->tail ? stream->left : most - stream->tail;
	next_in(stream, cpu, STREAM_COPIED,
		now + memory(stream) + host_cost(cpu->host, HOST_COST_copy) * stream->piece / 1024);
}

/*
 * A full packet goes at once if it is the only one that waits; where half of the window has been
 * written, and at the end of a write, everything goes that may.
 */
static void copied(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	uint64_t waits;

	stream->written += stream->piece;
	stream->left -= stream->piece;
	stream->tail += stream->piece;
	waits = stream->written - stream->next;
	stream->sends_one = false;
	if (!stream->left || stream->written - stream->pushed > stream->window_most / 2)
		stream->pushed = stream->written;
	else if (waits <= packet_most(stream))
		stream->sends_one = true;
	else {
		next_in(stream, cpu, STREAM_COPY, now);
		return;
	}
	next_in(stream, cpu, STREAM_PUSH, now);
}

/* Nothing more may leave: the rest of the write, the ACKs that wait, the end. */
static void go_on(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	if (stream->left) {
		next_in(stream, cpu, STREAM_COPY, now);
	} else if (stream->backlogged) {
		next_in(stream, cpu, STREAM_BACKLOG, now + host_cost(cpu->host, HOST_COST_acked));
	} else {
		stream->owns = stream->task.in_call = false;
		next_in(stream, cpu, STREAM_BEGIN, now);
	}
}

static void push(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	struct rte_mbuf *packet = stream_next(stream, now);

	if (!packet) {
		go_on(stream, cpu, now);
		return;
	}
	stream->task.bh_off = true;
	next_in(stream, cpu, STREAM_XMIT,
		now + netdev_queue_xmit(cpu, stream->netdev, &stream->run, packet, now));
}

static void xmit(struct stream *stream, struct cpu *cpu, uint64_t now)
{
	uint64_t took;

	if (stream->run.state != RUN_OVER) {
		took = netdev_run_step(cpu, &stream->run, now);
		if (stream->run.state != RUN_OVER) {
			cpu->due[HOST_TASK] = now + took;
			return;
		}
	}
	stream->task.in_call = false; /* whoever has been woken comes in here */
	if (stream->sends_one)
		go_on(stream, cpu, now);
	else
		next_in(stream, cpu, STREAM_PUSH, now);
	task_bh_enable(&stream->task, now);
}

static void stream_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	struct stream *stream = (struct stream *)task;

	task->in_call = true;
	switch (stream->state) {
	case STREAM_BEGIN:
		begin(stream, cpu, now);
		break;
	case STREAM_COPY:
		copy(stream, cpu, now);
		break;
	case STREAM_COPIED:
		copied(stream, cpu, now);
		break;
	case STREAM_PUSH:
		push(stream, cpu, now);
		break;
	case STREAM_XMIT:
		xmit(stream, cpu, now);
		break;
	case STREAM_BACKLOG:
		stream->backlogged = false;
		process_ack(stream, &stream->backlog, now);
		stream->sends_one = false;
		next_in(stream, cpu, STREAM_PUSH, now);
		break;
	}
}

/* The wire between its two devices. */
void stream_init(struct stream *stream, struct receiver *receiver, struct host *host)
{
	const struct host_receiver *config = receiver->config;
	struct netdev *to = receiver->netdev, *from = &host->netdevs[config->from];

	stream->receiver = receiver;
	stream->netdev = from;
	stream->task.step = stream_step;
	stream->task.cpu = &host->cpus[config->cpu];
	stream->task.asleep = true;
	task_has_run(&stream->task);
	stream->wake_at = config->start;
	stream->congestion = TCP_INIT_CWND;
	from->peer = to;
	to->peer = from;
	from->wired = to->wired = receiver;
}

uint64_t stream_timer_at(const struct stream *stream)
{
	uint64_t timeout = stream->progress_at + cycles_of_ns(TCP_RTO_MIN_NS, CLOCK_VIRTUAL_HZ);
	bool waits = stream->next != stream->acked || stream->connection == STREAM_OPENING;

	if (!waits || stream->wake_at < timeout)
		return stream->wake_at;
	return timeout;
}

/* The process begins, or nothing has been acknowledged for too long. */
void stream_timer(struct stream *stream, uint64_t now)
{
	if (stream_timer_at(stream) > now)
		return;
	if (stream->wake_at > now) {
		stream->receiver->stats.timeouts++;
		stream->next = stream->small = stream->acked;
		stream->congestion = 1;
		if (stream->connection == STREAM_OPENING)
			stream->connection = STREAM_CLOSED;
		stream->progress_at = now;
		if (stream->task.asleep) {
			stream->state = STREAM_PUSH;
			stream->sends_one = stream->blocked = false;
		}
	}
	stream->wake_at = CYCLES_NEVER;
	task_wake(&stream->task, now);
}
