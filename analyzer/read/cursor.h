/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place in a stretch of a file, or of a block that was unpacked from it, from which numbers,
 * strings and blocks are taken one after the other. An error stays: after it everything taken is 0
 * or empty, so that a whole header can be taken and looked at once.
 */
#ifndef ANALYZER_READ_CURSOR_H
#define ANALYZER_READ_CURSOR_H

#include "seekable.h"

#define CURSOR_STRING_BYTES ((size_t)256) /* of any string, with its end */

struct cursor {
	const struct seekable *file;
	const uint8_t *memory; /* not NULL: an unpacked block, and offsets are into it */
	uint64_t at, end;
	bool big_endian;
	int error; /* -ENODATA: the stretch ended; -EBADMSG: too long; or that of reading */
};

/* What a block that was taken is copied into, with a '\0' behind it. Grows; all zero is empty. */
struct cursor_block {
	char *data;
	size_t bytes, room;
};

void cursor_take(struct cursor *cursor, void *data, size_t bytes);
void cursor_skip(struct cursor *cursor, uint64_t bytes);

/* A number of 1, 2, 4 or 8 bytes. */
uint64_t cursor_number(struct cursor *cursor, unsigned bytes);

/* A string with its end. */
void cursor_string(struct cursor *cursor, char text[CURSOR_STRING_BYTES]);

/* A block; -EBADMSG if it is larger than `most`. Returns false if there was an error, now or
 * before.
 */
bool cursor_block(struct cursor *cursor, uint64_t bytes, uint64_t most, struct cursor_block *block);

#endif
