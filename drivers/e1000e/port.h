/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the driver: what port.c and tx.c call of each other. */
#ifndef DRIVERS_E1000E_PORT_H
#define DRIVERS_E1000E_PORT_H

#include "e1000e.h"

/* tx.c */
void tx_stop_queue(struct e1000e_port *port, unsigned cpu, uint64_t now);
void tx_abort(struct e1000e_port *port, unsigned cpu, uint64_t now);

/* port.c: compares the oldest packet's age with the time-out, and keeps what it sees of a hang. */
void port_check_hang(struct e1000e_port *port, unsigned cpu, uint64_t now);

#endif
