/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comma-separated values (RFC 4180, with a line feed at a line's end): a header, then an event a
 * line. Each field of the vocabulary has a column, which is empty where an event doesn't have it,
 * or it isn't known.
 */
#include "convert_formats.h"

#include "cycles.h"
#include "fast_out.h"
#include "field_name.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Before the fields: time, cpu, event, device, queue, packet, len. */
#define COLUMNS_MAX 64

struct column {
	const char *name;
	const struct event_field
		*of[EVENT_ID_COUNT]; /* the field that an event has in it, or NULL */
};

struct converter {
	struct convert_job job;
	struct fast_out out;
	struct clean_names cleaned;
	struct column columns[COLUMNS_MAX];
	unsigned column_count;
};

/* Fields of one name share a column. A start's high bits are in "queue". */
static int make_columns(struct converter *converter)
{
	for (const struct event_field *field = event_fields; field->name; field++) {
		unsigned i = 0;

		if (!strcmp(field->name, "queue_high"))
			continue;
		while (i < converter->column_count &&
			strcmp(converter->columns[i].name, field->name) != 0)
			i++;
		if (i == COLUMNS_MAX)
			return -ENOSPC;
		converter->columns[i].name = field->name;
		converter->columns[i].of[field->id] = field;
		if (i == converter->column_count)
			converter->column_count++;
		/* a poll's task is in its len, as a copy's in its arg */
		if (field->id == EVENT_COPY)
			converter->columns[i].of[EVENT_NAPI_POLL] = field;
	}
	return 0;
}

static void close_csv(struct converter *converter)
{
	if (converter)
		clean_names_clear(&converter->cleaned);
	free(converter);
}

static int open_csv(struct converter **opened, const struct convert_job *job, struct diag *diag)
{
	struct converter *converter = calloc(1, sizeof(*converter));
	char *to;

	*opened = converter;
	if (!converter)
		return diag_set(diag, -ENOMEM, "no memory");
	converter->job = *job;
	converter->out.out = job->out;
	if (make_columns(converter))
		return diag_set(diag, -ENOSPC, "events have more fields than columns fit");
	to = fast_begin(&converter->out);
	to = fast_string(&converter->out, to, job->source->hz ? "time_ns" : "time_cycles");
	to = fast_text(to, ",cpu,event,device,queue,packet,len");
	for (unsigned i = 0; i < converter->column_count; i++) {
		to = fast_text(to, ",");
		to = fast_string(&converter->out, to, converter->columns[i].name);
	}
	fast_end(&converter->out, fast_text(to, "\n"));
	return 0;
}

/* In quotes where it must be, with quotes in it doubled. */
static char *put_text(struct fast_out *out, char *to, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")])
		return fast_string(out, to, text);
	to = fast_text(to, "\"");
	for (; *text; text++) {
		to = fast_next(out, to);
		if (*text == '"')
			to = fast_text(to, "\"");
		to = fast_bytes(out, to, text, 1);
	}
	return fast_text(to, "\"");
}

static char *put_hex(char *to, uint64_t number)
{
	return fast_hex(fast_text(to, "0x"), number);
}

static char *put_signed(char *to, int64_t number)
{
	if (number < 0)
		to = fast_text(to, "-");
	return fast_number(to, number < 0 ? -(uint64_t)number : (uint64_t)number, 0);
}

static char *put_field(
	struct converter *converter, char *to, const struct event_field *field, uint64_t arg)
{
	uint64_t bits = arg >> field->shift & (UINT64_MAX >> (64 - field->bits));
	unsigned from = 0;
	enum name_kind kind = field_kind(field, &from);
	const struct fast_word *name = NULL;

	if (kind != NAME_KINDS && bits >= from)
		name = clean_name(&converter->cleaned, converter->job.names, kind,
			(uint32_t)bits - from, CLEAN_TERMINAL);
	if (name)
		to = put_text(&converter->out, to, name->text);
	else if (field_is_untold(field, bits) ||
		 (field->id == EVENT_NAPI_POLL && bits == EVENT_WORK_UNKNOWN))
		return to;
	else if (field->style == EVENT_STYLE_hex)
		to = put_hex(to, bits);
	else if (field->style == EVENT_STYLE_signed)
		to = put_signed(to, (int64_t)(bits << (64 - field->bits)) >> (64 - field->bits));
	else
		to = fast_number(to, bits, 0);
	return to;
}

/* What comes before the fields. */
static char *put_head(
	struct converter *converter, char *to, unsigned cpu, const struct event *event)
{
	bool is_call = event->id == EVENT_SOCK_SEND || event->id == EVENT_SOCK_RECV;
	uint64_t hz = converter->job.source->hz;
	struct fast_out *out = &converter->out;
	const struct fast_word *device = clean_name(&converter->cleaned, converter->job.names,
		NAME_DEVICE, event->device, CLEAN_TERMINAL);

	to = fast_number(to, hz ? cycles_to_ns(event->time, hz) : event->time, 0);
	to = fast_text(to, ",");
	to = fast_number(to, cpu, 0);
	to = fast_text(to, ",");
	to = fast_string(out, to, event_name(event->id));
	to = fast_text(to, ",");
	to = put_text(out, to, device ? device->text : "");
	to = fast_text(to, ",");
	if (event_queue(event) != EVENT_QUEUE_UNKNOWN)
		to = fast_number(to, event_queue(event), 0);
	to = fast_text(to, ",");
	if (event->packet)
		to = put_hex(to, event->packet);
	to = fast_text(to, ",");
	if (is_call)
		to = put_signed(to, (int32_t)event->len);
	else if (event->len && event->id != EVENT_NAPI_POLL)
		to = fast_number(to, event->len, 0);
	return to;
}

static int event_csv(
	struct converter *converter, unsigned cpu, const struct event *event, struct diag *diag)
{
	char *to = fast_begin(&converter->out);

	(void)diag;
	to = put_head(converter, to, cpu, event);
	for (unsigned i = 0; i < converter->column_count; i++) {
		const struct event_field *field = converter->columns[i].of[event->id];

		to = fast_text(to, ",");
		if (field)
			to = put_field(converter, to, field,
				field->id == event->id ? event->arg : event->len);
	}
	fast_end(&converter->out, fast_text(to, "\n"));
	return 0;
}

static int finish_csv(struct converter *converter, struct diag *diag)
{
	(void)diag;
	fast_flush(&converter->out);
	return 0;
}

const struct convert_format convert_csv = {
	.name = "csv",
	.open = open_csv,
	.event = event_csv,
	.finish = finish_csv,
	.close = close_csv,
};
