/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptor engine: fetch, read, send, write back (82574 datasheet, 7.2). Packets leave in
 * order, one on the wire at a time; the next one's data is read while the wire is busy.
 */
#include "device.h"

#define PREAMBLE_AND_GAP_BYTES 20 /* IEEE 802.3: preamble and SFD 8, gap 12 */

static uint64_t cycles_of_bits(uint64_t bits, uint32_t mbps, uint64_t hz)
{
	if (!mbps)
		return 0;
	if (hz == CYCLES_NS_PER_S) /* no need for a wide division */
		return bits * 1000 / mbps;
	return (uint64_t)((cycles_product)bits * hz / (UINT64_C(1000000) * mbps));
}

/* With padding and FCS. */
static uint64_t octets_of(uint32_t frame_bytes)
{
	return (frame_bytes < LEAST_FRAME_BYTES ? LEAST_FRAME_BYTES : frame_bytes) + FCS_BYTES;
}

uint64_t nic_wire_cycles(const struct nic_config *config, uint32_t frame_bytes)
{
	uint64_t bytes = octets_of(frame_bytes) + PREAMBLE_AND_GAP_BYTES;

	return cycles_of_bits(8 * bytes, config->line_rate_mbps, config->hz);
}

static uint32_t next(const struct nic_tx *tx, uint32_t index)
{
	return index + 1 == tx->count ? 0 : index + 1;
}

void tx_tail_written(struct nic *nic, uint32_t tail)
{
	struct nic_tx *tx = &nic->tx;

	if (tail >= tx->count) /* a driver's bug; the device has nothing sensible to do with it */
		return;
	for (uint32_t i = tx->tail; i != tail; i = next(tx, i))
		tx->slot[i].posted = nic->now;
	tx->tail = tail;
}

static bool is_context(uint32_t lower)
{
	return lower & TXD_CMD_DEXT && (lower & TXD_DTYP_MASK) == TXD_DTYP_CONTEXT;
}

/* Bytes of a data or legacy descriptor's buffer. */
static uint32_t length_of(uint32_t lower)
{
	return lower & (lower & TXD_CMD_DEXT ? TXD_DATA_LENGTH : TXD_LEGACY_LENGTH);
}

/*
 * Sums up the packet at head: its end, its bytes, its first buffer. Returns false if the tail comes
 * before its EOP: the driver hasn't posted all of it.
 */
