/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What else than the kernel's fields is taken. */
enum { SLOT_PID = FIELD_COUNT, SLOT_COMM, SLOT_CYCLES, SLOT_PORT, SLOT_EXTRA, SLOT_COUNT };

/* LTTng's names of the kernel's events (lttng-modules, instrumentation/events). */
static const char *const aliases[][2] = {
	{ "skb_consume", "consume_skb" },
	{ "skb_kfree", "kfree_skb" },
	{ "irq_softirq_raise", "softirq_raise" },
	{ "irq_softirq_entry", "softirq_entry" },
	{ "irq_softirq_exit", "softirq_exit" },
	{ "net_if_receive_skb", "netif_receive_skb" },
	{ "net_if_rx", "netif_rx" },
	{ "net_napi_gro_receive_entry", "napi_gro_receive_entry" },
	{ "net_napi_gro_receive_exit", "napi_gro_receive_exit" },
	{ "net_napi_gro_frags_entry", "napi_gro_frags_entry" },
	{ "net_napi_gro_frags_exit", "napi_gro_frags_exit" },
	{ "net_if_receive_skb_entry", "netif_receive_skb_entry" },
	{ "net_if_receive_skb_exit", "netif_receive_skb_exit" },
};

/* Who sends and receives: perf's samples have it, LTTng's contexts can. The first counts. */
static const struct binding {
	const char *name;
	unsigned slot;
} process_bindings[] = {
	{ "perf_pid", SLOT_PID },
	{ "vpid", SLOT_PID },
	{ "pid", SLOT_PID },
	{ "procname", SLOT_COMM },
};

#define POINT_PREFIX "pmd.net.ringside."

#define B(field) FIELD_BIT(field)

#define POINT(point, event, fields)                                                         \
	{                                                                                   \
		.name = POINT_PREFIX point, .id = EVENT_##event,                            \
		.special = EVENT_##event == EVENT_START_XMIT, .needs = POINT_NEEDS(fields), \
		.uses = POINT_NEEDS(fields),                                                \
	}
#define POINT_NEEDS(fields) (B(DEVICE) | B(QUEUE) | (fields))

/* drivers/ringside/trace_points.h. How its irq was raised no event of the vocabulary says. */
static const struct kernel_kind points[] = {
	POINT("start_xmit", START_XMIT, B(ADDRESS) | B(LEN)),
	POINT("xmit", XMIT, B(ADDRESS) | B(LEN) | B(RC)),
	POINT("done", DONE, B(ADDRESS) | B(LEN)),
	POINT("free", FREE, B(ADDRESS) | B(LEN)),
	POINT("receive", RECEIVE, B(ADDRESS) | B(LEN)),
	POINT("stop", STOP, 0),
	POINT("wake", WAKE, 0),
};

static const struct binding point_bindings[] = {
	{ "cycles", SLOT_CYCLES },
	{ "port", SLOT_PORT },
	{ "queue", FIELD_QUEUE },
	{ "packet", FIELD_ADDRESS },
	{ "len", FIELD_LEN },
	{ "rc", FIELD_RC },
	{ "index", SLOT_EXTRA },
	{ "aborted", SLOT_EXTRA },
};

enum scope { SCOPE_PAYLOAD, SCOPE_SPECIFIC, SCOPE_COMMON, SCOPES };

/* A member that is a field. */
struct step {
	uint8_t scope;
	uint8_t slot;
	uint64_t member;
};

struct foreign_plan {
	const bt_event_class *class;    /* a reference of ours */
	const struct kernel_kind *kind; /* NULL: no use */
	bool point;
	uint32_t present; /* bits of the slots that have a step */
	unsigned step_count;
	struct step steps[SLOT_COUNT];
	struct foreign_plan *next;
};

/* What the steps find. */
struct values {
	struct kernel_fields fields;
	uint64_t extra[SLOT_COUNT - FIELD_COUNT]; /* SLOT_PID and so on */
	const char *name, *comm;
	char reason[64];
};

static int find_binding(const struct binding *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(rows[i].name, name))
			return (int)rows[i].slot;
	}
	return -1;
}

#define FIND(rows, name) find_binding(rows, sizeof(rows) / sizeof((rows)[0]), name)

/* The slot of a member, or -1. */
static int slot_of(const struct foreign_plan *plan, enum scope scope, const char *name)
{
	int slot = -1;

	if (plan->point)
		return scope == SCOPE_PAYLOAD ? FIND(point_bindings, name) : -1;
	if (scope == SCOPE_PAYLOAD)
		slot = kernel_field_find(plan->kind, name);
	if (slot >= 0 && slot != FIELD_PROCESS)
		return slot;
	return plan->kind->uses & B(PROCESS) ? FIND(process_bindings, name) : -1;
}

static bool fits(unsigned slot, bt_field_class_type type)
{
	if (slot == FIELD_DEVICE || slot == FIELD_HANDLER || slot == SLOT_COMM)
		return type == BT_FIELD_CLASS_TYPE_STRING;
	if (slot == FIELD_REASON && type == BT_FIELD_CLASS_TYPE_STRING)
		return true;
	return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) ||
	       type == BT_FIELD_CLASS_TYPE_BOOL;
}

