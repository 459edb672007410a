/* SPDX-License-Identifier: BSD-3-Clause */
/* The way back: what the driver frees, when it wakes the queue, and what it tells of both. */
#include "bench.h"

static struct bench bench;

static void start(uint16_t ring_size, uint16_t reserve, uint16_t wake_threshold)
{
	struct e1000e_config config = bench_config(&bench);

	config.ring_size = ring_size;
	config.reserve = reserve;
	config.wake_threshold = wake_threshold;
	bench_open(&bench, &config);
}

/* Packets 0 and 1 in turn, of a single descriptor each. */
static void send_small(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_packet(&bench, i % 2, 60), 0),
			E1000E_TX_OK);
}

static void complete(uint16_t first, uint16_t count)
{
	for (uint16_t i = 0; i < count; i++)
		bench_complete(&bench, (uint16_t)((first + i) % bench.port->tx.count));
}

/* One after the other, from descriptor 0 on. */
static void send_and_clean(uint16_t count)
{
	for (uint16_t i = 0; i < count; i++) {
		send_small(1);
		complete(i, 1);
		CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
		e1000e_clean_done(bench.port, 0, 0);
	}
}

static void what_is_not_done_stays(void)
{
	start(64, 20, 32);
	CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
	send_small(2);
	CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
	CU_ASSERT_EQUAL(bench.freed_count, 0);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 0);
	bench_close(&bench);
}

static void packets_are_freed_in_order(void)
{
	start(64, 20, 32);
	send_small(2);
	complete(1, 1); /* the second, which the device would never do first */
	CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
	complete(0, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 2);
	CU_ASSERT_EQUAL(bench.freed_count, 2);
	CU_ASSERT_PTR_EQUAL(bench.freed[0], &bench.packets[0]);
	CU_ASSERT_PTR_EQUAL(bench.freed[1], &bench.packets[1]);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 2);
	bench_close(&bench);
}

/* Context 0 and data 1, 2: next_to_watch of 0 is 2, and nothing else counts. */
static void only_the_last_descriptor_s_dd_counts(void)
{
	struct rte_mbuf *packet = bench_udp(&bench, 0, 50);

	start(64, 20, 32);
	bench_append(packet, bench_packet(&bench, 1, 60));
	e1000e_xmit(bench.port, 0, packet, 0);
	complete(0, 2);
	CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
	bench.port->tx.desc[0].data.status = bench.port->tx.desc[1].data.status = 0;
	complete(2, 1);
	CU_ASSERT_TRUE(e1000e_clean_packet(bench.port, 0, 0));
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 3);
	CU_ASSERT_EQUAL(bench.freed_count, 1); /* once, not per segment */
	CU_ASSERT_PTR_EQUAL(bench.freed[0], packet);
	CU_ASSERT_EQUAL(bench.port->stats.packets, 1);
	CU_ASSERT_EQUAL(bench.port->stats.bytes, 110);
	bench_close(&bench);
}

static void a_packet_that_wraps_is_cleaned_whole(void)
{
	struct rte_mbuf *packet;

	start(64, 0, 32);
	send_and_clean(62);
	packet = bench_udp(&bench, 2, 50); /* 62, 63 and 0 */
	bench_append(packet, bench_packet(&bench, 3, 60));
	e1000e_xmit(bench.port, 0, packet, 0);
	complete(63, 1);
	CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
	complete(0, 1);
	CU_ASSERT_TRUE(e1000e_clean_packet(bench.port, 0, 0));
	CU_ASSERT_EQUAL(bench.port->tx.cleaned, 3);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 1);
	CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 63);
	bench_close(&bench);
}

/* After a round every descriptor has been done once; an empty ring must not be taken for a full. */
static void an_empty_ring_with_old_dd_frees_nothing(void)
{
	start(64, 0, 32);
	send_and_clean(64);
	complete(0, 64);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 0);
	CU_ASSERT_EQUAL(bench.freed_count, 64);
	bench_close(&bench);
}

static void a_descriptor_used_again_is_not_done(void)
{
	start(64, 0, 32);
	send_and_clean(64);
	complete(0, 64);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 0);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 0);
	complete(1, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	bench_close(&bench);
}

