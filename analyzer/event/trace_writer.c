/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS_PER_PACKET \
	((TRACE_PACKET_BYTES - sizeof(struct trace_packet_header)) / sizeof(struct event))
#define NAME_CHUNK_BYTES 16

/* One packet in memory, of one CPU's stream. */
struct trace_stream {
	int fd;
	uint32_t records;   /* in the packet below */
	uint64_t discarded; /* events that could not be written, since the beginning */
	struct {
		struct trace_packet_header header;
		struct event event[RECORDS_PER_PACKET];
	} packet;
};

static const char *const name_kind_text[NAME_KINDS] = {
	[NAME_DEVICE] = "device",
	[NAME_TASK] = "task",
	[NAME_REASON] = "reason",
	[NAME_IRQ] = "irq",
};

/* The bits of `arg` as CTF bit fields; bits that no field has are padding. */
static void write_fields(FILE *out, unsigned id)
{
	static const char *const type[] = {
		[EVENT_STYLE_unsigned] = "signed = false;",
		[EVENT_STYLE_signed] = "signed = true;",
		[EVENT_STYLE_hex] = "signed = false; base = 16;",
	};
	unsigned at = 0;

	for (const struct event_field *f = event_fields; f->name; f++) {
		if (f->id != id)
			continue;
		if (f->shift > at)
			fprintf(out, "\t\tinteger { size = %u; align = 1; } _pad%u;\n",
				f->shift - at, at);
		fprintf(out, "\t\tinteger { size = %u; align = 1; %s } %s;\n", f->bits,
			type[f->style], f->name);
		at = (unsigned)f->shift + f->bits;
	}
	if (at < 64)
		fprintf(out, "\t\tinteger { size = %u; align = 1; } _pad%u;\n", 64 - at, at);
}

static void write_event_class(FILE *out, unsigned id)
{
	fprintf(out,
		"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		event_name(id), id);
	if (id == EVENT_NAME) {
		/* device, queue, len, packet and arg hold kind, chunk, index and 16 bytes of text
		 */
		fprintf(out,
			"\t\tname_kind_t kind;\n\t\tuint8_t chunk;\n\t\tuint32_t index;\n"
			"\t\ttext_t text[%d];\n",
			NAME_CHUNK_BYTES);
	} else {
		fprintf(out, "\t\tuint8_t device;\n\t\tuint8_t queue;\n\t\tuint32_t len;\n"
			     "\t\taddress_t packet;\n");
		write_fields(out, id);
	}
	fprintf(out, "\t};\n};\n\n");
}

static void write_metadata(FILE *out, const struct trace_info *info)
{
	char uuid[37];
	const uint8_t *u = info->uuid;

	snprintf(uuid, sizeof(uuid),
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
		u[15]);
	fprintf(out, "/* CTF 1.8 */\n\n"
		     "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		     "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } "
		     ":= text_t;\n"
		     "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
		     "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		     "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		     "typealias integer { size = 64; align = 8; signed = false; base = 16; } := "
		     "address_t;\n"
		     "typealias enum : uint8_t {");
	for (int kind = 0; kind < NAME_KINDS; kind++)
		fprintf(out, "%s %s = %d", kind ? "," : "", name_kind_text[kind], kind);
	fprintf(out,
		" } := name_kind_t;\n\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n\t};\n};\n\n"
		"env {\n\ttracer_name = \"ringside\";\n\tlayout = 1;\n",
		uuid);
	if (info->capacity)
		fprintf(out, "\tcapacity = %" PRIu32 ";\n", info->capacity);
	fprintf(out,
		"};\n\n"
		"clock {\n\tname = cycles;\n\tuuid = \"%s\";\n\tfreq = %" PRIu64
		";\n\toffset_s = %" PRIu64 ";\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.cycles.value; } := stamp_t;\n\n"
		"stream {\n\tid = 0;\n\tpacket.context := struct {\n"
		"\t\tstamp_t timestamp_begin;\n\t\tstamp_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
		"\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t\tuint32_t _reserved;\n"
		"\t};\n\tevent.header := struct {\n\t\tstamp_t timestamp;\n\t\tuint16_t id;\n\t};\n"
		"};\n\n",
		uuid, info->hz, info->offset_s);
	for (unsigned id = EVENT_NONE + 1; id < EVENT_ID_COUNT; id++)
		write_event_class(out, id);
}

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

static void write_packet(struct trace_writer *writer, struct trace_stream *stream)
{
	struct trace_packet_header *header = &stream->packet.header;
	size_t bytes = sizeof(*header) + stream->records * sizeof(struct event);
	int error = writer->error;

	if (!stream->records)
		return;
	header->timestamp_begin = stream->packet.event[0].time;
	header->timestamp_end = stream->packet.event[stream->records - 1].time;
	header->content_size = header->packet_size = 8 * bytes;
	header->events_discarded = stream->discarded;
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
		write_packet(writer, stream);
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

static int open_metadata(const char *folder, const struct trace_info *info, struct diag *diag)
{
	char path[4096];
	FILE *out;
	int failed;

	if (snprintf(path, sizeof(path), "%s/metadata", folder) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "%s: name too long", folder);
	out = fopen(path, "w");
	if (!out)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	write_metadata(out, info);
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
		error = open_metadata(folder, info, diag);
	if (error)
		return error;
	*writer = (struct trace_writer){ .sink.emit = emit, .info = *info };
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
	size_t bytes = strlen(text), at = (size_t)chunk * NAME_CHUNK_BYTES;
	char part[NAME_CHUNK_BYTES] = { 0 };

	*event = (struct event){
		.id = EVENT_NAME, .device = (uint8_t)kind, .queue = (uint8_t)chunk, .len = index
	};
	if (at < bytes)
		memcpy(part, text + at, bytes - at < sizeof(part) ? bytes - at : sizeof(part));
	memcpy(&event->packet, part, sizeof(event->packet));
	memcpy(&event->arg, part + sizeof(event->packet), sizeof(event->arg));
	return (unsigned)(bytes / NAME_CHUNK_BYTES) + 1; /* the last one ends with a zero byte */
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

int trace_writer_close(struct trace_writer *writer, struct diag *diag)
{
	uint64_t discarded = 0;
	int error;

	for (unsigned i = 0; i < writer->stream_count; i++) {
		struct trace_stream *stream = &writer->streams[i];

		write_packet(writer, stream);
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
