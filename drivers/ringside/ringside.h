/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net_ringside: the DPDK front door of the modelled NIC. Driver core and device are those of
 * virtual time; here `now` is the TSC.
 *
 * The thresholds of a transmit queue: tx_free_thresh counts with clean=threshold. tx_rs_thresh
 * is 1 but for profile=dpdk-em, which keeps Intel's rules for both; there clean-up is by whole
 * batches of tx_rs_thresh descriptors, and what no RS has followed yet stays in the ring.
 *
 * A port has up to four queue pairs. Each has a device of its own (descriptor rings, interrupt
 * throttle) under a lock: whichever lcore polls a queue advances its device to the present. The
 * pairs of a port share the wire behind them, not its pace.
 */
#ifndef DRIVERS_RINGSIDE_RINGSIDE_H
#define DRIVERS_RINGSIDE_RINGSIDE_H

#include "clock.h"
#include "e1000e.h"
#include "nic.h"
#include "trace_writer.h"
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_ring.h>
#include <rte_spinlock.h>
#include <sys/queue.h>

#define RINGSIDE_QUEUES_MOST   4
#define RINGSIDE_PATH_BYTES    512
#define RINGSIDE_MTU_MOST      9216
#define RINGSIDE_INBOX         1024 /* frames on their way from a peer */
#define RINGSIDE_COUNTERS_MOST 32
#define RINGSIDE_SEGMENTS      40 /* buffers of one packet */

/* Every argument, as the documentation of the driver has it. */
#define RINGSIDE_ARGUMENTS                                                                  \
	"profile=<linux-2.6.35|linux-6.1|dpdk-em> itr=<0|1|3|4|100-100000> tidv=<0-65535> " \
	"tadv=<0-65535> "                                                                   \
	"rdtr=<0-65535> radv=<0-65535> speed=<0|10-100000> reserve=<0-1000> "               \
	"checksum=<offload|always> clean=<irq|threshold|lazy> "                             \
	"wire=<sink|loop|peer:NAME|pcap:IN,OUT|tap:IFNAME> pace=<stamps|line> "             \
	"fault=<TYPE@S[+S][xN][;...]> trace=<DIR> seed=<N>"

/* When the driver takes cleaned packets back. */
enum ringside_clean {
	RINGSIDE_CLEAN_IRQ,       /* at the throttled interrupt, as Linux does it */
	RINGSIDE_CLEAN_THRESHOLD, /* when fewer than tx_free_thresh descriptors are free */
	RINGSIDE_CLEAN_LAZY,      /* when the ring has no room left */
	RINGSIDE_CLEAN_UNSET,     /* as the profile does it: threshold for dpdk-em, else irq */
};

/* When the frames of a replayed capture arrive. */
enum ringside_pace {
	RINGSIDE_PACE_UNSET,  /* as stamps */
	RINGSIDE_PACE_STAMPS, /* with the distances of their time stamps */
	RINGSIDE_PACE_LINE,   /* one behind the other */
};

struct ringside_wire_type; /* wire.h */

/* The devargs, each with its default: args.c has the table. */
struct ringside_args {
	const struct e1000e_profile *profile;
	uint64_t itr;
	uint64_t tidv, tadv, rdtr, radv;
	uint64_t speed;
	uint64_t reserve;
	bool checksum_always;
	enum ringside_clean clean;
	const struct ringside_wire_type *wire;
	char wire_argument[RINGSIDE_PATH_BYTES]; /* a peer's name, IN, an interface */
	char capture[RINGSIDE_PATH_BYTES];       /* OUT */
	enum ringside_pace pace;
	struct nic_fault faults[NIC_FAULTS_MOST]; /* times are ns after the start */
	unsigned fault_count;
	char trace[RINGSIDE_PATH_BYTES];
	uint64_t seed;
};

struct ringside_port;

struct ringside_queue_stats {
	uint64_t tx_refused;  /* longer than a ring can take: freed, counted as an error */
	uint64_t longest_gap; /* cycles between two polls */
	uint64_t peer_lost;   /* frames that the peer had no buffer or no place for */
	/* frames that a capture or an interface took, had no room for, and failed to take; of a
	 * capture that fails, those that it had taken but not written count as both */
	uint64_t wire_taken, wire_full, wire_tx_errors;
	/* frames that came from one and that can't be received, ends of captures, failed reads */
	uint64_t wire_given, wire_skipped, wire_ended, wire_rx_errors;
};

