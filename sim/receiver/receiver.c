/* SPDX-License-Identifier: BSD-3-Clause */
/* A run in real time: a clock, a loop that doesn't sleep, and what came of it. */
#include "receiver.h"

#include "cycles.h"
#include <errno.h>
#include <inttypes.h>
#include <rte_cycles.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEVICE_NAME "eth0"
#define DRAIN_NS    (3 * CYCLES_NS_PER_S) /* a lost segment may be sent again two times */
#define TIMERS_NS   1000000
#define POOLS_MIB   128

/* Without an end the stream is as long as its time. */
static uint64_t length_of(const struct scenario *scenario)
{
	uint64_t bytes = scenario->workloads[0].stream_bytes;

	return bytes ? bytes : UINT64_MAX;
}

static bool has_arrived(const struct stack *stack, uint64_t length)
{
	return stack->read >= length && stack->acked >= length;
}

static void run(struct receiver *receiver)
{
	const double duration_s = receiver->scenario->duration_s;
	uint64_t start = receiver->now, length = length_of(receiver->scenario);
	uint64_t end = start + (uint64_t)(duration_s * (double)receiver->hz);
	uint64_t until = end + cycles_of_ns(DRAIN_NS, receiver->hz);
	uint64_t timers_at = start, watchdog_at = start + E1000E_WATCHDOG_S * receiver->hz;
	uint64_t now;

	while ((now = receiver_present(receiver)) < until && !receiver->stack.broken &&
		!has_arrived(&receiver->stack, length)) {
		if (now >= end) /* nothing more is sent, and what was arrives */
			length = receiver->stack.written;
		receiver_turn(receiver, length);
		if (now >= timers_at) {
			stack_timers();
			timers_at = now + cycles_of_ns(TIMERS_NS, receiver->hz);
		}
		if (now >= watchdog_at) {
			e1000e_watchdog(receiver->driver, now);
			watchdog_at = now + E1000E_WATCHDOG_S * receiver->hz;
		}
	}
}

/* What is in the device yet is sent and cleaned: the last ACKs' laps end. */
static void settle(struct receiver *receiver)
{
	uint64_t until = receiver_present(receiver) + cycles_of_ns(TIMERS_NS, receiver->hz) * 20;

	while (receiver_present(receiver) < until &&
		receiver->driver->stats.queued != receiver->driver->stats.packets)
		receiver_turn(receiver, 0);
}

static void collect(struct receiver_outcome *outcome, struct receiver *receiver)
{
	const struct stack *stack = &receiver->stack;

	outcome->written = stack->written;
	outcome->acked = stack->acked;
	outcome->read = stack->read;
	outcome->wrong = stack->wrong;
	outcome->broken = stack->broken;
	outcome->counts = receiver->counts;
	outcome->log = receiver->log;
	outcome->rx_missed = nic_stats(receiver->nic)->rx_missed;
	outcome->line_lost = receiver->to_nic.lost + receiver->from_nic.lost;
}

static int run_opened(
	struct receiver_outcome *outcome, struct receiver *receiver, struct diag *diag)
{
	uint64_t start = rte_rdtsc();
	int error = receiver_open(receiver, start);

	if (!error) {
		outcome->stamp_cycles = receiver_stamp_cycles(receiver);
		start = receiver_present(receiver);
		run(receiver);
		outcome->seconds =
			(double)(receiver_present(receiver) - start) / (double)receiver->hz;
		settle(receiver);
		collect(outcome, receiver);
	}
	receiver_close(receiver);
	if (!error)
		error = receiver->sink.to.error;
	return error ? diag_set(diag, error, "%s: the receiver can't be run: %s",
			       outcome->scenario->file, strerror(-error))
		     : 0;
}

static int open_trace(struct trace_writer *writer, const struct receiver_outcome *outcome,
	const char *folder, struct diag *diag)
{
	struct trace_info info = { .hz = outcome->source.hz,
		.capacity = scenario_capacity(outcome->scenario, 1) };
	uint64_t start = rte_rdtsc(), uptime_s = start / info.hz, now_s = (uint64_t)time(NULL);
	int error;

	scenario_fill_uuid(info.uuid, outcome->scenario);
	info.offset_s = now_s > uptime_s ? now_s - uptime_s : 0;
	error = trace_writer_open(writer, folder, &info, RECEIVER_DEVICE_CPU + 1, diag);
	if (!error)
		trace_writer_name(writer, RECEIVER_CPU, start, NAME_DEVICE, 0, DEVICE_NAME);
	return error;
}

