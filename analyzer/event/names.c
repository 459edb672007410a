/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct name {
	char *text; /* NULL: this index has no name yet */
	size_t bytes;
	uint32_t hash;
};

/* So many names are allocated together: a damaged trace may use any index, and a few far apart. */
#define PAGE_NAMES 64

/* The names of one kind: by index, and an open-addressing hash from text to index + 1. */
struct name_table {
	struct name **pages; /* NULL: none of its indices has a name */
	uint32_t page_room;
	uint32_t count; /* one more than the largest index in use */
	uint32_t *slots;
	uint32_t slot_count; /* a power of two, or 0; at most half of the slots are in use */
	uint32_t used;
};

struct names {
	struct name_table tables[NAME_KINDS];
};

/* First and last index of each kind: what the fields of struct event can hold. */
static const struct {
	uint32_t first, last;
} name_range[NAME_KINDS] = {
	[NAME_DEVICE] = { 0, 254 },
	[NAME_TASK] = { 0, (1 << 24) - 1 },
	[NAME_REASON] = { 1, UINT16_MAX },
	[NAME_IRQ] = { 1, UINT16_MAX },
};

/* FNV-1a, 32 bits. */
static uint32_t hash_text(const char *text, size_t bytes)
{
	uint32_t hash = UINT32_C(2166136261);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
	return hash;
}

/* Of an index that has a page. */
static struct name *name_at(const struct name_table *table, uint32_t index)
{
	return &table->pages[index / PAGE_NAMES][index % PAGE_NAMES];
}

struct names *names_create(void)
{
	return calloc(1, sizeof(struct names));
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	for (int kind = 0; kind < NAME_KINDS; kind++) {
		struct name_table *table = &names->tables[kind];

		for (uint32_t i = 0; i < table->page_room; i++) {
			for (int j = 0; table->pages[i] && j < PAGE_NAMES; j++)
				free(table->pages[i][j].text);
			free(table->pages[i]);
		}
		free(table->pages);
		free(table->slots);
	}
	free(names);
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t *find_slot(
	const struct name_table *table, const char *text, size_t bytes, uint32_t hash)
{
	uint32_t mask = table->slot_count - 1;

	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		const struct name *name;

		if (!table->slots[i])
			return &table->slots[i];
		name = name_at(table, table->slots[i] - 1);
		if (name->hash == hash && name->bytes == bytes && !memcmp(name->text, text, bytes))
			return &table->slots[i];
	}
}

/* The slots are double as many: the names of a page find theirs. */
static void enter_slots(struct name_table *table, uint32_t page)
{
	for (uint32_t i = 0; table->pages[page] && i < PAGE_NAMES; i++) {
		const struct name *name = &table->pages[page][i];

		if (name->text)
			*find_slot(table, name->text, name->bytes, name->hash) =
				page * PAGE_NAMES + i + 1;
	}
}

static int grow_slots(struct name_table *table)
{
	uint32_t count = table->slot_count ? 2 * table->slot_count : 16;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	for (uint32_t page = 0; page < table->page_room; page++)
		enter_slots(table, page);
	return 0;
}

/* Makes a place for the index. */
static int make_page(struct name_table *table, uint32_t index)
{
	uint32_t page = index / PAGE_NAMES, room = table->page_room ? table->page_room : 1;
	struct name **pages;

	while (room <= page)
		room *= 2;
	if (room != table->page_room) {
		pages = realloc(table->pages, room * sizeof(*pages));
		if (!pages)
			return -ENOMEM;
		memset(pages + table->page_room, 0, (room - table->page_room) * sizeof(*pages));
		table->pages = pages;
		table->page_room = room;
	}
	if (!table->pages[page])
		table->pages[page] = calloc(PAGE_NAMES, sizeof(**pages));
	return table->pages[page] ? 0 : -ENOMEM;
}

/* A new index also gets a slot, unless another index already has the same text. */
static int enter(struct name_table *table, uint32_t index, const char *text, size_t bytes)
{
	struct name *name;
	uint32_t *slot;

	if (2 * (table->used + 1) > table->slot_count && grow_slots(table))
		return -ENOMEM;
	if (make_page(table, index))
		return -ENOMEM;
	name = name_at(table, index);
	name->text = malloc(bytes + 1);
	if (!name->text)
		return -ENOMEM;
	memcpy(name->text, text, bytes);
	name->text[bytes] = '\0';
	name->bytes = bytes;
	name->hash = hash_text(text, bytes);
	if (index >= table->count)
		table->count = index + 1;
	slot = find_slot(table, text, bytes, name->hash);
	if (!*slot) {
		*slot = index + 1;
		table->used++;
	}
	return 0;
}

int names_intern(struct names *names, enum name_kind kind, const char *text, size_t bytes)
{
	struct name_table *table = &names->tables[kind];
	int found = names_find(names, kind, text, bytes);
	uint32_t index;
	int error;

	if (found >= 0)
		return found;
	index = table->count < name_range[kind].first ? name_range[kind].first : table->count;
	if (index > name_range[kind].last)
		return -ENOSPC;
	error = enter(table, index, text, bytes);
	return error ? error : (int)index;
}

int names_set(
	struct names *names, enum name_kind kind, uint32_t index, const char *text, size_t bytes)
{
	struct name_table *table;
	const char *old;

	if ((unsigned)kind >= NAME_KINDS || index < name_range[kind].first ||
		index > name_range[kind].last)
		return -ERANGE;
	table = &names->tables[kind];
	old = names_get(names, kind, index);
	if (old) /* a name is said once; saying it again is harmless, another one is not */
		return strlen(old) == bytes && !memcmp(old, text, bytes) ? 0 : -ERANGE;
	return enter(table, index, text, bytes);
}

int names_find(const struct names *names, enum name_kind kind, const char *text, size_t bytes)
{
	const struct name_table *table = &names->tables[kind];
	uint32_t found;

	if (!table->slot_count)
		return -ENOENT;
	found = *find_slot(table, text, bytes, hash_text(text, bytes));
	return found ? (int)(found - 1) : -ENOENT;
}

const char *names_get(const struct names *names, enum name_kind kind, uint32_t index)
{
	const struct name_table *table = &names->tables[kind];

	if (index >= table->count || !table->pages[index / PAGE_NAMES])
		return NULL;
	return name_at(table, index)->text;
}

uint32_t names_room(enum name_kind kind)
{
	return name_range[kind].last - name_range[kind].first + 1;
}

uint32_t names_count(const struct names *names, enum name_kind kind)
{
	return names->tables[kind].count;
}
