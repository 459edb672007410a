/* SPDX-License-Identifier: BSD-3-Clause */
/* A run's figures beyond the report: the workload's side, the published ones, and what limits. */
#include "outcome.h"

#include "setting.h"
#include <math.h>
#include <string.h>

#define OFTEN       0.05 /* share of time that is worth a word */
#define BQL_DECIDES 0.5

const char *const limit_names[] = { "sender", "ring", "bql", "send_buffer", "wire", "stall", "none",
	"source", "receive" };

const struct transmit_table *outcome_device(const struct outcome *outcome)
{
	return outcome->report->device_count ? &outcome->report->devices[0] : NULL;
}

static double seconds_of(uint64_t cycles)
{
	return (double)cycles / (double)CLOCK_VIRTUAL_HZ;
}

double outcome_seconds(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device ? seconds_of(device->last_event - device->first_event) : 0;
}

bool outcome_has_bql(const struct outcome *outcome)
{
	return !strcmp(outcome->scenario->devices[0].driver.bql, "on");
}

uint64_t outcome_messages(const struct outcome *outcome)
{
	uint64_t messages = 0;

	for (unsigned i = 0; i < outcome->scenario->sender_count; i++)
		messages += outcome->host.senders[i].messages;
	return messages;
}

double outcome_blocked_share(const struct outcome *outcome)
{
	double blocked = 0, all = 0;

	for (unsigned i = 0; i < outcome->scenario->sender_count; i++) {
		const struct scenario_workload *workload = &outcome->scenario->workloads[i];

		if (workload->messages) /* a few messages are no load */
			continue;
		blocked += seconds_of(outcome->host.senders[i].blocked);
		all += outcome->scenario->duration_s - workload->start_s;
	}
	return all > 0 ? blocked / all : 0;
}

double outcome_wire_share(const struct outcome *outcome)
{
	double seconds = outcome_seconds(outcome);

	return seconds > 0 ? seconds_of(outcome->host.nic.wire_busy) / seconds : 0;
}

double outcome_bql_share(const struct outcome *outcome)
{
	double seconds = outcome_seconds(outcome);

	return seconds > 0 ? seconds_of(outcome->host.limit_stopped) / seconds : 0;
}

/* The busiest CPU that a flood runs on. */
double outcome_cpu_share(const struct outcome *outcome)
{
	double most = 0, end = (double)outcome->host.end;

	for (unsigned i = 0; i < outcome->scenario->sender_count && end > 0; i++) {
		const struct scenario_workload *workload = &outcome->scenario->workloads[i];
		const uint64_t *busy = outcome->host.cpus[workload->cpu].busy;
		double share = 0;

		for (int level = 0; level < HOST_LEVELS; level++)
			share += (double)busy[level] / end;
		if (!workload->messages && share > most)
			most = share;
	}
	return most;
}

uint64_t outcome_dropped(const struct outcome *outcome)
{
	uint64_t dropped = 0;

	for (unsigned i = 0; i < outcome->scenario->sender_count; i++)
		dropped += outcome->host.senders[i].dropped;
	return dropped;
}

bool outcome_receives(const struct outcome *outcome)
{
	return outcome->scenario->sender_count < outcome->scenario->workload_count;
}

static uint64_t outcome_missed(const struct outcome *outcome)
{
	uint64_t missed = 0;

	for (unsigned i = 0; i < scenario_devices(outcome->scenario); i++)
		missed += outcome->host.napi[i].rx_missed;
	return missed;
}

/* What is broken comes first, then what can't be had more of, then what could be larger. */
enum limit outcome_limit(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	if (device && (device->stall_count || device->at_end))
		return LIMIT_STALL;
	if (!outcome->scenario->sender_count)
		return outcome_missed(outcome) ? LIMIT_RECEIVE : LIMIT_SOURCE;
	if (!device || !device->tx_packets)
		return LIMIT_NONE;
	if (outcome_wire_share(outcome) >= OUTCOME_BUSY)
		return LIMIT_WIRE;
	if (outcome_cpu_share(outcome) >= OUTCOME_BUSY)
		return LIMIT_SENDER;
	if (device->verdict == VERDICT_PACKED && 2 * device->full_intervals > device->intervals)
		return LIMIT_RING;
	if (outcome_bql_share(outcome) >= BQL_DECIDES)
		return LIMIT_BQL;
	return outcome_blocked_share(outcome) >= OFTEN ? LIMIT_BUFFER : LIMIT_SENDER;
}

static double tx_packets(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device ? (double)device->tx_packets : NAN;
}

static double packets_per_s(const struct outcome *outcome)
{
	return tx_packets(outcome) / outcome_seconds(outcome);
}

