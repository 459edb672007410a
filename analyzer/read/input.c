/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Large enough to make system calls rare, small enough to stay in the second-level cache. */
#define BLOCK_BYTES ((size_t)256 * 1024)
#define RAW_BYTES   ((size_t)64 * 1024)

struct input {
	int fd;             /* -1: memory */
	const char *memory; /* what is left of the block given */
	size_t memory_bytes;

	bool gzip;
	bool member_open; /* inside a gzip member: the end of the data would be too early */
	z_stream zlib;
	unsigned char *raw; /* compressed bytes, RAW_BYTES */

	char *buffer;
	size_t room;  /* of buffer, without the slack */
	size_t line;  /* begin of the line handed out last */
	size_t begin; /* begin of the next line */
	size_t end;   /* of the data */
	bool data_end;
	bool skipping; /* the rest of a line that is too long */
	char trouble[128];
};

static ssize_t read_source(struct input *in, void *data, size_t bytes)
{
	ssize_t n;

	if (in->fd < 0) {
		if (bytes > in->memory_bytes)
			bytes = in->memory_bytes;
		memcpy(data, in->memory, bytes);
		in->memory += bytes;
		in->memory_bytes -= bytes;
		return (ssize_t)bytes;
	}
	do {
		n = read(in->fd, data, bytes);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * What follows a member: another one, or padding, which gzip ignores too if it is zeros (tapes).
 * Anything else is worth a word. Returns false if the data ends here.
 */
static bool next_member(struct input *in)
{
	const z_stream *z = &in->zlib;

	if (z->avail_in && z->next_in[0] == 0x1f) {
		in->member_open = true;
		return inflateReset(&in->zlib) == Z_OK;
	}
	if (z->avail_in && z->next_in[0])
		snprintf(in->trouble, sizeof(in->trouble), "garbage follows the gzip data");
	return false;
}

static ssize_t read_gzip(struct input *in, void *data, size_t bytes)
{
	z_stream *z = &in->zlib;

	z->next_out = data;
	z->avail_out = (uInt)bytes;
	while (z->avail_out == bytes) {
		int status;

		if (!z->avail_in) {
			ssize_t n = read_source(in, in->raw, RAW_BYTES);

			if (n < 0)
				return n;
			if (!n && in->member_open)
				snprintf(in->trouble, sizeof(in->trouble),
					"the gzip data is cut short");
			if (!n)
				return 0;
			z->next_in = in->raw;
			z->avail_in = (uInt)n;
		}
		if (!in->member_open && !next_member(in))
			return 0;
		status = inflate(z, Z_NO_FLUSH);
		if (status == Z_STREAM_END) {
			in->member_open = false;
		} else if (status != Z_OK && status != Z_BUF_ERROR) {
			snprintf(in->trouble, sizeof(in->trouble), "the gzip data is damaged (%s)",
				z->msg ? z->msg : "zlib");
			break;
		}
	}
	return (ssize_t)(bytes - z->avail_out);
}

/* Makes room behind the data: first by moving out what is used up, then by growing. */
static int make_room(struct input *in)
{
	size_t keep = in->line > INPUT_HISTORY_BYTES ? in->line - INPUT_HISTORY_BYTES : 0;
	size_t room;
	char *buffer;

	if (keep)
		memmove(in->buffer, in->buffer + keep, in->end - keep);
	in->line -= keep;
	in->begin -= keep;
	in->end -= keep;
	if (in->room - in->end >= BLOCK_BYTES)
		return 0;
	room = in->end + 2 * BLOCK_BYTES;
	if (!in->buffer) {
		buffer = calloc(1, room + INPUT_SLACK_BYTES);
	} else {
		buffer = realloc(in->buffer, room + INPUT_SLACK_BYTES);
		if (buffer)
			memset(buffer + in->room, 0, room - in->room + INPUT_SLACK_BYTES);
	}
	if (!buffer)
		return -ENOMEM;
	in->buffer = buffer;
	in->room = room;
	return 0;
}

/* Reads one more block. At the end of the data sets data_end. */
static int fill(struct input *in)
{
	ssize_t n;
	int error = make_room(in);

	if (error)
		return error;
	n = in->trouble[0] ? 0
	    : in->gzip     ? read_gzip(in, in->buffer + in->end, BLOCK_BYTES)
			   : read_source(in, in->buffer + in->end, BLOCK_BYTES);
	if (n < 0)
		return (int)n;
	in->end += (size_t)n;
	in->data_end = n == 0;
	return 0;
}

/* The first block read is compressed: what was read so far goes the long way round. */
static int start_gzip(struct input *in)
{
	in->raw = malloc(RAW_BYTES > in->end ? RAW_BYTES : in->end);
	if (!in->raw)
		return -ENOMEM;
	if (inflateInit2(&in->zlib, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	memcpy(in->raw, in->buffer, in->end);
	in->zlib.next_in = in->raw;
	in->zlib.avail_in = (uInt)in->end;
	in->gzip = in->member_open = true;
	in->end = 0;
	in->data_end = false;
	return 0;
}

static int start(struct input *in)
{
	int error = 0;

	while (!error && !in->data_end && in->end < 2)
		error = fill(in);
	if (!error && in->end >= 2 && !memcmp(in->buffer, "\x1f\x8b", 2))
		error = start_gzip(in);
	return error;
}

static int create(struct input **input)
{
	struct input *in = calloc(1, sizeof(*in));

	if (!in)
		return -ENOMEM;
	in->fd = -1;
	*input = in;
	return 0;
}

int input_open(const char *path, struct input **input, struct diag *diag)
{
	bool standard = !strcmp(path, "-");
	struct stat status;
	struct input *in;
	int error = create(&in);

	*input = NULL;
	if (error)
		return diag_set(diag, error, "%s: no memory", path);
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		error = -errno;
	else if (!fstat(in->fd, &status) && S_ISDIR(status.st_mode))
		error = -EISDIR;
	else
		error = start(in);
	if (error) {
		diag_set(diag, error, "%s: %s", path, strerror(-error));
		input_close(in);
		return error;
	}
	*input = in;
	return 0;
}

int input_open_memory(const void *data, size_t bytes, struct input **input)
{
	struct input *in;
	int error = create(&in);

	*input = NULL;
	if (error)
		return error;
	in->memory = data;
	in->memory_bytes = bytes;
	error = start(in);
	if (error)
		input_close(in);
	else
		*input = in;
	return error;
}

int input_open_descriptor(int fd, struct input **input)
{
	struct input *in;
	int error = create(&in);

	*input = NULL;
	if (error) {
		close(fd);
		return error;
	}
	in->fd = fd;
	error = lseek(fd, 0, SEEK_SET) < 0 ? -errno : start(in);
	if (error)
		input_close(in);
	else
		*input = in;
	return error;
}

int input_peek(struct input *in, const char **data, size_t *bytes)
{
	int error = 0;

	while (!error && !in->data_end && in->end < INPUT_PEEK_BYTES)
		error = fill(in);
	*data = in->buffer;
	*bytes = in->end < INPUT_PEEK_BYTES ? in->end : INPUT_PEEK_BYTES;
	return error;
}

/* Takes the bytes up to `stop` as the line; the next one begins at `next`. */
static int take(struct input *in, struct input_line *line, size_t stop, size_t next, bool ended)
{
	line->text = in->buffer + in->begin;
	line->bytes = stop - in->begin;
	line->ended = ended;
	if (line->bytes && line->text[line->bytes - 1] == '\r') {
		line->bytes--;
		line->ended = true;
	}
	in->buffer[in->begin + line->bytes] = '\n';
	in->line = in->begin;
	in->begin = next;
	return 1;
}

/* Too long to keep: hands out the begin of it, up to a blank so that no word is cut. */
static int take_part(struct input *in, struct input_line *line)
{
	const char *text = in->buffer + in->begin;
	const char *blank = memrchr(text, ' ', INPUT_LINE_BYTES);

	in->skipping = true;
	return take(in, line, in->begin + (blank ? (size_t)(blank - text) : INPUT_LINE_BYTES),
		in->end, true);
}

int input_line(struct input *in, struct input_line *line)
{
	size_t searched = 0;

	for (;;) {
		const char *text = in->buffer + in->begin;
		size_t bytes = in->end - in->begin;
		char *found =
			bytes > searched ? memchr(text + searched, '\n', bytes - searched) : NULL;
		int error;

		if (found && !in->skipping)
			return take(in, line, (size_t)(found - in->buffer),
				(size_t)(found - in->buffer) + 1, true);
		if (found || in->skipping) {
			in->begin = found ? (size_t)(found - in->buffer) + 1 : in->end;
			in->line = in->begin;
			in->skipping = !found;
			searched = 0;
			if (found)
				continue;
		} else if (bytes >= INPUT_LINE_BYTES) {
			return take_part(in, line);
		} else {
			searched = bytes;
		}
		if (in->data_end) {
			if (!bytes || in->skipping)
				return 0;
			return take(in, line, in->end, in->end, false);
		}
		error = fill(in);
		if (error)
			return error;
	}
}

ssize_t input_read(struct input *in, void *data, size_t bytes)
{
	size_t buffered = in->end - in->begin;

	if (buffered) {
		bytes = bytes < buffered ? bytes : buffered;
		memcpy(data, in->buffer + in->begin, bytes);
		in->begin += bytes;
		return (ssize_t)bytes;
	}
	if (in->data_end || in->trouble[0])
		return 0;
	return in->gzip ? read_gzip(in, data, bytes) : read_source(in, data, bytes);
}

int input_descriptor(const struct input *in)
{
	struct stat status;

	if (in->fd < 0 || in->gzip || fstat(in->fd, &status) || !S_ISREG(status.st_mode))
		return -1;
	return lseek(in->fd, 0, SEEK_CUR) == (off_t)in->end ? in->fd : -1;
}

size_t input_history(const struct input *in, const char **data)
{
	size_t bytes = in->line > INPUT_HISTORY_BYTES ? INPUT_HISTORY_BYTES : in->line;

	*data = in->buffer + in->line - bytes;
	return bytes;
}

const char *input_trouble(const struct input *in)
{
	if (in->trouble[0])
		return in->trouble;
	return in->skipping ? "the last line has no end" : NULL;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->gzip)
		inflateEnd(&in->zlib);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->raw);
	free(in->buffer);
	free(in);
}
