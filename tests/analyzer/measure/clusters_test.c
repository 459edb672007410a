/* SPDX-License-Identifier: BSD-3-Clause */
/* One cluster or two: of shapes whose answer is known, and of the costs published in 2005. */
#include "clusters.h"

#include "harness.h"
#include "published_ticks.h"
#include <math.h>
#include <stdlib.h>

static struct histogram costs;
static uint64_t state;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 0x1p53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * acos(-1) * uniform());
}

static void add(uint64_t cost, unsigned times)
{
	while (times--)
		CU_ASSERT_EQUAL_FATAL(histogram_add(&costs, cost), 0);
}

/* The cost where the dear ones begin, or 0; the histogram is empty afterwards. */
static uint64_t border(uint64_t unit)
{
	uint32_t place;

	CU_ASSERT_EQUAL_FATAL(clusters_find(&costs, unit, &place), 0);
	histogram_clear(&costs);
	for (uint64_t cost = 0; place && cost < 1000000; cost++) {
		if (histogram_place(cost) == place)
			return cost;
	}
	CU_ASSERT_EQUAL(place, 0);
	return 0;
}

/* "Splitting anywhere from 44 to 57": the medians are 37 and 63 then. */
static void the_published_costs_have_two(void)
{
	uint64_t found;

	read_published_ticks();
	for (size_t i = 0; i < PUBLISHED_TICKS; i++)
		add(published_ticks[i], 1);
	found = border(1);
	CU_ASSERT(found >= 44 && found <= 58);
}

static void even_a_short_list_of_two_values_has_two(void)
{
	uint64_t found;

	add(37, 8);
	add(63, 8);
	found = border(1);
	CU_ASSERT(found > 37 && found <= 63);
}

static void nothing_and_equal_costs_are_one(void)
{
	CU_ASSERT_EQUAL(border(1), 0);
	add(50, 1000);
	CU_ASSERT_EQUAL(border(1), 0);
	add(0, 1000);
	CU_ASSERT_EQUAL(border(1), 0);
	add(37, 100);
	add(63, 3); /* too few to say how far they scatter */
	CU_ASSERT_EQUAL(border(1), 0);
}

