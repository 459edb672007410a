/* SPDX-License-Identifier: BSD-3-Clause */
/* A port's life: set-up, interrupts, watchdog, the end. The hot path is in tx.c. */
#include "port.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t read_register(struct e1000e_port *port, uint32_t offset, uint64_t now)
{
	return port->config.registers.read(port->config.registers.device, offset, now);
}

static void write_register(struct e1000e_port *port, uint32_t offset, uint32_t value, uint64_t now)
{
	port->config.registers.write(port->config.registers.device, offset, value, now);
}

static bool rx_ring_valid(const struct e1000e_config *config)
{
	return !config->rx_ring_size ||
	       (config->stack.alloc && config->rx_ring_size >= RING_LEAST &&
		       config->rx_ring_size <= RING_MOST &&
		       config->rx_ring_size % RING_MULTIPLE == 0);
}

static bool config_valid(const struct e1000e_config *config)
{
	return config->hz && config->ring_size >= RING_LEAST && config->ring_size <= RING_MOST &&
	       config->ring_size % RING_MULTIPLE == 0 && config->reserve < config->ring_size - 1 &&
	       config->wake_threshold < config->ring_size &&
	       config->rs_threshold < config->ring_size && config->wthresh <= TXDCTL_WTHRESH_MASK &&
	       rx_ring_valid(config) &&
	       e1000e_throttle_kind(config->interrupt_throttle_rate) != E1000E_THROTTLE_INVALID;
}

uint32_t e1000e_throttle_register(uint32_t rate)
{
	return rate ? (uint32_t)(UINT64_C(1000000000) / ((uint64_t)rate * ITR_UNIT_NS)) : 0;
}

/* The causes that the driver wants to hear of. */
static uint32_t interrupts(const struct e1000e_port *port)
{
	return (port->config.cleans_itself ? 0 : ICR_TXDW) |
	       (port->rx.count ? ICR_RXT0 | ICR_RXO : 0);
}

static void set_up_device(struct e1000e_port *port, uint64_t now)
{
	const struct e1000e_config *config = &port->config;
	uint64_t tx = (uintptr_t)port->tx.desc, rx = (uintptr_t)port->rx.desc;

	write_register(port, REG_IMC, UINT32_MAX, now);
	write_register(port, REG_TDBAL, (uint32_t)tx, now);
	write_register(port, REG_TDBAH, (uint32_t)(tx >> 32), now);
	write_register(port, REG_TDLEN, (uint32_t)(port->tx.count * sizeof(union tx_desc)), now);
	if (port->rx.count) {
		write_register(port, REG_RDBAL, (uint32_t)rx, now);
		write_register(port, REG_RDBAH, (uint32_t)(rx >> 32), now);
		write_register(
			port, REG_RDLEN, (uint32_t)(port->rx.count * sizeof(struct rx_desc)), now);
		write_register(port, REG_RDTR, config->rdtr, now);
		write_register(port, REG_RADV, config->radv, now);
		write_register(port, REG_RCTL, RCTL_EN, now);
		e1000e_rx_fill(port, now);
	}
	if (config->wthresh)
		write_register(
			port, REG_TXDCTL, (uint32_t)config->wthresh << TXDCTL_WTHRESH_SHIFT, now);
	write_register(port, REG_TIDV, config->tidv, now);
	write_register(port, REG_TADV, config->tadv, now);
	throttle_start(port, now);
	write_register(port, REG_TCTL, TCTL_EN | TCTL_PSP, now);
	write_register(port, REG_IMS, interrupts(port), now);
}

static void release(struct e1000e_port *port)
{
	free(port->tx.desc);
	free(port->tx.buffer);
	free(port->rx.desc);
	free(port->rx.buffer);
	free(port);
}

