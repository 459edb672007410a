/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binary records of the kernel's tracepoints (the raw data of perf's samples, the entries of
 * trace.dat's ring buffers) become struct event, as kernel_event.h says. How they are laid out
 * stands in the trace: a text for each kind of event (tracefs' events/SYSTEM/NAME/format).
 *
 * A format is read once, by libtraceevent, and becomes a plan: where each field lies that the event
 * needs. So a record costs a few loads, whatever else the kernel has put into it.
 */
#ifndef ANALYZER_READ_RAW_EVENT_H
#define ANALYZER_READ_RAW_EVENT_H

#include "bytes.h"
#include "diag.h"
#include "kernel_event.h"
#include "raw_format.h"
#include <errno.h>

/* Of one format text. The longest of ours, kfree_skb's with its reasons, has 6 KiB. */
#define RAW_FORMAT_BYTES (64 * 1024)

/* Tasks whose names are kept; of those beyond only the number is known. */
#define RAW_TASKS ((size_t)1 << 17)

#define RAW_PID_UNKNOWN (-1)

#define RAW_TYPES 65536 /* the type of a record has 16 bits */

/* For raw_event.c, but for raw_event_parse, which is called for each event. */
struct raw_events {
	struct kernel_names *names;
	bool big_endian;
	unsigned long_bytes;
	struct raw_tasks *tasks;
	bool hold_tasks, tell_tasks;
	struct raw_plan *plans[RAW_TYPES]; /* by the type as it is read, in whatever byte order */
};

struct raw_record {
	uint64_t time;
	int32_t pid;      /* of the process; RAW_PID_UNKNOWN: the record's own common_pid */
	const void *data; /* begins with the type of the event, 16 bits */
	size_t bytes;     /* of data; nothing is read behind them */
};

enum raw_event_status {
	RAW_EVENT_SKIP,     /* of a kind that has no use here, or no format */
	RAW_EVENT_USED,     /* *event is filled */
	RAW_EVENT_UNPARSED, /* a known event without what it must have, or with a bad value */
};

/*
 * `names` must outlive the result. big_endian and long_bytes (4 or 8) are the recording machine's;
 * either byte order is read on either. 0 or -ENOMEM.
 */
int raw_events_create(
	struct raw_events **raw, struct kernel_names *names, bool big_endian, unsigned long_bytes);

/*
 * Adds the format of an event. Formats of no use are ignored, as is a second one of the same id. 0;
 * -EINVAL with a message ("the format of net:net_dev_xmit …", without the file's name) if it is one
 * of ours and can't be read; -ENOMEM.
 */
int raw_events_add(struct raw_events *raw, const char *system, const char *format, size_t bytes,
	struct diag *diag);

/* The name of a process from now on; it ends at its first NUL, if any. 0 or -ENOMEM. */
int raw_events_task(struct raw_events *raw, int32_t pid, const char *comm, size_t bytes);

/* A process has its parent's name until it gets its own. 0 or -ENOMEM. */
int raw_events_fork(struct raw_events *raw, int32_t pid, int32_t parent);

/*
 * From now on events have processes' ids in the place of their names' indices, because names are
 * known only when events are in the order of time: raw_events_task_index gives the index then.
 */
void raw_events_hold_tasks(struct raw_events *raw);

/* The largest id that is held; an event with a larger one is unparsed. Linux has 2^22 at most. */
#define RAW_PID_MOST ((1 << 24) - 2)

/* Whether there is a format of an event that tells who ran. */
bool raw_events_tell_tasks(const struct raw_events *raw);

/* The index of a process's name as it is now, or what kernel_task returns. */
int raw_events_task_index(struct raw_events *raw, int32_t pid);

/*
 * Returns an enum raw_event_status, or a negative errno: -EOVERFLOW if a kind of names is used up
 * (kernel_names.used_up), -ENOMEM.
 */
static inline int raw_event_parse(
	struct raw_events *raw, struct raw_record record, struct event *event);

void raw_events_destroy(struct raw_events *raw);

/* raw_event_parse by way of the fields: of any plan. */
int raw_event_parse_fields(struct raw_events *raw, struct raw_plan *plan,
	const struct raw_record *record, struct event *event);

/* What raw_event_parse returns where one of the functions below has failed. */
int raw_event_error(int error);

/*
 * The index of a plan's name; -EBADMSG if it isn't inside the record; or an errno. Where it isn't
 * one of those that were looked up last, it becomes one.
 */
int raw_event_new_name(
	struct raw_events *raw, struct raw_plan *plan, const struct raw_record *record);

/* Records are passed by their values up to where one is put into memory for a slower function. */
static inline int raw_event_name(
	struct raw_events *raw, struct raw_plan *plan, struct raw_record record)
{
	const uint8_t *data = record.data;
	struct raw_record unknown;
	uint32_t location =
		plan->name.form == RAW_TEXT_ARRAY ? 0 : bytes_32(data + plan->name.offset, false);

	for (unsigned i = 0; i < RAW_NAMES; i++) {
		const struct raw_name *name = &plan->names[i];

		if (name->location == location && record.bytes >= name->end &&
			!(((bytes_64(data + name->low_at, false) ^ name->low) & name->low_mask) |
				((bytes_64(data + name->high_at, false) ^ name->high) &
					name->high_mask)))
			return name->index;
	}
	unknown = record;
	return raw_event_new_name(raw, plan, &unknown);
}

/* The index of a reason's name, or an errno; it is kept, too. */
int raw_event_new_reason(struct raw_events *raw, struct raw_plan *plan, uint64_t value);

static inline int raw_event_reason(struct raw_events *raw, struct raw_plan *plan, uint64_t value)
{
	if (plan->reason_named && value == plan->reason_value)
		return plan->reason_index;
	return raw_event_new_reason(raw, plan, value);
}

/* A process's id, where that is held, or the index of its name; -EBADMSG, or an errno. */
static inline int raw_event_process(
	struct raw_events *raw, struct raw_record record, int32_t common_pid)
{
	int32_t pid = record.pid == RAW_PID_UNKNOWN ? common_pid : record.pid;

	if (!raw->hold_tasks)
		return raw_events_task_index(raw, pid);
	return pid >= 0 && pid <= RAW_PID_MOST ? pid : -EBADMSG;
}

static inline uint64_t raw_number_load(const uint8_t *data, const struct raw_number *number)
{
	return (uint64_t)((int64_t)bytes_64(data + number->end - 8, false) >> number->shift);
}

static inline uint64_t raw_number_put(const struct raw_number *number, uint64_t value)
{
	return (value & number->mask) << number->to;
}

static inline void raw_put_index(
	const struct kernel_place *place, uint64_t index, uint64_t *what, uint64_t *arg)
{
	if (place->word == WORD_WHAT)
		*what |= index << place->shift;
	else
		*arg |= index << place->shift;
}

static inline int raw_event_parse(
	struct raw_events *raw, struct raw_record record, struct event *event)
{
	const uint8_t *data = record.data;
	const struct raw_direct *direct;
	uint64_t first, second, part, what, arg, packet;
	struct raw_record other;
	struct raw_plan *plan;
	int index;

	if (record.bytes < sizeof(uint16_t))
		return RAW_EVENT_UNPARSED;
	plan = raw->plans[bytes_16(data, false)];
	if (!plan)
		return RAW_EVENT_SKIP;
	if (record.bytes < plan->bytes)
		return RAW_EVENT_UNPARSED;
	if (!plan->direct.possible) {
		other = record;
		return raw_event_parse_fields(raw, plan, &other, event);
	}
	direct = &plan->direct;
	first = raw_number_load(data, &direct->parts[0]);
	second = raw_number_load(data, &direct->parts[1]);
	if ((first & direct->parts[0].excess) | (second & direct->parts[1].excess))
		return RAW_EVENT_UNPARSED;
	part = raw_number_put(&direct->parts[0], first);
	arg = direct->arg | raw_number_put(&direct->parts[1], second);
	what = direct->what | raw_number_put(&direct->len, raw_number_load(data, &direct->len));
	packet = bytes_64(data + direct->packet, false) & direct->packet_mask;
	if (plan->name.form != RAW_TEXT_NONE) {
		index = raw_event_name(raw, plan, record);
		if (index < 0)
			return raw_event_error(index);
		raw_put_index(&direct->name, (uint64_t)index, &what, &arg);
	}
	if (direct->reason) {
		index = raw_event_reason(raw, plan, part);
		if (index < 0)
			return raw_event_error(index);
		part = EVENT_PUT(FREE, reason, (uint64_t)index);
	}
	if (direct->task.word != WORD_NONE) {
		index = raw_event_process(raw, record,
			(int32_t)raw_number_put(&direct->pid, raw_number_load(data, &direct->pid)));
		if (index < 0)
			return raw_event_error(index);
		raw_put_index(&direct->task, (uint64_t)index + 1, &what, &arg);
	}
	*event = event_of(record.time, what, packet, arg | part);
	return RAW_EVENT_USED;
}

#endif
