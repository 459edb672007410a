/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a merge takes next: of items (streams, sorted runs) that have an event, the one whose event
 * is the earliest is on top; of equal times the lower rank, then the lower item. Times stand in the
 * heap, so that comparing them touches no item.
 */
#ifndef ANALYZER_READ_HEAP_H
#define ANALYZER_READ_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct heap_entry {
	uint64_t time; /* of the item's next event */
	uint32_t rank;
	uint32_t item;
};

/* All zero is an empty heap without room. */
struct heap {
	struct heap_entry *entries; /* the first is the top */
	size_t count;
};

/* Makes room for so many entries. 0 or -ENOMEM. */
static inline int heap_create(struct heap *heap, size_t room)
{
	*heap = (struct heap){ .entries = malloc((room ? room : 1) * sizeof(*heap->entries)) };
	return heap->entries ? 0 : -ENOMEM;
}

static inline void heap_free(struct heap *heap)
{
	free(heap->entries);
	*heap = (struct heap){ 0 };
}

static inline bool heap_before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->rank != b->rank ? a->rank < b->rank : a->item < b->item;
}

/* Adds an entry, for which there must be room. */
static inline void heap_push(struct heap *heap, struct heap_entry entry)
{
	size_t at = heap->count++;

	while (at && heap_before(&entry, &heap->entries[(at - 1) / 2])) {
		heap->entries[at] = heap->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->entries[at] = entry;
}

/* Puts an entry in the place of the top; there must be one. */
static inline void heap_replace_top(struct heap *heap, struct heap_entry entry)
{
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < heap->count &&
			heap_before(&heap->entries[child + 1], &heap->entries[child]))
			child++;
		if (child >= heap->count || !heap_before(&heap->entries[child], &entry))
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = entry;
}

/* Takes the top away; there must be one. */
static inline void heap_pop(struct heap *heap)
{
	struct heap_entry last = heap->entries[--heap->count];

	if (heap->count)
		heap_replace_top(heap, last);
}

#endif
