/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scenarios: a YAML file becomes a world, the world runs, and what came out is reported.
 *
 * Every key of a file is a row of the tables in settings.c: its type, unit, range, default and
 * help. A setting is honoured or refused, never ignored or clamped.
 */
#ifndef SIM_SCENARIO_SCENARIO_H
#define SIM_SCENARIO_SCENARIO_H

#include "diag.h"
#include "host.h"
#include "napi.h"
#include "report.h"
#include "rxcost.h"
#include "trace_writer.h"
#include <stdbool.h>
#include <stdio.h>

#define SCENARIO_TEXT_BYTES     160
#define SCENARIO_WORKLOADS_MOST HOST_SENDERS_MOST
#define SCENARIO_UNSET          UINT64_MAX /* a count that the profile decides */

struct scenario_fault {
	char type[SCENARIO_TEXT_BYTES];
	double at_s, duration_s;
	uint64_t count;
};

struct scenario_workload {
	char type[SCENARIO_TEXT_BYTES];
	char nic[SCENARIO_TEXT_BYTES]; /* its name; "": the first */
	uint64_t cpu;
	uint64_t message_bytes;
	uint64_t segments;
	uint64_t messages;
	double start_s;
	uint64_t stream_bytes;
	double interval_us; /* pause between messages; when receiving, from burst to burst */
	uint64_t burst;
	uint64_t quick_acks;
	double delayed_ack_ms;
	bool gro;
	char from[SCENARIO_TEXT_BYTES]; /* the device that a stream is sent by */
	bool reads;
	uint64_t busy_poll_us;
	bool prefer_busy_poll;
	uint64_t receive_buffer_bytes;
	uint64_t write_bytes;
};

/* The source's figures; NAN: it doesn't give this one. */
struct scenario_published {
	char source[SCENARIO_TEXT_BYTES];
	double tx_packets, packets_per_s;
	double lap_avg_ms, lap_max_ms;
	double in_device_avg, in_device_max;
	double packets_per_poll, packets_per_working_poll, segments_per_ack, interrupts_per_s;
};

struct scenario_nic {
	uint64_t ring_size, rx_ring_size;
	uint64_t line_rate_mbps, fetch_ns, dma_rate_mbps;
	struct scenario_fault faults[NIC_FAULTS_MOST];
	unsigned fault_count;
};

struct scenario_driver {
	char profile[SCENARIO_TEXT_BYTES];
	uint64_t reserve, wake_threshold;
	bool checksum;
	uint64_t throttle_rate, tidv, tadv, rdtr, radv;
	uint64_t threaded, thread_cpu;
	uint64_t defer_hard_irqs, flush_timeout;
	char bql[SCENARIO_TEXT_BYTES]; /* "on" or "off" */
	uint64_t bql_limit_min, bql_limit_max;
};

/* One of several. */
struct scenario_device {
	char name[SCENARIO_TEXT_BYTES];
	uint64_t given; /* which keys are its own; see struct setting_list */
	struct scenario_nic nic;
	struct scenario_driver driver;
};

struct scenario {
	const char *file; /* as named by the user, whose text it is */
	char title[SCENARIO_TEXT_BYTES];
	char clock[SCENARIO_TEXT_BYTES];
	uint64_t seed;
	double duration_s;
	struct scenario_nic nic;
	struct scenario_driver driver;
	struct scenario_device devices[HOST_DEVICES_MOST]; /* the first is always there */
	unsigned device_count; /* as in the file; 0: one, without name */
	struct {
		uint64_t cpus, irq_cpu;
		uint64_t qdisc_limit, dev_weight, dev_tx_weight;
		char weight_policy[SCENARIO_TEXT_BYTES];
		double weight_us;
		uint64_t netdev_budget, netdev_budget_usecs;
		uint64_t send_buffer_bytes, truesize_bytes;
		uint64_t tick_hz;
		double jitter;
		uint64_t cost_ns[HOST_COST_COUNT];
	} host;
	struct scenario_workload workloads[SCENARIO_WORKLOADS_MOST];
	unsigned workload_count;
	unsigned sender_count; /* of them: those that send, which come first */
	struct scenario_published published;
};

static inline unsigned scenario_devices(const struct scenario *scenario)
{
	return scenario->device_count ? scenario->device_count : 1;
}

/*
 * All keys at their defaults, then the file (NULL: none), then `set`: `count` texts "key=value",
 * then what depends on the profile. Returns 0; -EINVAL or another negative errno with a message
 * in diag that names file, line and key.
 */
