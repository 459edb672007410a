/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes from the wire, and the TCP receiver: when it acknowledges, and what that costs.
 *
 * A segment of 1448 is 1514 bytes, with FCS, preamble and gap 1538: 12,304 ns at 1 Gbit/s. In the
 * stack it costs 3000; an ACK 1000 more, 500 to the driver and 1500 in it: 6000 together.
 */
#include "stage.h"

#define MS UINT64_C(1000000)

static struct host_config receiving(const char *kernel, uint64_t segments)
{
	struct host_config config = stage_config(kernel);

	config.sender_count = 0;
	config.cost_ns[HOST_COST_receive] = 3000;
	config.cost_ns[HOST_COST_ack] = 1000;
	config.cost_ns[HOST_COST_merge] = 500;
	config.driver.rx_ring_size = 256;
	config.receivers[0] = (struct host_receiver){ .tcp = true,
		.segment_bytes = 1448,
		.segments = segments,
		.burst = 1,
		.start = 10000,
		.stop = STAGE_STOP,
		.delayed_ack = 40 * MS,
		.checksum = true };
	config.receiver_count = 1;
	return config;
}

/*
 * Its last bit is there at 22,304, and the interrupt. Handler 1000, softirq 400, stack 3000, end of
 * the poll 200. 40 ms after the stack had it the timer interrupts; 1000 and 400 later its softirq
 * makes the ACK, 1000, which is queued at 40,029,104.
 */
static void one_segment_from_end_to_end(void)
{
	static const struct stage_event expected[] = {
		{ EVENT_IRQ_ENTRY, 22304, 0 },
		{ EVENT_SOFTIRQ_RAISE, 22304, 0 },
		{ EVENT_IRQ_EXIT, 23304, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 23304, 0 },
		{ EVENT_RECEIVE_BEGIN, 23704, 0 },
		{ EVENT_RECEIVE, 23704, 0 },
		{ EVENT_RECEIVE_END, 26704, 0 },
		{ EVENT_NAPI_POLL, 26704, 0 },
		{ EVENT_SOFTIRQ_EXIT, 26904, 0 },
		{ EVENT_SOFTIRQ_RAISE, 40026704, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 40027704, 0 },
		{ EVENT_QUEUE, 40029104, 0 },
		{ EVENT_START_XMIT, 40029604, 0 },
		{ EVENT_DONE, 40030324, 1 }, /* 66 bytes: 720 ns */
		{ EVENT_IRQ_ENTRY, 40030324, 0 },
		{ EVENT_SOFTIRQ_RAISE, 40030324, 0 },
		{ EVENT_IRQ_EXIT, 40031324, 0 },
		{ EVENT_XMIT, 40032104, 0 }, /* 1500, and 1000 in the handler */
		{ EVENT_SOFTIRQ_EXIT, 40032104, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 40032104, 0 },
		{ EVENT_FREE, 40032504, 0 },
		{ EVENT_NAPI_POLL, 40032604, 0 },
		{ EVENT_SOFTIRQ_EXIT, 40032804, 0 },
	};
	struct host_config config = receiving("linux-6.1", 1);
	const struct event *poll, *start;

	stage_run(&config);
	stage_assert_events(expected, sizeof(expected) / sizeof(*expected));
	poll = &stage.events[stage_find(EVENT_NAPI_POLL, 0)];
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, poll->arg), 1);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, poll->arg), 64);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_RECEIVE, 0)].len, 1500);
	start = &stage.events[stage_find(EVENT_START_XMIT, 0)];
	CU_ASSERT_EQUAL(start->len, 66);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, header_bytes, start->arg), 66);
	CU_ASSERT_EQUAL(stage.stats.next_to_use, 2); /* a context and the data */
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 1);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited, 23704 - 22304);
}

/* The cost of the nth packet, from receive_begin to receive_end. */
static uint64_t cost(unsigned nth)
{
	return stage_time(EVENT_RECEIVE_END, nth) - stage_time(EVENT_RECEIVE_BEGIN, nth);
}

static void every_second_segment_is_acknowledged_from_inside(void)
{
	struct host_config config = receiving("linux-2.6.35", 8);

	config.receivers[0].interval = 100000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 4);
	for (unsigned i = 0; i < 8; i++) {
		bool acks = i % 2;
		uint64_t begin = stage_time(EVENT_RECEIVE_BEGIN, i);

		CU_ASSERT_EQUAL(begin, 10000 + 100000 * i + 12304 + 1400);
		CU_ASSERT_EQUAL(cost(i), acks ? 6000 : 3000);
		if (acks)
			CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, i / 2), begin + 4500);
	}
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 4);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 0);
	CU_ASSERT_EQUAL(stage.stats.driver.packets, 4); /* cleaned like any other */
}

/* q ACKs at once, then one for two, and the timer's where one is left over. */
static void acks_are_those_that_rfc_5681_asks_for(void)
{
	static const struct {
		uint64_t segments, quick, acks, quick_sent, delayed;
	} known[] = {
		{ 1000, 0, 500, 0, 0 },
		{ 1001, 0, 501, 0, 1 },
		{ 1000, 16, 16 + 492, 16, 0 },
		{ 1001, 16, 16 + 492 + 1, 16, 1 },
		{ 10, 16, 10, 10, 0 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct host_config config = receiving("linux-6.1", known[i].segments);
		const struct host_receiver_stats *stats = &stage.stats.receivers[0];

		config.receivers[0].quick_acks = known[i].quick;
		config.driver.interrupt_throttle_rate = 8000;
		config.stop = config.drain = 1000 * MS;
		config.receivers[0].stop = config.stop;
		stage_run(&config);
		CU_ASSERT_EQUAL(stats->received, known[i].segments);
		CU_ASSERT_EQUAL(stats->deliveries, known[i].segments);
		CU_ASSERT_EQUAL(stats->acks, known[i].acks);
		CU_ASSERT_EQUAL(stats->quick_acks, known[i].quick_sent);
		CU_ASSERT_EQUAL(stats->delayed_acks, known[i].delayed);
		CU_ASSERT_EQUAL(stage_count(EVENT_FREE), known[i].acks);
		CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), known[i].segments);
	}
}

