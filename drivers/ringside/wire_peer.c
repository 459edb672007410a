/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wire=peer:NAME: frames go into the inbox of another port, from where its own polls take them. The
 * ports that can receive are in one list, from the end of their start to the beginning of their
 * stop. Whoever sends holds its lock for reading: so a port that leaves the list can empty its
 * inbox and go, whatever other lcores are sending.
 */
#include "wire.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_rwlock.h>
#include <stdio.h>
#include <string.h>

static rte_rwlock_t lock = RTE_RWLOCK_INITIALIZER;
static LIST_HEAD(, ringside_port) receivers = LIST_HEAD_INITIALIZER(receivers);

void ringside_peers_join(struct ringside_port *port)
{
	rte_rwlock_write_lock(&lock);
	LIST_INSERT_HEAD(&receivers, port, receivers);
	port->receives = true;
	rte_rwlock_write_unlock(&lock);
}

void ringside_peers_leave(struct ringside_port *port)
{
	if (!port->receives)
		return;
	rte_rwlock_write_lock(&lock);
	LIST_REMOVE(port, receivers);
	port->receives = false;
	rte_rwlock_write_unlock(&lock);
}

/* Several queues, of several ports, may send to one. */
int ringside_inbox_make(struct ringside_queue *queue)
{
	char name[RTE_RING_NAMESIZE];

	if (queue->inbox)
		return 0;
	snprintf(name, sizeof(name), "ringside_%u_%u", queue->port->dev->data->port_id,
		queue->index);
	queue->inbox = rte_ring_create(name, RINGSIDE_INBOX, (int)rte_socket_id(), RING_F_SC_DEQ);
	return queue->inbox ? 0 : -rte_errno;
}

void ringside_inbox_drain(struct ringside_queue *queue)
{
	void *frame;

	while (queue->inbox && !rte_ring_dequeue(queue->inbox, &frame))
		rte_pktmbuf_free(frame);
}

static void give(struct ringside_queue *queue, const struct rte_mbuf *packet, uint64_t now)
{
	struct nic_frame frame;

	frame.count = 0;
	frame.bytes = packet->pkt_len;
	for (const struct rte_mbuf *m = packet; m; m = m->next)
		frame.segment[frame.count++] =
			(struct nic_segment){ rte_pktmbuf_mtod(m, void *), m->data_len };
	nic_receive(queue->nic, &frame, now);
}

void ringside_inbox_receive(struct ringside_queue *queue, uint64_t now)
{
	void *frame;

	while (queue->inbox && !rte_ring_dequeue(queue->inbox, &frame)) {
		give(queue, frame, now);
		rte_pktmbuf_free(frame);
	}
}

static int peer_open(struct ringside_port *port)
{
	if (*port->args.wire_argument)
		return 0;
	RINGSIDE_LOG(ERR, "wire=peer:: it takes the name of a port\n");
	return -EINVAL;
}

/* The peer's queue of the same number, or the one that its number wraps to; NULL: it is down. */
static struct ringside_queue *peer_of(const struct ringside_queue *queue)
{
	struct ringside_port *peer;

	LIST_FOREACH(peer, &receivers, receivers)
	{
		const struct rte_eth_dev_data *data = peer->dev->data;

		if (!strcmp(data->name, queue->port->args.wire_argument))
			return data->nb_rx_queues ? &peer->queue[queue->index % data->nb_rx_queues]
						  : NULL;
	}
	return NULL;
}

/* The buffer of a chain that has room, which may be a new one at its end; NULL: there is none. */
static struct rte_mbuf *with_room(struct rte_mbuf *packet, struct rte_mempool *pool)
{
	struct rte_mbuf *last = rte_pktmbuf_lastseg(packet), *more;

	if (rte_pktmbuf_tailroom(last))
		return last;
	more = packet->nb_segs < NIC_SEGMENTS_MOST ? rte_pktmbuf_alloc(pool) : NULL;
	if (more)
		rte_pktmbuf_chain(packet, more);
	return more;
}

/* In as many of the pool's buffers as it takes; NULL: there are not so many, or not enough. */
static struct rte_mbuf *copy(const struct nic_frame *frame, struct rte_mempool *pool)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(pool), *last = packet;

	for (unsigned i = 0; i < frame->count && last; i++) {
		const uint8_t *data = frame->segment[i].data;
		uint32_t left = frame->segment[i].bytes, part;

		for (; left && (last = with_room(packet, pool)); left -= part, data += part) {
			part = RTE_MIN(left, (uint32_t)rte_pktmbuf_tailroom(last));
			memcpy(rte_pktmbuf_mtod_offset(last, void *, last->data_len), data, part);
			last->data_len = (uint16_t)(last->data_len + part);
			packet->pkt_len += part;
		}
	}
	if (!last)
		rte_pktmbuf_free(packet);
	return last ? packet : NULL;
}

static bool put(struct ringside_queue *peer, const struct nic_frame *frame)
{
	struct rte_mbuf *packet = copy(frame, peer->pool);

	if (packet && !rte_ring_enqueue(peer->inbox, packet)) {
		ringside_rx_interrupt_kick(peer);
		return true;
	}
	rte_pktmbuf_free(packet);
	return false;
}

static void transmit(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context, *peer;

	(void)now;
	rte_rwlock_read_lock(&lock);
	peer = peer_of(queue);
	if (!peer || !put(peer, frame))
		queue->stats.peer_lost++;
	rte_rwlock_read_unlock(&lock);
}

const struct ringside_wire_type ringside_wire_peer = {
	.name = "peer", .takes_argument = true, .open = peer_open, .transmit = transmit
};
