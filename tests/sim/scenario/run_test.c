/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenarios in configs/, against what was published or measured on a real kernel. */
#include "outcome.h"
#include "scenario.h"

#include "harness.h"
#include <math.h>
#include <string.h>

#define CONFIGS TEST_FIXTURES "/../../configs/"

static struct scenario scenario;
static struct outcome outcome;
static const struct transmit_table *device;

/* DPDK keeps what it allocates on the way up; it isn't a run's. */
static int setup(void)
{
	static const char *const set[] = { "duration_s=0.001" };
	struct run_options options = { 0 };
	struct diag diag;

	if (scenario_load(&scenario, NULL, set, 1, &diag) || scenario_start(&scenario, 1, &diag) ||
		scenario_run(&scenario, &options, &outcome, &diag))
		return 1;
	outcome_release(&outcome);
	return 0;
}

static int teardown(void)
{
	scenario_shut_down();
	return 0;
}

static void run(const char *config, const char *const *set, unsigned count)
{
	struct run_options options = { 0 };
	char path[512];
	struct diag diag = { "" };

	snprintf(path, sizeof(path), "%s%s", CONFIGS, config);
	if (scenario_load(&scenario, path, set, count, &diag) ||
		scenario_run(&scenario, &options, &outcome, &diag))
		printf("%s\n", diag.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(outcome.report);
	device = outcome_device(&outcome);
	CU_ASSERT_PTR_NOT_NULL_FATAL(device);
	/* every packet is accounted for, whatever the scenario */
	CU_ASSERT_EQUAL(device->started, device->freed + device->delivered + device->refused +
						 device->aborted + device->unresolved +
						 device->clock_anomalies + device->at_end);
}

static bool near(double got, double want, double share)
{
	if (fabs(got / want - 1) <= share)
		return true;
	printf("got %.6f, want %.6f within %.0f %%\n", got, want, 100 * share);
	return false;
}

static double per_s(void)
{
	return (double)device->tx_packets / outcome_seconds(&outcome);
}

static void the_ring_of_256_packs_as_published(void)
{
	run("sanagi-256.yaml", NULL, 0);
	CU_ASSERT_EQUAL(device->in_device_max, 118);
	CU_ASSERT(near(per_s(), 117908, 0.01));
	CU_ASSERT(near(device->lap.avg, 795687, 0.03));
	CU_ASSERT(near((double)device->lap.max, 985911, 0.02));
	CU_ASSERT(near((double)device->tx_packets, 1179077, 0.01));
	/* in every interval but two: before the flood (a control message), and the last, half empty
	 */
	CU_ASSERT_EQUAL(device->full_intervals, device->intervals - 2);
	CU_ASSERT_EQUAL(device->verdict, VERDICT_PACKED);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_RING);
	CU_ASSERT_EQUAL(device->stall_count, 0);
	CU_ASSERT_EQUAL(device->at_end, 0);
	outcome_release(&outcome);
}

static void the_ring_of_512_does_not(void)
{
	run("sanagi-512.yaml", NULL, 0);
	CU_ASSERT(device->in_device_max >= 155 && device->in_device_max <= 170);
	CU_ASSERT(near(per_s(), 157784, 0.01));
	CU_ASSERT(near((double)device->lap.max, 982069, 0.02));
	CU_ASSERT_EQUAL(outcome.capacity, 246);
	CU_ASSERT_EQUAL(device->verdict, VERDICT_NOT_PACKED);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_SENDER);
	outcome_release(&outcome);
}

/* Half the interrupts, half the packets: the ring decides whatever the host costs are. */
static void half_the_interrupts_halve_the_rate(void)
{
	static const char *const set[] = { "InterruptThrottleRate=500" };

	run("sanagi-256.yaml", set, 1);
	CU_ASSERT_EQUAL(device->in_device_max, 118);
	CU_ASSERT(near((double)device->tx_packets, 590000, 0.01));
	outcome_release(&outcome);
}

/* 118 x 2000 a second are more than the sender's 157,784: it decides. */
static void with_more_interrupts_the_sender_decides(void)
{
	static const char *const set[] = { "InterruptThrottleRate=2000", "duration_s=1" };

	run("sanagi-256.yaml", set, 2);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_SENDER);
	CU_ASSERT(near(per_s(), 157784, 0.01));
	outcome_release(&outcome);
}

/* (384 - 1 - 20)/2 + 1 = 182; slow interrupts fill it. */
static void a_ring_of_384_owns_182(void)
{
	static const char *const set[] = { "ring_size=384", "InterruptThrottleRate=200",
		"duration_s=0.2" };

	run("sanagi-256.yaml", set, 3);
	CU_ASSERT_EQUAL(outcome.capacity, 182);
	CU_ASSERT_EQUAL(device->in_device_max, 182);
	outcome_release(&outcome);
}

