/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_attrs.h"

#include <errno.h>
#include <stdlib.h>

static int grow_ids(struct perf_attrs *attrs)
{
	struct perf_attrs larger = *attrs;

	larger.id_slots = attrs->id_slots ? 2 * attrs->id_slots : 64;
	larger.ids = calloc(larger.id_slots, sizeof(*larger.ids));
	if (!larger.ids)
		return -ENOMEM;
	for (size_t i = 0; i < attrs->id_slots; i++) {
		if (attrs->ids[i].layout)
			*perf_attrs_slot(&larger, attrs->ids[i].id) = attrs->ids[i];
	}
	free(attrs->ids);
	*attrs = larger;
	return 0;
}

static int add_id(
	struct perf_attrs *attrs, uint64_t id, const struct perf_layout *layout, struct diag *diag)
{
	struct perf_id *slot;

	if (2 * (attrs->id_count + 1) > attrs->id_slots && grow_ids(attrs))
		return diag_set(diag, -ENOMEM, "no memory");
	slot = perf_attrs_slot(attrs, id);
	if (!slot->layout) {
		if (attrs->id_count == PERF_IDS_MOST)
			return diag_set(
				diag, -EINVAL, "it has more than %zu ids of events", PERF_IDS_MOST);
		attrs->id_count++;
	}
	*slot = (struct perf_id){ id, layout };
	return 0;
}

/* The index of a layout, which is added if it is new. */
static int add_layout(struct perf_attrs *attrs, const struct perf_layout *layout, struct diag *diag)
{
	struct perf_layout *layouts = attrs->layouts;

	for (uint32_t i = 0; i < attrs->layout_count; i++) {
		if (!memcmp(&layouts[i], layout, sizeof(*layout)))
			return (int)i;
	}
	if (attrs->layout_count && (!layout->id || layout->id != attrs->layouts->id))
		return diag_set(diag, -EINVAL,
			"its events have samples of different forms, and it isn't told which has "
			"which");
	if (attrs->layout_count == PERF_LAYOUTS_MOST)
		return diag_set(diag, -EINVAL, "its events have more than %d forms of samples",
			PERF_LAYOUTS_MOST);
	if (!layouts) {
		layouts = calloc(PERF_LAYOUTS_MOST, sizeof(*layouts));
		if (!layouts)
			return diag_set(diag, -ENOMEM, "no memory");
		attrs->layouts = layouts;
	}
	layouts[attrs->layout_count] = *layout;
	if (layout->plain && !attrs->big_endian)
		attrs->plain_bytes = PERF_HEAD_BYTES + layouts->id + (size_t)8;
	return (int)attrs->layout_count++;
}

int perf_attrs_add(struct perf_attrs *attrs, const uint8_t *attr, size_t attr_bytes,
	const uint8_t *ids, size_t id_count, struct diag *diag)
{
	struct perf_layout layout;
	int index;

	if (attr_bytes < PERF_ATTR_BYTES_MIN)
		return diag_set(
			diag, -EINVAL, "the description of an event has %zu bytes", attr_bytes);
	perf_layout_make(&layout, attr, attrs->big_endian);
	if (layout.tracepoint && layout.raw && !layout.time)
		return diag_set(diag, -EINVAL, "its samples have no time (perf record -T)");
	index = add_layout(attrs, &layout, diag);
	if (index < 0)
		return index;
	if (!attrs->any_clock)
		attrs->clock = perf_attr_clock(attr, attr_bytes, attrs->big_endian);
	attrs->any_clock = true;
	for (size_t i = 0; i < id_count; i++) {
		int error = add_id(attrs, bytes_64(ids + 8 * i, attrs->big_endian),
			&attrs->layouts[index], diag);

		if (error)
			return error;
	}
	return 0;
}

const struct perf_layout *perf_attrs_end(
	const struct perf_attrs *attrs, const uint8_t *record, size_t bytes)
{
	const struct perf_layout *first = attrs->layouts, *found = NULL;

	if (attrs->layout_count > 1 && first->end_id && bytes >= 8U + first->end_id)
		found = perf_attrs_find(
			attrs, bytes_64(record + bytes - first->end_id, attrs->big_endian));
	return found ? found : first; /* what perf itself makes up has id 0 */
}

void perf_attrs_free(struct perf_attrs *attrs)
{
	free(attrs->layouts);
	free(attrs->ids);
}
