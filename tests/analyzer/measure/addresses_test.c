/* SPDX-License-Identifier: BSD-3-Clause */
#include "addresses.h"

#include "harness.h"
#include <stdbool.h>
#include <stdlib.h>

static void enter(struct addresses *addresses, uint64_t address, uintptr_t value)
{
	CU_ASSERT_EQUAL_FATAL(addresses_reserve(addresses), 0);
	addresses_enter(addresses, addresses_slot(addresses, address), address, value);
}

static void an_address_has_a_value_until_it_is_removed(void)
{
	struct addresses addresses = { 0 };

	CU_ASSERT_EQUAL(addresses_get(&addresses, 0), 0);
	enter(&addresses, 0, 7);
	enter(&addresses, UINT64_MAX, 8);
	CU_ASSERT_EQUAL(addresses_get(&addresses, 0), 7);
	CU_ASSERT_EQUAL(addresses_get(&addresses, UINT64_MAX), 8);
	CU_ASSERT_EQUAL(addresses_get(&addresses, 1), 0);
	addresses_remove(&addresses, addresses_slot(&addresses, 0));
	CU_ASSERT_EQUAL(addresses_get(&addresses, 0), 0);
	CU_ASSERT_EQUAL(addresses_get(&addresses, UINT64_MAX), 8);
	CU_ASSERT_EQUAL(addresses.used, 1);
	addresses_clear(&addresses);
}

/* Frames of one pool, addresses that differ in the upper bits only, and dense ones. */
static void sequences_of_addresses_spread_evenly(void)
{
	static const uint64_t steps[] = { 1, 64, 256, 2304, 4096, 9216, UINT64_C(1) << 32,
		UINT64_C(1) << 40 };

	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
		struct addresses addresses = { 0 };
		size_t farthest = 0;

		for (uint64_t i = 0; i < 4000; i++)
			enter(&addresses, i * steps[s], 1);
		for (uint64_t i = 0; i < 4000; i++) {
			size_t home = addresses_hash(&addresses, i * steps[s]);
			size_t found = (size_t)(addresses_slot(&addresses, i * steps[s]) -
						addresses.slots);
			size_t distance = (found - home) & addresses.mask;

			farthest = distance > farthest ? distance : farthest;
		}
		CU_ASSERT(farthest < 32);
		addresses_clear(&addresses);
	}
}

/* A freed slot must not cut off what stands behind it, whatever the order. */
static void removals_leave_all_others_in_place(void)
{
	enum { COUNT = 3000 };
	bool *there = calloc(COUNT, sizeof(*there));
	struct addresses addresses = { 0 };
	uint64_t random = 7;

	CU_ASSERT_PTR_NOT_NULL_FATAL(there);
	for (int step = 0; step < 100000; step++) {
		uint64_t i;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		i = (random >> 33) % COUNT;
		CU_ASSERT_EQUAL_FATAL(addresses_get(&addresses, i * 2304), there[i] ? i + 1 : 0);
		if (there[i])
			addresses_remove(&addresses, addresses_slot(&addresses, i * 2304));
		else
			enter(&addresses, i * 2304, (uintptr_t)i + 1);
		there[i] = !there[i];
	}
	for (uint64_t i = 0; i < COUNT; i++)
		CU_ASSERT_EQUAL(addresses_get(&addresses, i * 2304), there[i] ? i + 1 : 0);
	addresses_clear(&addresses);
	free(there);
}

static const struct test_case cases[] = {
	{ "an address has a value until it is removed",
		an_address_has_a_value_until_it_is_removed },
	{ "sequences of addresses spread evenly", sequences_of_addresses_spread_evenly },
	{ "removals leave all others in place", removals_leave_all_others_in_place },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "addresses", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
