/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAPI: weights, budgets, the order of polls, and who is squeezed by what. Worked out by hand:
 * packets cost 10 us each unless a test says otherwise, softirqs, polls and interrupts little; all
 * frames come at 10 us, at once.
 */
#include "stage.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* Packets in the nth NET_RX softirq. */
static unsigned received_in(unsigned nth)
{
	unsigned received = 0;

	for (unsigned i = stage_find_softirq(STAGE_NET_RX, nth);
		stage.events[i].id != EVENT_SOFTIRQ_EXIT; i++)
		received += stage.events[i].id == EVENT_RECEIVE;
	return received;
}

static unsigned work_of(unsigned nth)
{
	return (unsigned)EVENT_GET(
		NAPI_POLL, work, stage.events[stage_find(EVENT_NAPI_POLL, nth)].arg);
}

static unsigned device_of(unsigned nth)
{
	return stage.events[stage_find(EVENT_NAPI_POLL, nth)].device;
}

/* 4 polls of 64 x 10 us are 2560 us; 5 polls are 320 packets of a budget of 300, and 3200 us. */
static const struct limit {
	uint64_t usecs;
	unsigned packets;
	bool by_time;
} limits[] = { { 2000, 256, true }, { 5000, 320, false } };

static void assert_first_squeezed(const struct limit *limit, const char *kernel, unsigned devices)
{
	struct host_config config = stage_backlogged(kernel, devices, 320 / devices + 1);

	config.netdev_budget_cycles = limit->usecs * US;
	stage_run(&config);
	CU_ASSERT_EQUAL(received_in(0), limit->packets);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_time, limit->by_time);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_packets, !limit->by_time);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), (320 / devices + 1) * devices);
}

static void a_loop_of_2_6_35_is_squeezed_by_time_or_packets(void)
{
	for (int i = 0; i < 2; i++)
		assert_first_squeezed(&limits[i], "linux-2.6.35", 1);
}

static void five_devices_of_6_1_are_squeezed_by_time_or_packets(void)
{
	for (int i = 0; i < 2; i++)
		assert_first_squeezed(&limits[i], "linux-6.1", 5);
}

/* 640 us and 1280 us (and a softirq's 1 ns) are limits that are met, not passed. */
static void a_limit_that_is_just_met_counts_in_6_1_only(void)
{
	struct host_config config = stage_backlogged("linux-2.6.35", 1, 500);

	config.netdev_budget_cycles = 640 * US + 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(received_in(0), 128);
	config = stage_backlogged("linux-6.1", 5, 100);
	config.netdev_budget_cycles = 640 * US + 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(received_in(0), 64);
}

/*
 * After 2000 us devices 0 to 3 have had their turn, and used their weight. Device 4 comes first in
 * the next softirq, then they.
 */
static void those_without_a_turn_come_before_those_to_repoll(void)
{
	static const unsigned order[] = { 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 };
	struct host_config config = stage_backlogged("linux-6.1", 5, 128);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_NAPI_POLL, 3)].time + 0,
		stage_softirq_time(STAGE_NET_RX, 0) + 1 + 2560 * US);
	for (unsigned i = 0; i < 10; i++) {
		CU_ASSERT_EQUAL(device_of(i), order[i]);
		CU_ASSERT_EQUAL(work_of(i), 64);
	}
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_time, 2); /* after 3, and after 2 */
}

/* 2.6.35 puts who has used its weight to the end of the one list, in one softirq. */
static void in_2_6_35_devices_take_turns_in_one_softirq(void)
{
	static const unsigned order[] = { 0, 1, 0, 1, 0, 1 };
	struct host_config config = stage_backlogged("linux-2.6.35", 2, 128);

	config.netdev_budget_cycles = 5000 * US;
	stage_run(&config);
	for (unsigned i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(device_of(i), order[i]);
		CU_ASSERT_EQUAL(work_of(i), i < 4 ? 64 : 0);
	}
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 1);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_time + stage.stats.squeezes.by_packets, 0);
}

