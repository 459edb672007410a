/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs: who interrupts whom, and what waits. */
#include "stage.h"

/*
 * TIDV of 1: the first packet (on the wire until 13,872) interrupts at 14,896, while the second
 * message, begun at 14,700, is in the socket. Without the interrupt it would be queued at 16,700;
 * handler 1000, softirq 400, one packet 100, poll 200 push that back by 1700.
 */
static void an_interrupt_pushes_a_send_back_by_what_it_takes(void)
{
	static const struct stage_event expected[] = {
		{ EVENT_QUEUE, 12700, 0 },
		{ EVENT_START_XMIT, 13200, 0 },
		{ EVENT_DONE, 13872, 1 },
		{ EVENT_XMIT, 14700, 0 },
		{ EVENT_IRQ_ENTRY, 14896, 0 },
		{ EVENT_SOFTIRQ_RAISE, 14896, 0 },
		{ EVENT_IRQ_EXIT, 15896, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 15896, 0 },
		{ EVENT_FREE, 16296, 0 },
		{ EVENT_NAPI_POLL, 16396, 0 },
		{ EVENT_SOFTIRQ_EXIT, 16596, 0 },
		{ EVENT_QUEUE, 18400, 0 },
		{ EVENT_START_XMIT, 18900, 0 },
		{ EVENT_DONE, 19572, 1 },
		{ EVENT_XMIT, 20400, 0 },
		{ EVENT_IRQ_ENTRY, 20596, 0 },
		{ EVENT_SOFTIRQ_RAISE, 20596, 0 },
		{ EVENT_IRQ_EXIT, 21596, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 21596, 0 },
		{ EVENT_FREE, 21996, 0 },
		{ EVENT_NAPI_POLL, 22096, 0 },
		{ EVENT_SOFTIRQ_EXIT, 22296, 0 },
	};
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 1);
	config.senders[0].messages = 2;
	stage_run(&config);
	stage_assert_events(expected, sizeof(expected) / sizeof(*expected));
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 700 + 2 * 4000);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_HARDIRQ], 2000);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_SOFTIRQ], 1400);
}

/*
 * Without delay the interrupt comes at 13,872, in the middle of the driver's 1500 ns, where bottom
 * halves are off: the handler pushes the return from 14,700 to 15,700, the softirq waits for that.
 */
static void a_softirq_waits_while_bottom_halves_are_off(void)
{
	static const struct stage_event expected[] = {
		{ EVENT_QUEUE, 12700, 0 },
		{ EVENT_START_XMIT, 13200, 0 },
		{ EVENT_DONE, 13872, 1 },
		{ EVENT_IRQ_ENTRY, 13872, 0 },
		{ EVENT_SOFTIRQ_RAISE, 13872, 0 },
		{ EVENT_IRQ_EXIT, 14872, 0 },
		{ EVENT_XMIT, 15700, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 15700, 0 },
		{ EVENT_FREE, 16100, 0 },
		{ EVENT_NAPI_POLL, 16200, 0 },
		{ EVENT_SOFTIRQ_EXIT, 16400, 0 },
		{ EVENT_QUEUE, 18400, 0 },
	};
	struct host_config config = stage_config("linux-2.6.35");

	config.senders[0].messages = 2;
	stage_run(&config);
	stage.count = sizeof(expected) / sizeof(*expected);
	stage_assert_events(expected, stage.count);
}

/*
 * 10 messages, the last packet done at 49,872, and 102,400 ns (TIDV of 100) later its interrupt:
 * 152,272. Its softirq (153,272) cleans ten packets from 153,672 on, its poll is over at 154,672.
 */
static void one_poll_cleans_all_that_is_done(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 100);
	config.senders[0].messages = 10;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 9), 49872);
	CU_ASSERT_EQUAL(stage_count(EVENT_IRQ_ENTRY), 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 0), 152272);
	CU_ASSERT_EQUAL(stage_time(EVENT_SOFTIRQ_ENTRY, 0), 153272);
	for (unsigned i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_FREE, i), 153672 + 100 * i);
	CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, 0), 154672);
	CU_ASSERT_EQUAL(stage_time(EVENT_SOFTIRQ_EXIT, 0), 154872);
}

/*
 * The first packet interrupts at 13,872 and is polled at once on a CPU that cleans slowly, 5000 ns
 * a packet; the second is done in that time, and the poll goes on with it. Its cause was set all
 * the same: unmasked at the end of the poll it makes an interrupt with nothing to do.
 */
