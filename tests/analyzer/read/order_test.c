/* SPDX-License-Identifier: BSD-3-Clause */
#include "order.h"

#include "harness.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The packet number tells in which order the events went in. */
static void add(struct order *order, uint64_t time, uint64_t number)
{
	struct event event = { .time = time, .id = EVENT_FREE, .packet = number };

	CU_ASSERT_EQUAL_FATAL(order_add(order, (unsigned)number % 7, &event), 0);
}

static struct order *create(size_t records)
{
	struct order *order;

	CU_ASSERT_EQUAL_FATAL(order_create(&order, records), 0);
	return order;
}

/* All must come out: by time, and equal times by number. */
static void expect_sorted(struct order *order, size_t count)
{
	uint64_t time = 0, number = 0;

	for (size_t i = 0; i < count; i++) {
		struct event event;
		unsigned cpu;

		CU_ASSERT_EQUAL_FATAL(order_next(order, &cpu, &event), 1);
		CU_ASSERT_EQUAL_FATAL(cpu, event.packet % 7);
		if (i)
			CU_ASSERT_FATAL(
				event.time > time || (event.time == time && event.packet > number));
		time = event.time;
		number = event.packet;
	}
}

static void expect_end(struct order *order)
{
	struct event event;
	unsigned cpu;

	CU_ASSERT_EQUAL(order_next(order, &cpu, &event), 0);
	CU_ASSERT_EQUAL(order_next(order, &cpu, &event), 0);
	order_destroy(order);
}

static void nothing_in_nothing_out(void)
{
	expect_end(create(16));
	order_destroy(create(16));
	order_destroy(NULL);
}

static void equal_times_keep_their_order(void)
{
	struct order *order = create(100);

	for (uint64_t i = 0; i < 100; i++)
		add(order, i % 2 ? 5 : 9, i);
	expect_sorted(order, 100);
	expect_end(order);
}

/* Blocks of CPUs, as trace files have them. */
static void blocks_are_merged(void)
{
	struct order *order = create(100);

	for (uint64_t i = 0; i < 90; i++)
		add(order, i % 30, i);
	expect_sorted(order, 90);
	expect_end(order);
}

static void the_largest_time_is_a_time(void)
{
	struct order *order = create(16);

	for (uint64_t i = 0; i < 40; i++)
		add(order, i % 2 ? UINT64_MAX : 0, i);
	expect_sorted(order, 40);
	expect_end(order);
}

/* All orders in memory and on disk must come out alike: sorted, reversed, few values, random. */
static void more_than_fits_is_merged_from_disk(void)
{
	static const size_t counts[] = { 15, 16, 17, 32, 33, 100, 1000, 20000 };

	srand(1);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (int kind = 0; kind < 4; kind++) {
			struct order *order = create(16);
			size_t count = counts[c];

			for (uint64_t i = 0; i < count; i++)
				add(order,
					kind == 0   ? i
					: kind == 1 ? count - i
					: kind == 2 ? i % 3
						    : (uint64_t)rand(),
					i);
			expect_sorted(order, count);
			expect_end(order);
		}
	}
}

/* Left unread, or half read, nothing stays behind (the harness looks for leaks). */
static void it_can_be_left_at_any_point(void)
{
	for (uint64_t taken = 0; taken < 60; taken += 15) {
		struct order *order = create(16);

		for (uint64_t i = 0; i < 60; i++)
			add(order, 100 - i, i);
		if (taken)
			expect_sorted(order, taken);
		order_destroy(order);
	}
}

static void a_folder_that_is_not_there_is_an_error(void)
{
	struct event event = { 0 };
	struct order *order = create(16);
	const char *folder = getenv("TMPDIR");
	char *before = folder ? strdup(folder) : NULL;
	int error = 0;

	test_leaks_allow(); /* setenv keeps its copies */
	setenv("TMPDIR", "/nowhere", 1);
	for (int i = 0; i < 40 && !error; i++)
		error = order_add(order, 0, &event);
	CU_ASSERT_EQUAL(error, -ENOENT);
	order_destroy(order);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
}

static const struct test_case in_memory[] = {
	{ "nothing in, nothing out", nothing_in_nothing_out },
	{ "equal times keep their order", equal_times_keep_their_order },
	{ "blocks are merged", blocks_are_merged },
	{ "the largest time is a time", the_largest_time_is_a_time },
	{ 0 },
};

static const struct test_case on_disk[] = {
	{ "more than fits is merged from disk", more_than_fits_is_merged_from_disk },
	{ "it can be left at any point", it_can_be_left_at_any_point },
	{ "a folder that isn't there is an error", a_folder_that_is_not_there_is_an_error },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "in memory", in_memory, NULL, NULL },
		{ "on disk", on_disk, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
