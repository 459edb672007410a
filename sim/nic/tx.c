/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptor engine: fetch, read, send, write back (82574 datasheet, 7.2). Packets leave in
 * order, one on the wire at a time; the next one's data is read while the wire is busy.
 */
#include "device.h"

#define PREAMBLE_AND_GAP_BYTES 20 /* IEEE 802.3: preamble and SFD 8, gap 12 */
#define FCS_BYTES              4
#define LEAST_FRAME_BYTES      60 /* without FCS; shorter ones are padded */

static uint64_t cycles_of_bits(uint64_t bits, uint32_t mbps, uint64_t hz)
{
	if (!mbps)
		return 0;
	if (hz == CYCLES_NS_PER_S) /* no need for a wide division */
		return bits * 1000 / mbps;
	return (uint64_t)((cycles_product)bits * hz / (UINT64_C(1000000) * mbps));
}

uint64_t nic_wire_cycles(const struct nic_config *config, uint32_t frame_bytes)
{
	uint64_t bytes = frame_bytes < LEAST_FRAME_BYTES ? LEAST_FRAME_BYTES : frame_bytes;

	bytes += FCS_BYTES + PREAMBLE_AND_GAP_BYTES;
	return cycles_of_bits(8 * bytes, config->line_rate_mbps, config->hz);
}

uint64_t tx_held_until(const struct nic *nic, enum nic_fault_type type, uint64_t at)
{
	for (unsigned i = 0; i < nic->config.fault_count; i++) {
		const struct nic_fault *fault = &nic->config.faults[i];

		if (fault->type != type || at < fault->at)
			continue;
		if (!fault->duration)
			return CYCLES_NEVER;
		if (at < fault->at + fault->duration)
			return fault->at + fault->duration;
	}
	return 0;
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
		tx->posted[i] = nic->now;
	tx->tail = tail;
}

/*
 * Sums up the packet at head: its end, its bytes, its first buffer. Returns false if the tail comes
 * before its EOP: the driver hasn't posted all of it.
 */
static bool read_descriptors(struct nic_tx *tx, uint64_t *first_buffer, uint64_t *posted)
{
	*first_buffer = 0;
	tx->packet_bytes = 0;
	for (uint32_t i = tx->head; i != tx->tail; i = next(tx, i)) {
		const union tx_desc *desc = &tx->ring[i];
		uint32_t lower = desc->data.cmd_length;

		*posted = tx->posted[i];
		if (lower & TXD_CMD_DEXT && (lower & TXD_DTYP_MASK) == TXD_DTYP_CONTEXT)
			continue;
		if (!*first_buffer)
			*first_buffer = desc->data.buffer_addr;
		tx->packet_bytes +=
			lower & (lower & TXD_CMD_DEXT ? TXD_DATA_LENGTH : TXD_LEGACY_LENGTH);
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

/* Begins with the packet at head if there is one; when it will have left is known at once. */
void tx_start_packet(struct nic *nic)
{
	const struct nic_config *config = &nic->config;
	struct nic_tx *tx = &nic->tx;
	uint64_t buffer, posted, wire_at, paused_until;

	if (tx->sending || !tx->enabled || tx->head == tx->tail)
		return;
	if (!read_descriptors(tx, &buffer, &posted))
		return;
	tx->dma_free_at =
		later(posted + cycles_of_ns(config->fetch_ns, config->hz), tx->dma_free_at);
	tx->dma_free_at +=
		cycles_of_bits(8 * (uint64_t)tx->packet_bytes, config->dma_rate_mbps, config->hz);
	wire_at = later(tx->dma_free_at, tx->wire_free_at);
	paused_until = tx_held_until(nic, NIC_FAULT_LINK_PAUSE, wire_at);
	tx->wire_free_at = later(wire_at, paused_until);
	if (tx->wire_free_at != CYCLES_NEVER)
		tx->wire_free_at += nic_wire_cycles(config, tx->packet_bytes);
	tx->sent_at = tx->wire_free_at;
	tx->packet = config->packet_stride ? (buffer - config->packet_base) /
						     config->packet_stride * config->packet_stride
					   : buffer;
	tx->sending = true;
}

/* Takes the next of a fault's losses, if one is due. */
static bool lose_write_back(struct nic *nic, uint64_t now)
{
	for (unsigned i = 0; i < nic->config.fault_count; i++) {
		struct nic_fault *fault = &nic->config.faults[i];

		if (fault->type == NIC_FAULT_WRITEBACK_LOSS && fault->at <= now && fault->count) {
			fault->count--;
			nic->stats.writebacks_lost++;
			return true;
		}
	}
	return false;
}

/* Sets DD in every finished descriptor that asks for it. */
void tx_write_back(struct nic *nic, uint64_t now)
{
	struct nic_tx *tx = &nic->tx;

	for (; tx->write_from != tx->head; tx->write_from = next(tx, tx->write_from)) {
		union tx_desc *desc = &tx->ring[tx->write_from];

		if (desc->data.cmd_length & TXD_CMD_RS && !lose_write_back(nic, now))
			desc->data.status |= TXD_STAT_DD;
	}
	tx->unwritten = 0;
}

/* The last bit has left: head moves, DD is written back, a cause or a delay timer starts. */
void tx_packet_sent(struct nic *nic, uint64_t now)
{
	struct nic_tx *tx = &nic->tx;
	uint32_t last = tx->packet_end ? tx->packet_end - 1 : tx->count - 1;
	uint32_t command = tx->ring[last].data.cmd_length;

	nic->stats.packets++;
	nic->stats.bytes += tx->packet_bytes;
	tx->sending = false;
	tx->head = tx->packet_end;
	if (command & TXD_CMD_RS && ++tx->unwritten >= tx->wthresh)
		tx_write_back(nic, now);
	if (nic->config.sink) {
		struct event event = { .time = now,
			.id = EVENT_DONE,
			.device = nic->config.device,
			.len = tx->packet_bytes,
			.packet = tx->packet,
			.arg = EVENT_PUT(DONE, index, last) };

		nic->config.sink->emit(nic->config.sink, nic->config.sink_cpu, &event);
	}
	if (!(command & TXD_CMD_RS))
		return;
	if (command & TXD_CMD_IDE)
		interrupt_delayed(nic, now);
	else
		interrupt_cause(nic, ICR_TXDW, now);
}
