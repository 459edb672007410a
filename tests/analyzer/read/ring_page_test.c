/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages made by hand, after include/linux/ring_buffer.h and what tracefs' header_page says.
 */
#include "harness.h"
#include "ring_maker.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct ring_maker maker;
static struct ring_layout layout;

static void prepare(bool big_endian, unsigned long_bytes)
{
	const char *text = ring_header_page(long_bytes);

	maker = (struct ring_maker){ .big_endian = big_endian, .long_bytes = long_bytes };
	CU_ASSERT_EQUAL_FATAL(ring_layout_parse(&layout, text, strlen(text), big_endian), 0);
}

/* From memory of just that size, so that a sanitizer sees what is read behind it. */
static int count_events(size_t bytes, struct ring_page *page, uint64_t *last)
{
	uint8_t *copy = malloc(bytes ? bytes : 1);
	struct ring_entry entry;
	int count = 0, status;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, maker.page, bytes);
	status = ring_page_open(page, &layout, copy, bytes, RING_PAGE_BYTES);
	while (!status && (status = ring_page_next(page, &entry)) == 1) {
		count++;
		*last = entry.time;
		for (uint32_t i = 0; i < entry.bytes; i++)
			CU_ASSERT(entry.data[i] >= '.');
		status = 0;
	}
	free(copy);
	return status < 0 ? status : count;
}

static void expect_entry(struct ring_page *page, uint64_t time, const char *data, uint32_t bytes)
{
	struct ring_entry entry;

	CU_ASSERT_EQUAL_FATAL(ring_page_next(page, &entry), 1);
	CU_ASSERT_EQUAL(entry.time, time);
	CU_ASSERT_EQUAL(entry.bytes, bytes);
	CU_ASSERT(!memcmp(entry.data, data, bytes));
}

static void read_each_type(bool big_endian, unsigned long_bytes)
{
	struct ring_entry entry;
	struct ring_page page;
	char large[120];

	memset(large, 'L', sizeof(large));
	prepare(big_endian, long_bytes);
	ring_begin(&maker, UINT64_C(0x1122334455667788));
	ring_event(&maker, 0, "four", 4);
	ring_event(&maker, 100, "eight...", 8);
	ring_long(&maker, 0x7ffffff, large, sizeof(large));
	ring_extend(&maker, (UINT64_C(5) << 27) + 3);
	ring_event(&maker, 1, "extended", 8);
	ring_discarded(&maker, 50, 16);
	ring_event(&maker, 2, "behind..", 8);
	ring_stamp(&maker, UINT64_C(0x122334455667fff));
	ring_event(&maker, 1, "absolute", 8);
	ring_head(&maker, 29, 0); /* the rest is empty, whatever it holds */
	ring_event(&maker, 1, "never...", 8);

	CU_ASSERT_EQUAL_FATAL(
		ring_page_open(&page, &layout, maker.page, RING_PAGE_BYTES, RING_PAGE_BYTES), 0);
	CU_ASSERT_EQUAL(page.missed, false);
	expect_entry(&page, UINT64_C(0x1122334455667788), "four", 4);
	expect_entry(&page, UINT64_C(0x11223344556677ec), "eight...", 8);
	expect_entry(&page, UINT64_C(0x112233445d6677eb), large, 120);
	expect_entry(&page, UINT64_C(0x11223344856677ef), "extended", 8);
	expect_entry(&page, UINT64_C(0x1122334485667823), "behind..", 8);
	/* of the absolute time's 64 bits the upper 5 aren't stored: those before are 00010 */
	expect_entry(&page, UINT64_C(0x1122334455668000) + (UINT64_C(1) << 59), "absolute", 8);
	CU_ASSERT_EQUAL(ring_page_next(&page, &entry), 0);
	CU_ASSERT_EQUAL(ring_page_next(&page, &entry), 0);
	CU_ASSERT_EQUAL(page.cut, false);
}

static void each_type_of_entry(void)
{
	read_each_type(false, 8);
	read_each_type(false, 4);
	read_each_type(true, 8);
	read_each_type(true, 4);
}

static void absolute_times_take_their_upper_bits_from_before(void)
{
	uint64_t upper = UINT64_C(7) << 59, last = 0;
	struct ring_page page;

	prepare(false, 8);
	ring_begin(&maker, upper + 1000);
	ring_stamp(&maker, 5000);
	ring_event(&maker, 0, "....", 4);
	CU_ASSERT_EQUAL(count_events(RING_PAGE_BYTES, &page, &last), 1);
	CU_ASSERT_EQUAL(last, upper + 5000);

	ring_begin(&maker, 1000); /* no upper bits: whatever the stamp says */
	ring_stamp(&maker, 500);
	ring_event(&maker, 0, "....", 4);
	CU_ASSERT_EQUAL(count_events(RING_PAGE_BYTES, &page, &last), 1);
	CU_ASSERT_EQUAL(last, 500);
}

