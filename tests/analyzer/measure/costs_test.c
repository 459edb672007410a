/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from costs and their order: which packets are cheap and which are dear. In ns. */
#include "costs.h"

#include "cycles.h"
#include "published_ticks.h"

static struct costs costs;

/* Packets, one after the other; the dear ones of the tests send an ACK. */
static void add(uint64_t cost, bool sends)
{
	struct pair pair = { .cost = cost, .packets = 1, .acks = sends, .data = true };

	CU_ASSERT_EQUAL_FATAL(costs_add(&costs, &pair), 0);
}

static const struct rxcost_table *sum_up(void)
{
	CU_ASSERT_EQUAL_FATAL(costs_sum_up(&costs, CYCLES_NS_PER_S), 0);
	return &costs.table;
}

/* Every seventh pair is dearer as a whole: its cheap one costs nearly what dear ones do. */
static void where_they_alternate_the_order_tells_them_apart(void)
{
	const struct rxcost_table *table;

	for (uint64_t pair = 0; pair < 210; pair++) {
		bool dearer = pair && pair % 7 == 0; /* 29 of them, each behind a dear one of 760 */

		add(dearer ? 620 : 400, false);
		add(dearer ? 950 : 640 + 20 * (pair % 7), true);
	}
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->dips, 29);
	CU_ASSERT_EQUAL(table->peaks, 0);
	CU_ASSERT_EQUAL(table->clusters[0].count, 210);
	CU_ASSERT_EQUAL(table->clusters[0].senders, 0);
	CU_ASSERT_EQUAL(table->clusters[0].median, 400);
	CU_ASSERT_EQUAL(table->clusters[1].count, 210);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 210);
	CU_ASSERT_EQUAL(table->clusters[1].median, 720); /* the 105th: 91 are below */
	CU_ASSERT_DOUBLE_EQUAL(table->ratio_of_medians, 1.8, 1e-9);
	/*
	 * To those beside them: 29 of 760 to 400 and 620, 1.49; 1.6 at the start; 30 of 1.65, 1.7
	 * and 1.75 each, where the 105th is; and 90 above.
	 */
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 1.75, 0.008 * 1.75);
	costs_clear(&costs);
}

/* All takes 2.4 times as long from a dear one on, so that cheap ones cost more than dear ones did.
 */
static void a_processor_that_gets_slower_changes_neither_side_nor_ratio(void)
{
	const struct rxcost_table *table;

	for (unsigned pair = 0; pair < 400; pair++) {
		add(pair <= 100 ? 400 : 960, false);
		add(pair < 100 ? 900 : 2160, true);
	}
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].count, 400);
	CU_ASSERT_EQUAL(table->clusters[0].senders, 0);
	CU_ASSERT_EQUAL(table->clusters[1].count, 400);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 400);
	/* two-means: 150,600 if dear ones begin at 2160, 104,200 at 900 and 93,200 at 960 */
	CU_ASSERT_EQUAL(table->peaks, 100);
	CU_ASSERT_EQUAL(table->dips, 0);
	CU_ASSERT_EQUAL(table->every, 2);
	CU_ASSERT_DOUBLE_EQUAL(table->every_share, 1, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 2.25, 0.008 * 2.25);
	costs_clear(&costs);
}

/*
 * Groups of 17, by turns without a cheap one at the end and without a dear one: two of a kind are
 * beside each other. From a dear one in the 13th group on all costs double.
 */
static void neighbours_of_the_same_kind_are_told_by_the_last_that_differ(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 24 * 17; i++) {
		unsigned group = i / 17, place = i % 17;
		bool dear = place == 16 ? group % 2 == 0 : place % 2;

		add((dear ? UINT64_C(900) : 400) * (i < 12 * 17 + 7 ? 1 : 2), dear);
	}
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(costs.order.extremes, 24 * 15 + 2);
	CU_ASSERT_EQUAL(table->clusters[0].count, 204);
	CU_ASSERT_EQUAL(table->clusters[0].senders, 0);
	CU_ASSERT_EQUAL(table->clusters[1].count, 204);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 204);
	costs_clear(&costs);
}

/*
 * As where a receiver acknowledges each segment for a while: one of six is a dip, one a peak. The
 * last dear one before is neither, as are the first two of these; then the order isn't asked.
 */
static void where_only_dear_ones_come_for_a_while_the_order_is_not_asked(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 800; i++)
		add(i % 2 ? 900 : 400, i % 2);
	for (unsigned i = 0; i < 201; i++)
		add(i % 6 == 2 ? 780 : i % 6 == 5 ? 1020 : 900, true);
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].count, 400);
	CU_ASSERT_EQUAL(table->clusters[0].acks, 0);
	CU_ASSERT_EQUAL(table->clusters[1].count, 601);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 601);
	CU_ASSERT_EQUAL(table->clusters[1].acks, 601);
	CU_ASSERT_EQUAL(costs.ratios.count, 399); /* of peaks where it is */
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 2.25, 1e-3);
	CU_ASSERT_DOUBLE_EQUAL(
		table->clusters[0].time_share + table->clusters[1].time_share, 1, 1e-12);
	costs_clear(&costs);
}