static void what_is_done_during_a_poll_is_cleaned_by_it(void)
{
	struct host_config config = stage_config("linux-6.1");

	config.cpus = 2;
	config.senders[0].cpu = 1; /* goes on sending: second packet done at 17,872 */
	config.senders[0].messages = 2;
	config.cost_ns[HOST_COST_clean] = 5000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 0), 15272); /* + 1000 + 400 */
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 1), 17872);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 1), 20272);
	CU_ASSERT_EQUAL(stage_time(EVENT_NAPI_POLL, 0), 25272);
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 1), 25272);
	CU_ASSERT_EQUAL(stage_count(EVENT_NAPI_POLL), 2);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 2);
}

/* Interrupts on CPU 0, the sender on CPU 1: it never loses a nanosecond to them. */
static void two_cpus_work_side_by_side(void)
{
	struct host_config config = stage_config("linux-6.1");
	unsigned count = 1000;

	config.cpus = 2;
	config.senders[0].cpu = 1;
	config.senders[0].messages = count;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), count);
	for (unsigned i = 0; i < count; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, i), 12700 + 4000 * i);
	for (unsigned i = 0; i < stage.count; i++) {
		enum event_id id = (enum event_id)stage.events[i].id;

		if (id == EVENT_QUEUE || id == EVENT_START_XMIT || id == EVENT_XMIT)
			CU_ASSERT_EQUAL(stage.cpus[i], 1);
		if (id == EVENT_FREE || id == EVENT_IRQ_ENTRY || id == EVENT_SOFTIRQ_ENTRY)
			CU_ASSERT_EQUAL(stage.cpus[i], 0);
		if (id == EVENT_DONE)
			CU_ASSERT_EQUAL(stage.cpus[i], 2);
	}
	CU_ASSERT_EQUAL(stage.stats.cpus[1].busy[HOST_TASK], 700 + 4000 * count);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 0);
}

/* A packed ring with interrupts on one CPU and senders on two: all that starts is freed, in time
 * order, and no packet is freed before it starts. */
static void nothing_is_lost_between_cpus(void)
{
	static uint64_t started[STAGE_EVENTS_MOST];
	struct host_config config = stage_config("linux-2.6.35");
	uint64_t last = 0, in_device = 0, most = 0;

	config.cpus = 3;
	config.senders[0].cpu = 1;
	config.senders[0].messages = 3000;
	config.senders[0].send_buffer_bytes = 150000;
	config.senders[1] = config.senders[0];
	config.senders[1].cpu = 2;
	config.sender_count = 2;
	config.driver.interrupt_throttle_rate = 1000;
	memset(started, 0, sizeof(started));
	stage_run(&config);
	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *event = &stage.events[i];
		uint64_t number = event->packet / stage.stride;

		CU_ASSERT(event->time >= last);
		last = event->time;
		if (event->id == EVENT_START_XMIT) {
			CU_ASSERT_EQUAL(started[number], 0);
			started[number] = event->time;
			most = ++in_device > most ? in_device : most;
		} else if (event->id == EVENT_FREE) {
			CU_ASSERT(started[number] && started[number] < event->time);
			started[number] = 0;
			in_device--;
		}
	}
	CU_ASSERT_EQUAL(in_device, 0);
	CU_ASSERT_EQUAL(most, 118);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 6000);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 6000);
	CU_ASSERT(stage.stats.senders[0].blocks > 0);
}

static void interrupts_go_where_they_are_told(void)
{
	struct host_config config = stage_config("linux-6.1");

	config.cpus = 3;
	config.irq_cpu = 2;
	config.senders[0].cpu = 1;
	config.senders[0].messages = 10;
	stage_run(&config);
	for (unsigned i = 0; i < stage.count; i++) {
		enum event_id id = (enum event_id)stage.events[i].id;

		if (id == EVENT_FREE || id == EVENT_IRQ_ENTRY || id == EVENT_SOFTIRQ_ENTRY)
			CU_ASSERT_EQUAL(stage.cpus[i], 2);
	}
	CU_ASSERT(stage.stats.cpus[2].busy[HOST_HARDIRQ] > 0);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_HARDIRQ], 0);
}

static const struct test_case preemption[] = {
	{ "an interrupt pushes a send back by what it takes",
		an_interrupt_pushes_a_send_back_by_what_it_takes },
	{ "a softirq waits while bottom halves are off",
		a_softirq_waits_while_bottom_halves_are_off },
	{ "one poll cleans all that is done", one_poll_cleans_all_that_is_done },
	{ "what is done during a poll is cleaned by it",
		what_is_done_during_a_poll_is_cleaned_by_it },
	{ 0 },
};

static const struct test_case cpus[] = {
	{ "two CPUs work side by side", two_cpus_work_side_by_side },
	{ "interrupts go where they are told", interrupts_go_where_they_are_told },
	{ "nothing is lost between CPUs", nothing_is_lost_between_cpus },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "preemption", preemption, stage_setup, NULL },
		{ "CPUs", cpus, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
