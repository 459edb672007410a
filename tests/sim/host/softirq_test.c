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
 * At 20,000 in the driver a run of 26 packets takes 400 + 26 x 20,500 = 533,400. The ring is full
 * after 117 x 22,500; its last packet is started at 2,623,200, done at 2,623,872, and interrupts at
 * 3,647,872. The softirq begins 1000 later, and NET_RX is over after 12,300 more. 2 ms
 * (MAX_SOFTIRQ_TIME) are counted in ticks: at 1000 Hz rounds may go on before 5 ms, for three runs;
 * at 250 Hz they are one tick, so before 4 ms, for one. The rest is ksoftirqd's.
 */
static void after_2_ms_it_is_ksoftirqd_s_turn_in_6_1(void)
{
	static const struct {
		uint32_t tick_hz;
		unsigned runs;
	} known[] = { { 1000, 3 }, { 250, 1 } };

	for (int k = 0; k < 2; k++) {
		struct host_config config = packed();
		uint64_t first = 3647872 + 1000 + 12300;

		config.senders[0].messages = 2 * 117;
		config.dev_tx_weight = 26;
		config.cost_ns[HOST_COST_xmit] = 20000;
		config.tick_hz = known[k].tick_hz;
		stage_run(&config);
		for (unsigned i = 0; i < 5; i++) {
			uint64_t late = i < known[k].runs ? 0 : 700;

			CU_ASSERT_EQUAL(
				stage_softirq_time(STAGE_NET_TX, i), first + 533400 * i + late);
			CU_ASSERT_EQUAL(stage_started_in_net_tx(i), i < 4 ? 26 : 117 - 4 * 26);
		}
		CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	}
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
 * Each round is 400 + 2000. After nine packets the other eleven are left to ksoftirqd, which has
 * had no time yet and so comes before the sender. Nobody hurries it: 700, 400 + 11 x 2000. Then the
 * sender: 700, and 2000 to its queue event.
 */
static void in_2_6_35_a_run_yields_after_each_packet(void)
{
	struct host_config config = blocked("linux-2.6.35");
	uint64_t ksoftirqd = UINT64_C(1125672) + 9 * 2400 + 700;

	stage_run(&config);
	for (unsigned i = 0; i < 9; i++) {
		CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, i), UINT64_C(1125672) + 2400 * i);
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), 1);
	}
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 9), ksoftirqd);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(9), 11);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 42), ksoftirqd + 22400 + 2700);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 43);
}

/* 6.1: a task that waits ends the rounds at once; ksoftirqd sends all 20. */
static void in_6_1_a_waiting_task_ends_the_rounds(void)
{
	struct host_config config = blocked("linux-6.1");
	uint64_t ksoftirqd = UINT64_C(1125672) + 700;

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), ksoftirqd);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 20);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 42), ksoftirqd + 400 + 20 * 2000 + 2700);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 43);
}

/*
 * jiffies != start_time, in 2.6.35: with a tick each 100 us the run that began at NET_RX_OVER ends
 * with the packet that returns after 1,600,000 (the 43rd, at 1,601,572), and the next, which begins
 * there, with the one after 1,700,000 (400 + 50 x 2000 later).
 */
static void in_2_6_35_a_tick_ends_the_run(void)
{
	struct host_config config = packed();

	config.kernel = host_kernel_find("linux-2.6.35");
	config.tick_hz = 10000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 3);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 43);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 1), 1601572);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(1), 50);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 2), 1601572 + 100400);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(2), 7);
}

/*
 * A second sender, begun at 1,500,872, has 1000 of its 2000 left when the interrupt comes. Rounds
 * of 4 packets, 8400 each, leave work to ksoftirqd after nine. The sender has had less than 1 ms
 * more than ksoftirqd, so it goes on. It queues, and runs the queue for 4 packets: 300 + 8000; two
 * more messages take 2000 more each. In all that time softirqs wait for ksoftirqd, which runs when
 * the sender is out of messages.
 */
static void in_6_1_softirqs_wait_for_ksoftirqd(void)
{
	struct host_config config = packed();
	uint64_t queued = NET_RX_OVER + 9 * 8400 + 1000;

	config.dev_tx_weight = 4;
	config.senders[1] = config.senders[0];
	config.senders[1].start = 1500172;
	config.senders[1].messages = 3;
	config.sender_count = 2;
	stage_run(&config);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 217 + i), queued + 10300 * i);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 9), queued + 10300 * 2 + 8300 + 700);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 220);
}

/*
 * In 2.6.35 they don't. With a tick each 1000 every packet ends a run: nine rounds of 400 + 2000.
 * The second sender queues, sends one (300 + 2000), and enables bottom halves, which goes on with
 * NET_TX at once, although ksoftirqd has been woken.
 */
static void in_2_6_35_they_wait_for_nobody(void)
{
	struct host_config config = packed();
	uint64_t queued = NET_RX_OVER + 9 * 2400 + 1000;

	config.kernel = host_kernel_find("linux-2.6.35");
	config.tick_hz = 1000000;
	config.senders[1] = config.senders[0];
	config.senders[1].start = 1500172;
	config.senders[1].messages = 1;
	config.sender_count = 2;
	stage_run(&config);
	for (unsigned i = 0; i < 9; i++)
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 217), queued);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 9), queued + 2300);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 218);
}

/* The packed ring, but at 1,600,000, in the middle of NET_TX, a second sender wakes on the idle
 * CPU. */
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
 * its first (13,872) while bottom halves are off. Its own packet goes without the queue, and four
 * more are its quota: at 12,700 + 5 x 6000 + 1000 both vectors wait, and NET_TX has the lower
 * number.
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
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_TX, 0), 43700);
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
	{ "in 2.6.35 a tick ends the run", in_2_6_35_a_tick_ends_the_run },
	{ "in 6.1 softirqs wait for ksoftirqd", in_6_1_softirqs_wait_for_ksoftirqd },
	{ "in 2.6.35 they wait for nobody", in_2_6_35_they_wait_for_nobody },
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
