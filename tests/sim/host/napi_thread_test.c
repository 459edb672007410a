/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threaded NAPI: a thread has the polls that a softirq would have, and the scheduler decides. The
 * thread is woken by the interrupt at 11,024, which is over at 12,024; it has the CPU 700 later.
 */
#include "stage.h"

#include <errno.h>

#define US      UINT64_C(1000)
#define MS      UINT64_C(1000000)
#define BEGUN   UINT64_C(12724) /* the first poll */
#define A_POLL  (64 * 10 * US)
#define TICK_MS 4

static struct host_config threaded(unsigned devices, uint64_t packets)
{
	struct host_config config = stage_backlogged("linux-6.1", devices, packets);

	for (unsigned i = 0; i < devices; i++)
		config.napi[i].threaded = true;
	return config;
}

static uint64_t poll_time(unsigned nth)
{
	return stage_time(EVENT_NAPI_POLL, nth);
}

static unsigned work_of(unsigned nth)
{
	return (unsigned)EVENT_GET(
		NAPI_POLL, work, stage.events[stage_find(EVENT_NAPI_POLL, nth)].arg);
}

/* 10,000 for the packet, 200 for the poll's end, and no softirq. */
static void a_thread_polls_in_place_of_the_softirq(void)
{
	struct host_config config = threaded(1, 1);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_RECEIVE_BEGIN, 0), BEGUN);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 1);
	CU_ASSERT_EQUAL(poll_time(0), BEGUN + 10000);
	CU_ASSERT_EQUAL(work_of(0), 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_SOFTIRQ_RAISE), 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_SOFTIRQ_ENTRY), 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 1);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 700 + 10000 + 200);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_SOFTIRQ], 0);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited_most, BEGUN - 10000);
	CU_ASSERT_EQUAL(stage.stats.napi[0].waited_most, BEGUN - 11024);
	CU_ASSERT_EQUAL(stage.stats.napi[0].thread_polls, 1);
	CU_ASSERT_EQUAL(stage.stats.napi[0].polls, 1);
}

static void without_threads_there_are_none(void)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, 1);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.napi[0].thread_polls, 0);
	CU_ASSERT_EQUAL(stage.stats.napi[0].polls, 1);
}

/* 500 packets: seven weights of 64 and a rest of 52. A budget of 1 would end each softirq. */
static void it_knows_no_budget_and_no_squeeze(void)
{
	struct host_config config = threaded(1, 500);

	config.netdev_budget = 1;
	config.netdev_budget_cycles = 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 8);
	for (unsigned i = 0; i < 7; i++) {
		CU_ASSERT_EQUAL(work_of(i), 64);
		CU_ASSERT_EQUAL(poll_time(i), BEGUN + A_POLL * (i + 1));
	}
	CU_ASSERT_EQUAL(work_of(7), 52);
	CU_ASSERT_EQUAL(stage.stats.napi[0].full, 7);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 1);
	CU_ASSERT_EQUAL(stage.stats.squeezes.by_packets + stage.stats.squeezes.by_time, 0);
	CU_ASSERT_EQUAL(stage.stats.squeezes.repolls, 0);
	CU_ASSERT_EQUAL(stage.stats.ksoftirqd_wakes, 0);
}

/*
 * The second of two packets comes in the first's poll, sets its cause, and interrupts when the poll
 * enables that: at its end, 32,724. The thread is in those 200, and goes on without a switch.
 */
static void one_that_is_awake_goes_on_without_a_switch(void)
{
	struct host_config config = threaded(1, 2);

	config.receivers[0].interval = 5000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 2);
	CU_ASSERT_EQUAL(poll_time(0), BEGUN + 20000);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), BEGUN + 20000);
	CU_ASSERT_EQUAL(poll_time(1), BEGUN + 20000 + 200 + 1000);
	CU_ASSERT_EQUAL(work_of(1), 0);
}

