/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert_formats.h"

#include "field_name.h"
#include "trace_writer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A field that stands for a name. No event has more than one. */
struct reference {
	const struct event_field *field; /* NULL: the event has none */
	enum name_kind kind;
	unsigned from;
};

struct converter {
	struct convert_job job;
	struct trace_writer writer;
	bool open;
	struct reference references[EVENT_ID_COUNT];
	bool *written[NAME_KINDS]; /* names, by their index */
	uint32_t room[NAME_KINDS];
	uint64_t events;
};

static void find_references(struct converter *converter)
{
	for (const struct event_field *field = event_fields; field->name; field++) {
		unsigned from = 0;
		enum name_kind kind = field_kind(field, &from);

		if (kind != NAME_KINDS)
			converter->references[field->id] = (struct reference){ field, kind, from };
	}
}

/* Equal inputs make equal traces. (FNV-1a, of what the trace says of itself.) */
static void make_uuid(uint8_t uuid[16], const struct convert_job *job)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ job->source->hz;

	for (const char *p = job->source->file; *p; p++)
		hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	for (int i = 0; i < 16; i++) {
		hash = (hash ^ (uint8_t)i) * UINT64_C(0x100000001b3);
		uuid[i] = (uint8_t)(hash >> 56);
	}
}

static void close_ctf(struct converter *converter)
{
	struct diag diag;

	if (!converter)
		return;
	if (converter->open)
		trace_writer_close(&converter->writer, &diag);
	for (int kind = 0; kind < NAME_KINDS; kind++)
		free(converter->written[kind]);
	free(converter);
}

static void tell_source(struct trace_info *info, const struct trace_source *source)
{
	snprintf(info->clock, sizeof(info->clock), "%s", source->clock ? source->clock : "");
	snprintf(info->kernel, sizeof(info->kernel), "%s", source->kernel ? source->kernel : "");
}

static int open_ctf(struct converter **opened, const struct convert_job *job, struct diag *diag)
{
	struct trace_info info = {
		.hz = job->source->hz,
		.capacity = job->capacity,
		.offset_s = job->offset_s,
	};
	struct converter *converter = calloc(1, sizeof(*converter));
	int error;

	*opened = NULL;
	if (!converter)
		return diag_set(diag, -ENOMEM, "no memory");
	converter->job = *job;
	tell_source(&info, job->source);
	find_references(converter);
	if (job->uuid)
		memcpy(info.uuid, job->uuid, sizeof(info.uuid));
	else
		make_uuid(info.uuid, job);
	error = trace_writer_open(&converter->writer, job->folder, &info, 1, diag);
	converter->open = !error;
	if (error)
		close_ctf(converter);
	else
		*opened = converter;
	return error;
}

/* Whether the name is to be written now: 1, 0, or -ENOMEM. */
static int is_new(struct converter *converter, enum name_kind kind, uint32_t index)
{
	uint32_t room = converter->room[kind] ? converter->room[kind] : 64;
	bool *written;

	if (index < converter->room[kind] && converter->written[kind][index])
		return 0;
	while (room <= index)
		room *= 2;
	if (room != converter->room[kind]) {
		written = realloc(converter->written[kind], room);
		if (!written)
			return -ENOMEM;
		memset(written + converter->room[kind], 0, room - converter->room[kind]);
		converter->written[kind] = written;
		converter->room[kind] = room;
	}
	converter->written[kind][index] = true;
	return 1;
}

/*
 * A name goes into the first CPU's stream, whichever refers to it: of events of one time that
 * stream's are read first.
 */
static int write_name(
	struct converter *converter, uint64_t time, enum name_kind kind, uint32_t index)
{
	const char *text = names_get(converter->job.names, kind, index);
	int new = text ? is_new(converter, kind, index) : 0;

	if (new > 0)
		trace_writer_name(&converter->writer, 0, time, kind, index, text);
	return new < 0 ? new : 0;
}

static int event_ctf(
	struct converter *converter, unsigned cpu, const struct event *event, struct diag *diag)
{
	const struct reference *reference = &converter->references[event->id];
	int error = trace_writer_reach(&converter->writer, cpu + 1, diag);

	if (error)
		return error;
	if (event->device != EVENT_NO_DEVICE)
		error = write_name(converter, event->time, NAME_DEVICE, event->device);
	if (!error && reference->field) {
		uint64_t bits = event->arg >> reference->field->shift &
				((UINT64_C(1) << reference->field->bits) - 1);

		if (bits >= reference->from)
			error = write_name(converter, event->time, reference->kind,
				(uint32_t)bits - reference->from);
	}
	if (!error && event->id == EVENT_NAPI_POLL && event_task(event))
		error = write_name(converter, event->time, NAME_TASK, event_task(event) - 1);
	if (error)
		return diag_set(diag, error, "no memory");
	converter->events += event->id != EVENT_LOST;
	event_emit(&converter->writer.sink, cpu, *event);
	error = converter->writer.error;
	return error ? diag_set(diag, error, "%s: the trace can't be written: %s",
			       converter->job.folder, strerror(-error))
		     : 0;
}

static int finish_ctf(struct converter *converter, struct diag *diag)
{
	const struct trace_counts *counts = converter->job.counts;
	struct trace_info *info = &converter->writer.info;

	tell_source(info, converter->job.source); /* what is piped tells it behind its begin */
	info->unused = counts->read > converter->events ? counts->read - converter->events : 0;
	info->unparsed = counts->unparsed;
	info->last = counts->last;
	info->cut = counts->truncated;
	converter->writer.restate = true;
	converter->open = false;
	return trace_writer_close(&converter->writer, diag);
}

const struct convert_format convert_ctf = {
	.name = "ctf",
	.needs_hz = "a CTF trace tells its clock's frequency",
	.folder = true,
	.open = open_ctf,
	.event = event_ctf,
	.finish = finish_ctf,
	.close = close_ctf,
};
