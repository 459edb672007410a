/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic queue limits, worked by hand from the definition: at each completion
 *
 *   over     what was out beyond the limit, before the completion
 *   starved  over and nothing is out any more; or the last completion saw `over`, and all that was
 *            out then has come back: the limit grows by what was both sent and completed since
 *            then, plus that `over`
 *   excess   else, if something is and was out, and not all of that has come back: the greater of
 *            limit + last over - 2 * bytes, and what the last packet had within the limit if it
 *            went over it; more than a hold time after the limit was last looked at, it shrinks by
 *            the least excess since then
 *
 * and `over` counts as 0 for the next completion if the limit has moved.
 */
#include "dql.h"

#include "harness.h"

#define PACKETS_MOST 4
#define HOLD         10

struct step {
	uint64_t packets[PACKETS_MOST]; /* queued, bytes each; 0: no more */
	int64_t available;              /* then */
	uint64_t completed, at;
	uint64_t limit; /* after that */
	int64_t available_after;
};

static void play(struct dql *dql, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];

		for (int j = 0; j < PACKETS_MOST && step->packets[j]; j++)
			dql_queued(dql, step->packets[j]);
		CU_ASSERT_EQUAL(dql_available(dql), step->available);
		dql_completed(dql, step->completed, step->at);
		CU_ASSERT_EQUAL(dql->limit, step->limit);
		CU_ASSERT_EQUAL(dql_available(dql), step->available_after);
	}
}

#define PLAY(dql, steps) play(dql, steps, sizeof(steps) / sizeof(*(steps)))

/* One packet may go over the limit, so n packets are 1, 2, 4, 8: the limit is 0, 1, 3, 7, 15. */
static void a_starved_queue_doubles_what_it_sends(void)
{
	static const struct step steps[] = {
		/* 1 over; nothing is left: 0 + 1000 */
		{ { 1000 }, -1000, 1000, 0, 1000, 1000 },
		/* 1 over; + 2000 */
		{ { 1000, 1000 }, -1000, 2000, 1, 3000, 3000 },
		{ { 1000, 1000, 1000, 1000 }, -1000, 4000, 2, 7000, 7000 },
		{ { 2000, 2000, 2000, 2000 }, -1000, 8000, 3, 15000, 15000 },
		/* not over: nobody was held back, and it stays */
		{ { 5000, 5000, 5000 }, 0, 15000, 4, 15000, 15000 },
	};
	struct dql dql;

	dql_init(&dql, 0, DQL_LIMIT_MOST, HOLD, 0);
	PLAY(&dql, steps);
}

static void it_grows_and_shrinks_as_worked_by_hand(void)
{
	static const struct step steps[] = {
		{ { 1000 }, -1000, 1000, 0, 1000, 1000 },
		{ { 1000, 1000 }, -1000, 2000, 1, 3000, 3000 },
		/* over by 1000; 2000 are left, but nothing was out at the last completion */
		{ { 1000, 1000, 1000, 1000 }, -1000, 2000, 2, 3000, 1000 },
		/* all of that has come back, to the byte: starved. Sent and completed since: 0. So
		 * the 1000 it was over: 4000 */
		{ { 1000, 1000 }, -1000, 2000, 3, 4000, 2000 },
		/* excess 4000 - 2 * 1000 = 2000; exactly a hold time after 3 is not yet beyond */
		{ { 1000, 1000, 1000 }, -1000, 1000, 13, 4000, 0 },
		/* excess 4000 + 1000 - 2 * 1000 = 3000; the least was 2000 */
		{ { 400 }, -400, 1000, 14, 2000, -1400 },
		/* no excess: 2000 - 2 * 2000; over by 1400 */
		{ { 0 }, -1400, 2000, 20, 2000, 600 },
		/* all has come back: + 1400 */
		{ { 0 }, 600, 1400, 21, 3400, 3400 },
		/* over by 700 of the last packet's 1000; nothing was out */
		{ { 200, 2900, 1000 }, -700, 200, 22, 3400, -500 },
		/* 3400 + 700 - 2 * 2900 is none; but of the last packet 300 were within */
		{ { 0 }, -500, 2900, 32, 3100, 2100 },
	};
	struct dql dql;

	dql_init(&dql, 0, DQL_LIMIT_MOST, HOLD, 0);
	PLAY(&dql, steps);
}

/* The least excess counts: one completion without any, and the limit stays for a hold time more. */
static void one_completion_without_excess_is_enough(void)
{
	static const struct step steps[] = {
		{ { 4000 }, -4000, 4000, 0, 4000, 4000 },
		{ { 1000, 1000, 1000 }, 1000, 1000, 1, 4000, 2000 }, /* nothing was out */
		{ { 1000 }, 1000, 1000, 2, 4000, 2000 },             /* excess 2000 */
		{ { 2000 }, 0, 1000, 3, 4000, 1000 },                /* 2000 */
		{ { 1000 }, 0, 2000, 11, 4000, 2000 },               /* 0, and 11 > 0 + 10 */
		{ { 1000 }, 1000, 1000, 12, 4000, 2000 },            /* 2000 */
		{ { 1000 }, 1000, 500, 22, 2000, -500 },             /* 3000; the least is 2000 */
	};
	struct dql dql;

	dql_init(&dql, 0, DQL_LIMIT_MOST, HOLD, 0);
	PLAY(&dql, steps);
}

static void bounds_hold_from_the_first_completion_on(void)
{
	static const struct step steps[] = {
		{ { 1000 }, -1000, 1000, 0, 3000, 3000 },                   /* 1000 */
		{ { 1000, 1000, 1000, 1000 }, -1000, 4000, 1, 5000, 5000 }, /* 7000 */
	};
	struct dql dql;

	dql_init(&dql, 3000, 5000, HOLD, 0);
	PLAY(&dql, steps);
}

static const struct test_case limit[] = {
	{ "a starved queue doubles what it sends", a_starved_queue_doubles_what_it_sends },
	{ "it grows and shrinks as worked by hand", it_grows_and_shrinks_as_worked_by_hand },
	{ "one completion without excess is enough", one_completion_without_excess_is_enough },
	{ "bounds hold from the first completion on", bounds_hold_from_the_first_completion_on },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "limit", limit, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
