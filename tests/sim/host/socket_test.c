/* SPDX-License-Identifier: BSD-3-Clause */
/* Senders: the send buffer that blocks them, when they wake, pauses and limits. */
#include "stage.h"

/* A transmitter that never works: packets stay charged. */
static struct host_config stuck(uint64_t send_buffer, uint32_t truesize)
{
	struct host_config config = stage_config("linux-6.1");

	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP };
	config.senders[0].send_buffer_bytes = send_buffer;
	config.senders[0].truesize_bytes = truesize;
	config.senders[0].messages = 0;
	config.senders[0].stop = config.stop = 5000000;
	return config;
}

/* sock_alloc_send_pskb lets a packet through while less than the buffer is charged. */
static void a_full_send_buffer_blocks(void)
{
	static const struct {
		uint64_t send_buffer;
		uint32_t truesize, packets;
	} known[] = { { 1000, 100, 10 }, { 1001, 100, 11 }, { 1050, 100, 11 }, { 1100, 100, 11 },
		{ 100, 100, 1 }, { 1, 100, 1 }, { 112640, 304, 371 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct host_config config = stuck(known[i].send_buffer, known[i].truesize);

		stage_run(&config);
		CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), known[i].packets);
		CU_ASSERT_EQUAL(stage.stats.senders[0].messages, known[i].packets);
		CU_ASSERT_EQUAL(stage.stats.senders[0].outstanding_most, known[i].packets);
		CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 1);
	}
}

/*
 * 11 messages of 4000, then it blocks, at 54,700. The last packet starts at 53,200, is done at
 * 53,872, and TIDV of 100 (102,400 ns) later, at 156,272, is the interrupt. From 157,672 on a
 * packet is freed each 100 ns. It may wake when 2 x (1100 - 100 n) <= 1050, so at the sixth,
 * 158,172. The softirq goes on: the eleventh at 158,672, its poll 100 and 200 later at 158,972.
 * Then the sender runs: 700, and 2000 to its queue event.
 */
static void it_wakes_when_half_of_the_buffer_is_free(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 100);
	config.senders[0].send_buffer_bytes = 1050;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 12;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 10), 53200);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 0), 157672);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 11), 158972 + 2700);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 1);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocked, 158172 - 54700);
	CU_ASSERT_EQUAL(stage.stats.senders[0].outstanding_most, 11);
}

/* On a CPU of its own it runs 700 after the sixth free, while the other CPU goes on cleaning. */
static void on_another_cpu_it_wakes_at_once(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 100);
	config.cpus = 2;
	config.senders[0].cpu = 1;
	config.senders[0].send_buffer_bytes = 1050;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 12;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 5), 158172);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 11), 158172 + 2700);
}

/* Only 5 of 11 are freed: less than half. It sleeps on. */
static void less_than_half_does_not_wake_it(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 100);
	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP,
		.at = 13872 + 4 * 4000 + 1 }; /* the fifth packet has just left */
	config.senders[0].send_buffer_bytes = 1050;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 12;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 5);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 11);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 1);
}

/* One socket that is full doesn't hold up another. */
static void each_socket_has_its_own_buffer(void)
{
	struct host_config config = stuck(1000, 100);

	config.senders[1] = config.senders[0];
	config.senders[1].send_buffer_bytes = 3000;
	config.sender_count = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.senders[0].messages, 10);
	CU_ASSERT_EQUAL(stage.stats.senders[1].messages, 30);
}

/* 117 in the ring, 20 queued, and what is dropped is given back at once: 1000 would not fit. */
static void a_dropped_packet_is_given_back(void)
{
	struct host_config config = stuck(14000, 100); /* 140 packets */

	config.qdisc_limit = 20;
	config.senders[0].messages = 1000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.senders[0].messages, 1000);
	CU_ASSERT_EQUAL(stage.stats.senders[0].dropped, 1000 - 137);
	CU_ASSERT_EQUAL(stage.stats.senders[0].outstanding_most, 138);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 0);
}

/*
 * It sleeps for 100,000 after each message: over at 14,700, on again at 114,700 + 700, queued at
 * 117,400; over at 119,400, queued at 222,100. It
 * wakes once more, for 700, to find that there is nothing left to send.
 */
