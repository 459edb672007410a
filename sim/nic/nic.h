/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device: an e1000e-style NIC with one transmit and one receive queue. It fetches descriptors
 * between head and tail, reads the packets, puts them on the wire, writes DD back, puts what comes
 * from the wire into the buffers that the driver has posted, and raises an interrupt line that is
 * delayed (TIDV, TADV; RDTR, RADV) and throttled (ITR).
 *
 * The device keeps no clock. Whoever owns it says what time it is: nic_advance executes in time
 * order all that the device would have done by then; nic_deadline says when it has something to do
 * next. It never calls the driver; the driver sees it through registers and descriptor memory.
 *
 * Source of the behaviour: "82574 GbE Controller Family Datasheet", 7.2 (transmit), 7.4
 * (interrupts), 10.2 (registers).
 */
#ifndef SIM_NIC_NIC_H
#define SIM_NIC_NIC_H

#include "event.h"
#include "hw.h"
#include <stdbool.h>
#include <stddef.h>

#define NIC_FAULTS_MOST 8

/*
 * X(type, name, loses): the kinds of faults, with the names that users give them. Those that lose
 * things have a count, the others a duration.
 *
 *   tx_stop         from then on the transmitter does nothing: head stands still
 *   writeback_loss  the next `count` write-backs don't reach memory
 *   irq_loss        the next `count` interrupts don't reach the CPU
 *   link_pause      no frame starts on the wire for `duration` (802.3x pause)
 */
#define NIC_FAULTS(X)                           \
	X(TX_STOP, tx_stop, false)              \
	X(WRITEBACK_LOSS, writeback_loss, true) \
	X(IRQ_LOSS, irq_loss, true)             \
	X(LINK_PAUSE, link_pause, false)

enum nic_fault_type {
#define X(type, name, loses) NIC_FAULT_##type,
	NIC_FAULTS(X)
#undef X
		NIC_FAULT_TYPES
};

/* The type of that name, which needs no terminator; NIC_FAULT_TYPES: there is none. */
enum nic_fault_type nic_fault_find(const char *name, size_t bytes);

bool nic_fault_loses(enum nic_fault_type type);

struct nic_fault {
	enum nic_fault_type type;
	uint64_t at;       /* cycles */
	uint64_t duration; /* cycles: link pause, and tx stop where it is not 0 */
	uint64_t count;    /* of lost write-backs or interrupts */
};

/* A frame as it is on the wire, without FCS, in as many pieces as the sender's buffers were. */
struct nic_segment {
	const void *data;
	uint32_t bytes;
};

#define NIC_SEGMENTS_MOST 64 /* descriptors of one packet, the context left out */

struct nic_frame {
	struct nic_segment segment[NIC_SEGMENTS_MOST];
	unsigned count;
	uint32_t bytes;
};

/* The other end of the wire: gets each frame when its last bit has left. It must copy the data. */
struct nic_wire {
	void *context;
	void (*transmit)(void *context, const struct nic_frame *frame, uint64_t now);
};

struct nic_config {
	uint64_t hz;             /* cycles a second of every `now` */
	uint32_t line_rate_mbps; /* 10 to 100000; 0: a frame takes no time on the wire */
	uint32_t fetch_ns;       /* from tail write to the descriptor inside the device */
	uint32_t dma_rate_mbps;  /* of reading packet data; 0: takes no time */
	struct nic_wire wire;    /* transmit NULL: frames are lost behind the device */
	struct nic_fault faults[NIC_FAULTS_MOST];
	unsigned fault_count;
	struct event_sink *sink; /* gets a `done` event a packet; NULL: none */
	uint64_t irq_entry;      /* and if not 0, with this arg, an `irq_entry` when the line goes
				    up; else that's for the CPU to tell, which may be busy then */
	unsigned sink_cpu;       /* the stream they go to */
	uint8_t device;          /* number in events */
	uint64_t packet_base; /* a packet's number in events is its buffer's address, less this, */
	uint64_t packet_stride; /* rounded down to a multiple of this; 0: the address as it is */
};

struct nic_stats {
	uint64_t packets, bytes;  /* put on the wire; bytes without preamble, gap and FCS */
	uint64_t interrupts;      /* raised, lost ones included */
	uint64_t interrupts_lost; /* by fault */
	uint64_t writebacks_lost; /* by fault */
	uint64_t rx_missed; /* dropped: the driver had posted too few buffers, or receive is off */
	uint64_t wire_busy; /* cycles that its packets were on the wire */
};

struct nic;

/* Returns NULL if there is no memory. The device is in reset: no ring, interrupts masked. */
struct nic *nic_create(const struct nic_config *config);
void nic_destroy(struct nic *nic);

/*
 * The register window: 32-bit access at a multiple of 4 below REG_WINDOW_BYTES. Both first advance
 * the device to `now`. Registers that the
 * model gives no meaning read back what was written; beyond the window they read as 0.
 */
uint32_t nic_read(void *nic, uint32_t offset, uint64_t now);
void nic_write(void *nic, uint32_t offset, uint32_t value, uint64_t now);

/*
 * A frame has arrived from the wire at `now`: it goes into the next posted receive buffers, or is
 * missed. Advances the device first. A wire may call it from its transmit, for the same device too.
 */
void nic_receive(struct nic *nic, const struct nic_frame *frame, uint64_t now);

/* Executes all that happens up to and including `now`. `now` never goes back. */
void nic_advance(struct nic *nic, uint64_t now);

/* The time of the next thing that will happen by itself; CYCLES_NEVER if nothing will. */
uint64_t nic_deadline(const struct nic *nic);

/* Takes an interrupt if the line was raised since the last call, and the time when it was. */
bool nic_take_interrupt(struct nic *nic, uint64_t *raised);

const struct nic_stats *nic_stats(const struct nic *nic);

/* The pace of this wire: cycles that a frame of so many bytes (without FCS) occupies it. */
uint64_t nic_wire_cycles(const struct nic_config *config, uint32_t frame_bytes);

#endif
