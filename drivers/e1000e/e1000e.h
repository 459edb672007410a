/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instrumented driver: what Linux's e1000e does with a packet, with rte_mbuf in
 * the place of sk_buff. It is handed a register window and descriptor memory and touches the device
 * only through them, so the same code runs in virtual time under sim/host and in real time under a
 * DPDK program.
 *
 * A packet takes one descriptor per segment, and one more (the context) when a checksum is asked
 * for. After each packet the queue stops if fewer than `reserve` descriptors are left; it wakes
 * when clean-up has freed `wake_threshold` of them. Nothing here knows how many packets that makes.
 *
 * DPDK's em driver (drivers/net/e1000/em_rxtx.c of 22.11) drives the same device by other rules,
 * which are fields of the profile too. It posts a context descriptor only where the offload differs
 * from the last one's. Its queue never stops: a packet that finds too few free descriptors is
 * refused. It asks for a report (RS) only with the packet that fills a batch of `rs_threshold`
 * descriptors, and gets the whole batch back when that report is there, so that packets behind the
 * last RS stay in the ring however long ago they were sent. It differs from em in this: a packet is
 * freed with its batch, where em keeps it until its descriptor is used again.
 *
 * Events: start_xmit, free, stop and wake. The caller emits `xmit`, since only it knows how long
 * the call took (e1000e_xmit_returned does it).
 */
#ifndef DRIVERS_E1000E_E1000E_H
#define DRIVERS_E1000E_E1000E_H

#include "event.h"
#include "hw.h"
#include <rte_mbuf.h>
#include <stdbool.h>

#define E1000E_TX_OK   0
#define E1000E_TX_BUSY EVENT_RC_BUSY /* no room: the packet is still the caller's */

/* What changed over the years. */
struct e1000e_profile {
	const char *name;
	uint16_t reserve;        /* descriptors that stay free, else the queue stops */
	uint16_t wake_threshold; /* descriptors free that wake it */
	uint16_t tidv, tadv;     /* module defaults of TxIntDelay and TxAbsIntDelay, 1.024 us */
	bool flush_before_hang;  /* a hang counts only if flushing write-backs doesn't help */
	bool context_reused;     /* see struct e1000e_config */
	bool never_stops;        /* the same */
	uint16_t rs_threshold;   /* at most, where the user names none; 0: RS with each packet */
	uint16_t free_threshold; /* the same for tx_free_thresh; 0: not the driver's */
	bool xmit_more;          /* the tail is written once for several packets (since 3.18) */
};

/* Ended by a profile whose name is NULL. */
extern const struct e1000e_profile e1000e_profiles[];
const struct e1000e_profile *e1000e_profile_find(const char *name);

/*
 * What an InterruptThrottleRate means (param.c of the driver, 2.6.35 to 6.1): 0 off; 1 and 3
 * dynamic, 3 without the highest rate; 4 simplified; 100 to 100000 interrupts a second.
 */
enum e1000e_throttle {
	E1000E_THROTTLE_INVALID,
	E1000E_THROTTLE_OFF,
	E1000E_THROTTLE_FIXED,
	E1000E_THROTTLE_MODE
};
enum e1000e_throttle e1000e_throttle_kind(uint64_t interrupt_throttle_rate);

/* ITR for a fixed rate: 1/rate in units of 256 ns, rounded down (1000: 3906); 0 for 0. */
uint32_t e1000e_throttle_register(uint32_t rate);

/*
 * What modes 1 and 3 make of an interval between two interrupts. They begin with 20000 a second and
 * aim at 70000, 20000 and 4000; a rate rises by a quarter of its aim an interval.
 */
enum e1000e_latency { E1000E_LATENCY_LOWEST, E1000E_LATENCY_LOW, E1000E_LATENCY_BULK };

/* The class that follows after an interval with so many packets and bytes in one direction. */
enum e1000e_latency e1000e_latency_next(
	enum e1000e_latency latency, uint64_t packets, uint64_t bytes);

