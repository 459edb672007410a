/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel's events mean, once for all forms in which they come: lines of text
 * (text_event.h), binary records (raw_event.h). A form fills a struct kernel_fields with what it
 * finds, by name; from that an event is made here. Kernels add and move fields: what is unknown is
 * skipped, what is absent stays unknown, and an event without what its kind needs is unparsed.
 */
#ifndef ANALYZER_READ_KERNEL_EVENT_H
#define ANALYZER_READ_KERNEL_EVENT_H

#include "event.h"
#include "names.h"
#include <stddef.h>

/* X(field, lowest value, highest value): what events of the vocabulary need. */
#define KERNEL_FIELDS(X)                                                                        \
	X(ADDRESS, INT64_MIN, INT64_MAX) /* skbaddr, napi, sk; 0 if the kernel hides it */      \
	X(DEVICE, 0, UINT8_MAX)   /* its index; EVENT_NO_DEVICE: the kernel blanked its name */ \
	X(HANDLER, 0, UINT16_MAX) /* of an interrupt: index of its name; 0: blanked */          \
	X(LEN, 0, UINT32_MAX)                                                                   \
	X(RC, INT32_MIN, INT32_MAX)                                                             \
	X(QUEUE, 0, UINT16_MAX)                                                                 \
	X(TRANSPORT, INT32_MIN, INT32_MAX)                                                      \
	X(TRANSPORT_VALID, 0, 1)                                                                \
	X(GSO_SIZE, 0, UINT16_MAX)                                                              \
	X(GSO_SEGS, 0, UINT16_MAX)                                                              \
	X(GSO_TYPE, 0, UINT32_MAX)                                                              \
	X(REASON, 0, UINT32_MAX) /* of a drop: its index, 0 if consumed (see kernel_reason) */  \
	X(IRQ, INT32_MIN, INT32_MAX)                                                            \
	X(VEC, 0, UINT8_MAX)                                                                    \
	X(WORK, INT32_MIN, INT32_MAX)                                                           \
	X(BUDGET, INT32_MIN, INT32_MAX)                                                         \
	X(FAMILY, INT64_MIN, INT64_MAX)                                                         \
	X(PROTOCOL, INT64_MIN, INT64_MAX)                                                       \
	X(RESULT, INT32_MIN, UINT32_MAX) /* of a socket's call: bytes, or a negative errno */   \
	X(ERROR, INT32_MIN, INT32_MAX)   /* of the same, where it stands apart; 0: none */      \
	X(FLAGS, INT32_MIN, UINT32_MAX)                                                         \
	X(PROCESS, INT32_MIN, INT32_MAX) /* index of the task's name (see kernel_task) */

enum kernel_field {
#define X(field, low, high) FIELD_##field,
	KERNEL_FIELDS(X)
#undef X
		FIELD_COUNT
};

struct kernel_range {
	int64_t low, high;
};

extern const struct kernel_range kernel_ranges[FIELD_COUNT];

#define FIELD_BIT(field) (UINT32_C(1) << FIELD_##field)

/* What an event says. Numbers of fields that aren't present are as in KERNEL_FIELDS_NONE. */
struct kernel_fields {
	uint32_t present; /* bits: 1 << field */
	int64_t number[FIELD_COUNT];
};

#define KERNEL_FIELDS_NONE                                   \
	{                                                    \
		.number = {                                  \
			[FIELD_DEVICE] = EVENT_NO_DEVICE,    \
			[FIELD_QUEUE] = EVENT_QUEUE_UNKNOWN, \
			[FIELD_WORK] = EVENT_WORK_UNKNOWN,   \
		},                                           \
	}

/* A field whose number is a part of event.arg as it is. */
struct kernel_part {
	uint8_t field;
	uint8_t shift;
	uint64_t mask; /* 0: there is none */
};

/*
 * Where a field's number stands in the event, of a kind that isn't special: in one of the words
 * that event_of (event.h) puts together, after a mask and shifted to the left.
 */
enum kernel_word { WORD_NONE, WORD_WHAT, WORD_PACKET, WORD_ARG };

