/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include "harness.h"
#include <stdlib.h>

static void close_passage(struct packets *packets, struct passage *passage)
{
	packets_move(packets, passage, PASSAGE_CLOSED);
	packets_release(packets, passage);
}

static void addresses_are_found_until_they_close(void)
{
	struct packets packets = { 0 };
	struct passage *zero, *other;

	CU_ASSERT_PTR_NULL(packets_find(&packets, 0));
	zero = packets_add(&packets, 0, PASSAGE_OPEN);
	CU_ASSERT_PTR_NOT_NULL_FATAL(zero);
	other = packets_add(&packets, 2304, PASSAGE_OPEN);
	CU_ASSERT_PTR_NOT_NULL_FATAL(other);
	CU_ASSERT_PTR_EQUAL(packets_find(&packets, 0), zero);
	CU_ASSERT_PTR_EQUAL(packets_find(&packets, 2304), other);
	CU_ASSERT_PTR_NULL(packets_find(&packets, 4608));
	close_passage(&packets, zero);
	CU_ASSERT_PTR_NULL(packets_find(&packets, 0));
	CU_ASSERT_PTR_EQUAL(packets_find(&packets, 2304), other);
	CU_ASSERT_EQUAL(packets.open.count, 1);
	packets_clear(&packets);
}

static void a_packet_has_a_passage_for_each_device(void)
{
	struct packets packets = { 0 };
	struct passage *first = packets_add(&packets, 64, PASSAGE_OPEN);
	struct passage *second = packets_add(&packets, 64, PASSAGE_QUEUED);
	struct passage *third = packets_add(&packets, 64, PASSAGE_OPEN);

	CU_ASSERT_PTR_EQUAL(packets_find(&packets, 64), third);
	CU_ASSERT_PTR_EQUAL(third->other, second);
	CU_ASSERT_PTR_EQUAL(second->other, first);
	CU_ASSERT_PTR_NULL(first->other);
	close_passage(&packets, second);
	CU_ASSERT_PTR_EQUAL(third->other, first);
	close_passage(&packets, third);
	CU_ASSERT_PTR_EQUAL(packets_find(&packets, 64), first);
	packets_clear(&packets);
}

/* Freed slots must not cut off what stands behind them, whatever the order. */
static void removals_leave_all_others_in_place(void)
{
	enum { COUNT = 3000 };
	struct passage **passages = calloc(COUNT, sizeof(*passages));
	struct packets packets = { 0 };
	uint64_t random = 7;

	CU_ASSERT_PTR_NOT_NULL_FATAL(passages);
	for (int step = 0; step < 100000; step++) {
		uint64_t i;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		i = (random >> 33) % COUNT;
		if (passages[i]) {
			CU_ASSERT_PTR_EQUAL_FATAL(packets_find(&packets, i * 2304), passages[i]);
			close_passage(&packets, passages[i]);
			passages[i] = NULL;
		} else {
			CU_ASSERT_PTR_NULL_FATAL(packets_find(&packets, i * 2304));
			passages[i] = packets_add(&packets, i * 2304, PASSAGE_OPEN);
		}
	}
	for (uint64_t i = 0; i < COUNT; i++)
		CU_ASSERT_PTR_EQUAL(packets_find(&packets, i * 2304), passages[i]);
	packets_clear(&packets);
	free(passages);
}

static void what_is_remembered_is_bounded(void)
{
	struct packets packets = { 0 };

	for (uint64_t i = 0; i < PACKETS_REMEMBERED + 10; i++)
		CU_ASSERT_PTR_NOT_NULL_FATAL(packets_add(&packets, i * 256, PASSAGE_QUEUED));
	CU_ASSERT_EQUAL(packets.remembered.count, PACKETS_REMEMBERED);
	CU_ASSERT_PTR_NULL(packets_find(&packets, 9 * 256));
	CU_ASSERT_PTR_NOT_NULL(packets_find(&packets, 10 * 256));
	packets_clear(&packets);
}

static void the_open_ones_are_listed_by_their_start(void)
{
	struct packets packets = { 0 };
	struct passage *first = packets_add(&packets, 1, PASSAGE_QUEUED);
	struct passage *second = packets_add(&packets, 2, PASSAGE_OPEN);

	packets_move(&packets, first, PASSAGE_OPEN);
	CU_ASSERT_PTR_EQUAL(packets.open.first, second);
	CU_ASSERT_PTR_EQUAL(packets.open.last, first);
	CU_ASSERT_EQUAL(packets.remembered.count, 0);
	packets_clear(&packets);
}

static const struct test_case cases[] = {
	{ "addresses are found until they close", addresses_are_found_until_they_close },
	{ "a packet has a passage for each device", a_packet_has_a_passage_for_each_device },
	{ "removals leave all others in place", removals_leave_all_others_in_place },
	{ "what is remembered is bounded", what_is_remembered_is_bounded },
	{ "the open ones are listed by their start", the_open_ones_are_listed_by_their_start },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "packets", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