/* DPDK's thresholds of a transmit queue. */
struct e1000e_thresholds {
	uint16_t rs;   /* descriptors that make a batch; 0: the default is filled in */
	uint16_t free; /* fewer free than this, and a burst begins with a clean-up; 0: as above */
	uint16_t wthresh; /* TXDCTL.WTHRESH */
};

/*
 * Fills in what is 0: free, a quarter of the ring but at most the profile's; rs, the greatest
 * divisor of the ring size within both thresholds. Returns NULL, or the text of the rule that the
 * thresholds break. Those are the rules of Intel's poll-mode drivers; em itself lets an rs pass
 * that is no divisor. A profile without rs_threshold has no rules but the register's for wthresh,
 * and that rs is 1, its default; that of free is 32.
 */
const char *e1000e_thresholds_set(struct e1000e_thresholds *thresholds,
	const struct e1000e_profile *profile, uint16_t ring_size);

struct e1000e_registers {
	void *device;
	uint32_t (*read)(void *device, uint32_t offset, uint64_t now);
	void (*write)(void *device, uint32_t offset, uint32_t value, uint64_t now);
};

/* What the driver calls upwards. */
struct e1000e_stack {
	void *context;
	void (*free)(void *context, struct rte_mbuf *packet, uint64_t now);
	/* gets up to `count` receive buffers of RX_BUFFER_BYTES beyond the headroom, as they are in
	 * a pool: one segment, one reference (rte_mbuf_raw_alloc); NULL without rx */
	unsigned (*alloc)(void *context, struct rte_mbuf **buffers, unsigned count);
};

struct e1000e_config {
	uint64_t hz;           /* cycles a second of every `now` */
	uint16_t rx_ring_size; /* as ring_size; 0: no receive side */
	uint16_t rdtr, radv;   /* 1.024 us */
	uint16_t ring_size;    /* 64 to 4096, a multiple of 8 */
	uint16_t reserve, wake_threshold;
	bool context_always;   /* packets that ask for no checksum count as UDP that asks for it */
	bool context_reused;   /* the context only where flags, l2_len or l3_len differ from the
				  last's; an IPv4 header checksum needs one too */
	bool never_stops;      /* no reserve, no gap: a packet is refused if it does not fit */
	bool cleans_itself;    /* xmit frees batches until the packet fits; no interrupt for packets
				  that were sent */
	uint16_t rs_threshold; /* descriptors to the next RS, below ring_size; 0, 1: each packet */
	uint8_t wthresh;       /* TXDCTL.WTHRESH, 0 to 63 */
	uint32_t interrupt_throttle_rate; /* see enum e1000e_throttle */
	uint16_t tidv, tadv;              /* 1.024 us */
	bool flush_before_hang;           /* see struct e1000e_profile */
	uint32_t link_speed_mbps;         /* how patient the hang check is; 0: unlimited */
	struct e1000e_registers registers;
	struct e1000e_stack stack;
	struct event_sink *sink; /* NULL: the untraced instances of the hot functions are used */
	bool receive_untraced;   /* who takes received packets tells of them */
	uint8_t device, queue;   /* numbers in events */
	uint16_t dpdk_port;      /* rte_mbuf.port of what is received */
	uintptr_t packet_base;   /* a packet's number in events is its address less this */
};

/* Beside each descriptor. */
struct e1000e_buffer {
	struct rte_mbuf *packet; /* in the packet's last descriptor */
	uint64_t time_stamp;     /* in its first: when it was queued; 0: empty */
	uint16_t next_to_watch;  /* in its first: index of its last */
	uint16_t report;         /* in the first of a batch: index of the one with RS */
};

/* What the hang check found, as the kernel's "Detected Hardware Unit Hang" has it. */
struct e1000e_hang {
	bool found;
	uint64_t at; /* cycles */
	uint32_t tdh, tdt;
	uint16_t next_to_use, next_to_clean;
	uint64_t time_stamp; /* of the oldest packet */
	uint16_t next_to_watch;
	uint32_t next_to_watch_status;
};