/* A segment that comes before the timer runs out has it stopped: 39 ms apart there is no wait. */
static void a_second_segment_stops_the_timer(void)
{
	struct host_config config = receiving("linux-6.1", 2);

	config.receivers[0].interval = 39 * MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 1);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 0);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), 10000 + 39 * MS + 12304 + 1400 + 4000);
	config.receivers[0].interval = 41 * MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 2);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 2);
}

/*
 * Bursts of 8 wait for one interrupt (4000 a second: 249,856 ns) and are merged: a packet of
 * 66 + 8 x 1448 bytes, and one ACK. Pairs are 500 long and empty; the stack has it outside.
 */
static void with_gro_there_is_one_ack_a_merged_packet(void)
{
	struct host_config config = receiving("linux-6.1", 80);
	const struct host_receiver_stats *stats = &stage.stats.receivers[0];

	config.driver.rdtr = 100; /* 102,400 ns: until the burst is over */
	config.receivers[0].gro = true;
	config.receivers[0].burst = 8;
	config.receivers[0].interval = MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stats->received, 80);
	CU_ASSERT_EQUAL(stats->deliveries, 10);
	CU_ASSERT_EQUAL(stats->acks, 10);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 10);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE_BEGIN), 80);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_RECEIVE, 3)].len, 52 + 8 * 1448);
	for (unsigned i = 0; i < 80; i++)
		CU_ASSERT_EQUAL(cost(i), 500);
}

/* 66 + 45 x 1448 = 65,226 bytes are what 65,536 have room for. */
static void a_merged_packet_has_at_most_64_kib(void)
{
	struct host_config config = receiving("linux-6.1", 50);

	config.nic.line_rate_mbps = 0;
	config.receivers[0].gro = true;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 2);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_RECEIVE, 0)].len, 52 + 45 * 1448);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_RECEIVE, 1)].len, 52 + 5 * 1448);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 2);
}

/* 63 buffers are posted. All 100 come at once: 37 are missed, and come again until they aren't. */
static void what_finds_no_buffer_is_missed_and_comes_again(void)
{
	struct host_config config = receiving("linux-6.1", 100);

	config.driver.rx_ring_size = 64;
	config.receivers[0].burst = 100;
	config.receivers[0].interval = MS;
	config.nic.line_rate_mbps = 0;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].missed, 37);
	CU_ASSERT_EQUAL(stage.stats.napi[0].rx_missed, 37);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].frames, 137);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].received, 100);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 50);
}

/* Two streams on one wire take turns, as the frames come: no two at one time. */
static void streams_share_the_wire(void)
{
	struct host_config config = receiving("linux-6.1", 5);

	config.receivers[1] = config.receivers[0];
	config.receivers[1].tcp = false;
	config.receivers[1].segment_bytes = 1472; /* 1514 as well */
	config.receiver_count = 2;
	config.driver.rdtr = 65535;
	config.driver.radv = 125; /* 128,000 ns after the first */
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].received, 5);
	CU_ASSERT_EQUAL(stage.stats.receivers[1].received, 5);
	CU_ASSERT_EQUAL(stage.stats.receivers[1].acks, 0);
	/* ten frames; the first is there at 22,304, the last 9 x 12,304 later, before 150,304 */
	CU_ASSERT_EQUAL(stage_time(EVENT_IRQ_ENTRY, 0), 22304 + 128000);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].waited_most, 150304 - 22304 + 1400);
}

/* A flood is sent while a stream comes in: the ACKs go through the same queue and ring. */
static void acks_and_a_sender_s_packets_share_the_ring(void)
{
	struct host_config config = receiving("linux-6.1", 200);

	config.sender_count = 1;
	config.senders[0].messages = 300;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].acks, 100);
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 400);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 400);
	CU_ASSERT_EQUAL(stage.stats.driver.packets, 400);
}

static const struct test_case stream[] = {
	{ "one segment from end to end", one_segment_from_end_to_end },
	{ "every second segment is acknowledged from inside",
		every_second_segment_is_acknowledged_from_inside },
	{ "what finds no buffer is missed and comes again",
		what_finds_no_buffer_is_missed_and_comes_again },
	{ "streams share the wire", streams_share_the_wire },
	{ "ACKs and a sender's packets share the ring",
		acks_and_a_sender_s_packets_share_the_ring },
	{ 0 },
};

static const struct test_case acks[] = {
	{ "ACKs are those that RFC 5681 asks for", acks_are_those_that_rfc_5681_asks_for },
	{ "a second segment stops the timer", a_second_segment_stops_the_timer },
	{ "with GRO there is one ACK a merged packet", with_gro_there_is_one_ack_a_merged_packet },
	{ "a merged packet has at most 64 KiB", a_merged_packet_has_at_most_64_kib },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "stream", stream, stage_setup, NULL },
		{ "ACKs", acks, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
