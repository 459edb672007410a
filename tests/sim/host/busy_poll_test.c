/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy polling, worked out by hand. A packet takes the stack 3000, a read call 500, a round that
 * finds nothing 200, a poll's end 200. The first packet comes by interrupt: at the device at
 * 10,000, interrupt at 11,024, softirq at 12,024, its poll 1 later. The process is woken at 15,025,
 * has the CPU after the softirq's end at 15,225 and a switch of 700, and the packet at 16,425. From
 * then on it polls, each 200.
 */
#include "stage.h"

#include <errno.h>

#define US         UINT64_C(1000)
#define MS         UINT64_C(1000000)
#define FIRST_READ UINT64_C(16425)
#define ROUND      UINT64_C(200)

enum { READER = 5, THREAD }; /* tasks, as events count them */

static struct host_config reading(uint64_t packets, uint64_t interval, uint64_t busy_poll_us)
{
	struct host_config config = stage_backlogged("linux-6.1", 1, packets);

	config.cost_ns[HOST_COST_receive] = 3000;
	config.cost_ns[HOST_COST_read] = 500;
	config.cost_ns[HOST_COST_busy_poll] = ROUND;
	config.receivers[0].interval = interval;
	config.receivers[0].read = true;
	config.receivers[0].busy_poll_us = busy_poll_us;
	config.receivers[0].task = READER;
	return config;
}

/* Packets on the same device that nobody reads, all of them at once. */
static void add_crowd(struct host_config *config, uint64_t packets, uint64_t start)
{
	config->receivers[1] = config->receivers[0];
	config->receivers[1].read = false;
	config->receivers[1].busy_poll_us = 0;
	config->receivers[1].prefer_busy_poll = false;
	config->receivers[1].interval = 0;
	config->receivers[1].segments = packets;
	config->receivers[1].start = start;
	config->receiver_count = 2;
}

/* The event of the nth poll that had work. */
static const struct event *working_poll(unsigned nth)
{
	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *event = &stage.events[i];

		if (event->id == EVENT_NAPI_POLL && EVENT_GET(NAPI_POLL, work, event->arg) &&
			!nth--)
			return event;
	}
	CU_FAIL_FATAL("there is no such poll");
	return NULL;
}

static void assert_poll(unsigned nth, uint64_t time, unsigned work, unsigned budget, uint32_t task)
{
	const struct event *event = working_poll(nth);

	CU_ASSERT_EQUAL(event->time, time);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event->arg), work);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, event->arg), budget);
	CU_ASSERT_EQUAL(event_task(event), task);
}

static unsigned polls_from_to(uint64_t from, uint64_t to)
{
	unsigned polls = 0;

	for (unsigned i = 0; i < stage.count; i++)
		polls += stage.events[i].id == EVENT_NAPI_POLL && stage.events[i].time >= from &&
			 stage.events[i].time < to;
	return polls;
}

static void without_it_a_process_sleeps_until_something_comes(void)
{
	struct host_config config = reading(2, 100 * US, 0);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 0), FIRST_READ);
	CU_ASSERT_EQUAL(EVENT_GET(COPY, task, stage.events[stage_find(EVENT_COPY, 0)].arg), READER);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), FIRST_READ + 100 * US);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 2);
	CU_ASSERT_EQUAL(stage.stats.napi[0].busy_polls, 0);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_packets, 2);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_waited, 2 * (FIRST_READ - 10000));
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_waited_most, FIRST_READ - 10000);
}

/*
 * The second comes at 30,000; the round at 16,425 + 68 x 200 = 30,025 finds it. Its interrupt, at
 * 31,024, takes 1000 of the stack's time, and is noted only. The round is over at 34,225, and one
 * more poll lets interrupts on again, for 200. Then it is read.
 */
static void a_process_finds_what_comes_itself(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, 1), FIRST_READ);
	CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, 2), FIRST_READ + ROUND);
	CU_ASSERT_EQUAL(stage_time(EVENT_RECEIVE_BEGIN, 1), 30025);
	assert_poll(1, 34025, 1, 8, READER);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), 31024);
	CU_ASSERT_EQUAL(polls_from_to(34225, 34925), 1); /* the last */
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), 34925);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 1); /* the first packet's */
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_waited_most, FIRST_READ - 10000);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited, 2025 + 25);
}

