/* SPDX-License-Identifier: BSD-3-Clause */
#include "cursor.h"

#include "bytes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has(struct cursor *cursor, uint64_t bytes)
{
	if (!cursor->error && (cursor->at > cursor->end || bytes > cursor->end - cursor->at))
		cursor->error = -ENODATA;
	return !cursor->error;
}

void cursor_take(struct cursor *cursor, void *data, size_t bytes)
{
	if (!has(cursor, bytes)) {
		memset(data, 0, bytes);
		return;
	}
	if (cursor->memory)
		memcpy(data, cursor->memory + cursor->at, bytes);
	else
		cursor->error = seekable_read(cursor->file, cursor->at, data, bytes);
	if (cursor->error)
		memset(data, 0, bytes);
	else
		cursor->at += bytes;
}

void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (has(cursor, bytes))
		cursor->at += bytes;
}

uint64_t cursor_number(struct cursor *cursor, unsigned bytes)
{
	uint8_t data[8];

	cursor_take(cursor, data, bytes);
	return bytes_number(data, bytes, cursor->big_endian);
}

void cursor_string(struct cursor *cursor, char text[CURSOR_STRING_BYTES])
{
	uint64_t begin = cursor->at;
	size_t bytes;

	text[0] = '\0';
	if (!has(cursor, 1))
		return;
	bytes = cursor->end - begin < CURSOR_STRING_BYTES ? (size_t)(cursor->end - begin)
							  : CURSOR_STRING_BYTES;
	cursor_take(cursor, text, bytes);
	if (cursor->error)
		return;
	cursor->at = begin + strnlen(text, bytes) + 1;
	if (cursor->at <= begin + bytes)
		return;
	cursor->error = bytes == CURSOR_STRING_BYTES ? -EBADMSG : -ENODATA;
	cursor->at = begin;
	text[0] = '\0';
}

bool cursor_block(struct cursor *cursor, uint64_t bytes, uint64_t most, struct cursor_block *block)
{
	block->bytes = 0;
	if (!cursor->error && bytes > most)
		cursor->error = -EBADMSG;
	if (!has(cursor, bytes))
		return false;
	if (block->room <= bytes) {
		char *data = realloc(block->data, (size_t)bytes + 1);

		if (!data) {
			cursor->error = -ENOMEM;
			return false;
		}
		block->data = data;
		block->room = (size_t)bytes + 1;
	}
	cursor_take(cursor, block->data, (size_t)bytes);
	block->data[bytes] = '\0';
	block->bytes = cursor->error ? 0 : (size_t)bytes;
	return !cursor->error;
}
