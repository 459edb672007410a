/* SPDX-License-Identifier: BSD-3-Clause */
/* The device as a whole: registers, and the one loop that executes things in their time order. */
#include "device.h"

#include <stdlib.h>

struct nic *nic_create(const struct nic_config *config)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->config = *config;
	if (EVENT_LISTENER(config->sink)) {
		nic->write_back = tx_write_back_traced;
		nic->raise_line = interrupt_raise_traced;
	} else {
		nic->write_back = tx_write_back_untraced;
		nic->raise_line = interrupt_raise_untraced;
	}
	nic->fetch_cycles = cycles_of_ns(config->fetch_ns, config->hz);
	nic->irq.tx = nic->irq.rx =
		(struct nic_delay){ .packet_at = CYCLES_NEVER, .absolute_at = CYCLES_NEVER };
	nic->irq.tx.cause = ICR_TXDW;
	nic->irq.rx.cause = ICR_RXT0;
	nic->irq.raise_at = CYCLES_NEVER;
	nic->deadline = CYCLES_NEVER;
	return nic;
}

void nic_destroy(struct nic *nic)
{
	if (!nic)
		return;
	free(nic->tx.slot);
	free(nic);
}

const struct nic_stats *nic_stats(const struct nic *nic)
{
	return &nic->stats;
}

static uint64_t delay_at(const struct nic_delay *delay)
{
	return delay->packet_at < delay->absolute_at ? delay->packet_at : delay->absolute_at;
}

/*
 * The next thing: a frame has left, a delay is over, the line goes up.
 */
static uint64_t next_thing(const struct nic *nic)
{
	const struct nic_tx *tx = &nic->tx;
	const struct nic_interrupt *irq = &nic->irq;
	uint64_t at = irq->raise_at;

	if (delay_at(&irq->tx) < at)
		at = delay_at(&irq->tx);
	if (delay_at(&irq->rx) < at)
		at = delay_at(&irq->rx);
	if (tx->sending && tx->sent_at < at)
		at = tx->sent_at;
	return at;
}

static void execute(struct nic *nic, uint64_t at)
{
	const struct nic_tx *tx = &nic->tx;

	if (tx->sending && tx->sent_at == at) {
		tx_packet_sent(nic, at);
		tx_start_packet(nic);
	} else if (delay_at(&nic->irq.tx) == at) {
		interrupt_delay_over(nic, &nic->irq.tx, at);
	} else if (delay_at(&nic->irq.rx) == at) {
		interrupt_delay_over(nic, &nic->irq.rx, at);
	} else {
		nic->raise_line(nic, at);
	}
}

void nic_advance(struct nic *nic, uint64_t now)
{
	nic->advancing = true;
	while (nic->deadline <= now && nic->deadline != CYCLES_NEVER) {
		execute(nic, nic->deadline);
		nic->deadline = next_thing(nic);
	}
	nic->advancing = false;
	nic->now = now;
}

void nic_receive(struct nic *nic, const struct nic_frame *frame, uint64_t now)
{
	if (nic->advancing) { /* from the device's own wire: it is at that time already */
		rx_frame(nic, frame, now);
		return;
	}
	nic_advance(nic, now);
	rx_frame(nic, frame, now);
	nic->deadline = next_thing(nic);
}

uint64_t nic_deadline(const struct nic *nic)
{
	return nic->deadline;
}

bool nic_take_interrupt(struct nic *nic, uint64_t *raised)
{
	if (!nic->irq.raised)
		return false;
	nic->irq.raised = false;
	*raised = nic->irq.raised_at;
	return true;
}

/* The high half of a 64-bit counter, which is cleared by reading it (82574 datasheet, 10.2.7). */
static uint32_t take_high(uint64_t *counter)
{
	uint32_t high = (uint32_t)(*counter >> 32);

	*counter = 0;
	return high;
}

uint32_t nic_read(void *device, uint32_t offset, uint64_t now)
{
	struct nic *nic = device;
	uint32_t value;

	nic_advance(nic, now);
	switch (offset) {
	case REG_ICR: /* reading it clears it */
		value = nic->irq.cause;
		if (value & nic->irq.mask)
			value |= ICR_INT_ASSERTED;
		nic->irq.cause = 0;
		return value;
	case REG_IMS:
		return nic->irq.mask;
	case REG_STATUS:
		return STATUS_LU |
		       (fault_held_until(nic, NIC_FAULT_LINK_PAUSE, now) ? STATUS_TXOFF : 0);
	case REG_TDH:
		return nic->tx.head;
	case REG_TDT:
		return nic->tx.tail;
	case REG_RDH:
		return nic->rx.head;
	case REG_GORCL:
		return (uint32_t)nic->octets_in;
	case REG_GOTCL:
		return (uint32_t)nic->octets_out;
	case REG_GORCH:
		return take_high(&nic->octets_in);
	case REG_GOTCH:
		return take_high(&nic->octets_out);
	default:
		return offset < REG_WINDOW_BYTES ? nic->registers[offset / 4] : 0;
	}
}