/* TCP, too: a single segment is not acknowledged at once. */
static void so_does_one_that_reads_tcp(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	config.receivers[0].tcp = true;
	config.receivers[0].delayed_ack = STAGE_STOP;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 0), FIRST_READ);
	CU_ASSERT_EQUAL(stage_time(EVENT_RECEIVE_BEGIN, 1), 30025);
	CU_ASSERT_EQUAL(event_task(working_poll(1)), READER);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_packets, 2);
}

/*
 * 50 units of 1024 ns are over when 16,425 / 1024 = 16 has become more than 66: from 68,608 on, in
 * the round that ends at 16,425 + 261 x 200 = 68,625. After a last poll there is none until the
 * next packet's interrupt, at 111,024, and all is as with the first.
 */
static void it_ends_when_its_time_is_over_and_arms_interrupts(void)
{
	struct host_config config = reading(2, 100 * US, 50);

	stage_run(&config);
	CU_ASSERT_EQUAL(polls_from_to(FIRST_READ, 68625), 261);
	CU_ASSERT_EQUAL(polls_from_to(68625, 68626), 1);
	CU_ASSERT_EQUAL(polls_from_to(68626, 115025), 0);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), 111024);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), FIRST_READ + 100 * US);
	/* 116,425 / 1024 = 113; over from 164 x 1024 = 167,936 on: again after 52 us */
	CU_ASSERT_EQUAL(polls_from_to(116425, 116425 + 258 * ROUND), 258);
	CU_ASSERT_EQUAL(stage.stats.napi[0].busy_polls, 262 + 259);
	CU_ASSERT_EQUAL(stage.stats.napi[0].polls, 2 + 262 + 259);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 2);
}

/*
 * A packet each 200 us, and an interrupt each 999,936 ns (a rate of 1000): the second packet comes
 * at 210,000 and waits until 11,024 + 999,936, and the softirq's 1001. Who polls for longer than
 * 200 us has each in the round that follows its arrival, or after an interrupt that falls into
 * that. There are as many interrupts: polls don't clear their causes.
 */
static void no_packet_waits_for_the_throttle(void)
{
	struct host_config config = reading(51, 200 * US, 0);

	config.driver.interrupt_throttle_rate = 1000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited_most, 11024 + 999936 + 1001 - 210000);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 12);
	config.receivers[0].busy_poll_us = 300;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited_most, 2025); /* the first */
	CU_ASSERT(stage.stats.receivers[0].waited <= 2025 + 50 * ROUND + 11 * 1000);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_packets, 51);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 12);
}

/*
 * 21 packets at 30,000, the reader's first. A round takes eight: from 30,025 for 24,000, and the
 * interrupt's 1000. Its data is there, so it stops: the last poll takes eight more, from 55,225,
 * and leaves the rest to a softirq, which comes before the process reads.
 */
static void what_the_last_poll_leaves_is_for_the_softirq(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	add_crowd(&config, 20, 30 * US);
	stage_run(&config);
	assert_poll(1, 55025, 8, 8, READER);
	assert_poll(2, 79225, 8, 8, READER);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 2);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, 1), 79225);
	assert_poll(3, 79226 + 5 * 3000, 5, 64, 0);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), 94226 + 200 + 500);
}

/* The same, but the device has a thread: it is woken, and begins when the process sleeps. */
static void or_for_the_device_s_thread(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	add_crowd(&config, 20, 30 * US);
	config.napi[0] = (struct host_napi){ .threaded = true, .task = THREAD };
	stage_run(&config);
	CU_ASSERT_EQUAL(event_task(working_poll(0)), THREAD);
	CU_ASSERT_EQUAL(event_task(working_poll(1)), READER);
	CU_ASSERT_EQUAL(event_task(working_poll(2)), READER);
	CU_ASSERT_EQUAL(event_task(working_poll(3)), THREAD);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, working_poll(3)->arg), 5);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 0);
	CU_ASSERT_EQUAL(stage.stats.napi[0].thread_polls, 2);
}

/*
 * On another CPU the interrupt costs the process nothing. It is woken at 15,025, when that CPU is
 * idle, reads at 16,225, and the round at 30,025 finds the second packet.
 */
