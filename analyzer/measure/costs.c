/* SPDX-License-Identifier: BSD-3-Clause */
#include "costs.h"

#include "cycles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_AT_FIRST 256
#define MICROSECOND   1000 /* ns */
#define CLEARLY       9    /* more than a ninth more, so that the other is 10 % less */
#define NEITHER_MOST  2    /* dip nor peak, of eight */
#define RATIO_ONE     4096 /* a ratio of 1, in a histogram of whole numbers */

/*
 * Kendall's turning points: of n costs without an order 2 (n - 2) / 3 are dips or peaks, with a
 * variance of (16 n - 29) / 90. Where they alternate nearly all are.
 */
#define EXTREMES_LEAST 0.75
#define SIGMAS         3

static bool is_clearly_dearer(uint64_t cost, uint64_t than)
{
	return cost > than && cost - than > than / CLEARLY;
}

static bool is_dip(uint64_t before, uint64_t cost, uint64_t after)
{
	return is_clearly_dearer(before, cost) && is_clearly_dearer(after, cost);
}

static bool is_peak(uint64_t before, uint64_t cost, uint64_t after)
{
	return is_clearly_dearer(cost, before) && is_clearly_dearer(cost, after);
}

static enum rxcost_side judge(
	struct costs_order *order, uint64_t before, uint64_t cost, uint64_t after)
{
	bool dip = is_dip(before, cost, after), peak = is_peak(before, cost, after);

	order->extremes += dip || peak;
	order->neither = (uint8_t)(order->neither << 1 | !(dip || peak));
	if (dip)
		order->dip = cost;
	if (peak)
		order->peak = cost;
	if (__builtin_popcount(order->neither) > NEITHER_MOST)
		return RXCOST_UNTOLD;
	if (dip || peak)
		return peak ? RXCOST_DEAR : RXCOST_CHEAP;
	if (!order->dip || !order->peak)
		return RXCOST_UNTOLD;
	/* the middle of factors, as costs differ by those */
	return (double)cost > sqrt((double)order->dip * (double)order->peak) ? RXCOST_DEAR
									     : RXCOST_CHEAP;
}

bool costs_alternate(const struct costs *costs)
{
	double count = (double)costs->all.costs.count, extremes = (double)costs->order.extremes;
	double by_chance = 2 * (count - 2) / 3, sigma = sqrt((16 * count - 29) / 90);

	return count > 2 && extremes >= EXTREMES_LEAST * count &&
	       extremes >= by_chance + SIGMAS * sigma;
}

double costs_ratio(const struct costs *costs)
{
	return (double)histogram_percentile(&costs->ratios, 0.5) / RATIO_ONE;
}

static int keep(struct costs *costs, uint64_t cost, bool sent_ack)
{
	unsigned room = costs->room ? 2 * costs->room : ROOM_AT_FIRST;

	if (costs->table.newest_count == costs->room && costs->room < RXCOST_NEWEST) {
		struct rxcost_sample *newest = realloc(costs->newest, room * sizeof(*newest));

		if (!newest)
			return -ENOMEM;
		costs->newest = newest;
		costs->room = room;
		costs->next = costs->table.newest_count;
	}
	costs->newest[costs->next] = (struct rxcost_sample){ cost, sent_ack, RXCOST_UNTOLD };
	costs->next = (costs->next + 1) % RXCOST_NEWEST;
	costs->table.newest_count += costs->table.newest_count < RXCOST_NEWEST;
	return 0;
}

static int add_kept(struct costs_kept *kept, const struct pair *pair)
{
	int error = histogram_add(&kept->costs, pair->cost);

	if (pair->acks)
		error |= histogram_add(&kept->senders, pair->cost);
	for (uint32_t i = 0; i < pair->acks; i++)
		error |= histogram_add(&kept->acks, pair->cost);
	return error;
}

/*
 * The packet that came last, now that it is known what came behind it. Of the first and the last of
 * all the one neighbour stands for both. 0 or -ENOMEM.
 */
static int judge_last(struct costs *costs, uint64_t before, uint64_t after)
{
	const struct pair *last = &costs->last[1];
	enum rxcost_side side = judge(&costs->order, before, last->cost, after);
	int error = add_kept(&costs->sides[side], last);

	costs->newest[(costs->next ? costs->next : RXCOST_NEWEST) - 1].side = (uint8_t)side;
	if (side == RXCOST_DEAR && is_peak(before, last->cost, after)) {
		double beside = ((double)before + (double)after) / 2;
		double ratio = (double)last->cost / fmax(beside, 1) * RATIO_ONE;

		error |= histogram_add(&costs->ratios, (uint64_t)fmin(ratio, 0x1p63));
	}
	return error;
}

static int add_cost(struct costs *costs, const struct pair *pair)
{
	uint64_t before = costs->all.costs.count > 1 ? costs->last[0].cost : pair->cost;
	int error = costs->all.costs.count ? judge_last(costs, before, pair->cost) : 0;

	error |= add_kept(&costs->all, pair);
	costs->last[0] = costs->last[1];
	costs->last[1] = *pair;
	costs->finer |= pair->cost % MICROSECOND;
	if (pair->data)
		error |= histogram_add(
			pair->acks ? &costs->with_ack : &costs->without_ack, pair->cost);
	error |= keep(costs, pair->cost, pair->acks > 0);
	return error ? -ENOMEM : 0;
}

int costs_end(struct costs *costs)
{
	uint64_t beside = costs->last[costs->all.costs.count < 2].cost;

	return costs->all.costs.count ? judge_last(costs, beside, beside) : 0;
}

int costs_add(struct costs *costs, const struct pair *pair)
{
	costs->table.pairs++;
	costs->table.empty += !pair->packets;
	costs->table.several += pair->packets > 1;
	costs->table.held_irq += pair->irq;
	costs->table.acks_inside += pair->acks;
	return pair->packets == 1 ? add_cost(costs, pair) : 0;
}

static void clear_kept(struct costs_kept *kept)
{
	histogram_clear(&kept->costs);
	histogram_clear(&kept->senders);
	histogram_clear(&kept->acks);
}

static void clear_costs(struct costs *costs)
{
	clear_kept(&costs->all);
	for (unsigned i = 0; i < RXCOST_SIDES; i++)
		clear_kept(&costs->sides[i]);
	histogram_clear(&costs->ratios);
	memset(&costs->order, 0, sizeof(costs->order));
	histogram_clear(&costs->with_ack);
	histogram_clear(&costs->without_ack);
	free(costs->newest);
	costs->newest = NULL;
	costs->room = costs->next = 0;
	costs->finer = false;
}

uint64_t costs_unit(const struct costs *costs, uint64_t hz)
{
	return hz == CYCLES_NS_PER_S && !costs->finer ? MICROSECOND : 1;
}

/* Pairs before the first netif_receive_skb have turned out to be empty. */
void costs_restart(struct costs *costs)
{
	clear_costs(costs);
	costs->table.newest_count = 0;
	costs->table.empty = costs->table.pairs;
}

void costs_clear(struct costs *costs)
{
	clear_costs(costs);
	memset(costs, 0, sizeof(*costs));
}
