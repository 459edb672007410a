/* SPDX-License-Identifier: BSD-3-Clause */
/* net_ringside: probe and remove, and what ethdev asks of a driver. The table of it is at the end.
 */
#include "inspect.h"
#include "ringside.h"

#include <errno.h>
#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

RTE_LOG_REGISTER_DEFAULT(ringside_logtype, NOTICE)

static struct ringside_port *port_of(struct rte_eth_dev *dev)
{
	return dev->data->dev_private;
}

static unsigned pairs(const struct rte_eth_dev *dev)
{
	uint16_t rx = dev->data->nb_rx_queues, tx = dev->data->nb_tx_queues;

	return rx > tx ? rx : tx;
}

static int configure(struct rte_eth_dev *dev)
{
	(void)dev; /* ethdev has checked everything against what dev_info says */
	return 0;
}

static int dev_stop(struct rte_eth_dev *dev)
{
	struct ringside_port *port = port_of(dev);

	ringside_peers_leave(port);
	ringside_rx_interrupts_stop(port);
	for (unsigned i = 0; i < pairs(dev); i++)
		ringside_queue_stop(&port->queue[i]);
	ringside_wire_stop(port);
	ringside_events_stop(port);
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	for (unsigned i = 0; i < dev->data->nb_rx_queues; i++)
		dev->data->rx_queue_state[i] = RTE_ETH_QUEUE_STATE_STOPPED;
	for (unsigned i = 0; i < dev->data->nb_tx_queues; i++)
		dev->data->tx_queue_state[i] = RTE_ETH_QUEUE_STATE_STOPPED;
	return 0;
}

static int dev_start(struct rte_eth_dev *dev)
{
	struct ringside_port *port = port_of(dev);
	int error = ringside_events_start(port);

	if (!error)
		error = ringside_wire_start(port);
	for (unsigned i = 0; i < pairs(dev) && !error; i++)
		error = ringside_queue_start(&port->queue[i]);
	if (!error)
		error = ringside_rx_interrupts_start(port);
	if (error) {
		dev_stop(dev);
		return error;
	}
	ringside_peers_join(port);
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	for (unsigned i = 0; i < dev->data->nb_rx_queues; i++)
		dev->data->rx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
	for (unsigned i = 0; i < dev->data->nb_tx_queues; i++)
		dev->data->tx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

static int dev_close(struct rte_eth_dev *dev)
{
	struct ringside_port *port = port_of(dev);

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	for (unsigned i = 0; i < RINGSIDE_QUEUES_MOST; i++) {
		rte_ring_free(port->queue[i].inbox);
		port->queue[i].inbox = NULL;
	}
	ringside_wire_close(port);
	dev->data->mac_addrs = NULL; /* part of the private data, not an allocation */
	return 0;
}

static int dev_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct rte_eth_desc_lim limits = {
		.nb_max = RING_MOST,
		.nb_min = RING_LEAST,
		.nb_align = RING_MULTIPLE,
		.nb_seg_max = RINGSIDE_SEGMENTS,
		.nb_mtu_seg_max = RINGSIDE_SEGMENTS,
	};

	info->max_rx_queues = info->max_tx_queues = RINGSIDE_QUEUES_MOST;
	info->max_mac_addrs = 1;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_mtu = RINGSIDE_MTU_MOST;
	info->max_rx_pktlen = RINGSIDE_MTU_MOST + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	info->min_rx_bufsize = RX_BUFFER_BYTES;
	info->rx_desc_lim = info->tx_desc_lim = limits;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
				RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	info->default_rxportconf = (struct rte_eth_dev_portconf){ 32, 256, 1 };
	info->default_txportconf = (struct rte_eth_dev_portconf){ 32, 256, 1 };
	/* 0: what fits the ring is filled in */
	info->default_txconf.tx_free_thresh = port_of(dev)->args.profile->rs_threshold ? 0 : 32;
	info->speed_capa = RTE_ETH_LINK_SPEED_1G;
	return 0;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t index, uint16_t descriptors,
	unsigned socket, const struct rte_eth_rxconf *config, struct rte_mempool *pool)
{
	struct ringside_queue *queue = &port_of(dev)->queue[index];
	unsigned room = rte_pktmbuf_data_room_size(pool);

	(void)socket;
	(void)config;
	if (room < RX_BUFFER_BYTES + RTE_PKTMBUF_HEADROOM) {
		RINGSIDE_LOG(ERR,
			"rx queue %u: buffers of %u bytes; they take %u and a headroom of %u\n",
			index, room, RX_BUFFER_BYTES, RTE_PKTMBUF_HEADROOM);
		return -EINVAL;
	}
	queue->rx_ring_size = descriptors;
	queue->pool = pool;
	dev->data->rx_queues[index] = queue;
	return ringside_inbox_make(queue);
}

