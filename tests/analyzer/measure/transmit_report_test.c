/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said at the end: does the ring pack, did it stall, can the figures be trusted. */
#include "transmit.h"

#include "scene.h"

static struct scene_event events[4096];
static size_t event_count;

static void add(unsigned cpu, uint64_t time, enum event_id id, uint8_t queue, uint64_t packet)
{
	bool no_queue = id == EVENT_START_XMIT && queue == NO_QUEUE;

	events[event_count++] =
		(struct scene_event){ cpu, { .time = time,
						   .id = (uint16_t)id,
						   .queue = queue,
						   .packet = packet,
						   .len = 43,
						   .arg = no_queue ? NO_QUEUE_HIGH : 0 } };
}

static const struct transmit_table *play(uint32_t capacity)
{
	struct transmit_options options = scene_options();
	const struct transmit_report *report;

	options.capacity = capacity;
	report = scene_play(&options, events, event_count);
	event_count = 0;
	return scene_device(report, ETH0);
}

/* Packets start 1 us apart from `start`, and are freed 1 us apart from `free` on, in order. */
static void interval(uint64_t start, uint64_t free, unsigned packets, uint8_t queue)
{
	for (unsigned i = 0; i < packets; i++)
		add(0, start + 1000 * i, EVENT_START_XMIT, queue, 256 * i + queue);
	for (unsigned i = 0; i < packets; i++)
		add(1, free + 1000 * i, EVENT_FREE, NO_QUEUE, 256 * i + queue);
}

static void a_ring_that_reaches_its_capacity_is_packed(void)
{
	const struct transmit_table *eth0;

	interval(0, 1000000, 118, 0);
	eth0 = play(118);
	CU_ASSERT_EQUAL(eth0->verdict, VERDICT_PACKED);
	CU_ASSERT_EQUAL(eth0->capacity, 118);
	CU_ASSERT_EQUAL(eth0->in_device_max, 118);
	CU_ASSERT_FALSE(eth0->above_capacity);
	CU_ASSERT_EQUAL(eth0->lap.min, 1000000);
	CU_ASSERT_EQUAL(eth0->lap.p99, 1000000);
	CU_ASSERT_DOUBLE_EQUAL(eth0->in_device_avg, 118.0 * 1000 / 1117, 1e-9);
	/* Full from the last start, at 117 us, to the first free, at 1000 us, of 1117 us. */
	CU_ASSERT_DOUBLE_EQUAL(eth0->full_time_share, 883.0 / 1117, 1e-9);
	CU_ASSERT_EQUAL(eth0->intervals, 1);
	CU_ASSERT_EQUAL(eth0->full_intervals, 1);
	scene_end();
}

static void a_ring_that_stays_below_its_capacity_is_not(void)
{
	const struct transmit_table *eth0;

	interval(0, 1000000, 117, 0);
	eth0 = play(118);
	CU_ASSERT_EQUAL(eth0->verdict, VERDICT_NOT_PACKED);
	CU_ASSERT_EQUAL(eth0->full_time_share, 0);
	CU_ASSERT_EQUAL(eth0->intervals, 1);
	CU_ASSERT_EQUAL(eth0->full_intervals, 0);
	scene_end();
}

static void more_than_the_ring_can_own_is_said_to_be_that(void)
{
	const struct transmit_table *eth0;

	interval(0, 1000000, 120, 0);
	eth0 = play(118);
	CU_ASSERT_EQUAL(eth0->verdict, VERDICT_PACKED);
	CU_ASSERT_TRUE(eth0->above_capacity);
	scene_end();
}

static void the_same_maximum_again_and_again_is_a_plateau(void)
{
	const struct transmit_table *eth0;

	for (uint64_t i = 0; i < 5; i++)
		interval(i * 2000000, i * 2000000 + 1000000, i == 2 ? 100 : 117, 0);
	eth0 = play(0);
	CU_ASSERT_EQUAL(eth0->verdict, VERDICT_PACKED);
	CU_ASSERT_EQUAL(eth0->capacity, 0);
	CU_ASSERT_EQUAL(eth0->intervals, 5);
	CU_ASSERT_EQUAL(eth0->full_intervals, 4);
	scene_end();
}

static void three_intervals_or_small_or_changing_ones_prove_nothing(void)
{
	for (uint64_t i = 0; i < 3; i++)
		interval(i * 2000000, i * 2000000 + 1000000, 117, 0);
	CU_ASSERT_EQUAL(play(0)->verdict, VERDICT_UNKNOWN);
	scene_end();
	for (uint64_t i = 0; i < 10; i++)
		interval(i * 2000000, i * 2000000 + 1000000, 13, 0);
	CU_ASSERT_EQUAL(play(0)->verdict, VERDICT_UNKNOWN);
	scene_end();
	for (uint64_t i = 0; i < 10; i++)
		interval(i * 2000000, i * 2000000 + 1000000, i % 2 ? 117 : 116, 0);
	CU_ASSERT_EQUAL(play(0)->verdict, VERDICT_UNKNOWN);
	scene_end();
}