/* The interrupt finds the other CPU idle. */
static void its_cpu_need_not_be_the_interrupt_s(void)
{
	struct host_config config = threaded(1, 1);

	config.cpus = 2;
	config.napi[0].cpu = 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(poll_time(0), 11024 + 700 + 10000);
	CU_ASSERT_EQUAL(stage.cpus[stage_find(EVENT_NAPI_POLL, 0)], 1);
	CU_ASSERT_EQUAL(stage.cpus[stage_find(EVENT_IRQ_ENTRY, 0)], 0);
}

/*
 * Bottom halves are off in a poll: the softirq of another device, whose interrupt comes at 101,024
 * and takes 1000, waits for its end, and comes before the thread's next poll.
 */
static void softirqs_wait_for_the_end_of_a_poll(void)
{
	struct host_config config = threaded(2, 64);

	config.napi[1].threaded = false;
	config.receivers[1].segments = 1;
	config.receivers[1].start = 100000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), 101024);
	CU_ASSERT_EQUAL(poll_time(0), BEGUN + A_POLL + 1000);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, 0), BEGUN + A_POLL + 1000);
	CU_ASSERT_EQUAL(poll_time(1), BEGUN + A_POLL + 1000 + 1 + 10000);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_NAPI_POLL, 1)].device, 1);
	CU_ASSERT_EQUAL(poll_time(2), BEGUN + A_POLL + 1000 + 1 + 10000 + 200);
	CU_ASSERT_EQUAL(work_of(2), 0);
	CU_ASSERT_EQUAL(stage.stats.napi[0].thread_polls, 2);
	CU_ASSERT_EQUAL(stage.stats.napi[1].thread_polls, 0);
}

/* Packets of 6000 (each makes an ACK) and of 3000 ns, both without end, for 400 ms. */
static struct host_config dear_and_cheap(void)
{
	struct host_config config = threaded(2, 0);

	config.cost_ns[HOST_COST_receive] = 3000;
	config.cost_ns[HOST_COST_ack] = 1000;
	config.cost_ns[HOST_COST_clean] = 0;
	config.receivers[0].tcp = true;
	config.receivers[0].quick_acks = UINT64_MAX;
	for (int i = 0; i < 2; i++)
		config.receivers[i].interval = 2900;
	config.stop = 400 * MS;
	config.drain = 0;
	for (int i = 0; i < 2; i++)
		config.receivers[i].stop = config.stop;
	config.sink = NULL;
	return config;
}

/*
 * The scheduler divides time: each thread has half of it, to the slice that one may be ahead, and
 * so the cheap device twice as many packets. By softirq the weight divides packets. While one has a
 * slice (a tick, or two where that is what makes them even), the other waits.
 */
static void the_scheduler_divides_time_whatever_the_weight(void)
{
	static const enum host_weight_policy policies[] = { HOST_WEIGHT_PACKETS, HOST_WEIGHT_TIME,
		HOST_WEIGHT_COST };

	for (int i = 0; i < 3; i++) {
		struct host_config config = dear_and_cheap();
		const struct host_napi_stats *dear = &stage.stats.napi[0], *cheap = dear + 1;
		double slice = 2. * TICK_MS / 400;

		config.weight_policy = policies[i];
		config.weight_cycles = 150 * US;
		stage_run(&config);
		CU_ASSERT_DOUBLE_EQUAL(
			(double)dear->time / (double)(dear->time + cheap->time), 0.5, slice);
		CU_ASSERT_DOUBLE_EQUAL(
			(double)dear->work / (double)(dear->work + cheap->work), 1 / 3., slice);
		CU_ASSERT(dear->waited_most > (TICK_MS - 1) * MS);
		CU_ASSERT(dear->waited_most < (2 * TICK_MS + 1) * MS);
		/* 64 packets of 6 us; or 25, for by cost the first poll alone knows no better */
		CU_ASSERT_EQUAL(dear->longest, (i == 1 ? 150 : 384) * US);
		CU_ASSERT_DOUBLE_EQUAL((double)dear->time / (double)dear->polls,
			(i == 0 ? 384. : 150.) * US, 1 * US);
	}
}