/* 1023 packets of 1 us: 15 whole weights and a rest of 63; the eleventh poll is ksoftirqd's. */
static void in_6_1_one_device_is_repolled_and_not_squeezed(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 1023);
	uint64_t first;

	config.cost_ns[HOST_COST_receive] = 1000;
	stage_run(&config);
	first = stage_softirq_time(STAGE_NET_RX, 0);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 16);
	for (unsigned i = 0; i < 16; i++) {
		CU_ASSERT_EQUAL(received_in(i), i < 15 ? 64 : 63);
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, i),
			first + 64001 * i + (i < 10 ? 0 : 700));
	}
	CU_ASSERT_EQUAL(stage.stats.squeezes.repolls, 15);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_time + stage.stats.squeezes.by_packets, 0);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 1);
}

/* At 640 us a poll the fourth goes beyond the second tick of 1 ms, and the fifth is ksoftirqd's. */
static void in_6_1_after_2_ms_it_is_ksoftirqd_s_turn(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 500);
	uint64_t first;

	config.tick_hz = 1000;
	stage_run(&config);
	first = stage_softirq_time(STAGE_NET_RX, 0);
	for (unsigned i = 0; i < 8; i++)
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, i),
			first + 640001 * i + (i < 4 ? 0 : 700));
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_time, 0);
}

/* 6.1 looks at the budget after a poll: each softirq is one, and squeezed. 2.6.35 looks before. */
static void a_budget_of_0(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 128);

	config.netdev_budget = 0;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 128);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 3);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_packets, 3);
	config = stage_backlogged("linux-2.6.35", 1, 128);
	config.netdev_budget = 0;
	config.cost_ns[HOST_COST_softirq] = 400;
	config.stop = config.drain = MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 0);
	CU_ASSERT(stage.stats.squeezes.by_packets > 1000);
}

/* Polls of whole weights, and one that finds nothing and ends it; one interrupt for all. */
static void a_burst_of_128(void)
{
	static const struct {
		const char *kernel;
		uint32_t weight;
		unsigned polls, softirqs;
	} known[] = { { "linux-2.6.35", 64, 3, 1 }, { "linux-2.6.35", 16, 9, 1 },
		{ "linux-6.1", 64, 3, 3 }, { "linux-6.1", 16, 9, 9 } };

	for (int i = 0; i < 4; i++) {
		struct host_config config = stage_backlogged(known[i].kernel, 1, 128);

		config.dev_weight = known[i].weight;
		stage_run(&config);
		CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), known[i].polls);
		CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), known[i].softirqs);
		CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 1);
		CU_ASSERT_EQUAL(stage.stats.napi[0].full, known[i].polls - 1);
		CU_ASSERT_EQUAL(stage.stats.napi[0].work, 128);
	}
}

/*
 * What comes during a poll sets its cause while interrupts are off. They go on with the poll's end,
 * and so there is another interrupt at once, and a poll that finds nothing.
 */
static void interrupts_are_on_again_after_the_poll(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 2);

	config.receivers[0].interval = 5000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 2);
	CU_ASSERT_EQUAL(work_of(0), 2);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), stage_time(EVENT_NAPI_POLL, 0));
	CU_ASSERT_EQUAL(work_of(1), 0);
	config.receivers[0].interval = 20000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 2);
	CU_ASSERT_EQUAL(work_of(0), 1);
	CU_ASSERT_EQUAL(work_of(1), 1);
}

/* Policies. 10 us a packet: 95 us are used after ten; the eleventh is not begun. */
static void by_time_a_poll_ends_when_its_time_is_used(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 100);

	config.weight_policy = HOST_WEIGHT_TIME;
	config.weight_cycles = 95 * US;
	stage_run(&config);
	for (unsigned i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(work_of(i), 10);
	CU_ASSERT_EQUAL(work_of(10), 0);
	CU_ASSERT_EQUAL(stage.stats.napi[0].longest, 100 * US);
	config.weight_cycles = 1; /* one packet at least */
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.napi[0].longest, 10 * US);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 100);
}

