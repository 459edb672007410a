/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our own CTF traces: a stream for each CPU, merged by time, of equal times the lower CPU first.
 * Records are read where they are mapped; names are taken out of the streams as they pass.
 */
#include "ctf_metadata.h"
#include "ctf_stream.h"
#include "heap.h"
#include "reader_impl.h"
#include "regular.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METADATA_BYTES_MAX ((size_t)1024 * 1024) /* ours has about 10 kB */

/* A stream and its next event. */
struct lane {
	struct ctf_stream stream;
	struct event event;
	unsigned cpu;
	/* a name whose records are coming in */
	unsigned name_chunks;
	char name[256 * TRACE_NAME_BYTES + 1];
};

struct ctf_reader {
	struct reader reader;
	struct ctf_metadata metadata;
	struct lane *lanes;
	size_t lane_count;
	struct heap heap; /* of lanes */
};

/* One NAME record (trace_name_record, trace_writer.c). */
static int take_name(
	struct ctf_reader *ctf, struct lane *lane, const struct event *record, struct diag *diag)
{
	unsigned chunk = record->queue;
	char *text = lane->name + chunk * TRACE_NAME_BYTES;
	size_t bytes;
	int error;

	if (record->device >= NAME_KINDS)
		return ctf_stream_refuse(&lane->stream, "a name of an unknown kind", diag);
	if (chunk && chunk != lane->name_chunks)
		return ctf_stream_refuse(&lane->stream, "a part of a name is missing", diag);
	memcpy(text, &record->packet, 8);
	memcpy(text + 8, &record->arg, 8);
	lane->name_chunks = chunk + 1;
	bytes = strnlen(text, TRACE_NAME_BYTES);
	if (bytes == TRACE_NAME_BYTES && chunk < UINT8_MAX)
		return 0; /* it goes on */
	lane->name_chunks = 0;
	error = names_set(ctf->reader.names, (enum name_kind)record->device, record->len,
		lane->name, chunk * TRACE_NAME_BYTES + bytes);
	if (error == -ENOMEM)
		return diag_set(diag, error, "%s: no memory", ctf->reader.source.file);
	return error ? ctf_stream_refuse(&lane->stream, "a name twice, or out of range", diag) : 0;
}

/*
 * An index without a name is damage, unless a part of the trace is missing: then it gets a name, so
 * that what is there can be told apart.
 */
static int check_name(struct ctf_reader *ctf, const struct lane *lane, enum name_kind kind,
	uint32_t index, struct diag *diag)
{
	char text[32];

	if (names_get(ctf->reader.names, kind, index))
		return 0;
	if (!ctf->reader.counts.truncated)
		return ctf_stream_refuse(
			&lane->stream, "an event refers to a name that isn't there", diag);
	snprintf(text, sizeof(text), "unnamed-%u", index);
	if (names_set(ctf->reader.names, kind, index, text, strlen(text)) == -ENOMEM)
		return diag_set(diag, -ENOMEM, "%s: no memory", ctf->reader.source.file);
	return 0;
}

static int check_names(struct ctf_reader *ctf, const struct lane *lane, struct diag *diag)
{
	const struct event *event = &lane->event;
	enum name_kind kind = NAME_KINDS;
	uint64_t index = 0;
	int error = 0;

	if (event->device != EVENT_NO_DEVICE)
		error = check_name(ctf, lane, NAME_DEVICE, event->device, diag);
	if (event->id == EVENT_FREE) {
		kind = NAME_REASON;
		index = EVENT_GET(FREE, reason, event->arg);
	} else if (event->id == EVENT_IRQ_ENTRY) {
		kind = NAME_IRQ;
		index = EVENT_GET(IRQ_ENTRY, name, event->arg);
	} else if (event_task(event)) {
		if (!error)
			error = check_name(ctf, lane, NAME_TASK, event_task(event) - 1, diag);
	} else if (event->id == EVENT_SOCK_SEND || event->id == EVENT_SOCK_RECV) {
		return error ? error
			     : check_name(ctf, lane, NAME_TASK,
				       (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg), diag);
	}
	if (!error && index)
		error = check_name(ctf, lane, kind, (uint32_t)index, diag);
	return error;
}

