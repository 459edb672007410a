/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue pair's life: its device and driver exist while the port is started. */
#include "ringside.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <string.h>

void ringside_free_waiting(struct ringside_queue *queue)
{
	rte_pktmbuf_free_bulk(queue->to_free, queue->to_free_count);
	queue->to_free_count = 0;
}

/* Packets go back to their pools many at a time: at the latest when the lock is released. */
static void free_packet(void *context, struct rte_mbuf *packet, uint64_t now)
{
	struct ringside_queue *queue = context;

	(void)now;
	queue->to_free[queue->to_free_count++] = packet;
	if (queue->to_free_count == RTE_DIM(queue->to_free))
		ringside_free_waiting(queue);
}

/* All that were asked for or, where the pool runs low, as many as it has; as they are in it. */
static unsigned alloc_buffers(void *context, struct rte_mbuf **buffers, unsigned count)
{
	struct ringside_queue *queue = context;
	unsigned got = 0;

	if (!rte_mempool_get_bulk(queue->pool, (void **)buffers, count))
		return count;
	while (got < count && (buffers[got] = rte_mbuf_raw_alloc(queue->pool)))
		got++;
	return got;
}

static int make_device(struct ringside_queue *queue, uint64_t now)
{
	const struct ringside_args *args = &queue->port->args;
	struct nic_config config = {
		.hz = rte_get_tsc_hz(),
		.line_rate_mbps = (uint32_t)args->speed,
		.sink = queue->port->events,
		.sink_cpu = queue->index,
		.irq_entry = ringside_events_irq_arg(queue),
		.device = 0,
		.wire = ringside_wire_of(queue),
	};

	ringside_faults_fill(&config, args, now);
	queue->nic = nic_create(&config);
	return queue->nic ? 0 : -ENOMEM;
}

static int make_driver(struct ringside_queue *queue, uint64_t now)
{
	const struct ringside_args *args = &queue->port->args;
	bool polled = args->clean != RINGSIDE_CLEAN_IRQ;
	struct e1000e_config config = {
		.hz = rte_get_tsc_hz(),
		.ring_size = queue->tx_ring_size ? queue->tx_ring_size : RING_LEAST,
		.rx_ring_size = queue->rx_ring_size,
		.reserve = (uint16_t)args->reserve,
		.wake_threshold = args->profile->wake_threshold,
		.context_always = args->checksum_always,
		.context_reused = args->profile->context_reused,
		.never_stops = args->profile->never_stops,
		.cleans_itself = args->profile->never_stops && polled,
		.rs_threshold = args->profile->rs_threshold ? queue->thresholds.rs : 0,
		.wthresh = (uint8_t)queue->thresholds.wthresh,
		.interrupt_throttle_rate = (uint32_t)args->itr,
		.tidv = (uint16_t)args->tidv,
		.tadv = (uint16_t)args->tadv,
		.rdtr = (uint16_t)args->rdtr,
		.radv = (uint16_t)args->radv,
		.flush_before_hang = args->profile->flush_before_hang,
		.link_speed_mbps = (uint32_t)args->speed,
		.registers = { .device = queue->nic, .read = nic_read, .write = nic_write },
		.stack = { .context = queue, .free = free_packet, .alloc = alloc_buffers },
		.sink = queue->port->events,
		.queue = (uint8_t)queue->index,
		.dpdk_port = queue->port->dev->data->port_id,
	};

	return e1000e_open(&queue->driver, &config, now);
}

int ringside_queue_start(struct ringside_queue *queue)
{
	uint64_t now = rte_get_tsc_cycles();
	int error = make_device(queue, now);

	if (!error)
		error = make_driver(queue, now);
	if (!error)
		queue->driver->more_follows = queue->port->args.profile->xmit_more;
	queue->polled_at = queue->advanced_at = now;
	queue->watchdog_at = queue->port->args.itr == 4 ? now + E1000E_WATCHDOG_S * rte_get_tsc_hz()
							: CYCLES_NEVER;
	if (error)
		ringside_queue_stop(queue);
	return error;
}

void ringside_queue_stop(struct ringside_queue *queue)
{
	uint64_t now = rte_get_tsc_cycles();

	rte_spinlock_lock(&queue->lock);
	if (queue->driver) {
		nic_advance(queue->nic, now); /* what it has done since the last poll counts, too */
		ringside_counters_keep(queue);
		e1000e_close(queue->driver, queue->index, now);
	}
	nic_destroy(queue->nic);
	queue->driver = NULL;
	queue->nic = NULL;
	ringside_inbox_drain(queue);
	ringside_unlock(queue);
}
