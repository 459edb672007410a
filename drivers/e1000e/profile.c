/* SPDX-License-Identifier: BSD-3-Clause */
#include "e1000e.h"

#include <stddef.h>
#include <string.h>

/*
 * Reserve: MAX_SKB_FRAGS (18 then, with 4 KiB pages) + 2 in 2.6.35; MAX_SKB_FRAGS (17) + 1, a
 * descriptor each, + 4 in 6.1. Wake threshold and delays are the same in both. Before 6.1 believes
 * in a hang it flushes write-backs and looks again at the next check (since 2.6.39, for parts that
 * write back in bursts).
 *
 * em: what it does instead of stopping is in e1000e.h. It leaves TIDV and TADV alone, and its
 * thresholds are DEFAULT_TX_RS_THRESH and DEFAULT_TX_FREE_THRESH.
 */
const struct e1000e_profile e1000e_profiles[] = {
	{ .name = "linux-2.6.35", .reserve = 20, .wake_threshold = 32, .tidv = 8, .tadv = 32 },
	{ .name = "linux-6.1",
		.reserve = 22,
		.wake_threshold = 32,
		.tidv = 8,
		.tadv = 32,
		.xmit_more = true,
		.flush_before_hang = true },
	{ .name = "dpdk-em",
		.xmit_more = true,
		.context_reused = true,
		.never_stops = true,
		.rs_threshold = 32,
		.free_threshold = 32 },
	{ .name = NULL },
};

const struct e1000e_profile *e1000e_profile_find(const char *name)
{
	for (const struct e1000e_profile *p = e1000e_profiles; p->name; p++) {
		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

enum e1000e_throttle e1000e_throttle_kind(uint64_t rate)
{
	if (rate == 0)
		return E1000E_THROTTLE_OFF;
	if (rate == 1 || rate == 3 || rate == 4)
		return E1000E_THROTTLE_MODE;
	return rate >= 100 && rate <= 100000 ? E1000E_THROTTLE_FIXED : E1000E_THROTTLE_INVALID;
}
