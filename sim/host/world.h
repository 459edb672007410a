/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the host: CPUs (cpu.c), their tasks (task.c), softirqs (softirq.c), NAPI (poll.c), by
 * softirq (net_rx.c), thread (napi_thread.c) or process (busy_poll.c), a device's queue in the
 * stack (netdev.c), sockets and their senders (socket.c), what is received (receiver.c) and read
 * (reader.c) and by how much that grows (window.c), a TCP stream between two devices (stream.c),
 * and the loop over all of them (host.c).
 *
 * Everything that takes time is a step: it acts at the CPU's due time and says how long it takes
 * until the next one. An interrupt between two steps pushes the next one back by what it takes.
 */
#ifndef SIM_HOST_WORLD_H
#define SIM_HOST_WORLD_H

#include "dql.h"
#include "host.h"
#include "window.h"

enum { TIMER = 1, NET_TX = 2, NET_RX = 3 }; /* linux/interrupt.h */

struct host;
struct cpu;

/* Something that can be scheduled. Its step acts, and sets due[HOST_TASK] or puts it to sleep. */
struct task {
	void (*step)(struct task *task, struct cpu *cpu, uint64_t now);
	struct task *next; /* in the run queue */
	struct cpu *cpu;   /* it never moves */
	bool asleep;
	bool bh_off;  /* softirqs have to wait, and nobody takes over */
	bool in_call; /* in the kernel, where nobody takes over unless it gives way (no preemption)
		       */
	uint64_t had; /* cycles: its vruntime */
};

/* A run over a device's queueing discipline: at most one at a time in the whole world
 * (__QDISC_RUNNING).
 */
struct queue_run {
	struct netdev *netdev;
	enum { RUN_OVER, RUN_NEXT, RUN_START, RUN_RETURN } state;
	struct rte_mbuf *packet;
	uint32_t bytes; /* of it, before the driver had it */
	int rc;
	bool direct;   /* the packet goes straight to the driver */
	uint32_t bulk; /* packets that have left the queueing discipline with it and follow it */
	uint32_t sent; /* from the queueing discipline, in this run */
	uint64_t began;
};

/* An ACK, or data that an ACK has let go, on its way from the stack to the driver. */
struct reply {
	struct receiver *receiver;
	bool data;
	enum { REPLY_MAKE, REPLY_SENT } state;
	struct queue_run run;
};

/* What TCP says in a packet: the first bytes of its data, where real ones have their headers. */
struct segment {
	uint64_t from, ack;   /* sequence numbers */
	uint64_t window;      /* bytes */
	uint32_t bytes;       /* payload; 0: an ACK */
	uint32_t stamp, echo; /* ms */
	bool push;            /* it ends a write */
	bool opens;           /* the connection */
};

/* Devices whose poll is due, in their order. */
struct poll_list {
	struct netdev *first, *last;
};

/* The poll of a device: by the NET_RX softirq, the device's thread, or a process. */
struct poll {
	enum { POLL_CLEAN, POLL_RECEIVE, POLL_MERGE, POLL_STACK, POLL_REPLY } state;
	struct netdev *netdev;
	enum host_level level; /* where it runs, and its time goes */
	uint32_t task;         /* who polls, as events count tasks; 0: a softirq */
	uint64_t began;
	uint32_t work, weight;  /* packets */
	uint64_t weight_cycles; /* its weight is time; 0: packets */
	bool full;              /* when it is over: it has used its weight */
	bool in_pair;           /* between receive_begin and receive_end */
	struct rte_mbuf *packet;
	uint64_t address;       /* of that packet, in events */
	uint64_t arrived;       /* when it came to the device; of a merged one its last segment */
	uint32_t bytes;         /* of its frame */
	struct segment segment; /* what it says, where a stream sends it */
	struct receiver *receiver; /* of that packet, or of one from GRO */
	uint32_t segments;         /* that the stack gets at once */
	struct reply reply;
};

/* The NET_RX softirq: a loop over devices. */
struct net_rx {
	bool begun;              /* and has its list */
	struct poll_list list;   /* 6.1: to poll in this softirq */
	struct poll_list repoll; /* 6.1: have used their whole weight */
	int64_t budget;          /* packets that this softirq may still take */
	uint64_t began;
	bool squeezed;    /* 6.1: the limits are reached */
	struct poll poll; /* of the device whose turn it is; its netdev is NULL between two */
};

