/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_event.h"

#include "text_fields.h"
#include <errno.h>
#include <string.h>

/* What a parser returns for an error of a name: only one that can't be a name is the line's fault.
 */
static int refused(int error)
{
	return error == -EBADMSG ? TEXT_EVENT_UNPARSED : error;
}

/* The handler's name is last and may hold blanks: it goes up to the end of the line. */
static void take_handler(const struct text_head *head, struct text_fields *line)
{
	const char *name = memmem(head->fields, (size_t)(head->end - head->fields), " name=", 6);

	if (name)
		line->name = (struct text_word){ name + 6, (size_t)(head->end - name) - 6 };
}

static void take_fields(
	const struct kernel_kind *kind, const struct text_head *head, struct text_fields *line)
{
	switch (kind->id) {
	case EVENT_NAPI_POLL:
		text_fields_napi(head->fields, line);
		break;
	case EVENT_SOCK_SEND:
	case EVENT_SOCK_RECV:
		text_fields_sock(head->fields, line);
		break;
	default:
		if (kind->uses)
			text_fields_words(head->fields, line);
		if (kind->id == EVENT_IRQ_ENTRY)
			take_handler(head, line);
	}
	line->fields.present |= kind->uses & FIELD_BIT(PROCESS); /* each line's head tells it */
}

/* Words become indices. 0 or a negative errno. */
static int look_up_names(struct kernel_names *names, const struct kernel_kind *kind,
	const struct text_head *head, struct text_fields *line)
{
	int64_t *number = line->fields.number;

	if (kind->uses & FIELD_BIT(DEVICE) && line->name.bytes) {
		number[FIELD_DEVICE] =
			kernel_name(names, NAME_DEVICE, line->name.text, line->name.bytes);
		if (number[FIELD_DEVICE] < 0)
			return (int)number[FIELD_DEVICE];
	}
	if (kind->uses & FIELD_BIT(HANDLER) && line->name.bytes) {
		number[FIELD_HANDLER] =
			kernel_name(names, NAME_IRQ, line->name.text, line->name.bytes);
		if (number[FIELD_HANDLER] < 0)
			return (int)number[FIELD_HANDLER];
	}
	if (kind->uses & FIELD_BIT(REASON)) {
		number[FIELD_REASON] = kernel_reason(names, line->reason.text, line->reason.bytes);
		if (number[FIELD_REASON] < 0)
			return (int)number[FIELD_REASON];
	}
	if (kind->uses & FIELD_BIT(PROCESS)) {
		number[FIELD_PROCESS] = kernel_task(
			names, head->pid, head->pid_bytes, head->task, head->task_bytes);
		if (number[FIELD_PROCESS] < 0)
			return (int)number[FIELD_PROCESS];
	}
	return 0;
}

/*
 * perf script --show-lost-events: "PERF_RECORD_LOST lost 20", "PERF_RECORD_LOST_SAMPLES lost 20".
 * The arg is 0 where none was lost.
 */
static int parse_perf_lost(const struct text_head *head, struct event *event)
{
	const char *end = NULL;
	uint64_t count;

	if (!strncmp(head->fields, "lost ", 5))
		end = text_parse_count(head->fields + 5, &count);
	if (!end || (*end != ' ' && *end != '\n'))
		return TEXT_EVENT_UNPARSED;
	*event = event_lost(head->time, count, false);
	return TEXT_EVENT_LOST;
}

static bool is_perf_lost(const struct text_head *head)
{
	static const char name[] = "PERF_RECORD_LOST_SAMPLES";

	return (head->name_bytes == 16 || head->name_bytes == sizeof(name) - 1) &&
	       !memcmp(head->name, name, head->name_bytes);
}

int text_event_parse(struct kernel_names *names, const struct text_head *head, struct event *event)
{
	const struct kernel_kind *kind =
		kernel_kind_find(head->system, head->system_bytes, head->name, head->name_bytes);
	struct text_fields line = { .fields = KERNEL_FIELDS_NONE };
	int error;

	if (!kind)
		return is_perf_lost(head) ? parse_perf_lost(head, event) : TEXT_EVENT_SKIP;
	take_fields(kind, head, &line);
	if (line.bad || (line.fields.present & kind->needs) != kind->needs)
		return TEXT_EVENT_UNPARSED;
	error = look_up_names(names, kind, head, &line);
	if (error)
		return refused(error);
	kernel_event_make(kind, &line.fields, event);
	event->time = head->time;
	return TEXT_EVENT_USED;
}