/* Between 400 and 900 the middle of factors is 600; that of sums would be 650. */
static void the_middle_is_that_of_factors(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 200; i++) {
		add(400, false);
		add(900, true);
		if (i % 10 == 9)
			add(i % 20 == 9 ? 630 : 580, i % 20 == 9);
	}
	table = sum_up();
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].count, 210);
	CU_ASSERT_EQUAL(table->clusters[0].senders, 0);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 210);
	costs_clear(&costs);
}

/* A ripple inside the cheap cluster alternates, but dear ones are another thing. */
static void an_order_that_explains_little_is_not_asked(void)
{
	static const uint64_t four[] = { 400, 480, 400, 900 };
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 4000; i++)
		add(four[i % 4], i % 4 == 3);
	table = sum_up();
	CU_ASSERT(costs_alternate(&costs));
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT_FALSE(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].count, 3000);
	CU_ASSERT_EQUAL(table->clusters[1].count, 1000);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 1000);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 2.25, 1e-9);
	CU_ASSERT_EQUAL(table->every, 4);
	costs_clear(&costs);

	for (unsigned i = 0; i < 4000; i++)
		add(i % 100 >= 80 ? 2000 : i % 2 ? 460 : 400, i % 100 >= 80);
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT_FALSE(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].count, 3200);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 800);
	costs_clear(&costs);
}

/* In a group dear and cheap ones alternate, and the last is as dear as the next one's first. */
static bool alternate(unsigned groups, unsigned of, uint64_t cheap, uint64_t dear)
{
	bool result;

	for (unsigned i = 0; i < groups * of; i++)
		add(i % of % 2 ? cheap : dear, false);
	CU_ASSERT_EQUAL(costs_end(&costs), 0);
	result = costs_alternate(&costs);
	costs_clear(&costs);
	return result;
}

static void what_alternates_is_clearly_apart_and_has_few_exceptions(void)
{
	static const uint64_t eight[] = { 400, 900, 400, 900, 400, 900, 900, 400 };

	CU_ASSERT(alternate(100, 9, 400, 900));       /* dips and peaks: 7 of 9 */
	CU_ASSERT_FALSE(alternate(100, 7, 400, 900)); /* 5 of 7 */
	CU_ASSERT(alternate(100, 9, 400, 445));       /* a ninth more is 444.4 */
	CU_ASSERT_FALSE(alternate(100, 9, 400, 444));
	/*
	 * Of few packets: of 18 there are by chance 2 * 16 / 3 = 10.7, and 3 * 1.69 more at most;
	 * in two groups of nine they are 14 and the two ends. Of eight 4 and 3 * 1.05; here are 6.
	 */
	CU_ASSERT(alternate(2, 9, 400, 900));
	for (unsigned i = 0; i < 8; i++)
		add(eight[i], false);
	CU_ASSERT_EQUAL(costs_end(&costs), 0);
	CU_ASSERT_EQUAL(costs.order.extremes, 6);
	CU_ASSERT_FALSE(costs_alternate(&costs));
	costs_clear(&costs);
}

/* Packets that turned out to be none leave nothing behind. */
static void a_restart_is_a_beginning(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 7; i++)
		add(i % 2 ? 5000 : 100 + i, true);
	costs_restart(&costs);
	for (unsigned i = 0; i < 400; i++)
		add(i % 2 ? 933 : 400, i % 2);
	table = sum_up();
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(costs.order.extremes, 400);
	CU_ASSERT_EQUAL(table->clusters[0].count, 200);
	CU_ASSERT_EQUAL(table->clusters[1].count, 200);
	CU_ASSERT_EQUAL(table->clusters[1].acks, 200);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 2.3325, 0.0005);
	costs_clear(&costs);
}

/* Ratios that no number can hold are the largest that one can. */
static void any_factor_is_a_ratio(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 400; i++)
		add(i % 2 ? UINT64_C(1) << 55 : 1, false);
	table = sum_up();
	CU_ASSERT(table->by_order);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio_of_medians, 0x1p55, 0x1p48);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 0x1p51, 0x1p44); /* 2^63 / 4096 */
	costs_clear(&costs);
	for (unsigned i = 0; i < 400; i++)
		add(i % 2 ? UINT64_MAX : 0, false);
	CU_ASSERT_EQUAL(sum_up()->clusters[0].count, 200);
	costs_clear(&costs);
}

/* Nothing comes behind the newest, so it tells nothing of what came behind. */
static void the_newest_has_nothing_behind_it(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 1000; i++)
		add(i % 2 ? 700 : 400, false);
	add(400, false);
	add(1500, false);
	add(900, false); /* a dip, and on the dear side */
	table = sum_up();
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->dips, 1);
	CU_ASSERT_EQUAL(table->dips_excess, 0);
	costs_clear(&costs);
}

