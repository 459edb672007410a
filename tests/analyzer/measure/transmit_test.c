/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules for one packet after the other, each with numbers worked out by hand. */
#include "transmit.h"

#include "scene.h"

static void a_lap_goes_from_start_xmit_to_the_first_free(void)
{
	/* 7, 9 and 11 us; 27 us of laps in the 211 us from first start to last free. */
	const struct transmit_report *report = PLAY(NULL, START(1, 0, ETH0, 1), FREE(1, 7000, 1),
		START(1, 100000, ETH0, 2), FREE(1, 109000, 2), FREE(1, 110000, 2),
		START(1, 200000, ETH0, 3), FREE(1, 211000, 3));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_STRING_EQUAL(report->lap_from, "start_xmit");
	CU_ASSERT_EQUAL(eth0->tx_packets, 3);
	CU_ASSERT_EQUAL(eth0->lap.min, 7000);
	CU_ASSERT_EQUAL(eth0->lap.max, 11000);
	CU_ASSERT_DOUBLE_EQUAL(eth0->lap.avg, 9000, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(eth0->in_device_avg, 27.0 / 211, 1e-12);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(eth0->first_event, 0);
	CU_ASSERT_EQUAL(eth0->last_event, 211000);
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void address_0_is_an_address(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 5, ETH0, 0),
		START(0, 6, ETH0, 2304), FREE(0, 10, 0), FREE(0, 16, 2304));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->tx_packets, 2);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->in_device_max, 2);
	scene_end();
}

static void a_busy_return_is_a_retry_and_was_never_in_the_device(void)
{
	/* While packet 2 is tried, packet 1 is in; there never are two. */
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), XMIT(0, 10, ETH0, 1, 0), QUEUED(15, ETH0, 2),
			START(0, 20, ETH0, 2), XMIT(0, 30, ETH0, 2, BUSY), FREE(1, 100, 1),
			START(0, 110, ETH0, 2), XMIT(0, 115, ETH0, 2, 0), FREE(1, 150, 2));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->retries, 1);
	CU_ASSERT_EQUAL(eth0->started, 2);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	CU_ASSERT_EQUAL(eth0->lap.min, 40); /* from the start that succeeded */
	CU_ASSERT_EQUAL(eth0->lap.max, 100);
	CU_ASSERT_EQUAL(eth0->queue_delay.count, 1);
	CU_ASSERT_EQUAL(eth0->queue_delay.max, 95); /* to the start that succeeded */
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_maximum_during_a_driver_call_counts(void)
{
	/* Packet 2 enters at 20 while 1 is in; 1 leaves at 25, before the driver returns. */
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), XMIT(0, 10, ETH0, 1, 0), START(0, 20, ETH0, 2),
			FREE(1, 25, 1), XMIT(0, 30, ETH0, 2, 0), FREE(1, 50, 2));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->in_device_max, 2);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->free_before_xmit_return, 0);
	scene_end();
}