/* One queue pair with its device. */
struct ringside_queue {
	rte_spinlock_t lock;
	struct ringside_port *port;
	uint16_t index;
	uint16_t rx_ring_size; /* as set up; 0: not */
	uint16_t tx_ring_size;
	struct e1000e_thresholds thresholds;
	struct rte_mempool *pool; /* of receive buffers */
	struct nic *nic;          /* while the port is started */
	struct e1000e_port *driver;
	struct rte_ring *inbox; /* frames from the peer */
	uint64_t polled_at;
	uint64_t watchdog_at; /* mode 4 of the throttle lives by the driver's watchdog */
	uint64_t advanced_at; /* the device has executed all up to here */
	bool armed;           /* the receive interrupt is enabled; peers read it without the lock */
	bool rx_cause;        /* an interrupt for received frames came while it wasn't */
	int event_fd;         /* what the program waits on */
	int timer_fd;
	uint64_t timer_at;             /* what the timer is set to; CYCLES_NEVER: off */
	struct rte_intr_handle *timer; /* NULL: the port was configured without interrupts */
	struct rte_mbuf *to_free[64];  /* see ringside_unlock */
	unsigned to_free_count;
	struct ringside_queue_stats stats;
	uint64_t counter_base[RINGSIDE_COUNTERS_MOST]; /* of earlier starts, less what was reset */
};

struct ringside_port {
	struct rte_eth_dev *dev;
	struct ringside_args args;
	struct ringside_queue queue[RINGSIDE_QUEUES_MOST];
	struct rte_ether_addr mac;
	void *wire;     /* what args.wire keeps */
	int wire_epoll; /* becomes readable, once, when the wire's descriptor does */
	struct rte_intr_handle *wire_readable; /* NULL: nobody waits for it */
	bool receives;                         /* it is in the list of those that do: */
	LIST_ENTRY(ringside_port) receivers;
	struct event_sink *events; /* NULL: nobody listens */
	struct event_sink both;    /* for trace points, and the writer if there is one */
	bool writing;
	struct trace_writer writer;
	pthread_t trace_thread; /* writes what the queues' lcores emit */
	unsigned traces;        /* folders written, one a start */
};

extern int ringside_logtype;
#define RINGSIDE_LOG(level, ...)                             \
	rte_log(RTE_LOG_##level, (uint32_t)ringside_logtype, \
		"net_ringside: " RTE_FMT(__VA_ARGS__, ))

/*
 * counters.c: what is counted, one table for statistics and xstats. Counters survive a stop; a
 * reset sets them to 0. RINGSIDE_LONGEST is a time of the queue's, kept in cycles, told in ns.
 */
struct ringside_counter {
	const char *name; /* as xstats have it, behind "txN_" or "rxN_" */
	bool tx;
	enum { RINGSIDE_OF_DRIVER, RINGSIDE_OF_DEVICE, RINGSIDE_OF_QUEUE, RINGSIDE_LONGEST } source;
	size_t offset; /* in struct e1000e_stats, nic_stats or ringside_queue_stats */
};
extern const struct ringside_counter ringside_counters[]; /* ended by a row without name */
uint64_t ringside_count(const struct ringside_queue *queue, unsigned counter);
uint64_t ringside_count_named(const struct ringside_queue *queue, bool tx, const char *name);
void ringside_counters_keep(struct ringside_queue *queue); /* before device and driver go */
void ringside_counters_reset(struct ringside_queue *queue);

/* args.c: fills args from a vdev's parameters. 0, or -EINVAL after one line in the log. */
int ringside_args_parse(struct ringside_args *args, const char *parameters);

/* faults.c: fills args from the value of fault=. 0, or -1: it is no such list. */
#define RINGSIDE_FAULT_LIMITS                                                                \
	"up to 8 of tx_stop@S, tx_stop@S+S, link_pause@S, link_pause@S+S, irq_loss@SxN and " \
	"writeback_loss@SxN, separated by ';': S 0 to 86400 seconds, N 1 to 1000000000"
int ringside_faults_parse(struct ringside_args *args, const char *value);
/* The faults of a device that starts at `now`. */
void ringside_faults_fill(
	struct nic_config *config, const struct ringside_args *args, uint64_t now);

