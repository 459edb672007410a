/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks that are compressed as a whole, by zlib or zstd, with their sizes beside them. What a
 * block says it unpacks to is not believed: memory grows as the data come.
 */
#ifndef ANALYZER_READ_UNPACK_H
#define ANALYZER_READ_UNPACK_H

#include <stddef.h>
#include <stdint.h>

enum unpack_kind { UNPACK_NONE, UNPACK_ZLIB, UNPACK_ZSTD, UNPACK_KINDS };

/* One for all blocks, which are unpacked one after the other. */
struct unpack;

/* Returns 0, -ENOMEM, or -ENOTSUP if `name` is neither "none", "zlib" nor "zstd". */
int unpack_create(struct unpack **unpack, const char *name);

enum unpack_kind unpack_kind(const struct unpack *unpack);

/*
 * Unpacks a block that should become `out_bytes`. `*out` (room for `*room` bytes, NULL and 0 at
 * first) grows as it must and is the caller's to free. Returns 0, -ENOMEM, or -EBADMSG if the block
 * is damaged or has another size.
 */
int unpack_block(struct unpack *unpack, const void *in, size_t in_bytes, size_t out_bytes,
	uint8_t **out, size_t *room);

void unpack_destroy(struct unpack *unpack);

#endif
