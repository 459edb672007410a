/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transmit path. The hot functions are written once, as inline bodies with a compile-time
 * `traced`, and instantiated with and without events: the untraced ones hold no trace of tracing.
 */
#include "port.h"

/* What e1000_xmit_frame asks for besides data and context: one for good measure, a gap of two. */
#define PRE_CHECK_GAP   3
#define CSUM_UDP_OFFSET 6  /* RFC 768: where the checksum stands in the header */
#define CSUM_TCP_OFFSET 16 /* RFC 9293, 3.1 */

void e1000e_xmit_returned(struct e1000e_port *port, unsigned cpu, const struct rte_mbuf *packet,
	uint32_t bytes, int rc, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_XMIT,
		.device = port->config.device,
		.queue = port->config.queue,
		.len = bytes,
		.packet = (uintptr_t)packet - port->config.packet_base,
		.arg = EVENT_PUT(XMIT, rc, (uint32_t)rc) };

	if (port->config.sink)
		port->config.sink->emit(port->config.sink, cpu, &event);
}

static inline uint16_t next(const struct e1000e_tx_ring *ring, uint16_t index)
{
	return (uint16_t)(index + 1 == ring->count ? 0 : index + 1);
}

/*
 * The context descriptor tells the device where the checksums are (82574 datasheet, 7.2.11). One
 * goes before every packet that asks for a checksum: the kernel's driver doesn't remember the last.
 */
static inline uint16_t post_context(
	struct e1000e_tx_ring *ring, uint16_t index, const struct rte_mbuf *packet)
{
	union tx_desc *desc = &ring->desc[index];
	bool tcp = (packet->ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM;
	uint8_t l4 = (uint8_t)(packet->l2_len + packet->l3_len);

	desc->context.ipcss = 0;
	desc->context.ipcso = 0;
	desc->context.ipcse = 0;
	desc->context.tucss = l4;
	desc->context.tucso = (uint8_t)(l4 + (tcp ? CSUM_TCP_OFFSET : CSUM_UDP_OFFSET));
	desc->context.tucse = 0;
	desc->context.cmd_length = TXD_CMD_DEXT | TXD_DTYP_CONTEXT | (tcp ? TXD_TUCMD_TCP : 0);
	desc->context.status = 0;
	desc->context.hdrlen = 0;
	desc->context.mss = 0;
	ring->buffer[index].packet = NULL;
	return next(ring, index);
}

/*
 * A descriptor per segment: extended ones where the device is to insert a checksum, else legacy
 * ones, as Linux has it. The last one asks for the report, and for its delay if there is one.
 */
static inline uint16_t post_data(struct e1000e_tx_ring *ring, uint16_t index,
	struct rte_mbuf *packet, bool checksum, uint32_t delay)
{
	const uint32_t command = TXD_CMD_IFCS | (checksum ? TXD_CMD_DEXT | TXD_DTYP_DATA : 0);
	const struct rte_mbuf *segment = packet;
	uint16_t last;

