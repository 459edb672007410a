/* SPDX-License-Identifier: BSD-3-Clause */
#include "occupancy.h"

#include "harness.h"

#define SECONDS UINT64_C(1000000000)

static void change(struct occupancy *occupancy, uint64_t time, enum change_kind kind, int times)
{
	while (times--)
		CU_ASSERT_EQUAL(occupancy_change(occupancy, time, kind), 0);
}

static void time_is_weighed_by_level(void)
{
	struct occupancy occupancy = { 0 };

	/* 1 from 10 to 20, 2 to 50, 1 to 60, 0 to 100, 1 to the last event at 130. */
	change(&occupancy, 10, CHANGE_START, 1);
	change(&occupancy, 20, CHANGE_START, 1);
	change(&occupancy, 50, CHANGE_FREE, 1);
	change(&occupancy, 60, CHANGE_FREE, 1);
	change(&occupancy, 100, CHANGE_START, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 130, 500), 0);
	CU_ASSERT_EQUAL(occupancy.max, 2);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 10 + 30 + 10 + 30);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 2), 30);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 3), 0);
	CU_ASSERT_EQUAL(occupancy.stall_count, 0);
	occupancy_clear(&occupancy);
}

static void an_interval_ends_when_half_is_cleaned(void)
{
	struct occupancy occupancy = { 0 };

	for (int i = 0; i < 5; i++) {
		change(&occupancy, 10, CHANGE_START, 118);
		change(&occupancy, 20, CHANGE_FREE, 58);
		CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 0), (uint64_t)i);
		change(&occupancy, 20, CHANGE_FREE, 1);
		CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 0), (uint64_t)i + 1);
		change(&occupancy, 20, CHANGE_FREE, 59);
		CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 0), (uint64_t)i + 1);
	}
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 118), 5);
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 119), 0);
	occupancy_clear(&occupancy);
}

static void refilling_while_cleaning_makes_no_interval(void)
{
	struct occupancy occupancy = { 0 };

	change(&occupancy, 10, CHANGE_START, 100);
	change(&occupancy, 20, CHANGE_FREE, 50);
	for (int i = 0; i < 40; i++) { /* one in, two out */
		change(&occupancy, 20, CHANGE_START, 1);
		change(&occupancy, 20, CHANGE_FREE, 2);
	}
	CU_ASSERT_EQUAL(occupancy.now, 10);
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 0), 1);
	change(&occupancy, 30, CHANGE_START, 90);
	change(&occupancy, 40, CHANGE_FREE, 100);
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 100), 2);
	occupancy_clear(&occupancy);
}

static void a_stall_is_from_the_last_free_to_the_next(void)
{
	struct occupancy occupancy = { .stall_cycles = 2 * SECONDS };

	change(&occupancy, 1 * SECONDS, CHANGE_START, 3);
	change(&occupancy, 2 * SECONDS, CHANGE_FREE, 1);
	change(&occupancy, 3 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 4 * SECONDS, CHANGE_FREE, 1);     /* 2 s: a stall */
	change(&occupancy, 6 * SECONDS - 1, CHANGE_FREE, 2); /* a nanosecond less: none */
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 6 * SECONDS, 60 * SECONDS), 0);
	CU_ASSERT_EQUAL_FATAL(occupancy.stall_count, 1);
	CU_ASSERT_EQUAL(occupancy.stalls[0].start, 2 * SECONDS);
	CU_ASSERT_EQUAL(occupancy.stalls[0].end, 4 * SECONDS);
	CU_ASSERT_EQUAL(occupancy.stalls[0].packets, 3); /* the freed one included */
	CU_ASSERT_FALSE(occupancy.stalls[0].open);
	occupancy_clear(&occupancy);
}

static void a_stall_may_last_to_the_end_of_the_trace(void)
{
	struct occupancy occupancy = { .stall_cycles = 2 * SECONDS };

	/* It had been empty: the stall begins with the oldest packet's start. */
	change(&occupancy, 1 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 1 * SECONDS, CHANGE_FREE, 1);
	change(&occupancy, 9 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 10 * SECONDS, CHANGE_START, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 10 * SECONDS, 11 * SECONDS), 0);
	CU_ASSERT_EQUAL_FATAL(occupancy.stall_count, 1);
	CU_ASSERT_EQUAL(occupancy.stalls[0].start, 9 * SECONDS);
	CU_ASSERT_EQUAL(occupancy.stalls[0].end, 11 * SECONDS);
	CU_ASSERT_EQUAL(occupancy.stalls[0].packets, 2);
	CU_ASSERT_TRUE(occupancy.stalls[0].open);
	occupancy_clear(&occupancy);
}

static void idle_devices_and_slow_ones_do_not_stall(void)
{
	struct occupancy occupancy = { .stall_cycles = 2 * SECONDS };

	change(&occupancy, 1 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 1 * SECONDS, CHANGE_FREE, 1); /* then idle for an hour */
	change(&occupancy, 3600 * SECONDS, CHANGE_START, 100);
	for (uint64_t i = 1; i <= 100; i++) /* one a second, however many wait */
		change(&occupancy, (3600 + i) * SECONDS, CHANGE_FREE, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 3700 * SECONDS, 9000 * SECONDS), 0);
	CU_ASSERT_EQUAL(occupancy.stall_count, 0);
	occupancy_clear(&occupancy);
}

