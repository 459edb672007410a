/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"

#include <stddef.h>

const struct event_field event_fields[] = {
#define X(id, field, shift, bits, style) { EVENT_##id, #field, shift, bits, EVENT_STYLE_##style },
	EVENT_FIELDS(X)
#undef X
		{ 0 },
};

static const char *const event_names[EVENT_ID_COUNT] = {
#define X(id, name) [EVENT_##id] = #name,
	EVENT_IDS(X)
#undef X
};

const char *event_name(unsigned id)
{
	return id < EVENT_ID_COUNT ? event_names[id] : NULL;
}