static void *ring_base(const struct nic *nic, uint32_t low, uint32_t high)
{
	return (void *)(uintptr_t)((uint64_t)nic->registers[high / 4] << 32 |
				   nic->registers[low / 4]);
}

/* Base or length have changed: the ring is a new one, empty. */
static void set_tx_ring(struct nic *nic)
{
	struct nic_tx *tx = &nic->tx;

	free(tx->slot);
	*tx = (struct nic_tx){ .enabled = tx->enabled, .wthresh = tx->wthresh };
	tx->ring = ring_base(nic, REG_TDBAL, REG_TDBAH);
	tx->count = nic->registers[REG_TDLEN / 4] / (uint32_t)sizeof(union tx_desc);
	tx->slot = calloc(tx->count ? tx->count : 1, sizeof(*tx->slot));
	if (!tx->ring || !tx->slot)
		tx->count = 0;
}

static void set_rx_ring(struct nic *nic)
{
	struct nic_rx *rx = &nic->rx;

	*rx = (struct nic_rx){ .enabled = rx->enabled };
	rx->ring = ring_base(nic, REG_RDBAL, REG_RDBAH);
	if (rx->ring)
		rx->count = nic->registers[REG_RDLEN / 4] / (uint32_t)sizeof(struct rx_desc);
}

/* ITR, and the delays: registers of 16 bits in units of their own. */
static uint64_t cycles_of(const struct nic *nic, uint32_t value, uint64_t unit_ns)
{
	return cycles_of_ns((value & 0xffff) * unit_ns, nic->config.hz);
}

void nic_write(void *device, uint32_t offset, uint32_t value, uint64_t now)
{
	struct nic *nic = device;

	nic_advance(nic, now);
	if (offset < REG_WINDOW_BYTES)
		nic->registers[offset / 4] = value;
	switch (offset) {
	case REG_TDT:
		tx_tail_written(nic, value);
		break;
	case REG_TDBAL:
	case REG_TDBAH:
	case REG_TDLEN:
		set_tx_ring(nic);
		break;
	case REG_RDT:
		if (value < nic->rx.count) /* else a driver's bug */
			nic->rx.tail = value;
		break;
	case REG_RDBAL:
	case REG_RDBAH:
	case REG_RDLEN:
		set_rx_ring(nic);
		break;
	case REG_RCTL:
		nic->rx.enabled = value & RCTL_EN;
		break;
	case REG_RDTR:
		nic->irq.rx.packet = cycles_of(nic, value, DELAY_UNIT_NS);
		break;
	case REG_RADV:
		nic->irq.rx.absolute = cycles_of(nic, value, DELAY_UNIT_NS);
		break;
	case REG_TCTL:
		nic->tx.enabled = value & TCTL_EN;
		break;
	case REG_TXDCTL:
		nic->tx.wthresh = value >> TXDCTL_WTHRESH_SHIFT & TXDCTL_WTHRESH_MASK;
		break;
	case REG_ITR:
		nic->irq.gap = cycles_of(nic, value, ITR_UNIT_NS);
		break;
	case REG_TIDV:
		nic->irq.tx.packet = cycles_of(nic, value, DELAY_UNIT_NS);
		if (value & TIDV_FPD) { /* clears itself; what the delay held back comes now */
			nic->registers[offset / 4] &= ~TIDV_FPD;
			nic->write_back(nic, now);
			if (delay_at(&nic->irq.tx) != CYCLES_NEVER)
				interrupt_delay_over(nic, &nic->irq.tx, now);
		}
		break;
	case REG_TADV:
		nic->irq.tx.absolute = cycles_of(nic, value, DELAY_UNIT_NS);
		break;
	case REG_ICS:
		interrupt_cause(nic, value & ~ICR_INT_ASSERTED, now);
		break;
	case REG_IMS:
		nic->irq.mask |= value;
		interrupt_cause(nic, 0, now);
		break;
	case REG_IMC:
		nic->irq.mask &= ~value;
		break;
	default:
		break;
	}
	tx_start_packet(nic);
	nic->deadline = next_thing(nic);
}
