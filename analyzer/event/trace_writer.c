/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_writer.h"

#include "write_all.h"
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

struct trace_packet {
	struct trace_packet_header header;
	struct event event[RECORDS_PER_PACKET];
};

/*
 * One CPU's stream. Its packets are used in turn: those from `written` to `filled` wait to be
 * written, the one at `filled` is being filled. Both counters only grow.
 */
struct trace_stream {
	struct event *next, *full;   /* where the next event goes; the end of its packet */
	struct trace_packet *packet; /* the one that is being filled */
	bool used;                   /* the stream has had events */
	uint64_t begin, end;         /* of all its events so far */
	uint64_t discarded;          /* events that found no room, since the beginning */
	struct trace_packet *packets;
	atomic_uint filled, written;
	uint64_t unwritten; /* events of packets that could not be written */
	int fd;
};

static void begin_packet(struct trace_stream *stream, struct trace_packet *packet)
{
	stream->packet = packet;
	stream->next = packet->event;
	stream->full = packet->event + RECORDS_PER_PACKET;
}

static size_t records_in(const struct trace_stream *stream)
{
	return (size_t)(stream->next - stream->packet->event);
}

static struct trace_packet *packet_at(
	const struct trace_writer *writer, const struct trace_stream *stream, unsigned number)
{
	return &stream->packets[number % (writer->waiting_most + 1)];
}

/* The whole trace ends with an error: a later packet behind a torn one is unreadable. */
static void write_packet(
	struct trace_writer *writer, struct trace_stream *stream, const struct trace_packet *packet)
{
	size_t bytes = packet->header.packet_size / 8;
	int error = writer->error;

	if (!error)
		error = write_all(stream->fd, packet, bytes);
	if (error) {
		writer->error = error;
		stream->unwritten += (bytes - sizeof(packet->header)) / sizeof(struct event);
	}
}

/* The packet has the events that it will have. */
static void complete(struct trace_stream *stream, bool last)
{
	struct trace_packet *packet = stream->packet;
	struct trace_packet_header *header = &packet->header;
	size_t records = records_in(stream);

	if (records) {
		header->timestamp_begin = packet->event[0].time;
		header->timestamp_end = packet->event[records - 1].time;
		if (header->timestamp_begin < stream->begin)
			stream->begin = header->timestamp_begin;
		if (header->timestamp_end > stream->end)
			stream->end = header->timestamp_end;
		stream->used = true;
	}
	header->content_size = header->packet_size =
		8 * (sizeof(*header) + records * sizeof(struct event));
	header->events_discarded = stream->discarded;
	header->last = last;
}

/* A full packet is written, or left to the thread that serves; the next one is begun. */
static __attribute__((noinline, cold)) void packet_is_full(
	struct trace_writer *writer, struct trace_stream *stream)
{
	unsigned filled = atomic_load_explicit(&stream->filled, memory_order_relaxed);
	struct trace_packet *next = stream->packet;

	complete(stream, false);
	if (!writer->waiting_most) {
		write_packet(writer, stream, stream->packet);
	} else if (filled - atomic_load_explicit(&stream->written, memory_order_acquire) <
		   writer->waiting_most) {
		next = packet_at(writer, stream, filled + 1);
		atomic_store_explicit(&stream->filled, filled + 1, memory_order_release);
		sem_post(&writer->waiting);
	} else {
		stream->discarded += RECORDS_PER_PACKET;
	}
	begin_packet(stream, next);
}

static void emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct trace_writer *writer = (struct trace_writer *)sink;
	struct trace_stream *stream = &writer->streams[cpu];

	*stream->next++ = event_of(time, what, packet, arg);
	if (stream->next == stream->full)
		packet_is_full(writer, stream);
}

static void write_waiting(struct trace_writer *writer, struct trace_stream *stream)
{
	unsigned written = atomic_load_explicit(&stream->written, memory_order_relaxed);

	while (written != atomic_load_explicit(&stream->filled, memory_order_acquire)) {
		write_packet(writer, stream, packet_at(writer, stream, written));
		atomic_store_explicit(&stream->written, ++written, memory_order_release);
	}
}

void trace_writer_serve(struct trace_writer *writer)
{
	while (!writer->dismissed) {
		if (sem_wait(&writer->waiting))
			continue; /* a signal */
		for (unsigned i = 0; i < writer->stream_count; i++)
			write_waiting(writer, &writer->streams[i]);
	}
}

