/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one received packet costs a real TCP, in real time: David Miller's experiment of 2005. A
 * real sender's segments arrive over the wire in the receive ring of the modelled NIC; a poll in
 * NAPI's manner hands each to lwIP between two reads of the processor's counter; ACKs leave through
 * the instrumented transmit ring:
 *
 *     lwIP, sender ==== line ==== NIC - driver - poll - lwIP, receiver
 *
 * One thread does all of it. Between the two stamps is what a kernel does between them: lwIP's
 * receive path, and for an ACK also its way into the ring, with context, data and the write of the
 * tail. As on a bus, that write is posted: what the device makes of it happens beside the processor
 * in a real machine, so here it happens behind the stamps, though at the time of the write. What
 * events are made into is done when the poll is over, too; noting one costs a store of 32 bytes.
 */
#ifndef SIM_RECEIVER_RECEIVER_H
#define SIM_RECEIVER_RECEIVER_H

#include "e1000e.h"
#include "line.h"
#include "nic.h"
#include "receive_log.h"
#include "rxcost.h"
#include "scenario.h"
#include "stack.h"

#define RECEIVER_CPU        0
#define RECEIVER_DEVICE_CPU 1 /* the stream of what the device does, beside the processor */
#define RECEIVER_NOTES      8192
#define RECEIVER_POSTED     128

struct receiver_note {
	uint64_t time, what, packet, arg;
};

/* Where events go: noted in the order of their time, made into something by receiver_file. */
struct receiver_sink {
	struct event_sink sink; /* the driver's */
	struct event_sink device_sink;
	struct scenario_sink to;
	struct rxcost *all, *later; /* later: without the first packet of each poll */
	bool first, left_out;       /* the first packet is to come, and is being left out */
	unsigned count;
	struct receiver_note note[RECEIVER_NOTES];
};

/* Writes of TDT that the device has not seen. */
struct receiver_posted {
	bool posting;
	unsigned count;
	struct {
		uint64_t now;
		uint32_t tail;
	} write[RECEIVER_POSTED];
};

struct receiver_counts {
	uint64_t segments; /* frames with TCP payload that were put on the line */
	uint64_t acks;     /* frames with TCP and no payload that came from the wire */
	uint64_t others;   /* frames that came from the wire and are neither: ARP, mostly */
	uint64_t busy;     /* frames that the transmit ring had no room for */
	uint64_t polls, interrupts;
	uint64_t handed_up; /* packets, by all polls */
};

struct receiver {
	const struct scenario *scenario;
	uint64_t hz, now; /* cycles: the last look at the counter */
	struct nic_config nic_config;
	struct nic *nic;
	struct e1000e_port *driver;
	struct rte_mempool *tx_pool, *rx_pool;
	unsigned weight;
	bool scheduled; /* the poll has to run; interrupts are masked */
	struct stack stack;
	struct receiver_posted posted;
	struct receiver_counts counts;
	struct receive_log log;
	struct receiver_sink sink;
	struct rte_mbuf *packets[RING_MOST];
	struct line to_nic, from_nic;
};

/* What came of it. */
struct receiver_outcome {
	const struct scenario *scenario;
	double seconds;
	uint64_t stamp_cycles; /* that two stamps take with nothing between them: the median */
	uint64_t written, acked, read, wrong; /* see struct stack */
	uint64_t rx_missed, line_lost;
	bool broken;
	struct receiver_counts counts;
	struct receive_log log;
	struct trace_source source;
	struct trace_counts events;
	struct names *names;
	struct transmit *transmit;
	const struct transmit_report *report;
	struct rxcost *all, *later;
	const struct rxcost_report *all_report, *later_report;
};

/*
 * Runs until the stream has arrived, or duration_s has passed and what was sent until then has
 * arrived. Starts DPDK's environment. The outcome must be released. 0 or a negative errno with a
 * message in diag.
 */
int receiver_run(const struct scenario *scenario, const struct run_options *options,
	struct receiver_outcome *outcome, struct diag *diag);
void receiver_release(struct receiver_outcome *outcome);

/* The report's object with "scenario", "receiver" and "rxcost"; NULL if there is no memory. */
json_t *receiver_json(const struct receiver_outcome *outcome);
void receiver_text(const struct receiver_outcome *outcome, FILE *out);

/* poll.c */
/* Both ends of the stack get their transmit functions; devices and pools are made. */
int receiver_open(struct receiver *receiver, uint64_t now);
void receiver_close(struct receiver *receiver);

/* The counter now. CPUs' counters may differ by a little; this one never goes back. */
uint64_t receiver_present(struct receiver *receiver);

/* All that line and device do by `now`. */
void receiver_advance(struct receiver *receiver, uint64_t now);

/* One turn: interrupts, the poll if it is due, and the sender. */
void receiver_turn(struct receiver *receiver, uint64_t length);

/* The median of what two stamps take, as the poll takes them. */
uint64_t receiver_stamp_cycles(struct receiver *receiver);

/* events.c */
void receiver_sink_init(struct receiver_sink *sink);
void receiver_file(struct receiver_sink *sink);
struct receiver_note *receiver_note(struct receiver_sink *sink, uint64_t time, enum event_id id,
	uint32_t bytes, uint64_t packet, uint64_t arg);

#endif