static void a_paused_sender_sleeps_between_messages(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 8);
	config.senders[0].pause_cycles = 100000;
	config.senders[0].messages = 3;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 3);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), 12700);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 1), 117400);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 2), 222100);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 0);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocked, 0);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 3 * 4700 + 700);
}

/* The free of a packet must not end a pause, although the buffer (one packet) was full. */
static void a_pause_is_not_a_wait_for_the_buffer(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 8);
	config.senders[0].send_buffer_bytes = 100;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].pause_cycles = 100000;
	config.senders[0].messages = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_FREE, 0), 23464);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 1), 117400);
}

static void a_sender_sends_no_more_than_its_messages(void)
{
	for (unsigned messages = 1; messages < 6; messages++) {
		struct host_config config = stage_config("linux-2.6.35");

		config.senders[0].messages = messages;
		stage_run(&config);
		CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), messages);
		CU_ASSERT_EQUAL(stage_count(EVENT_FREE), messages);
		CU_ASSERT_EQUAL(stage.stats.senders[0].messages, messages);
	}
}

/* Messages begin at 10,700 + 4000 i (no interrupts): at 50,700 the 11th would be too late. */
static void a_sender_stops_at_its_stop(void)
{
	static const struct {
		uint64_t stop;
		unsigned messages;
	} known[] = { { 50701, 11 }, { 50700, 10 }, { 46701, 10 }, { 10701, 1 }, { 10700, 0 },
		{ 0, 0 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct host_config config = stuck(1000000, 500);

		config.senders[0].stop = known[i].stop;
		stage_run(&config);
		CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), known[i].messages);
	}
}

/* Blocked at 14,700 by its only packet, and woken at 23,464, when 20,000 is past. */
static void a_sender_that_wakes_after_its_stop_sends_nothing(void)
{
	struct host_config config = stage_config("linux-6.1");

	stage_delay_interrupts(&config, 8);
	config.senders[0].send_buffer_bytes = 100;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 0;
	config.senders[0].stop = 20000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 1);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocks, 1);
	CU_ASSERT_EQUAL(stage.stats.senders[0].blocked, 20000 - 14700); /* no loss beyond it */
}

static void senders_start_at_their_time(void)
{
	struct host_config config = stage_config("linux-6.1");

	config.senders[0].start = 0;
	config.senders[1] = config.senders[0];
	config.senders[1].start = 1234567;
	config.sender_count = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), 2700);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 1), 1237267);
}

/* Where nothing takes time, all that there is room for is sent at 0, and 0 is when it blocks. */
static void it_may_block_at_time_0(void)
{
	struct host_config config = stage_config("linux-6.1");

	memset(config.cost_ns, 0, sizeof(config.cost_ns));
	config.senders[0].start = 0;
	config.senders[0].send_buffer_bytes = 1000;
	config.senders[0].truesize_bytes = 100;
	config.senders[0].messages = 100;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 9), 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 100);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 100);
}

static const struct test_case send_buffer[] = {
	{ "a full send buffer blocks", a_full_send_buffer_blocks },
	{ "it wakes when half of the buffer is free", it_wakes_when_half_of_the_buffer_is_free },
	{ "on another CPU it wakes at once", on_another_cpu_it_wakes_at_once },
	{ "less than half does not wake it", less_than_half_does_not_wake_it },
	{ "each socket has its own buffer", each_socket_has_its_own_buffer },
	{ "a dropped packet is given back", a_dropped_packet_is_given_back },
	{ "it may block at time 0", it_may_block_at_time_0 },
	{ 0 },
};

static const struct test_case when[] = {
	{ "a paused sender sleeps between messages", a_paused_sender_sleeps_between_messages },
	{ "a pause is not a wait for the buffer", a_pause_is_not_a_wait_for_the_buffer },
	{ "a sender sends no more than its messages", a_sender_sends_no_more_than_its_messages },
	{ "a sender stops at its stop", a_sender_stops_at_its_stop },
	{ "a sender that wakes after its stop sends nothing",
		a_sender_that_wakes_after_its_stop_sends_nothing },
	{ "senders start at their time", senders_start_at_their_time },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "send buffer", send_buffer, stage_setup, NULL },
		{ "when", when, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