static double lap_avg_ms(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device && device->lap.count ? device->lap.avg / 1e6 : NAN;
}

static double lap_max_ms(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device && device->lap.count ? (double)device->lap.max / 1e6 : NAN;
}

static double in_device_avg(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device ? device->in_device_avg : NAN;
}

static double in_device_max(const struct outcome *outcome)
{
	const struct transmit_table *device = outcome_device(outcome);

	return device ? (double)device->in_device_max : NAN;
}

static double ratio(double value, double to)
{
	return to > 0 ? value / to : NAN;
}

static double packets_per_poll(const struct outcome *outcome)
{
	const struct host_napi_stats *napi = &outcome->host.napi[0];

	return napi->work ? ratio((double)napi->work, (double)napi->polls) : NAN;
}

static double packets_per_working_poll(const struct outcome *outcome)
{
	const struct host_napi_stats *napi = &outcome->host.napi[0];

	return ratio((double)napi->work, (double)napi->working);
}

static double segments_per_ack(const struct outcome *outcome)
{
	const struct host_receiver_stats *receiver = &outcome->host.receivers[0];

	return ratio((double)receiver->received, (double)receiver->acks);
}

/* As the gaps between them have it. Of a device that receives, as the others. */
static double interrupts_per_s(const struct outcome *outcome)
{
	const struct host_napi_stats *napi = &outcome->host.napi[0];

	if (!napi->work)
		return NAN;
	return ratio((double)napi->interrupts - 1, seconds_of(napi->interrupt_span));
}

#define FIGURE(name, label, format)                                                   \
	{                                                                             \
#name, label, format, offsetof(struct scenario_published, name), name \
	}

const struct figure figures[] = {
	FIGURE(tx_packets, "packets", "%.0f"),
	FIGURE(packets_per_s, "packets per second", "%.0f"),
	FIGURE(lap_avg_ms, "lap time, avg (ms)", "%.6f"),
	FIGURE(lap_max_ms, "lap time, max (ms)", "%.6f"),
	FIGURE(in_device_avg, "in device, avg", "%.2f"),
	FIGURE(in_device_max, "in device, max", "%.0f"),
	FIGURE(packets_per_poll, "packets per poll", "%.2f"),
	FIGURE(packets_per_working_poll, "per poll with work", "%.2f"),
	FIGURE(segments_per_ack, "segments per ACK", "%.2f"),
	FIGURE(interrupts_per_s, "interrupts per second", "%.0f"),
	{ 0 },
};

double figure_published(const struct figure *figure, const struct outcome *outcome)
{
	const char *base = (const char *)&outcome->scenario->published;

	return *(const double *)(base + figure->offset);
}

bool outcome_has_figures(const struct outcome *outcome)
{
	for (const struct figure *f = figures; f->name; f++) {
		if (!isnan(figure_published(f, outcome)))
			return true;
	}
	return false;
}

