/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the driver: what port.c, tx.c and rx.c call of each other. */
#ifndef DRIVERS_E1000E_PORT_H
#define DRIVERS_E1000E_PORT_H

#include "e1000e.h"

static inline void port_emit(const struct e1000e_port *port, unsigned cpu, enum event_id id,
	const struct rte_mbuf *packet, uint64_t arg, uint64_t now)
{
	struct event event = { .time = now,
		.id = (uint16_t)id,
		.device = port->config.device,
		.queue = port->config.queue,
		.len = packet ? packet->pkt_len : 0,
		.packet = packet ? (uintptr_t)packet - port->config.packet_base : 0,
		.arg = arg };

	event_emit(port->config.sink, cpu, event);
}

/* rx.c */
unsigned rx_receive_traced(struct e1000e_port *port, unsigned cpu, struct rte_mbuf **packets,
	unsigned most, uint64_t now);
unsigned rx_receive_untraced(struct e1000e_port *port, unsigned cpu, struct rte_mbuf **packets,
	unsigned most, uint64_t now);
uint64_t rx_rearm(uint16_t dpdk_port); /* see struct e1000e_rx_ring */
void rx_abort(struct e1000e_port *port);

/* tx.c */
void tx_stop_queue(struct e1000e_port *port, unsigned cpu, uint64_t now);
void tx_abort(struct e1000e_port *port, unsigned cpu, uint64_t now);

/* throttle.c: at the device's set-up, at an interrupt, at a poll's end, at the watchdog */
void throttle_start(struct e1000e_port *port, uint64_t now);
void throttle_interval(struct e1000e_port *port);
void throttle_adapt(struct e1000e_port *port, uint64_t now);
void throttle_watchdog(struct e1000e_port *port, uint64_t now);

/* port.c: compares the oldest packet's age with the time-out, and keeps what it sees of a hang. */
void port_check_hang(struct e1000e_port *port, unsigned cpu, uint64_t now);

#endif
