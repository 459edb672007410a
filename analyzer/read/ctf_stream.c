/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_stream.h"

#include "regular.h"
#include "trace_writer.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int corrupt(
	const struct ctf_stream *stream, size_t offset, const char *what, struct diag *diag)
{
	return diag_set(diag, -EINVAL, "%s: damaged at offset %zu: %s", stream->path, offset, what);
}

static int check_header(const struct ctf_stream *stream, const struct trace_packet_header *header,
	const uint8_t uuid[16], struct diag *diag)
{
	size_t at = stream->packet;

	if (header->magic != TRACE_MAGIC)
		return corrupt(stream, at, "no packet begins here (magic number)", diag);
	if (memcmp(header->uuid, uuid, sizeof(header->uuid)) != 0)
		return corrupt(stream, at, "this packet is of another trace (uuid)", diag);
	if (header->stream_id != 0)
		return corrupt(stream, at, "unknown stream class", diag);
	if (header->packet_size % 64 || header->packet_size / 8 < sizeof(*header))
		return corrupt(stream, at, "a packet size that can't be", diag);
	if (header->content_size % 8 || header->content_size > header->packet_size ||
		header->content_size / 8 < sizeof(*header) ||
		(header->content_size / 8 - sizeof(*header)) % sizeof(struct event))
		return corrupt(stream, at, "a content size that can't be", diag);
	if (header->cpu_id > UINT16_MAX || (stream->any_packet && header->cpu_id != stream->cpu))
		return corrupt(stream, at, "not the stream's CPU", diag);
	if (header->events_discarded < stream->discarded)
		return corrupt(stream, at, "fewer discarded events than before", diag);
	if (header->last > 1)
		return corrupt(stream, at, "the last packet, or not? (0 or 1)", diag);
	if (stream->last)
		return corrupt(stream, at, "a packet behind the last one", diag);
	return 0;
}

/* Enters the packet that begins at packet_end. Returns CTF_END, CTF_RECORD, CTF_LOST or an errno.
 */
static int next_packet(
	struct ctf_stream *stream, const uint8_t uuid[16], uint64_t *lost, struct diag *diag)
{
	struct trace_packet_header header;
	size_t left = stream->bytes - stream->packet_end, content;
	bool lossy;
	int error;

	stream->packet = stream->packet_end;
	if (!left) {
		*lost = 0;
		stream->truncated = stream->truncated || !stream->last;
		lossy = stream->lossy;
		stream->lossy = false;
		return lossy ? CTF_LOST : CTF_END;
	}
	if (left < sizeof(header)) {
		stream->truncated = true;
		stream->packet_end = stream->bytes;
		return CTF_END;
	}
	memcpy(&header, stream->map + stream->packet, sizeof(header));
	error = check_header(stream, &header, uuid, diag);
	if (error)
		return error;
	content = left;
	if (header.packet_size / 8 > left)
		stream->truncated = true;
	else
		left = (size_t)(header.packet_size / 8);
	if (header.content_size / 8 <= content)
		content = (size_t)(header.content_size / 8);
	content -= (content - sizeof(header)) % sizeof(struct event); /* whole records */
	stream->packet_end = stream->packet + left;
	stream->at = stream->packet + sizeof(header);
	stream->records_end = stream->packet + content;
	stream->cpu = header.cpu_id;
	stream->last = header.last;
	stream->any_packet = true;
	*lost = header.events_discarded - stream->discarded;
	stream->discarded = header.events_discarded;
	lossy = stream->lossy;
	stream->lossy = *lost > 0;
	return *lost || lossy ? CTF_LOST : CTF_RECORD;
}

int ctf_stream_next(struct ctf_stream *stream, const uint8_t uuid[16], const struct event **record,
	uint64_t *lost, struct diag *diag)
{
	while (stream->at == stream->records_end) {
		int step = next_packet(stream, uuid, lost, diag);

		if (step != CTF_RECORD)
			return step;
	}
	*record = (const struct event *)(const void *)(stream->map + stream->at);
	if ((*record)->time < stream->time)
		return corrupt(stream, stream->at, "time goes back", diag);
	stream->time = (*record)->time;
	stream->at += sizeof(**record);
	return CTF_RECORD;
}

uint64_t ctf_stream_time(const struct ctf_stream *stream)
{
	const struct event *record = (const struct event *)(const void *)(stream->map + stream->at);

	if (stream->at == stream->records_end || record->time < stream->time)
		return stream->time;
	return record->time;
}

int ctf_stream_refuse(const struct ctf_stream *stream, const char *what, struct diag *diag)
{
	return corrupt(stream, stream->at - sizeof(struct event), what, diag);
}

static int map_stream(struct ctf_stream *stream, struct diag *diag)
{
	struct stat status;
	void *map = MAP_FAILED;
	int fd = regular_open(stream->path), error = 0;

	if (fd < 0)
		return diag_set(diag, fd, "%s: %s", stream->path, strerror(-fd));
	if (fstat(fd, &status))
		error = -errno;
	else if (status.st_size)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (!error && status.st_size && map == MAP_FAILED)
		error = -errno;
	close(fd);
	if (error)
		return diag_set(diag, error, "%s: %s", stream->path, strerror(-error));
	if (map != MAP_FAILED) {
		stream->map = map;
		stream->bytes = (size_t)status.st_size;
	}
	return 0;
}

int ctf_stream_open(
	struct ctf_stream *stream, const char *path, const uint8_t uuid[16], struct diag *diag)
{
	struct ctf_stream walk;
	uint64_t lost;
	int step;

	*stream = (struct ctf_stream){ .path = strdup(path) };
	if (!stream->path)
		return diag_set(diag, -ENOMEM, "%s: no memory", path);
	step = map_stream(stream, diag);
	if (step)
		return step;
	walk = *stream;
	do {
		step = next_packet(&walk, uuid, &lost, diag);
	} while (step > CTF_END);
	stream->truncated = walk.truncated;
	return step;
}

void ctf_stream_close(struct ctf_stream *stream)
{
	if (stream->map)
		munmap((void *)stream->map, stream->bytes);
	free(stream->path);
}