struct softirq {
	enum { SOFTIRQ_NEXT, SOFTIRQ_RUN } state;
	uint32_t batch;    /* vectors of this round, still to do */
	unsigned vector;   /* the one that runs */
	unsigned restarts; /* rounds left */
	uint64_t began;
	uint32_t outputs;     /* NET_TX: the devices of this vector, still to do */
	struct queue_run run; /* NET_TX's */
	struct net_rx net_rx;
	struct reply reply; /* TIMER's */
};

struct cpu {
	struct host *host;
	unsigned index;
	int level;                /* what it does now: enum host_level, or -1: idle */
	bool active[HOST_LEVELS]; /* at work or preempted */
	uint64_t due[HOST_LEVELS];
	uint64_t preempted_at[HOST_LEVELS];
	uint64_t level_since;
	struct host_cpu_stats stats;

	uint32_t pending; /* softirq vectors raised */
	struct softirq softirq;
	struct poll_list polls; /* devices that want to be polled */
	uint32_t outputs;       /* devices whose queue NET_TX has to run */
	unsigned irq;  /* the device whose interrupt is handled; HOST_DEVICES_MOST: the timer's */
	uint32_t irqs; /* devices whose interrupt waits for the end of another one */

	struct task *current;
	struct task *queue; /* that wait, those that have had least first */
	unsigned waiting;   /* in the queue */
	bool need_resched;  /* one of them should take over */
	uint64_t least_had; /* of all: where one that wakes comes in. Never goes back */
	uint64_t booked_at; /* up to where `had` of the current one goes */
	uint64_t slice_began;
	uint64_t tick_seen; /* number of the last tick that looked at the slice */
	struct task ksoftirqd;
};

/* The kernel thread that polls a device. */
struct napi_thread {
	struct task task; /* without a step: the device is polled by softirq */
	struct netdev *netdev;
	uint32_t number; /* in events */
	bool scheduled;  /* NAPI_STATE_SCHED_THREADED: it has to poll */
	enum { THREAD_WAIT, THREAD_POLL, THREAD_POLLED } state;
	struct poll poll;
};

/* A device and what the stack has of it: NAPI, and a pfifo above the driver. */
struct netdev {
	struct host *host;
	unsigned index;
	struct nic *nic;
	const struct nic_config *nic_config;
	struct e1000e_port *port;
	bool polled;        /* NAPI is scheduled: it is on a list, or at work */
	bool missed;        /* an interrupt came while it was */
	bool busy;          /* a process polls it, and keeps it from poll to poll */
	bool preferred;     /* a process would rather poll it (NAPI_STATE_PREFER_BUSY_POLL) */
	uint32_t deferrals; /* polls by the timer that may find nothing */
	uint64_t timer_at;  /* when it polls; CYCLES_NEVER: not */
	struct cpu *timer_cpu;
	struct netdev *next; /* on that list */
	uint64_t waits_from; /* since when it is on that list, or for its thread */
	struct napi_thread thread;
	uint64_t average; /* eighths of a cycle that a received packet costs; 0: not known */
	struct host_napi_stats stats;
	uint64_t first_interrupt; /* when; 0: none yet */

	/* frames from the wire: the next one, and when those in the receive ring came */
	struct receiver *next_arrival;
	uint64_t arrives_at, wire_free_at;
	struct arrival {
		struct receiver *receiver;
		uint64_t at;
		uint32_t bytes; /* of the frame */
		struct segment segment;
	} * arrivals; /* a circle, as long as the receive ring; NULL: nothing comes */
	uint64_t arrived, taken;
	uint32_t arrivals_count;
	struct netdev *peer;    /* whose wire ends here; NULL: nobody's */
	struct receiver *wired; /* what goes over that wire */
	uint32_t first_buffers; /* of the receive ring's first buffers, so many are unused yet */

	struct rte_mbuf **slot; /* a circle of `limit` + 1: one more for a packet put back */
	uint32_t limit, head, count, most;
	uint32_t requeued; /* of them, the first: had left, and the driver took none */
	bool running;      /* some CPU is in a queue run */
	bool scheduled;    /* NET_TX has been raised for it */

