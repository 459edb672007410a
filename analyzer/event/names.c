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

/* The names of one kind: by index, and an open-addressing hash from text to index + 1. */
struct name_table {
	struct name *names;
	uint32_t count; /* one more than the largest index in use */
	uint32_t room;
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

		for (uint32_t i = 0; i < table->count; i++)
			free(table->names[i].text);
		free(table->names);
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
		name = &table->names[table->slots[i] - 1];
		if (name->hash == hash && name->bytes == bytes && !memcmp(name->text, text, bytes))
			return &table->slots[i];
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
	for (uint32_t i = 0; i < table->count; i++) {
		const struct name *name = &table->names[i];

		if (name->text)
			*find_slot(table, name->text, name->bytes, name->hash) = i + 1;
	}
	return 0;
}

static int grow_names(struct name_table *table, uint32_t count)
{
	uint32_t room = table->room ? table->room : 8;
	struct name *names;

	while (room < count)
		room *= 2;
	if (room != table->room) {
		names = realloc(table->names, room * sizeof(*names));
		if (!names)
			return -ENOMEM;
		memset(names + table->room, 0, (room - table->room) * sizeof(*names));
		table->names = names;
		table->room = room;
	}
	return 0;
}

/* A new index also gets a slot, unless another index already has the same text. */
static int enter(struct name_table *table, uint32_t index, const char *text, size_t bytes)
{
	struct name *name;
	uint32_t *slot;

	if (2 * (table->used + 1) > table->slot_count && grow_slots(table))
		return -ENOMEM;
	if (grow_names(table, index + 1))
		return -ENOMEM;
	name = &table->names[index];
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

	return index < table->count ? table->names[index].text : NULL;
}

uint32_t names_room(enum name_kind kind)
{
	return name_range[kind].last - name_range[kind].first + 1;
}

uint32_t names_count(const struct names *names, enum name_kind kind)
{
	return names->tables[kind].count;
}
