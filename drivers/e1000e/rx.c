/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receive path: buffers are posted ahead, and each that the device has filled is replaced at
 * once, so that the ring is always as full as the pool allows. Written once, with and without
 * events.
 */
#include "port.h"

#include <string.h>

#define FILL_AT_ONCE 32 /* buffers, taken from the pool in one call */

static inline uint16_t next(const struct e1000e_rx_ring *ring, uint16_t index)
{
	return (uint16_t)(index + 1 == ring->count ? 0 : index + 1);
}

static inline void post(struct e1000e_rx_ring *ring, uint16_t index, struct rte_mbuf *buffer)
{
	ring->buffer[index] = buffer;
	ring->desc[index].buffer_addr = (uintptr_t)buffer->buf_addr + RTE_PKTMBUF_HEADROOM;
	ring->desc[index].status = 0;
}

static inline void write_tail(struct e1000e_port *port, uint64_t now)
{
	rte_io_wmb();
	port->config.registers.write(
		port->config.registers.device, REG_RDT, port->rx.next_to_use, now);
}

/* One descriptor always stays unposted: a tail that meets the head means an empty ring. */
static inline unsigned unposted(const struct e1000e_rx_ring *ring)
{
	return e1000e_unused(ring->next_to_use, ring->next_to_clean, ring->count);
}

unsigned e1000e_rx_fill(struct e1000e_port *port, uint64_t now)
{
	struct e1000e_rx_ring *ring = &port->rx;
	unsigned posted = 0;

	for (;;) {
		struct rte_mbuf *buffers[FILL_AT_ONCE];
		unsigned wanted = unposted(ring), got;

		if (!wanted)
			break;
		wanted = wanted < FILL_AT_ONCE ? wanted : FILL_AT_ONCE;
		got = port->config.stack.alloc(port->config.stack.context, buffers, wanted);
		for (unsigned i = 0; i < got; i++) {
			post(ring, ring->next_to_use, buffers[i]);
			ring->next_to_use = next(ring, ring->next_to_use);
		}
		posted += got;
		if (got < wanted) {
			port->stats.rx_no_buffer++;
			break;
		}
	}
	if (posted)
		write_tail(port, now);
	return posted;
}

uint64_t rx_rearm(uint16_t dpdk_port)
{
	struct rte_mbuf buffer = { .data_off = RTE_PKTMBUF_HEADROOM, .nb_segs = 1 };
	uint64_t rearm;

	rte_mbuf_refcnt_set(&buffer, 1);
	buffer.port = dpdk_port;
	memcpy(&rearm, buffer.rearm_data, sizeof(rearm));
	return rearm;
}

/*
 * Adds a filled buffer to the packet that is being put together. Returns the packet if it ends. Of
 * a buffer from the pool only the first cache line is written: the rest is as it has to be.
 */
static inline struct rte_mbuf *add_buffer(
	struct e1000e_rx_ring *ring, struct rte_mbuf *buffer, const struct rx_desc *desc)
{
	struct rte_mbuf *packet = ring->packet;

	memcpy(buffer->rearm_data, &ring->rearm, sizeof(ring->rearm));
	buffer->ol_flags = 0;
	buffer->packet_type = 0;
	buffer->pkt_len = desc->length;
	buffer->data_len = desc->length;
	buffer->vlan_tci = 0;
	if (packet) {
		packet->nb_segs++;
		packet->pkt_len += desc->length;
		ring->last->next = buffer;
	} else {
		packet = buffer;
	}
	ring->last = buffer;
	ring->packet = desc->status & RXD_STAT_EOP ? NULL : packet;
	return ring->packet ? NULL : packet;
}

static __rte_always_inline unsigned receive(struct e1000e_port *port, unsigned cpu,
	struct rte_mbuf **packets, unsigned most, uint64_t now, const bool traced)
{
	struct e1000e_rx_ring *ring = &port->rx;
	unsigned received = 0;

	while (received < most && ring->next_to_clean != ring->next_to_use) {
		uint16_t index = ring->next_to_clean;
		struct rx_desc *desc = &ring->desc[index];
		struct rte_mbuf *packet;

		/* 1. Has the device filled it? */
		if (!(desc->status & RXD_STAT_DD))
			break;

		/* 2. The buffer joins its packet; the last one completes it. */
		packet = add_buffer(ring, ring->buffer[index], desc);
		ring->buffer[index] = NULL;
		desc->status = 0;
		ring->next_to_clean = next(ring, index);
		if (!packet)
			continue;
		port->stats.rx_packets++;
		port->stats.rx_bytes += packet->pkt_len;
		if (traced)
			port_emit(port, cpu, EVENT_RECEIVE, packet, 0, now);
		packets[received++] = packet;
	}

	/* 3. New buffers take the place of those that left, and of those that the pool hadn't. */
	if (unposted(ring))
		e1000e_rx_fill(port, now);
	return received;
}

unsigned rx_receive_untraced(struct e1000e_port *port, unsigned cpu, struct rte_mbuf **packets,
	unsigned most, uint64_t now)
{
	return receive(port, cpu, packets, most, now, false);
}

unsigned rx_receive_traced(struct e1000e_port *port, unsigned cpu, struct rte_mbuf **packets,
	unsigned most, uint64_t now)
{
	return receive(port, cpu, packets, most, now, true);
}

void rx_abort(struct e1000e_port *port)
{
	struct e1000e_rx_ring *ring = &port->rx;

	for (; ring->next_to_clean != ring->next_to_use;
		ring->next_to_clean = next(ring, ring->next_to_clean))
		rte_pktmbuf_free(ring->buffer[ring->next_to_clean]);
	rte_pktmbuf_free(ring->packet);
	ring->packet = NULL;
}