static void where_they_come_in_runs_the_order_tells_nothing(void)
{
	const struct rxcost_table *table;

	for (unsigned i = 0; i < 100; i++)
		add(400, false);
	for (unsigned i = 0; i < 90; i++) /* 740 620 740 700 740 740 620 ... */
		add(i % 5 == 1 ? 620 : i % 5 == 3 ? 700 : 740, true);
	table = sum_up();
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT_FALSE(table->by_order);
	CU_ASSERT_EQUAL(table->every, 1);
	CU_ASSERT_EQUAL(
		table->dips, 0); /* 620 is lower than both its neighbours: a dear one as any */
	CU_ASSERT_EQUAL(table->clusters[0].count, 100);
	CU_ASSERT_EQUAL(table->clusters[1].count, 90);
	CU_ASSERT_EQUAL(table->ratio, table->ratio_of_medians);
	costs_clear(&costs);
}

/* Of 32 numbers by chance, 31 * 63 / (3 * 32 * 32) are higher or lower than both neighbours. */
static void chance_is_no_order(void)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 100000; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		add(UINT64_C(1) << (state >> 59), false); /* factors of two: all clearly apart */
	}
	CU_ASSERT_FALSE(costs_alternate(&costs));
	CU_ASSERT(costs.order.extremes > 63000 && costs.order.extremes < 64200); /* 63,574 */
	costs_clear(&costs);
}

/*
 * In FACTS: about 37 and 63 ticks, alternating; now and then a pair that is about 13 ticks dearer
 * (50, 75); cheap ones of 20 to 25 where the stream ends (ten in a row); and up to 737.
 */
static void the_published_log_shows_what_was_said_of_it(void)
{
	const struct rxcost_table *table;

	read_published_ticks();
	for (size_t i = 0; i < PUBLISHED_TICKS; i++)
		add(published_ticks[i], false);
	table = sum_up();
	CU_ASSERT_EQUAL(table->packets, 512);
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT(table->by_order);
	CU_ASSERT_EQUAL(table->clusters[0].median, 37);
	CU_ASSERT_EQUAL(table->clusters[1].median, 63);
	CU_ASSERT_EQUAL(table->clusters[0].count + table->clusters[1].count, 512);
	/* every second one, but for the end, whether its pair is dearer or not */
	CU_ASSERT(table->clusters[0].count >= 242 && table->clusters[0].count <= 256);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio_of_medians, 63.0 / 37, 1e-9);
	/* the median of the 234 that cost a ninth more than both neighbours, by another program */
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 1.694, 0.008 * 1.694);
	CU_ASSERT_EQUAL(table->every, 2);
	CU_ASSERT(table->every_share > 0.85);
	CU_ASSERT(table->dips >= 25 && table->dips <= 40);
	CU_ASSERT(table->dips_excess >= 12 && table->dips_excess <= 14);
	CU_ASSERT_EQUAL(table->idle, 10);
	CU_ASSERT_EQUAL(table->idle_runs, 1);
	CU_ASSERT_EQUAL(table->idle_median, 21);
	CU_ASSERT(table->outliers >= 4 && table->outliers <= 7); /* four are over 100 */
	CU_ASSERT_EQUAL(table->cost.max, 737);
	CU_ASSERT_EQUAL(table->newest_count, 512);
	CU_ASSERT_EQUAL(table->newest[510].cost, 737);
	costs_clear(&costs);
}

static const struct test_case cases[] = {
	{ "where they alternate the order tells them apart",
		where_they_alternate_the_order_tells_them_apart },
	{ "a processor that gets slower changes neither side nor ratio",
		a_processor_that_gets_slower_changes_neither_side_nor_ratio },
	{ "neighbours of the same kind are told by the last that differ",
		neighbours_of_the_same_kind_are_told_by_the_last_that_differ },
	{ "where only dear ones come for a while the order is not asked",
		where_only_dear_ones_come_for_a_while_the_order_is_not_asked },
	{ "the middle is that of factors", the_middle_is_that_of_factors },
	{ "an order that explains little is not asked",
		an_order_that_explains_little_is_not_asked },
	{ "what alternates is clearly apart and has few exceptions",
		what_alternates_is_clearly_apart_and_has_few_exceptions },
	{ "a restart is a beginning", a_restart_is_a_beginning },
	{ "any factor is a ratio", any_factor_is_a_ratio },
	{ "the newest has nothing behind it", the_newest_has_nothing_behind_it },
	{ "where they come in runs the order tells nothing",
		where_they_come_in_runs_the_order_tells_nothing },
	{ "chance is no order", chance_is_no_order },
	{ "the published log shows what was said of it",
		the_published_log_shows_what_was_said_of_it },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "costs", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