struct e1000e_stats {
	uint64_t rx_packets, rx_bytes;
	uint64_t rx_no_buffer;         /* times that the pool had no buffer for the ring */
	uint64_t queued, queued_bytes; /* accepted from the stack */
	uint64_t packets, bytes;       /* cleaned */
	uint64_t stops, wakes;
	uint64_t busy; /* refused for lack of descriptors; the caller keeps the packet */
};

/* The throttle of the dynamic modes. Mode 4 begins as the driver does: with what 4 a second leaves
 * in a register of 16 bits, until the first watchdog. */
struct e1000e_adaptive {
	uint32_t rate;              /* that the device was last told */
	enum e1000e_latency tx, rx; /* classes of the last interval */
	struct e1000e_stats since;  /* as they were at the interrupt */
};

struct e1000e_port;

/* The transmit ring. The hot fields are those of the kernel's e1000_ring, with its names. */
struct e1000e_tx_ring {
	union tx_desc *desc;
	struct e1000e_buffer *buffer;
	uint16_t count;
	uint16_t next_to_use;
	uint16_t next_to_clean;
	uint16_t reported;   /* up to here descriptors are known to be done */
	uint16_t unreported; /* from here on none has RS yet: the batch that is being filled */
	uint16_t unreported_count;
	uint64_t context;  /* the offload that the device has the context of; 0: none */
	uint32_t cleaned;  /* descriptors, in this pass of the clean-up */
	bool stopped;      /* netif_queue_stopped */
	bool detect_hang;  /* set by the watchdog, looked at by the next clean-up */
	bool hang_flushed; /* the last check found a hang and flushed write-backs */
	struct e1000e_hang hang;
};

/* The receive ring: buffers from next_to_clean to next_to_use are posted. */
struct e1000e_rx_ring {
	struct rx_desc *desc;
	struct rte_mbuf **buffer;
	uint16_t count;
	uint16_t next_to_use;
	uint16_t next_to_clean;
	struct rte_mbuf *packet, *last; /* of several buffers, being put together */
	uint64_t rearm; /* the four fields from data_off on, as a received buffer has them */
};

/* The hot functions, each written once and there twice: with events and without. */
struct e1000e_instances {
	int (*xmit)(struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet, uint64_t now);
	bool (*clean_packet)(struct e1000e_port *port, unsigned cpu, uint64_t now);
	bool (*clean_done)(struct e1000e_port *port, unsigned cpu, uint64_t now);
	unsigned (*receive)(struct e1000e_port *port, unsigned cpu, struct rte_mbuf **packets,
		unsigned most, uint64_t now);
};

struct e1000e_port {
	struct e1000e_config config;
	bool more_follows; /* xmit leaves the tail to e1000e_write_tail, unless the queue stops */
	struct e1000e_tx_ring tx;
	struct e1000e_rx_ring rx;
	struct e1000e_stats stats;
	struct e1000e_adaptive throttle;
	uint32_t cause;              /* ICR as the last interrupt found it */
	struct e1000e_instances hot; /* see e1000e_xmit, _clean_packet, _clean_done, _receive */
};

/*
 * Makes a port and sets the device up. Returns 0; -EINVAL if a value is out of the range given
 * above; -ENOMEM.
 */
int e1000e_open(struct e1000e_port **port, const struct e1000e_config *config, uint64_t now);

/* Masks interrupts, frees what is still in the ring through stack.free (aborted), and the port. */
void e1000e_close(struct e1000e_port *port, unsigned cpu, uint64_t now);

/* Turns events on or off: the traced or the untraced instances of the hot functions are put in. */
void e1000e_set_sink(struct e1000e_port *port, struct event_sink *sink);

/*
 * Queues a packet on the ring and writes the tail, unless more_follows and the queue goes on.
 * Returns E1000E_TX_OK: the packet is the driver's
 * until stack.free; or E1000E_TX_BUSY.
 */
static inline int e1000e_xmit(
	struct e1000e_port *port, unsigned cpu, struct rte_mbuf *packet, uint64_t now)
{
	return port->hot.xmit(port, cpu, packet, now);
}