static void missed_events_with_and_without_a_number(void)
{
	struct ring_page page;
	uint64_t last = 0;

	for (int big = 0; big < 2; big++) {
		prepare(big, 8);
		ring_begin(&maker, 1);
		ring_event(&maker, 0, "....", 4);
		ring_put(&maker, ring_data(&maker) + 8, 77, 8);
		ring_commit(&maker, 8 | RING_MISSED | RING_STORED);
		CU_ASSERT_EQUAL(count_events(RING_PAGE_BYTES, &page, &last), 1);
		CU_ASSERT_EQUAL(page.missed, true);
		CU_ASSERT_EQUAL(page.lost, 77);

		/* Linux 6.18 extends the sign of the first of these bits */
		ring_commit(&maker, 8 | ~UINT64_C(0) << 31);
		CU_ASSERT_EQUAL(count_events(RING_PAGE_BYTES, &page, &last), 1);
		CU_ASSERT_EQUAL(page.missed, true);
		CU_ASSERT_EQUAL(page.lost, 0);
	}
	/* the number's place is cut off: it isn't known, and the events are whole */
	ring_commit(&maker, 8 | RING_MISSED | RING_STORED);
	CU_ASSERT_EQUAL(count_events(16 + 8 + 7, &page, &last), 1);
	CU_ASSERT_EQUAL(page.lost, 0);
	CU_ASSERT_EQUAL(page.cut, false);
	/* nor is it in a page that is full */
	prepare(false, 8);
	ring_begin(&maker, 1);
	ring_head(&maker, 29, 0);
	ring_commit(&maker, 4080 | RING_MISSED | RING_STORED);
	CU_ASSERT_EQUAL(count_events(RING_PAGE_BYTES, &page, &last), 0);
	CU_ASSERT_EQUAL(page.missed, true);
	CU_ASSERT_EQUAL(page.lost, 0);
}

/* Entries of 8, 12, 16 (extend and event), 20 (discarded and event) and 16 bytes (long). */
static void a_page_cut_at_every_byte_gives_its_whole_events(void)
{
	static const size_t ends[] = { 16 + 8, 16 + 20, 16 + 36, 16 + 60, 16 + 76 };
	struct ring_page page;
	uint64_t last = 0;

	prepare(false, 8);
	ring_begin(&maker, 10);
	ring_event(&maker, 0, "....", 4);
	ring_event(&maker, 1, "........", 8);
	ring_extend(&maker, 1);
	ring_event(&maker, 1, "....", 4);
	ring_discarded(&maker, 1, 8);
	ring_event(&maker, 1, "....", 4);
	ring_long(&maker, 1, "........", 8);
	CU_ASSERT_EQUAL_FATAL(maker.bytes, 76);
	for (size_t bytes = 0; bytes <= RING_PAGE_BYTES; bytes++) {
		int whole = 0;

		while (whole < 5 && ends[whole] <= bytes)
			whole++;
		CU_ASSERT_EQUAL(count_events(bytes, &page, &last), whole);
		CU_ASSERT_EQUAL(page.cut, bytes < ends[4]);
	}
}

static void expect_damage(const char *why, size_t offset)
{
	struct ring_page page;
	uint64_t last;

	CU_ASSERT_EQUAL_FATAL(count_events(RING_PAGE_BYTES, &page, &last), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(page.why, why));
	CU_ASSERT_EQUAL((size_t)(page.at - page.begin), offset);
}

static void lengths_that_can_not_be_are_refused(void)
{
	prepare(false, 8);
	ring_begin(&maker, 1);
	ring_commit(&maker, 4084);
	expect_damage("holds more than it has room for", 8);
	ring_commit(&maker, UINT32_MAX & ~(RING_MISSED | RING_STORED));
	expect_damage("holds more than it has room for", 8);
	ring_commit(&maker, 6);
	expect_damage("ends inside a word", 8);

	ring_begin(&maker, 1);
	ring_event(&maker, 0, "....", 4);
	ring_head(&maker, 28, 1); /* 112 bytes, of which none are there */
	expect_damage("reaches beyond", 16 + 8);

	ring_begin(&maker, 1);
	ring_head(&maker, 0, 1);
	ring_word(&maker, 0); /* would be for ever at the same place */
	expect_damage("smaller than its length", 16);
	ring_begin(&maker, 1);
	ring_head(&maker, 0, 1);
	ring_word(&maker, UINT32_MAX);
	expect_damage("reaches beyond", 16);
	ring_begin(&maker, 1);
	ring_head(&maker, 29, 1);
	ring_word(&maker, UINT32_MAX - 3);
	expect_damage("reaches beyond", 16);
	ring_begin(&maker, 1);
	ring_head(&maker, 30, 1); /* the other half is missing */
	expect_damage("reaches beyond", 16);
}

static void page_heads_that_can_not_be_are_refused(void)
{
	static const char *const texts[] = {
		"",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n",
		/* a length of 2 bytes; data inside the head; offsets beyond it; too far */
		"field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; "
		"size:2;\n"
		"field: char data; offset:16; size:4080;\n",
		"field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; "
		"size:8;\n"
		"field: char data; offset:12; size:4080;\n",
		"field: u64 timestamp; offset:4294967290; size:8;\nfield: local_t commit; "
		"offset:8; "
		"size:8;\nfield: char data; offset:16; size:4080;\n",
		"field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; "
		"size:8;\n"
		"field: char data; offset:1000; size:4080;\n",
	};
	char large[2000];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CU_ASSERT_EQUAL(
			ring_layout_parse(&layout, texts[i], strlen(texts[i]), false), -EINVAL);
	memset(large, ' ', sizeof(large));
	CU_ASSERT_EQUAL(ring_layout_parse(&layout, large, sizeof(large), false), -EINVAL);
}

static const struct test_case cases[] = {
	{ "each type of entry, in both byte orders", each_type_of_entry },
	{ "absolute times take their upper bits from before",
		absolute_times_take_their_upper_bits_from_before },
	{ "missed events with and without a number", missed_events_with_and_without_a_number },
	{ "a page cut at every byte gives its whole events",
		a_page_cut_at_every_byte_gives_its_whole_events },
	{ "lengths that can't be are refused", lengths_that_can_not_be_are_refused },
	{ "page heads that can't be are refused", page_heads_that_can_not_be_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "ring pages", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