void trace_writer_dismiss(struct trace_writer *writer)
{
	writer->dismissed = true;
	sem_post(&writer->waiting);
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

/* Packets for the stream, with what their headers have in common. 0 or -ENOMEM. */
static int make_packets(
	struct trace_stream *stream, unsigned cpu, unsigned packets, const uint8_t uuid[16])
{
	stream->packets = calloc(packets, sizeof(*stream->packets));
	if (!stream->packets)
		return -ENOMEM;
	for (unsigned i = 0; i < packets; i++) {
		struct trace_packet_header *header = &stream->packets[i].header;

		header->magic = TRACE_MAGIC;
		memcpy(header->uuid, uuid, sizeof(header->uuid));
		header->cpu_id = cpu;
	}
	begin_packet(stream, stream->packets);
	return 0;
}

static int open_stream(struct trace_stream *stream, unsigned cpu, const char *folder,
	const struct trace_info *info, struct diag *diag)
{
	char path[4096];

	if (make_packets(stream, cpu, 1, info->uuid))
		return diag_set(diag, -ENOMEM, "%s: no memory for the trace", folder);
	stream->begin = UINT64_MAX;
	snprintf(path, sizeof(path), "%s/stream_%u", folder, cpu);
	stream->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (stream->fd < 0)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

static void release(struct trace_writer *writer)
{
	for (unsigned i = 0; i < writer->stream_count; i++) {
		if (writer->streams[i].fd >= 0)
			close(writer->streams[i].fd);
		free(writer->streams[i].packets);
	}
	sem_destroy(&writer->waiting);
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
	*writer = (struct trace_writer){ .sink.emit = emit, .info = *info };
	sem_init(&writer->waiting, 0, 0);
	writer->path = strdup(folder);
	if (!writer->path)
		error = diag_set(diag, -ENOMEM, "%s: no memory for the trace", folder);
	if (!error)
		error = trace_writer_reach(writer, streams, diag);
	if (error)
		release(writer);
	writer->restate = false;
	return error;
}

int trace_writer_reach(struct trace_writer *writer, unsigned streams, struct diag *diag)
{
	struct trace_stream *grown;
	int error = 0;

	if (streams <= writer->stream_count)
		return 0;
	if (streams > TRACE_STREAMS_MOST)
		return diag_set(diag, -EINVAL, "%s: CPU %u: a trace has at most %d", writer->path,
			streams - 1, TRACE_STREAMS_MOST);
	grown = realloc(writer->streams, streams * sizeof(*grown));
	if (!grown)
		return diag_set(diag, -ENOMEM, "%s: no memory for the trace", writer->path);
	writer->streams = grown;
	writer->restate = true;
	while (!error && writer->stream_count < streams) {
		unsigned cpu = writer->stream_count++;

		grown[cpu] = (struct trace_stream){ .fd = -1 };
		error = open_stream(&grown[cpu], cpu, writer->path, &writer->info, diag);
	}
	return error;
}

int trace_writer_buffer(struct trace_writer *writer, unsigned packets)
{
	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];
		struct trace_packet *one = stream->packets;

		if (make_packets(stream, i, packets + 1, one->header.uuid)) {
			stream->packets = one;
			return -ENOMEM;
		}
		free(one);
	}
	writer->waiting_most = packets;
	return 0;
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
		event_emit(&writer->sink, cpu, event);
	} while (++chunk < chunks);
}

/*
 * The last packet of a stream. One without records has the time of the stream's last event, or of
 * the whole trace if the stream has none.
 */
static void end_stream(
	struct trace_writer *writer, struct trace_stream *stream, uint64_t begin, uint64_t end)
{
	struct trace_packet_header *header = &stream->packet->header;

	complete(stream, true);
	if (!records_in(stream)) {
		header->timestamp_begin = stream->used ? stream->end : begin;
		header->timestamp_end = stream->used ? stream->end : end;
	}
	write_packet(writer, stream, stream->packet);
}

static void end_streams(struct trace_writer *writer)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];

		write_waiting(writer, stream);
		complete(stream, true);
		begin = stream->begin < begin ? stream->begin : begin;
		end = stream->end > end ? stream->end : end;
	}
	begin = begin < end ? begin : end;
	for (unsigned i = 0; i < writer->stream_count; i++)
		end_stream(writer, &writer->streams[i], begin, end);
}

int trace_writer_close(struct trace_writer *writer, struct diag *diag)
{
	int error;

	end_streams(writer);
	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];

		if (close(stream->fd) && !writer->error)
			writer->error = -errno;
		stream->fd = -1;
		writer->lost += stream->discarded + stream->unwritten;
	}
	error = writer->error;
	if (!error && writer->restate)
		error = open_metadata(writer->path, &writer->info, writer->stream_count, diag);
	else if (error)
		diag_set(diag, error, "%s: trace incomplete, %" PRIu64 " events lost: %s",
			writer->path, writer->lost, strerror(-error));
	release(writer);
	return error;
}