static void bind_members(
	struct foreign_plan *plan, enum scope scope, const bt_field_class *structure)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);
		int slot = slot_of(plan, scope, bt_field_class_structure_member_get_name(member));

		if (slot < 0 || plan->present & 1u << slot ||
			!fits((unsigned)slot,
				bt_field_class_get_type(
					bt_field_class_structure_member_borrow_field_class_const(
						member))))
			continue;
		plan->present |= 1u << slot;
		plan->steps[plan->step_count++] = (struct step){
			.scope = (uint8_t)scope, .slot = (uint8_t)slot, .member = i
		};
	}
}

static const struct kernel_kind *find_point(const char *name)
{
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (!strcmp(points[i].name, name))
			return &points[i];
	}
	return NULL;
}

static const struct kernel_kind *find_kind(const char *name)
{
	const char *colon = strchr(name, ':');
	const char *event = colon ? colon + 1 : name;
	size_t system = colon ? (size_t)(colon - name) : 0;

	for (size_t i = 0; !colon && i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(aliases[i][0], event))
			event = aliases[i][1];
	}
	return kernel_kind_find(name, system, event, strlen(event));
}

static void make_plan(struct foreign_plan *plan, const bt_event_class *class)
{
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class);
	const char *name = bt_event_class_get_name(class);
	const bt_field_class *scopes[SCOPES] = {
		[SCOPE_PAYLOAD] = bt_event_class_borrow_payload_field_class_const(class),
		[SCOPE_SPECIFIC] = bt_event_class_borrow_specific_context_field_class_const(class),
		[SCOPE_COMMON] =
			bt_stream_class_borrow_event_common_context_field_class_const(stream),
	};

	plan->class = class;
	bt_event_class_get_ref(class);
	plan->kind = name ? find_point(name) : NULL;
	plan->point = plan->kind;
	if (name && !plan->kind)
		plan->kind = find_kind(name);
	for (int i = 0; plan->kind && i < SCOPES; i++)
		bind_members(plan, (enum scope)i, scopes[i]);
}

/* NULL only if there is no memory. */
static const struct foreign_plan *find_plan(
	struct foreign_events *events, const bt_event_class *class)
{
	struct foreign_plan **bucket =
		&events->plans[bt_event_class_get_id(class) % FOREIGN_BUCKETS];
	struct foreign_plan *plan = *bucket;

	while (plan && plan->class != class)
		plan = plan->next;
	if (plan)
		return plan;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return NULL;
	make_plan(plan, class);
	plan->next = *bucket;
	*bucket = plan;
	return plan;
}

/* The first label of an enumeration's value, or NULL. */
static const char *label_of(const bt_field *field)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t count = 0;
	int status = -1;

	if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)
		status = bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	else if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION)
		status = bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	return !status && count ? labels[0] : NULL;
}

static void take_text(struct values *values, unsigned slot, const char *text)
{
	if (slot == FIELD_DEVICE || slot == FIELD_HANDLER)
		values->name = text;
	else if (slot == SLOT_COMM)
		values->comm = text;
	else
		snprintf(values->reason, sizeof(values->reason), "%s", text);
}

/* A number of either sign; false if the slot can't hold it. */
static bool take_number(struct values *values, unsigned slot, uint64_t value, bool negative)
{
	int64_t number = (int64_t)value;

	if (slot >= FIELD_COUNT) {
		values->extra[slot - FIELD_COUNT] = value;
		return !negative;
	}
	values->fields.number[slot] = number;
	if (slot == FIELD_ADDRESS)
		return true;
	return negative == (number < 0) && number >= kernel_ranges[slot].low &&
	       number <= kernel_ranges[slot].high;
}

static bool take_field(struct values *values, unsigned slot, const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	const char *label = slot == FIELD_REASON ? label_of(field) : NULL;
	bool is_signed = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	uint64_t value;

	if (label || type == BT_FIELD_CLASS_TYPE_STRING) {
		take_text(values, slot, label ? label : bt_field_string_get_value(field));
		return true;
	}
	if (type == BT_FIELD_CLASS_TYPE_BOOL)
		value = bt_field_bool_get_value(field) ? 1 : 0;
	else if (is_signed)
		value = (uint64_t)bt_field_integer_signed_get_value(field);
	else
		value = bt_field_integer_unsigned_get_value(field);
	if (slot == FIELD_REASON)
		snprintf(values->reason, sizeof(values->reason), "0x%" PRIx64, value);
	return take_number(values, slot, value, is_signed && (int64_t)value < 0);
}

/* False if a value is one that its field can't have. */
static bool take_fields(
	const struct foreign_plan *plan, const bt_event *from, struct values *values)
{
	const bt_field *scopes[SCOPES] = {
		[SCOPE_PAYLOAD] = bt_event_borrow_payload_field_const(from),
		[SCOPE_SPECIFIC] = bt_event_borrow_specific_context_field_const(from),
		[SCOPE_COMMON] = bt_event_borrow_common_context_field_const(from),
	};

	values->fields.present = plan->present & ((1u << FIELD_COUNT) - 1);
	for (unsigned i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (!take_field(values, step->slot,
			    bt_field_structure_borrow_member_field_by_index_const(
				    scopes[step->scope], step->member)))
			return false;
	}
	return true;
}