/*
 * events.c: sets port->events, for as long as the port is started. 0, or -EIO after a line in the
 * log.
 */
int ringside_events_start(struct ringside_port *port);
void ringside_events_stop(struct ringside_port *port);
/*
 * The arg of a queue's irq events, which is its number and name. The entry is the device's, with
 * the time when the line went up; the driver's side, which comes with a poll, is this function: the
 * exit and the trace point.
 */
uint64_t ringside_events_irq_arg(const struct ringside_queue *queue);
void ringside_events_irq(
	const struct ringside_queue *queue, uint64_t raised, uint32_t cause, uint64_t now);

/* telemetry.c: "/net_ringside/ring,PORT", see there; it registers itself. */

/* queue.c */
void ringside_free_waiting(struct ringside_queue *queue);

/* Releases the lock, after what the driver has freed meanwhile has gone back to its pools. */
static inline void ringside_unlock(struct ringside_queue *queue)
{
	if (queue->to_free_count)
		ringside_free_waiting(queue);
	rte_spinlock_unlock(&queue->lock);
}
int ringside_queue_start(struct ringside_queue *queue);
void ringside_queue_stop(struct ringside_queue *queue);
int ringside_queue_done_cleanup(void *tx_queue, uint32_t most);

/* burst.c */
uint16_t ringside_rx_burst(void *queue, struct rte_mbuf **packets, uint16_t count);
/* The second emits events, the first has no trace of them; see ringside_events_start. */
uint16_t ringside_tx_burst(void *queue, struct rte_mbuf **packets, uint16_t count);
uint16_t ringside_tx_burst_traced(void *queue, struct rte_mbuf **packets, uint16_t count);
void ringside_poll(struct ringside_queue *queue, uint64_t now);

/*
 * rx_interrupt.c. Start and stop go with the port's; start returns 0, or a negative errno after a
 * line in the log, and does nothing if the program hasn't asked for interrupts.
 */
int ringside_rx_interrupts_start(struct ringside_port *port);
void ringside_rx_interrupts_stop(struct ringside_port *port);
int ringside_rx_interrupt_enable(struct rte_eth_dev *dev, uint16_t queue);
int ringside_rx_interrupt_disable(struct rte_eth_dev *dev, uint16_t queue);
/* The device has raised its interrupt for received or missed frames; the lock is held. */
void ringside_rx_interrupt(struct ringside_queue *queue);
/* The device's deadline may have changed; the lock is held. */
void ringside_rx_interrupt_rearm(struct ringside_queue *queue, uint64_t now);
/* Another port has put a frame into the inbox. Needs no lock. */
void ringside_rx_interrupt_kick(struct ringside_queue *queue);

/* Brings the queue's device to `now`, with what has come from the wire. Under the queue's lock. */
void ringside_advance(struct ringside_queue *queue, uint64_t now);

/*
 * wire.c. A value of wire= becomes a type and its argument; NULL: it is none. A port opens its wire
 * at the probe, which may refuse it after a line in the log, starts it before its queues, stops it
 * after them and closes it when it goes.
 */
const struct ringside_wire_type *ringside_wire_find(const char *value, const char **argument);
int ringside_wire_open(struct ringside_port *port);
int ringside_wire_start(struct ringside_port *port);
void ringside_wire_stop(struct ringside_port *port);
void ringside_wire_close(struct ringside_port *port);

/*
 * wire_peer.c. A port receives from others between join and leave, whatever its own wire is; what
 * is then in the inbox of a queue is drained, or it is received with a poll.
 */
void ringside_peers_join(struct ringside_port *port);
void ringside_peers_leave(struct ringside_port *port);
int ringside_inbox_make(struct ringside_queue *queue);
void ringside_inbox_drain(struct ringside_queue *queue);
void ringside_inbox_receive(struct ringside_queue *queue, uint64_t now);
struct nic_wire ringside_wire_of(struct ringside_queue *queue);
void ringside_wire_receive(struct ringside_queue *queue, uint64_t now);
uint64_t ringside_wire_deadline(struct ringside_queue *queue, uint64_t now); /* see wire.h */
int ringside_wire_descriptor(const struct ringside_port *port);              /* -1: none */

#endif
