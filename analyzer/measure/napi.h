/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NAPI measure: what polls do and what they cost, for each device; and why the NET_RX softirq
 * had to stop.
 *
 * napi_poll fires after a poll. The poll began where the CPU's NET_RX softirq did, or at the
 * poll before it in that softirq. Of polls that are in no softirq (threaded NAPI, busy polling) the
 * trace doesn't tell when they began: their time is not known. Who ran tells which of both it is: a
 * device's thread is called napi/DEV-ID.
 *
 * A softirq was squeezed by packets if its polls' work reached the budget. It was squeezed by time
 * if it raised NET_RX again outside a hard interrupt, after its last poll, and had lasted for at
 * least the time of netdev_budget_usecs. A raise with neither is a repoll: since Linux 3.19 a
 * device that has used its whole weight goes to a list, and the softirq ends. Of a poll whose work
 * isn't known the work is taken to be 0 here.
 *
 * Streaming: O(1) an event; memory is bounded by the number of CPUs, devices and interrupt lines.
 */
#ifndef ANALYZER_MEASURE_NAPI_H
#define ANALYZER_MEASURE_NAPI_H

#include "event.h"
#include "names.h"
#include "transmit.h"

#define NAPI_BUDGET       300  /* net.core.netdev_budget: packets a softirq */
#define NAPI_BUDGET_USECS 2000 /* net.core.netdev_budget_usecs with HZ=1000 */

struct napi_options {
	uint64_t hz;           /* of event.time; 0: cycles without calibration */
	uint32_t budget;       /* packets a softirq */
	uint32_t budget_usecs; /* time a softirq */
	const char *device;    /* only this one (exact name), or NULL; squeezes are the trace's */
};

struct napi_device {
	const char *name;
	uint64_t polls;
	uint64_t known;          /* of them: those whose work is known; what follows is of these */
	uint64_t working;        /* polls with work */
	uint64_t full;           /* polls that used all of their budget */
	uint64_t work, budget;   /* sums */
	uint64_t by_thread;      /* polls in no softirq, but in a NAPI thread */
	uint64_t by_process;     /* the same in a process; not known where no softirqs are traced */
	struct spread time;      /* of a poll, where it is known */
	double time_sum;         /* of the polls whose time and work are known, in cycles */
	uint64_t time_work;      /* the work of these */
	uint64_t interrupts;     /* of the lines that are named after the device */
	uint64_t interrupt_span; /* cycles from the first to the last */
	uint64_t received;       /* netif_receive_skb */
	uint64_t acks;           /* sent: see ack.h */
};

struct napi_report {
	const struct napi_device *devices; /* sorted by name */
	unsigned device_count;
	uint32_t budget, budget_usecs;
	uint64_t softirqs; /* of NET_RX */
	uint64_t squeezed_by_packets;
	uint64_t squeezed_by_time; /* 0 if hz is 0: nobody knows how long they lasted */
	uint64_t repolls;
	uint64_t doubtful;    /* repolls after polls of unknown work, or of unknown time: hz is 0 */
	bool interrupts_seen; /* if not, raises inside hard interrupts can't be told from others */
	uint64_t used;
};

struct napi;

/* `names` may grow while events come. 0 or -ENOMEM. */
int napi_create(struct napi **napi, const struct napi_options *options, const struct names *names);

/* Events must come in the order of their time. 0 or -ENOMEM. */
int napi_event(struct napi *napi, unsigned cpu, const struct event *event);

/* Ends the measurement. The report lives until napi_destroy. 0 or -ENOMEM. */
int napi_finish(struct napi *napi, const struct napi_report **report);

void napi_destroy(struct napi *napi);

/* Is the task of an event (event_task) a device's NAPI thread? */
bool napi_is_thread(const struct names *names, uint32_t task);

#endif
