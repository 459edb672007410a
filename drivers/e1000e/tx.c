/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transmit path. The hot functions are written once, as inline bodies with a compile-time
 * `traced`, and instantiated with and without events: the untraced ones hold no trace of tracing.
 */
#include "port.h"

/* What e1000_xmit_frame asks for besides data and context: one for good measure, a gap of two. */
#define PRE_CHECK_GAP   3
#define CSUM_IP_OFFSET  10 /* RFC 791, 3.1: where the checksum stands in the header */
#define CSUM_UDP_OFFSET 6  /* RFC 768 */
#define CSUM_TCP_OFFSET 16 /* RFC 9293, 3.1 */
#define OFFLOAD_LENGTHS 0xffff

static inline uint16_t next(const struct e1000e_tx_ring *ring, uint16_t index)
{
	return (uint16_t)(index + 1 == ring->count ? 0 : index + 1);
}

/*
 * What the packet asks of the device, as one number: the flags, and the lengths l2_len and l3_len,
 * which are the low 16 bits of tx_offload. 0: nothing. Linux's driver leaves IP checksums to the
 * stack.
 */
static inline uint64_t offload_of(const struct e1000e_config *config, const struct rte_mbuf *packet)
{
	uint64_t flags = packet->ol_flags & RTE_MBUF_F_TX_L4_MASK;

	if (config->context_always && !flags)
		flags = RTE_MBUF_F_TX_UDP_CKSUM;
	if (config->context_reused)
		flags |= packet->ol_flags & RTE_MBUF_F_TX_IP_CKSUM;
	return flags ? flags | (packet->tx_offload & OFFLOAD_LENGTHS) : 0;
}

static inline bool needs_context(
	const struct e1000e_config *config, const struct e1000e_tx_ring *ring, uint64_t offload)
{
	return offload && !(config->context_reused && offload == ring->context);
}

