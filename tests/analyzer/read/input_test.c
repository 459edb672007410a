/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include "collect.h"
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* gzip data of one member. The caller frees it. */
static unsigned char *compress_text(const void *text, size_t bytes, size_t *out_bytes)
{
	z_stream z = { 0 };
	size_t room = bytes + 1000;
	unsigned char *out = malloc(room);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL_FATAL(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, 0), Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text;
	z.avail_in = (unsigned)bytes;
	z.next_out = out;
	z.avail_out = (unsigned)room;
	CU_ASSERT_EQUAL(deflate(&z, Z_FINISH), Z_STREAM_END);
	*out_bytes = room - z.avail_out;
	deflateEnd(&z);
	return out;
}

static struct input *open_bytes(const void *data, size_t bytes)
{
	struct input *input;

	CU_ASSERT_EQUAL_FATAL(input_open_memory(data, bytes, &input), 0);
	return input;
}

/* The next line must be this one; what must hold for all lines is checked too. */
static void expect_line(struct input *input, const char *text, bool ended)
{
	struct input_line line;

	CU_ASSERT_EQUAL_FATAL(input_line(input, &line), 1);
	CU_ASSERT_EQUAL(line.bytes, strlen(text));
	CU_ASSERT_FALSE(memcmp(line.text, text, strlen(text)));
	CU_ASSERT_EQUAL(line.text[line.bytes], '\n');
	CU_ASSERT_EQUAL(line.ended, ended);
}

static void expect_end(struct input *input)
{
	struct input_line line;

	CU_ASSERT_EQUAL(input_line(input, &line), 0);
	CU_ASSERT_EQUAL(input_line(input, &line), 0);
}

static void lines_come_without_their_ends(void)
{
	const char *text = "one\ntwo\r\n\n\r\nfi\rve\n";
	struct input *input = open_bytes(text, strlen(text));

	expect_line(input, "one", true);
	expect_line(input, "two", true);
	expect_line(input, "", true);
	expect_line(input, "", true);
	expect_line(input, "fi\rve", true);
	expect_end(input);
	CU_ASSERT_PTR_NULL(input_trouble(input));
	input_close(input);
}

static void a_last_line_without_an_end_is_told(void)
{
	struct input *input = open_bytes("one\ntwo", 7);

	expect_line(input, "one", true);
	expect_line(input, "two", false);
	expect_end(input);
	input_close(input);
	input = open_bytes("one\r", 4); /* the CR is half of an end: nothing is missing */
	expect_line(input, "one", true);
	expect_end(input);
	input_close(input);
	input = open_bytes("", 0);
	expect_end(input);
	input_close(input);
}

static void peeking_takes_nothing(void)
{
	struct input *input = open_bytes("one\ntwo\n", 8);
	const char *data;
	size_t bytes;

	CU_ASSERT_EQUAL(input_peek(input, &data, &bytes), 0);
	CU_ASSERT_EQUAL(bytes, 8);
	CU_ASSERT_FALSE(memcmp(data, "one\ntwo\n", 8));
	expect_line(input, "one", true);
	input_close(input);
}

static void history_is_what_came_before_the_line(void)
{
	struct input *input = open_bytes("one\ntwo\nthree\n", 14);
	const char *data;

	expect_line(input, "one", true);
	CU_ASSERT_EQUAL(input_history(input, &data), 0);
	expect_line(input, "two", true);
	expect_line(input, "three", true);
	CU_ASSERT_EQUAL(input_history(input, &data), 8);
	CU_ASSERT_FALSE(memcmp(data, "one\ntwo\n", 8));
	input_close(input);
}

/* A text of 3 MB, many blocks long, whose lines have all lengths from 0 to 1999. */
static void lines_cross_blocks(void)
{
	size_t room = 3000000, bytes = 0, lines = 0;
	char *text = malloc(room);
	struct input_line line;
	struct input *input;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (; bytes + 2001 < room; lines++) {
		memset(text + bytes, 'a' + (int)(lines % 26), lines % 2000);
		bytes += lines % 2000;
		text[bytes++] = '\n';
	}
	input = open_bytes(text, bytes);
	for (size_t i = 0; i < lines; i++) {
		CU_ASSERT_EQUAL_FATAL(input_line(input, &line), 1);
		CU_ASSERT_EQUAL_FATAL(line.bytes, i % 2000);
		CU_ASSERT_FATAL(!line.bytes || line.text[line.bytes - 1] == 'a' + (int)(i % 26));
	}
	expect_end(input);
	input_close(input);
	free(text);
}

/* 1 MB less a byte is handed out whole; of more, what is before the last blank in that megabyte. */
static void long_lines_are_whole_and_longer_ones_end_at_a_blank(void)
{
	size_t bytes = 5 * INPUT_LINE_BYTES;
	char *text = malloc(bytes);
	struct input_line line;
	struct input *input;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	memset(text, 'x', bytes);
	text[INPUT_LINE_BYTES - 1] = '\n';   /* the first line */
	text[INPUT_LINE_BYTES + 1000] = ' '; /* a blank in the second one */
	text[4 * INPUT_LINE_BYTES] = '\n';
	text[4 * INPUT_LINE_BYTES + 1] = '\n';
	input = open_bytes(text, 4 * INPUT_LINE_BYTES + 2);
	CU_ASSERT_EQUAL(input_line(input, &line), 1);
	CU_ASSERT_EQUAL(line.bytes, INPUT_LINE_BYTES - 1);
	CU_ASSERT_EQUAL(input_line(input, &line), 1);
	CU_ASSERT_EQUAL(line.bytes, 1000);
	CU_ASSERT_EQUAL(line.text[1000], '\n');
	expect_line(input, "", true);
	expect_end(input);
	CU_ASSERT_PTR_NULL(input_trouble(input));
	input_close(input);
	input = open_bytes(text + INPUT_LINE_BYTES, 3 * INPUT_LINE_BYTES);
	CU_ASSERT_EQUAL(input_line(input, &line), 1);
	expect_end(input);
	CU_ASSERT_PTR_NOT_NULL(input_trouble(input)); /* the end was never seen */
	input_close(input);
	free(text);
}