/* Fills in and checks the thresholds: -EINVAL after a line in the log, which has the rule. */
static int set_thresholds(
	struct ringside_queue *queue, uint16_t descriptors, const struct rte_eth_txconf *config)
{
	struct e1000e_thresholds *t = &queue->thresholds;
	const char *broken;

	*t = (struct e1000e_thresholds){ config->tx_rs_thresh, config->tx_free_thresh,
		config->tx_thresh.wthresh };
	broken = e1000e_thresholds_set(t, queue->port->args.profile, descriptors);
	if (!broken)
		return 0;
	RINGSIDE_LOG(ERR,
		"tx queue %u: %s (tx_rs_thresh=%u tx_free_thresh=%u wthresh=%u descriptors=%u)\n",
		queue->index, broken, t->rs, t->free, t->wthresh, descriptors);
	return -EINVAL;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t index, uint16_t descriptors,
	unsigned socket, const struct rte_eth_txconf *config)
{
	struct ringside_queue *queue = &port_of(dev)->queue[index];
	uint64_t reserve = port_of(dev)->args.reserve;

	(void)socket;
	if (reserve + 1 >= descriptors) {
		RINGSIDE_LOG(ERR,
			"tx queue %u: reserve=%" PRIu64 " leaves nothing of %u descriptors\n",
			index, reserve, descriptors);
		return -EINVAL;
	}
	if (set_thresholds(queue, descriptors, config))
		return -EINVAL;
	queue->tx_ring_size = descriptors;
	dev->data->tx_queues[index] = queue;
	return 0;
}

static void rx_queue_release(struct rte_eth_dev *dev, uint16_t index)
{
	port_of(dev)->queue[index].rx_ring_size = 0;
	port_of(dev)->queue[index].pool = NULL;
}

static void tx_queue_release(struct rte_eth_dev *dev, uint16_t index)
{
	port_of(dev)->queue[index].tx_ring_size = 0;
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats)
{
	struct ringside_port *port = port_of(dev);

	for (unsigned i = 0; i < pairs(dev); i++) {
		const struct ringside_queue *queue = &port->queue[i];

		stats->q_opackets[i] = ringside_count_named(queue, true, "packets");
		stats->q_obytes[i] = ringside_count_named(queue, true, "bytes");
		stats->q_ipackets[i] = ringside_count_named(queue, false, "packets");
		stats->q_ibytes[i] = ringside_count_named(queue, false, "bytes");
		stats->opackets += stats->q_opackets[i];
		stats->obytes += stats->q_obytes[i];
		stats->ipackets += stats->q_ipackets[i];
		stats->ibytes += stats->q_ibytes[i];
		stats->imissed += ringside_count_named(queue, false, "missed");
		stats->rx_nombuf += ringside_count_named(queue, false, "no_buffer");
		stats->oerrors += ringside_count_named(queue, true, "refused");
	}
	return 0;
}

static int stats_reset(struct rte_eth_dev *dev)
{
	for (unsigned i = 0; i < RINGSIDE_QUEUES_MOST; i++)
		ringside_counters_reset(&port_of(dev)->queue[i]);
	return 0;
}

static unsigned counters(void)
{
	unsigned count = 0;

	while (ringside_counters[count].name)
		count++;
	return count;
}

static int xstats_get_names(
	struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned size)
{
	unsigned all = counters() * pairs(dev);

	if (!names || size < all)
		return (int)all;
	for (unsigned i = 0; i < all; i++) {
		const struct ringside_counter *counter = &ringside_counters[i % counters()];

		snprintf(names[i].name, sizeof(names[i].name), "%s%u_%s", counter->tx ? "tx" : "rx",
			i / counters(), counter->name);
	}
	return (int)all;
}

static int xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned size)
{
	unsigned all = counters() * pairs(dev);

	if (!xstats || size < all)
		return (int)all;
	for (unsigned i = 0; i < all; i++) {
		xstats[i].id = i;
		xstats[i].value =
			ringside_count(&port_of(dev)->queue[i / counters()], i % counters());
	}
	return (int)all;
}

