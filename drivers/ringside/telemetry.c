/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Telemetry: "/net_ringside/ring,PORT" gives the transmit ring of each queue, as driver and device
 * have it: {"queue_0": {"size", "next_to_use", "next_to_clean", "tdh", "tdt", "stopped" (0 or 1),
 * "in_ring" (descriptors), "interrupts" (since the statistics were reset), "longest_gap_us"
 * (between two polls)}, ...}. Looking brings the device up to the present, as reading a register
 * does; it takes no interrupt and cleans nothing: that is the polls' business.
 */
#include "ringside.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_telemetry.h>
#include <stdio.h>
#include <stdlib.h>

static int add_ring(struct rte_tel_data *ring, struct ringside_queue *queue)
{
	const struct e1000e_tx_ring *tx;
	uint64_t now;

	rte_tel_data_start_dict(ring);
	rte_spinlock_lock(&queue->lock);
	if (!queue->driver) { /* it was stopped in the meantime */
		ringside_unlock(queue);
		return -ENODEV;
	}
	tx = &queue->driver->tx;
	now = rte_get_tsc_cycles();
	ringside_advance(queue, now);
	rte_tel_data_add_dict_u64(ring, "size", tx->count);
	rte_tel_data_add_dict_u64(ring, "next_to_use", tx->next_to_use);
	rte_tel_data_add_dict_u64(ring, "next_to_clean", tx->next_to_clean);
	rte_tel_data_add_dict_u64(ring, "tdh", nic_read(queue->nic, REG_TDH, now));
	rte_tel_data_add_dict_u64(ring, "tdt", nic_read(queue->nic, REG_TDT, now));
	rte_tel_data_add_dict_u64(ring, "stopped", tx->stopped);
	rte_tel_data_add_dict_u64(ring, "in_ring", tx->count - 1u - e1000e_desc_unused(tx));
	rte_tel_data_add_dict_u64(
		ring, "interrupts", ringside_count_named(queue, true, "interrupts"));
	rte_tel_data_add_dict_u64(ring, "longest_gap_us",
		ringside_count_named(queue, true, "longest_poll_gap_ns") / 1000);
	ringside_unlock(queue);
	return 0;
}

/* The port that `parameters` names; NULL: it is none of ours, or not started. */
static struct rte_eth_dev *find(const char *parameters)
{
	struct rte_eth_dev *dev;
	unsigned long number;
	char *end;

	if (!parameters || *parameters < '0' || *parameters > '9')
		return NULL;
	number = strtoul(parameters, &end, 10);
	if (*end || number >= RTE_MAX_ETHPORTS || !rte_eth_dev_is_valid_port((uint16_t)number))
		return NULL;
	dev = &rte_eth_devices[number];
	return dev->rx_pkt_burst == ringside_rx_burst ? dev : NULL;
}

static int rings(const char *command, const char *parameters, struct rte_tel_data *reply)
{
	struct rte_eth_dev *dev = find(parameters);
	struct ringside_port *port;

	(void)command;
	if (!dev)
		return -EINVAL;
	port = dev->data->dev_private;
	rte_tel_data_start_dict(reply);
	for (unsigned i = 0; i < dev->data->nb_tx_queues; i++) {
		struct rte_tel_data *ring = rte_tel_data_alloc();
		char name[16];
		int error;

		if (!ring)
			return -ENOMEM;
		snprintf(name, sizeof(name), "queue_%u", i);
		error = add_ring(ring, &port->queue[i]);
		if (!error)
			error = rte_tel_data_add_dict_container(reply, name, ring, 0);
		if (error) {
			rte_tel_data_free(ring);
			return error;
		}
	}
	return 0;
}

RTE_INIT(ringside_telemetry)
{
	rte_telemetry_register_cmd("/net_ringside/ring", rings,
		"The transmit rings of a net_ringside port. Parameters: port number");
}
