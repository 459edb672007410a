/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Linux side in virtual time: CPUs with hard interrupts, softirqs and tasks that preempt each
 * other; a queueing discipline above the driver; blocking UDP sockets above that; NAPI and a TCP
 * receiver for what comes from the wire.
 *
 * Each CPU does one thing at a time, and each thing takes the time that the configuration says.
 * Nothing here is random unless jitter is asked for. Sources: net/core/dev.c,
 * net/sched/sch_generic.c, net/core/sock.c and kernel/softirq.c of Linux 2.6.35 and 6.1, read for
 * what they do.
 */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include "clock.h"
#include "e1000e.h"
#include "nic.h"

#define HOST_CPUS_MOST      16
#define HOST_SENDERS_MOST   16
#define HOST_RECEIVERS_MOST 16
#define HOST_DEVICES_MOST   8
#define HOST_TRAIN_MOST     64 /* segments that a stream writes as one packet */

/*
 * What things cost, in ns of CPU time: X(name, default, what it is). The same names stand in
 * scenario files, under host.cost_ns. The defaults are assumed, for a CPU of
 * about 2010; nobody measured them.
 */
#define HOST_COSTS(X)                                                                          \
	X(send, 2500, "a message from the system call to dev_queue_xmit (socket, IP, memory)") \
	X(enqueue, 300, "putting a packet into the queueing discipline")                       \
	X(qdisc, 500, "a packet's way from the queueing discipline to the driver")             \
	X(xmit, 1500, "the driver's xmit function")                                            \
	X(clean, 120, "cleaning one packet from the ring and freeing it")                      \
	X(hard_irq, 1000, "the hard interrupt, from entry to exit")                            \
	X(softirq, 500, "starting one softirq vector")                                         \
	X(poll, 300, "the end of a NAPI poll: interrupts on again")                            \
	X(schedule, 1000, "switching to a task")                                               \
	X(receive, 3000, "a received packet's way through the stack")                          \
	X(ack, 1000, "making an ACK; its way to the driver is qdisc and xmit")                 \
	X(merge, 500, "merging a received packet with those before it")                        \
	X(read, 1500, "a process's read call, without what it copies")                         \
	X(write, 1500, "a process's write call, without what it copies")                       \
	X(copy, 250, "copying a KiB from or to a process")                                     \
	X(alloc, 2000, "32 KiB of memory for what a process writes")                           \
	X(segment, 500, "cutting one segment from what was written")                           \
	X(acked, 2000, "a received ACK's way through the stack")                               \
	X(backlog, 500, "leaving a received packet to the process that has the socket")        \
	X(busy_poll, 200, "a round of busy polling, without what it receives")

enum host_cost {
#define X(name, default_ns, help) HOST_COST_##name,
	HOST_COSTS(X)
#undef X
		HOST_COST_COUNT
};

/* What changed in the stack over the years. */
struct host_kernel {
	const char *name; /* as the driver's profile */
	/* a queue run ends when a task waits or a tick has passed (2.6.35), else by dev_tx_weight
	 */
	bool qdisc_yields;
	uint32_t skb_bytes;         /* struct sk_buff */
	uint32_t shared_info_bytes; /* counted into truesize since 3.2; 0: not */
	bool softirq_yields;        /* no restart when a task waits, or after 2 ms (since 3.9) */
	bool repolls;     /* who has used its weight is polled in the next softirq (since 3.19) */
	bool threads;     /* NAPI in a thread, where somebody asks for it (since 5.12) */
	bool busy_polls;  /* processes may poll (since 3.11) */
	bool defers_irqs; /* a timer may poll in their place (since 5.7) */
	bool ksoftirqd_owns; /* while it has work nobody else runs softirqs (4.9 to 6.3) */
	bool bql;            /* byte queue limits, where nobody says otherwise (since 3.3) */
	bool bulk_dequeue;   /* with BQL, packets leave the qdisc in bulk (since 3.18) */
};
const struct host_kernel *host_kernel_find(const char *name); /* NULL if there is none */

/* What a kernel charges a socket for a UDP message of so many bytes (skb->truesize). */
uint32_t host_truesize(const struct host_kernel *kernel, uint32_t message_bytes);

struct host_sender {
	unsigned cpu;
	unsigned device;            /* it sends by: 0 is config.nic, others are in config.more */
	uint32_t message_bytes;     /* UDP payload */
	uint32_t segments;          /* buffers that a packet is in, at least 1 */
	bool checksum;              /* computed by the device: a context descriptor */
	uint64_t send_buffer_bytes; /* SO_SNDBUF, as the kernel doubles and prints it */
	uint32_t truesize_bytes;    /* memory that the kernel charges for a packet */
	uint64_t start, stop;       /* cycles */
	uint64_t messages;          /* it sends so many; 0: no limit */
	uint64_t pause_cycles;      /* sleep between two messages; 0: none */
};

/* Byte queue limits: sysfs has the bounds as byte_queue_limits/limit_min and limit_max. */
struct host_bql {
	bool on;
	uint64_t limit_min, limit_max; /* bytes; see dql.h */
};

