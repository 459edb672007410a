/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The burst functions. Each takes the queue's lock, brings the device up to the present, does what
 * an interrupt that came meanwhile would have done, and then its own part.
 */
#include "ringside.h"

#include <rte_cycles.h>
#include <rte_mbuf.h>

/* The poll function of Linux, transmit half: all that is written back goes back to the pool. */
static void clean(struct ringside_queue *queue, uint64_t now)
{
	while (e1000e_clean_packet(queue->driver, queue->index, now))
		;
	e1000e_clean_done(queue->driver, queue->index, now);
}

void ringside_advance(struct ringside_queue *queue, uint64_t now)
{
	ringside_wire_receive(queue, now);
	nic_advance(queue->nic, now);
	queue->advanced_at = now;
}

void ringside_poll(struct ringside_queue *queue, uint64_t now)
{
	uint64_t raised, gap = now - queue->polled_at;

	if (gap > queue->stats.longest_gap)
		queue->stats.longest_gap = gap;
	queue->polled_at = now;
	ringside_advance(queue, now);
	if (unlikely(now >= queue->watchdog_at)) {
		e1000e_watchdog(queue->driver, now);
		queue->watchdog_at = now + E1000E_WATCHDOG_S * rte_get_tsc_hz();
	}
	if (!nic_take_interrupt(queue->nic, &raised) || !e1000e_interrupt(queue->driver, now))
		return;
	if (queue->port->events)
		ringside_events_irq(queue, raised, queue->driver->cause, now);
	if (queue->driver->cause & (ICR_RXT0 | ICR_RXO))
		ringside_rx_interrupt(queue);
	if (queue->port->args.clean == RINGSIDE_CLEAN_IRQ)
		clean(queue, now);
	e1000e_poll_done(queue->driver, now);
}

uint16_t ringside_rx_burst(void *rx_queue, struct rte_mbuf **packets, uint16_t count)
{
	struct ringside_queue *queue = rx_queue;
	uint64_t now;
	unsigned received;

	rte_spinlock_lock(&queue->lock);
	now = rte_get_tsc_cycles();
	ringside_poll(queue, now);
	received = e1000e_receive(queue->driver, queue->index, packets, count, now);
	if (!e1000e_rx_waiting(queue->driver))
		queue->rx_cause = false; /* all that it was for have been fetched */
	ringside_rx_interrupt_rearm(queue, now);
	ringside_unlock(queue);
	return (uint16_t)received;
}

/*
 * Without an interrupt that does it, the ring is cleaned when it runs short: of all that is done,
 * or by a driver that cleans itself of a batch; that one also does it when a packet doesn't fit.
 */
static void clean_if_short(struct ringside_queue *queue, uint64_t now)
{
	const struct e1000e_tx_ring *ring = &queue->driver->tx;
	enum ringside_clean mode = queue->port->args.clean;
	bool few = mode == RINGSIDE_CLEAN_THRESHOLD &&
		   e1000e_desc_unused(ring) < queue->thresholds.free;

	if (queue->driver->config.cleans_itself) {
		if (few)
			e1000e_clean_batch(queue->driver, queue->index, now);
	} else if (few || (mode != RINGSIDE_CLEAN_IRQ && ring->stopped)) {
		clean(queue, now);
	}
}

/* It would come again for ever. */
static bool never_fits(const struct ringside_queue *queue, const struct rte_mbuf *packet)
{
	return packet->nb_segs > RINGSIDE_SEGMENTS || e1000e_never_fits(queue->driver, packet);
}

static __rte_always_inline uint16_t transmit(
	struct ringside_queue *queue, struct rte_mbuf **packets, uint16_t count, const bool traced)
{
	uint16_t sent = 0;
	uint64_t now;

	rte_spinlock_lock(&queue->lock);
	now = rte_get_tsc_cycles();
	ringside_poll(queue, now);
	clean_if_short(queue, now);
	for (; sent < count && !queue->driver->tx.stopped; sent++) {
		struct rte_mbuf *packet = packets[sent];
		uint32_t bytes = packet->pkt_len;
		int rc;

		if (unlikely(never_fits(queue, packet))) {
			queue->stats.tx_refused++;
			rte_pktmbuf_free(packet);
			continue;
		}
		rc = e1000e_xmit(queue->driver, queue->index, packet, now);
		if (rc == E1000E_TX_BUSY && queue->driver->config.never_stops)
			break; /* it was never started */
		if (traced)
			e1000e_xmit_returned(queue->driver, queue->index, packet, bytes, rc, now);
		if (rc == E1000E_TX_BUSY)
			break;
	}
	if (sent && queue->driver->more_follows)
		e1000e_write_tail(queue->driver, now);
	ringside_rx_interrupt_rearm(queue, now);
	ringside_unlock(queue);
	return sent;
}

uint16_t ringside_tx_burst(void *queue, struct rte_mbuf **packets, uint16_t count)
{
	return transmit(queue, packets, count, false);
}

uint16_t ringside_tx_burst_traced(void *queue, struct rte_mbuf **packets, uint16_t count)
{
	return transmit(queue, packets, count, true);
}

int ringside_queue_done_cleanup(void *tx_queue, uint32_t most)
{
	struct ringside_queue *queue = tx_queue;
	uint32_t cleaned = 0;
	uint64_t now;

	rte_spinlock_lock(&queue->lock);
	now = rte_get_tsc_cycles();
	ringside_advance(queue, now);
	while ((!most || cleaned < most) && e1000e_clean_packet(queue->driver, queue->index, now))
		cleaned++;
	e1000e_clean_done(queue->driver, queue->index, now);
	ringside_unlock(queue);
	return (int)cleaned;
}