/* Packets of d descriptors that a sender adds, and the device does, as fast as they are freed. */
static unsigned cleaned_in_one_pass(unsigned d)
{
	unsigned packets = 0;
	bool cleaned;

	do {
		struct rte_mbuf *packet =
			d > 1 ? bench_udp(&bench, 0, 50) : bench_packet(&bench, 0, 50);

		if (d > 2)
			bench_append(packet, bench_packet(&bench, 1, 60));
		e1000e_xmit(bench.port, 0, packet, 0);
		complete(bench.port->tx.buffer[bench.port->tx.next_to_clean].next_to_watch, 1);
		cleaned = e1000e_clean_packet(bench.port, 0, 0);
		packets += cleaned;
	} while (cleaned && packets < 1000);
	return packets;
}

/* The check comes before each packet: 63 of 64 descriptors allow one of 3 more (66). */
static void one_pass_goes_round_the_ring_once(void)
{
	static const unsigned expected[] = { 0, 64, 32, 22 };

	for (unsigned d = 1; d <= 3; d++) {
		start(64, 0, 32);
		CU_ASSERT_EQUAL(cleaned_in_one_pass(d), expected[d]);
		CU_ASSERT_FALSE(e1000e_clean_packet(bench.port, 0, 0));
		e1000e_clean_done(bench.port, 0, 0);
		CU_ASSERT_TRUE(e1000e_clean_packet(bench.port, 0, 0)); /* the next pass goes on */
		bench_close(&bench);
	}
}

/* Stopped with 44 used, 19 free: 12 more are 31, 13 are 32. */
static void the_queue_wakes_at_the_threshold(void)
{
	start(64, 20, 32);
	send_small(44);
	complete(0, 12);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 12);
	CU_ASSERT_FALSE(e1000e_clean_done(bench.port, 0, 0));
	CU_ASSERT_TRUE(bench.port->tx.stopped);
	complete(12, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 32);
	CU_ASSERT_TRUE(e1000e_clean_done(bench.port, 0, 0));
	CU_ASSERT_FALSE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL(bench.port->stats.wakes, 1);
	bench_close(&bench);
}

/* 118 packets of 2 leave 19 of 255: 6 of them make it 31, 7 make it 33. */
static void two_descriptors_a_packet_may_step_over_it(void)
{
	start(256, 20, 32);
	while (!bench.port->tx.stopped)
		e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 0);
	for (uint16_t i = 1; i < 13; i += 2)
		complete(i, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 6);
	CU_ASSERT_FALSE(e1000e_clean_done(bench.port, 0, 0));
	complete(13, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_TRUE(e1000e_clean_done(bench.port, 0, 0));
	bench_close(&bench);
}

/* With a threshold of 10, the 19 that are free would do; but nothing was cleaned. */
static void only_a_pass_that_cleaned_wakes(void)
{
	start(64, 20, 10);
	send_small(44);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 0);
	CU_ASSERT_FALSE(e1000e_clean_done(bench.port, 0, 0));
	complete(0, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_TRUE(e1000e_clean_done(bench.port, 0, 0));
	CU_ASSERT_FALSE(e1000e_clean_done(bench.port, 0, 0)); /* and only once */
	bench_close(&bench);
}

static void a_queue_that_runs_is_not_woken(void)
{
	start(64, 20, 32);
	send_small(10);
	complete(0, 10);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 10);
	CU_ASSERT_FALSE(e1000e_clean_done(bench.port, 0, 0));
	CU_ASSERT_EQUAL(bench.port->stats.wakes, 0);
	bench_close(&bench);
}

static void a_queue_stopped_by_a_refusal_wakes_too(void)
{
	start(64, 0, 32);
	send_small(60);
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_udp(&bench, 2, 43), 0), E1000E_TX_BUSY);
	complete(0, 60);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 60);
	CU_ASSERT_TRUE(e1000e_clean_done(bench.port, 0, 0));
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_udp(&bench, 2, 43), 0), E1000E_TX_OK);
	bench_close(&bench);
}

