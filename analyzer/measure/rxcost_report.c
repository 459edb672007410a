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

#define DIP 9 /* a dip's neighbours cost more than a ninth more: it costs 10 % less than they */

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

static struct rxcost_cluster cluster_of(const struct costs *costs, uint32_t begin, uint32_t end)
{
	struct part part = histogram_part(&costs->all, begin, end);
	double sum = histogram_part(&costs->all, 0, UINT32_MAX).sum;

	return (struct rxcost_cluster){
		.count = part.count,
		.median = part.median,
		.acks = histogram_part(&costs->acks, begin, end).count,
		.senders = histogram_part(&costs->senders, begin, end).count,
		.time_share = sum > 0 ? part.sum / sum : 0,
	};
}

static void find_outliers(struct costs *costs, uint64_t unit, uint32_t border)
{
	struct part dear = histogram_part(&costs->all, border, UINT32_MAX);
	double fence = (double)dear.q3 * fence_factor(&dear, unit);
	uint32_t beyond;

	if (fence >= 0x1p63)
		return;
	costs->table.outlier_above = (uint64_t)fence;
	beyond = histogram_place(costs->table.outlier_above) + 1;
	costs->table.outliers = histogram_part(&costs->all, beyond, UINT32_MAX).count;
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
	struct part cheap = histogram_part(&costs->all, 0, border ? border : UINT32_MAX);
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

/*
 * Something (a cache that has been emptied, say) can make a cheap packet and the dear one behind it
 * dearer by the same amount, so that both are in the dear cluster. In the order of dear and cheap
 * it is the cheap one still, if it costs clearly less than both its neighbours, dear ones too.
 */
static bool is_dip(const struct costs *costs, unsigned i, uint32_t border)
{
	const uint64_t limit = sample(costs, i)->cost + sample(costs, i)->cost / DIP;

	return i && i + 1 < costs->table.newest_count && limit < sample(costs, i - 1)->cost &&
	       limit < sample(costs, i + 1)->cost &&
	       histogram_place(sample(costs, i)->cost) >= border;
}

/* Notes a dip, and by how much the dear packet behind it is dearer than they are. 0 or -ENOMEM. */
static int note_dip(struct costs *costs, unsigned i, struct histogram *excess)
{
	uint64_t cost = sample(costs, i + 1)->cost, median = costs->table.clusters[1].median;

	costs->table.dips++;
	return histogram_add(excess, cost > median ? cost - median : 0);
}

static int find_pattern(struct costs *costs, uint32_t border)
{
	uint64_t counts[DISTANCES + 1] = { 0 }, all = 0;
	struct histogram excess = { 0 };
	unsigned last = 0, most = 0;
	bool any = false;
	int error = 0;

	for (unsigned i = 0; i < costs->table.newest_count; i++) {
		if (histogram_place(sample(costs, i)->cost) < border)
			continue;
		if (is_dip(costs, i, border)) {
			error |= note_dip(costs, i, &excess);
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

static int find_clusters(struct costs *costs, uint64_t unit)
{
	struct rxcost_table *table = &costs->table;
	uint32_t border;

	if (clusters_find(&costs->all, unit, &border))
		return -ENOMEM;
	table->cluster_count = border ? 2 : 1;
	table->clusters[0] = cluster_of(costs, 0, border ? border : UINT32_MAX);
	find_outliers(costs, unit, border);
	if (border) {
		table->clusters[1] = cluster_of(costs, border, UINT32_MAX);
		table->ratio = (double)table->clusters[1].median /
			       fmax((double)table->clusters[0].median, 1);
		if (find_pattern(costs, border))
			return -ENOMEM;
	}
	return find_idle(costs, unit, border);
}

int costs_sum_up(struct costs *costs, uint64_t hz)
{
	struct rxcost_table *table = &costs->table;
	double data = histogram_part(&costs->with_ack, 0, UINT32_MAX).sum +
		      histogram_part(&costs->without_ack, 0, UINT32_MAX).sum;

	if (unroll(costs))
		return -ENOMEM;
	table->newest = costs->newest;
	table->packets = costs->all.count;
	table->cost = histogram_spread(&costs->all);
	table->per_packet =
		table->packets && (double)table->packets >= SHARE_OF_SINGLES * (double)table->pairs;
	table->with_ack = kind_of(&costs->with_ack, data);
	table->without_ack = kind_of(&costs->without_ack, data);
	return table->per_packet ? find_clusters(costs, costs_unit(costs, hz)) : 0;
}