int scenario_load(struct scenario *scenario, const char *file, const char *const *set,
	unsigned count, struct diag *diag);

/*
 * Refuses what this use of a scenario can't honour: what `set` names for another use, and for a run
 * what is another's and isn't at its default. A live scenario may come from a file that also
 * describes a host and its workload, but not several NICs. 0, or -EINVAL with a message in diag.
 */
enum scenario_use {
	SCENARIO_RUN,     /* in virtual time */
	SCENARIO_RECEIVE, /* in real time: clock tsc */
	SCENARIO_LIVE,    /* the same, between two kernels */
};
int scenario_check_use(const struct scenario *scenario, enum scenario_use use,
	const char *const *set, unsigned count, struct diag *diag);

/* What `ringside run` does with it: SCENARIO_RUN or SCENARIO_RECEIVE. */
enum scenario_use scenario_use_of(const struct scenario *scenario);

/* Each setting that counts there, a line of several. */
void scenario_settings_text(const struct scenario *scenario, enum scenario_use use, FILE *out);

/* Its NIC, whose time begins at `start`, and its driver; what else they need is not filled in. */
void scenario_fill_nic(
	struct nic_config *nic, const struct scenario *scenario, uint64_t hz, uint64_t start);
void scenario_fill_driver(struct e1000e_config *driver, const struct scenario *scenario);

/* The device of a workload, by its number; -1 if it names none. */
int scenario_device_of(const struct scenario *scenario, const struct scenario_workload *workload);
/* The same of a stream's sender. */
int scenario_from_of(const struct scenario *scenario, const struct scenario_workload *workload);

/* What a queue can own of packets with so many data descriptors. */
uint32_t scenario_capacity(const struct scenario *scenario, uint32_t data_descriptors);

/* A trace's UUID, from the seed; and the next number that the seed makes. */
uint64_t scenario_fill_uuid(uint8_t uuid[16], const struct scenario *scenario);

/*
 * Starts DPDK's environment with so much memory, unless it is up. 0 or a negative errno with a
 * message in diag.
 */
int scenario_environment(uint64_t mib, struct diag *diag);

/* Every key with its type, unit, range, default and help, for --help-config. */
void scenario_help(FILE *out);

/* Where events go: to the measure, and to a trace if one is wanted. */
struct scenario_sink {
	struct event_sink sink; /* its emit is scenario_emit */
	struct transmit *transmit;
	struct trace_writer *writer; /* NULL: no trace */
	struct napi *napi;           /* NULL: not measured; rxcost too */
	struct rxcost *rxcost;
	uint64_t events;
	int error; /* of the measure: it had no memory */
};
void scenario_emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg);

/* What came of a run. */
struct outcome {
	const struct scenario *scenario;
	struct host_stats host;
	struct trace_source source;
	struct trace_counts counts;
	struct names *names;
	struct transmit *transmit;
	const struct transmit_report *report;
	uint32_t capacity; /* computed, to compare with */
	/* with run_options.measures, else NULL */
	struct napi *napi;
	const struct napi_report *napi_report;
	struct rxcost *rxcost;
	const struct rxcost_report *rxcost_report;
};

/* Options of a run that are no settings. */
struct run_options {
	const char *trace; /* folder for a CTF trace; NULL: none */
	bool measures;     /* polls and receive costs are measured, too */
};

/*
 * Starts DPDK's environment with memory for the largest of these scenarios, which can then be run
 * one after the other. Returns 0 or a negative errno with a message in diag.
 */
int scenario_start(const struct scenario *scenarios, unsigned count, struct diag *diag);

/*
 * After scenario_start: builds the world, runs it, measures. The outcome must
 * be released. Returns 0 or a negative errno with a message in diag.
 */
int scenario_run(const struct scenario *scenario, const struct run_options *options,
	struct outcome *outcome, struct diag *diag);
void outcome_release(struct outcome *outcome);

/* Ends DPDK's environment. */
void scenario_shut_down(void);

/* The report's object with "scenario", "workload" and "published"; NULL if there is no memory. */
json_t *outcome_json(const struct outcome *outcome);
void outcome_text(const struct outcome *outcome, FILE *out);

/* Several outcomes side by side with their published figures, and what it means, in words. */
void outcome_compare(const struct outcome *outcomes, unsigned count, FILE *out);

#endif
