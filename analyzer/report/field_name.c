/* SPDX-License-Identifier: BSD-3-Clause */
#include "field_name.h"

#include <string.h>

/* How a field counts the names of a kind: an index, or one more than it with 0 for "not told". */
static const struct {
	const char *field;
	enum name_kind kind;
	unsigned from;
	bool zero_is_untold;
} rows[] = {
	{ "reason", NAME_REASON, 0, false }, /* 0 is a packet that was consumed */
	{ "process", NAME_TASK, 0, false },
	{ "task", NAME_TASK, 1, true },
	{ "name", NAME_IRQ, 0, true },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static size_t row_of(const struct event_field *field)
{
	size_t i = 0;

	while (i < ROWS && strcmp(rows[i].field, field->name) != 0)
		i++;
	return i;
}

enum name_kind field_kind(const struct event_field *field, unsigned *from)
{
	size_t i = row_of(field);

	if (i == ROWS)
		return NAME_KINDS;
	*from = rows[i].from;
	return rows[i].kind;
}

const char *field_name(const struct names *names, const struct event_field *field, uint64_t bits)
{
	unsigned from = 0;
	enum name_kind kind = field_kind(field, &from);

	if (kind == NAME_KINDS || bits < from)
		return NULL;
	return names_get(names, kind, (uint32_t)bits - from);
}

bool field_is_untold(const struct event_field *field, uint64_t bits)
{
	size_t i = row_of(field);

	return i < ROWS && rows[i].zero_is_untold && !bits;
}