	do {
		union tx_desc *desc = &ring->desc[index];

		desc->data.buffer_addr = (uintptr_t)rte_pktmbuf_mtod(segment, void *);
		desc->data.cmd_length = command | segment->data_len;
		desc->data.status = checksum ? TXD_POPTS_TXSM : 0;
		ring->buffer[index].packet = NULL;
		last = index;
		index = next(ring, index);
		segment = segment->next;
	} while (segment);
	ring->desc[last].data.cmd_length |= TXD_CMD_EOP | TXD_CMD_RS | delay;
	ring->buffer[last].packet = packet;
	return last;
}

/* Rare enough, once a ringful, to ask here whether anybody listens. */
void tx_stop_queue(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	port->tx.stopped = true;
	port->stats.stops++;
	if (port->config.sink)
		port_emit(port, cpu, EVENT_STOP, NULL, 0, now);
}

static __rte_always_inline int xmit(struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet,
	uint64_t now, const bool traced)
{
	const struct e1000e_config *config = &port->config;
	struct e1000e_tx_ring *ring = &port->tx;
	bool checksum = config->context_always || packet->ol_flags & RTE_MBUF_F_TX_L4_MASK;
	unsigned needed = packet->nb_segs + (checksum ? 1u : 0u);
	uint16_t first = ring->next_to_use, index = first, last;

	if (traced)
		port_emit(port, cpu, EVENT_START_XMIT, packet, 0, now);

	/* 1. Is there room for all of it? If not, the caller keeps it and the queue stops. */
	if (unlikely(e1000e_desc_unused(ring) < needed + PRE_CHECK_GAP)) {
		tx_stop_queue(port, cpu, now);
		port->stats.busy++;
		return E1000E_TX_BUSY;
	}

	/* 2. Descriptors: the context first, then the data. */
	if (checksum)
		index = post_context(ring, index, packet);
	last = post_data(ring, index, packet, checksum, config->tidv ? TXD_CMD_IDE : 0);
	ring->buffer[first].time_stamp = now;
	ring->buffer[first].next_to_watch = last;
	ring->next_to_use = next(ring, last);
	port->stats.queued++;
	port->stats.queued_bytes += packet->pkt_len;

	/* 3. Could the largest packet still follow? If not, stop now, before it comes. */
	if (e1000e_desc_unused(ring) < config->reserve)
		tx_stop_queue(port, cpu, now);

	/* 4. The tail hands it to the device; descriptors must be in memory before that. */
	rte_io_wmb();
	config->registers.write(config->registers.device, REG_TDT, ring->next_to_use, now);
	return E1000E_TX_OK;
}

/* Frees the oldest packet, if the device has written its last descriptor back. */
static __rte_always_inline bool clean_packet(
	struct e1000e_port *port, unsigned cpu, uint64_t now, const bool traced)
{
	struct e1000e_tx_ring *ring = &port->tx;
	uint16_t index = ring->next_to_clean, last;
	struct rte_mbuf *packet;

	/* 1. An empty ring has no next_to_watch: what stands there is old. One round is enough for
	 * one pass: a sender on another CPU could keep it busy for ever. */
	if (index == ring->next_to_use || ring->cleaned >= ring->count)
		return false;
	last = ring->buffer[index].next_to_watch;
	if (!(ring->desc[last].data.status & TXD_STAT_DD))
		return false;

	/* 2. DD says that the whole packet is done, whatever the descriptors before it say. */
	packet = ring->buffer[last].packet;
	ring->buffer[index].time_stamp = 0;
	ring->buffer[last].packet = NULL;
	ring->desc[last].data.status = 0;
	ring->next_to_clean = next(ring, last);
	ring->cleaned += (last >= index ? 0u : ring->count) + last - index + 1u;
	port->stats.packets++;
	port->stats.bytes += packet->pkt_len;

	/* 3. The packet goes back to the stack, which may free or reuse it at once. */
	if (traced)
		port_emit(port, cpu, EVENT_FREE, packet, 0, now);
	port->config.stack.free(port->config.stack.context, packet, now);
	return true;
}

bool e1000e_clean_done(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	struct e1000e_tx_ring *ring = &port->tx;
	bool cleaned = ring->cleaned;

	ring->cleaned = 0;
	if (ring->detect_hang)
		port_check_hang(port, cpu, now);
	if (!cleaned || !ring->stopped || e1000e_desc_unused(ring) < port->config.wake_threshold)
		return false;
	ring->stopped = false;
	port->stats.wakes++;
	if (port->config.sink)
		port_emit(port, cpu, EVENT_WAKE, NULL, 0, now);
	return true;
}

void tx_abort(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	struct e1000e_tx_ring *ring = &port->tx;

	while (ring->next_to_clean != ring->next_to_use) {
		uint16_t last = ring->buffer[ring->next_to_clean].next_to_watch;
		struct rte_mbuf *packet = ring->buffer[last].packet;

		ring->next_to_clean = next(ring, last);
		if (port->config.sink)
			port_emit(port, cpu, EVENT_FREE, packet, EVENT_PUT(FREE, aborted, 1), now);
		port->config.stack.free(port->config.stack.context, packet, now);
	}
}

static int xmit_untraced(
	struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet, uint64_t now)
{
	return xmit(port, cpu, packet, now, false);
}

static int xmit_traced(
	struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet, uint64_t now)
{
	return xmit(port, cpu, packet, now, true);
}

static bool clean_packet_untraced(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	return clean_packet(port, cpu, now, false);
}

static bool clean_packet_traced(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	return clean_packet(port, cpu, now, true);
}

void e1000e_set_sink(struct e1000e_port *port, struct event_sink *sink)
{
	port->config.sink = sink;
	rx_select_instance(port);
	port->xmit = sink ? xmit_traced : xmit_untraced;
	port->clean_packet = sink ? clean_packet_traced : clean_packet_untraced;
}
