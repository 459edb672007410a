/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_event.h"

#include "raw_tasks.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_NAME 16 /* with the NUL: as long as names of devices are at most */

int raw_events_create(
	struct raw_events **raw, struct kernel_names *names, bool big_endian, unsigned long_bytes)
{
	struct raw_events *r = calloc(1, sizeof(*r));

	*raw = NULL;
	if (!r)
		return -ENOMEM;
	r->names = names;
	r->big_endian = big_endian;
	r->long_bytes = long_bytes;
	if (raw_tasks_create(&r->tasks)) {
		free(r);
		return -ENOMEM;
	}
	*raw = r;
	return 0;
}

int raw_events_add(struct raw_events *raw, const char *system, const char *format, size_t bytes,
	struct diag *diag)
{
	struct raw_plan *plan, **place = NULL;
	int error = raw_format_compile(
		system, format, bytes, raw->big_endian, raw->long_bytes, &plan, diag);

	if (error || !plan)
		return error;
	if (plan->type < RAW_TYPES)
		place = &raw->plans[raw->big_endian ? __builtin_bswap16((uint16_t)plan->type)
						    : plan->type];
	if (!place || *place) {
		raw_plan_destroy(plan);
		return 0;
	}
	*place = plan;
	raw->tell_tasks |= plan->kind->uses & FIELD_BIT(PROCESS);
	return 0;
}

int raw_events_task(struct raw_events *raw, int32_t pid, const char *comm, size_t bytes)
{
	return raw_tasks_name(raw->tasks, pid, comm, bytes);
}

int raw_events_fork(struct raw_events *raw, int32_t pid, int32_t parent)
{
	return raw_tasks_fork(raw->tasks, pid, parent);
}

void raw_events_hold_tasks(struct raw_events *raw)
{
	raw->hold_tasks = true;
}

bool raw_events_tell_tasks(const struct raw_events *raw)
{
	return raw->tell_tasks;
}

int raw_events_task_index(struct raw_events *raw, int32_t pid)
{
	return raw_tasks_index(raw->tasks, raw->names, pid);
}

/* All numbers of a record. See raw_format.h. */
static inline void load_numbers(struct raw_plan *plan, const uint8_t *data, bool big_endian)
{
	for (unsigned i = 0; i < plan->step_count; i++) {
		const struct raw_step *step = &plan->steps[i];
		uint64_t value = bytes_64(data + step->end - 8, big_endian);

		if (big_endian)
			value <<= step->shift;
		value = (uint64_t)((int64_t)value >> step->shift) & step->mask;
		plan->fields.number[step->field] = (int64_t)value;
	}
}

/* Whether all numbers are in their ranges. */
static bool can_be(const struct raw_plan *plan)
{
	for (unsigned i = 0; i < plan->check_count; i++) {
		enum kernel_field field = (enum kernel_field)plan->checks[i];
		const struct kernel_range *range = &kernel_ranges[field];
		int64_t value = plan->fields.number[field];

		if (value < range->low || value > range->high)
			return false;
	}
	return true;
}

/* Looks up a name of any length; it ends at its first NUL. Its index, or a negative errno. */
static __attribute__((noinline)) int look_up_name(
	struct raw_events *raw, const struct raw_plan *plan, const uint8_t *text, size_t bytes)
{
	const struct kernel_fields none = KERNEL_FIELDS_NONE;

	bytes = strnlen((const char *)text, bytes);
	if (!bytes)
		return (int)none.number[plan->name.field];
	return kernel_name(raw->names, plan->name.kind, (const char *)text, bytes);
}

/* The bytes that a word has of a shorter text, which ends with it. */
static uint64_t mask_of_end(size_t bytes)
{
	return bytes < 8 ? UINT64_MAX << 8 * (8 - bytes) : UINT64_MAX;
}

int raw_event_new_name(
	struct raw_events *raw, struct raw_plan *plan, const struct raw_record *record)
{
	const struct raw_text *where = &plan->name;
	const uint8_t *data = record->data;
	size_t offset = where->offset, bytes = where->bytes;
	struct raw_name name = { .location = 0 };

