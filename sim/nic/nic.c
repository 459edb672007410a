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
	nic->irq.tidv_at = nic->irq.tadv_at = nic->irq.raise_at = CYCLES_NEVER;
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

/*
 * The next thing: a frame has left, a delay is over, the line goes up.
 */
static uint64_t next_thing(const struct nic *nic)
{
	const struct nic_tx *tx = &nic->tx;
	const struct nic_interrupt *irq = &nic->irq;
	uint64_t at = irq->raise_at;

	if (irq->tidv_at < at)
		at = irq->tidv_at;
	if (irq->tadv_at < at)
		at = irq->tadv_at;
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
	} else if (nic->irq.tidv_at == at || nic->irq.tadv_at == at) {
		interrupt_delay_over(nic, at);
	} else {
		interrupt_raise(nic, at);
	}
}

void nic_advance(struct nic *nic, uint64_t now)
{
	while (nic->deadline <= now && nic->deadline != CYCLES_NEVER) {
		execute(nic, nic->deadline);
		nic->deadline = next_thing(nic);
	}
	nic->now = now;
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
	default:
		return offset < REG_WINDOW_BYTES ? nic->registers[offset / 4] : 0;
	}
}

/* Base or length have changed: the ring is a new one, empty. */
static void set_ring(struct nic *nic)
{
	struct nic_tx *tx = &nic->tx;
	uint64_t base =
		(uint64_t)nic->registers[REG_TDBAH / 4] << 32 | nic->registers[REG_TDBAL / 4];

	free(tx->slot);
	*tx = (struct nic_tx){ .enabled = tx->enabled, .wthresh = tx->wthresh };
	tx->ring = (union tx_desc *)(uintptr_t)base;
	tx->count = nic->registers[REG_TDLEN / 4] / (uint32_t)sizeof(union tx_desc);
	tx->slot = calloc(tx->count ? tx->count : 1, sizeof(*tx->slot));
	if (!tx->ring || !tx->slot)
		tx->count = 0;
}

void nic_write(void *device, uint32_t offset, uint32_t value, uint64_t now)
{
	struct nic *nic = device;
	const uint64_t hz = nic->config.hz;

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
		set_ring(nic);
		break;
	case REG_TCTL:
		nic->tx.enabled = value & TCTL_EN;
		break;
	case REG_TXDCTL:
		nic->tx.wthresh = value >> TXDCTL_WTHRESH_SHIFT & TXDCTL_WTHRESH_MASK;
		break;
	case REG_ITR:
		nic->irq.gap = cycles_of_ns((uint64_t)(value & 0xffff) * ITR_UNIT_NS, hz);
		break;
	case REG_TIDV:
		nic->irq.tidv = cycles_of_ns((uint64_t)(value & 0xffff) * DELAY_UNIT_NS, hz);
		if (value & TIDV_FPD) { /* clears itself; what the delay held back comes now */
			nic->registers[offset / 4] &= ~TIDV_FPD;
			tx_write_back(nic, now);
			if (nic->irq.tidv_at != CYCLES_NEVER)
				interrupt_delay_over(nic, now);
		}
		break;
	case REG_TADV:
		nic->irq.tadv = cycles_of_ns((uint64_t)(value & 0xffff) * DELAY_UNIT_NS, hz);
		break;
	case REG_ICS:
		interrupt_cause(nic, value & ~ICR_INT_ASSERTED, now);
		break;
	case REG_IMS:
		nic->irq.mask |= value;
		interrupt_mask_changed(nic, now);
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
