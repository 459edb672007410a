/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of one CPU: whose turn it is (kernel/sched/fair.c). */
#include "stage.h"

/* Two senders on one CPU, no interrupts, a tick each millisecond; their packets differ in length.
 */
static struct host_config two_senders(void)
{
	struct host_config config = stage_config("linux-6.1");

	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP };
	config.driver.ring_size = 4096;
	config.tick_hz = 250;
	config.senders[0].start = 0;
	config.senders[0].messages = 0;
	config.senders[0].stop = config.stop = 8500000;
	config.drain = 100000;
	config.senders[1] = config.senders[0];
	config.senders[1].message_bytes = 2;
	config.sender_count = 2;
	return config;
}

/*
 * Two tasks share a latency of 6 ms, but only a tick ends a share. The first begins its messages at
 * 700 + 4000 i; number 999 is over at 4,000,700, the first moment after the tick where it may be
 * preempted. The other runs 700 later and queues at 4,003,400. It begins at 4,001,400 + 4000 k, and
 * hands back at 8,001,400; then 8,002,100 + 2000.
 */
static void tasks_take_turns_at_the_tick(void)
{
	struct host_config config = two_senders();
	unsigned sent[8] = { 0 }, turn = 0;
	uint32_t bytes = 43;
	uint64_t first[8] = { 0 };

	stage_run(&config);
	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *event = &stage.events[i];

		if (event->id != EVENT_QUEUE)
			continue;
		if (event->len != bytes) {
			bytes = event->len;
			CU_ASSERT_FATAL(++turn < 8);
		}
		if (!sent[turn]++)
			first[turn] = event->time;
	}
	CU_ASSERT(turn >= 2);
	CU_ASSERT_EQUAL(first[0], 2700);
	CU_ASSERT_EQUAL(first[1], 4003400);
	CU_ASSERT_EQUAL(first[2], 8004100);
	CU_ASSERT_EQUAL(sent[0], 1000);
	CU_ASSERT_EQUAL(sent[1], 1000);
}

static void a_lone_task_is_not_interrupted_by_the_tick(void)
{
	struct host_config config = two_senders();

	config.sender_count = 1;
	stage_run(&config);
	for (unsigned i = 0; i < 800; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, i), 2700 + 4000 * i);
}

/* The first queued packet of the second sender. */
static uint64_t second_queues_at(void)
{
	for (unsigned i = 0; i < stage.count; i++) {
		if (stage.events[i].id == EVENT_QUEUE && stage.events[i].len == 44)
			return stage.events[i].time;
	}
	return 0;
}

/*
 * The second wakes when the first has had 100 us: not enough to be preempted at once
 * (sched_wakeup_granularity is 1 ms). At the tick it has had 3.5 ms of its 3.
 */
static void a_task_that_wakes_waits_for_its_turn(void)
{
	struct host_config config = two_senders();

	config.senders[0].start = 500000;
	config.senders[1].start = 600000;
	stage_run(&config);
	CU_ASSERT_EQUAL(second_queues_at(), 4003400);
}

/*
 * One that wakes when the other has had 2 ms takes over at once, or rather when bottom halves are
 * on again: the message begun at 1,996,700 is over at 2,000,700.
 */
static void a_task_that_has_had_less_takes_over_when_it_wakes(void)
{
	struct host_config config = two_senders();

	config.senders[1].start = 2000000;
	stage_run(&config);
	CU_ASSERT_EQUAL(second_queues_at(), 2000700 + 2700);
}

/*
 * Exactly 1 ms more is not enough, a nanosecond longer is: then the message begun at 996,700 is the
 * last. With two CPUs it takes 2 ms, whoever is on the other.
 */
static void the_granularity_of_a_wakeup_grows_with_cpus(void)
{
	for (unsigned cpus = 1; cpus <= 2; cpus++) {
		for (uint64_t more = 0; more < 2; more++) {
			struct host_config config = two_senders();
			uint64_t at_once = 1000000 * cpus + 700 + 2700;

			config.cpus = cpus;
			config.senders[1].start = 1000000 * cpus + more;
			stage_run(&config);
			if (more)
				CU_ASSERT_EQUAL(second_queues_at(), at_once);
			if (!more)
				CU_ASSERT(second_queues_at() >= 4003400);
		}
	}
}

