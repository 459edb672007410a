/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a measure knows of each device: a block of memory that is all zero when the device is first
 * seen. Devices are told apart by their names; two numbers may have the same.
 */
#ifndef ANALYZER_MEASURE_DEVICES_H
#define ANALYZER_MEASURE_DEVICES_H

#include "names.h"
#include <stddef.h>

#define DEVICES_MOST 256 /* what event.device can say */

struct device_entry {
	const char *name; /* as long as the names live */
	void *state;
};

/* All zero but for `bytes`, `names` and `only` is empty. */
struct devices {
	size_t bytes; /* of a device's state */
	const struct names *names;
	const char *only; /* the exact name of the one that is asked for, or NULL */
	void *by_index[DEVICES_MOST];
	struct device_entry entries[DEVICES_MOST];
	unsigned count;
};

/*
 * The state of the device with that number; NULL if it isn't asked for. 0 or -ENOMEM.
 * EVENT_NO_DEVICE is a device too, "(unknown)".
 */
int devices_get(struct devices *devices, unsigned index, void **state);

/* Sorts the entries by name, as bytes. Nothing is entered any more. */
void devices_sort(struct devices *devices);

/* Frees the states. What they own must be freed before. */
void devices_clear(struct devices *devices);

#endif
