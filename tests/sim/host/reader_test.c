/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that reads what is received: when it is copied, who acknowledges it, what waits. A
 * frame of 1514 takes 12,304 ns of wire; a call to read costs 1500, and a KiB copied 1024 here: a
 * byte a nanosecond.
 */
#include "stage.h"

#define MS UINT64_C(1000000)

static struct host_config reading(bool tcp, uint64_t segments)
{
	struct host_config config = stage_config("linux-6.1");

	config.sender_count = 0;
	config.cost_ns[HOST_COST_receive] = 3000;
	config.cost_ns[HOST_COST_ack] = 1000;
	config.cost_ns[HOST_COST_read] = 1500;
	config.cost_ns[HOST_COST_copy] = 1024;
	config.cost_ns[HOST_COST_backlog] = 600;
	config.driver.rx_ring_size = 256;
	config.receivers[0] = (struct host_receiver){ .tcp = tcp,
		.segment_bytes = tcp ? 1448 : 1472,
		.segments = segments,
		.burst = 1,
		.start = 10000,
		.stop = STAGE_STOP,
		.delayed_ack = 40 * MS,
		.checksum = true,
		.read = true,
		.task = 5 };
	config.receiver_count = 1;
	return config;
}

/*
 * As a segment in receiver_test.c: polled at 23,704, in the stack until 26,704, when the process is
 * woken; the softirq ends at 26,904. 700 to switch and 1500 to read: the copy begins at 29,104.
 */
static void a_packet_is_copied_to_the_process(void)
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
		{ EVENT_COPY, 29104, 0 },
	};
	struct host_config config = reading(false, 1);
	const struct event *copy;

	stage_run(&config);
	stage_assert_events(expected, sizeof(expected) / sizeof(*expected));
	copy = &stage.events[stage_find(EVENT_COPY, 0)];
	CU_ASSERT_EQUAL(copy->len, 1472);
	CU_ASSERT_EQUAL(copy->packet, stage.events[stage_find(EVENT_RECEIVE, 0)].packet);
	CU_ASSERT_EQUAL(EVENT_GET(COPY, task, copy->arg), 5);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].reads, 1);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_bytes, 1472);
}

/* Packets that wait keep their place in memory: no two of them have one address. */
static void each_packet_is_copied_once(void)
{
	struct host_config config = reading(false, 40);

	config.receivers[0].burst = 20; /* 246,080 ns of wire, and one interrupt for it */
	config.receivers[0].interval = MS;
	config.driver.rdtr = 65535;
	config.driver.radv = 300;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_COPY), 40);
	for (unsigned i = 0; i < 40; i++)
		CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_COPY, i)].packet,
			stage.events[stage_find(EVENT_RECEIVE, i)].packet);
	for (unsigned i = 1; i < 20; i++)
		CU_ASSERT_NOT_EQUAL(stage.events[stage_find(EVENT_RECEIVE, i)].packet,
			stage.events[stage_find(EVENT_RECEIVE, 0)].packet);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].reads, 40); /* a datagram a call */
}

/*
 * A packet in one of the ring's first buffers takes 2304 bytes: two fill 4608. TCP's sender that
 * paces itself knows no window.
 */
static void a_full_socket_drops_packets(void)
{
	for (int tcp = 0; tcp < 2; tcp++) {
		struct host_config config = reading(tcp, 5);

		config.nic.line_rate_mbps = 0;
		config.receivers[0].buffer_bytes = 4608;
		stage_run(&config);
		CU_ASSERT_EQUAL(stage_count(EVENT_RECEIVE), 5);
		CU_ASSERT_EQUAL(stage_count(EVENT_COPY), 2);
		CU_ASSERT_EQUAL(stage.stats.receivers[0].overflowed, 3);
	}
}

/*
 * Four segments in one poll. A buffer of 16,384 offers 7300 (five of 1460); with two unread there
 * are (16384 - 2 x 2304) / 2 = 5888 left, and less with more: no ACK leaves from the receive path.
 * The process reads all, and then acknowledges all.
 */
