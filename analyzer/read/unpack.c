/* SPDX-License-Identifier: BSD-3-Clause */
#include "unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_BYTES     ((size_t)64 * 1024)
#define WINDOW_LOG_MOST 24 /* of zstd: what a block may refer back to, 16 MiB */

struct unpack {
	enum unpack_kind kind;
	z_stream zlib;
	ZSTD_DCtx *zstd;
};

int unpack_create(struct unpack **unpack, const char *name)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	struct unpack *u;
	int kind = 0;

	*unpack = NULL;
	while (kind < UNPACK_KINDS && strcmp(name, names[kind]) != 0)
		kind++;
	if (kind == UNPACK_KINDS)
		return -ENOTSUP;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	if (kind == UNPACK_ZLIB && inflateInit(&u->zlib) != Z_OK) {
		free(u);
		return -ENOMEM;
	}
	u->kind = (enum unpack_kind)kind;
	if (kind == UNPACK_ZSTD) {
		u->zstd = ZSTD_createDCtx();
		if (!u->zstd) {
			free(u);
			return -ENOMEM;
		}
		ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
	}
	*unpack = u;
	return 0;
}

enum unpack_kind unpack_kind(const struct unpack *unpack)
{
	return unpack->kind;
}

/* Goes on unpacking: *got bytes are there already. 1 at the end of the block, 0 if `to` is full. */
static int go_on_zlib(struct unpack *u, uint8_t *to, size_t room, size_t *got)
{
	int status;

	u->zlib.next_out = to + *got;
	u->zlib.avail_out = (uInt)(room - *got);
	status = inflate(&u->zlib, Z_NO_FLUSH);
	*got = room - u->zlib.avail_out;
	if (status == Z_STREAM_END)
		return 1;
	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	return status == Z_OK && !u->zlib.avail_out ? 0 : -EBADMSG;
}

static int go_on_zstd(struct unpack *u, ZSTD_inBuffer *in, uint8_t *to, size_t room, size_t *got)
{
	ZSTD_outBuffer out = { to, room, *got };
	size_t status = ZSTD_decompressStream(u->zstd, &out, in);

	*got = out.pos;
	if (!status)
		return 1;
	return !ZSTD_isError(status) && out.pos == room ? 0 : -EBADMSG;
}

/* zstd's head says how much a block unpacks to; if it says so, no steps are needed. */
static int unpack_at_once(
	struct unpack *u, const void *in, size_t in_bytes, uint8_t *to, size_t out_bytes)
{
	size_t status = ZSTD_decompressDCtx(u->zstd, to, out_bytes, in, in_bytes);

	return ZSTD_isError(status) || status != out_bytes ? -EBADMSG : 0;
}

static int grow(uint8_t **out, size_t *room, size_t bytes)
{
	uint8_t *grown;

	if (*room >= bytes)
		return 0;
	grown = realloc(*out, bytes);
	if (!grown)
		return -ENOMEM;
	*out = grown;
	*room = bytes;
	return 0;
}

int unpack_block(struct unpack *u, const void *in, size_t in_bytes, size_t out_bytes, uint8_t **out,
	size_t *room)
{
	ZSTD_inBuffer zstd_in = { in, in_bytes, 0 };
	size_t got = 0, step = out_bytes < FIRST_BYTES ? out_bytes : FIRST_BYTES;
	int status = 0;

	if (*room > step)
		step = *room < out_bytes ? *room : out_bytes;
	if (grow(out, room, step ? step : 1))
		return -ENOMEM;
	if (u->kind == UNPACK_ZSTD && step == out_bytes)
		return unpack_at_once(u, in, in_bytes, *out, out_bytes);
	if (u->kind == UNPACK_ZSTD) {
		ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	} else {
		inflateReset(&u->zlib);
		u->zlib.next_in = (Bytef *)(uintptr_t)in;
		u->zlib.avail_in = (uInt)in_bytes;
	}
	for (;;) {
		status = u->kind == UNPACK_ZSTD ? go_on_zstd(u, &zstd_in, *out, step, &got)
						: go_on_zlib(u, *out, step, &got);
		if (status || step == out_bytes)
			break;
		step = step > out_bytes / 2 ? out_bytes : 2 * step;
		if (grow(out, room, step))
			return -ENOMEM;
	}
	if (status < 0)
		return status;
	return status == 1 && got == out_bytes ? 0 : -EBADMSG;
}

void unpack_destroy(struct unpack *u)
{
	if (!u)
		return;
	if (u->kind == UNPACK_ZLIB)
		inflateEnd(&u->zlib);
	ZSTD_freeDCtx(u->zstd);
	free(u);
}
