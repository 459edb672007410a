/* SPDX-License-Identifier: BSD-3-Clause */
#include "orphans.h"

#include "harness.h"
#include <stdlib.h>

static struct orphans *new_orphans(void)
{
	struct orphans *orphans = calloc(1, sizeof(*orphans));

	CU_ASSERT_PTR_NOT_NULL_FATAL(orphans);
	orphans->window = 10000;
	return orphans;
}

static void only_another_cpus_free_within_the_window_counts(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 64, 1, 1000);
	CU_ASSERT_FALSE(orphans_take(orphans, 128, 0, 1000)); /* another address */
	CU_ASSERT_TRUE(orphans_take(orphans, 64, 0, 11000));
	CU_ASSERT_FALSE(orphans_take(orphans, 64, 0, 11000)); /* it is taken */
	orphans_add(orphans, 64, 1, 20000);
	CU_ASSERT_FALSE(orphans_take(orphans, 64, 0, 30001)); /* too late */
	orphans_add(orphans, 64, 1, 40000);
	CU_ASSERT_FALSE(orphans_take(orphans, 64, 1, 40001)); /* its own CPU */
	CU_ASSERT_FALSE(orphans_take(orphans, 64, 0, 40002)); /* which was its last chance */
	free(orphans);
}

static void of_several_frees_any_may_be_the_one(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 0, 1, 1000);
	orphans_add(orphans, 0, 0, 1001);
	CU_ASSERT_TRUE(orphans_take(orphans, 0, 0, 1002));
	free(orphans);
}

static void a_gap_clears_them(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 64, 1, 1000);
	orphans_clear(orphans);
	CU_ASSERT_FALSE(orphans_take(orphans, 64, 0, 1001));
	orphans_add(orphans, 64, 1, 1002);
	CU_ASSERT_TRUE(orphans_take(orphans, 64, 0, 1003));
	free(orphans);
}

static void the_ring_keeps_the_last_ones(void)
{
	struct orphans *orphans = new_orphans();

	for (uint64_t i = 0; i < ORPHANS + 1; i++)
		orphans_add(orphans, i * 256, 1, 1000);
	CU_ASSERT_FALSE(orphans_take(orphans, 0, 0, 1000));
	for (uint64_t i = 1; i < ORPHANS + 1; i++)
		CU_ASSERT_TRUE(orphans_take(orphans, i * 256, 0, 1000));
	free(orphans);
}

static const struct test_case cases[] = {
	{ "only another CPU's free within the window counts",
		only_another_cpus_free_within_the_window_counts },
	{ "of several frees any may be the one", of_several_frees_any_may_be_the_one },
	{ "a gap clears them", a_gap_clears_them },
	{ "the ring keeps the last ones", the_ring_keeps_the_last_ones },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "orphans", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
