/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the device: its state, and what its parts (tx.c, rx.c, interrupt.c, fault.c, nic.c) call
 * of each other. */
#ifndef SIM_NIC_DEVICE_H
#define SIM_NIC_DEVICE_H

#include "cycles.h"
#include "nic.h"

#define FCS_BYTES         4
#define LEAST_FRAME_BYTES 60u /* without FCS; shorter ones are padded */

/* What the device remembers of a descriptor. */
struct nic_slot {
	uint64_t posted; /* when the tail passed it */
	uint64_t packet; /* of a packet's last one: its number in events */
	uint32_t bytes;  /* and its length */
};

/* The transmit queue. Indices are of descriptors; head == tail: nothing to send. */
struct nic_tx {
	union tx_desc *ring;
	struct nic_slot *slot; /* one a descriptor */
	uint32_t count;        /* descriptors; 0: no ring */
	uint32_t head, tail;   /* TDH, TDT */
	bool enabled;          /* TCTL.EN */
	uint32_t wthresh;      /* TXDCTL: descriptors that make a write-back; 0, 1: each */

	/* the packet that is being sent, from head on */
	bool sending;
	uint32_t packet_end; /* one beyond its last descriptor */
	uint32_t packet_bytes;
	bool packet_reports;   /* one of its descriptors has RS */
	uint64_t packet;       /* its number in events */
	uint64_t sent_at;      /* when its last bit has left */
	uint64_t wire_cycles;  /* what it takes on the wire */
	uint64_t dma_free_at;  /* when the next packet can be read */
	uint64_t wire_free_at; /* when the next frame can start */

	/* descriptors that are done but not written back: [write_from, head) */
	uint32_t write_from;
	uint32_t unwritten; /* how many */
};

/* The receive queue: buffers from head to tail are posted. */
struct nic_rx {
	struct rx_desc *ring;
	uint32_t count;
	uint32_t head, tail; /* RDH, RDT */
	bool enabled;        /* RCTL.EN */
};

/* TIDV with TADV, or RDTR with RADV: what holds a cause back. */
struct nic_delay {
	uint32_t cause;
	uint64_t packet, absolute;       /* cycles; packet 0: the cause is immediate */
	uint64_t packet_at, absolute_at; /* when they run out; CYCLES_NEVER: not running */
};

struct nic_interrupt {
	uint32_t cause, mask; /* ICR, IMS */
	uint64_t gap;         /* cycles between two interrupts, from ITR */
	struct nic_delay tx, rx;
	uint64_t raise_at; /* when the line goes up; CYCLES_NEVER: no reason to */
	uint64_t open_at;  /* the throttle's gap ends */
	uint64_t raised_at;
	bool raised; /* and not yet taken */
};

struct nic {
	struct nic_config config;
	struct nic_stats stats;
	uint64_t fetch_cycles; /* config.fetch_ns */
	struct nic_tx tx;
	struct nic_rx rx;
	struct nic_interrupt irq;
	/* what emits events, written once, in its traced or its untraced instance */
	void (*write_back)(struct nic *nic, uint64_t now);
	void (*raise_line)(struct nic *nic, uint64_t now);
	bool advancing;                 /* in nic_advance: a wire that loops back comes in again */
	uint64_t octets_in, octets_out; /* GORC, GOTC: good ones since the last look */
	uint64_t now;                   /* all up to here has been executed */
	uint64_t deadline;              /* the earliest of all times above */
	uint32_t registers[REG_WINDOW_BYTES / 4]; /* as written */
};

/* fault.c */
/* When the faults that hold this kind of work back at `at` have let go; 0 if none does. */
uint64_t fault_held_until(const struct nic *nic, enum nic_fault_type type, uint64_t at);
/* When a stop that begins between the two has let go; 0 if none begins. */
uint64_t fault_cuts_off(const struct nic *nic, uint64_t from, uint64_t to);
/* Takes one of a fault's losses, if one is due. */
bool fault_loses(struct nic *nic, enum nic_fault_type type, uint64_t now);

/* tx.c */
void tx_tail_written(struct nic *nic, uint32_t tail);
void tx_start_packet(struct nic *nic);
void tx_packet_sent(struct nic *nic, uint64_t now);
void tx_write_back_traced(struct nic *nic, uint64_t now);
void tx_write_back_untraced(struct nic *nic, uint64_t now);

/* rx.c */
void rx_frame(struct nic *nic, const struct nic_frame *frame, uint64_t now);

/* interrupt.c */
void interrupt_cause(struct nic *nic, uint32_t cause, uint64_t now);
void interrupt_delayed(struct nic *nic, struct nic_delay *delay, uint64_t now);
void interrupt_delay_over(struct nic *nic, struct nic_delay *delay, uint64_t now);
void interrupt_raise_traced(struct nic *nic, uint64_t now);
void interrupt_raise_untraced(struct nic *nic, uint64_t now);

#endif