	/* BQL stops the queue too, whatever room the ring has. */
	const struct host_bql *bql;
	bool held; /* __QUEUE_STATE_STACK_XOFF */
	struct dql dql;
	uint64_t completed;                /* bytes that it was told of */
	uint64_t holds, held_at, held_for; /* times, and cycles */
	struct host_changes limits, rates;
};

struct sender {
	struct task task;
	struct host *host;
	struct netdev *netdev;
	const struct host_sender *config;
	enum { SENDER_ALLOC, SENDER_QUEUE, SENDER_XMIT } state;
	uint64_t charged;     /* sk_wmem_alloc, bytes */
	uint64_t outstanding; /* packets */
	uint64_t slept_at;    /* for send buffer; CYCLES_NEVER: it doesn't */
	uint64_t pause;       /* cycles to sleep before the next message */
	uint64_t wake_at;     /* CYCLES_NEVER: no timer */
	struct rte_mbuf *packet;
	struct queue_run run;
	struct host_sender_stats stats;
};

/* A process that polls a device: see busy_poll.c. */
struct busy_poll {
	struct task *task;
	struct netdev *netdev;
	uint32_t number; /* of the task, in events */
	uint64_t usecs;  /* for so long; 0: never */
	bool prefers;    /* that nobody else does */
	enum { BUSY_POLL, BUSY_POLLED, BUSY_ROUND, BUSY_STOP, BUSY_STOPPED, BUSY_GAVE_WAY } state;
	uint64_t began; /* in the kernel's units */
	bool has_device;
	bool deferred; /* the timer polls next */
	bool over;     /* there is data, or the time is used up */
	struct poll poll;
};

/* Packets that wait in a socket. Several may be one: of them the memory of the first is kept. */
struct unread {
	struct rte_mbuf *packet;
	uint64_t address; /* of it, in events */
	uint64_t arrived; /* at the device */
	uint32_t bytes;   /* payload */
	uint32_t memory;
	uint32_t pieces;
	bool joins; /* others may join it */
	bool push;
};

/* A circle that grows. */
struct unread_queue {
	struct unread *slot;
	uint32_t room, head, count;
	uint64_t memory;
};

/* The process that reads. */
struct reader {
	struct task task;
	struct receiver *receiver;
	enum reader_state {
		READER_BEGIN,
		READER_BUSY,
		READER_COPY,
		READER_COPIED,
		READER_BACKLOG,
		READER_ACK
	} state;
	bool owns;       /* the socket: what comes meanwhile is left in the backlog */
	bool has_read;   /* all there was; the backlog is left before it gives the socket back */
	uint64_t bytes;  /* read in this call */
	bool has_polled; /* busily, and in vain, in this call */
	struct busy_poll busy;
	struct unread_queue queue, backlog;
	struct reply reply;
};

/* The process that writes a stream, and the TCP sender. */
struct stream {
	struct task task;
	struct receiver *receiver;
	struct netdev *netdev;
	enum stream_state {
		STREAM_BEGIN,
		STREAM_COPY,
		STREAM_COPIED,
		STREAM_PUSH,
		STREAM_XMIT,
		STREAM_BACKLOG
	} state;
	bool owns;      /* the socket: ACKs wait until it gives it back */
	bool sends_one; /* of the packets that wait: the rest of the write is still to be copied */
	bool blocked;   /* asleep for send buffer */
	enum stream_connection {
		STREAM_CLOSED,
		STREAM_OPENING,
		STREAM_ANSWERED,
		STREAM_OPEN
	} connection;
	uint64_t progress_at; /* something was acknowledged, or the first of what isn't was sent */
	uint64_t wake_at;     /* CYCLES_NEVER: no timer */
	uint32_t left;        /* of this write, to copy */
	uint32_t piece;       /* being copied */
	uint32_t room;        /* bytes left of the memory that was taken for what is written */
	uint32_t tail;        /* bytes in the last packet, which can take more */
	uint64_t pushed;      /* sequence number: up to there somebody has asked for sending */
	uint64_t written, next, acked, edge; /* sequence numbers: edge of the window */
	uint64_t small;                      /* end of the last segment that was not full */
	uint64_t window_most;
	uint32_t congestion, in_flight_most; /* segments */
	uint32_t heard;                      /* time stamp, to echo */
	bool backlogged;
	struct segment backlog; /* the newest ACK that waits */
	struct queue_run run;
};