/* Costs calibrated on r512-itr1000-2s alone predict the others, measured by an independent script.
 */
static void a_real_drivers_traces_are_predicted(void)
{
	static const struct {
		const char *config;
		uint64_t packets, most;
		double lap_avg_ns; /* 0: the ring isn't saturated there */
	} traces[] = {
		{ "e1000e-6.1-r256-itr500.yaml", 17600, 117, 1719682 },
		{ "e1000e-6.1-r256-itr500-no-checksum.yaml", 33152, 234, 1028100 },
		{ "e1000e-6.1-r512-itr500.yaml", 32528, 245, 1020770 },
		{ "e1000e-6.1-r80-itr1000.yaml", 5968, 29, 938149 },
	};

	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		run(traces[i].config, NULL, 0);
		CU_ASSERT_EQUAL(device->in_device_max, traces[i].most);
		CU_ASSERT(near((double)device->tx_packets, (double)traces[i].packets, 0.03));
		CU_ASSERT(near(device->lap.avg, traces[i].lap_avg_ns, 0.05));
		outcome_release(&outcome);
	}
}

static double modelled(const char *name)
{
	for (const struct figure *f = figures; f->name; f++) {
		if (!strcmp(f->name, name))
			return f->modelled(&outcome);
	}
	return NAN;
}

/*
 * The costs of tcp-receive-cost-itr1000 predict tcp-receive-itr8000, as an independent script
 * measured it. A cost of a tenth more or less changes nothing of that, and neither does jitter.
 */
static void a_real_tcp_receiver_s_trace_is_predicted(void)
{
	static const struct {
		const char *set[2];
		unsigned count;
	} runs[] = {
		{ { NULL }, 0 },
		{ { "host.cost_ns.receive=7459" }, 1 },
		{ { "host.cost_ns.receive=6103" }, 1 },
		{ { "host.cost_ns.alloc=29025" }, 1 },
		{ { "jitter=0.05", "seed=7" }, 2 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		run("e1000e-6.1-tcp.yaml", runs[i].set, runs[i].count);
		CU_ASSERT(near(modelled("packets_per_poll"), 14.6, 0.05));
		CU_ASSERT(near(modelled("packets_per_working_poll"), 22.4, 0.05));
		CU_ASSERT(near(modelled("segments_per_ack"), 20.3, 0.05));
		CU_ASSERT(near(modelled("interrupts_per_s"), 2913, 0.05));
		CU_ASSERT_EQUAL(outcome.host.receivers[0].read_bytes, 12400000);
		CU_ASSERT_EQUAL(outcome.host.receivers[0].timeouts, 0);
		outcome_release(&outcome);
	}
}

/* BQL at its defaults: its limit covers an interval, and the ring fills up nevertheless. */
static void bql_does_not_keep_a_throttled_ring_from_filling(void)
{
	run("e1000e-6.1-r256-itr500-1472B-bql.yaml", NULL, 0);
	CU_ASSERT_EQUAL(device->in_device_max, 117);
	CU_ASSERT(near(device->lap.avg, 1773401, 0.05));
	CU_ASSERT(near((double)device->lap.max, 1984871, 0.02));
	CU_ASSERT(near(per_s(), 58396, 0.05));
	CU_ASSERT(outcome.host.limits.last >= 117 * 1514);
	CU_ASSERT_EQUAL(outcome.host.limits.count, 7); /* 1, 3, 7 … 127 packets */
	outcome_release(&outcome);
}

/* 13 packets of 1514 bytes are less than 20000, and the 14th goes over: 14 in 2 ms. */
static void a_small_bound_of_bql_decides(void)
{
	static const char *const set[] = { "bql_limit_max=20000" };

	run("e1000e-6.1-r256-itr500-1472B-bql.yaml", set, 1);
	CU_ASSERT_EQUAL(device->in_device_max, 14);
	CU_ASSERT(near(per_s(), 7000, 0.03));
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_BQL);
	CU_ASSERT(outcome_bql_share(&outcome) > 0.95);
	outcome_release(&outcome);
}

/*
 * 1514 bytes and 24 more between frames take 12.304 us at 1 Gbit/s: a full ring of 117 is a lap of
 * 1.4396 ms, and 81,274 a second are all that the wire takes.
 */
