/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int devices_get(struct devices *devices, unsigned index, void **state)
{
	const char *name;

	*state = devices->by_index[index];
	if (*state)
		return 0;
	name = names_get(devices->names, NAME_DEVICE, index);
	if (!name)
		name = "(unknown)";
	if (devices->only && strcmp(devices->only, name) != 0)
		return 0;
	for (unsigned i = 0; i < devices->count && !*state; i++) {
		if (!strcmp(devices->entries[i].name, name))
			*state = devices->entries[i].state;
	}
	if (!*state) {
		*state = calloc(1, devices->bytes);
		if (!*state)
			return -ENOMEM;
		devices->entries[devices->count++] = (struct device_entry){ name, *state };
	}
	devices->by_index[index] = *state;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(
		((const struct device_entry *)a)->name, ((const struct device_entry *)b)->name);
}

void devices_sort(struct devices *devices)
{
	qsort(devices->entries, devices->count, sizeof(devices->entries[0]), by_name);
}

void devices_clear(struct devices *devices)
{
	for (unsigned i = 0; i < devices->count; i++)
		free(devices->entries[i].state);
	devices->count = 0;
}
