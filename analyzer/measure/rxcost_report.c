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
 * What a histogram has of a cluster: all on its side of the border, but for dips, which are beyond
 * it and belong to the other one; NULL: to none. 0 or -ENOMEM.
 */
static int take_side(const struct histogram *all, const struct histogram *dips, uint32_t border,
	bool dear, struct histogram *side)
{
	*side = (struct histogram){ .buckets = calloc(all->room + 1, sizeof(*side->buckets)),
		.room = all->room };
	if (!side->buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->room; i++) {
		struct histogram_bucket moved = { 0 };

		if (i >= border && dips && i < dips->room)
			moved = dips->buckets[i];
		if (dear && i >= border) {
			side->buckets[i].values = all->buckets[i].values - moved.values;
			side->buckets[i].excess = all->buckets[i].excess - moved.excess;
		} else if (!dear) {
			side->buckets[i] = i < border ? all->buckets[i] : moved;
		}
	}
	return 0;
}

/* `dips`: those that are cheap ones; or NULL. 0 or -ENOMEM. */
static int fill_cluster(
	struct costs *costs, const struct costs_kept *dips, uint32_t border, bool dear)
{
	struct rxcost_cluster *cluster = &costs->table.clusters[dear];
	double sum = histogram_part(&costs->all.costs, 0, UINT32_MAX).sum;
	struct costs_kept side = { 0 };
	struct part part;
	int error =
		take_side(&costs->all.costs, dips ? &dips->costs : NULL, border, dear, &side.costs);

	error |= take_side(
		&costs->all.senders, dips ? &dips->senders : NULL, border, dear, &side.senders);
	error |= take_side(&costs->all.acks, dips ? &dips->acks : NULL, border, dear, &side.acks);
	if (!error) {
		part = histogram_part(&side.costs, 0, UINT32_MAX);
		*cluster = (struct rxcost_cluster){
			.count = part.count,
			.median = part.median,
			.acks = histogram_part(&side.acks, 0, UINT32_MAX).count,
			.senders = histogram_part(&side.senders, 0, UINT32_MAX).count,
			.time_share = sum > 0 ? part.sum / sum : 0,
		};
	}
	histogram_clear(&side.costs);
	histogram_clear(&side.senders);
	histogram_clear(&side.acks);
	return error ? -ENOMEM : 0;
}

static int fill_clusters(struct costs *costs, const struct costs_kept *dips, uint32_t border)
{
	struct rxcost_table *table = &costs->table;

	if (fill_cluster(costs, dips, border, false) || fill_cluster(costs, dips, border, true))
		return -ENOMEM;
	table->ratio =
		(double)table->clusters[1].median / fmax((double)table->clusters[0].median, 1);
	return 0;
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

/* A dip beyond the border: see costs.h. */
static bool is_dip(const struct costs *costs, unsigned i, uint32_t border)
{
	return i && i + 1 < costs->table.newest_count &&
	       histogram_place(sample(costs, i)->cost) >= border &&
	       costs_is_dip(sample(costs, i - 1)->cost, sample(costs, i)->cost,
		       sample(costs, i + 1)->cost);
}

static int find_pattern(struct costs *costs, uint32_t border)
{
	uint64_t counts[DISTANCES + 1] = { 0 }, all = 0;
	uint64_t dear = histogram_part(&costs->all.costs, border, UINT32_MAX).median;
	struct histogram excess = { 0 }; /* of the dear packets behind dips */
	unsigned last = 0, most = 0;
	bool any = false;
	int error = 0;

	for (unsigned i = 0; i < costs->table.newest_count; i++) {
		if (histogram_place(sample(costs, i)->cost) < border)
			continue;
		if (is_dip(costs, i, border)) {
			uint64_t behind = sample(costs, i + 1)->cost;

			error |= histogram_add(&excess, behind > dear ? behind - dear : 0);
			continue;
		}
		if (any) {
			counts[i - last < DISTANCES ? i - last : DISTANCES]++;
			all++;
		}
		any = true;
		last = i;
	}
	costs->table.dips_excess = histogram_percentile(&excess, 0.5);
	histogram_clear(&excess);
	for (unsigned i = 1; i < DISTANCES; i++)
		most = counts[i] > counts[most] ? i : most;
	if (counts[most]) {
		costs->table.every = most;
		costs->table.every_share = (double)counts[most] / (double)all;
	}
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

/* Dear and cheap ones alternate, so that the order tells which is which. */
static bool order_tells(const struct rxcost_table *table)
{
	return table->every == 2 && 2 * table->every_share >= 1;
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
	if (!border)
		return fill_cluster(costs, NULL, UINT32_MAX, false);
	if (find_pattern(costs, border))
		return -ENOMEM;
	table->dips = histogram_part(&costs->dips.costs, border, UINT32_MAX).count;
	return fill_clusters(costs, order_tells(table) ? &costs->dips : NULL, border);
}

int costs_sum_up(struct costs *costs, uint64_t hz)
{
	struct rxcost_table *table = &costs->table;
	double data = histogram_part(&costs->with_ack, 0, UINT32_MAX).sum +
		      histogram_part(&costs->without_ack, 0, UINT32_MAX).sum;

	if (unroll(costs))
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