static bool read_descriptors(struct nic_tx *tx, uint64_t *first_buffer, uint64_t *posted)
{
	*first_buffer = 0;
	tx->packet_bytes = 0;
	tx->packet_reports = false;
	for (uint32_t i = tx->head; i != tx->tail; i = next(tx, i)) {
		const union tx_desc *desc = &tx->ring[i];
		uint32_t lower = desc->data.cmd_length;

		*posted = tx->slot[i].posted;
		tx->packet_reports = tx->packet_reports || lower & TXD_CMD_RS;
		if (is_context(lower))
			continue;
		if (!*first_buffer)
			*first_buffer = desc->data.buffer_addr;
		tx->packet_bytes += length_of(lower);
		if (lower & TXD_CMD_EOP) {
			tx->packet_end = next(tx, i);
			return true;
		}
	}
	return false;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The frame is on the wire from `at` on, or from when pauses and stops let it. One that a stop cuts
 * off starts anew after it. CYCLES_NEVER: it never leaves.
 */
static void occupy_wire(struct nic *nic, uint64_t at)
{
	struct nic_tx *tx = &nic->tx;
	uint64_t held = nic->config.fault_count; /* without faults nothing holds it */

	tx->wire_cycles = nic_wire_cycles(&nic->config, tx->packet_bytes);
	while (held && at != CYCLES_NEVER) {
		held = fault_held_until(nic, NIC_FAULT_LINK_PAUSE, at);
		if (!held)
			held = fault_held_until(nic, NIC_FAULT_TX_STOP, at);
		if (!held)
			held = fault_cuts_off(nic, at, at + tx->wire_cycles);
		at = held ? held : at;
	}
	tx->wire_free_at = at == CYCLES_NEVER ? at : at + tx->wire_cycles;
	tx->sent_at = tx->wire_free_at;
}

/* Begins with the packet at head if there is one; when it will have left is known at once. */
void tx_start_packet(struct nic *nic)
{
	const struct nic_config *config = &nic->config;
	struct nic_tx *tx = &nic->tx;
	uint64_t buffer, posted;

	if (tx->sending || !tx->enabled || tx->head == tx->tail)
		return;
	if (!read_descriptors(tx, &buffer, &posted))
		return;
	tx->dma_free_at = later(posted + nic->fetch_cycles, tx->dma_free_at);
	tx->dma_free_at +=
		cycles_of_bits(8 * (uint64_t)tx->packet_bytes, config->dma_rate_mbps, config->hz);
	tx->packet = config->packet_stride ? (buffer - config->packet_base) /
						     config->packet_stride * config->packet_stride
					   : buffer;
	tx->sending = true;
	/* not before now: it may have been posted before the transmitter was enabled */
	occupy_wire(nic, later(nic->now, later(tx->dma_free_at, tx->wire_free_at)));
}

static void emit_done(struct nic *nic, uint32_t index, uint64_t now)
{
	const struct nic_slot *slot = &nic->tx.slot[index];
	struct event event = { .time = now,
		.id = EVENT_DONE,
		.device = nic->config.device,
		.len = slot->bytes,
		.packet = slot->packet,
		.arg = EVENT_PUT(DONE, index, index) };

	event_emit(nic->config.sink, nic->config.sink_cpu, event);
}

/*
 * Sets DD in every finished descriptor that asks for it. Those that don't have their interrupt
 * delayed cause one now; for the others a delay has been running since they were finished.
 */
static inline __attribute__((always_inline)) void write_back(
	struct nic *nic, uint64_t now, const bool traced)
{
	struct nic_tx *tx = &nic->tx;
	bool at_once = false;

	for (; tx->write_from != tx->head; tx->write_from = next(tx, tx->write_from)) {
		union tx_desc *desc = &tx->ring[tx->write_from];
		uint32_t command = desc->data.cmd_length;

		if (!(command & TXD_CMD_RS))
			continue;
		at_once = at_once || !(command & TXD_CMD_IDE);
		if (nic->config.fault_count && fault_loses(nic, NIC_FAULT_WRITEBACK_LOSS, now)) {
			nic->stats.writebacks_lost++;
			continue;
		}
		desc->data.status |= TXD_STAT_DD;
		if (traced && command & TXD_CMD_EOP)
			emit_done(nic, tx->write_from, now);
	}
	tx->unwritten = 0;
	if (at_once)
		interrupt_cause(nic, ICR_TXDW, now);
}

void tx_write_back_traced(struct nic *nic, uint64_t now)
{
	write_back(nic, now, true);
}

void tx_write_back_untraced(struct nic *nic, uint64_t now)
{
	write_back(nic, now, false);
}

/* Hands the packet to the other end of the wire, piece by piece. */
static void put_on_wire(struct nic *nic, uint64_t now)
{
	const struct nic_tx *tx = &nic->tx;
	struct nic_frame frame; /* a kilobyte that is better not cleared for each packet */

	frame.count = 0;
	frame.bytes = 0;
	for (uint32_t i = tx->head; i != tx->packet_end; i = next(tx, i)) {
		uint32_t lower = tx->ring[i].data.cmd_length;

		if (is_context(lower))
			continue;
		if (frame.count == NIC_SEGMENTS_MOST) /* longer than any driver's packet */
			break;
		frame.segment[frame.count].data = (void *)(uintptr_t)tx->ring[i].data.buffer_addr;
		frame.segment[frame.count].bytes = length_of(lower);
		frame.bytes += frame.segment[frame.count++].bytes;
	}
	nic->config.wire.transmit(nic->config.wire.context, &frame, now);
}

/* The last bit has left: head moves, a delay timer starts, what WTHRESH allows is written back. */
void tx_packet_sent(struct nic *nic, uint64_t now)
{
	struct nic_tx *tx = &nic->tx;
	uint32_t last = tx->packet_end ? tx->packet_end - 1 : tx->count - 1;
	uint32_t command = tx->ring[last].data.cmd_length;
	uint32_t descriptors = (last >= tx->head ? 0 : tx->count) + last - tx->head + 1;

	nic->stats.packets++;
	nic->stats.bytes += tx->packet_bytes;
	nic->octets_out += octets_of(tx->packet_bytes);
	if (nic->config.wire.transmit)
		put_on_wire(nic, now);
	nic->stats.wire_busy += tx->wire_cycles;
	tx->slot[last].packet = tx->packet;
	tx->slot[last].bytes = tx->packet_bytes;
	tx->sending = false;
	tx->head = tx->packet_end;
	tx->unwritten += descriptors;
	if (command & TXD_CMD_RS && command & TXD_CMD_IDE)
		interrupt_delayed(nic, &nic->irq.tx, now);
	if (tx->packet_reports && tx->unwritten >= tx->wthresh)
		nic->write_back(nic, now);
}