static void gzip_is_looked_through_member_by_member(void)
{
	size_t first_bytes, second_bytes;
	unsigned char *first = compress_text("one\ntw", 6, &first_bytes);
	unsigned char *second = compress_text("o\nthree\n", 8, &second_bytes);
	unsigned char *both = calloc(1, first_bytes + second_bytes + 512);
	struct input *input;

	CU_ASSERT_PTR_NOT_NULL_FATAL(both);
	memcpy(both, first, first_bytes);
	memcpy(both + first_bytes, second, second_bytes);
	/* zeros behind the last member are padding, as gzip itself has it */
	for (size_t padding = 0; padding <= 512; padding += 512) {
		input = open_bytes(both, first_bytes + second_bytes + padding);
		expect_line(input, "one", true);
		expect_line(input, "two", true);
		expect_line(input, "three", true);
		expect_end(input);
		CU_ASSERT_PTR_NULL(input_trouble(input));
		input_close(input);
	}
	both[first_bytes + second_bytes] = 'x';
	input = open_bytes(both, first_bytes + second_bytes + 1);
	expect_line(input, "one", true);
	expect_line(input, "two", true);
	expect_line(input, "three", true);
	expect_end(input);
	CU_ASSERT_PTR_NOT_NULL(input_trouble(input));
	input_close(input);
	free(first);
	free(second);
	free(both);
}

static void cut_gzip_gives_what_is_there_and_says_so(void)
{
	const char *text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
	size_t bytes;
	unsigned char *data = compress_text(text, strlen(text), &bytes);

	for (size_t cut = 2; cut < bytes; cut++) {
		struct input *input = open_bytes(data, cut);
		struct input_line line;
		size_t at = 0;

		while (input_line(input, &line) == 1) {
			CU_ASSERT_FATAL(at + line.bytes <= strlen(text));
			CU_ASSERT_FALSE(memcmp(line.text, text + at, line.bytes));
			at += line.bytes + 1;
		}
		CU_ASSERT_PTR_NOT_NULL(input_trouble(input));
		input_close(input);
	}
	free(data);
}

static void damaged_gzip_ends_there_and_says_so(void)
{
	char text[4000];
	size_t bytes;
	unsigned char *data;
	struct input_line line;
	struct input *input;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 40 == 39 ? '\n' : (char)('a' + i * i % 23);
	data = compress_text(text, sizeof(text), &bytes);
	for (size_t at = 10; at < bytes; at++) {
		data[at] ^= 0x55;
		input = open_bytes(data, bytes);
		while (input_line(input, &line) == 1)
			;
		CU_ASSERT_PTR_NOT_NULL(input_trouble(input));
		input_close(input);
		data[at] ^= 0x55;
	}
	free(data);
}

static void files_that_cannot_be_read_are_named(void)
{
	struct diag diag = { "" };
	struct input *input;

	CU_ASSERT_EQUAL(input_open("/nowhere/trace.txt", &input, &diag), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/nowhere/trace.txt"));
	CU_ASSERT_PTR_NULL(input);
	CU_ASSERT_EQUAL(input_open("/tmp", &input, &diag), -EISDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/tmp"));
}

static void *write_slowly(void *path)
{
	FILE *file = fopen(path, "w");

	for (int i = 0; file && i < 3; i++) {
		fprintf(file, "li");
		fflush(file);
		usleep(1000);
		fprintf(file, "ne\n");
		fflush(file);
	}
	if (file)
		fclose(file);
	return NULL;
}

/* A pipe gives a line in parts. */
static void a_fifo_is_read_as_it_fills(void)
{
	char folder[] = "/tmp/ringside-test-XXXXXX", path[64];
	pthread_t writer;
	struct input *input;

	test_leaks_allow(); /* the C library keeps the thread's stack */
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&writer, NULL, write_slowly, path), 0);
	CU_ASSERT_EQUAL_FATAL(input_open(path, &input, NULL), 0);
	for (int i = 0; i < 3; i++)
		expect_line(input, "line", true);
	expect_end(input);
	input_close(input);
	pthread_join(writer, NULL);
	unlink(path);
	rmdir(folder);
}

static const struct test_case lines[] = {
	{ "lines come without their ends", lines_come_without_their_ends },
	{ "a last line without an end is told", a_last_line_without_an_end_is_told },
	{ "peeking takes nothing", peeking_takes_nothing },
	{ "history is what came before the line", history_is_what_came_before_the_line },
	{ "lines cross blocks", lines_cross_blocks },
	{ "long lines are whole, longer ones end at a blank",
		long_lines_are_whole_and_longer_ones_end_at_a_blank },
	{ 0 },
};

static const struct test_case gzip[] = {
	{ "gzip is looked through, member by member", gzip_is_looked_through_member_by_member },
	{ "cut gzip gives what is there and says so", cut_gzip_gives_what_is_there_and_says_so },
	{ "damaged gzip ends there and says so", damaged_gzip_ends_there_and_says_so },
	{ 0 },
};

static const struct test_case sources[] = {
	{ "files that can't be read are named", files_that_cannot_be_read_are_named },
	{ "a FIFO is read as it fills", a_fifo_is_read_as_it_fills },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "lines", lines, NULL, NULL },
		{ "gzip", gzip, NULL, NULL },
		{ "sources", sources, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