static void any_other_return_code_is_a_refusal(void)
{
	/* NET_XMIT_DROP (1) and -ENOMEM: consumed; the second is freed inside the driver. */
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), XMIT(0, 10, ETH0, 1, 1), FREE(0, 12, 1),
			START(0, 20, ETH0, 2), FREE(0, 25, 2), XMIT(0, 30, ETH0, 2, -12),
			START(0, 40, ETH0, 3), XMIT(0, 41, ETH0, 3, 0), FREE(0, 47, 3));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->refused, 2);
	CU_ASSERT_EQUAL(eth0->retries, 0);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 7);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_late_xmit_opens_and_ends_nothing(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), FREE(1, 8, 1), XMIT(0, 10, ETH0, 1, 0),
			START(0, 20, ETH0, 2), XMIT(0, 21, ETH0, 2, 0), FREE(1, 30, 2));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->lap.min, 8);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_return_belongs_to_the_start_of_its_own_cpu(void)
{
	/*
	 * CPU 0 starts packet 1; it is freed, and CPU 1 starts a packet at the same address, before
	 * CPU 0's driver returns. CPU 0's late return says nothing about the younger packet, and
	 * CPU 1's BUSY nothing about the older one.
	 */
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 1), FREE(1, 5, 1),
		START(1, 6, ETH0, 1), XMIT(0, 8, ETH0, 1, 0), XMIT(1, 9, ETH0, 1, BUSY),
		START(1, 20, ETH0, 1), XMIT(1, 21, ETH0, 1, 0), FREE(1, 50, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(eth0->retries, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->lap.min, 5);
	CU_ASSERT_EQUAL(eth0->lap.max, 30);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void an_address_that_starts_again_leaves_the_older_unresolved(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), XMIT(0, 1, ETH0, 1, 0), START(0, 100, ETH0, 1),
			XMIT(0, 101, ETH0, 1, 0), FREE(0, 130, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->unresolved, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 30);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_TRUE(eth0->unreliable); /* 1 of 2 */
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_busy_return_leaves_the_older_packet_resolved(void)
{
	/* The restart was a retry as the kernel tells it, in the order of another CPU's clock. */
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), START(1, 5, ETH0, 1), XMIT(0, 6, ETH0, 1, BUSY),
			XMIT(1, 7, ETH0, 1, 0), FREE(1, 25, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->retries, 1);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 20);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void packets_that_never_leave_are_at_the_end(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 1),
		START(0, 10, ETH0, 2), FREE(0, 20, 1), START(0, 30, ETH0, 3), OTHER(1000));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->at_end, 2);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_FALSE(eth0->unreliable);
	CU_ASSERT_EQUAL(eth0->in_device_max, 2);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_packet_expires_only_after_the_time_given(void)
{
	struct transmit_options options = scene_options();
	const struct transmit_report *report;
	const struct transmit_table *eth0;

	options.expire_cycles = 100;
	/* 1 is freed after 100 exactly; 2 would be after 101, so its free finds nothing. */
	report = PLAY(&options, START(0, 0, ETH0, 1), START(0, 50, ETH0, 2), FREE(0, 100, 1),
		START(0, 120, ETH0, 3), FREE(0, 151, 2), FREE(0, 160, 3));
	eth0 = scene_device(report, ETH0);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->unresolved, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT_EQUAL(eth0->in_device_max, 2);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void nothing_pairs_across_a_gap(void)
{
	const struct transmit_report *report = PLAY(NULL, START(2, 1000, ETH0, 1),
		XMIT(2, 1002, ETH0, 1, 0), QUEUED(1003, ETH0, 3), START(0, 1004, BOND0, 4),
		LOST(2, 1500), FREE(2, 1500, 1), START(2, 1600, ETH0, 2), XMIT(2, 1601, ETH0, 2, 0),
		FREE(2, 1607, 2), START(0, 1700, ETH0, 3), XMIT(0, 1701, ETH0, 3, 0),
		FREE(0, 1709, 3), XMIT(0, 1710, BOND0, 4, BUSY));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->unresolved, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->lap.min, 7);
	CU_ASSERT_EQUAL(eth0->queue_delay.count, 0);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT(scene_reconciles(eth0));
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->unresolved, 1);
	CU_ASSERT(scene_reconciles(scene_device(report, BOND0)));
	scene_end();
}

static void the_driver_can_abort(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), XMIT(0, 20, ETH0, 1, 0), ABORT(0, 50, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->aborted, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void queue_delay_is_from_queue_to_start(void)
{
	const struct transmit_report *report = PLAY(NULL, QUEUED(0, ETH0, 1), START(0, 40, ETH0, 1),
		XMIT(0, 45, ETH0, 1, 0), FREE(0, 90, 1), START(0, 100, ETH0, 1),
		XMIT(0, 105, ETH0, 1, 0), QUEUED(110, ETH0, 2), START(0, 120, ETH0, 2));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->queue_delay.count, 2); /* the second start was not queued */
	CU_ASSERT_EQUAL(eth0->queue_delay.min, 10);
	CU_ASSERT_EQUAL(eth0->queue_delay.max, 40);
	scene_end();
}

static void drops_are_counted_by_reason_where_the_packet_was(void)
{
	/* 1 is dropped by the qdisc, 2 by the driver, 3 is consumed, 4 was never on the way out. */
	const struct transmit_report *report = PLAY(NULL, QUEUED(0, ETH0, 1), DROP(0, 10, 1, 7),
		START(0, 20, ETH0, 2), XMIT(0, 25, ETH0, 2, 0), DROP(0, 40, 2, 2),
		QUEUED(50, ETH0, 3), FREE(0, 60, 3), DROP(0, 70, 4, 9));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL_FATAL(eth0->drop_count, 2);
	CU_ASSERT_EQUAL(eth0->drops[0].reason, 2);
	CU_ASSERT_EQUAL(eth0->drops[0].packets, 1);
	CU_ASSERT_EQUAL(eth0->drops[1].reason, 7);
	CU_ASSERT_EQUAL(eth0->drops[1].packets, 1);
	CU_ASSERT_EQUAL(eth0->started, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1); /* kfree_skb ends a lap as consume_skb does */
	CU_ASSERT_EQUAL(eth0->lap.max, 20);
	scene_end();
}