/* Who sends to us, and the TCP receiver that gets it. */
struct receiver {
	const struct host_receiver *config;
	struct netdev *netdev;
	struct nic_frame frame;
	void *data;
	uint32_t bytes; /* of the frame */
	uint64_t wire_cycles;
	uint64_t wanted;   /* when the next frame begins if the wire is free */
	uint32_t of_burst; /* frames sent of this burst */

	uint32_t outstanding;     /* full segments that no ACK covers */
	uint64_t quick_acks_left; /* it still owes */
	uint64_t heard_at;        /* the last segment */
	uint64_t delayed_at;      /* the delayed-ACK timer; CYCLES_NEVER: not running */
	bool ack_due;             /* it ran out */
	bool answers;             /* with an ACK that opens the connection */
	uint32_t echo, echoed;    /* time stamps, ms: the sender's last one, ours in it */

	struct rte_mbuf *held; /* GRO: the first of those that are merged */
	uint32_t held_segments, held_bytes;
	uint64_t expected;    /* of a stream: the sequence number that comes next */
	struct window window; /* where a process reads TCP */
	struct reader reader;
	struct stream stream;
	struct host_receiver_stats stats;
};

/* Private part of each mbuf. */
struct packet {
	struct sender *owner;  /* NULL: TCP's, charged to nobody */
	struct rte_mbuf *next; /* of those that were written as one packet */
	uint32_t follow;       /* so many */
};

struct host {
	struct host_config config;
	uint64_t cost[HOST_COST_COUNT]; /* cycles */
	uint64_t random;                /* state of the jitter's generator */
	struct cpu cpus[HOST_CPUS_MOST];
	struct sender senders[HOST_SENDERS_MOST];
	struct netdev netdevs[HOST_DEVICES_MOST];
	unsigned netdev_count;
	struct receiver receivers[HOST_RECEIVERS_MOST];
	unsigned delayed; /* ACKs that a timer is to send */
	struct rte_mempool *pool;
	uintptr_t packet_base;
	uint64_t packet_stride;
	uint64_t outstanding; /* packets to be sent that are not in the pool */
	uint64_t tick;        /* cycles */
	uint64_t now;         /* of the last step */
	uint64_t timer_at;    /* the earliest of the watchdog and the senders' timers */
	uint64_t watchdog_at;
	uint64_t ksoftirqd_wakes;
	struct host_squeezes squeezes;
	bool ended; /* what is freed from now on is nobody's */
	int error;
};

static inline void host_emit(struct host *host, unsigned cpu, const struct event *event)
{
	if (host->config.sink)
		event_emit(host->config.sink, cpu, *event);
}

/* Books a value, if it isn't the last one. */
void host_changed(struct host_changes *changes, uint64_t value, uint64_t now);

/* The cycles that an action takes this time. */
uint64_t host_cost(struct host *host, enum host_cost what);

/* A timer is wanted at that time. */
static inline void host_set_timer(struct host *host, uint64_t at)
{
	if (at < host->timer_at)
		host->timer_at = at;
}

/* config.c */
bool host_config_valid(const struct host_config *config);
const struct e1000e_config *host_driver_of(const struct host_config *config, unsigned device);

