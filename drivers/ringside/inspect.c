/* SPDX-License-Identifier: BSD-3-Clause */
/* What ethdev lets a program see of a queue: descriptors, settings, modes, registers. */
#include "inspect.h"

#include <errno.h>
#include <rte_cycles.h>
#include <stdio.h>

/* The descriptor `offset` places behind the driver's, in a ring of `count`. */
static uint16_t index_of(uint16_t from, uint16_t offset, uint16_t count)
{
	return (uint16_t)((from + offset) % count);
}

static void advance(struct ringside_queue *queue)
{
	rte_spinlock_lock(&queue->lock);
	ringside_advance(queue, rte_get_tsc_cycles());
	ringside_unlock(queue);
}

static int rx_status(const struct ringside_queue *queue, uint16_t offset)
{
	const struct e1000e_rx_ring *ring = &queue->driver->rx;
	uint16_t posted;

	posted = (uint16_t)((ring->next_to_use + ring->count - ring->next_to_clean) % ring->count);
	if (offset >= posted)
		return RTE_ETH_RX_DESC_UNAVAIL;
	return ring->desc[index_of(ring->next_to_clean, offset, ring->count)].status & RXD_STAT_DD
		       ? RTE_ETH_RX_DESC_DONE
		       : RTE_ETH_RX_DESC_AVAIL;
}

int ringside_rx_descriptor_status(void *rx_queue, uint16_t offset)
{
	struct ringside_queue *queue = rx_queue;

	if (!queue->driver || offset >= queue->rx_ring_size)
		return -EINVAL;
	advance(queue);
	return rx_status(queue, offset);
}

/* From the descriptor that the next packet takes on: full until it has been cleaned. */
int ringside_tx_descriptor_status(void *tx_queue, uint16_t offset)
{
	struct ringside_queue *queue = tx_queue;
	const struct e1000e_tx_ring *ring;
	uint16_t used, behind, last, left;

	if (!queue->driver || offset >= queue->tx_ring_size)
		return -EINVAL;
	advance(queue);
	ring = &queue->driver->tx;
	used = (uint16_t)((ring->next_to_use + ring->count - ring->next_to_clean) % ring->count);
	behind = (uint16_t)(ring->count - offset); /* places behind the next packet's */
	if (!offset || behind > used)
		return RTE_ETH_TX_DESC_DONE;
	/* only the one that asked for a report says that it and those before it are done */
	last = index_of(ring->next_to_use, offset, ring->count);
	for (left = (uint16_t)(ring->count - offset); left; left--) {
		if (ring->buffer[last].packet && ring->desc[last].data.cmd_length & TXD_CMD_RS)
			break;
		last = index_of(last, 1, ring->count);
	}
	return left && ring->desc[last].data.status & TXD_STAT_DD ? RTE_ETH_TX_DESC_DONE
								  : RTE_ETH_TX_DESC_FULL;
}

uint32_t ringside_rx_queue_count(void *rx_queue)
{
	struct ringside_queue *queue = rx_queue;
	uint32_t count = 0;

	if (!queue->driver)
		return 0;
	advance(queue);
	while (count < queue->rx_ring_size &&
		rx_status(queue, (uint16_t)count) == RTE_ETH_RX_DESC_DONE)
		count++;
	return count;
}

void ringside_rxq_info(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_rxq_info *info)
{
	const struct ringside_queue *queue = dev->data->rx_queues[index];

	info->mp = queue->pool;
	info->nb_desc = queue->rx_ring_size;
	info->rx_buf_size = RX_BUFFER_BYTES;
	info->scattered_rx = 1;
	info->conf.rx_drop_en = 1;
}

void ringside_txq_info(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_txq_info *info)
{
	const struct ringside_queue *queue = dev->data->tx_queues[index];

	info->nb_desc = queue->tx_ring_size;
	info->conf.tx_free_thresh = queue->thresholds.free;
	info->conf.tx_rs_thresh = queue->thresholds.rs;
	info->conf.tx_thresh.wthresh = (uint8_t)queue->thresholds.wthresh;
}

int ringside_burst_mode(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_burst_mode *mode)
{
	const struct ringside_port *port = dev->data->dev_private;

	(void)index;
	snprintf(mode->info, sizeof(mode->info), "Modelled e1000e, %s",
		port->events ? "traced" : "untraced");
	return 0;
}

/* The register window of queue 0's device. ICR isn't among them: reading would clear it. */
int ringside_get_reg(struct rte_eth_dev *dev, struct rte_dev_reg_info *info)
{
	static const uint32_t offsets[] = { REG_STATUS, REG_ITR, REG_IMS, REG_RCTL, REG_TCTL,
		REG_RDLEN, REG_RDH, REG_RDT, REG_RDTR, REG_RADV, REG_TDLEN, REG_TDH, REG_TDT,
		REG_TIDV, REG_TXDCTL, REG_TADV };
	struct ringside_queue *queue = &((struct ringside_port *)dev->data->dev_private)->queue[0];
	uint32_t *out = info->data;
	uint64_t now;

	if (!out) {
		info->width = sizeof(uint32_t);
		info->length = RTE_DIM(offsets);
		return 0;
	}
	if (info->length && info->length != RTE_DIM(offsets))
		return -ENOTSUP;
	if (!queue->nic)
		return -ENODEV;
	rte_spinlock_lock(&queue->lock);
	now = rte_get_tsc_cycles();
	ringside_advance(queue, now);
	for (unsigned i = 0; i < RTE_DIM(offsets); i++)
		out[i] = nic_read(queue->nic, offsets[i], now);
	ringside_unlock(queue);
	info->version = 1;
	return 0;
}