/*
 * A process that sends all the time, 4000 ns a message; nothing else of it costs anything. Its CPU
 * gets 60 packets of 10 us each 700 us, for 400 ms.
 */
static struct host_config beside_a_process(bool with_thread)
{
	struct host_config config = threaded(2, 0);
	struct host_sender sender = stage_config("linux-6.1").senders[0];

	config.napi[0].threaded = with_thread;
	config.napi[1].threaded = false;
	config.receiver_count = 1;
	config.receivers[0].burst = 60;
	config.receivers[0].interval = 700 * US;
	config.more[0].driver.tidv = config.more[0].driver.tadv = 100;
	sender.device = 1;
	sender.messages = 0;
	config.senders[0] = sender;
	config.sender_count = 1;
	config.cost_ns[HOST_COST_clean] = config.cost_ns[HOST_COST_hard_irq] = 0;
	config.cost_ns[HOST_COST_softirq] = config.cost_ns[HOST_COST_poll] = 0;
	config.cost_ns[HOST_COST_schedule] = 0;
	config.stop = config.senders[0].stop = config.receivers[0].stop = 400 * MS;
	config.drain = 0;
	config.sink = NULL;
	return config;
}

/*
 * By softirq the packets come first: 600 us of each 700 us, and the process has 1/7. Against a
 * thread it has its half, to a slice, and packets find the ring full.
 */
static void a_process_has_its_share_beside_a_thread(void)
{
	struct host_config config = beside_a_process(false);
	double all = 400. * MS / 4000;

	stage_run(&config);
	CU_ASSERT_DOUBLE_EQUAL((double)stage.stats.senders[0].messages / all, 1 / 7., 0.005);
	CU_ASSERT_EQUAL(stage.stats.napi[0].rx_missed, 0);
	config = beside_a_process(true);
	stage_run(&config);
	CU_ASSERT_DOUBLE_EQUAL(
		(double)stage.stats.senders[0].messages / all, 0.5, 2. * TICK_MS / 400);
	CU_ASSERT(stage.stats.napi[0].rx_missed > 0);
}

static void refuse(const struct host_config *config)
{
	struct host *host;

	CU_ASSERT_EQUAL(host_create(&host, config), -EINVAL);
	CU_ASSERT_PTR_NULL(host);
}

static void no_kernel_without_threads_and_no_cpu_that_is_not_there(void)
{
	struct host_config config = threaded(1, 1);

	config.kernel = host_kernel_find("linux-2.6.35");
	refuse(&config);
	config = threaded(1, 1);
	config.napi[0].cpu = 1;
	refuse(&config);
}

static const struct test_case polls[] = {
	{ "a thread polls in place of the softirq", a_thread_polls_in_place_of_the_softirq },
	{ "without threads there are none", without_threads_there_are_none },
	{ "it knows no budget and no squeeze", it_knows_no_budget_and_no_squeeze },
	{ "one that is awake goes on without a switch",
		one_that_is_awake_goes_on_without_a_switch },
	{ "its CPU need not be the interrupt's", its_cpu_need_not_be_the_interrupt_s },
	{ "softirqs wait for the end of a poll", softirqs_wait_for_the_end_of_a_poll },
	{ "no kernel without threads, and no CPU that is not there",
		no_kernel_without_threads_and_no_cpu_that_is_not_there },
	{ 0 },
};

static const struct test_case shares[] = {
	{ "the scheduler divides time, whatever the weight",
		the_scheduler_divides_time_whatever_the_weight },
	{ "a process has its share beside a thread", a_process_has_its_share_beside_a_thread },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "polls", polls, stage_setup, NULL },
		{ "shares", shares, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
