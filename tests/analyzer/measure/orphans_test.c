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

static uint64_t taking; /* of the last take */

static bool take(struct orphans *orphans, uint64_t packet, unsigned cpu, uint64_t time)
{
	return orphans_take(orphans, packet, cpu, time, &taking);
}

static void only_another_cpus_free_within_the_window_counts(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 64, 1, 1000, false);
	CU_ASSERT_FALSE(take(orphans, 128, 0, 1000)); /* another address */
	CU_ASSERT_TRUE(take(orphans, 64, 0, 11000));
	CU_ASSERT_FALSE(take(orphans, 64, 0, 11000)); /* it is taken */
	orphans_add(orphans, 64, 1, 20000, false);
	CU_ASSERT_FALSE(take(orphans, 64, 0, 30001)); /* too late */
	orphans_add(orphans, 64, 1, 40000, false);
	CU_ASSERT_FALSE(take(orphans, 64, 1, 40001)); /* its own CPU */
	CU_ASSERT_FALSE(take(orphans, 64, 0, 40002)); /* which was its last chance */
	free(orphans);
}

static void of_several_frees_any_may_be_the_one(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 0, 1, 1000, false);
	orphans_add(orphans, 0, 0, 1001, false);
	CU_ASSERT_TRUE(take(orphans, 0, 0, 1002));
	free(orphans);
}

static void a_gap_clears_them(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 64, 1, 1000, false);
	orphans_clear(orphans);
	CU_ASSERT_FALSE(take(orphans, 64, 0, 1001));
	orphans_add(orphans, 64, 1, 1002, false);
	CU_ASSERT_TRUE(take(orphans, 64, 0, 1003));
	free(orphans);
}

static void the_ring_keeps_the_last_ones(void)
{
	struct orphans *orphans = new_orphans();

	for (uint64_t i = 0; i < ORPHANS + 1; i++)
		orphans_add(orphans, i * 256, 1, 1000, false);
	CU_ASSERT_FALSE(take(orphans, 0, 0, 1000));
	for (uint64_t i = 1; i < ORPHANS + 1; i++)
		CU_ASSERT_TRUE(take(orphans, i * 256, 0, 1000));
	free(orphans);
}

static void a_failed_start_gives_back_what_it_took(void)
{
	struct orphans *orphans = new_orphans();
	uint64_t first;

	orphans_add(orphans, 64, 1, 1000, false);
	CU_ASSERT_TRUE(take(orphans, 64, 0, 2000));
	first = taking;
	CU_ASSERT_FALSE(take(orphans, 64, 2, 3000)); /* while the first call is going on */
	orphans_give_back(orphans, 64, 4000, taking);
	CU_ASSERT_FALSE(take(orphans, 64, 2, 5000)); /* the second had nothing to give back */
	orphans_give_back(orphans, 64, 6000, first);
	CU_ASSERT_TRUE(take(orphans, 64, 2, 7000));
	orphans_give_back(orphans, 64, 8000, taking);
	CU_ASSERT_FALSE(take(orphans, 64, 2, 11001)); /* too late by now */
	free(orphans);
}

static void what_was_found_queued_is_not_for_the_next_packet(void)
{
	struct orphans *orphans = new_orphans();

	orphans_add(orphans, 64, 1, 1000, true);
	CU_ASSERT_TRUE(take(orphans, 64, 0, 2000)); /* the packet itself */
	orphans_add(orphans, 64, 1, 3000, true);
	orphans_requeue(orphans, 128, 3500); /* another address */
	orphans_requeue(orphans, 64, 4000);
	CU_ASSERT_FALSE(take(orphans, 64, 0, 5000));
	orphans_add(orphans, 64, 1, 6000, false);
	orphans_requeue(orphans, 64, 7000); /* found nothing: it may be this one's */
	CU_ASSERT_TRUE(take(orphans, 64, 0, 8000));
	free(orphans);
}

static const struct test_case cases[] = {
	{ "only another CPU's free within the window counts",
		only_another_cpus_free_within_the_window_counts },
	{ "of several frees any may be the one", of_several_frees_any_may_be_the_one },
	{ "a gap clears them", a_gap_clears_them },
	{ "the ring keeps the last ones", the_ring_keeps_the_last_ones },
	{ "a failed start gives back what it took", a_failed_start_gives_back_what_it_took },
	{ "what was found queued isn't for the next packet",
		what_was_found_queued_is_not_for_the_next_packet },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "orphans", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
