/* SPDX-License-Identifier: BSD-3-Clause */
/* Two NICs on one CPU with the same weight: who gets what, by count and by time. */
#include "lesson.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DEAR, CHEAP };

/* What a packet costs the CPU, its ACK and the cleaning of that included, by the configuration. */
static double packet_ns(const struct outcome *outcome, unsigned device)
{
	const uint64_t *cost = outcome->scenario->host.cost_ns;
	double ns = (double)cost[HOST_COST_receive];

	if (device == DEAR)
		ns += (double)(cost[HOST_COST_ack] + cost[HOST_COST_qdisc] + cost[HOST_COST_xmit] +
			       cost[HOST_COST_clean]);
	return ns;
}

static bool by_time(const struct outcome *outcome)
{
	return *outcome->scenario->host.weight_policy == 't';
}

static double share(const struct outcome *outcome, unsigned device)
{
	const struct host_napi_stats *napi = outcome->host.napi;

	return 100 * (double)napi[device].time / (double)(napi[DEAR].time + napi[CHEAP].time);
}

/* By count the time goes as the costs do; by time it is divided evenly. */
static double share_by_hand(const struct outcome *outcome, unsigned device)
{
	if (by_time(outcome))
		return 50;
	return 100 * packet_ns(outcome, device) /
	       (packet_ns(outcome, DEAR) + packet_ns(outcome, CHEAP));
}

static double poll_by_hand(const struct outcome *outcome, unsigned device)
{
	if (by_time(outcome))
		return outcome->scenario->host.weight_us;
	return (double)outcome->scenario->host.dev_weight * packet_ns(outcome, device) / 1e3;
}

static const struct napi_device *measured(const struct outcome *outcome, unsigned device)
{
	const char *name = outcome->scenario->devices[device].name;

	for (unsigned i = 0; i < outcome->napi_report->device_count; i++) {
		if (!strcmp(outcome->napi_report->devices[i].name, name))
			return &outcome->napi_report->devices[i];
	}
	return NULL;
}

#define POLL_FIGURE(name, expression)                                           \
	static double name(const struct outcome *outcome, unsigned device)      \
	{                                                                       \
		const struct napi_device *polls = measured(outcome, device);    \
                                                                                \
		return polls && polls->time.count ? (double)(expression) : NAN; \
	}

POLL_FIGURE(poll_p50, (double)polls->time.p50 / 1e3)
POLL_FIGURE(poll_p99, (double)polls->time.p99 / 1e3)
POLL_FIGURE(poll_max, (double)polls->time.max / 1e3)
POLL_FIGURE(packets_a_poll, (double)polls->work / (double)polls->polls)

static double packets_per_s(const struct outcome *outcome, unsigned device)
{
	return (double)outcome->host.napi[device].work / outcome->scenario->duration_s;
}

static double poll_wait(const struct outcome *outcome, unsigned device)
{
	return (double)outcome->host.napi[device].waited_most / 1e3;
}

/* The streams are in the order of their devices. */
static double packet_wait(const struct outcome *outcome, unsigned device)
{
	const struct host_receiver_stats *stream = &outcome->host.receivers[device];

	return stream->sent ? (double)stream->waited / (double)stream->sent / 1e3 : NAN;
}

static double packet_wait_most(const struct outcome *outcome, unsigned device)
{
	return (double)outcome->host.receivers[device].waited_most / 1e3;
}

static const struct lesson_figure rows[] = {
	{ "packets a second", "%.0f", packets_per_s },
	{ "CPU time, % of both", "%.2f", share },
	{ "  by hand", "%.2f", share_by_hand },
	{ "packets a poll", "%.1f", packets_a_poll },
	{ "a poll, median (us)", "%.1f", poll_p50 },
	{ "  by hand", "%.1f", poll_by_hand },
	{ "a poll, p99 (us)", "%.1f", poll_p99 },
	{ "a poll, longest (us)", "%.1f", poll_max },
	{ "longest wait for a poll (us)", "%.1f", poll_wait },
	{ "a packet's wait, average (us)", "%.1f", packet_wait },
	{ "a packet's wait, longest (us)", "%.1f", packet_wait_most },
	{ 0 },
};

static const struct lesson_figure light_rows[] = {
	{ "packets a second", "%.0f", packets_per_s },
	{ "longest wait for a poll (us)", "%.1f", poll_wait },
	{ "a packet's wait, average (us)", "%.1f", packet_wait },
	{ "a packet's wait, longest (us)", "%.1f", packet_wait_most },
	{ 0 },
};

static void head(const struct outcome *outcome, FILE *out)
{
	fprintf(out, "%-34s%27s%" PRIu64 " packets%16s%.0f us\n", "",
		"weight: ", outcome->scenario->host.dev_weight,
		"weight: ", outcome->scenario->host.weight_us);
}

