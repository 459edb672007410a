/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

#include "harness.h"
#include <stdlib.h>

static void small_values_are_exact(void)
{
	struct histogram histogram = { 0 };

	for (uint64_t value = 1; value <= 200; value++)
		CU_ASSERT_EQUAL(histogram_add(&histogram, value), 0);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.5), 100);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.99), 198);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.999), 200); /* rank 199.8: 200 */
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0), 1);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 1), 200);
	CU_ASSERT_DOUBLE_EQUAL(histogram_spread(&histogram).avg, 100.5, 1e-12);
	histogram_clear(&histogram);
}

static void equal_values_make_every_percentile_that_value(void)
{
	struct histogram histogram = { 0 };
	struct spread spread;

	for (int i = 0; i < 118; i++)
		histogram_add(&histogram, 1000000);
	spread = histogram_spread(&histogram);
	CU_ASSERT_EQUAL(spread.min, 1000000);
	CU_ASSERT_EQUAL(spread.p50, 1000000);
	CU_ASSERT_EQUAL(spread.p99, 1000000);
	CU_ASSERT_EQUAL(spread.p999, 1000000);
	CU_ASSERT_EQUAL(spread.max, 1000000);
	histogram_clear(&histogram);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Against the sorted values, over all magnitudes that 64 bits have. */
static void percentiles_are_right_to_one_percent(void)
{
	static const double shares[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999 };
	enum { COUNT = 5000 };
	uint64_t *values = calloc(COUNT, sizeof(*values)), random = 1;

	CU_ASSERT_PTR_NOT_NULL_FATAL(values);
	for (unsigned magnitude = 8; magnitude <= 64; magnitude += 4) {
		struct histogram histogram = { 0 };

		for (int i = 0; i < COUNT; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			values[i] = random >> (64 - magnitude) >> (i % 5);
			CU_ASSERT_EQUAL(histogram_add(&histogram, values[i]), 0);
		}
		qsort(values, COUNT, sizeof(*values), by_value);
		for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
			double exact = (double)values[(int)(shares[i] * COUNT + 0.5) - 1];
			double found = (double)histogram_percentile(&histogram, shares[i]);

			CU_ASSERT(found >= exact * 0.992 && found <= exact * 1.008);
		}
		CU_ASSERT_EQUAL(histogram_spread(&histogram).min, values[0]);
		CU_ASSERT_EQUAL(histogram_spread(&histogram).max, values[COUNT - 1]);
		histogram_clear(&histogram);
	}
	free(values);
}

static void buckets_touch_without_gap_or_overlap(void)
{
	CU_ASSERT_EQUAL(histogram_place(0), 0);
	CU_ASSERT_EQUAL(histogram_place(255), 255);
	CU_ASSERT_EQUAL(histogram_place(256), 256);
	CU_ASSERT_EQUAL(histogram_place(257), 256);
	CU_ASSERT_EQUAL(histogram_place(258), 257);
	CU_ASSERT_EQUAL(histogram_place(511), 383);
	CU_ASSERT_EQUAL(histogram_place(512), 384);
	for (unsigned bit = 9; bit < 64; bit++)
		CU_ASSERT_EQUAL(histogram_place(UINT64_C(1) << bit),
			histogram_place((UINT64_C(1) << bit) - 1) + 1);
}

static void the_sum_does_not_overflow(void)
{
	struct histogram histogram = { 0 };

	for (int i = 0; i < 3; i++)
		histogram_add(&histogram, UINT64_MAX);
	CU_ASSERT_DOUBLE_EQUAL(histogram_spread(&histogram).avg, 18446744073709551615.0, 1);
	CU_ASSERT_EQUAL(histogram_spread(&histogram).p50, UINT64_MAX);
	histogram_clear(&histogram);
}

static void times_in_steps_are_exact(void)
{
	struct histogram histogram = { 0 };

	for (uint64_t us = 1; us <= 100; us++)
		histogram_add(&histogram, 1000 * us);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.5), 50000);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.99), 99000);
	histogram_clear(&histogram);
}

/* 103, 203 to 2003 in one; 1103 to 3003 in another, and of the first those below 1100. */
static void a_part_of_another_can_be_added(void)
{
	struct histogram histogram = { 0 }, other = { 0 };
	struct spread spread;

	for (uint64_t value = 103; value <= 2003; value += 100) {
		histogram_add(&other, value);
		histogram_add(&histogram, value + 1000);
	}
	CU_ASSERT_EQUAL(histogram_add_part(&histogram, &other, 0, histogram_place(1100)), 0);
	spread = histogram_spread(&histogram);
	CU_ASSERT_EQUAL(spread.count, 30);
	CU_ASSERT_EQUAL(spread.min, 103);
	CU_ASSERT_EQUAL(spread.max, 3003);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.3), 903); /* the ninth */
	CU_ASSERT_EQUAL(spread.p50, 1503); /* the 15th: ten of the other's, then 1103 and so on */
	CU_ASSERT_DOUBLE_EQUAL(spread.avg, (5530 + 20 * 2053) / 30.0, 1e-9);
	CU_ASSERT_EQUAL(histogram_add_part(&histogram, &other, 5000, UINT32_MAX), 0);
	CU_ASSERT_EQUAL(histogram.count, 30);
	histogram_clear(&histogram);
	CU_ASSERT_EQUAL(histogram_add_part(&histogram, &other, 0, UINT32_MAX), 0);
	CU_ASSERT_EQUAL(histogram_spread(&histogram).p50, 1003);
	CU_ASSERT_EQUAL(histogram.count, 20);
	histogram_clear(&histogram);
	histogram_clear(&other);
}

static void an_empty_one_is_all_zero(void)
{
	struct histogram histogram = { 0 };
	struct spread spread = histogram_spread(&histogram);

	CU_ASSERT_EQUAL(spread.count, 0);
	CU_ASSERT_EQUAL(spread.max, 0);
	CU_ASSERT_EQUAL(histogram_percentile(&histogram, 0.5), 0);
	histogram_clear(&histogram);
}

static const struct test_case cases[] = {
	{ "small values are exact", small_values_are_exact },
	{ "equal values make every percentile that value",
		equal_values_make_every_percentile_that_value },
	{ "percentiles are right to one percent", percentiles_are_right_to_one_percent },
	{ "buckets touch without gap or overlap", buckets_touch_without_gap_or_overlap },
	{ "the sum does not overflow", the_sum_does_not_overflow },
	{ "times in steps are exact", times_in_steps_are_exact },
	{ "a part of another can be added", a_part_of_another_can_be_added },
	{ "an empty one is all zero", an_empty_one_is_all_zero },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "histogram", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
