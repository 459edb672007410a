/* SPDX-License-Identifier: BSD-3-Clause */
#include "runs.h"

#include "harness.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define MEMORY 4096

static struct runs *create(size_t events)
{
	struct runs *runs;

	CU_ASSERT_EQUAL_FATAL(runs_create(&runs, events), 0);
	return runs;
}

static int try_add(struct runs *runs, uint64_t time, uint64_t number)
{
	struct event *event;
	int error = runs_place(runs, time, &event);

	if (error)
		return error;
	*event = (struct event){ .time = time, .id = EVENT_FREE, .packet = number };
	return runs_commit(runs, (unsigned)number % 7);
}

/* The packet number tells in which order the events went in. */
static void add(struct runs *runs, uint64_t time, uint64_t number)
{
	CU_ASSERT_EQUAL_FATAL(try_add(runs, time, number), 0);
}

/* All that comes out is in order, equal times by number. Returns how many did. */
static size_t take_sorted(struct runs *runs, uint64_t *time)
{
	struct cpu_event *at, *end;
	uint64_t number = 0;
	size_t count = 0;

	while (runs_next(runs, &at, &end) == 1) {
		CU_ASSERT_FATAL(at < end);
		for (; at < end; at++, count++) {
			CU_ASSERT_EQUAL_FATAL(at->cpu, at->event.packet % 7);
			CU_ASSERT_FATAL(at->event.time > *time || !count ||
					(at->event.time == *time && at->event.packet > number));
			*time = at->event.time;
			number = at->event.packet;
		}
	}
	return count;
}

static void nothing_in_nothing_out(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0;

	CU_ASSERT_EQUAL(take_sorted(runs, &time), 0);
	runs_release(runs, 5);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 0);
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 0);
	runs_destroy(runs);
	runs_destroy(NULL);
}

/* 10, 11, …, 19 of one CPU, then of another, and so on: rounds of two CPUs. */
static void what_is_released_comes_out_before_more_goes_in(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0, number = 0;

	for (uint64_t round = 0; round < 100; round++) {
		for (uint64_t cpu = 0; cpu < 2; cpu++) {
			for (uint64_t i = 0; i < 10; i++)
				add(runs, 10 * round + i, number++);
		}
		runs_release(runs, 10 * round);
		/* the round before, less its first two, which came out then; and two of this one */
		CU_ASSERT_EQUAL(take_sorted(runs, &time), round ? 20 : 2);
	}
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 18);
	runs_destroy(runs);
}

static void equal_times_keep_their_order(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0;

	for (uint64_t i = 0; i < 1000; i++)
		add(runs, i % 3 ? 5 : 5 + i % 2, i);
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 1000);
	runs_destroy(runs);
}

static void what_is_older_than_what_came_out_is_refused(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0;

	add(runs, 10, 0);
	add(runs, 20, 1);
	add(runs, 30, 2);
	runs_release(runs, 25);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 2);
	CU_ASSERT_EQUAL(try_add(runs, 19, 3), -ESTALE);
	/* but not what is older than was said and could still be taken */
	add(runs, 20, 4);
	add(runs, 22, 5);
	add(runs, 31, 6);
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 4);
	CU_ASSERT_EQUAL(time, 31);
	runs_destroy(runs);
}

/* A place that isn't filled is the next one's. */
static void places_can_be_forgotten(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0, number = 0;

	for (uint64_t i = 0; i < 3000; i++) {
		struct event *event;

		CU_ASSERT_EQUAL_FATAL(runs_place(runs, i * 7919 % 1000, &event), 0);
		if (i % 3 == 0)
			add(runs, i * 7919 % 1000, number++);
	}
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 1000);
	runs_destroy(runs);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Any order, with few and many runs, with memory for all and for little. */
static void any_order_is_sorted(void)
{
	static const struct {
		size_t memory;
		uint64_t count, spread;
	} cases[] = { { MEMORY, 4000, 1 }, { MEMORY, 4000, 40 }, { MEMORY, 4000, 1000000 },
		{ 256, 20000, 3 }, { 256, 20000, 1000000 } };

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct runs *runs = create(cases[c].memory);
		uint64_t state = 1, time = 0;

		for (uint64_t i = 0; i < cases[c].count; i++)
			add(runs, i / 4 + next_random(&state) % cases[c].spread, i);
		runs_finish(runs);
		CU_ASSERT_EQUAL(take_sorted(runs, &time), cases[c].count);
		runs_destroy(runs);
	}
}

/* The last is the earliest: as many runs as events, which is too many. */
static void backward_order_is_sorted(void)
{
	struct runs *runs = create(MEMORY);
	uint64_t time = 0;

	for (uint64_t i = 0; i < 3000; i++)
		add(runs, 3000 - i, i);
	runs_release(runs, 1500); /* means nothing any more: it comes out at the end */
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 0);
	add(runs, 1, 3000);
	runs_finish(runs);
	CU_ASSERT_EQUAL(take_sorted(runs, &time), 3001);
	runs_destroy(runs);
}

/* Rounds as recorders mark them, at random: nothing is lost, and little waits. */
static void rounds_are_sorted(size_t memory)
{
	struct runs *runs = create(memory);
	uint64_t state = 7, time = 0, begin = 0, number = 0;
	size_t out = 0;

	for (int round = 0; round < 500; round++) {
		uint64_t length = 1 + next_random(&state) % 50, cpus = 1 + next_random(&state) % 9;
		uint64_t latest = begin;

		for (uint64_t cpu = 0; cpu < cpus; cpu++) {
			for (uint64_t t = begin; t < begin + length;
				t += next_random(&state) % 3, number++) {
				add(runs, t, number);
				latest = t > latest ? t : latest;
			}
		}
		runs_release(runs, begin);
		out += take_sorted(runs, &time);
		CU_ASSERT_FATAL(time <= begin);
		begin = latest;
	}
	CU_ASSERT(number - out < 9 * 50 * 4);
	runs_finish(runs);
	CU_ASSERT_EQUAL(out + take_sorted(runs, &time), number);
	runs_destroy(runs);
}

static void rounds_at_random_are_sorted(void)
{
	rounds_are_sorted(MEMORY);
}

/* Where a round doesn't fit, it takes the long way; those that follow don't. */
static void rounds_that_do_not_fit_are_sorted(void)
{
	rounds_are_sorted(256);
}

static void what_waits_is_freed(void)
{
	struct runs *runs = create(MEMORY);

	for (uint64_t i = 0; i < 3000; i++)
		add(runs, i % 100 * 10 + i / 100, i);
	runs_release(runs, 500);
	runs_destroy(runs);
}

static const struct test_case cases[] = {
	{ "nothing in, nothing out", nothing_in_nothing_out },
	{ "what is released comes out before more goes in",
		what_is_released_comes_out_before_more_goes_in },
	{ "equal times keep their order", equal_times_keep_their_order },
	{ "what is older than what came out is refused",
		what_is_older_than_what_came_out_is_refused },
	{ "places can be forgotten", places_can_be_forgotten },
	{ "any order is sorted", any_order_is_sorted },
	{ "backward order is sorted", backward_order_is_sorted },
	{ "rounds at random are sorted", rounds_at_random_are_sorted },
	{ "rounds that do not fit are sorted", rounds_that_do_not_fit_are_sorted },
	{ "what waits is freed", what_waits_is_freed },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "runs", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
