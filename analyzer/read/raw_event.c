/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_event.h"

#include "bytes.h"
#include "raw_format.h"
#include "raw_tasks.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPES      65536 /* the type of a record has 16 bits */
#define SHORT_NAME 16    /* with the NUL: as long as names of devices are at most */

struct raw_events {
	struct kernel_names *names;
	bool big_endian;
	unsigned long_bytes;
	struct raw_tasks *tasks;
	bool hold_tasks, tell_tasks;
	struct raw_plan *plans[TYPES];
};

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
	struct raw_plan *plan;
	int error = raw_format_compile(
		system, format, bytes, raw->big_endian, raw->long_bytes, &plan, diag);

	if (error || !plan)
		return error;
	if (plan->type >= TYPES || raw->plans[plan->type]) {
		raw_plan_destroy(plan);
		return 0;
	}
	raw->plans[plan->type] = plan;
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

/*
 * The same for a name that isn't long, by way of those that this kind of event had last. Its bytes
 * are compared as two words: the 8 that end with it and, of a longer one, the 8 that begin it.
 */
static inline int short_name(
	struct raw_events *raw, struct raw_plan *plan, const uint8_t *text, size_t bytes)
{
	size_t unused = bytes > 8 ? 0 : 8 - bytes;
	uint64_t low = bytes_64(text + bytes - 8, false) >> 8 * unused;
	uint64_t high = bytes > 8 ? bytes_64(text, false) : 0;
	int index;

	for (unsigned i = 0; i < RAW_NAMES; i++) {
		const struct raw_name *name = &plan->names[i];

		if (!((name->low ^ low) | (name->high ^ high) | (name->bytes ^ bytes)))
			return name->index;
	}
	index = look_up_name(raw, plan, text, bytes);
	if (index >= 0)
		plan->names[plan->next_name++ % RAW_NAMES] =
			(struct raw_name){ low, high, bytes, index };
	return index;
}

/* The index of the device's or handler's name; -EBADMSG if it isn't inside the record; an errno. */
static inline int load_name(
	struct raw_events *raw, struct raw_plan *plan, const struct raw_record *record)
{
	const struct raw_text *where = &plan->name;
	const uint8_t *data = record->data;
	size_t offset = where->offset, bytes = where->bytes;

	if (where->form != RAW_TEXT_ARRAY) {
		uint32_t location = bytes_32(data + offset, raw->big_endian);

		bytes = location >> 16;
		offset = where->form == RAW_TEXT_RELATIVE ? offset + 4 : 0;
		offset += location & UINT16_MAX;
	}
	if (offset < 8 || offset > record->bytes || bytes > record->bytes - offset)
		return -EBADMSG;
	if (bytes - 1 < SHORT_NAME)
		return short_name(raw, plan, data + offset, bytes);
	return look_up_name(raw, plan, data + offset, bytes);
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

/* The same, by way of the last one. */
static inline int name_reason(struct raw_events *raw, struct raw_plan *plan, uint64_t value)
{
	if (!plan->reason_named || value != plan->reason_value) {
		int index = reason_index(raw, plan, value);

		if (index < 0)
			return index;
		plan->reason_named = true;
		plan->reason_value = value;
		plan->reason_index = index;
	}
	return plan->reason_index;
}

static int name_process(struct raw_events *raw, const struct raw_record *record, int32_t common_pid)
{
	int32_t pid = record->pid == RAW_PID_UNKNOWN ? common_pid : record->pid;

	if (!raw->hold_tasks)
		return raw_events_task_index(raw, pid);
	return pid >= 0 && pid <= RAW_PID_MOST ? pid : -EBADMSG;
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
		error = set(plan, plan->name.field, load_name(raw, plan, record));
	if (!error && plan->kind->uses & FIELD_BIT(REASON))
		error = set(
			plan, FIELD_REASON, name_reason(raw, plan, (uint64_t)number[FIELD_REASON]));
	if (!error && plan->kind->uses & FIELD_BIT(PROCESS))
		error = set(plan, FIELD_PROCESS,
			name_process(raw, record, (int32_t)number[FIELD_PROCESS]));
	return error;
}

/* By way of the fields: any plan. */
static __attribute__((noinline)) int parse_fields(struct raw_events *raw, struct raw_plan *plan,
	const struct raw_record *record, struct event *event)
{
	int error;

	if (raw->big_endian)
		load_numbers(plan, record->data, true);
	else
		load_numbers(plan, record->data, false);
	if (!can_be(plan))
		return -EBADMSG;
	error = look_up_names(raw, plan, record);
	if (error)
		return error;
	kernel_event_make(plan->kind, &plan->fields, event);
	event->time = record->time;
	return 0;
}

static inline uint64_t load(const uint8_t *data, const struct raw_number *number)
{
	return (uint64_t)((int64_t)bytes_64(data + number->end - 8, false) >> number->shift);
}

static inline uint64_t put(const struct raw_number *number, uint64_t value)
{
	return (value & number->mask) << number->to;
}

static inline int parse_direct(struct raw_events *raw, struct raw_plan *plan,
	const struct raw_record *record, struct event *event)
{
	const struct raw_direct *direct = &plan->direct;
	const uint8_t *data = record->data;
	uint64_t first = load(data, &direct->parts[0]), second = load(data, &direct->parts[1]);
	uint64_t what = direct->what | put(&direct->len, load(data, &direct->len));
	uint64_t arg = direct->arg | put(&direct->parts[1], second);
	uint64_t packet = put(&direct->packet, load(data, &direct->packet));
	uint64_t part = put(&direct->parts[0], first);
	int index;

	if ((first & direct->parts[0].excess) | (second & direct->parts[1].excess))
		return -EBADMSG;
	if (plan->name.form != RAW_TEXT_NONE) {
		index = load_name(raw, plan, record);
		if (index < 0)
			return index;
		if (direct->name.word == WORD_WHAT)
			what |= (uint64_t)index << direct->name.shift;
		else
			arg |= (uint64_t)index << direct->name.shift;
	}
	if (direct->reason) {
		index = name_reason(raw, plan, part);
		if (index < 0)
			return index;
		part = EVENT_PUT(FREE, reason, (uint64_t)index);
	}
	if (direct->task.word != WORD_NONE) {
		index = name_process(
			raw, record, (int32_t)put(&direct->pid, load(data, &direct->pid)));
		if (index < 0)
			return index;
		if (direct->task.word == WORD_WHAT)
			what |= ((uint64_t)index + 1) << direct->task.shift;
		else
			arg |= ((uint64_t)index + 1) << direct->task.shift;
	}
	*event = event_of(record->time, what, packet, arg | part);
	return 0;
}

int raw_event_parse(struct raw_events *raw, const struct raw_record *record, struct event *event)
{
	struct raw_plan *plan;
	int error;

	if (record->bytes < sizeof(uint16_t))
		return RAW_EVENT_UNPARSED;
	plan = raw->plans[bytes_16(record->data, raw->big_endian)];
	if (!plan)
		return RAW_EVENT_SKIP;
	if (record->bytes < plan->bytes)
		return RAW_EVENT_UNPARSED;
	error = plan->direct.possible ? parse_direct(raw, plan, record, event)
				      : parse_fields(raw, plan, record, event);
	if (error)
		return error == -EBADMSG ? RAW_EVENT_UNPARSED : error;
	return RAW_EVENT_USED;
}

void raw_events_destroy(struct raw_events *raw)
{
	if (!raw)
		return;
	for (size_t i = 0; i < TYPES; i++)
		raw_plan_destroy(raw->plans[i]);
	raw_tasks_destroy(raw->tasks);
	free(raw);
}
