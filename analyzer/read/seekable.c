/* SPDX-License-Identifier: BSD-3-Clause */
#include "seekable.h"

#include "temporary.h"
#include "write_all.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until the buffer is full or the input ends. */
static ssize_t fill(struct input *input, uint8_t *data, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		ssize_t n = input_read(input, data + got, bytes - got);

		if (n < 0)
			return n;
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* What doesn't fit in memory goes to a temporary file, through that memory. */
static int keep(struct seekable *file)
{
	ssize_t n;

	file->memory = malloc(SEEKABLE_MEMORY_BYTES);
	if (!file->memory)
		return -ENOMEM;
	n = fill(file->input, file->memory, SEEKABLE_MEMORY_BYTES);
	if (n >= 0 && n < (ssize_t)SEEKABLE_MEMORY_BYTES) {
		file->bytes = (uint64_t)n;
		return 0;
	}
	if (n > 0) {
		file->fd = temporary_open();
		if (file->fd < 0)
			return file->fd;
		file->temporary = true;
	}
	while (n > 0) {
		int error = write_all(file->fd, file->memory, (size_t)n);

		if (error)
			return error;
		file->bytes += (uint64_t)n;
		n = fill(file->input, file->memory, SEEKABLE_MEMORY_BYTES);
	}
	free(file->memory);
	file->memory = NULL;
	return (int)n;
}

int seekable_open(struct seekable *file, struct input *input)
{
	struct stat status;
	int error = 0;

	*file = (struct seekable){ .input = input, .fd = input_descriptor(input) };
	if (file->fd < 0)
		error = keep(file);
	else if (fstat(file->fd, &status))
		error = -errno;
	else
		file->bytes = (uint64_t)status.st_size;
	if (error)
		seekable_close(file);
	return error;
}

int seekable_read(const struct seekable *file, uint64_t offset, void *data, size_t bytes)
{
	char *to = data;

	if (offset > file->bytes || bytes > file->bytes - offset)
		return -ENODATA;
	if (file->fd < 0) {
		memcpy(to, file->memory + offset, bytes);
		return 0;
	}
	while (bytes) {
		ssize_t n = pread(file->fd, to, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		to += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

void seekable_close(struct seekable *file)
{
	if (file->temporary)
		close(file->fd);
	free(file->memory);
	input_close(file->input);
	*file = (struct seekable){ .fd = -1 };
}
