/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is at the other end of a port's wire. A type is a row of functions, of which those that it
 * has no use for are NULL; what it keeps is port->wire, shared by all queues of the port.
 *
 *   sink         nothing: frames are lost behind the device
 *   loop         the queue itself
 *   peer:NAME    another port of this driver, which need not name us in turn; see wire_peer.c
 *   pcap:IN,OUT  frames come from the capture IN and go to the capture OUT; see wire_pcap.c
 *   tap:IFNAME   a TAP interface of this kernel; see wire_tap.c
 */
#ifndef DRIVERS_RINGSIDE_WIRE_H
#define DRIVERS_RINGSIDE_WIRE_H

#include "ringside.h"

/* The longest frame that comes in from a capture or an interface, without FCS: that of the MTU. */
#define RINGSIDE_FRAME_MOST (RINGSIDE_MTU_MOST + RTE_ETHER_HDR_LEN)

struct ringside_wire_type {
	const char *name;
	bool takes_argument; /* wire=NAME:ARGUMENT; else wire=NAME */
	/* At probe: takes what the argument names. 0, or a negative errno after a line in the log.
	 */
	int (*open)(struct ringside_port *port);
	/* Before the queues start, and after they have stopped. */
	int (*start)(struct ringside_port *port);
	void (*stop)(struct ringside_port *port);
	/* A frame has left a queue's device at `now`, under that queue's lock. */
	void (*transmit)(void *queue, const struct nic_frame *frame, uint64_t now);
	/* A queue is polled, under its lock: what has come by `now` goes into its device. */
	void (*receive)(struct ringside_queue *queue, uint64_t now);
	/*
	 * When a program that sleeps must be woken for the wire, as far as it is known;
	 * CYCLES_NEVER: for nothing that is known. Under the lock of the queue.
	 */
	uint64_t (*deadline)(struct ringside_queue *queue, uint64_t now);
	/* A descriptor that becomes readable when something comes that isn't known yet. */
	int (*descriptor)(const struct ringside_port *port);
	/* When the port goes, and after a failed open. */
	void (*close)(struct ringside_port *port);
};

extern const struct ringside_wire_type ringside_wire_peer, ringside_wire_pcap, ringside_wire_tap;

/* Gives the device a frame in one piece. */
void ringside_wire_give(
	struct ringside_queue *queue, const void *data, uint32_t bytes, uint64_t now);

/* Cycles that such a frame is on the port's wire. */
uint64_t ringside_wire_cycles(const struct ringside_port *port, uint32_t bytes);

/* True if the driver has posted the receive buffers that such a frame takes. */
bool ringside_wire_has_room(struct ringside_queue *queue, uint32_t bytes, uint64_t now);

#endif