/*
 * Somebody at the other end of a device's wire who sends to us, and what answers. TCP has a
 * receiver that acknowledges as Linux does; UDP is only received.
 *
 * What is received is gone at once, unless a process reads it: then it waits for that in the
 * socket, whose window follows (window.h), and a copy event tells when it is read.
 *
 * The sender paces itself, or it is a process on this machine that writes a stream through another
 * device, whose wire ends at this one (stream.c).
 */
struct host_receiver {
	unsigned device;        /* it comes by */
	bool tcp;               /* else UDP */
	uint32_t segment_bytes; /* payload of each */
	uint64_t segments;      /* so many; 0: no limit */
	uint32_t burst;         /* of them follow each other as the wire takes them, at least 1 */
	uint64_t interval;      /* cycles from burst to burst; 0: as the wire takes them */
	uint64_t start, stop;   /* cycles */
	uint64_t quick_acks;    /* TCP: ACKs at the start that wait for nothing */
	uint64_t delayed_ack;   /* TCP: cycles that an ACK may wait */
	bool gro;               /* segments are merged before the stack gets them */
	bool checksum;          /* of ACKs, computed by the device */
	bool read;              /* by a process */
	unsigned cpu;           /* it runs on, and so does the one that writes */
	uint64_t buffer_bytes;  /* SO_RCVBUF as the kernel prints it; 0: what the kernel makes it */
	uint64_t busy_poll_us;  /* SO_BUSY_POLL: it polls before it sleeps; in units of 1024 ns */
	bool prefer_busy_poll;  /* and wants others to leave the device to it */
	uint32_t task;          /* that process, as events count tasks */

	bool stream;           /* TCP: written on this machine */
	unsigned from;         /* the device that it leaves by */
	uint32_t write_bytes;  /* at a time */
	uint64_t stream_bytes; /* in all; 0: until `stop` */
	bool stream_checksum;  /* of segments, computed by the device */
};

/* Bytes of its frames on the wire, without FCS. */
uint32_t host_frame_bytes(const struct host_receiver *receiver);

/* What ends a poll that still has packets. */
enum host_weight_policy {
	HOST_WEIGHT_PACKETS, /* dev_weight packets, as ever */
	HOST_WEIGHT_TIME,    /* weight_cycles are used; it gets one packet at least */
	HOST_WEIGHT_COST,    /* the packets that weight_cycles are good for, by their average cost
				so far; dev_weight while nothing is known */
};

/* A NIC and its driver. Of the driver registers, stack, sink and hz are filled in, of the NIC hz
 * and sink. */
struct host_device {
	struct nic_config nic;
	struct e1000e_config driver;
	struct host_bql bql;
};

/* How a device is polled: by the NET_RX softirq, or by a thread of its own. */
struct host_napi {
	bool threaded;
	unsigned cpu;  /* where the thread runs */
	uint32_t task; /* the thread, as events count tasks */
	/* After a poll that has found something a timer polls, until so many have found nothing;
	 * only then are interrupts enabled (napi_defer_hard_irqs). Both or none are 0 */
	uint32_t defer_hard_irqs;
	uint64_t flush_timeout; /* cycles until the timer's poll (gro_flush_timeout) */
};

struct host_config {
	const struct host_kernel *kernel;
	unsigned cpus;    /* 1 to HOST_CPUS_MOST */
	unsigned irq_cpu; /* where the devices' interrupts go */
	uint32_t cost_ns[HOST_COST_COUNT];
	double jitter; /* each cost is multiplied by a number from 1 - jitter to 1 + jitter */
	uint64_t seed; /* of the jitter */
	uint32_t qdisc_limit;   /* packets */
	uint32_t dev_tx_weight; /* packets of one queue run, where the kernel has no qdisc_yields */
	struct host_bql bql;    /* of the first device */
	uint32_t dev_weight;    /* NAPI budget of one poll, as the napi_poll event shows it */
	enum host_weight_policy weight_policy;
	uint64_t weight_cycles;
	uint32_t netdev_budget;        /* packets of one NET_RX softirq */
	uint64_t netdev_budget_cycles; /* and its time, which is compared exactly */
	uint32_t tick_hz;              /* CONFIG_HZ: when a waiting task may take over */
	struct host_sender senders[HOST_SENDERS_MOST];
	unsigned sender_count;
	struct host_receiver receivers[HOST_RECEIVERS_MOST];
	unsigned receiver_count;
	uint64_t stop;         /* cycles: senders and receivers end; what is under way is drained */
	uint64_t drain;        /* cycles: but no longer than this */
	struct nic_config nic; /* of the first device, as in struct host_device */
	struct e1000e_config driver;
	struct host_device more[HOST_DEVICES_MOST - 1]; /* more devices */
	unsigned more_count;
	struct host_napi napi[HOST_DEVICES_MOST]; /* of the first, then of more */
	/* All events. The device's own come as those of CPU `cpus`; interrupts of device i have the
	 * NAME_IRQ i + 1 */
	struct event_sink *sink;
	uint16_t drop_reason; /* NAME_REASON of what the queueing discipline drops */
};

