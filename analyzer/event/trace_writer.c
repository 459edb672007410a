/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS_PER_PACKET \
	((TRACE_PACKET_BYTES - sizeof(struct trace_packet_header)) / sizeof(struct event))

/* One packet in memory, of one CPU's stream. */
struct trace_stream {
	int fd;
	bool used;          /* it has had events */
	uint32_t records;   /* in the packet below */
	uint64_t discarded; /* events that could not be written, since the beginning */
	struct {
		struct trace_packet_header header;
		struct event event[RECORDS_PER_PACKET];
	} packet;
};

static int write_all(int fd, const void *data, size_t bytes)
{
	const char *p = data;

	while (bytes) {
		ssize_t n = write(fd, p, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/*
 * When the packet begins and ends. One without records is the last of its stream: it has the time
 * of the stream's last event, or of the whole trace if the stream has none.
 */
static void set_times(struct trace_writer *writer, struct trace_stream *stream)
{
	struct trace_packet_header *header = &stream->packet.header;

	if (stream->records) {
		header->timestamp_begin = stream->packet.event[0].time;
		header->timestamp_end = stream->packet.event[stream->records - 1].time;
		if (header->timestamp_begin < writer->begin)
			writer->begin = header->timestamp_begin;
		if (header->timestamp_end > writer->end)
			writer->end = header->timestamp_end;
	} else if (stream->used) {
		header->timestamp_begin = header->timestamp_end;
	} else {
		header->timestamp_begin = writer->begin < writer->end ? writer->begin : writer->end;
		header->timestamp_end = writer->end;
	}
	stream->used = true;
}

static void write_packet(struct trace_writer *writer, struct trace_stream *stream, bool last)
{
	struct trace_packet_header *header = &stream->packet.header;
	size_t bytes = sizeof(*header) + stream->records * sizeof(struct event);
	int error = writer->error;

	set_times(writer, stream);
	header->content_size = header->packet_size = 8 * bytes;
	header->events_discarded = stream->discarded;
	header->last = last;
	if (!error)
		error = write_all(stream->fd, &stream->packet, bytes);
	if (error) { /* the whole trace ends here: a later packet behind a torn one is unreadable */
		writer->error = error;
		stream->discarded += stream->records;
	}
	stream->records = 0;
}

static void emit(struct event_sink *sink, unsigned cpu, const struct event *event)
{
	struct trace_writer *writer = (struct trace_writer *)sink;
	struct trace_stream *stream = &writer->streams[cpu];

	stream->packet.event[stream->records++] = *event;
	if (stream->records == RECORDS_PER_PACKET)
		write_packet(writer, stream, false);
}

/* A folder that holds something is refused: mixing two traces would lose both. */
static int make_folder(const char *folder, struct diag *diag)
{
	struct dirent *entry;
	DIR *dir;
	bool empty = true;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return diag_set(
			diag, -errno, "%s: can't make this folder: %s", folder, strerror(errno));
	dir = opendir(folder);
	if (!dir)
		return diag_set(
			diag, -errno, "%s: can't use this folder: %s", folder, strerror(errno));
	while ((entry = readdir(dir)))
		empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	closedir(dir);
	if (!empty)
		return diag_set(
			diag, -ENOTEMPTY, "%s: the folder for a trace must be empty", folder);
	return 0;
}

static int open_metadata(
	const char *folder, const struct trace_info *info, unsigned streams, struct diag *diag)
{
	char path[4096];
	FILE *out;
	int failed;

	if (snprintf(path, sizeof(path), "%s/metadata", folder) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "%s: name too long", folder);
	out = fopen(path, "w");
	if (!out)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	trace_metadata_write(out, info, streams);
	failed = ferror(out);
	if (fclose(out) || failed)
		return diag_set(diag, -EIO, "%s: can't be written", path);
	return 0;
}

static int open_stream(
	struct trace_writer *writer, unsigned cpu, const char *folder, struct diag *diag)
{
	struct trace_stream *stream = &writer->streams[cpu];
	struct trace_packet_header *header = &stream->packet.header;
	char path[4096];

	snprintf(path, sizeof(path), "%s/stream_%u", folder, cpu);
	stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (stream->fd < 0)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	header->magic = TRACE_MAGIC;
	memcpy(header->uuid, writer->info.uuid, sizeof(header->uuid));
	header->cpu_id = cpu;
	return 0;
}

static void release(struct trace_writer *writer)
{
	for (unsigned i = 0; i < writer->stream_count; i++) {
		if (writer->streams[i].fd >= 0)
			close(writer->streams[i].fd);
	}
	free(writer->streams);
	free(writer->path);
	writer->streams = NULL;
	writer->path = NULL;
}

int trace_writer_open(struct trace_writer *writer, const char *folder,
	const struct trace_info *info, unsigned streams, struct diag *diag)
{
	int error = make_folder(folder, diag);

	if (!error)
		error = open_metadata(folder, info, streams, diag);
	if (error)
		return error;
	*writer = (struct trace_writer){ .sink.emit = emit, .info = *info, .begin = UINT64_MAX };
	writer->path = strdup(folder);
	writer->streams = calloc(streams, sizeof(*writer->streams));
	if (!writer->path || !writer->streams) {
		release(writer);
		return diag_set(diag, -ENOMEM, "%s: no memory for the trace", folder);
	}
	writer->stream_count = streams;
	for (unsigned i = 0; i < streams; i++)
		writer->streams[i].fd = -1;
	for (unsigned i = 0; i < streams && !error; i++)
		error = open_stream(writer, i, folder, diag);
	if (error)
		release(writer);
	return error;
}

unsigned trace_name_record(
	struct event *event, enum name_kind kind, uint32_t index, const char *text, unsigned chunk)
{
	size_t bytes = strlen(text), at = (size_t)chunk * TRACE_NAME_BYTES;
	char part[TRACE_NAME_BYTES] = { 0 };

	*event = (struct event){
		.id = EVENT_NAME, .device = (uint8_t)kind, .queue = (uint8_t)chunk, .len = index
	};
	if (at < bytes)
		memcpy(part, text + at, bytes - at < sizeof(part) ? bytes - at : sizeof(part));
	memcpy(&event->packet, part, sizeof(event->packet));
	memcpy(&event->arg, part + sizeof(event->packet), sizeof(event->arg));
	return (unsigned)(bytes / TRACE_NAME_BYTES) + 1; /* the last one ends with a zero byte */
}

void trace_writer_name(struct trace_writer *writer, unsigned cpu, uint64_t time,
	enum name_kind kind, uint32_t index, const char *text)
{
	struct event event;
	unsigned chunk = 0, chunks;

	do {
		chunks = trace_name_record(&event, kind, index, text, chunk);
		event.time = time;
		emit(&writer->sink, cpu, &event);
	} while (++chunk < chunks);
}

/* Ends the streams that have had events, or those that haven't. */
static void end_streams(struct trace_writer *writer, bool used)
{
	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];

		if ((stream->used || stream->records) == used)
			write_packet(writer, stream, true);
	}
}

int trace_writer_close(struct trace_writer *writer, struct diag *diag)
{
	uint64_t discarded = 0;
	int error;

	end_streams(writer, true);
	end_streams(writer, false);
	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];

		if (close(stream->fd) && !writer->error)
			writer->error = -errno;
		stream->fd = -1;
		discarded += stream->discarded;
	}
	error = writer->error;
	if (error)
		diag_set(diag, error, "%s: trace incomplete, %" PRIu64 " events lost: %s",
			writer->path, discarded, strerror(-error));
	release(writer);
	return error;
}