static void on_a_busy_wire_bql_shortens_the_lap(void)
{
	static const char *const off[] = { "bql=off" };
	double lap;

	run("bql-wire-bound.yaml", off, 1);
	CU_ASSERT_EQUAL(device->in_device_max, 117);
	CU_ASSERT(near((double)device->lap.max, 117 * 12304, 0.01));
	CU_ASSERT(near(device->lap.avg, 117 * 12304, 0.05)); /* it isn't full all the time */
	CU_ASSERT(near(per_s(), 1e9 / 12304, 0.005));
	lap = device->lap.avg;
	outcome_release(&outcome);

	run("bql-wire-bound.yaml", NULL, 0);
	CU_ASSERT(device->in_device_max <= 10); /* two intervals of 4.06 frames, and one frame */
	CU_ASSERT(device->lap.avg < lap / 5);
	CU_ASSERT(near(per_s(), 1e9 / 12304, 0.005));
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_WIRE);
	outcome_release(&outcome);
}

static void assert_rates(const uint64_t *rates, uint64_t count)
{
	CU_ASSERT_EQUAL(outcome.host.rates.count, count);
	for (uint64_t i = 0; i < count && i < outcome.host.rates.count; i++)
		CU_ASSERT_EQUAL(outcome.host.rates.first[i].value, rates[i]);
}

/* Down to 4000 at once, and back by a quarter of 20000 an interval. */
static void mode_3_follows_the_load(void)
{
	static const uint64_t rates[] = { 20000, 4000, 9000, 14000, 19000, 20000 };

	run("throttle-mode-3.yaml", NULL, 0);
	assert_rates(rates, 6);
	/* the light load begins at 30 ms and sends once in 1 ms; a packet's interrupt follows it */
	CU_ASSERT(near((double)outcome.host.rates.first[2].at, 30e6, 0.002));
	CU_ASSERT(near((double)outcome.host.rates.first[5].at, 33e6, 0.002));
	outcome_release(&outcome);
}

/*
 * It begins in the class of 70000, which is approached by 17500 an interval. At 55000 an interval
 * has fewer than 5 packets, so that 512 bytes are many: 20000 at once, and from there bulk. On the
 * way back the light load is of the class of 70000 from the second interval on.
 */
static void mode_1_goes_further_up(void)
{
	static const char *const set[] = { "InterruptThrottleRate=1" };
	static const uint64_t rates[] = { 20000, 37500, 55000, 20000, 4000, 9000, 26500, 44000,
		61500, 70000 };

	run("throttle-mode-3.yaml", set, 1);
	assert_rates(rates, 10);
	outcome_release(&outcome);
}

/* Mode 4 knows nothing before the first watchdog; then all goes one way: 8000. */
static void mode_4_looks_every_two_seconds(void)
{
	static const char *const set[] = { "InterruptThrottleRate=4", "duration_s=2.1",
		"start_s=1.5" };
	static const uint64_t rates[] = { 4, 8000 };

	run("throttle-mode-3.yaml", set, 3);
	assert_rates(rates, 2);
	CU_ASSERT_EQUAL(outcome.host.rates.first[1].at, UINT64_C(2000000000));
	outcome_release(&outcome);
}

/*
 * The transmitter stops at 1 s. The stall begins with the last free, at most one throttle gap (125
 * us) and a delay of 33 us earlier or later; 117 packets are inside, and 2 descriptors each lie
 * between next_to_clean, where the head stands, and the tail.
 */
static void a_dead_transmitter_is_one_stall(void)
{
	const struct e1000e_hang *hang = &outcome.host.hang;

	run("tx-stall.yaml", NULL, 0);
	CU_ASSERT_EQUAL_FATAL(device->stall_count, 1);
	CU_ASSERT(near((double)device->stalls[0].start, 1e9, 0.0002));
	CU_ASSERT_EQUAL(device->stalls[0].packets, 117);
	CU_ASSERT_TRUE(device->stalls[0].open);
	CU_ASSERT_EQUAL(device->at_end, 117);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_STALL);
	CU_ASSERT_TRUE(hang->found);
	CU_ASSERT_EQUAL(hang->tdh, hang->next_to_clean);
	CU_ASSERT_EQUAL(hang->tdt, hang->next_to_use);
	CU_ASSERT_EQUAL((hang->tdt - hang->tdh + 256) % 256, 2 * 117);
	CU_ASSERT_EQUAL(hang->next_to_watch, (hang->next_to_clean + 1) % 256);
	CU_ASSERT_EQUAL(hang->next_to_watch_status & TXD_STAT_DD, 0);
	outcome_release(&outcome);
}

/* A message every 2.5 s: the device is empty in between, for longer than a stall takes. */
static void an_idle_device_does_not_stall(void)
{
	static const char *const set[] = { "duration_s=9", "interval_us=2500000" };

	run("sanagi-256.yaml", set, 2);
	CU_ASSERT_EQUAL(device->stall_count, 0);
	CU_ASSERT_EQUAL(device->tx_packets, 5); /* the control message, and 0, 2.5, 5, 7.5 s */
	CU_ASSERT_FALSE(outcome.host.hang.found);
	outcome_release(&outcome);
}

