/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vocabulary: what can happen to a packet, a queue or a CPU, as a fixed record of 32 bytes.
 *
 * The model emits these records, the readers turn kernel traces into them, and every measure takes
 * nothing else. On disk they are the events of a CTF 1.8 trace (trace_writer.h), which is why time
 * and id come first: CTF wants the event header before the payload.
 *
 * Whatever is special to one kind of event is packed into `arg`, as EVENT_FIELDS below says. That
 * one table makes the getters and putters here, the CTF metadata, and the output of
 * `ringstat dump`.
 */
#ifndef ANALYZER_EVENT_EVENT_H
#define ANALYZER_EVENT_EVENT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NO_DEVICE    UINT8_MAX  /* event of no device, or of one whose name is not known */
#define EVENT_NO_QUEUE     UINT8_MAX  /* the trace does not say which queue (see event_queue) */
#define EVENT_WORK_UNKNOWN UINT32_MAX /* napi_poll of a kernel that does not print its work */

/* Everything that can be in a trace, with the name that people see. */
#define EVENT_IDS(X)                                                                              \
	X(NAME, name)             /* a device, task or reason gets its name (names.h) */          \
	X(QUEUE, queue)           /* the packet reaches the queueing discipline */                \
	X(START_XMIT, start_xmit) /* it is handed to the driver */                                \
	X(XMIT, xmit)             /* the driver's xmit function has returned */                   \
	X(DONE, done)             /* its last descriptor is written back (model only) */          \
	X(FREE, free)             /* the driver or the stack lets it go */                        \
	X(STOP, stop)             /* the driver stops the transmit queue */                       \
	X(WAKE, wake)             /* the driver starts it again */                                \
	X(IRQ_ENTRY, irq_entry)   /* hard interrupt handler */                                    \
	X(IRQ_EXIT, irq_exit)                                                                     \
	X(SOFTIRQ_RAISE, softirq_raise) /* vectors as in linux/interrupt.h: NET_TX 2, NET_RX 3 */ \
	X(SOFTIRQ_ENTRY, softirq_entry)                                                           \
	X(SOFTIRQ_EXIT, softirq_exit)                                                             \
	X(NAPI_POLL, napi_poll)         /* a poll function has returned */                        \
	X(RECEIVE, receive)             /* netif_rx or netif_receive_skb */                       \
	X(RECEIVE_BEGIN, receive_begin) /* the receive path of one packet begins */               \
	X(RECEIVE_END, receive_end)                                                               \
	X(COPY, copy)           /* copied to a user process */                                    \
	X(SOCK_SEND, sock_send) /* return value in len, as a signed number */                     \
	X(SOCK_RECV, sock_recv)                                                                   \
	X(LOST, lost) /* the recorder lost events of this CPU before this time */

enum event_id {
	EVENT_NONE,
#define X(id, name) EVENT_##id,
	EVENT_IDS(X)
#undef X
		EVENT_ID_COUNT
};

/*
 * One event. Times are cycles of the trace's clock (its frequency stands in the trace); the CPU is
 * that of the stream the record is in. `packet` is an address: of the sk_buff in a kernel's trace,
 * pool index x object size in virtual time, so that equal runs are equal to the byte.
 */
struct event {
	uint64_t time;  /* cycles */
	uint16_t id;    /* enum event_id */
	uint8_t device; /* index of a NAME_DEVICE name, or EVENT_NO_DEVICE */
	uint8_t queue;  /* transmit queue, or EVENT_NO_QUEUE; of a start its low 8 bits */
	uint32_t len;   /* bytes, as the event defines them */
	uint64_t packet;
	uint64_t arg; /* packed: see EVENT_FIELDS */
};
static_assert(sizeof(struct event) == 32, "the record is 32 bytes, on disk too");

/* An event outside of its stream. */
struct cpu_event {
	struct event event;
	uint32_t cpu;
	uint32_t number; /* the reader's own */
};

/*
 * X(event id, field, lowest bit, bits, how to print it). A reason of 0 is a packet that was
 * consumed, not dropped; work is EVENT_WORK_UNKNOWN where the kernel does not say; process is the
 * index of a NAME_TASK name, task one more than such an index (the task that ran; 0: not told). Of
 * a napi_poll, whose arg is full, the task is in len: see event_task. A start's queue is queue_high
 * x 256 + event.queue, and where both are 255 (no device has 65536 queues) it is not known.
 */
#define EVENT_FIELDS(X)                               \
	X(START_XMIT, gso_size, 0, 16, unsigned)      \
	X(START_XMIT, gso_segs, 16, 16, unsigned)     \
	X(START_XMIT, header_bytes, 32, 16, unsigned) \
	X(START_XMIT, queue_high, 48, 8, unsigned)    \
	X(XMIT, rc, 0, 32, signed)                    \
	X(DONE, index, 0, 16, unsigned)               \
	X(FREE, reason, 0, 16, unsigned)              \
	X(FREE, aborted, 16, 1, unsigned)             \
	X(IRQ_ENTRY, irq, 0, 32, unsigned)            \
	X(IRQ_ENTRY, name, 32, 16, unsigned)          \
	X(IRQ_EXIT, irq, 0, 32, unsigned)             \
	X(SOFTIRQ_RAISE, vec, 0, 8, unsigned)         \
	X(SOFTIRQ_ENTRY, vec, 0, 8, unsigned)         \
	X(SOFTIRQ_ENTRY, task, 8, 24, unsigned)       \
	X(SOFTIRQ_EXIT, vec, 0, 8, unsigned)          \
	X(NAPI_POLL, work, 0, 32, unsigned)           \
	X(NAPI_POLL, budget, 32, 32, unsigned)        \
	X(RECEIVE, netif_rx, 0, 1, unsigned)          \
	X(COPY, task, 0, 24, unsigned)                \
	X(SOCK_SEND, process, 0, 24, unsigned)        \
	X(SOCK_SEND, family, 24, 8, unsigned)         \
	X(SOCK_SEND, protocol, 32, 16, unsigned)      \
	X(SOCK_SEND, flags, 48, 16, hex)              \
	X(SOCK_RECV, process, 0, 24, unsigned)        \
	X(SOCK_RECV, family, 24, 8, unsigned)         \
	X(SOCK_RECV, protocol, 32, 16, unsigned)      \
	X(SOCK_RECV, flags, 48, 16, hex)              \
	X(LOST, count, 0, 63, unsigned)               \
	X(LOST, unknown, 63, 1, unsigned)

