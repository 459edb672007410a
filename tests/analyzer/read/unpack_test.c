/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks packed by the libraries themselves. */
#include "harness.h"
#include "unpack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define BYTES ((size_t)300 * 1000) /* more than the first step of memory */

static uint8_t data[BYTES], packed[BYTES * 2];

static size_t pack(const char *name, size_t bytes)
{
	size_t room = sizeof(packed);
	uLongf zlib_room = sizeof(packed);

	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)(i * i >> 7);
	if (!strcmp(name, "zstd")) {
		room = ZSTD_compress(packed, room, data, bytes, 3);
		CU_ASSERT_FATAL(!ZSTD_isError(room));
		return room;
	}
	CU_ASSERT_EQUAL_FATAL(compress2(packed, &zlib_room, data, bytes, 1), Z_OK);
	return zlib_room;
}

static void unpack_sizes(const char *name)
{
	static const size_t sizes[] = { 1, 40960, 65536, 65537, 131072, BYTES };
	struct unpack *unpack;
	uint8_t *out = NULL;
	size_t room = 0;

	CU_ASSERT_EQUAL_FATAL(unpack_create(&unpack, name), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t in_bytes = pack(name, sizes[i]);

		CU_ASSERT_EQUAL(unpack_block(unpack, packed, in_bytes, sizes[i], &out, &room), 0);
		CU_ASSERT(room >= sizes[i] && !memcmp(out, data, sizes[i]));
		/* again, with room left over from before, and then too small and too large */
		CU_ASSERT_EQUAL(unpack_block(unpack, packed, in_bytes, sizes[i], &out, &room), 0);
		CU_ASSERT_EQUAL(unpack_block(unpack, packed, in_bytes, sizes[i] - 1, &out, &room),
			-EBADMSG);
		CU_ASSERT_EQUAL(unpack_block(unpack, packed, in_bytes, sizes[i] + 1, &out, &room),
			-EBADMSG);
		CU_ASSERT_EQUAL(unpack_block(unpack, packed, in_bytes - 1, sizes[i], &out, &room),
			-EBADMSG);
		CU_ASSERT_EQUAL(unpack_block(unpack, packed, 0, sizes[i], &out, &room), -EBADMSG);
		memset(packed, 0x55, in_bytes);
		CU_ASSERT_EQUAL(
			unpack_block(unpack, packed, in_bytes, sizes[i], &out, &room), -EBADMSG);
	}
	free(out);
	unpack_destroy(unpack);
}

static void zlib_blocks(void)
{
	unpack_sizes("zlib");
}

static void zstd_blocks(void)
{
	unpack_sizes("zstd");
}

/* 16 MiB are claimed of a few bytes: memory is taken for what comes, not for what is claimed. */
static void a_claim_is_not_believed(void)
{
	static const char *const names[] = { "zlib", "zstd" };

	for (size_t i = 0; i < 2; i++) {
		size_t in_bytes = pack(names[i], 100), room = 0;
		struct unpack *unpack;
		uint8_t *out = NULL;

		CU_ASSERT_EQUAL_FATAL(unpack_create(&unpack, names[i]), 0);
		CU_ASSERT_EQUAL(
			unpack_block(unpack, packed, in_bytes, (size_t)16 << 20, &out, &room),
			-EBADMSG);
		CU_ASSERT(room <= 65536);
		free(out);
		unpack_destroy(unpack);
	}
}

static void unknown_kinds_are_refused(void)
{
	struct unpack *unpack;

	CU_ASSERT_EQUAL(unpack_create(&unpack, "lz4"), -ENOTSUP);
	CU_ASSERT_PTR_NULL(unpack);
	CU_ASSERT_EQUAL(unpack_create(&unpack, "none"), 0);
	CU_ASSERT_EQUAL(unpack_kind(unpack), UNPACK_NONE);
	unpack_destroy(unpack);
}

static const struct test_case cases[] = {
	{ "zlib blocks of any size, whole and damaged", zlib_blocks },
	{ "zstd blocks of any size, whole and damaged", zstd_blocks },
	{ "a claimed size is not believed", a_claim_is_not_believed },
	{ "unknown kinds are refused", unknown_kinds_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "unpack", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