static void the_process_acknowledges_what_it_has_read(void)
{
	struct host_config config = reading(true, 4);
	const struct host_receiver_stats *stats = &stage.stats.receivers[0];

	config.nic.line_rate_mbps = 0;
	config.receivers[0].buffer_bytes = 16384;
	stage_run(&config);
	CU_ASSERT_EQUAL(stats->acks, 1);
	CU_ASSERT_EQUAL(stats->read_acks, 1);
	CU_ASSERT_EQUAL(stats->reads, 1);
	CU_ASSERT_EQUAL(stage_count(EVENT_COPY), 4); /* the first buffers' packets don't join */
	/* copied in 1448, then 1000 to make the ACK */
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), stage_time(EVENT_COPY, 3) + 1448 + 1000);
	CU_ASSERT_EQUAL(stage_softirq_time(STAGE_NET_RX, 0) < stage_time(EVENT_QUEUE, 0), true);
}

/* 63 buffers of a ring of 64 are of the first kind; after them, up to 18 packets become one. */
static void later_packets_become_one(void)
{
	struct host_config config = reading(true, 63 + 40);

	config.nic.line_rate_mbps = 0;
	config.driver.rx_ring_size = 64;
	config.receivers[0].burst = 40; /* at once; the 64th to 80th, then the rest */
	config.receivers[0].interval = MS;
	config.receivers[0].buffer_bytes = 1000000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_bytes, 103 * 1448);
	/* 40; 23 of the first kind and 17 that join the last of them; 18 and 5 */
	CU_ASSERT_EQUAL(stage_count(EVENT_COPY), 40 + 23 + 2);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_COPY, 62)].len, 18 * 1448);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_COPY, 63)].len, 18 * 1448);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_COPY, 64)].len, 5 * 1448);
}

/* The second packet comes while the first is copied, which takes 100 times as long here. */
static void what_comes_during_a_read_waits_in_the_backlog(void)
{
	struct host_config config = reading(false, 2);

	config.cost_ns[HOST_COST_copy] = 102400;
	config.receivers[0].interval = 50000;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].backlogged, 1);
	/* left there in 600, and through the stack only when the first is copied: 147,200 */
	CU_ASSERT_EQUAL(stage_time(EVENT_RECEIVE_END, 1) - stage_time(EVENT_RECEIVE_BEGIN, 1), 600);
	CU_ASSERT(stage_time(EVENT_RECEIVE, 1) < stage_time(EVENT_COPY, 0) + 147200);
	CU_ASSERT(stage_time(EVENT_COPY, 1) >= stage_time(EVENT_COPY, 0) + 147200 + 3000 + 1500);
	CU_ASSERT_EQUAL(stage_count(EVENT_COPY), 2);
}

/* Without a reading process too: ACKs are quick again after a pause of more than 200 ms. */
static void after_a_pause_acks_are_quick_again(void)
{
	struct host_config config = reading(true, 4);

	config.receivers[0].read = false;
	config.receivers[0].quick_acks = 1;
	config.stop = config.drain = config.receivers[0].stop = 2000 * MS;
	config.receivers[0].interval = 201 * MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].quick_acks, 4);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 0);
	config.receivers[0].interval = 199 * MS;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].quick_acks, 1);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].delayed_acks, 3);
}

/*
 * The process copies for seconds. 255 segments are in the ring's first buffers, of 2304 bytes; 17
 * join the last of these, by 1920 each; then 18 are one packet, of 2176 and 17 x 1920. 162 such and
 * 17 more are the first that fill 6,291,456.
 */
static void who_never_reads_takes_no_more_than_a_socket_may_have(void)
{
	struct host_config config = reading(true, 0);
	const struct host_receiver_stats *stats = &stage.stats.receivers[0];

	config.cpus = 2;
	config.receivers[0].cpu = 1;
	config.cost_ns[HOST_COST_copy] = UINT32_MAX;
	stage_run(&config);
	CU_ASSERT_EQUAL(stats->received, stats->frames);
	CU_ASSERT(stats->overflowed > 4000);
	CU_ASSERT_EQUAL(stats->received - stats->overflowed, 255 + 17 + 162 * 18 + 17);
}

static const struct test_case cases[] = {
	{ "a packet is copied to the process", a_packet_is_copied_to_the_process },
	{ "each packet is copied once", each_packet_is_copied_once },
	{ "a full socket drops packets", a_full_socket_drops_packets },
	{ "who never reads takes no more than a socket may have",
		who_never_reads_takes_no_more_than_a_socket_may_have },
	{ "the process acknowledges what it has read", the_process_acknowledges_what_it_has_read },
	{ "later packets become one", later_packets_become_one },
	{ "what comes during a read waits in the backlog",
		what_comes_during_a_read_waits_in_the_backlog },
	{ "after a pause ACKs are quick again", after_a_pause_acks_are_quick_again },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "reader", cases, stage_setup, NULL }, { 0 } };
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