static int open_measures(struct receiver_outcome *outcome)
{
	uint64_t hz = outcome->source.hz;
	struct transmit_options transmit = { .hz = hz,
		.stall_cycles = cycles_of_ns(TRANSMIT_STALL_NS, hz),
		.capacity = scenario_capacity(outcome->scenario, 1) };
	struct rxcost_options rxcost = { .hz = hz };

	outcome->names = names_create();
	if (!outcome->names ||
		names_set(outcome->names, NAME_DEVICE, 0, DEVICE_NAME, strlen(DEVICE_NAME)) ||
		transmit_create(&outcome->transmit, &transmit, outcome->names) ||
		rxcost_create(&outcome->all, &rxcost, outcome->names) ||
		rxcost_create(&outcome->later, &rxcost, outcome->names))
		return -ENOMEM;
	return 0;
}

static int finish_measures(struct receiver_outcome *outcome)
{
	if (transmit_finish(outcome->transmit, &outcome->report) ||
		rxcost_finish(outcome->all, &outcome->all_report) ||
		rxcost_finish(outcome->later, &outcome->later_report))
		return -ENOMEM;
	return 0;
}

static int run_measured(struct receiver_outcome *outcome, struct receiver *receiver,
	const char *trace, struct diag *diag)
{
	struct trace_writer writer;
	int error;

	if (open_measures(outcome))
		return diag_set(diag, -ENOMEM, "%s: no memory", outcome->scenario->file);
	receiver_sink_init(&receiver->sink);
	receiver->sink.to.transmit = outcome->transmit;
	receiver->sink.all = outcome->all;
	receiver->sink.later = outcome->later;
	if (trace) {
		error = open_trace(&writer, outcome, trace, diag);
		if (error)
			return error;
		receiver->sink.to.writer = &writer;
	}
	error = run_opened(outcome, receiver, diag);
	if (trace) {
		int close_error = trace_writer_close(&writer, error ? NULL : diag);

		error = error ? error : close_error;
	}
	if (!error && finish_measures(outcome))
		error = diag_set(diag, -ENOMEM, "%s: no memory", outcome->scenario->file);
	outcome->events.read = receiver->sink.to.events;
	return error;
}

/* DPDK pins us to one CPU, which others may use, too. */
static int start_environment(struct diag *diag)
{
	cpu_set_t allowed;
	bool known = !sched_getaffinity(0, sizeof(allowed), &allowed);
	int error = scenario_environment(POOLS_MIB, diag);

	if (!error && known)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	return error;
}

int receiver_run(const struct scenario *scenario, const struct run_options *options,
	struct receiver_outcome *outcome, struct diag *diag)
{
	struct receiver *receiver = calloc(1, sizeof(*receiver));
	int error;

	memset(outcome, 0, sizeof(*outcome));
	outcome->scenario = scenario;
	if (!receiver)
		return diag_set(diag, -ENOMEM, "%s: no memory", scenario->file);
	error = start_environment(diag);
	if (!error) {
		receiver->scenario = scenario;
		receiver->hz = rte_get_tsc_hz();
		outcome->source = (struct trace_source){
			.file = scenario->file, .format = "sim", .clock = "tsc", .hz = receiver->hz
		};
		error = run_measured(outcome, receiver, options->trace, diag);
	}
	free(receiver);
	if (error)
		receiver_release(outcome);
	return error;
}

void receiver_release(struct receiver_outcome *outcome)
{
	transmit_destroy(outcome->transmit);
	if (outcome->all)
		rxcost_destroy(outcome->all);
	if (outcome->later)
		rxcost_destroy(outcome->later);
	names_destroy(outcome->names);
	outcome->transmit = NULL;
	outcome->all = outcome->later = NULL;
	outcome->names = NULL;
}