static int link_update(struct rte_eth_dev *dev, int wait)
{
	(void)wait;
	(void)dev; /* it is up while the port is started: dev_start and dev_stop say so */
	return 0;
}

static int mtu_set(struct rte_eth_dev *dev, uint16_t mtu)
{
	(void)dev;
	(void)mtu; /* ethdev has checked the range; a frame takes as many buffers as it needs */
	return 0;
}

static int mac_set(struct rte_eth_dev *dev, struct rte_ether_addr *address)
{
	port_of(dev)->mac = *address;
	return 0;
}

/* The wire has no other stations: every frame is for us, filtered or not. */
static int accept_all(struct rte_eth_dev *dev)
{
	(void)dev;
	return 0;
}

static const struct eth_dev_ops operations = {
	.dev_configure = configure,
	.dev_start = dev_start,
	.dev_stop = dev_stop,
	.dev_close = dev_close,
	.dev_infos_get = dev_info,
	.rx_queue_setup = rx_queue_setup,
	.tx_queue_setup = tx_queue_setup,
	.rx_queue_release = rx_queue_release,
	.tx_queue_release = tx_queue_release,
	.rxq_info_get = ringside_rxq_info,
	.txq_info_get = ringside_txq_info,
	.rx_burst_mode_get = ringside_burst_mode,
	.tx_burst_mode_get = ringside_burst_mode,
	.rx_queue_intr_enable = ringside_rx_interrupt_enable,
	.rx_queue_intr_disable = ringside_rx_interrupt_disable,
	.get_reg = ringside_get_reg,
	.tx_done_cleanup = ringside_queue_done_cleanup,
	.stats_get = stats_get,
	.stats_reset = stats_reset,
	.xstats_get_names = xstats_get_names,
	.xstats_get = xstats_get,
	.xstats_reset = stats_reset,
	.link_update = link_update,
	.mtu_set = mtu_set,
	.mac_addr_set = mac_set,
	.promiscuous_enable = accept_all,
	.promiscuous_disable = accept_all,
	.allmulticast_enable = accept_all,
	.allmulticast_disable = accept_all,
};

static int probe(struct rte_vdev_device *vdev)
{
	struct ringside_args args;
	struct ringside_port *port;
	struct rte_eth_dev *dev;
	int error;

	if (ringside_args_parse(&args, rte_vdev_device_args(vdev)))
		return -EINVAL;
	dev = rte_eth_vdev_allocate(vdev, sizeof(*port));
	if (!dev)
		return -ENOMEM;
	port = port_of(dev);
	port->dev = dev;
	port->args = args;
	error = ringside_wire_open(port);
	if (error) {
		rte_eth_dev_release_port(dev);
		return error;
	}
	for (unsigned i = 0; i < RINGSIDE_QUEUES_MOST; i++) {
		port->queue[i].port = port;
		port->queue[i].index = (uint16_t)i;
		rte_spinlock_init(&port->queue[i].lock);
	}
	/* locally administered, "RNGS", and the port's number */
	port->mac = (struct rte_ether_addr){ { 0x02, 'R', 'N', 'G', 'S',
		(uint8_t)dev->data->port_id } };
	dev->data->mac_addrs = &port->mac;
	dev->data->dev_link = (struct rte_eth_link){
		.link_speed = args.speed ? (uint32_t)args.speed : RTE_ETH_SPEED_NUM_100G,
		.link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
		.link_autoneg = RTE_ETH_LINK_FIXED,
	};
	dev->data->promiscuous = 1;
	dev->data->all_multicast = 1;
	dev->data->dev_flags |= RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS;
	dev->dev_ops = &operations;
	dev->rx_pkt_burst = ringside_rx_burst;
	dev->tx_pkt_burst = ringside_tx_burst;
	dev->rx_queue_count = ringside_rx_queue_count;
	dev->rx_descriptor_status = ringside_rx_descriptor_status;
	dev->tx_descriptor_status = ringside_tx_descriptor_status;
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int remove_port(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	if (!dev)
		return 0;
	if (dev->data->dev_started)
		dev_stop(dev);
	dev_close(dev);
	rte_eth_dev_release_port(dev);
	return 0;
}

static struct rte_vdev_driver driver = {
	.probe = probe,
	.remove = remove_port,
};

RTE_PMD_REGISTER_VDEV(net_ringside, driver);
RTE_PMD_REGISTER_PARAM_STRING(net_ringside, RINGSIDE_ARGUMENTS);
