/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from the costs: clusters, outliers, the order of dear and cheap ones. */
#include "costs.h"

#include "clusters.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tukey's outer fence, on logarithms: this many times the distance of the quartiles beyond them. */
#define FENCE 3

/* At least this many of the pairs must hold one packet, or GRO gathers them. */
#define SHARE_OF_SINGLES 0.9

#define IDLE_RUN 4 /* cheaper ones in a row: fewer may be chance */

#define DISTANCES 64 /* from one dear packet to the next: longer ones are no pattern */

/*
 * From Q3 to beyond it, or from Q1 to before it. A cost stands for all of the clock's step, or of
 * its bucket.
 */
static double fence_factor(const struct part *part, uint64_t unit)
{
	uint64_t bucket = UINT64_C(1) << histogram_shift(part->q3);
	double grain = (double)(bucket > unit ? bucket : unit);

	return pow(((double)part->q3 + grain) / fmax((double)part->q1, (double)unit), FENCE);
}

/*
 * A cluster is the part of `kept` whose costs stand in the buckets from `begin` to before `end`.
 * Its time_share is still all its time.
 */
static void fill_cluster(
	struct costs *costs, bool dear, const struct costs_kept *kept, uint32_t begin, uint32_t end)
{
	struct part part = histogram_part(&kept->costs, begin, end);

	costs->table.clusters[dear] = (struct rxcost_cluster){
		.count = part.count,
		.median = part.median,
		.acks = histogram_part(&kept->acks, begin, end).count,
		.senders = histogram_part(&kept->senders, begin, end).count,
		.time_share = part.sum,
	};
}

static double ratio_of_medians(const struct rxcost_table *table)
{
	return (double)table->clusters[1].median / fmax((double)table->clusters[0].median, 1);
}

/* What the order doesn't tell is on the border's sides. 0 or -ENOMEM. */
static int add_untold(struct costs *costs, enum rxcost_side side, uint32_t begin, uint32_t end)
{
	const struct costs_kept *untold = &costs->sides[RXCOST_UNTOLD];
	struct costs_kept *kept = &costs->sides[side];
	int error = histogram_add_part(&kept->costs, &untold->costs, begin, end);

	error |= histogram_add_part(&kept->senders, &untold->senders, begin, end);
	error |= histogram_add_part(&kept->acks, &untold->acks, begin, end);
	return error ? -ENOMEM : 0;
}

static int fill_by_order(struct costs *costs, uint32_t border)
{
	const struct costs_kept *cheap = &costs->sides[RXCOST_CHEAP];
	const struct costs_kept *dear = &costs->sides[RXCOST_DEAR];

	if (add_untold(costs, RXCOST_CHEAP, 0, border) ||
		add_untold(costs, RXCOST_DEAR, border, UINT32_MAX))
		return -ENOMEM;
	fill_cluster(costs, false, cheap, 0, UINT32_MAX);
	fill_cluster(costs, true, dear, 0, UINT32_MAX);
	costs->table.dips = histogram_part(&cheap->costs, border, UINT32_MAX).count;
	costs->table.peaks = histogram_part(&dear->costs, 0, border).count;
	return 0;
}

/*
 * Two clusters, told apart by the border; or by their order, where that accounts for half and more
 * of what is between them, by factors. Less is another reason, inside of one of them. 0 or -ENOMEM.
 */
static int fill_clusters(struct costs *costs, uint32_t border)
{
	struct rxcost_table *table = &costs->table;
	double beside = costs_ratio(costs);

	fill_cluster(costs, false, &costs->all, 0, border);
	fill_cluster(costs, true, &costs->all, border, UINT32_MAX);
	table->by_order = costs_alternate(costs) && beside * beside >= ratio_of_medians(table);
	if (table->by_order && fill_by_order(costs, border))
		return -ENOMEM;
	table->ratio_of_medians = ratio_of_medians(table);
	table->ratio = table->by_order ? beside : table->ratio_of_medians;
	return 0;
}

static void share_time(struct rxcost_cluster clusters[2])
{
	double all = clusters[0].time_share + clusters[1].time_share;

	for (unsigned i = 0; i < 2; i++)
		clusters[i].time_share = all > 0 ? clusters[i].time_share / all : 0;
}

static void find_outliers(struct costs *costs, uint64_t unit, uint32_t border)
{
	struct part dear = histogram_part(&costs->all.costs, border, UINT32_MAX);
	double fence = (double)dear.q3 * fence_factor(&dear, unit);
	uint32_t beyond;

	if (fence >= 0x1p63)
		return;
	costs->table.outlier_above = (uint64_t)fence;
	beyond = histogram_place(costs->table.outlier_above) + 1;
	costs->table.outliers = histogram_part(&costs->all.costs, beyond, UINT32_MAX).count;
}

/* The newest costs, oldest first. */
static const struct rxcost_sample *sample(const struct costs *costs, unsigned i)
{
	unsigned first = costs->table.newest_count == RXCOST_NEWEST ? costs->next : 0;

	return &costs->newest[(first + i) % RXCOST_NEWEST];
}