int e1000e_open(struct e1000e_port **out, const struct e1000e_config *config, uint64_t now)
{
	struct e1000e_port *port;

	*out = NULL;
	if (!config_valid(config))
		return -EINVAL;
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	port->config = *config;
	port->tx.count = config->ring_size;
	port->tx.desc = calloc(port->tx.count, sizeof(*port->tx.desc));
	port->tx.buffer = calloc(port->tx.count, sizeof(*port->tx.buffer));
	port->rx.count = config->rx_ring_size;
	port->rx.rearm = rx_rearm(config->dpdk_port);
	port->rx.desc = calloc(port->rx.count + 1u, sizeof(*port->rx.desc));
	port->rx.buffer = calloc(port->rx.count + 1u, sizeof(struct rte_mbuf *));
	if (!port->tx.desc || !port->tx.buffer || !port->rx.desc || !port->rx.buffer) {
		release(port);
		return -ENOMEM;
	}
	e1000e_set_sink(port, config->sink);
	set_up_device(port, now);
	*out = port;
	return 0;
}

void e1000e_close(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	if (!port)
		return;
	write_register(port, REG_IMC, UINT32_MAX, now);
	write_register(port, REG_TCTL, 0, now);
	write_register(port, REG_RCTL, 0, now);
	tx_abort(port, cpu, now);
	rx_abort(port);
	/* the device must not keep an address that is about to be freed */
	write_register(port, REG_TDLEN, 0, now);
	write_register(port, REG_RDLEN, 0, now);
	release(port);
}

bool e1000e_interrupt(struct e1000e_port *port, uint64_t now)
{
	uint32_t cause = read_register(port, REG_ICR, now);

	if (!(cause & ICR_INT_ASSERTED))
		return false;
	port->cause = cause;
	throttle_interval(port);
	write_register(port, REG_IMC, UINT32_MAX, now);
	return true;
}

void e1000e_poll_done(struct e1000e_port *port, uint64_t now)
{
	throttle_adapt(port, now);
	write_register(port, REG_IMS, interrupts(port), now);
}

void e1000e_watchdog(struct e1000e_port *port, uint64_t now)
{
	throttle_watchdog(port, now);
	port->tx.detect_hang = true;
	write_register(port, REG_ICS, ICR_TXDW, now);
}

/* The kernel gives a packet a second, and more where the link is slow (e1000_watchdog_task). */
static uint64_t hang_timeout(const struct e1000e_config *config)
{
	uint64_t factor = config->link_speed_mbps == 10    ? 16
			  : config->link_speed_mbps == 100 ? 10
							   : 1;

	return factor * config->hz;
}

void port_check_hang(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	struct e1000e_tx_ring *ring = &port->tx;
	const struct e1000e_buffer *oldest = &ring->buffer[ring->next_to_clean];

	ring->detect_hang = false;
	if (ring->hang.found)
		return;
	if (ring->next_to_clean == ring->next_to_use ||
		now <= oldest->time_stamp + hang_timeout(&port->config) ||
		read_register(port, REG_STATUS, now) & STATUS_TXOFF) {
		/* nothing to send, or not long enough, or paused by the other side: patience */
		ring->hang_flushed = false;
		return;
	}
	if (port->config.flush_before_hang && !ring->hang_flushed) {
		ring->hang_flushed = true;
		write_register(port, REG_TIDV, port->config.tidv | TIDV_FPD, now);
		return;
	}
	ring->hang_flushed = false;
	if (port->config.flush_before_hang &&
		read_register(port, REG_TDH, now) == read_register(port, REG_TDT, now))
		return; /* all was sent: a write-back is missing, not the transmitter */
	tx_stop_queue(port, cpu, now);
	ring->hang = (struct e1000e_hang){
		.found = true,
		.at = now,
		.tdh = read_register(port, REG_TDH, now),
		.tdt = read_register(port, REG_TDT, now),
		.next_to_use = ring->next_to_use,
		.next_to_clean = ring->next_to_clean,
		.time_stamp = oldest->time_stamp,
		.next_to_watch = oldest->next_to_watch,
		.next_to_watch_status = ring->desc[oldest->next_to_watch].data.status,
	};
}
