/* SPDX-License-Identifier: BSD-3-Clause */
#include "dql.h"

#include <stdbool.h>

/* How far a is beyond b; 0 if it isn't. */
static uint64_t beyond(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void watch_anew(struct dql *dql, uint64_t now)
{
	dql->watched_from = now;
	dql->least_excess = UINT64_MAX;
}

void dql_init(struct dql *dql, uint64_t limit_min, uint64_t limit_max, uint64_t hold, uint64_t now)
{
	*dql = (struct dql){ .limit_min = limit_min, .limit_max = limit_max, .hold = hold };
	watch_anew(dql, now);
}

void dql_queued(struct dql *dql, uint64_t bytes)
{
	dql->packet = bytes;
	dql->queued += bytes;
}

int64_t dql_available(const struct dql *dql)
{
	return (int64_t)(dql->allowed - dql->queued);
}

/*
 * What the device had more of than it needed. It had no use for what lies beyond twice what it got
 * done; and where the last packet went over the limit, its part within the limit would do as well.
 */
static uint64_t excess(const struct dql *dql, uint64_t bytes)
{
	uint64_t idle = beyond(dql->limit + dql->over_before, 2 * bytes), part = 0;

	if (dql->over_before)
		part = beyond(dql->packet_before, dql->over_before);
	return idle > part ? idle : part;
}

/* Less is enough if there was excess at each completion of a hold time. */
static uint64_t shrink(struct dql *dql, uint64_t bytes, uint64_t now)
{
	uint64_t limit = dql->limit, now_excess = excess(dql, bytes);

	if (now_excess < dql->least_excess)
		dql->least_excess = now_excess;
	if (now <= dql->watched_from + dql->hold)
		return limit;
	limit = beyond(limit, dql->least_excess);
	watch_anew(dql, now);
	return limit;
}

void dql_completed(struct dql *dql, uint64_t bytes, uint64_t now)
{
	uint64_t completed = dql->completed + bytes, limit = dql->limit;
	uint64_t over = beyond(dql->queued - dql->completed, limit);
	bool empty = dql->queued == completed;
	bool was_empty = dql->queued_before == dql->completed;
	bool old_done = completed >= dql->queued_before; /* all that was out last time */

	if ((over && empty) || (dql->over_before && old_done)) {
		limit += beyond(completed, dql->queued_before) + dql->over_before;
		watch_anew(dql, now);
	} else if (!empty && !was_empty && !old_done) {
		limit = shrink(dql, bytes, now);
	}
	limit = limit < dql->limit_min ? dql->limit_min : limit;
	limit = limit > dql->limit_max ? dql->limit_max : limit;
	if (limit != dql->limit)
		over = 0; /* it was measured against the limit of before */
	dql->limit = limit;
	dql->completed = completed;
	dql->allowed = completed + limit;
	dql->over_before = over;
	dql->queued_before = dql->queued;
	dql->packet_before = dql->packet;
}