/* When a stream ends, packets come that cost much less than the cheap ones of before. */
static int find_idle(struct costs *costs, uint64_t unit, uint32_t border)
{
	struct part cheap = histogram_part(&costs->all.costs, 0, border ? border : UINT32_MAX);
	double fence = fmax((double)cheap.q1, (double)unit) / fence_factor(&cheap, unit);
	struct histogram idle = { 0 };
	unsigned run = 0, count = costs->table.newest_count;
	int error = 0;

	for (unsigned i = 0; i <= count; i++) {
		if (i < count && (double)sample(costs, i)->cost < fence) {
			run++;
			continue;
		}
		for (unsigned k = run >= IDLE_RUN ? i - run : i; k < i; k++)
			error |= histogram_add(&idle, sample(costs, k)->cost);
		costs->table.idle_runs += run >= IDLE_RUN;
		run = 0;
	}
	costs->table.idle = idle.count;
	costs->table.idle_median = histogram_percentile(&idle, 0.5);
	histogram_clear(&idle);
	return error ? -ENOMEM : 0;
}

/* The distance between dear ones that is the commonest, by counts of all of them. */
static void choose_distance(struct rxcost_table *table, const uint64_t counts[DISTANCES + 1])
{
	uint64_t all = 0;
	unsigned most = 0;

	for (unsigned i = 0; i <= DISTANCES; i++)
		all += counts[i];
	for (unsigned i = 1; i < DISTANCES; i++)
		most = counts[i] > counts[most] ? i : most;
	if (counts[most]) {
		table->every = most;
		table->every_share = (double)counts[most] / (double)all;
	}
}

static bool is_dear(const struct costs *costs, unsigned i, uint32_t border)
{
	const struct rxcost_sample *one = sample(costs, i);

	return costs->table.by_order && one->side != RXCOST_UNTOLD
		       ? one->side == RXCOST_DEAR
		       : histogram_place(one->cost) >= border;
}

/* How far the newest dear ones are from each other. */
static void find_pattern(struct costs *costs, uint32_t border)
{
	uint64_t counts[DISTANCES + 1] = { 0 };
	const unsigned count = costs->table.newest_count;
	unsigned last = count; /* the dear one before this; there is none yet */

	for (unsigned i = 0; i < count; i++) {
		if (!is_dear(costs, i, border))
			continue;
		if (last < count)
			counts[i - last < DISTANCES ? i - last : DISTANCES]++;
		last = i;
	}
	choose_distance(&costs->table, counts);
}

/* How much more the newest dear ones behind dips cost than dear ones do. 0 or -ENOMEM. */
static int find_dips_excess(struct costs *costs, uint32_t border)
{
	const uint64_t dear = costs->table.clusters[1].median;
	struct histogram excess = { 0 };
	int error = 0;

	for (unsigned i = 0; i + 1 < costs->table.newest_count; i++) {
		uint64_t behind = sample(costs, i + 1)->cost;

		if (histogram_place(sample(costs, i)->cost) >= border &&
			!is_dear(costs, i, border) && is_dear(costs, i + 1, border))
			error |= histogram_add(&excess, behind > dear ? behind - dear : 0);
	}
	costs->table.dips_excess = histogram_percentile(&excess, 0.5);
	histogram_clear(&excess);
	return error ? -ENOMEM : 0;
}

static struct rxcost_kind kind_of(const struct histogram *costs, double sum)
{
	struct part part = histogram_part(costs, 0, UINT32_MAX);

	return (struct rxcost_kind){ part.count, part.median, sum > 0 ? part.sum / sum : 0 };
}

/* The ring begins with the oldest from now on. 0 or -ENOMEM. */
static int unroll(struct costs *costs)
{
	unsigned count = costs->table.newest_count;
	struct rxcost_sample *newest;

	if (count < RXCOST_NEWEST || !costs->next)
		return 0;
	newest = malloc(count * sizeof(*newest));
	if (!newest)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		newest[i] = *sample(costs, i);
	free(costs->newest);
	costs->newest = newest;
	costs->next = 0;
	return 0;
}

static int find_clusters(struct costs *costs, uint64_t unit)
{
	struct rxcost_table *table = &costs->table;
	uint32_t border;

	if (clusters_find(&costs->all.costs, unit, &border))
		return -ENOMEM;
	find_outliers(costs, unit, border);
	if (find_idle(costs, unit, border))
		return -ENOMEM;
	table->cluster_count = border ? 2 : 1;
	if (!border) {
		fill_cluster(costs, false, &costs->all, 0, UINT32_MAX);
		share_time(table->clusters);
		return 0;
	}
	if (fill_clusters(costs, border))
		return -ENOMEM;
	share_time(table->clusters);
	find_pattern(costs, border);
	return find_dips_excess(costs, border);
}

int costs_sum_up(struct costs *costs, uint64_t hz)
{
	struct rxcost_table *table = &costs->table;
	double data = histogram_part(&costs->with_ack, 0, UINT32_MAX).sum +
		      histogram_part(&costs->without_ack, 0, UINT32_MAX).sum;

	if (costs_end(costs) || unroll(costs))
		return -ENOMEM;
	table->newest = costs->newest;
	table->packets = costs->all.costs.count;
	table->cost = histogram_spread(&costs->all.costs);
	table->per_packet =
		table->packets && (double)table->packets >= SHARE_OF_SINGLES * (double)table->pairs;
	table->with_ack = kind_of(&costs->with_ack, data);
	table->without_ack = kind_of(&costs->without_ack, data);
	return table->per_packet ? find_clusters(costs, costs_unit(costs, hz)) : 0;
}