	if (where->form != RAW_TEXT_ARRAY) {
		uint32_t location = bytes_32(data + offset, raw->big_endian);

		name.location = bytes_32(data + offset, false);
		bytes = location >> 16;
		offset = where->form == RAW_TEXT_RELATIVE ? offset + 4 : 0;
		offset += location & UINT16_MAX;
	}
	if (offset < 8 || offset > record->bytes || bytes > record->bytes - offset)
		return -EBADMSG;
	name.index = look_up_name(raw, plan, data + offset, bytes);
	if (name.index < 0 || bytes - 1 >= SHORT_NAME)
		return name.index;
	name.end = (uint32_t)(offset + bytes);
	name.low_at = name.end - 8;
	name.low_mask = mask_of_end(bytes);
	name.low = bytes_64(data + name.low_at, false);
	if (bytes > 8) {
		name.high_at = (uint32_t)offset;
		name.high_mask = UINT64_MAX;
		name.high = bytes_64(data + offset, false);
	}
	plan->names[plan->next_name++ % RAW_NAMES] = name;
	return name.index;
}

/* The index of a reason's name; of a number that has none, of "0x12"; of no reason, "unknown". */
static __attribute__((noinline)) int reason_index(
	struct raw_events *raw, const struct raw_plan *plan, uint64_t value)
{
	const struct raw_symbol *symbol = raw_plan_symbol(plan, value);
	char number[24];

	if (!(plan->fields.present & FIELD_BIT(REASON)))
		return kernel_reason(raw->names, "", 0);
	if (symbol)
		return kernel_reason(raw->names, symbol->text, symbol->bytes);
	snprintf(number, sizeof(number), "0x%" PRIx64, value);
	return kernel_reason(raw->names, number, strlen(number));
}

int raw_event_new_reason(struct raw_events *raw, struct raw_plan *plan, uint64_t value)
{
	int index = reason_index(raw, plan, value);

	if (index >= 0) {
		plan->reason_named = true;
		plan->reason_value = value;
		plan->reason_index = index;
	}
	return index;
}

/* Puts the index of a name in a field's place. 0, or the error that it is. */
static int set(struct raw_plan *plan, enum kernel_field field, int index)
{
	plan->fields.number[field] = index;
	return index < 0 ? index : 0;
}

static int look_up_names(
	struct raw_events *raw, struct raw_plan *plan, const struct raw_record *record)
{
	int64_t *number = plan->fields.number;
	int error = 0;

	if (plan->name.form != RAW_TEXT_NONE)
		error = set(plan, plan->name.field, raw_event_name(raw, plan, *record));
	if (!error && plan->kind->uses & FIELD_BIT(REASON))
		error = set(plan, FIELD_REASON,
			raw_event_reason(raw, plan, (uint64_t)number[FIELD_REASON]));
	if (!error && plan->kind->uses & FIELD_BIT(PROCESS))
		error = set(plan, FIELD_PROCESS,
			raw_event_process(raw, *record, (int32_t)number[FIELD_PROCESS]));
	return error;
}

int raw_event_error(int error)
{
	return error == -EBADMSG ? RAW_EVENT_UNPARSED : error;
}

int raw_event_parse_fields(struct raw_events *raw, struct raw_plan *plan,
	const struct raw_record *record, struct event *event)
{
	int error;

	if (raw->big_endian)
		load_numbers(plan, record->data, true);
	else
		load_numbers(plan, record->data, false);
	if (!can_be(plan))
		return RAW_EVENT_UNPARSED;
	error = look_up_names(raw, plan, record);
	if (error)
		return raw_event_error(error);
	kernel_event_make(plan->kind, &plan->fields, event);
	event->time = record->time;
	return RAW_EVENT_USED;
}

void raw_events_destroy(struct raw_events *raw)
{
	if (!raw)
		return;
	for (size_t i = 0; i < RAW_TYPES; i++)
		raw_plan_destroy(raw->plans[i]);
	raw_tasks_destroy(raw->tasks);
	free(raw);
}
