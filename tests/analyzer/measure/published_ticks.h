/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Costs of netif_receive_skb in ticks of 12 MHz, oldest first: the 512 numbers of a tg3 driver's
 * log that were published on netdev in 2005. Every second packet sends an ACK.
 */
#ifndef TESTS_ANALYZER_MEASURE_PUBLISHED_TICKS_H
#define TESTS_ANALYZER_MEASURE_PUBLISHED_TICKS_H

#include "harness.h"
#include <inttypes.h>
#include <stdio.h>

#define PUBLISHED_TICKS 512

static uint64_t published_ticks[PUBLISHED_TICKS];

static inline void read_published_ticks(void)
{
	FILE *file = fopen(TEST_FIXTURES "/cases/rxcost-published-ticks/input.txt", "r");
	unsigned count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (count < PUBLISHED_TICKS && fscanf(file, "%" SCNu64, &published_ticks[count]) == 1)
		count++;
	fclose(file);
	CU_ASSERT_EQUAL_FATAL(count, PUBLISHED_TICKS);
}

#endif