static void busy_attempts_at_a_full_ring_are_no_excess(void)
{
	const struct transmit_table *eth0;

	for (unsigned i = 0; i < 118; i++) {
		add(0, 1000 * i, EVENT_START_XMIT, 0, 256 * i);
		add(0, 1000 * i + 500, EVENT_XMIT, NO_QUEUE, 256 * i);
	}
	for (unsigned i = 0; i < 20; i++) {
		add(0, 200000 + 1000 * i, EVENT_START_XMIT, 0, 256 * 118);
		add(0, 200500 + 1000 * i, EVENT_XMIT, NO_QUEUE, 256 * 118);
		events[event_count - 1].event.arg = BUSY;
	}
	for (unsigned i = 0; i < 118; i++)
		add(0, 300000 + 1000 * i, EVENT_FREE, NO_QUEUE, 256 * i);
	eth0 = play(118);
	CU_ASSERT_EQUAL(eth0->in_device_max, 118);
	CU_ASSERT_FALSE(eth0->above_capacity);
	CU_ASSERT_EQUAL(eth0->retries, 20);
	CU_ASSERT_DOUBLE_EQUAL(eth0->full_time_share, 183.0 / 417, 1e-9);
	CU_ASSERT_EQUAL(eth0->queues[0].in_device_max, 118);
	CU_ASSERT_EQUAL(eth0->queues[0].retries, 20);
	scene_end();
}

static void a_device_is_as_packed_as_its_fullest_queue(void)
{
	const struct transmit_table *eth0;

	interval(0, 1000000, 20, 1);
	interval(2000000, 3000000, 118, 3);
	eth0 = play(118);
	CU_ASSERT_EQUAL_FATAL(eth0->queue_count, 2);
	CU_ASSERT_EQUAL(eth0->queues[0].verdict, VERDICT_NOT_PACKED);
	CU_ASSERT_EQUAL(eth0->queues[1].verdict, VERDICT_PACKED);
	CU_ASSERT_EQUAL(eth0->verdict, VERDICT_PACKED);
	CU_ASSERT_EQUAL(eth0->capacity, 236); /* of both */
	CU_ASSERT_EQUAL(eth0->full_intervals, 1);
	scene_end();
}

static void a_veth_has_no_ring(void)
{
	struct transmit_options options = scene_options();
	const struct transmit_report *report;

	options.capacity = 1;
	report = PLAY(&options, START(0, 0, VETH0, 1), RECEIVE(10, ETH1, 1));
	CU_ASSERT_EQUAL(scene_device(report, VETH0)->capacity, 0);
	CU_ASSERT_EQUAL(scene_device(report, VETH0)->verdict, VERDICT_UNKNOWN);
	scene_end();
}

static void more_than_one_percent_unresolved_is_unreliable(void)
{
	for (unsigned i = 0; i < 199; i++)
		add(0, 1000 * i, EVENT_START_XMIT, NO_QUEUE, 256 * i);
	add(0, 500000, EVENT_START_XMIT, NO_QUEUE, 0);
	add(0, 600000, EVENT_START_XMIT, NO_QUEUE, 0);
	CU_ASSERT_FALSE(play(0)->unreliable); /* 2 of 201 */
	scene_end();
	for (unsigned i = 0; i < 197; i++)
		add(0, 1000 * i, EVENT_START_XMIT, NO_QUEUE, 256 * i);
	add(0, 500000, EVENT_START_XMIT, NO_QUEUE, 0);
	add(0, 600000, EVENT_START_XMIT, NO_QUEUE, 0);
	CU_ASSERT_TRUE(play(0)->unreliable); /* 2 of 199 */
	scene_end();
}

static void a_stall_at_the_end_goes_on_to_the_last_event_of_any_kind(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 1 * SECONDS, ETH0, 1),
		START(0, 2 * SECONDS, ETH0, 2), FREE(0, 2 * SECONDS, 1), OTHER(9 * SECONDS));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL_FATAL(eth0->stall_count, 1);
	CU_ASSERT_EQUAL(eth0->stalls[0].start, 2 * SECONDS);
	CU_ASSERT_EQUAL(eth0->stalls[0].end, 9 * SECONDS);
	CU_ASSERT_EQUAL(eth0->stalls[0].packets, 1);
	CU_ASSERT_TRUE(eth0->stalls[0].open);
	CU_ASSERT_EQUAL(eth0->last_event, 2 * SECONDS);
	scene_end();
}

