/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as JSON: nested as in a file. */
#include "setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *value_json(const struct setting *setting, const void *base)
{
	const void *value = (const char *)base + setting->offset;

	switch (setting->type) {
	case SETTING_COUNT:
		return json_integer((json_int_t) * (const uint64_t *)value);
	case SETTING_NUMBER:
		return isnan(*(const double *)value) ? json_null()
						     : json_real(*(const double *)value);
	case SETTING_SWITCH:
		return json_boolean(*(const bool *)value);
	default:
		return json_string((const char *)value);
	}
}

/* Stores under a dotted path, making the objects on the way. */
static void put(json_t *object, const char *path, json_t *value)
{
	const char *dot;
	char part[KEY_MOST];

	while ((dot = strchr(path, '.'))) {
		json_t *inner;

		snprintf(part, sizeof(part), "%.*s", (int)(dot - path), path);
		inner = json_object_get(object, part);
		if (!inner) {
			inner = json_object();
			json_object_set_new(object, part, inner);
		}
		object = inner;
		path = dot + 1;
	}
	json_object_set_new(object, path, value);
}

/* The lists in `lists`, which stand in the scenario or in an item. */
static void put_lists(
	json_t *object, const struct setting_list *lists, const void *base, enum scenario_use use)
{
	for (const struct setting_list *list = lists; list && list->key; list++) {
		unsigned count = *(const unsigned *)((const char *)base + list->count_offset);
		json_t *items;

		if (!setting_applies(list->key, use) || (list->overrides && !count))
			continue;
		items = json_array();
		for (unsigned i = 0; i < count; i++) {
			const char *at = (const char *)base + list->offset + i * list->item_bytes;
			json_t *item = json_object();

			for (const struct setting *s = list->items; s->key; s++) {
				if (setting_item_applies(s, at))
					put(item, s->key, value_json(s, at));
			}
			put_lists(item, list->lists, at, use);
			json_array_append_new(items, item);
		}
		put(object, list->key, items);
	}
}

json_t *setting_json(const struct scenario *scenario, enum scenario_use use)
{
	json_t *object = json_object();

	for (const struct setting *s = settings; s->key; s++) {
		if (setting_applies(s->key, use) &&
			strncmp(s->key, "published.", 10)) /* has a place of its own */
			put(object, s->key, value_json(s, scenario));
	}
	put_lists(object, setting_lists, scenario, use);
	return object;
}