static void tell_light(const struct outcome *count, const struct outcome *time, FILE *out)
{
	const struct lesson_column light[] = { { "dear", count, DEAR }, { "cheap", count, CHEAP },
		{ "dear", time, DEAR }, { "cheap", time, CHEAP } };

	paragraph(out,
		"Now `cheap` gets a packet only every %.0f us. The CPU has time for it, but it "
		"must wait until the poll of `dear` is over:",
		count->scenario->workloads[CHEAP].interval_us);
	fputc('\n', out);
	head(count, out);
	lesson_table(light, 4, light_rows, out);
}

/* What a kernel has against it: the scheduler knows time. */
static void tell_threads(const struct outcome *count, const struct outcome *threads, FILE *out)
{
	lesson_heading(out, "What the kernel offers");
	paragraph(out,
		"Threaded NAPI, since Linux 5.12: each device is polled by a thread of its own, "
		"and "
		"the scheduler divides the CPU's time among threads, not packets. With the weight "
		"of %" PRIu64 " packets as before the shares are %.2f:%.2f then, and `cheap` "
		"receives %.2f times as many packets as by softirq. The price: a thread runs as "
		"long as the scheduler lets it, and the other waits, for up to %.1f ms here "
		"instead "
		"of %.1f.",
		threads->scenario->host.dev_weight, share(threads, DEAR), share(threads, CHEAP),
		packets_per_s(threads, CHEAP) / packets_per_s(count, CHEAP),
		poll_wait(threads, CHEAP) / 1e3, poll_wait(count, CHEAP) / 1e3);
}

static void tell(const struct lesson_result *results, FILE *out)
{
	const struct outcome *count = &results[0].outcome, *time = &results[1].outcome;
	const struct lesson_column both[] = { { "dear", count, DEAR }, { "cheap", count, CHEAP },
		{ "dear", time, DEAR }, { "cheap", time, CHEAP } };

	fputs("NAPI: the weight counts packets, but packets differ in cost\n"
	      "===========================================================\n\n",
		out);
	paragraph(out,
		"Two NICs share a CPU, and both get more packets than it can receive. Each packet "
		"of `dear` is answered by an ACK and costs %.0f ns with it; one of `cheap` costs "
		"%.0f. A NAPI poll of either ends after %" PRIu64
		" packets, as ever; or, in the other run, when %.0f us are used.",
		packet_ns(count, DEAR), packet_ns(count, CHEAP), count->scenario->host.dev_weight,
		count->scenario->host.weight_us);
	fputc('\n', out);
	head(count, out);
	lesson_table(both, 4, rows, out);
	fputc('\n', out);
	tell_light(&results[2].outcome, &results[3].outcome, out);
	lesson_heading(out, "What to look at");
	paragraph(out,
		"By count the two get equal packets and unequal time, %.0f:%.0f: "
		"the weight says nothing about work. The device with the cheap packets pays for "
		"it: it waits up to %.0f us for a poll, the other %.0f. By time both have their "
		"half, `cheap` receives %.2f times as many packets, and no poll is longer than "
		"%.0f us and one packet more, whatever packets cost; so nobody waits longer, and "
		"under a light load a packet's longest wait falls from %.0f us to %.0f.",
		share(count, DEAR), share(count, CHEAP), poll_wait(count, CHEAP),
		poll_wait(count, DEAR), packets_per_s(time, CHEAP) / packets_per_s(count, CHEAP),
		time->scenario->host.weight_us, packet_wait_most(&results[2].outcome, CHEAP),
		packet_wait_most(&results[3].outcome, CHEAP));
	tell_threads(count, &results[4].outcome, out);
	lesson_heading(out, "What to change next");
	lesson_next(out, "ringside run configs/lesson-napi-weight.yaml --set dev_weight=16",
		"shorter polls, the same shares");
	lesson_next(out, "ringside run configs/lesson-napi-weight.yaml --set weight_policy=cost",
		"a count again, but each device's follows what its packets cost");
	lesson_next(out, "ringside run configs/lesson-napi-weight.yaml --set interval_us=10",
		"as much as the CPU can bear: what is left of the waits?");
	lesson_next(out,
		"ringside run configs/lesson-napi-weight.yaml --set threaded=1 --set tick_hz=1000",
		"a thread's turn ends at a tick: how long do they wait with shorter ones?");
	lesson_next(out, "ringside run configs/lesson-napi-weight.yaml --set profile=linux-2.6.35",
		"one loop over both devices, until the softirq's budget is used");
}

static const struct lesson_run runs[] = {
	{ "by count", "lesson-napi-weight.yaml", { "weight_policy=packets" } },
	{ "by time", "lesson-napi-weight.yaml", { "weight_policy=time" } },
	{ "light, by count", "lesson-napi-latency.yaml", { "weight_policy=packets" } },
	{ "light, by time", "lesson-napi-latency.yaml", { "weight_policy=time" } },
	{ "by threads", "lesson-napi-weight.yaml", { "driver.threaded=1" } },
	{ 0 },
};

const struct lesson lesson_napi_weight = { "napi-weight",
	"NAPI's weight counts packets, but packets differ in cost", runs, tell };