struct kernel_place {
	uint8_t word; /* enum kernel_word */
	uint8_t shift;
	uint64_t mask;
};

/* A kind of event of the vocabulary. */
struct kernel_kind {
	const char *name;
	size_t name_bytes;
	const char *system; /* "": any */
	size_t system_bytes;
	uint16_t id;
	bool special;   /* its fields become more than parts of arg */
	uint32_t needs; /* fields without which there is no event */
	uint32_t uses;  /* all that are looked at, those too */
	/* of the task that ran: one more than its index */
	struct kernel_place task;
	uint64_t arg; /* what the kind itself says */
	struct kernel_part parts[2];
};

/*
 * The kind of an event's name, or NULL. A probe of the same name in another system
 * ("probe:consume_skb") is another event; system_bytes 0: not told.
 */
const struct kernel_kind *kernel_kind_find(
	const char *system, size_t system_bytes, const char *name, size_t name_bytes);

/*
 * Which of the fields that the kind uses a record's member is, by the name that
 * include/trace/events gives it ("skbaddr"); -1: none.
 */
int kernel_field_find(const struct kernel_kind *kind, const char *name);

/* The special part of kernel_event_make. */
void kernel_event_make_special(
	const struct kernel_kind *kind, const struct kernel_fields *fields, struct event *event);

static inline uint64_t kernel_part_arg(
	const struct kernel_part *part, const struct kernel_fields *fields)
{
	return ((uint64_t)fields->number[part->field] & part->mask) << part->shift;
}

struct kernel_place kernel_field_place(const struct kernel_kind *kind, enum kernel_field field);

/* A task stands in the event's arg or in its len, both 0 before. */
static inline void kernel_event_put_task(
	const struct kernel_kind *kind, uint64_t task, struct event *event)
{
	if (kind->task.word == WORD_ARG)
		event->arg |= (task & kind->task.mask) << kind->task.shift;
	else
		event->len = (uint32_t)task;
}

/*
 * Fills all of *event but its time. The fields must have all that the kind needs, and numbers in
 * their ranges. Of a poll, the packet is the struct napi, which tells the queues apart.
 */
static inline void kernel_event_make(
	const struct kernel_kind *kind, const struct kernel_fields *fields, struct event *event)
{
	event->id = kind->id;
	event->device = (uint8_t)fields->number[FIELD_DEVICE];
	event->queue = EVENT_NO_QUEUE;
	event->len = (uint32_t)fields->number[FIELD_LEN];
	event->packet = (uint64_t)fields->number[FIELD_ADDRESS];
	event->arg = kind->arg | kernel_part_arg(&kind->parts[0], fields) |
		     kernel_part_arg(&kind->parts[1], fields);
	if (kind->task.word != WORD_NONE && fields->present & FIELD_BIT(PROCESS))
		kernel_event_put_task(kind, (uint64_t)fields->number[FIELD_PROCESS] + 1, event);
	if (kind->special)
		kernel_event_make_special(kind, fields, event);
}

/* A name that was seen just now, so that it needn't be looked up again. */
struct kernel_recent {
	char text[32];
	size_t bytes;
	int index;
};

/* Names of one trace. Set `names`, the rest to 0. */
struct kernel_names {
	struct names *names;
	struct kernel_recent recent[NAME_KINDS];
	enum name_kind used_up; /* where -EOVERFLOW was returned */
};

/*
 * The index of a name, new or not; text needs no terminator. -EBADMSG: it can't be one; -EOVERFLOW:
 * the kind has no number left; -ENOMEM.
 */
int kernel_name(struct kernel_names *names, enum name_kind kind, const char *text, size_t bytes);

/* The same for the reason of a drop: 0 if the packet was consumed; "unknown" if there is none. */
int kernel_reason(struct kernel_names *names, const char *text, size_t bytes);

/* The same for a task, which is told by the digits of its process id and its command's name. */
int kernel_task(struct kernel_names *names, const char *pid, size_t pid_bytes, const char *comm,
	size_t comm_bytes);

#endif
