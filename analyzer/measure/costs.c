/* SPDX-License-Identifier: BSD-3-Clause */
#include "costs.h"

#include "cycles.h"
#include <stdlib.h>
#include <string.h>

#define ROOM_AT_FIRST 256
#define MICROSECOND   1000 /* ns */

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
	costs->newest[costs->next] = (struct rxcost_sample){ cost, sent_ack };
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

static int add_cost(struct costs *costs, const struct pair *pair)
{
	int error = add_kept(&costs->all, pair);

	/* of the first two, whose costs are 0 here, it is true of neither */
	if (costs_is_dip(costs->last[0].cost, costs->last[1].cost, pair->cost))
		error |= add_kept(&costs->dips, &costs->last[1]);
	costs->last[0] = costs->last[1];
	costs->last[1] = *pair;
	costs->finer |= pair->cost % MICROSECOND;
	if (pair->data)
		error |= histogram_add(
			pair->acks ? &costs->with_ack : &costs->without_ack, pair->cost);
	error |= keep(costs, pair->cost, pair->acks > 0);
	return error ? -ENOMEM : 0;
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
	clear_kept(&costs->dips);
	memset(costs->last, 0, sizeof(costs->last));
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
