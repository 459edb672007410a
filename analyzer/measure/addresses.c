/* SPDX-License-Identifier: BSD-3-Clause */
#include "addresses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 256

int addresses_grow(struct addresses *addresses)
{
	struct address_slot *old = addresses->slots;
	size_t count = old ? addresses->mask + 1 : 0;
	size_t new_count = old ? 2 * count : SLOTS_AT_FIRST;

	addresses->slots = calloc(new_count, sizeof(*addresses->slots));
	if (!addresses->slots) {
		addresses->slots = old;
		return -ENOMEM;
	}
	addresses->mask = new_count - 1;
	addresses->shift = 64 - (unsigned)__builtin_ctzll(new_count);
	for (size_t i = 0; i < count; i++) {
		if (old[i].value)
			*addresses_slot(addresses, old[i].address) = old[i];
	}
	free(old);
	return 0;
}

/*
 * What stands behind the slot and could stand there moves back, so that no search ends too early
 * and no tombstones pile up (Knuth, TAOCP 3, 6.4, algorithm R).
 */
void addresses_remove(struct addresses *addresses, struct address_slot *slot)
{
	size_t hole = (size_t)(slot - addresses->slots);

	for (size_t i = (hole + 1) & addresses->mask; addresses->slots[i].value;
		i = (i + 1) & addresses->mask) {
		size_t home = addresses_hash(addresses, addresses->slots[i].address);

		if (((i - home) & addresses->mask) >= ((i - hole) & addresses->mask)) {
			addresses->slots[hole] = addresses->slots[i];
			hole = i;
		}
	}
	addresses->slots[hole].value = 0;
	addresses->used--;
}

void addresses_clear(struct addresses *addresses)
{
	free(addresses->slots);
	memset(addresses, 0, sizeof(*addresses));
}
