/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that a perf.data has samples of, and which of them a record is of: each has an id for
 * each CPU, which samples and other records hold unless all events are alike.
 */
#ifndef ANALYZER_READ_PERF_ATTRS_H
#define ANALYZER_READ_PERF_ATTRS_H

#include "diag.h"
#include "perf_layout.h"

#define PERF_LAYOUTS_MOST 1024
#define PERF_IDS_MOST     ((size_t)1 << 18) /* events x CPUs */

struct perf_id {
	uint64_t id;
	const struct perf_layout *layout; /* NULL: this slot is free */
};

struct perf_attrs {
	bool big_endian;
	struct perf_layout *layouts; /* no two are alike; they stay where they are */
	uint32_t layout_count;
	size_t plain_bytes; /* that a sample has of which that can be found out; 0: none is plain */
	struct perf_id *ids; /* open addressing, half of it in use at most */
	size_t id_slots;     /* a power of two, or 0 */
	size_t id_count;
	bool any_clock; /* false until the first was added */
	const char *clock;
};

/*
 * Adds an event; `ids` are the 8 bytes of each, `id_count` times. 0, -ENOMEM, or -EINVAL with a
 * message ("… at N" is the caller's to add): too small, or its samples can't be told from others'.
 */
int perf_attrs_add(struct perf_attrs *attrs, const uint8_t *attr, size_t attr_bytes,
	const uint8_t *ids, size_t id_count, struct diag *diag);

/* The slot of an id, or the free one where it belongs. There must be slots. */
static inline struct perf_id *perf_attrs_slot(const struct perf_attrs *attrs, uint64_t id)
{
	size_t mask = attrs->id_slots - 1;
	size_t at = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (attrs->ids[at].layout && attrs->ids[at].id != id)
		at = (at + 1) & mask;
	return &attrs->ids[at];
}

/* The layout of an id; NULL if there is none. */
static inline const struct perf_layout *perf_attrs_find(const struct perf_attrs *attrs, uint64_t id)
{
	return attrs->id_slots ? perf_attrs_slot(attrs, id)->layout : NULL;
}

/* That of a sample: NULL if its event isn't known. The record has PERF_HEAD_BYTES at least. */
static inline const struct perf_layout *perf_attrs_sample(
	const struct perf_attrs *attrs, const uint8_t *record, size_t bytes)
{
	uint16_t at = attrs->layout_count ? attrs->layouts->id : 0;

	if (attrs->layout_count <= 1)
		return attrs->layouts;
	return bytes >= at + 8U ? perf_attrs_find(attrs, bytes_64(record + at, attrs->big_endian))
				: NULL;
}

/* That of the end of another record; NULL if there are no events. */
const struct perf_layout *perf_attrs_end(
	const struct perf_attrs *attrs, const uint8_t *record, size_t bytes);

void perf_attrs_free(struct perf_attrs *attrs);

#endif