static void on_another_cpu_the_interrupt_is_no_burden(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	config.cpus = 2;
	config.receivers[0].cpu = 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 0), 16225);
	assert_poll(1, 33025, 1, 8, READER);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), 33025 + ROUND + 200 + 500);
	CU_ASSERT_EQUAL(stage.cpus[stage_find(EVENT_COPY, 1)], 1);
}

/*
 * The reader's packet is the first of 65, which a softirq on the other CPU has in work until
 * 207,000. Nobody else polls a device that is polled: the process waits 100 us, and sleeps.
 */
static void a_device_that_is_polled_is_left_alone(void)
{
	struct host_config config = reading(1, 0, 100);

	config.cpus = 2;
	config.receivers[0].cpu = 1;
	add_crowd(&config, 64, 10 * US);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 0), 16225);
	CU_ASSERT_EQUAL(stage.stats.napi[0].busy_polls, 0);
	/* 16,225 / 1024 = 15; over from 116 x 1024 on: after 513 rounds */
	CU_ASSERT_EQUAL(stage.stats.cpus[1].busy[HOST_TASK], 700 + 500 + 513 * ROUND);
}

/*
 * A task that wakes at 5 ms has had less by more than the scheduler's 1 ms. The round that is over
 * at 16,425 + 24,918 x 200 = 5,000,025 stops, which takes 200, and gives the CPU away: a switch,
 * and 2000 to the other's queue event. When that sleeps, 2000 later, the process goes on.
 */
static void it_gives_way_to_a_task_that_should_run(void)
{
	struct host_config config = reading(1, 0, 5500);
	struct host_sender sender = stage_config("linux-6.1").senders[0];
	uint64_t stopped = FIRST_READ + 24918 * ROUND;

	config.more[0] = (struct host_device){ config.nic, config.driver };
	config.more[0].driver.device = 1;
	config.more[0].driver.tidv = 65535;
	config.more_count = 1;
	sender.device = 1;
	sender.start = 5 * MS;
	config.senders[0] = sender;
	config.sender_count = 1;
	stage_run(&config);
	CU_ASSERT_EQUAL(polls_from_to(FIRST_READ, stopped), 24918);
	CU_ASSERT_EQUAL(polls_from_to(stopped, stopped + 1), 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), stopped + 200 + 700 + 2000);
	CU_ASSERT_EQUAL(polls_from_to(stopped + 1, stopped + 2900 + 2000 + 700), 0);
	CU_ASSERT_EQUAL(polls_from_to(stopped + 2900 + 2000 + 700, stopped + 5601), 1);
}

/* A timer in the place of interrupts. */
static void add_timer(struct host_config *config, uint32_t defer_hard_irqs, uint64_t timeout)
{
	config->napi[0].defer_hard_irqs = defer_hard_irqs;
	config->napi[0].flush_timeout = timeout;
}

/*
 * The first poll finds a packet, and so two more are the timer's, 20,000 after the one before is
 * over. The second of them finds a packet again, in the first case at the end: then interrupts are
 * enabled, which takes 200. Of a packet that came meanwhile the cause is still there.
 */
static void a_timer_polls_in_place_of_interrupts(void)
{
	static const uint64_t alone[] = { 15025, 36026, 57027 };
	static const uint64_t two[] = { 15025, 36026, 60027, 81028, 102029 };
	struct host_config config = reading(1, 30 * US, 0);

	config.receivers[0].read = false;
	add_timer(&config, 2, 20000);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 3);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, i), alone[i]);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 1);
	config.receivers[0].segments = 2;
	stage_run(&config);
	for (unsigned i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, i), two[i]);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 2);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), 102029);
}

/*
 * As above, with packets each 200 us: the first interrupt is the last, until nothing comes any more
 * and the timer, too, has found nothing. No interrupt takes time from the process.
 */
static void a_preferred_process_needs_no_interrupts(void)
{
	struct host_config config = reading(51, 200 * US, 300);

	config.driver.interrupt_throttle_rate = 1000;
	config.receivers[0].prefer_busy_poll = true;
	add_timer(&config, 2, MS);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_packets, 51);
	CU_ASSERT(stage.stats.receivers[0].waited <= 2025 + 50 * ROUND);
	CU_ASSERT_EQUAL(stage.stats.napi[0].interrupts, 2);
	CU_ASSERT(stage_time(EVENT_IRQ_ENTRY, 1) > 10010000 + 300 * 1024 + 2 * MS);
}