/* cpu.c */
void cpu_init(struct cpu *cpu, struct host *host, unsigned index);
void cpu_enter(struct cpu *cpu, enum host_level level, uint64_t now);
void cpu_leave(struct cpu *cpu, uint64_t now);
void cpu_step(struct cpu *cpu, uint64_t now);
void cpu_interrupt(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void cpu_timer_interrupt(struct cpu *cpu, uint64_t now);
void cpu_poll_timer_interrupt(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void cpu_account(struct cpu *cpu, uint64_t now);
void task_bh_enable(struct task *task, uint64_t now);

/* When the CPU acts next; CYCLES_NEVER: idle. */
static inline uint64_t cpu_due(const struct cpu *cpu)
{
	return cpu->level < 0 ? CYCLES_NEVER : cpu->due[cpu->level];
}

/* task.c */
void task_wake(struct task *task, uint64_t now);
void task_sleep(struct task *task, uint64_t now);
void task_schedule(struct cpu *cpu, uint64_t now);
bool task_preempted(struct cpu *cpu, uint64_t now);
bool task_need_resched(struct cpu *cpu, uint64_t now);
void task_has_run(struct task *task);

/* softirq.c */
void softirq_raise(struct cpu *cpu, unsigned vector, uint64_t now);
void softirq_begin(struct cpu *cpu, uint64_t now);
void softirq_step(struct cpu *cpu, uint64_t now);
void ksoftirqd_init(struct cpu *cpu);

/* net_rx.c */
void net_rx_add(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void net_rx_begin(struct cpu *cpu, uint64_t now);
bool net_rx_step(struct cpu *cpu, uint64_t now);

/* napi_thread.c */
void napi_thread_init(struct netdev *netdev, const struct host_napi *config);
void napi_thread_wake(struct napi_thread *thread, uint64_t now);

/* busy_poll.c: a step returns false if it is over, and the caller goes on with its own next step */
void busy_poll_begin(struct busy_poll *busy, struct cpu *cpu, uint64_t now);
bool busy_poll_step(struct busy_poll *busy, struct cpu *cpu, bool has_data, uint64_t now);

/* poll.c */
void poll_hand_over(struct cpu *cpu, struct netdev *netdev, uint64_t now);
bool poll_leave_to_timer(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void poll_timer(struct netdev *netdev, uint64_t now);
bool poll_config_valid(const struct host_config *config);
void poll_begin_busy(
	struct poll *poll, struct netdev *netdev, uint32_t budget, uint32_t task, uint64_t now);
void poll_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void poll_begin(struct poll *poll, struct netdev *netdev, enum host_level level, uint64_t now);
bool poll_step(struct cpu *cpu, struct poll *poll, uint64_t now);

/* netdev.c */
int netdev_init(struct netdev *netdev);
uint64_t netdev_queue_xmit(struct cpu *cpu, struct netdev *netdev, struct queue_run *run,
	struct rte_mbuf *packet, uint64_t now);
void netdev_schedule(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void netdev_run_begin(struct netdev *netdev, struct queue_run *run, uint64_t now);
uint64_t netdev_run_step(struct cpu *cpu, struct queue_run *run, uint64_t now);
void netdev_cleaned(struct cpu *cpu, struct netdev *netdev, uint64_t now);
void netdev_throttled(struct netdev *netdev, uint64_t now);

/* receiver.c */
int receiver_init(struct receiver *receiver, struct host *host, const struct host_receiver *config);
void receiver_free(struct receiver *receiver);
void receiver_schedule(struct netdev *netdev);
void receiver_arrive(struct netdev *netdev, uint64_t now);
void receiver_arrived(struct netdev *netdev, const struct nic_frame *frame,
	const struct arrival *arrival, uint64_t now);
uint64_t receiver_cost(const struct cpu *cpu, const struct poll *poll);
bool receiver_take(struct poll *poll, uint64_t now);
bool receiver_acks(struct receiver *receiver, bool at_once, uint64_t now);
struct host_receiver_stats receiver_stats(const struct receiver *receiver);
void receiver_timer(struct receiver *receiver, uint64_t now);
struct receiver *receiver_due(struct host *host);
struct rte_mbuf *receiver_packet(struct host *host, const struct segment *segment, bool checksum);
uint64_t reply_begin(struct reply *reply, struct receiver *receiver);
bool reply_step(struct cpu *cpu, struct reply *reply, uint64_t now, uint64_t *took);

/* reader.c */
void reader_init(struct reader *reader, struct receiver *receiver, struct host *host);
void reader_free(struct reader *reader);
bool reader_take(struct receiver *receiver, struct poll *poll, uint64_t now);

/* stream.c */
void stream_init(struct stream *stream, struct receiver *receiver, struct host *host);
bool stream_acked(struct stream *stream, const struct segment *segment, uint64_t now);
struct rte_mbuf *stream_next(struct stream *stream, uint64_t now);
void stream_timer(struct stream *stream, uint64_t now);
uint64_t stream_timer_at(const struct stream *stream);

/* socket.c */
void sender_init(struct sender *sender, struct host *host, const struct host_sender *config);
void sender_timer(struct sender *sender, uint64_t now);
void sender_account(struct sender *sender, uint64_t now);
void sender_packet_freed(struct sender *sender, uint64_t now);

#endif
