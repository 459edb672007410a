/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect.h"
#include "seekable.h"
#include <unistd.h>
#include <zlib.h>

#define LARGE_BYTES (SEEKABLE_MEMORY_BYTES * 3 + 5)

static uint8_t *made;

static int make_bytes(void)
{
	uint32_t value = 1;

	made = malloc(LARGE_BYTES);
	for (size_t i = 0; made && i < LARGE_BYTES; i++) {
		value = value * 1664525 + 1013904223;
		made[i] = (uint8_t)(value >> 24);
	}
	return made ? 0 : -1;
}

static int free_bytes(void)
{
	free(made);
	return 0;
}

/* Anywhere, up to the last byte and not beyond it. Closes the file. */
static void expect_bytes(struct seekable *file, size_t bytes)
{
	uint8_t got[64];

	CU_ASSERT_EQUAL(file->bytes, bytes);
	for (size_t at = 0; at + sizeof(got) <= bytes; at += bytes / 7 + 1) {
		CU_ASSERT_EQUAL(seekable_read(file, at, got, sizeof(got)), 0);
		CU_ASSERT(!memcmp(got, made + at, sizeof(got)));
	}
	CU_ASSERT_EQUAL(seekable_read(file, bytes - 1, got, 1), 0);
	CU_ASSERT_EQUAL(got[0], made[bytes - 1]);
	CU_ASSERT_EQUAL(seekable_read(file, bytes, got, 0), 0);
	CU_ASSERT_EQUAL(seekable_read(file, bytes - 1, got, 2), -ENODATA);
	CU_ASSERT_EQUAL(seekable_read(file, bytes, got, 1), -ENODATA);
	CU_ASSERT_EQUAL(seekable_read(file, UINT64_MAX, got, 1), -ENODATA);
	seekable_close(file);
}

static void open_path(const char *path, struct seekable *file)
{
	struct input *input;

	CU_ASSERT_EQUAL_FATAL(input_open(path, &input, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(seekable_open(file, input), 0);
}

static void a_file_is_read_where_it_lies(void)
{
	struct seekable file;
	char path[64];

	write_temporary(made, LARGE_BYTES, path);
	open_path(path, &file);
	CU_ASSERT_EQUAL(file.temporary, false);
	CU_ASSERT_PTR_NULL(file.memory);
	expect_bytes(&file, LARGE_BYTES);
	unlink(path);
}

static void a_file_that_shrinks_is_a_short_read(void)
{
	struct seekable file;
	char path[64], byte;

	write_temporary(made, LARGE_BYTES, path);
	open_path(path, &file);
	CU_ASSERT_EQUAL(truncate(path, 100), 0);
	CU_ASSERT_EQUAL(seekable_read(&file, 99, &byte, 1), 0);
	CU_ASSERT_EQUAL(seekable_read(&file, 100, &byte, 1), -ENODATA);
	seekable_close(&file);
	unlink(path);
}

/* Each size on either side of what fits in memory. */
static void what_has_no_file_is_kept(void)
{
	static const size_t sizes[] = { 1, SEEKABLE_MEMORY_BYTES - 1, SEEKABLE_MEMORY_BYTES,
		SEEKABLE_MEMORY_BYTES + 1, LARGE_BYTES };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct seekable file;
		struct input *input;

		CU_ASSERT_EQUAL_FATAL(input_open_memory(made, sizes[i], &input), 0);
		CU_ASSERT_EQUAL_FATAL(seekable_open(&file, input), 0);
		CU_ASSERT_EQUAL(file.temporary, sizes[i] >= SEEKABLE_MEMORY_BYTES);
		expect_bytes(&file, sizes[i]);
	}
}

static void gzip_is_looked_through(void)
{
	struct seekable file;
	char path[64];
	gzFile out;

	write_temporary("", 0, path);
	out = gzopen(path, "w1");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(gzwrite(out, made, LARGE_BYTES), LARGE_BYTES);
	CU_ASSERT_EQUAL(gzclose(out), Z_OK);
	open_path(path, &file);
	CU_ASSERT_EQUAL(file.temporary, true);
	CU_ASSERT_PTR_NULL(input_trouble(file.input));
	expect_bytes(&file, LARGE_BYTES);
	unlink(path);
}

/* What was looked at is not lost, nor read twice. */
static void bytes_follow_what_was_looked_at(void)
{
	struct input *input;
	const char *seen;
	uint8_t got[1000];
	size_t bytes, total = 0;
	ssize_t n;

	CU_ASSERT_EQUAL_FATAL(input_open_memory(made, LARGE_BYTES, &input), 0);
	CU_ASSERT_EQUAL(input_peek(input, &seen, &bytes), 0);
	CU_ASSERT(!memcmp(seen, made, bytes));
	while ((n = input_read(input, got, sizeof(got))) > 0) {
		CU_ASSERT_FATAL(total + (size_t)n <= LARGE_BYTES);
		CU_ASSERT(!memcmp(got, made + total, (size_t)n));
		total += (size_t)n;
	}
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_EQUAL(total, LARGE_BYTES);
	input_close(input);
}

static const struct test_case cases[] = {
	{ "a file is read where it lies", a_file_is_read_where_it_lies },
	{ "a file that shrinks is a short read", a_file_that_shrinks_is_a_short_read },
	{ "what has no file is kept, in memory or in a temporary file", what_has_no_file_is_kept },
	{ "gzip is looked through", gzip_is_looked_through },
	{ "bytes follow what was looked at", bytes_follow_what_was_looked_at },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "seekable", cases, make_bytes, free_bytes },
		{ 0 } };

	return test_main(argc, argv, suites);
}