static json_t *number_or_null(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *published_json(const struct outcome *outcome)
{
	json_t *object;

	if (!outcome_has_figures(outcome))
		return json_null();
	object = json_pack("{s:s}", "source", outcome->scenario->published.source);
	for (const struct figure *f = figures; f->name; f++) {
		double published = figure_published(f, outcome), modelled = f->modelled(outcome);

		if (!isnan(published))
			json_object_set_new(object, f->name,
				json_pack("{s:f, s:o, s:o}", "published", published, "modelled",
					number_or_null(modelled), "ratio",
					number_or_null(modelled / published)));
	}
	return object;
}

static json_t *senders_json(const struct outcome *outcome)
{
	json_t *senders = json_array();

	for (unsigned i = 0; i < outcome->scenario->sender_count; i++) {
		const struct host_sender_stats *s = &outcome->host.senders[i];

		json_array_append_new(senders,
			json_pack("{s:I, s:I, s:I, s:I, s:I}", "messages", (json_int_t)s->messages,
				"dropped", (json_int_t)s->dropped, "blocks", (json_int_t)s->blocks,
				"blocked_ns", (json_int_t)s->blocked, "outstanding_max",
				(json_int_t)s->outstanding_most));
	}
	return senders;
}

static json_t *cpus_json(const struct outcome *outcome)
{
	json_t *cpus = json_array();
	double end = (double)outcome->host.end;

	for (unsigned i = 0; i < outcome->scenario->host.cpus; i++) {
		const uint64_t *busy = outcome->host.cpus[i].busy;
		double task = end > 0 ? (double)busy[HOST_TASK] / end : 0;
		double softirq = end > 0 ? (double)busy[HOST_SOFTIRQ] / end : 0;
		double hardirq = end > 0 ? (double)busy[HOST_HARDIRQ] / end : 0;

		json_array_append_new(
			cpus, json_pack("{s:f, s:f, s:f, s:f}", "task", task, "softirq", softirq,
				      "hardirq", hardirq, "idle", 1 - task - softirq - hardirq));
	}
	return cpus;
}

static json_t *hang_json(const struct e1000e_hang *hang)
{
	if (!hang->found)
		return json_null();
	return json_pack("{s:I, s:i, s:i, s:i, s:i, s:I, s:i, s:i}", "at_ns", (json_int_t)hang->at,
		"tdh", (int)hang->tdh, "tdt", (int)hang->tdt, "next_to_use", (int)hang->next_to_use,
		"next_to_clean", (int)hang->next_to_clean, "time_stamp_ns",
		(json_int_t)hang->time_stamp, "next_to_watch", (int)hang->next_to_watch,
		"next_to_watch_status", (int)hang->next_to_watch_status);
}

static double throughput_mbps(const struct outcome *outcome)
{
	double bits = 0;

	for (unsigned i = 0; i < outcome->scenario->sender_count; i++)
		bits += 8 * (double)outcome->scenario->workloads[i].message_bytes *
			(double)outcome->host.senders[i].messages;
	return bits / 1e6 / outcome->scenario->duration_s;
}

/* Only where a process reads: else there is nothing to say. */
static int add_reader(json_t *receiver, const struct host_receiver_stats *s)
{
	double waited = s->read_packets ? (double)s->read_waited / (double)s->read_packets : 0;

	return json_object_set_new(receiver, "reader",
		json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:f, s:I}}", "reads",
			(json_int_t)s->reads, "bytes", (json_int_t)s->read_bytes, "acks",
			(json_int_t)s->read_acks, "backlogged", (json_int_t)s->backlogged,
			"overflowed", (json_int_t)s->overflowed, "disordered",
			(json_int_t)s->disordered, "timeouts", (json_int_t)s->timeouts,
			"buffer_bytes", (json_int_t)s->buffer, "wait_ns", "avg", waited, "max",
			(json_int_t)s->read_waited_most));
}

static json_t *receivers_json(const struct outcome *outcome)
{
	const struct scenario *scenario = outcome->scenario;
	json_t *receivers = json_array();

	for (unsigned i = 0; scenario->sender_count + i < scenario->workload_count; i++) {
		const struct host_receiver_stats *s = &outcome->host.receivers[i];
		double waited = s->sent ? (double)s->waited / (double)s->sent : 0;
		json_t *receiver;

		receiver = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:f, s:I}}", "frames",
			(json_int_t)s->frames, "missed", (json_int_t)s->missed, "received",
			(json_int_t)s->received, "deliveries", (json_int_t)s->deliveries, "acks",
			(json_int_t)s->acks, "quick_acks", (json_int_t)s->quick_acks,
			"delayed_acks", (json_int_t)s->delayed_acks, "wait_ns", "avg", waited,
			"max", (json_int_t)s->waited_most);
		if (receiver && scenario->workloads[scenario->sender_count + i].reads)
			add_reader(receiver, s);
		json_array_append_new(receivers, receiver);
	}
	return receivers;
}

/* Does a process poll the device? */
static bool is_busy_polled(const struct outcome *outcome, unsigned device)
{
	const struct scenario *scenario = outcome->scenario;

	for (unsigned i = scenario->sender_count; i < scenario->workload_count; i++) {
		const struct scenario_workload *workload = &scenario->workloads[i];

		if (workload->busy_poll_us && scenario_device_of(scenario, workload) == (int)device)
			return true;
	}
	return false;
}

static json_t *napi_device_json(const struct outcome *outcome, unsigned index)
{
	const struct host_napi_stats *s = &outcome->host.napi[index];
	double end = (double)outcome->host.end;
	json_t *device = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "name",
		outcome->scenario->devices[index].name, "interrupts", (json_int_t)s->interrupts,
		"polls", (json_int_t)s->polls, "full", (json_int_t)s->full, "work",
		(json_int_t)s->work, "rx_missed", (json_int_t)s->rx_missed, "cpu_share",
		end > 0 ? (double)s->time / end : 0, "poll_max_ns", (json_int_t)s->longest,
		"wait_max_ns", (json_int_t)s->waited_most);

	if (outcome->scenario->devices[index].driver.threaded)
		json_object_set_new(
			device, "thread_polls", json_integer((json_int_t)s->thread_polls));
	if (is_busy_polled(outcome, index))
		json_object_set_new(device, "busy_polls", json_integer((json_int_t)s->busy_polls));
	return device;
}