/* The first poll knows no cost yet and takes 64; from then on 95 us are 9 packets. */
static void by_cost_the_weight_follows_what_a_packet_cost(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 100);

	config.weight_policy = HOST_WEIGHT_COST;
	config.weight_cycles = 95 * US;
	stage_run(&config);
	CU_ASSERT_EQUAL(work_of(0), 64);
	for (unsigned i = 1; i < 5; i++)
		CU_ASSERT_EQUAL(work_of(i), 9);
}

/*
 * Two devices, packets of 6000 (each makes an ACK) and of 3000 ns: by count the dear one has two
 * thirds of the time and the cheap one waits 384 us; by time they are even.
 */
static void shares_follow_the_policy(void)
{
	for (int by_time = 0; by_time < 2; by_time++) {
		struct host_config config = stage_backlogged("linux-6.1", 2, 0);
		const struct host_napi_stats *dear = &stage.stats.napi[0], *cheap = dear + 1;
		double share;

		config.cost_ns[HOST_COST_receive] = 3000;
		config.cost_ns[HOST_COST_ack] = 1000;
		config.cost_ns[HOST_COST_clean] = 0;
		config.receivers[0].tcp = true;
		config.receivers[0].quick_acks = UINT64_MAX;
		for (int i = 0; i < 2; i++) {
			config.receivers[i].interval = 2900;
			config.receivers[i].stop = 20 * MS;
		}
		config.stop = 20 * MS;
		config.drain = 0;
		config.weight_policy = by_time ? HOST_WEIGHT_TIME : HOST_WEIGHT_PACKETS;
		config.weight_cycles = 150 * US;
		stage_run(&config);
		share = (double)dear->time / (double)(dear->time + cheap->time);
		CU_ASSERT_DOUBLE_EQUAL(share, by_time ? 0.5 : 2 / 3., 0.01);
		CU_ASSERT(cheap->waited_most >= (by_time ? 150 : 384) * US);
		CU_ASSERT(cheap->waited_most < (by_time ? 160 : 394) * US);
	}
}

static const struct test_case budgets[] = {
	{ "a loop of 2.6.35 is squeezed by time or packets",
		a_loop_of_2_6_35_is_squeezed_by_time_or_packets },
	{ "five devices of 6.1 are squeezed by time or packets",
		five_devices_of_6_1_are_squeezed_by_time_or_packets },
	{ "a limit that is just met counts in 6.1 only",
		a_limit_that_is_just_met_counts_in_6_1_only },
	{ "a budget of 0", a_budget_of_0 },
	{ 0 },
};

static const struct test_case order_of_polls[] = {
	{ "those without a turn come before those to repoll",
		those_without_a_turn_come_before_those_to_repoll },
	{ "in 2.6.35 devices take turns in one softirq",
		in_2_6_35_devices_take_turns_in_one_softirq },
	{ "in 6.1 one device is repolled and not squeezed",
		in_6_1_one_device_is_repolled_and_not_squeezed },
	{ "in 6.1 after 2 ms it is ksoftirqd's turn", in_6_1_after_2_ms_it_is_ksoftirqd_s_turn },
	{ "a burst of 128", a_burst_of_128 },
	{ "interrupts are on again after the poll", interrupts_are_on_again_after_the_poll },
	{ 0 },
};

static const struct test_case policies[] = {
	{ "by time a poll ends when its time is used", by_time_a_poll_ends_when_its_time_is_used },
	{ "by cost the weight follows what a packet cost",
		by_cost_the_weight_follows_what_a_packet_cost },
	{ "shares follow the policy", shares_follow_the_policy },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "budgets", budgets, stage_setup, NULL },
		{ "order", order_of_polls, stage_setup, NULL },
		{ "policies", policies, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