/* Moves a lane to its next event. Returns 1; 0 at its end; or a negative errno. */
static int advance(struct ctf_reader *ctf, struct lane *lane, struct diag *diag)
{
	const struct event *record;
	uint64_t lost;
	int step, error;

	while ((step = ctf_stream_next(
			&lane->stream, ctf->metadata.info.uuid, &record, &lost, diag)) > 0) {
		lane->cpu = lane->stream.cpu;
		if (step == CTF_LOST) {
			lane->event = event_lost(ctf_stream_time(&lane->stream), lost, false);
			reader_saw(&ctf->reader, lane->event.time);
			reader_lost(&ctf->reader, lost, false);
			return 1;
		}
		if (record->id == EVENT_NAME) {
			error = take_name(ctf, lane, record, diag);
			if (error)
				return error;
			continue;
		}
		reader_saw(&ctf->reader, record->time);
		lane->event = *record;
		if (record->id == EVENT_LOST)
			reader_lost(&ctf->reader, EVENT_GET(LOST, count, record->arg),
				EVENT_GET(LOST, unknown, record->arg));
		else
			ctf->reader.counts.read++;
		if (record->id == EVENT_NONE || record->id >= EVENT_ID_COUNT)
			continue; /* of a later version: read, not used */
		return 1;
	}
	return step;
}

static struct heap_entry entry_of(const struct ctf_reader *ctf, uint32_t lane)
{
	return (struct heap_entry){ ctf->lanes[lane].event.time, ctf->lanes[lane].cpu, lane };
}

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	struct ctf_reader *ctf = (struct ctf_reader *)reader;
	struct lane *lane;
	uint32_t number;
	int status;

	if (!ctf->heap.count)
		return 0;
	number = ctf->heap.entries[0].item;
	lane = &ctf->lanes[number];
	*event = lane->event;
	*cpu = lane->cpu;
	status = check_names(ctf, lane, diag);
	if (!status)
		status = advance(ctf, lane, diag);
	if (status < 0)
		return status;
	if (status)
		heap_replace_top(&ctf->heap, entry_of(ctf, number));
	else
		heap_pop(&ctf->heap);
	return 1;
}

static void close_ctf(struct reader *reader)
{
	struct ctf_reader *ctf = (struct ctf_reader *)reader;

	for (size_t i = 0; i < ctf->lane_count; i++)
		ctf_stream_close(&ctf->lanes[i].stream);
	free(ctf->lanes);
	heap_free(&ctf->heap);
	reader_release(reader);
	free(ctf);
}

static const struct reader_format ctf_format = { .next = next, .close = close_ctf };

/* What was read besides the events, where the trace was converted from another. */
static void take_origin(struct reader *reader, const struct trace_info *info)
{
	reader->counts.read += info->unused;
	reader->counts.unparsed += info->unparsed;
	reader_saw(reader, info->last);
	if (info->cut)
		reader_truncated(reader, "what it was converted from was cut");
}

/* 1 if the trace isn't one of ours, 0, or a negative errno. */
static int read_metadata(struct ctf_reader *ctf, const char *folder, struct diag *diag)
{
	char path[4096], *text = NULL;
	int error = 0;
	FILE *file;
	int fd;

	if (snprintf(path, sizeof(path), "%s/metadata", folder) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "%s: name too long", folder);
	fd = regular_open(path);
	if (fd == -ENOENT)
		return 1;
	if (fd < 0)
		return diag_set(diag, fd, "%s: %s", path, strerror(-fd));
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return diag_set(diag, -ENOMEM, "%s: no memory", path);
	}
	text = calloc(1, METADATA_BYTES_MAX + 1);
	if (!text)
		error = diag_set(diag, -ENOMEM, "%s: no memory", path);
	else if (!fread(text, 1, METADATA_BYTES_MAX, file) && ferror(file))
		error = diag_set(diag, -EIO, "%s: can't be read", path);
	fclose(file);
	if (!error && !ctf_metadata_is_ours(text))
		error = 1;
	if (!error)
		error = ctf_metadata_parse(text, path, &ctf->metadata, diag);
	free(text);
	if (error)
		return error;
	if (!ctf->metadata.whole)
		reader_truncated(&ctf->reader, "its metadata is cut");
	take_origin(&ctf->reader, &ctf->metadata.info);
	return 0;
}

/* A stream that the metadata doesn't know of is no part of the trace, and the trace not whole. */
static int check_folder(const struct ctf_reader *ctf, const char *folder, struct diag *diag)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int error = 0;

	if (!dir)
		return diag_set(diag, -errno, "%s: %s", folder, strerror(errno));
	while (!error && (entry = readdir(dir))) {
		unsigned number;
		char rest;

		if (sscanf(entry->d_name, "stream_%9u%c", &number, &rest) == 1 &&
			number >= ctf->metadata.streams)
			error = diag_set(diag, -EINVAL,
				"%s/%s: the trace has %u streams, by its metadata, and this is "
				"none",
				folder, entry->d_name, ctf->metadata.streams);
	}
	closedir(dir);
	return error;
}

