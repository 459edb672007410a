/* SPDX-License-Identifier: BSD-3-Clause */
/* What is at the other end of the wire: nothing, the port itself, or another port. */
#include "ringside.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <string.h>

static void loop(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context;

	nic_receive(queue->nic, frame, now);
}

/* The peer's queue of the same number, or the one that its number wraps to; NULL: it is down. */
static struct ringside_queue *peer_of(const struct ringside_queue *queue)
{
	struct rte_eth_dev *dev = rte_eth_dev_get_by_name(queue->port->args.peer);
	struct ringside_port *peer;
	uint16_t queues;

	if (!dev || dev->rx_pkt_burst != ringside_rx_burst)
		return NULL;
	peer = dev->data->dev_private;
	queues = dev->data->nb_rx_queues;
	return queues ? &peer->queue[queue->index % queues] : NULL;
}

static struct rte_mbuf *copy(const struct nic_frame *frame, struct rte_mempool *pool)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(pool);

	if (!packet || rte_pktmbuf_tailroom(packet) < frame->bytes) {
		rte_pktmbuf_free(packet);
		return NULL;
	}
	for (unsigned i = 0; i < frame->count; i++)
		memcpy(rte_pktmbuf_append(packet, (uint16_t)frame->segment[i].bytes),
			frame->segment[i].data, frame->segment[i].bytes);
	return packet;
}

/* Only this queue's lcore puts frames into the peer's inbox, and only the peer's takes them out. */
static void to_peer(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context, *peer = peer_of(queue);
	struct rte_mbuf *packet;

	(void)now;
	packet = peer && peer->inbox && peer->pool ? copy(frame, peer->pool) : NULL;
	if (!packet || rte_ring_enqueue(peer->inbox, packet)) {
		rte_pktmbuf_free(packet);
		queue->stats.peer_lost++;
	}
}

struct nic_wire ringside_wire(struct ringside_queue *queue)
{
	static void (*const transmit[])(void *, const struct nic_frame *, uint64_t) = {
		[RINGSIDE_WIRE_SINK] = NULL,
		[RINGSIDE_WIRE_LOOP] = loop,
		[RINGSIDE_WIRE_PEER] = to_peer,
	};

	return (struct nic_wire){ .context = queue, .transmit = transmit[queue->port->args.wire] };
}

void ringside_wire_receive(struct ringside_queue *queue, uint64_t now)
{
	void *packet;

	while (queue->inbox && !rte_ring_dequeue(queue->inbox, &packet)) {
		struct rte_mbuf *m = packet;
		struct nic_frame frame = { .count = 1,
			.bytes = m->pkt_len,
			.segment = { { rte_pktmbuf_mtod(m, void *), m->pkt_len } } };

		nic_receive(queue->nic, &frame, now);
		rte_pktmbuf_free(m);
	}
}