/*
 * What the last poll leaves is for nobody else: the process finds it when it has read. Interrupts
 * stay off after the first packet, which saves 200 there and 1000 in the round from 30,025 on.
 */
static void what_its_last_poll_leaves_is_its_own(void)
{
	struct host_config config = reading(2, 20 * US, 50);

	add_crowd(&config, 20, 30 * US);
	config.receivers[0].prefer_busy_poll = true;
	add_timer(&config, 2, MS);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 0), FIRST_READ - 200);
	assert_poll(1, 54025, 8, 8, READER);
	assert_poll(2, 54225 + 8 * 3000, 8, 8, READER);
	CU_ASSERT_EQUAL(stage_time(EVENT_COPY, 1), 78225 + 500);
	assert_poll(3, 78725 + 5 * 3000, 5, 8, READER);
}

/*
 * The reader's packet is the first of 65; the softirq on the other CPU has 64 of them, until
 * 204,025. It has used its weight, and gives the device up to the process, whose 939th round is
 * due.
 */
static void others_leave_the_device_to_it(void)
{
	struct host_config config = reading(1, 0, 300);

	config.cpus = 2;
	config.receivers[0].cpu = 1;
	config.receivers[0].prefer_busy_poll = true;
	add_crowd(&config, 64, 10 * US);
	add_timer(&config, 2, MS);
	stage_run(&config);
	assert_poll(0, 204025, 64, 64, 0);
	assert_poll(1, 16225 + 939 * ROUND + 3000, 1, 8, READER);
	CU_ASSERT_EQUAL(stage.stats.squeezes.repolls, 0);
}

static void refuse(const struct host_config *config)
{
	struct host *host;

	CU_ASSERT_EQUAL(host_create(&host, config), -EINVAL);
	CU_ASSERT_PTR_NULL(host);
}

static void what_cannot_be_is_refused(void)
{
	struct host_config config = reading(1, 0, 50);

	config.kernel = host_kernel_find("linux-2.6.35");
	refuse(&config);
	config = reading(1, 0, 50);
	config.receivers[0].cpu = 1;
	refuse(&config);
	config = reading(1, 0, 0);
	config.receivers[0].prefer_busy_poll = true;
	refuse(&config);
	config = reading(1, 0, 0);
	add_timer(&config, 2, 0);
	refuse(&config);
	add_timer(&config, 0, 20000);
	refuse(&config);
	add_timer(&config, 2, 20000);
	config.kernel = host_kernel_find("linux-2.6.35");
	refuse(&config);
	config = reading(1, 0, 50);
	config.receivers[0].read = false;
	refuse(&config);
}

static const struct test_case polling[] = {
	{ "without it a process sleeps until something comes",
		without_it_a_process_sleeps_until_something_comes },
	{ "a process finds what comes itself", a_process_finds_what_comes_itself },
	{ "so does one that reads TCP", so_does_one_that_reads_tcp },
	{ "it ends when its time is over, and arms interrupts",
		it_ends_when_its_time_is_over_and_arms_interrupts },
	{ "no packet waits for the throttle", no_packet_waits_for_the_throttle },
	{ "on another CPU the interrupt is no burden", on_another_cpu_the_interrupt_is_no_burden },
	{ "what cannot be is refused", what_cannot_be_is_refused },
	{ 0 },
};

static const struct test_case others[] = {
	{ "what the last poll leaves is for the softirq",
		what_the_last_poll_leaves_is_for_the_softirq },
	{ "or for the device's thread", or_for_the_device_s_thread },
	{ "a device that is polled is left alone", a_device_that_is_polled_is_left_alone },
	{ "it gives way to a task that should run", it_gives_way_to_a_task_that_should_run },
	{ 0 },
};

static const struct test_case preferred[] = {
	{ "a timer polls in place of interrupts", a_timer_polls_in_place_of_interrupts },
	{ "a preferred process needs no interrupts", a_preferred_process_needs_no_interrupts },
	{ "what its last poll leaves is its own", what_its_last_poll_leaves_is_its_own },
	{ "others leave the device to it", others_leave_the_device_to_it },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "polling", polling, stage_setup, NULL },
		{ "others", others, stage_setup, NULL },
		{ "preferred", preferred, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