/* Opens the next lane, unless its stream is missing. */
static int open_lane(struct ctf_reader *ctf, const char *folder, unsigned number, struct diag *diag)
{
	struct ctf_stream *stream = &ctf->lanes[ctf->lane_count].stream;
	const char *what = "is cut: its last packet isn't there";
	char path[4200], why[64];
	int error;

	snprintf(path, sizeof(path), "%s/stream_%u", folder, number);
	error = ctf_stream_open(stream, path, ctf->metadata.info.uuid, diag);
	if (error && error != -ENOENT) {
		ctf->lane_count++; /* to be closed */
		return error;
	}
	if (error) {
		what = "is missing";
		ctf_stream_close(stream);
		*stream = (struct ctf_stream){ .truncated = true };
	} else {
		ctf->lane_count++;
	}
	snprintf(why, sizeof(why), "stream_%u %s", number, what);
	if (stream->truncated)
		reader_truncated(&ctf->reader, why);
	return 0;
}

static int open_lanes(struct ctf_reader *ctf, const char *folder, struct diag *diag)
{
	unsigned streams = ctf->metadata.streams;
	int error = check_folder(ctf, folder, diag);

	if (error)
		return error;
	ctf->lanes = calloc(streams, sizeof(*ctf->lanes));
	if (!ctf->lanes || heap_create(&ctf->heap, streams))
		return diag_set(diag, -ENOMEM, "%s: no memory", folder);
	for (unsigned i = 0; i < streams && !error; i++)
		error = open_lane(ctf, folder, i, diag);
	if (!error && !ctf->lane_count)
		error = diag_set(
			diag, -EINVAL, "%s: none of its %u streams is there", folder, streams);
	return error;
}

/*
 * Takes in the names at the begin of a stream, ahead of time: an event of the same time on a lower
 * CPU may refer to them.
 */
static int take_first_names(struct ctf_reader *ctf, struct lane *lane, struct diag *diag)
{
	const struct ctf_stream begin = lane->stream;
	const struct event *record;
	uint64_t lost;
	int step, error = 0;

	while (!error && (step = ctf_stream_next(
				  &lane->stream, ctf->metadata.info.uuid, &record, &lost, diag))) {
		if (step < 0)
			error = step;
		else if (step == CTF_RECORD && record->id != EVENT_NAME)
			break;
		else if (step == CTF_RECORD)
			error = take_name(ctf, lane, record, diag);
	}
	lane->stream = begin;
	lane->name_chunks = 0;
	return error;
}

static int start(struct ctf_reader *ctf, struct diag *diag)
{
	for (uint32_t i = 0; i < ctf->lane_count; i++) {
		int error = take_first_names(ctf, &ctf->lanes[i], diag);

		if (error)
			return error;
	}
	for (uint32_t i = 0; i < ctf->lane_count; i++) {
		int status = advance(ctf, &ctf->lanes[i], diag);

		if (status < 0)
			return status;
		if (status)
			heap_push(&ctf->heap, entry_of(ctf, i));
	}
	return 0;
}

int ctf_reader_open(const char *folder, const struct reader_options *options,
	struct reader **reader, struct diag *diag)
{
	struct ctf_reader *ctf = calloc(1, sizeof(*ctf));
	int error = ctf ? reader_prepare(&ctf->reader, &ctf_format, folder) : -ENOMEM;

	*reader = NULL;
	if (error)
		diag_set(diag, error, "%s: no memory", folder);
	if (!error)
		error = read_metadata(ctf, folder, diag);
	if (!error)
		error = reader_set_hz(&ctf->reader, ctf->metadata.info.hz, options, diag);
	if (!error)
		error = open_lanes(ctf, folder, diag);
	if (!error)
		error = start(ctf, diag);
	if (error && ctf)
		close_ctf(&ctf->reader);
	if (error)
		return error > 0 ? ctf_foreign_open(folder, options, reader, diag) : error;
	ctf->reader.source.format = "ctf";
	ctf->reader.source.clock =
		ctf->metadata.info.clock[0] ? ctf->metadata.info.clock : "cycles";
	reader_kernel(&ctf->reader, ctf->metadata.info.kernel, sizeof(ctf->metadata.info.kernel));
	ctf->reader.capacity = ctf->metadata.info.capacity;
	*reader = &ctf->reader;
	return 0;
}
