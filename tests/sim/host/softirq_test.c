/* SPDX-License-Identifier: BSD-3-Clause */
/* Softirqs: rounds, their limits in both kernels, and the task that does what is left over. */
#include "stage.h"

/*
 * A ring that is full, and 100 packets behind it, when the only interrupt comes. Of 6.1's driver a
 * ring of 256 takes 117 packets: the last starts at 10,700 + 116 x 4000 + 2500 = 477,200 and is
 * done at 477,872; TIDV of 1000 is 1,024,000 ns: interrupt at 1,501,872. Handler 1000, softirq 400,
 * 117 packets of 100, poll 200: NET_RX is over at 1,515,172. Then NET_TX: 400, and 2000 a packet.
 */
#define NET_RX_OVER UINT64_C(1515172)

static struct host_config packed(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 1000);
	config.senders[0].messages = 217;
	return config;
}

static void a_woken_queue_is_run_by_net_tx(void)
{
	struct host_config config = packed();
	unsigned wake;

	config.dev_tx_weight = 1000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_STOP, 0), 477200);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 0), 1501872);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 116), NET_RX_OVER - 300);
	wake = stage_find(EVENT_WAKE, 0);
	CU_ASSERT_EQUAL(stage.events[wake].time, NET_RX_OVER - 200);
	CU_ASSERT_EQUAL(stage.events[wake + 1].id, EVENT_SOFTIRQ_RAISE);
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_RAISE, vec, stage.events[wake + 1].arg), STAGE_NET_TX);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 1);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), NET_RX_OVER);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 100);
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 117), NET_RX_OVER + 400 + 500);
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 216), NET_RX_OVER + 400 + 99 * 2000 + 500);
	CU_ASSERT_EQUAL(stage_time(EVENT_XMIT, 216), NET_RX_OVER + 400 + 100 * 2000);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 217);
}

/* Since 3.x a queue run ends after dev_tx_weight packets, and the next softirq goes on. */
static void a_queue_run_has_a_quota_in_6_1(void)
{
	struct host_config config = packed();

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 2);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 64);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(1), 36);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 1), NET_RX_OVER + 400 + 64 * 2000);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 0);
}

static void a_queue_run_has_none_in_2_6_35(void)
{
	struct host_config config = packed();

	config.kernel = host_kernel_find("linux-2.6.35");
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 1);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 100);
}

/*
 * MAX_SOFTIRQ_RESTART is 10: NET_RX and nine NET_TX of 10 packets, 400 + 20,000 each. The tenth is
 * for ksoftirqd, which takes 700 to get the CPU.
 */
static void after_ten_rounds_it_is_ksoftirqd_s_turn(void)
{
	struct host_config config = packed();

	config.dev_tx_weight = 10;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 10);
	for (unsigned i = 0; i < 9; i++)
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, i), NET_RX_OVER + 20400 * i);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 9), NET_RX_OVER + 20400 * 9 + 700);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(9), 10);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 217);
}

/*
 * At 4 packets a run, 25 runs of 8400: nine at once, ten in ksoftirqd's first go, six in its next,
 * which follows at once.
 */
static void ksoftirqd_goes_on_until_nothing_is_left(void)
{
	struct host_config config = packed();
	uint64_t ksoftirqd = NET_RX_OVER + 9 * 8400 + 700;

	config.dev_tx_weight = 4;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 25);
	for (unsigned i = 9; i < 25; i++)
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, i), ksoftirqd + 8400 * (i - 9));
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 217);
	/* the sender, direct and queued; ksoftirqd gets the CPU once */
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 700 + 117 * 4000 + 100 * 2300 + 700);
}

/*
 * At 20,000 in the driver a run of 26 packets takes 400 + 26 x 20,500 = 533,400. The softirq began
 * 12,300 before NET_RX was over; after four runs that is 2,145,900 ago, more than MAX_SOFTIRQ_TIME.
 */
static void after_2_ms_it_is_ksoftirqd_s_turn_in_6_1(void)
{
	struct host_config config = packed();
	uint64_t first;

	config.senders[0].messages = 2 * 117;
	config.dev_tx_weight = 26;
	config.cost_ns[HOST_COST_xmit] = 20000;
	stage_run(&config);
	first = stage_softirq_time(STAGE_NET_TX, 0);
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, i), first + 533400 * i);
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), 26);
	}
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 4), first + 533400 * 4 + 700);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(4), 117 - 4 * 26);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
}

/*
 * A sender that is blocked: its send buffer holds 42 packets of 100, and so 22 are in a ring of 64
 * (reserve 20) and 20 wait. The last starts at 10,700 + 21 x 4000 + 2500 = 97,200, is done at
 * 97,872, and interrupts at 1,121,872. It wakes when 2 x (4200 - 100 n) <= 4190, at the 22nd free.
 * Softirq from 1,122,872; 400, 22 x 100 and 200 later, at 1,125,672, NET_RX is over.
 */
static struct host_config blocked(const char *kernel)
{
	struct host_config config = stage_config(kernel);

	stage_delay_interrupts(&config, 1000);
	config.driver.ring_size = 64;
	config.driver.reserve = 20;
	config.senders[0].send_buffer_bytes = 4190;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 43;
	return config;
}

/*
 * 2.6.35: a queue run ends after a packet when a task waits, but softirqs go on all ten rounds.
 * Each round is 400 + 2000. After nine packets the sender runs at last: 700, and 2000 to its queue
 * event; from there it runs the queue itself, where nothing makes it yield.
 */