/* The split that two-means would make of a single peak must not be believed. */
static void one_peak_of_any_shape_is_one(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 400; i++) {
		unsigned count = (unsigned[]){ 30, 100, 500, 3000 }[i % 4];

		state = i * UINT64_C(0x9e3779b97f4a7c15) | 1;
		for (unsigned k = 0; k < count; k++) {
			double values[] = { 1000 + 2000 * uniform(), 1000 + 100 * normal(),
				1000 - 500 * log(1 - uniform()), 1000 * exp(0.5 * normal()) };

			add((uint64_t)values[i / 4 % 4], 1);
		}
		wrong += border(1) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Four standard deviations apart, half each. */
static void two_peaks_are_two(void)
{
	unsigned right = 0;

	for (unsigned i = 1; i <= 100; i++) {
		state = i * UINT64_C(0x9e3779b97f4a7c15) | 1;
		for (unsigned k = 0; k < 1000; k++)
			add((uint64_t)(5000 * exp(0.1 * normal() + (k % 2 ? 0.4 : 0))), 1);
		right += border(1) != 0;
	}
	CU_ASSERT_EQUAL(right, 100);
}

/* The outliers alone would make the best border. */
static void outliers_are_set_aside(void)
{
	uint64_t found;

	add(37, 240);
	add(63, 240);
	add(20000, 20);
	found = border(1);
	CU_ASSERT(found > 37 && found <= 63);
}

/* 2 of 100 packets send an ACK. */
static void a_rare_group_is_a_cluster_if_there_is_no_other(void)
{
	uint64_t found;

	for (unsigned i = 0; i < 2000; i++)
		add(4500 + i % 100, 1);
	add(11000, 40);
	found = border(1);
	CU_ASSERT(found > 4600 && found <= 11000);
	for (unsigned i = 0; i < 2000; i++)
		add(4500 + i % 100, 1);
	add(11000, 15); /* less than 1 % */
	CU_ASSERT_EQUAL(border(1), 0);
}

/* A clock of microseconds, in nanoseconds: between 4000 and 5000 there is nothing to see. */
static void steps_of_the_clock_are_no_gap(void)
{
	uint64_t found;

	for (uint64_t cost = 4000; cost <= 8000; cost += 1000)
		add(cost, 200);
	CU_ASSERT_EQUAL(border(1000), 0);
	add(4000, 500);
	add(5000, 500);
	add(11000, 400);
	add(12000, 400);
	found = border(1000);
	CU_ASSERT(found > 5000 && found <= 11000);
	add(1, 500);
	add(4, 500);
	CU_ASSERT_EQUAL(border(1), 0); /* less than four ticks apart */
}

/* Sum of the squared distances to the mean of a side. */
static double squares(const double *logs, unsigned begin, unsigned end)
{
	double sum = 0, result = 0;

	for (unsigned i = begin; i < end; i++)
		sum += logs[i];
	for (unsigned i = begin; i < end; i++)
		result += pow(logs[i] - sum / (end - begin), 2);
	return result;
}

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Where the gap is empty. Of costs below 256 each has a bucket, so the answer is exact. */
static void behind_a_gap_no_border_has_smaller_squares(void)
{
	static double logs[200];

	for (unsigned i = 1; i <= 300; i++) {
		double best = INFINITY;
		unsigned expected = 0;
		uint64_t found;

		state = i * UINT64_C(0x9e3779b97f4a7c15) | 1;
		for (unsigned k = 0; k < 200; k++) {
			double cost = uniform() < 0.4 ? 70 + 12 * uniform() : 150 + 100 * uniform();

			add((uint64_t)cost, 1);
			logs[k] = log((double)(uint64_t)cost);
		}
		qsort(logs, 200, sizeof(*logs), by_size);
		for (unsigned k = 1; k < 200; k++) {
			double sum = squares(logs, 0, k) + squares(logs, k, 200);

			if (logs[k] > logs[k - 1] && sum < best) {
				best = sum;
				expected = k;
			}
		}
		found = border(1);
		CU_ASSERT_EQUAL((double)found, round(exp(logs[expected])));
	}
}

/*
 * A stretch is a quarter of the way from 90 to 210, a factor of 1.236. Behind 160 there are 20 up
 * to 198, fewer than behind any other; the next one reaches 205.
 */
static void a_tail_of_the_cheap_ones_is_theirs(void)
{
	static const unsigned tail[] = { 400, 200, 100, 60, 40, 30, 20, 12, 8 };

	add(90, 1000);
	for (unsigned i = 0; i < sizeof(tail) / sizeof(*tail); i++)
		add(100 + 10 * i, tail[i]);
	add(205, 400);
	add(210, 500);
	add(216, 300);
	CU_ASSERT_EQUAL(border(1), 205);
}

static void a_part_has_its_quartiles(void)
{
	struct part part;

	add(10, 1);
	add(20, 2);
	add(30, 1);
	add(200, 7);
	part = histogram_part(&costs, 0, histogram_place(31));
	CU_ASSERT_EQUAL(part.count, 4);
	CU_ASSERT_EQUAL(part.q1, 10);
	CU_ASSERT_EQUAL(part.median, 20);
	CU_ASSERT_EQUAL(part.q3, 20);
	CU_ASSERT_EQUAL(part.sum, 80);
	part = histogram_part(&costs, histogram_place(31), UINT32_MAX);
	CU_ASSERT_EQUAL(part.count, 7);
	CU_ASSERT_EQUAL(part.median, 200);
	part = histogram_part(&costs, 500, UINT32_MAX);
	CU_ASSERT_EQUAL(part.count + part.median, 0);
	histogram_clear(&costs);
}

static const struct test_case cases[] = {
	{ "the published costs have two", the_published_costs_have_two },
	{ "even a short list of two values has two", even_a_short_list_of_two_values_has_two },
	{ "nothing, and equal costs, are one", nothing_and_equal_costs_are_one },
	{ "one peak of any shape is one", one_peak_of_any_shape_is_one },
	{ "two peaks are two", two_peaks_are_two },
	{ "outliers are set aside", outliers_are_set_aside },
	{ "a rare group is a cluster if there is no other",
		a_rare_group_is_a_cluster_if_there_is_no_other },
	{ "steps of the clock are no gap", steps_of_the_clock_are_no_gap },
	{ "behind a gap, no border has smaller squares",
		behind_a_gap_no_border_has_smaller_squares },
	{ "a tail of the cheap ones is theirs", a_tail_of_the_cheap_ones_is_theirs },
	{ "a part has its quartiles", a_part_has_its_quartiles },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "clusters", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