static struct event segment_event(unsigned len, unsigned size, unsigned segs, unsigned header)
{
	return (struct event){
		.time = 1,
		.id = EVENT_START_XMIT,
		.queue = NO_QUEUE,
		.len = len,
		.arg = EVENT_PUT(START_XMIT, gso_size, size) |
		       EVENT_PUT(START_XMIT, gso_segs, segs) |
		       EVENT_PUT(START_XMIT, header_bytes, header),
	};
}

static uint64_t segments(unsigned len, unsigned size, unsigned segs, unsigned header)
{
	struct scene_event events[] = { { 0, segment_event(len, size, segs, header) },
		FREE(0, 2, 0) };
	uint64_t found = scene_device(scene_play(NULL, events, 2), ETH0)->wire_segments;

	scene_end();
	return found;
}

static void wire_segments_are_rounded_up(void)
{
	CU_ASSERT_EQUAL(segments(13199, 1448, 0, 66), 10); /* 13133 / 1448 = 9.07 */
	CU_ASSERT_EQUAL(segments(13098, 1448, 0, 66), 9);  /* 13032 / 1448 = 9 exactly */
	CU_ASSERT_EQUAL(segments(4410, 1448, 3, 66), 3);
	CU_ASSERT_EQUAL(segments(98, 0, 0, 54), 1);
	CU_ASSERT_EQUAL(segments(98, 1448, 0, 54), 1);
	CU_ASSERT_EQUAL(segments(54, 1448, 0, 54), 1); /* nothing but headers */
	CU_ASSERT_EQUAL(segments(40, 1448, 0, 54), 1); /* less than the headers: not negative */
	CU_ASSERT_EQUAL(segments(70000, 1, 0, 0), 70000);
}

static void an_empty_trace_has_no_devices(void)
{
	const struct transmit_report *report = PLAY(NULL, OTHER(5));

	CU_ASSERT_EQUAL(report->device_count, 0);
	CU_ASSERT_EQUAL(report->total_in_device_max, 0);
	CU_ASSERT_STRING_EQUAL(report->lap_from, "xmit");
	scene_end();
}

static void times_near_the_end_of_64_bits_are_subtracted_first(void)
{
	const uint64_t base = UINT64_MAX - 10000;
	const struct transmit_report *report = PLAY(NULL, START(0, base, ETH0, 1),
		FREE(0, base + 29, 1), START(0, base + 100, ETH0, 1), FREE(0, base + 5900, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.min, 29);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 5800);
	CU_ASSERT_DOUBLE_EQUAL(scene_device(report, ETH0)->in_device_avg, 5829.0 / 5900, 1e-12);
	scene_end();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case laps[] = {
	CASE(a_lap_goes_from_start_xmit_to_the_first_free),
	CASE(address_0_is_an_address),
	CASE(an_address_that_starts_again_leaves_the_older_unresolved),
	CASE(packets_that_never_leave_are_at_the_end),
	CASE(a_packet_expires_only_after_the_time_given),
	CASE(nothing_pairs_across_a_gap),
	CASE(the_driver_can_abort),
	CASE(times_near_the_end_of_64_bits_are_subtracted_first),
	CASE(an_empty_trace_has_no_devices),
	{ 0 },
};

static const struct test_case returns[] = {
	CASE(a_busy_return_is_a_retry_and_was_never_in_the_device),
	CASE(a_busy_return_leaves_the_older_packet_resolved),
	CASE(a_maximum_during_a_driver_call_counts),
	CASE(any_other_return_code_is_a_refusal),
	CASE(a_late_xmit_opens_and_ends_nothing),
	CASE(a_return_belongs_to_the_start_of_its_own_cpu),
	{ 0 },
};

static const struct test_case details[] = {
	CASE(queue_delay_is_from_queue_to_start),
	CASE(drops_are_counted_by_reason_where_the_packet_was),
	CASE(wire_segments_are_rounded_up),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "laps", laps, NULL, NULL },
		{ "returns", returns, NULL, NULL },
		{ "details", details, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
