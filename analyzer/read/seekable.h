/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An input whose bytes can be read in any order. A regular file is read where it lies; what comes
 * through a pipe or gzip is kept first: in memory if it is small, else in a temporary file.
 *
 * A file that shrinks meanwhile is a short read, as one that is cut.
 */
#ifndef ANALYZER_READ_SEEKABLE_H
#define ANALYZER_READ_SEEKABLE_H

#include "input.h"
#include <stdint.h>

#define SEEKABLE_MEMORY_BYTES ((size_t)256 * 1024)

struct seekable {
	struct input *input;
	int fd;         /* -1: all is in memory */
	bool temporary; /* fd is our own */
	uint8_t *memory;
	uint64_t bytes; /* of the input */
};

/*
 * Takes over the input, which is closed with the seekable, or at once if this fails. 0 or a
 * negative errno; seekable_close is due only after 0. What came through gzip may be cut:
 * input_trouble tells.
 */
int seekable_open(struct seekable *file, struct input *input);

/* Reads exactly so many bytes. 0; -ENODATA if the input ends before that; or a negative errno. */
int seekable_read(const struct seekable *file, uint64_t offset, void *data, size_t bytes);

void seekable_close(struct seekable *file);

#endif