struct host_sender_stats {
	uint64_t messages;         /* accepted by the socket */
	uint64_t dropped;          /* of them, by the queueing discipline */
	uint64_t blocks;           /* times that the sender slept for send buffer */
	uint64_t blocked;          /* cycles asleep */
	uint64_t outstanding_most; /* packets charged to the socket at one moment */
};

struct host_receiver_stats {
	uint64_t frames;     /* that came to the device */
	uint64_t missed;     /* of them: the ring was full; they came again */
	uint64_t sent;       /* of them: the others */
	uint64_t received;   /* by the stack */
	uint64_t deliveries; /* packets of them, each of one segment or merged by GRO */
	uint64_t acks;
	uint64_t quick_acks;   /* of them: at the start */
	uint64_t delayed_acks; /* of them: by the timer */
	uint64_t waited;       /* cycles from the wire's end to the poll, all together */
	uint64_t waited_most;
	/* where a process reads */
	uint64_t reads;        /* calls that read something */
	uint64_t read_bytes;   /* of payload */
	uint64_t read_packets; /* as they were in the socket */
	uint64_t read_waited;  /* cycles from the wire's end until they were read, all together */
	uint64_t read_waited_most;
	uint64_t read_acks;  /* ACKs that it sent */
	uint64_t backlogged; /* segments that came while it had the socket */
	uint64_t overflowed; /* segments that found the buffer full, but for a stream's: dropped */
	uint64_t disordered; /* segments of a stream that came behind a lost one: dropped */
	uint64_t timeouts;   /* of the stream's sender, which begins anew from the last ACK */
	uint64_t buffer;     /* bytes: what it became */
};

/* Of a device; times in cycles. */
struct host_napi_stats {
	uint64_t polls;
	uint64_t thread_polls;  /* of them: by the device's thread */
	uint64_t busy_polls;    /* and by processes */
	uint64_t full;          /* of them: those that used their whole weight */
	uint64_t working;       /* of them: those that found something */
	uint64_t work;          /* packets */
	uint64_t time, longest; /* of its polls */
	uint64_t waited_most;   /* from when it wanted to be polled until it was */
	uint64_t rx_missed;     /* packets for which the ring had no room */
	uint64_t interrupts;
	uint64_t interrupt_span; /* from the first to the last that the CPU took */
};

/* Why NET_RX softirqs ended while devices still had something to do. */
struct host_squeezes {
	uint64_t by_packets, by_time; /* time_squeeze, by its cause */
	uint64_t repolls;             /* only for those that had used their weight */
};

enum host_level { HOST_TASK, HOST_SOFTIRQ, HOST_HARDIRQ, HOST_LEVELS };

struct host_cpu_stats {
	uint64_t busy[HOST_LEVELS]; /* cycles */
};

/* What a value was over time: the first changes of it, and how many there were. */
#define HOST_CHANGES_MOST 64
struct host_changes {
	uint64_t count;
	struct {
		uint64_t at, value; /* cycles */
	} first[HOST_CHANGES_MOST];
	uint64_t last; /* value */
	uint64_t most;
};

struct host_stats {
	uint64_t end; /* cycles: of the last thing that happened */
	struct host_sender_stats senders[HOST_SENDERS_MOST];
	struct host_cpu_stats cpus[HOST_CPUS_MOST];
	uint64_t qdisc_most; /* packets queued at one moment */
	uint64_t ksoftirqd_wakes;
	struct host_receiver_stats receivers[HOST_RECEIVERS_MOST];
	struct host_napi_stats napi[HOST_DEVICES_MOST];
	struct host_squeezes squeezes;
	/* of the first device */
	struct host_changes limits; /* of BQL, bytes */
	uint64_t limit_stops;       /* times that BQL stopped the queue */
	uint64_t limit_stopped;     /* cycles that it stood for that */
	struct host_changes rates;  /* of interrupts, where the throttle is dynamic */
	struct nic_stats nic;
	struct e1000e_stats driver;
	struct e1000e_hang hang;
	uint32_t tdh, tdt;
	uint16_t next_to_use, next_to_clean;
	uint64_t qdisc_at_end; /* packets still queued */
};

struct host;

/* Memory for the packets of such a world, in bytes: what the EAL must have to give. */
uint64_t host_pool_bytes(const struct host_config *config);

/*
 * Builds the world. Needs an EAL that is up: packets come from a pool made here, whose size follows
 * from send buffers, queue limit and ring. Returns 0, -EINVAL or -ENOMEM.
 */
int host_create(struct host **host, const struct host_config *config);

/* Runs to the end. Returns 0, or -ENOMEM if the pool ran out (a fault of the model: it is sized).
 */
int host_run(struct host *host, struct host_stats *stats);

/* Frees everything; packets still in the ring go back to the pool first. */
void host_destroy(struct host *host);

/* What packet numbers are multiples of: the size of a pool object. */
uint64_t host_packet_stride(const struct host *host);

#endif