/* The device or, of an interrupt, its handler. 0 or a negative errno. */
static int look_up_name(
	struct kernel_names *names, enum name_kind kind, const char *name, int64_t *number)
{
	size_t bytes = name ? strlen(name) : 0;
	int index;

	if (!bytes)
		return 0; /* blanked: it stays unknown */
	index = bytes > FOREIGN_NAME_BYTES ? -EBADMSG : kernel_name(names, kind, name, bytes);
	if (index >= 0)
		*number = index;
	return index < 0 ? index : 0;
}

/* A trace point only has the number of its port. */
static int name_port(
	struct kernel_names *names, const struct foreign_plan *plan, struct values *values)
{
	char port[32];

	if (!(plan->present & 1u << SLOT_PORT))
		return 0;
	snprintf(port, sizeof(port), "port %" PRIu64, values->extra[SLOT_PORT - FIELD_COUNT]);
	values->fields.present |= B(DEVICE);
	return look_up_name(names, NAME_DEVICE, port, &values->fields.number[FIELD_DEVICE]);
}

static int name_process(
	struct kernel_names *names, const struct foreign_plan *plan, struct values *values)
{
	uint64_t pid = values->extra[SLOT_PID - FIELD_COUNT];
	char digits[24], colon[26];
	const char *comm = values->comm;
	int index, bytes;

	if (!(plan->present & 1u << SLOT_PID))
		return 0;
	bytes = snprintf(digits, sizeof(digits), "%" PRIu64, pid);
	snprintf(colon, sizeof(colon), ":%s", digits); /* as perf prints one whose name it lacks */
	comm = comm ? comm : colon;
	index = kernel_task(names, digits, (size_t)bytes, comm, strlen(comm));
	values->fields.number[FIELD_PROCESS] = index;
	values->fields.present |= B(PROCESS);
	return index < 0 ? index : 0;
}

/* Words become indices. 0 or a negative errno. */
static int look_up_names(
	struct kernel_names *names, const struct foreign_plan *plan, struct values *values)
{
	uint32_t uses = plan->kind->uses;
	int64_t *number = values->fields.number, *reason = &number[FIELD_REASON];
	int error = 0;

	if (plan->point)
		error = name_port(names, plan, values);
	else if (uses & B(DEVICE))
		error = look_up_name(names, NAME_DEVICE, values->name, &number[FIELD_DEVICE]);
	else if (uses & B(HANDLER))
		error = look_up_name(names, NAME_IRQ, values->name, &number[FIELD_HANDLER]);
	if (!error && uses & B(PROCESS))
		error = name_process(names, plan, values);
	if (!error && uses & B(REASON)) {
		*reason = kernel_reason(names, values->reason, strlen(values->reason));
		error = *reason < 0 ? (int)*reason : 0;
	}
	return error;
}

/* What a trace point of ours tells beyond the kernel's events. */
static void finish_point(
	const struct foreign_plan *plan, const struct values *values, struct event *event)
{
	uint64_t extra = values->extra[SLOT_EXTRA - FIELD_COUNT];

	if (plan->present & 1u << SLOT_CYCLES)
		event->time = values->extra[SLOT_CYCLES - FIELD_COUNT];
	event->queue = (uint8_t)values->fields.number[FIELD_QUEUE];
	if (event->id == EVENT_XMIT)
		event->arg = EVENT_PUT(XMIT, rc, (uint64_t)values->fields.number[FIELD_RC]);
	else if (event->id == EVENT_DONE)
		event->arg = EVENT_PUT(DONE, index, extra);
	else if (event->id == EVENT_FREE)
		event->arg = EVENT_PUT(FREE, aborted, extra);
}

int foreign_event_parse(
	struct foreign_events *events, const bt_event *from, uint64_t time, struct event *event)
{
	const struct foreign_plan *plan = find_plan(events, bt_event_borrow_class_const(from));
	struct values values = { .fields = KERNEL_FIELDS_NONE };
	uint32_t needs;
	int error;

	if (!plan)
		return -ENOMEM;
	if (!plan->kind)
		return FOREIGN_SKIP;
	if (!take_fields(plan, from, &values))
		return FOREIGN_UNPARSED;
	error = look_up_names(events->names, plan, &values);
	if (error)
		return error == -EBADMSG ? FOREIGN_UNPARSED : error;
	needs = plan->kind->needs;
	if (plan->kind->id == EVENT_RECEIVE_BEGIN)
		needs &= ~B(DEVICE); /* LTTng doesn't tell it */
	if ((values.fields.present & needs) != needs)
		return FOREIGN_UNPARSED;
	kernel_event_make(plan->kind, &values.fields, event);
	event->time = time;
	if (plan->point)
		finish_point(plan, &values, event);
	return FOREIGN_USED;
}