/* NAPI of each device, and why softirqs ended early. */
static json_t *napi_json(const struct outcome *outcome)
{
	const struct host_squeezes *squeezes = &outcome->host.squeezes;
	json_t *devices = json_array();

	for (unsigned i = 0; i < scenario_devices(outcome->scenario); i++)
		json_array_append_new(devices, napi_device_json(outcome, i));
	return json_pack("{s:{s:I, s:I}, s:I, s:o}", "squeezes", "packets",
		(json_int_t)squeezes->by_packets, "time", (json_int_t)squeezes->by_time, "repolls",
		(json_int_t)squeezes->repolls, "devices", devices);
}

static json_t *workload_json(const struct outcome *outcome)
{
	const struct host_stats *host = &outcome->host;

	return json_pack(
		"{s:I, s:I, s:o, s:f, s:s, s:f, s:f, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I}, "
		"s:{s:I, s:I, s:I, s:i, s:i, s:i, s:i}, s:{s:I, s:I, s:I}, s:o}",
		"messages", (json_int_t)outcome_messages(outcome), "received",
		(json_int_t)host->nic.packets, "packets_per_s",
		number_or_null(packets_per_s(outcome)), "throughput_mbps", throughput_mbps(outcome),
		"limited_by", limit_names[outcome_limit(outcome)], "blocked_share",
		outcome_blocked_share(outcome), "wire_share", outcome_wire_share(outcome),
		"senders", senders_json(outcome), "cpus", cpus_json(outcome), "nic", "packets",
		(json_int_t)host->nic.packets, "bytes", (json_int_t)host->nic.bytes, "interrupts",
		(json_int_t)host->nic.interrupts, "interrupts_lost",
		(json_int_t)host->nic.interrupts_lost, "writebacks_lost",
		(json_int_t)host->nic.writebacks_lost, "driver", "stops",
		(json_int_t)host->driver.stops, "wakes", (json_int_t)host->driver.wakes, "busy",
		(json_int_t)host->driver.busy, "tdh", (int)host->tdh, "tdt", (int)host->tdt,
		"next_to_use", (int)host->next_to_use, "next_to_clean", (int)host->next_to_clean,
		"stack", "qdisc_max", (json_int_t)host->qdisc_most, "qdisc_at_end",
		(json_int_t)host->qdisc_at_end, "ksoftirqd_wakes",
		(json_int_t)host->ksoftirqd_wakes, "hang", hang_json(&host->hang));
}

/* What was so at first, then each change; "changes" counts those that the list has no room for. */
static json_t *changes_json(const struct host_changes *changes, const char *name)
{
	json_t *list = json_array();

	for (uint64_t i = 0; i < changes->count && i < HOST_CHANGES_MOST; i++)
		json_array_append_new(
			list, json_pack("{s:I, s:I}", "at_ns", (json_int_t)changes->first[i].at,
				      name, (json_int_t)changes->first[i].value));
	return list;
}

/* Of what follows the load: BQL, and the throttle's dynamic modes. Absent where neither does. */
static int add_followers(const struct outcome *outcome, json_t *object)
{
	const struct host_stats *host = &outcome->host;
	int error = 0;

	if (outcome_has_bql(outcome))
		error = json_object_set_new(object, "bql",
			json_pack("{s:I, s:I, s:I, s:f, s:I, s:o}", "limit",
				(json_int_t)host->limits.last, "limit_most",
				(json_int_t)host->limits.most, "stops",
				(json_int_t)host->limit_stops, "stopped_share",
				outcome_bql_share(outcome), "changes",
				(json_int_t)host->limits.count, "limits",
				changes_json(&host->limits, "limit")));
	if (!error && host->rates.count)
		error = json_object_set_new(object, "throttle_changes",
				json_integer((json_int_t)host->rates.count)) ||
			json_object_set_new(object, "throttle", changes_json(&host->rates, "rate"));
	return error;
}

/* Only where something is received: else there is nothing to say. */
static int add_receive(json_t *workload, const struct outcome *outcome)
{
	if (!outcome_receives(outcome))
		return 0;
	return json_object_set_new(workload, "receivers", receivers_json(outcome)) ||
	       json_object_set_new(workload, "napi", napi_json(outcome));
}

json_t *outcome_json(const struct outcome *outcome)
{
	struct report report = { &outcome->source, &outcome->counts, outcome->report,
		outcome->names };
	json_t *object = report_json(&report);

	if (!object)
		return NULL;
	if (json_object_set_new(
		    object, "scenario", setting_json(outcome->scenario, SCENARIO_RUN)) ||
		json_object_set_new(object, "workload", workload_json(outcome)) ||
		add_followers(outcome, object) ||
		add_receive(json_object_get(object, "workload"), outcome) ||
		json_object_set_new(object, "published", published_json(outcome))) {
		json_decref(object);
		return NULL;
	}
	return object;
}
