/* SPDX-License-Identifier: BSD-3-Clause */
/* The ethdev operations of inspect.c; their contracts are rte_ethdev.h's. */
#ifndef DRIVERS_RINGSIDE_INSPECT_H
#define DRIVERS_RINGSIDE_INSPECT_H

#include "ringside.h"

int ringside_rx_descriptor_status(void *rx_queue, uint16_t offset);
int ringside_tx_descriptor_status(void *tx_queue, uint16_t offset);
uint32_t ringside_rx_queue_count(void *rx_queue);
void ringside_rxq_info(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_rxq_info *info);
void ringside_txq_info(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_txq_info *info);
int ringside_burst_mode(struct rte_eth_dev *dev, uint16_t index, struct rte_eth_burst_mode *mode);

/*
 * STATUS ITR IMS RCTL TCTL RDLEN RDH RDT RDTR RADV TDLEN TDH TDT TIDV TXDCTL TADV, 32 bits each, of
 * queue 0. -ENODEV while the port is stopped.
 */
int ringside_get_reg(struct rte_eth_dev *dev, struct rte_dev_reg_info *info);

#endif