/* The context descriptor tells the device where the checksums are (82574 datasheet, 7.2.11). */
static inline uint16_t post_context(struct e1000e_tx_ring *ring, uint16_t index,
	const struct rte_mbuf *packet, uint64_t offload)
{
	union tx_desc *desc = &ring->desc[index];
	bool ip = offload & RTE_MBUF_F_TX_IP_CKSUM, l4 = offload & RTE_MBUF_F_TX_L4_MASK;
	bool tcp = (offload & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM;
	uint8_t l2_len = (uint8_t)packet->l2_len;
	uint16_t l4_at = (uint16_t)(l2_len + packet->l3_len);
	uint8_t l4_checksum = tcp ? CSUM_TCP_OFFSET : CSUM_UDP_OFFSET;

	desc->context.ipcss = ip ? l2_len : 0;
	desc->context.ipcso = ip ? (uint8_t)(l2_len + CSUM_IP_OFFSET) : 0;
	desc->context.ipcse = ip ? (uint16_t)(l4_at - 1) : 0;
	desc->context.tucss = (uint8_t)l4_at;
	desc->context.tucso = l4 ? (uint8_t)(l4_at + l4_checksum) : 0;
	desc->context.tucse = 0;
	desc->context.cmd_length = TXD_CMD_DEXT | TXD_DTYP_CONTEXT | (tcp ? TXD_TUCMD_TCP : 0) |
				   (ip ? TXD_TUCMD_IP : 0);
	desc->context.status = 0;
	desc->context.hdrlen = 0;
	desc->context.mss = 0;
	ring->buffer[index].packet = NULL;
	ring->context = offload;
	return next(ring, index);
}

/*
 * A descriptor per segment: extended ones where the device is to insert a checksum, else legacy
 * ones, as Linux has it. The last one has the interrupt's delay, if there is one.
 */
static inline uint16_t post_data(struct e1000e_tx_ring *ring, uint16_t index,
	struct rte_mbuf *packet, uint64_t offload, uint32_t delay)
{
	const uint32_t command = TXD_CMD_IFCS | (offload ? TXD_CMD_DEXT | TXD_DTYP_DATA : 0);
	const struct rte_mbuf *segment = packet;
	uint32_t options = (offload & RTE_MBUF_F_TX_L4_MASK ? TXD_POPTS_TXSM : 0) |
			   (offload & RTE_MBUF_F_TX_IP_CKSUM ? TXD_POPTS_IXSM : 0);
	uint16_t last;

	do {
		union tx_desc *desc = &ring->desc[index];

		desc->data.buffer_addr = (uintptr_t)rte_pktmbuf_mtod(segment, void *);
		desc->data.cmd_length = command | segment->data_len;
		desc->data.status = options;
		ring->buffer[index].packet = NULL;
		last = index;
		index = next(ring, index);
		segment = segment->next;
	} while (segment);
	ring->desc[last].data.cmd_length |= TXD_CMD_EOP | delay;
	ring->buffer[last].packet = packet;
	return last;
}

/* The packet that fills a batch asks for its report, with a threshold of 0 or 1 each packet. */
static inline void ask_for_report(struct e1000e_port *port, uint16_t last, unsigned descriptors)
{
	struct e1000e_tx_ring *ring = &port->tx;

	ring->unreported_count = (uint16_t)(ring->unreported_count + descriptors);
	if (ring->unreported_count < port->config.rs_threshold)
		return;
	ring->desc[last].data.cmd_length |= TXD_CMD_RS;
	ring->buffer[ring->unreported].report = last;
	ring->unreported = next(ring, last);
	ring->unreported_count = 0;
}

static __rte_always_inline void stop_queue(
	struct e1000e_port *port, unsigned cpu, uint64_t now, const bool traced)
{
	port->tx.stopped = true;
	port->stats.stops++;
	if (traced)
		port_emit(port, cpu, EVENT_STOP, NULL, 0, now);
}

void tx_stop_queue(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	stop_queue(port, cpu, now, EVENT_LISTENER(port->config.sink));
}

unsigned e1000e_clean_batch(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	unsigned packets = 0;

	while (port->hot.clean_packet(port, cpu, now)) {
		packets++;
		if (port->tx.next_to_clean == port->tx.reported)
			break;
	}
	port->tx.cleaned = 0;
	return packets;
}

/* Where the queue never stops: descriptors are taken back batch by batch until there are enough. */
static bool make_room(struct e1000e_port *port, unsigned cpu, unsigned needed, uint64_t now)
{
	while (e1000e_desc_unused(&port->tx) < needed) {
		if (!port->config.cleans_itself || !e1000e_clean_batch(port, cpu, now)) {
			port->stats.busy++;
			return false;
		}
	}
	return true;
}

bool e1000e_never_fits(const struct e1000e_port *port, const struct rte_mbuf *packet)
{
	const struct e1000e_config *config = &port->config;
	unsigned needed = packet->nb_segs;

	needed += needs_context(config, &port->tx, offload_of(config, packet)) ? 1 : 0;
	needed += config->never_stops ? 0 : PRE_CHECK_GAP;
	return needed + port->tx.unreported_count > port->tx.count - 1u;
}

/* Descriptors must be in memory before the device hears of them. */
void e1000e_write_tail(struct e1000e_port *port, uint64_t now)
{
	const struct e1000e_registers *registers = &port->config.registers;

	rte_io_wmb();
	registers->write(registers->device, REG_TDT, port->tx.next_to_use, now);
}

/* Up to the payload, where who sends says how long its headers are. */
static uint64_t header_bytes(const struct rte_mbuf *packet)
{
	return packet->l4_len ? (uint64_t)packet->l2_len + packet->l3_len + packet->l4_len : 0;
}

static __rte_always_inline int xmit(struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet,
	uint64_t now, const bool traced)
{
	const struct e1000e_config *config = &port->config;
	struct e1000e_tx_ring *ring = &port->tx;
	uint64_t offload = offload_of(config, packet);
	bool context = needs_context(config, ring, offload);
	unsigned needed = packet->nb_segs + (context ? 1u : 0u);
	uint16_t first = ring->next_to_use, index = first, last;

	if (unlikely(config->never_stops) && !make_room(port, cpu, needed, now))
		return E1000E_TX_BUSY;
	if (traced)
		port_emit(port, cpu, EVENT_START_XMIT, packet,
			EVENT_PUT(START_XMIT, header_bytes, header_bytes(packet)), now);

	/* 1. Is there room for all of it? If not, the caller keeps it and the queue stops. */
	if (unlikely(e1000e_desc_unused(ring) < needed + PRE_CHECK_GAP) && !config->never_stops) {
		stop_queue(port, cpu, now, traced);
		port->stats.busy++;
		return E1000E_TX_BUSY;
	}

	/* 2. Descriptors: the context first, then the data. */
	if (context)
		index = post_context(ring, index, packet, offload);
	last = post_data(ring, index, packet, offload, config->tidv ? TXD_CMD_IDE : 0);
	ask_for_report(port, last, needed);
	ring->buffer[first].time_stamp = now;
	ring->buffer[first].next_to_watch = last;
	ring->next_to_use = next(ring, last);
	port->stats.queued++;
	port->stats.queued_bytes += packet->pkt_len;

	/* 3. Could the largest packet still follow? If not, stop now, before it comes. */
	if (e1000e_desc_unused(ring) < config->reserve && !config->never_stops)
		stop_queue(port, cpu, now, traced);

	/* 4. The tail hands it to the device, unless more follows at once. */
	if (!port->more_follows || ring->stopped)
		e1000e_write_tail(port, now);
	return E1000E_TX_OK;
}

/* Frees the oldest packet, if the device has written its last descriptor back. */
static __rte_always_inline bool clean_packet(
	struct e1000e_port *port, unsigned cpu, uint64_t now, const bool traced)
{
	struct e1000e_tx_ring *ring = &port->tx;
	uint16_t index = ring->next_to_clean, last;
	struct rte_mbuf *packet;

	/* 1. One round is enough for one pass: a sender on another CPU could keep it busy for
	 * ever. */
	if (ring->cleaned >= ring->count)
		return false;

	/* 2. Is its batch done? One that is being filled has no report yet: what stands there is
	 * old. DD says that all of the batch is done, whatever the descriptors before it say. */
	if (index == ring->reported) {
		if (index == ring->unreported)
			return false;
		last = ring->buffer[index].report;
		if (!(ring->desc[last].data.status & TXD_STAT_DD))
			return false;
		ring->reported = next(ring, last);
	}

	/* 3. Its descriptors are free. */
	last = ring->buffer[index].next_to_watch;
	packet = ring->buffer[last].packet;
	ring->buffer[index].time_stamp = 0;
	ring->buffer[last].packet = NULL;
	ring->desc[last].data.status = 0;
	ring->next_to_clean = next(ring, last);
	ring->cleaned += (last >= index ? 0u : ring->count) + last - index + 1u;
	port->stats.packets++;
	port->stats.bytes += packet->pkt_len;

	/* 4. The packet goes back to the stack, which may free or reuse it at once. */
	if (traced)
		port_emit(port, cpu, EVENT_FREE, packet, 0, now);
	port->config.stack.free(port->config.stack.context, packet, now);
	return true;
}

static __rte_always_inline bool clean_done(
	struct e1000e_port *port, unsigned cpu, uint64_t now, const bool traced)
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
	if (traced)
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
		if (EVENT_LISTENER(port->config.sink))
			port_emit(port, cpu, EVENT_FREE, packet, EVENT_PUT(FREE, aborted, 1), now);
		port->config.stack.free(port->config.stack.context, packet, now);
	}
}

#define INSTANCES(name, traced)                                                                \
	static int xmit_##name(                                                                \
		struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet, uint64_t now) \
	{                                                                                      \
		return xmit(port, cpu, packet, now, traced);                                   \
	}                                                                                      \
	static bool clean_packet_##name(struct e1000e_port *port, unsigned cpu, uint64_t now)  \
	{                                                                                      \
		return clean_packet(port, cpu, now, traced);                                   \
	}                                                                                      \
	static bool clean_done_##name(struct e1000e_port *port, unsigned cpu, uint64_t now)    \
	{                                                                                      \
		return clean_done(port, cpu, now, traced);                                     \
	}                                                                                      \
	static const struct e1000e_instances name = {                                          \
		.xmit = xmit_##name,                                                           \
		.clean_packet = clean_packet_##name,                                           \
		.clean_done = clean_done_##name,                                               \
		.receive = rx_receive_##name,                                                  \
	};

INSTANCES(traced, true)
INSTANCES(untraced, false)

void e1000e_set_sink(struct e1000e_port *port, struct event_sink *sink)
{
	port->config.sink = EVENT_LISTENER(sink);
	port->hot = port->config.sink ? traced : untraced;
	if (port->config.receive_untraced)
		port->hot.receive = untraced.receive;
}