/* A queue that stops again right after it woke: no descriptor is lost in a hundred rounds. */
static void stop_and_wake_go_on_for_ever(void)
{
	uint16_t at = 0;

	start(64, 20, 32);
	send_small(44);
	for (unsigned round = 0; round < 100; round++) {
		complete(at, 13);
		at = (uint16_t)((at + 13) % 64);
		CU_ASSERT_EQUAL(bench_clean(&bench, 0), 13);
		CU_ASSERT_TRUE(e1000e_clean_done(bench.port, 0, 0));
		send_small(13);
		CU_ASSERT_TRUE(bench.port->tx.stopped);
		CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 19);
	}
	CU_ASSERT_EQUAL(bench.port->stats.stops, 101);
	CU_ASSERT_EQUAL(bench.port->stats.wakes, 100);
	CU_ASSERT_EQUAL(bench.port->stats.packets, 1300);
	bench_close(&bench);
}

static void assert_event(unsigned index, enum event_id id, uint64_t time, uint64_t packet)
{
	CU_ASSERT_EQUAL(bench.events[index].id, id);
	CU_ASSERT_EQUAL(bench.events[index].time, time);
	CU_ASSERT_EQUAL(bench.events[index].packet, packet);
	CU_ASSERT_EQUAL(bench.events[index].device, 5);
	CU_ASSERT_EQUAL(bench.event_cpus[index], 2);
}

/* 13 packets are freed, at 100 ns each, and the wake comes at the end of the pass. */
static void frees_come_before_the_wake(void)
{
	const uint64_t second = sizeof(struct rte_mbuf);
	uint64_t now = 50000;

	start(64, 20, 32);
	send_small(44);
	complete(0, 13);
	bench.event_count = 0;
	while (e1000e_clean_packet(bench.port, 2, now))
		now += 100;
	e1000e_clean_done(bench.port, 2, now);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 14);
	for (unsigned i = 0; i < 13; i++) {
		assert_event(i, EVENT_FREE, 50000 + 100 * i, i % 2 ? second : 0);
		CU_ASSERT_EQUAL(bench.events[i].len, 60);
		CU_ASSERT_EQUAL(bench.events[i].arg, 0); /* consumed, not dropped or aborted */
	}
	assert_event(13, EVENT_WAKE, 51300, 0);
	bench_close(&bench);
}

static uint32_t bytes_when_freed;

static void free_and_reuse(void *context, struct rte_mbuf *packet, uint64_t now)
{
	bench_free(context, packet, now);
	bytes_when_freed = bench.event_count ? bench.events[bench.event_count - 1].len : 0;
	packet->pkt_len = 9999; /* the stack may do with it what it likes */
}

static void the_event_comes_before_the_packet_is_reused(void)
{
	struct e1000e_config config = bench_config(&bench);

	config.stack.free = free_and_reuse;
	bench_open(&bench, &config);
	send_small(1);
	complete(0, 1);
	bench.event_count = 0;
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_EQUAL(bytes_when_freed, 60);
	CU_ASSERT_EQUAL(bench.port->stats.bytes, 60);
	bench_close(&bench);
}

static const struct test_case clean[] = {
	{ "what is not done stays", what_is_not_done_stays },
	{ "packets are freed in order", packets_are_freed_in_order },
	{ "only the last descriptor's DD counts", only_the_last_descriptor_s_dd_counts },
	{ "a packet that wraps is cleaned whole", a_packet_that_wraps_is_cleaned_whole },
	{ "an empty ring with old DD frees nothing", an_empty_ring_with_old_dd_frees_nothing },
	{ "a descriptor used again is not done", a_descriptor_used_again_is_not_done },
	{ "one pass goes round the ring once", one_pass_goes_round_the_ring_once },
	{ 0 },
};

static const struct test_case wake[] = {
	{ "the queue wakes at the threshold", the_queue_wakes_at_the_threshold },
	{ "two descriptors a packet may step over it", two_descriptors_a_packet_may_step_over_it },
	{ "only a pass that cleaned wakes", only_a_pass_that_cleaned_wakes },
	{ "a queue that runs is not woken", a_queue_that_runs_is_not_woken },
	{ "a queue stopped by a refusal wakes too", a_queue_stopped_by_a_refusal_wakes_too },
	{ "stop and wake go on for ever", stop_and_wake_go_on_for_ever },
	{ 0 },
};

static const struct test_case events[] = {
	{ "frees come before the wake", frees_come_before_the_wake },
	{ "the event comes before the packet is reused",
		the_event_comes_before_the_packet_is_reused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "clean", clean },
		{ "wake", wake },
		{ "events", events },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