/* Three who have had the same come in the order in which they waited, a tick of 4 ms each. */
static void three_tasks_go_round(void)
{
	struct host_config config = two_senders();
	uint32_t last = 0, order[4] = { 0 };
	unsigned turns = 0;

	config.cost_ns[HOST_COST_send] = 18000; /* a message is 20,000: 200 of them a tick */
	config.cost_ns[HOST_COST_schedule] = 0;
	config.senders[0].stop = config.senders[1].stop = config.stop = 14000000;
	config.senders[2] = config.senders[1];
	config.senders[2].message_bytes = 3;
	config.sender_count = 3;
	stage_run(&config);
	for (unsigned i = 0; i < stage.count && turns < 4; i++) {
		if (stage.events[i].id != EVENT_QUEUE || stage.events[i].len == last)
			continue;
		last = order[turns++] = stage.events[i].len;
	}
	CU_ASSERT_EQUAL(order[0], 43);
	CU_ASSERT_EQUAL(order[1], 44);
	CU_ASSERT_EQUAL(order[2], 45);
	CU_ASSERT_EQUAL(order[3], 43);
}

/* The first packet after `time` with that length. */
static uint64_t next_queued(uint32_t len, uint64_t time)
{
	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *event = &stage.events[i];

		if (event->id == EVENT_QUEUE && event->len == len && event->time > time)
			return event->time;
	}
	return 0;
}

/*
 * Messages of 20,000 (18,000 in the socket). The second sender wakes when the first has had 8.5 ms,
 * and comes in half a latency behind: 5.5 ms. It takes over when the message begun at 8,480,700 is
 * over, at 8,500,700. At the tick of 12 ms it has had 3.5 ms, 9 in all: the first (8.5 ms) is next,
 * when the message begun at 11,981,400 is over, at 12,001,400. Had the sleep been credited in full,
 * the second would have gone on.
 */
static void sleep_is_credited_by_half_a_latency(void)
{
	struct host_config config = two_senders();

	config.cost_ns[HOST_COST_send] = 18000;
	config.senders[0].stop = config.senders[1].stop = config.stop = 14000000;
	config.senders[1].start = 8500000;
	stage_run(&config);
	CU_ASSERT_EQUAL(second_queues_at(), 8500700 + 700 + 18000);
	CU_ASSERT_EQUAL(next_queued(43, 8600000), 12001400 + 700 + 18000);
}

/*
 * Begun at 100 us, a share of 3 ms is over at 3.1 ms; but only the tick looks, so at 4 ms. Messages
 * begin at 100,700 + 4000 i: that of 3,996,700 is over at 4,000,700.
 */
static void only_a_tick_ends_a_share(void)
{
	struct host_config config = stage_config("linux-6.1");
	uint64_t at = 0;

	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP };
	config.driver.ring_size = 4096;
	config.tick_hz = 1000;
	config.senders[0].start = 100000;
	config.senders[0].messages = 0;
	config.senders[0].stop = config.stop = 6000000;
	config.senders[1] = config.senders[0];
	config.senders[1].message_bytes = 2;
	config.sender_count = 2;
	stage_run(&config);
	for (unsigned i = 0; i < stage.count && !at; i++) {
		if (stage.events[i].id == EVENT_QUEUE && stage.events[i].len == 44)
			at = stage.events[i].time;
	}
	CU_ASSERT_EQUAL(at, 4003400);
}

static const struct test_case turns[] = {
	{ "tasks take turns at the tick", tasks_take_turns_at_the_tick },
	{ "a lone task is not interrupted by the tick",
		a_lone_task_is_not_interrupted_by_the_tick },
	{ "a task that wakes waits for its turn", a_task_that_wakes_waits_for_its_turn },
	{ "a task that has had less takes over when it wakes",
		a_task_that_has_had_less_takes_over_when_it_wakes },
	{ "the granularity of a wakeup grows with CPUs",
		the_granularity_of_a_wakeup_grows_with_cpus },
	{ "three tasks go round", three_tasks_go_round },
	{ "sleep is credited by half a latency", sleep_is_credited_by_half_a_latency },
	{ "only a tick ends a share", only_a_tick_ends_a_share },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "turns", turns, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