/* However late it dies, the run goes on until that shows: 117 packets stay inside. */
static void a_late_death_is_seen(void)
{
	static const char *const set[] = { "duration_s=3", "at_s=2.9" };

	run("tx-stall.yaml", set, 2);
	CU_ASSERT_EQUAL(device->stall_count, 1);
	CU_ASSERT_EQUAL(device->at_end, 117);
	CU_ASSERT_TRUE(outcome.host.hang.found);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_STALL);
	/* every message is somewhere */
	CU_ASSERT_EQUAL(outcome_messages(&outcome),
		device->started + outcome.host.qdisc_at_end + outcome_dropped(&outcome));
	outcome_release(&outcome);
}

/* 1514-byte frames at 100 Mbit/s take 123.04 us each: 8127 a second, whatever the ring. */
static void a_slow_wire_decides(void)
{
	static const char *const set[] = { "line_rate_mbps=100", "message_bytes=1472",
		"duration_s=0.5" };

	run("sanagi-256.yaml", set, 3);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_WIRE);
	CU_ASSERT(near(per_s(), 1e6 / 123.04, 0.01));
	outcome_release(&outcome);
}

/* A buffer of 20 packets of 304 bytes, in a ring of 118, with time to spare. */
static void a_small_send_buffer_decides(void)
{
	static const char *const set[] = { "send_buffer_bytes=6080", "duration_s=0.2" };

	run("sanagi-256.yaml", set, 2);
	CU_ASSERT_EQUAL(outcome_limit(&outcome), LIMIT_BUFFER);
	CU_ASSERT_EQUAL(device->in_device_max, 20);
	CU_ASSERT_EQUAL(outcome.host.senders[1].outstanding_most, 20);
	outcome_release(&outcome);
}

/* A sender that never waits for its buffer overflows the queue instead: 1000 packets and the ring.
 */
static void a_large_send_buffer_drops(void)
{
	static const char *const set[] = { "send_buffer_bytes=1000000", "duration_s=0.2" };

	run("sanagi-256.yaml", set, 2);
	CU_ASSERT(outcome_dropped(&outcome) > 0);
	CU_ASSERT_EQUAL(outcome.host.qdisc_most, 1000);
	CU_ASSERT_EQUAL(outcome_messages(&outcome), device->started + outcome_dropped(&outcome));
	outcome_release(&outcome);
}

static void jitter_is_the_seeds(void)
{
	static const char *const set[] = { "duration_s=0.05", "jitter=0.3", "seed=1" };
	static const char *const other[] = { "duration_s=0.05", "jitter=0.3", "seed=2" };
	double first, second;

	run("sanagi-512.yaml", set, 3);
	first = device->lap.avg;
	outcome_release(&outcome);
	run("sanagi-512.yaml", set, 3);
	CU_ASSERT_EQUAL(device->lap.avg, first);
	outcome_release(&outcome);
	run("sanagi-512.yaml", other, 3);
	second = device->lap.avg;
	outcome_release(&outcome);
	CU_ASSERT_NOT_EQUAL(first, second);
	CU_ASSERT(near(first, second, 0.05));
}

static const struct test_case cases[] = {
	{ "the ring of 256 packs as published", the_ring_of_256_packs_as_published },
	{ "the ring of 512 does not", the_ring_of_512_does_not },
	{ "half the interrupts halve the rate", half_the_interrupts_halve_the_rate },
	{ "with more interrupts the sender decides", with_more_interrupts_the_sender_decides },
	{ "a ring of 384 owns 182", a_ring_of_384_owns_182 },
	{ "a real driver's traces are predicted", a_real_drivers_traces_are_predicted },
	{ "a real TCP receiver's trace is predicted", a_real_tcp_receiver_s_trace_is_predicted },
	{ "BQL does not keep a throttled ring from filling",
		bql_does_not_keep_a_throttled_ring_from_filling },
	{ "a small bound of BQL decides", a_small_bound_of_bql_decides },
	{ "on a busy wire BQL shortens the lap", on_a_busy_wire_bql_shortens_the_lap },
	{ "mode 3 follows the load", mode_3_follows_the_load },
	{ "mode 1 goes further up", mode_1_goes_further_up },
	{ "mode 4 looks every two seconds", mode_4_looks_every_two_seconds },
	{ "a dead transmitter is one stall", a_dead_transmitter_is_one_stall },
	{ "an idle device does not stall", an_idle_device_does_not_stall },
	{ "a late death is seen", a_late_death_is_seen },
	{ "a slow wire decides", a_slow_wire_decides },
	{ "a small send buffer decides", a_small_send_buffer_decides },
	{ "a large send buffer drops", a_large_send_buffer_drops },
	{ "jitter is the seed's", jitter_is_the_seeds },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "run", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
