/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain lists of numbers as traces. */
#include "costs_list.h"

#include "collect.h"
#include "order.h"

static struct collected read_list(const char *text, size_t bytes)
{
	struct reader_options options = { .hz = 12000000, .costs = true };
	struct collected got = { 0 };
	struct input *input;

	CU_ASSERT_EQUAL_FATAL(input_open_memory(text, bytes, &input), 0);
	got.status = reader_open_input(
		input, "ticks.txt", &options, ORDER_RECORDS, &got.reader, &got.diag);
	if (!got.status)
		collect_events(&got);
	return got;
}

#define READ(text) read_list(text, sizeof(text) - 1)

/* 52 ticks from 0, 73 from 52, 41 from 125. */
static void each_number_is_a_packet_behind_the_one_before(void)
{
	static const uint64_t begins[] = { 0, 52, 125, 166 };
	struct collected got = READ("[ 52 73,\n41 ]\r\n");

	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 9);
	for (size_t i = 0; i < 9; i += 3) {
		CU_ASSERT_EQUAL(got.events[i].event.id, EVENT_RECEIVE_BEGIN);
		CU_ASSERT_EQUAL(got.events[i].event.time, begins[i / 3]);
		CU_ASSERT_EQUAL(got.events[i + 1].event.id, EVENT_RECEIVE);
		CU_ASSERT_EQUAL(got.events[i + 2].event.id, EVENT_RECEIVE_END);
		CU_ASSERT_EQUAL(got.events[i + 2].event.time, begins[i / 3 + 1]);
	}
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 12000000);
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "costs");
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 166);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
	collect_free(&got);
}

static void what_is_no_number_is_counted(void)
{
	static char text[3000];
	struct collected got;

	memset(text, ' ', sizeof(text)); /* so far that it looks like a list */
	strcpy(text, "1 2 3");
	text[5] = ' ';
	strcpy(text + 1000, "\n4 x 5\n6 -7\n8 99999999999999999999\n9 1.5 10\n11");
	got = read_list(text, strlen(text + 1000) + 1000);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 3 * 8); /* 1 2 3 4 6 8 9 11 */
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 4);
	collect_free(&got);
}

static void only_a_list_is_taken_for_one_and_only_if_asked_for(void)
{
	struct reader_options plain = { 0 };
	struct reader *reader;
	struct input *input;
	struct diag diag;

	CU_ASSERT_TRUE(costs_list_recognised("1 2\t[3],\r\n", 10));
	CU_ASSERT_FALSE(costs_list_recognised("", 0));
	CU_ASSERT_FALSE(costs_list_recognised("\n  \n", 4));
	CU_ASSERT_FALSE(costs_list_recognised("1 2 a", 5));
	CU_ASSERT_FALSE(costs_list_recognised("1\0", 2));
	CU_ASSERT_EQUAL_FATAL(input_open_memory("1 2 3\n", 6, &input), 0);
	CU_ASSERT_EQUAL(
		reader_open_input(input, "list", &plain, ORDER_RECORDS, &reader, &diag), -EINVAL);
}

static void a_sum_beyond_64_bits_is_refused(void)
{
	struct collected got = READ("1\n18446744073709551614\n1\n");

	CU_ASSERT_EQUAL(got.status, -EOVERFLOW);
	CU_ASSERT_EQUAL(got.count, 6);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "ticks.txt: line 3:"));
	collect_free(&got);
}

/* A line that input.h would cut must not lose numbers in silence. */
static void a_line_that_is_too_long_is_refused(void)
{
	size_t bytes = 2 * INPUT_LINE_BYTES;
	char *text = malloc(bytes);
	struct collected got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	for (size_t i = 0; i < bytes; i += 2)
		memcpy(text + i, "7 ", 2);
	got = read_list(text, bytes);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "line 1 is too long"));
	collect_free(&got);
	free(text);
}

static const struct test_case cases[] = {
	{ "each number is a packet behind the one before",
		each_number_is_a_packet_behind_the_one_before },
	{ "what is no number is counted", what_is_no_number_is_counted },
	{ "only a list is taken for one, and only if asked for",
		only_a_list_is_taken_for_one_and_only_if_asked_for },
	{ "a sum beyond 64 bits is refused", a_sum_beyond_64_bits_is_refused },
	{ "a line that is too long is refused", a_line_that_is_too_long_is_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "costs list", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
