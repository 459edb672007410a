/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A map from packet addresses to a word, in O(1): open addressing, at most half full.
 */
#ifndef ANALYZER_MEASURE_ADDRESSES_H
#define ANALYZER_MEASURE_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

struct address_slot {
	uint64_t address; /* any, also 0 */
	uintptr_t value;  /* 0: the slot is free */
};

/* All zero is empty. */
struct addresses {
	struct address_slot *slots;
	unsigned shift; /* of the hash: 64 - log2 of the number of slots */
	size_t mask, used;
};

/*
 * Addresses are multiples of an object's size, in runs. One multiplication would map a run to
 * another even sequence, which may fill slots in a row; two, with a shift between, leave no
 * pattern. (The constants are those of Vigna's SplitMix64.)
 */
static inline size_t addresses_hash(const struct addresses *addresses, uint64_t address)
{
	uint64_t mixed = (address ^ address >> 32) * UINT64_C(0xbf58476d1ce4e5b9);

	return (size_t)((mixed ^ mixed >> 32) * UINT64_C(0x94d049bb133111eb) >> addresses->shift);
}

/* The slot of the address, or the free one where it belongs. There must be slots. */
static inline struct address_slot *addresses_slot(
	const struct addresses *addresses, uint64_t address)
{
	size_t i = addresses_hash(addresses, address);

	while (addresses->slots[i].value && addresses->slots[i].address != address)
		i = (i + 1) & addresses->mask;
	return &addresses->slots[i];
}

/* The value of the address, or 0. */
static inline uintptr_t addresses_get(const struct addresses *addresses, uint64_t address)
{
	return addresses->used ? addresses_slot(addresses, address)->value : 0;
}

/* Doubles the number of slots, which move. 0 or -ENOMEM. */
int addresses_grow(struct addresses *addresses);

/* Makes place for one more address; slots may move. 0 or -ENOMEM. */
static inline int addresses_reserve(struct addresses *addresses)
{
	if (addresses->slots && 2 * addresses->used <= addresses->mask - 1)
		return 0;
	return addresses_grow(addresses);
}

/* Enters an address under a value that isn't 0, in the slot that addresses_slot found free. */
static inline void addresses_enter(
	struct addresses *addresses, struct address_slot *slot, uint64_t address, uintptr_t value)
{
	slot->address = address;
	slot->value = value;
	addresses->used++;
}

/* Frees a slot in use; others move. */
void addresses_remove(struct addresses *addresses, struct address_slot *slot);

/* Frees the memory; the map is empty again. */
void addresses_clear(struct addresses *addresses);

#endif