static void the_free_that_ends_a_stall_counts_among_its_packets(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START_ON(0, 1 * SECONDS, ETH0, 1), START_ON(1, 2 * SECONDS, ETH0, 2),
			FREE(0, 6 * SECONDS, 2), FREE(0, 6 * SECONDS + 1, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL_FATAL(eth0->stall_count, 1);
	CU_ASSERT_EQUAL(eth0->stalls[0].start, 1 * SECONDS);
	CU_ASSERT_EQUAL(eth0->stalls[0].end, 6 * SECONDS);
	CU_ASSERT_EQUAL(eth0->stalls[0].packets, 2);
	CU_ASSERT_FALSE(eth0->stalls[0].open);
	CU_ASSERT_EQUAL_FATAL(eth0->queues[0].stall_count, 1);
	CU_ASSERT_EQUAL(eth0->queues[0].stalls[0].end, 6 * SECONDS + 1);
	CU_ASSERT_EQUAL_FATAL(eth0->queues[1].stall_count, 1);
	CU_ASSERT_EQUAL(eth0->queues[1].stalls[0].start, 2 * SECONDS);
	scene_end();
}

static void packets_gone_in_a_gap_stall_nothing(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 1 * SECONDS, ETH0, 1),
		LOST(0, 5 * SECONDS), OTHER(50 * SECONDS), START(0, 60 * SECONDS, ETH0, 1),
		FREE(0, 61 * SECONDS, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->stall_count, 0);
	scene_end();
}

/* A lap of 1000, and then one packet that enters at 2000 and stays to the end. */
static const struct transmit_table *with_one_inside(uint64_t end)
{
	const struct transmit_report *report =
		PLAY(NULL, START_ON(1, 0, ETH0, 1), FREE(0, 1000, 1), START_ON(2, 1500, ETH0, 3),
			START_ON(1, 2000, ETH0, 2), FREE(0, 2100, 3), OTHER(end));

	return scene_device(report, ETH0);
}

static void what_is_inside_for_one_and_a_half_laps_is_overdue(void)
{
	const struct transmit_table *eth0 = with_one_inside(3500);

	CU_ASSERT_EQUAL(eth0->oldest, 1500);
	CU_ASSERT_FALSE(eth0->overdue);
	scene_end();
	eth0 = with_one_inside(3501);
	CU_ASSERT_EQUAL(eth0->oldest, 1501);
	CU_ASSERT_TRUE(eth0->overdue);
	CU_ASSERT_FALSE(eth0->overtaken); /* the last free was 100 after it came in */
	CU_ASSERT_EQUAL(eth0->queues[0].oldest, 1501);
	CU_ASSERT_TRUE(eth0->queues[0].overdue);
	CU_ASSERT_EQUAL(eth0->queues[1].oldest, 0); /* it is empty */
	CU_ASSERT_FALSE(eth0->queues[1].overdue);
	scene_end();
}

static void a_packet_that_many_have_overtaken_lacks_its_free(void)
{
	const struct transmit_table *eth0 = scene_device(
		PLAY(NULL, START(0, 0, ETH0, 1), FREE(0, 1000, 1), START(0, 2000, ETH0, 2),
			START(0, 3000, ETH0, 3), FREE(0, 3501, 3), OTHER(9000)),
		ETH0);

	CU_ASSERT_EQUAL(eth0->oldest, 7000);
	CU_ASSERT_TRUE(eth0->overdue);
	CU_ASSERT_TRUE(eth0->overtaken);
	scene_end();
}

static void without_a_lap_nothing_is_overdue(void)
{
	const struct transmit_table *eth0 =
		scene_device(PLAY(NULL, START(0, 0, ETH0, 1), OTHER(SECONDS)), ETH0);

	CU_ASSERT_EQUAL(eth0->oldest, SECONDS);
	CU_ASSERT_FALSE(eth0->overdue);
	scene_end();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case packed[] = {
	CASE(a_ring_that_reaches_its_capacity_is_packed),
	CASE(a_ring_that_stays_below_its_capacity_is_not),
	CASE(more_than_the_ring_can_own_is_said_to_be_that),
	CASE(the_same_maximum_again_and_again_is_a_plateau),
	CASE(three_intervals_or_small_or_changing_ones_prove_nothing),
	CASE(busy_attempts_at_a_full_ring_are_no_excess),
	CASE(a_device_is_as_packed_as_its_fullest_queue),
	CASE(a_veth_has_no_ring),
	CASE(more_than_one_percent_unresolved_is_unreliable),
	{ 0 },
};

static const struct test_case stalls[] = {
	CASE(a_stall_at_the_end_goes_on_to_the_last_event_of_any_kind),
	CASE(the_free_that_ends_a_stall_counts_among_its_packets),
	CASE(packets_gone_in_a_gap_stall_nothing),
	{ 0 },
};

static const struct test_case inside[] = {
	CASE(what_is_inside_for_one_and_a_half_laps_is_overdue),
	CASE(a_packet_that_many_have_overtaken_lacks_its_free),
	CASE(without_a_lap_nothing_is_overdue),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "packed", packed, NULL, NULL },
		{ "stalls", stalls, NULL, NULL },
		{ "inside", inside, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