static void in_2_6_35_a_run_yields_after_each_packet(void)
{
	struct host_config config = blocked("linux-2.6.35");
	uint64_t woken = UINT64_C(1125672) + 9 * 2400;

	stage_run(&config);
	for (unsigned i = 0; i < 9; i++) {
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, i), UINT64_C(1125672) + 2400 * i);
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), 1);
	}
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 42), woken + 2700);
	for (unsigned i = 31; i < 43; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, i),
			woken + 2700 + 300 + 500 + 2000 * (i - 31));
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 9), woken + 2700 + 300 + 12 * 2000);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(9), 0);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 43);
}

/* 6.1: a task that waits ends the rounds, so the sender sends the backlog and its own, 21 in all.
 */
static void in_6_1_a_waiting_task_ends_the_rounds(void)
{
	struct host_config config = blocked("linux-6.1");
	uint64_t queued = UINT64_C(1125672) + 700 + 2000;

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 42), queued);
	for (unsigned i = 22; i < 43; i++)
		CU_ASSERT_EQUAL(
			stage_time(EVENT_START_XMIT, i), queued + 300 + 500 + 2000 * (i - 22));
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), queued + 300 + 21 * 2000);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 0);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 43);
}

/* The same, but at 1,600,000, in the middle of NET_TX, a second sender wakes on the idle CPU. */
static void start_second_sender(const char *kernel)
{
	struct host_config config = packed();

	config.kernel = host_kernel_find(kernel);
	config.dev_tx_weight = 1000;
	config.senders[1] = config.senders[0];
	config.senders[1].start = 1600000;
	config.senders[1].messages = 1;
	config.sender_count = 2;
	stage_run(&config);
}

/* Packets return at NET_RX_OVER + 400 + 2000 k: the 43rd at 1,601,572. Then one a round. */
static void in_2_6_35_a_task_that_wakes_ends_the_run(void)
{
	start_second_sender("linux-2.6.35");
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 43);
	for (unsigned i = 1; i < 9; i++)
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 217), UINT64_C(1601572) + 8 * 2400 + 2700);
}

/* need_resched was taken out of the run; it holds the rounds up, not this one. */
static void in_6_1_a_task_that_wakes_does_not_end_the_run(void)
{
	start_second_sender("linux-6.1");
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 100);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 217), NET_RX_OVER + 400 + 100 * 2000 + 2700);
}

/*
 * The blocked sender again, but at 1,121,700 another has begun a message; the interrupt comes while
 * it is in its socket. The one that wakes has to wait for its turn, and softirqs go on as if
 * nobody waited: NET_TX follows NET_RX at once and sends the 20.
 */
static void a_task_that_waits_for_another_hurries_nobody(void)
{
	struct host_config config = blocked("linux-6.1");

	config.senders[1] = config.senders[0];
	config.senders[1].start = 1121000;
	config.senders[1].messages = 1;
	config.sender_count = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), 1125672);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 20);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 0);
}

/*
 * In the driver for 5500 a packet, for another CPU's packets too, a sender gets the interrupt of
 * its first (13,872) while bottom halves are off, and uses up its quota of 4. At 12,700 + 4 x 6000
 * + 1000 both vectors wait, and NET_TX has the lower number.
 */
static void vectors_run_in_their_order(void)
{
	struct host_config config = stage_config("linux-6.1");

	config.cpus = 2;
	config.dev_tx_weight = 4;
	config.senders[1] = config.senders[0];
	config.senders[1].cpu = 1;
	config.senders[1].start = 10400;
	config.senders[1].messages = 20;
	config.cost_ns[HOST_COST_xmit] = 5500;
	config.sender_count = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_SOFTIRQ_RAISE, 0), 13872);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), 37700);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, 0),
		stage_time(EVENT_SOFTIRQ_EXIT, 0)); /* of NET_TX, in the same round */
	CU_ASSERT(stage_find_softirq(STAGE_NET_TX, 0) < stage_find_softirq(STAGE_NET_RX, 0));
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 21);
}

static const struct test_case net_tx[] = {
	{ "a woken queue is run by NET_TX", a_woken_queue_is_run_by_net_tx },
	{ "a queue run has a quota in 6.1", a_queue_run_has_a_quota_in_6_1 },
	{ "a queue run has none in 2.6.35", a_queue_run_has_none_in_2_6_35 },
	{ "vectors run in their order", vectors_run_in_their_order },
	{ 0 },
};

static const struct test_case left_over[] = {
	{ "after ten rounds it is ksoftirqd's turn", after_ten_rounds_it_is_ksoftirqd_s_turn },
	{ "ksoftirqd goes on until nothing is left", ksoftirqd_goes_on_until_nothing_is_left },
	{ "after 2 ms it is ksoftirqd's turn in 6.1", after_2_ms_it_is_ksoftirqd_s_turn_in_6_1 },
	{ 0 },
};

static const struct test_case yielding[] = {
	{ "in 2.6.35 a run yields after each packet", in_2_6_35_a_run_yields_after_each_packet },
	{ "in 6.1 a waiting task ends the rounds", in_6_1_a_waiting_task_ends_the_rounds },
	{ "in 2.6.35 a task that wakes ends the run", in_2_6_35_a_task_that_wakes_ends_the_run },
	{ "in 6.1 a task that wakes does not end the run",
		in_6_1_a_task_that_wakes_does_not_end_the_run },
	{ "a task that waits for another hurries nobody",
		a_task_that_waits_for_another_hurries_nobody },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "NET_TX", net_tx, stage_setup, NULL },
		{ "left over", left_over, stage_setup, NULL },
		{ "yielding", yielding, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
