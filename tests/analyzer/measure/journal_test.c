/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include "harness.h"

struct entry {
	uint64_t number;
	uint32_t changed;
	uint32_t rest;
};

/* Appends entries 0 to count - 1. */
static void fill(struct journal *journal, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct entry entry = { .number = i, .rest = (uint32_t)i };

		CU_ASSERT_EQUAL_FATAL(journal_append(journal, &entry, 1), 0);
	}
}

static void change(struct journal *journal, uint64_t number, uint32_t value)
{
	CU_ASSERT_EQUAL(journal_change(journal, number, offsetof(struct entry, changed), &value,
				sizeof(value)),
		0);
}

static void expect_end(struct journal *journal)
{
	const void *records;

	CU_ASSERT_EQUAL(journal_look(journal, 1, &records), 0);
	CU_ASSERT_PTR_NULL(records);
}

/* Reads all, in sequence; entries whose number is a multiple of 3 must have been changed. */
static void expect_all(struct journal *journal, uint64_t count)
{
	for (uint64_t i = 0; i < count;) {
		/* one or two at a time, so that reading crosses the limits too */
		size_t some = i % 3 == 1 && i + 1 < count ? 2 : 1;
		const void *records;
		const struct entry *entries;

		CU_ASSERT_EQUAL_FATAL(journal_look(journal, 1, &records), 0);
		CU_ASSERT_EQUAL_FATAL(journal_look(journal, some, &records), 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(records);
		entries = records;
		for (size_t j = 0; j < some; j++, i++) {
			CU_ASSERT_EQUAL_FATAL(entries[j].number, i);
			CU_ASSERT_EQUAL(entries[j].changed, i % 3 ? 0 : i + 1);
			CU_ASSERT_EQUAL(entries[j].rest, i);
		}
		journal_take(journal, some);
	}
	expect_end(journal);
}

/* Numbers around the limits of a window of 8: nothing, in memory, spilled, read in parts. */
static void what_was_changed_comes_out_wherever_it_was(void)
{
	static const uint64_t counts[] = { 0, 1, 7, 8, 9, 12, 13, 16, 17, 1000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct journal journal;

		CU_ASSERT_EQUAL_FATAL(journal_create(&journal, sizeof(struct entry), 8), 0);
		fill(&journal, counts[i]);
		for (uint64_t number = 0; number < counts[i]; number += 3)
			change(&journal, number, (uint32_t)number + 1);
		CU_ASSERT_EQUAL(journal.count, counts[i]);
		CU_ASSERT(journal.count - journal.written <= 8);
		expect_all(&journal, counts[i]);
		journal_destroy(&journal);
	}
}

/* Of any number at once. */
static void many_can_be_appended(void)
{
	struct entry entries[100] = { 0 };
	struct journal journal;

	for (uint32_t i = 0; i < 100; i++)
		entries[i] = (struct entry){ .number = i, .changed = i % 3 ? 0 : i + 1, .rest = i };
	CU_ASSERT_EQUAL_FATAL(journal_create(&journal, sizeof(struct entry), 8), 0);
	CU_ASSERT_EQUAL(journal_append(&journal, entries, 5), 0);
	CU_ASSERT_EQUAL(journal_append(&journal, entries + 5, 3), 0);
	CU_ASSERT_EQUAL(journal_append(&journal, entries + 8, 92), 0);
	CU_ASSERT_EQUAL(journal_append(&journal, entries, 0), 0);
	expect_all(&journal, 100);
	journal_destroy(&journal);
}

static void a_change_may_come_between(void)
{
	struct journal journal;

	CU_ASSERT_EQUAL_FATAL(journal_create(&journal, sizeof(struct entry), 2), 0);
	for (uint64_t i = 0; i < 50; i++) {
		struct entry entry = { .number = i, .rest = (uint32_t)i };

		CU_ASSERT_EQUAL_FATAL(journal_append(&journal, &entry, 1), 0);
		if (i % 3 == 1) /* of the one before, and of one long ago */
			change(&journal, i - 1, (uint32_t)i);
	}
	change(&journal, 48, 49);
	expect_all(&journal, 50);
	journal_destroy(&journal);
}

static const struct test_case cases[] = {
	{ "what was changed comes out wherever it was",
		what_was_changed_comes_out_wherever_it_was },
	{ "many can be appended", many_can_be_appended },
	{ "a change may come between", a_change_may_come_between },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "journal", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