static void closing_unseen_is_no_progress(void)
{
	struct occupancy occupancy = { .stall_cycles = 2 * SECONDS };

	change(&occupancy, 0, CHANGE_START, 2);
	change(&occupancy, 5 * SECONDS, CHANGE_CLOSE, 1);
	change(&occupancy, 6 * SECONDS, CHANGE_FREE, 1);
	CU_ASSERT_EQUAL_FATAL(occupancy.stall_count, 1); /* 0 to 6 s */
	CU_ASSERT_EQUAL(occupancy.stalls[0].start, 0);
	CU_ASSERT_EQUAL(occupancy.stalls[0].packets, 1);
	occupancy_clear(&occupancy);
}

static void time_after_the_last_event_does_not_count(void)
{
	struct occupancy occupancy = { 0 };

	/* The device's last event is at 30; its packets are closed at 50 and 70. */
	change(&occupancy, 0, CHANGE_START, 2);
	change(&occupancy, 50, CHANGE_CLOSE, 1);
	change(&occupancy, 70, CHANGE_CLOSE, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 30, 100), 0);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 2), 30);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 30);
	occupancy_clear(&occupancy);

	/* The same, but it is at 60. */
	change(&occupancy, 0, CHANGE_START, 2);
	change(&occupancy, 50, CHANGE_CLOSE, 1);
	change(&occupancy, 70, CHANGE_CLOSE, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 60, 100), 0);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 2), 50);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 60);
	occupancy_clear(&occupancy);

	/* And with a start at 90, after which all of it has been inside. */
	change(&occupancy, 0, CHANGE_START, 2);
	change(&occupancy, 50, CHANGE_CLOSE, 1);
	change(&occupancy, 70, CHANGE_CLOSE, 1);
	change(&occupancy, 90, CHANGE_START, 1);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 95, 100), 0);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 2), 50);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 75);
	occupancy_clear(&occupancy);
}

static void a_replaced_packet_leaves_the_device_in_use(void)
{
	struct occupancy occupancy = { .stall_cycles = 2 * SECONDS };

	change(&occupancy, 1 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 4 * SECONDS, CHANGE_REPLACED, 1);
	change(&occupancy, 4 * SECONDS, CHANGE_START, 1);
	change(&occupancy, 5 * SECONDS, CHANGE_FREE, 1);
	CU_ASSERT_EQUAL(occupancy.max, 1);
	CU_ASSERT_EQUAL_FATAL(occupancy.stall_count, 1);
	CU_ASSERT_EQUAL(occupancy.stalls[0].start, 1 * SECONDS);
	CU_ASSERT_EQUAL(occupancy.stalls[0].end, 5 * SECONDS);
	occupancy_clear(&occupancy);
}

/* More than any ring owns: 100000 in, one a cycle, and out again. */
static void high_levels_share_memory(void)
{
	struct occupancy occupancy = { 0 };
	uint64_t time = 0;

	for (int i = 0; i < 100000; i++)
		change(&occupancy, time++, CHANGE_START, 1);
	for (int i = 0; i < 100000; i++)
		change(&occupancy, time++, CHANGE_FREE, 1);
	CU_ASSERT_EQUAL(occupancy.max, 100000);
	/* once on each level up and once down, but once only at the top */
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 2 * 99999 + 1);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 65535), 2 * (100000 - 65535) + 1);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 65536 + 64), 2 * (100000 - 65600) + 1);
	/* counts as 65536 + 64, the lowest of those that it shares its place with */
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 65536 + 127), 2 * (100000 - 65600) + 1);
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 100000), 1);
	CU_ASSERT_EQUAL(occupancy_intervals_from(&occupancy, 100064), 0);
	CU_ASSERT(occupancy.level_room <= 2 * LEVELS_EXACT);
	occupancy_clear(&occupancy);
}

static void the_time_of_high_levels_is_cut_at_the_last_event(void)
{
	struct occupancy occupancy = { 0 };

	/* two unseen closes after the last event, at 30: only 5 of the 10 at 70000 are before it */
	change(&occupancy, 10, CHANGE_START, 70000);
	change(&occupancy, 20, CHANGE_FREE, 1);
	change(&occupancy, 30, CHANGE_START, 1);
	change(&occupancy, 40, CHANGE_CLOSE, 1);
	change(&occupancy, 50, CHANGE_CLOSE, 69999);
	CU_ASSERT_EQUAL(occupancy_finish(&occupancy, 35, 60), 0);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 1), 25);
	CU_ASSERT_EQUAL(occupancy_time_from(&occupancy, 70000), 25);
	occupancy_clear(&occupancy);
}

static const struct test_case cases[] = {
	{ "time is weighed by level", time_is_weighed_by_level },
	{ "an interval ends when half is cleaned", an_interval_ends_when_half_is_cleaned },
	{ "refilling while cleaning makes no interval",
		refilling_while_cleaning_makes_no_interval },
	{ "a stall is from the last free to the next", a_stall_is_from_the_last_free_to_the_next },
	{ "a stall may last to the end of the trace", a_stall_may_last_to_the_end_of_the_trace },
	{ "idle devices and slow ones don't stall", idle_devices_and_slow_ones_do_not_stall },
	{ "closing unseen is no progress", closing_unseen_is_no_progress },
	{ "time after the last event doesn't count", time_after_the_last_event_does_not_count },
	{ "high levels share memory", high_levels_share_memory },
	{ "the time of high levels is cut at the last event",
		the_time_of_high_levels_is_cut_at_the_last_event },
	{ "a replaced packet leaves the device in use",
		a_replaced_packet_leaves_the_device_in_use },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "occupancy", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
