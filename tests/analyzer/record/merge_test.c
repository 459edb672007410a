/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include "harness.h"
#include <stdlib.h>

/* The packet number tells which event it is. */
static void add(struct merge *merge, unsigned lane, uint64_t time, uint64_t number)
{
	struct event event = { .time = time, .id = EVENT_FREE, .packet = number };

	CU_ASSERT_EQUAL_FATAL(merge_add(merge, lane, &event), 0);
}

static struct merge *create(unsigned lanes)
{
	struct merge *merge;

	CU_ASSERT_EQUAL_FATAL(merge_create(&merge, lanes), 0);
	return merge;
}

static void expect(struct merge *merge, unsigned lane, uint64_t time, uint64_t number)
{
	struct event event = { 0 };
	unsigned from = UINT32_MAX;

	CU_ASSERT_TRUE_FATAL(merge_next(merge, &from, &event));
	CU_ASSERT_EQUAL(from, lane);
	CU_ASSERT_EQUAL(event.time, time);
	CU_ASSERT_EQUAL(event.packet, number);
}

static void expect_none(struct merge *merge)
{
	struct event event;
	unsigned lane;

	CU_ASSERT_FALSE(merge_next(merge, &lane, &event));
}

static void nothing_in_nothing_out(void)
{
	struct merge *merge = create(3);

	expect_none(merge);
	merge_end(merge);
	expect_none(merge);
	merge_destroy(merge);
	merge_destroy(NULL);
}

/* CPU 1 hasn't said anything: it may have an earlier event. */
static void an_event_waits_for_all_cpus(void)
{
	struct merge *merge = create(2);

	add(merge, 0, 10, 1);
	add(merge, 0, 20, 2);
	expect_none(merge);
	add(merge, 1, 15, 3);
	expect(merge, 0, 10, 1);
	expect_none(merge); /* CPU 1 may have another one of 15, and CPU 0 of 20 */
	merge_promise(merge, 1, 30);
	expect(merge, 1, 15, 3);
	expect_none(merge);
	add(merge, 0, 31, 4);
	expect(merge, 0, 20, 2);
	expect_none(merge);
	merge_end(merge);
	expect(merge, 0, 31, 4);
	expect_none(merge);
	merge_destroy(merge);
}

/* An idle CPU's promises let the others' events out. */
static void an_idle_cpu_promises(void)
{
	struct merge *merge = create(3);

	add(merge, 1, 100, 1);
	merge_promise(merge, 0, 200);
	merge_promise(merge, 2, 100);
	expect_none(merge); /* CPU 2 may have one of 100, CPU 1 too */
	merge_promise(merge, 2, 101);
	merge_promise(merge, 1, 101);
	expect(merge, 1, 100, 1);
	merge_promise(merge, 2, 50); /* means nothing */
	add(merge, 1, 101, 2);
	merge_promise(merge, 1, 150);
	merge_promise(merge, 2, 102);
	expect(merge, 1, 101, 2);
	merge_destroy(merge);
}

static void equal_times_go_by_cpu(void)
{
	struct merge *merge = create(3);

	add(merge, 2, 7, 1);
	add(merge, 2, 7, 2);
	add(merge, 1, 7, 3);
	add(merge, 0, 8, 4);
	for (unsigned lane = 0; lane < 3; lane++)
		merge_promise(merge, lane, 9);
	expect(merge, 1, 7, 3);
	expect(merge, 2, 7, 1);
	expect(merge, 2, 7, 2);
	expect(merge, 0, 8, 4);
	merge_destroy(merge);
}

/* A clock that went back: nothing comes out before what has come out already. */
static void an_event_that_comes_late_is_moved_and_counted(void)
{
	struct merge *merge = create(2);

	add(merge, 0, 50, 1);
	merge_promise(merge, 1, 60);
	merge_promise(merge, 0, 51);
	expect(merge, 0, 50, 1);
	add(merge, 1, 40, 2);
	CU_ASSERT_EQUAL(merge_late(merge), 1);
	add(merge, 0, 51, 3); /* as promised */
	CU_ASSERT_EQUAL(merge_late(merge), 1);
	merge_end(merge);
	expect(merge, 0, 51, 3);
	expect(merge, 1, 60, 2);
	merge_destroy(merge);
}

/*
 * 5 CPUs, each with its own step: every event comes out once, in order, and what waits is counted.
 * 20,000 events a CPU make the rings grow while they are used.
 */
static void rings_grow_and_keep_everything(void)
{
	enum { LANES = 5, EACH = 20000 };
	struct merge *merge = create(LANES);
	uint64_t added[LANES] = { 0 }, taken[LANES] = { 0 }, before = 0, all = 0;
	struct event event;
	unsigned lane;

	for (unsigned round = 0; round < EACH; round++) {
		for (unsigned i = 0; i < LANES; i++, added[i - 1]++)
			add(merge, i, 1 + added[i] * (i + 1), added[i]);
		if (round % 1000)
			continue;
		while (merge_next(merge, &lane, &event)) {
			CU_ASSERT_FATAL(event.time >= before);
			CU_ASSERT_EQUAL_FATAL(event.packet, taken[lane]);
			before = event.time;
			taken[lane]++;
			all++;
		}
		for (unsigned i = 0; i < LANES; i++)
			CU_ASSERT_EQUAL(merge_waiting(merge, i), added[i] - taken[i]);
		/* CPU 0, with the smallest step, decides: its own last event waits */
		CU_ASSERT_EQUAL(merge_waiting(merge, 0), round ? 1 : added[0]);
	}
	merge_end(merge);
	while (merge_next(merge, &lane, &event)) {
		CU_ASSERT_FATAL(event.time >= before);
		before = event.time;
		all++;
	}
	CU_ASSERT_EQUAL(all, LANES * EACH);
	CU_ASSERT_EQUAL(before, 1 + (EACH - 1) * LANES);
	CU_ASSERT_EQUAL(merge_late(merge), 0);
	merge_destroy(merge);
}

static const struct test_case cases[] = {
	{ "nothing in, nothing out", nothing_in_nothing_out },
	{ "an event waits until no CPU can have an earlier one", an_event_waits_for_all_cpus },
	{ "an idle CPU promises", an_idle_cpu_promises },
	{ "equal times go by CPU", equal_times_go_by_cpu },
	{ "an event that comes late is moved and counted",
		an_event_that_comes_late_is_moved_and_counted },
	{ "rings grow and keep everything", rings_grow_and_keep_everything },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "merge", cases, NULL, NULL },
		{ NULL, NULL, NULL, NULL } };

	return test_main(argc, argv, suites);
}