/* EVENT_GET(FREE, reason, arg) takes a field out; EVENT_PUT(FREE, reason, value) makes its bits. */
#define EVENT_GET(id, field, arg)   event_get_##id##_##field(arg)
#define EVENT_PUT(id, field, value) event_put_##id##_##field(value)

#define X(id, field, shift, bits, style)                                   \
	static inline uint64_t event_get_##id##_##field(uint64_t arg)      \
	{                                                                  \
		return arg >> (shift) & ((UINT64_C(1) << (bits)) - 1);     \
	}                                                                  \
	static inline uint64_t event_put_##id##_##field(uint64_t value)    \
	{                                                                  \
		return (value & ((UINT64_C(1) << (bits)) - 1)) << (shift); \
	}
EVENT_FIELDS(X)
#undef X

#define EVENT_QUEUE_UNKNOWN 0xffff
#define EVENT_VEC_NET_RX    3    /* linux/interrupt.h */
#define EVENT_RC_BUSY       0x10 /* linux/netdevice.h, NETDEV_TX_BUSY: the packet isn't taken */

/* The transmit queue that an event is of, or EVENT_QUEUE_UNKNOWN. */
static inline unsigned event_queue(const struct event *event)
{
	if (event->id == EVENT_START_XMIT)
		return (unsigned)EVENT_GET(START_XMIT, queue_high, event->arg) << 8 | event->queue;
	return event->queue == EVENT_NO_QUEUE ? EVENT_QUEUE_UNKNOWN : event->queue;
}

/* The task that ran, as EVENT_FIELDS has it: one more than its index; 0: not told. */
static inline uint32_t event_task(const struct event *event)
{
	switch (event->id) {
	case EVENT_COPY:
		return (uint32_t)EVENT_GET(COPY, task, event->arg);
	case EVENT_SOFTIRQ_ENTRY:
		return (uint32_t)EVENT_GET(SOFTIRQ_ENTRY, task, event->arg);
	case EVENT_NAPI_POLL:
		return event->len;
	default:
		return 0;
	}
}

#define EVENT_LOST_MOST INT64_MAX /* of one LOST event, and of a trace: JSON holds it, too */

/*
 * Events were lost, of no device: at least `count`, of which more than EVENT_LOST_MOST can't be
 * told and are unknown, too.
 */
static inline struct event event_lost(uint64_t time, uint64_t count, bool unknown)
{
	bool too_many = count > EVENT_LOST_MOST;

	return (struct event){
		.time = time,
		.id = EVENT_LOST,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(LOST, count, too_many ? EVENT_LOST_MOST : count) |
		       EVENT_PUT(LOST, unknown, unknown || too_many),
	};
}

enum event_style { EVENT_STYLE_unsigned, EVENT_STYLE_signed, EVENT_STYLE_hex };

struct event_field {
	uint16_t id; /* the event that has it; fields of one event stand together */
	const char *name;
	uint8_t shift;
	uint8_t bits;
	uint8_t style; /* enum event_style */
};

/* The rows of EVENT_FIELDS, in its order, ended by a row whose name is NULL. */
extern const struct event_field event_fields[];

/* "start_xmit" for EVENT_START_XMIT; NULL for a number that is no event. */
const char *event_name(unsigned id);

/*
 * Where events go. Implementations put this first in their own struct. emit must not fail: what a
 * sink has to drop it counts.
 */
struct event_sink {
	/* see event_emit; the parameters are all in registers: a struct event written to memory in
	 * pieces and read again at once costs more than all the rest */
	void (*emit)(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
		uint64_t packet, uint64_t arg);
};

/* `what` of event_emit and event_of, the record's second word: id, device, queue and len. */
static inline uint64_t event_what(struct event event)
{
	uint16_t source = (uint16_t)(event.device | event.queue << 8);

	return event.id | (uint64_t)source << 16 | (uint64_t)event.len << 32;
}

static inline void event_emit(struct event_sink *sink, unsigned cpu, struct event event)
{
	sink->emit(sink, cpu, event.time, event_what(event), event.packet, event.arg);
}

/* The event that a sink is given. */
static inline struct event event_of(uint64_t time, uint64_t what, uint64_t packet, uint64_t arg)
{
	return (struct event){
		.time = time,
		.id = (uint16_t)what,
		.device = (uint8_t)(what >> 16),
		.queue = (uint8_t)(what >> 24),
		.len = (uint32_t)(what >> 32),
		.packet = packet,
		.arg = arg,
	};
}

/*
 * Who listens. A build without events has nobody who could, so that the compiler leaves out all
 * that there is of them: tests/bench compares such a build with one that could be traced.
 */
#ifdef EVENTS_LEFT_OUT
#define EVENT_LISTENER(sink) ((void)(sink), (struct event_sink *)NULL)
#else
#define EVENT_LISTENER(sink) (sink)
#endif

#endif
