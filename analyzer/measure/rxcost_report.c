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

/* A cluster is the part of `kept` whose costs stand in the buckets from `begin` to before `end`. */
static void fill_cluster(
	struct costs *costs, bool dear, const struct costs_kept *kept, uint32_t begin, uint32_t end)
{
	double sum = histogram_part(&costs->all.costs, 0, UINT32_MAX).sum;
	struct part part = histogram_part(&kept->costs, begin, end);

	costs->table.clusters[dear] = (struct rxcost_cluster){
		.count = part.count,
		.median = part.median,
		.acks = histogram_part(&kept->acks, begin, end).count,
		.senders = histogram_part(&kept->senders, begin, end).count,
		.time_share = sum > 0 ? part.sum / sum : 0,
	};
}

/* What the order doesn't tell is on the border's sides. 0 or -ENOMEM. */
static int add_untold(struct costs *costs, enum costs_side side, uint32_t begin, uint32_t end)
{
	const struct costs_kept *untold = &costs->sides[COSTS_UNTOLD];
	struct costs_kept *kept = &costs->sides[side];
	int error = histogram_add_part(&kept->costs, &untold->costs, begin, end);

	error |= histogram_add_part(&kept->senders, &untold->senders, begin, end);
	error |= histogram_add_part(&kept->acks, &untold->acks, begin, end);
	return error ? -ENOMEM : 0;
}

static int fill_by_order(struct costs *costs, uint32_t border)
{
	const struct costs_kept *cheap = &costs->sides[COSTS_CHEAP];
	const struct costs_kept *dear = &costs->sides[COSTS_DEAR];

	if (add_untold(costs, COSTS_CHEAP, 0, border) ||
		add_untold(costs, COSTS_DEAR, border, UINT32_MAX))
		return -ENOMEM;
	fill_cluster(costs, false, cheap, 0, UINT32_MAX);
	fill_cluster(costs, true, dear, 0, UINT32_MAX);
	costs->table.dips = histogram_part(&cheap->costs, border, UINT32_MAX).count;
	costs->table.peaks = histogram_part(&dear->costs, 0, border).count;
	return 0;
}

/* Two clusters, told apart by the border, or by their order. 0 or -ENOMEM. */
static int fill_clusters(struct costs *costs, uint32_t border)
{
	struct rxcost_table *table = &costs->table;

	table->by_order = costs_order_tells(costs);
	if (!table->by_order) {
		fill_cluster(costs, false, &costs->all, 0, border);
		fill_cluster(costs, true, &costs->all, border, UINT32_MAX);
	} else if (fill_by_order(costs, border)) {
		return -ENOMEM;
	}
	table->ratio_of_medians =
		(double)table->clusters[1].median / fmax((double)table->clusters[0].median, 1);
	table->ratio = table->by_order ? costs_ratio(costs) : table->ratio_of_medians;
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

/* Of the newest: which are dear, and how much more those behind dear dips cost than usual. */
static int find_pattern(struct costs *costs, uint32_t border)
{
	struct rxcost_table *table = &costs->table;
	const unsigned count = table->newest_count;
	struct costs_order order = { 0 };
	struct histogram excess = { 0 };
	uint64_t counts[DISTANCES + 1] = { 0 };
	unsigned last = count; /* the dear one before this; there is none yet */
	int error = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t cost = sample(costs, i)->cost, median = table->clusters[1].median;
		uint64_t after = sample(costs, i + 1 < count ? i + 1 : i ? i - 1 : i)->cost;
		uint64_t before = i ? sample(costs, i - 1)->cost : after;
		bool dear = histogram_place(cost) >= border;

		if (table->by_order) {
			enum costs_side side = costs_judge(&order, before, cost, after);

			if (side == COSTS_CHEAP && dear)
				error |=
					histogram_add(&excess, after > median ? after - median : 0);
			dear = side == COSTS_UNTOLD ? dear : side == COSTS_DEAR;
		}
		if (!dear)
			continue;
		if (last < count)
			counts[i - last < DISTANCES ? i - last : DISTANCES]++;
		last = i;
	}
	table->dips_excess = histogram_percentile(&excess, 0.5);
	histogram_clear(&excess);
	choose_distance(table, counts);
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
		return 0;
	}
	if (fill_clusters(costs, border))
		return -ENOMEM;
	return find_pattern(costs, border);
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
