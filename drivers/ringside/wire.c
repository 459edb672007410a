/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of wire, and those of them that stay inside DPDK: sink, loop and peer. */
#include "wire.h"

#include <errno.h>
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
	struct rte_eth_dev *dev = rte_eth_dev_get_by_name(queue->port->args.wire_argument);
	struct ringside_port *peer;
	uint16_t queues;

	if (!dev || dev->rx_pkt_burst != ringside_rx_burst)
		return NULL;
	peer = dev->data->dev_private;
	queues = dev->data->nb_rx_queues;
	return queues ? &peer->queue[queue->index % queues] : NULL;
}

static int peer_open(struct ringside_port *port)
{
	if (*port->args.wire_argument)
		return 0;
	RINGSIDE_LOG(ERR, "wire=peer:: it takes the name of a port\n");
	return -EINVAL;
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
		return;
	}
	ringside_rx_interrupt_kick(peer);
}

static const struct ringside_wire_type sink = { .name = "sink" };
static const struct ringside_wire_type looped = { .name = "loop", .transmit = loop };
static const struct ringside_wire_type peer_port = {
	.name = "peer", .takes_argument = true, .open = peer_open, .transmit = to_peer
};

static const struct ringside_wire_type *const types[] = { &sink, &looped, &peer_port,
	&ringside_wire_pcap, &ringside_wire_tap };

const struct ringside_wire_type *ringside_wire_find(const char *value, const char **argument)
{
	size_t name = strcspn(value, ":");

	for (size_t i = 0; i < RTE_DIM(types); i++) {
		if (strlen(types[i]->name) != name || strncmp(types[i]->name, value, name) ||
			types[i]->takes_argument != (value[name] == ':'))
			continue;
		*argument = value[name] ? value + name + 1 : "";
		return types[i];
	}
	return NULL;
}

int ringside_wire_open(struct ringside_port *port)
{
	const struct ringside_wire_type *type = port->args.wire;
	int error = type->open ? type->open(port) : 0;

	if (error)
		ringside_wire_close(port);
	return error;
}

int ringside_wire_start(struct ringside_port *port)
{
	const struct ringside_wire_type *type = port->args.wire;

	return type->start ? type->start(port) : 0;
}

void ringside_wire_stop(struct ringside_port *port)
{
	if (port->args.wire->stop)
		port->args.wire->stop(port);
}

void ringside_wire_close(struct ringside_port *port)
{
	if (port->args.wire->close)
		port->args.wire->close(port);
}

struct nic_wire ringside_wire_of(struct ringside_queue *queue)
{
	return (struct nic_wire){ .context = queue, .transmit = queue->port->args.wire->transmit };
}

void ringside_wire_give(
	struct ringside_queue *queue, const void *data, uint32_t bytes, uint64_t now)
{
	struct nic_frame frame = { .count = 1, .bytes = bytes, .segment = { { data, bytes } } };

	nic_receive(queue->nic, &frame, now);
}

bool ringside_wire_has_room(struct ringside_queue *queue, uint32_t bytes, uint64_t now)
{
	uint32_t ring = queue->rx_ring_size, head, tail;

	if (!ring)
		return false;
	head = nic_read(queue->nic, REG_RDH, now);
	tail = nic_read(queue->nic, REG_RDT, now);
	return (tail + ring - head) % ring * RX_BUFFER_BYTES >= bytes;
}

/* A peer may have named us whatever our own wire is. */
void ringside_wire_receive(struct ringside_queue *queue, uint64_t now)
{
	void *packet;

	while (queue->inbox && !rte_ring_dequeue(queue->inbox, &packet)) {
		struct rte_mbuf *m = packet;

		ringside_wire_give(queue, rte_pktmbuf_mtod(m, void *), m->pkt_len, now);
		rte_pktmbuf_free(m);
	}
	if (queue->port->args.wire->receive)
		queue->port->args.wire->receive(queue, now);
}