/* Hands all that is queued to the device: after the last xmit of several with more_follows. */
void e1000e_write_tail(struct e1000e_port *port, uint64_t now);

/*
 * The `xmit` event, for the time when the call above is over; only where the port has a sink. The
 * packet may have been freed and reused by then: its length is what it was before the call.
 */
static inline void e1000e_xmit_returned(const struct e1000e_port *port, unsigned cpu,
	const struct rte_mbuf *packet, uint32_t bytes, int rc, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_XMIT,
		.device = port->config.device,
		.queue = port->config.queue,
		.len = bytes,
		.packet = (uintptr_t)packet - port->config.packet_base,
		.arg = EVENT_PUT(XMIT, rc, (uint32_t)rc) };

	event_emit(port->config.sink, cpu, event);
}

/*
 * The hard interrupt handler: reads the cause, masks further interrupts. Returns true if the poll
 * function has to be scheduled.
 */
bool e1000e_interrupt(struct e1000e_port *port, uint64_t now);

/*
 * The poll function's transmit half is a loop over e1000e_clean_packet and then one
 * e1000e_clean_done; split so that virtual time can pass between two packets. clean_packet frees
 * the oldest packet if its last descriptor (its batch's) is written back, and returns false if not.
 * clean_done checks for a hang, which stops the queue, and wakes the queue; it returns true if it
 * woke it.
 */
static inline bool e1000e_clean_packet(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	return port->hot.clean_packet(port, cpu, now);
}
static inline bool e1000e_clean_done(struct e1000e_port *port, unsigned cpu, uint64_t now)
{
	return port->hot.clean_done(port, cpu, now);
}

/* Frees the oldest batch, or its rest, if it has been reported. Returns how many packets. */
unsigned e1000e_clean_batch(struct e1000e_port *port, unsigned cpu, uint64_t now);

/*
 * The poll function's receive half: up to `most` packets that have arrived, and new buffers in
 * their place. Returns how many.
 */
static inline unsigned e1000e_receive(struct e1000e_port *port, unsigned cpu,
	struct rte_mbuf **packets, unsigned most, uint64_t now)
{
	return port->hot.receive(port, cpu, packets, most, now);
}

/* Is there a buffer that the device has filled and e1000e_receive hasn't taken? */
static inline bool e1000e_rx_waiting(const struct e1000e_port *port)
{
	const struct e1000e_rx_ring *ring = &port->rx;

	return ring->next_to_clean != ring->next_to_use &&
	       ring->desc[ring->next_to_clean].status & RXD_STAT_DD;
}

/* Posts buffers until the ring is full or the pool is empty. Returns how many. */
unsigned e1000e_rx_fill(struct e1000e_port *port, uint64_t now);

/* Ends the poll: interrupts are enabled again. */
void e1000e_poll_done(struct e1000e_port *port, uint64_t now);

/*
 * The driver's watchdog, to be called every E1000E_WATCHDOG_S seconds: sets the rate of throttle
 * mode 4, asks the next clean-up to
 * look for a hang, and makes a software interrupt so that there is one.
 */
#define E1000E_WATCHDOG_S 2
void e1000e_watchdog(struct e1000e_port *port, uint64_t now);

/*
 * Would the packet find no room even if all that can be reported were? What has no RS yet stays
 * in the ring until more is sent.
 */
bool e1000e_never_fits(const struct e1000e_port *port, const struct rte_mbuf *packet);

/*
 * Descriptors from next_to_use to next_to_clean, those not in use; one always stays empty, so an
 * empty ring of either kind has count - 1.
 */
static inline unsigned e1000e_unused(uint16_t next_to_use, uint16_t next_to_clean, uint16_t count)
{
	unsigned beyond = next_to_clean > next_to_use ? 0 : count;

	return beyond + next_to_clean - next_to_use - 1;
}

static inline unsigned e1000e_desc_unused(const struct e1000e_tx_ring *ring)
{
	return e1000e_unused(ring->next_to_use, ring->next_to_clean, ring->count);
}

#endif
