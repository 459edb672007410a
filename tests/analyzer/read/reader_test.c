/* SPDX-License-Identifier: BSD-3-Clause */
/* Events one by one, and as many as there are at once: the same ones. */
#include "collect.h"

/* A real kernel's perf.data, whose reader has many at once, and a text, whose reader has one. */
static const char *const files[] = {
	TEST_FIXTURES "/kernel/tcp-udp-ping-itr1000-zstd.perf.data",
	TEST_FIXTURES "/kernel/tcp-udp-ping-itr1000.perf-script-ns.txt.gz",
};

static void open_file(struct collected *got, const char *file)
{
	*got = (struct collected){ 0 };
	CU_ASSERT_EQUAL_FATAL(reader_open(file, NULL, &got->reader, &got->diag), 0);
}

/* Compares the next events of a reader with those of `all`, from *at on. 1, or 0 at the end. */
static int compare_some(struct reader *reader, const struct collected *all, size_t *at)
{
	const struct cpu_event *begin, *end;
	int status = reader_next_some(reader, &begin, &end, NULL);

	if (status != 1)
		return status;
	CU_ASSERT_FATAL(begin < end && (size_t)(end - begin) <= all->count - *at);
	for (; begin < end; begin++, ++*at) {
		CU_ASSERT_EQUAL(begin->cpu, all->events[*at].cpu);
		CU_ASSERT(!memcmp(&begin->event, &all->events[*at].event, sizeof(begin->event)));
	}
	return 1;
}

static int compare_one(struct reader *reader, const struct collected *all, size_t *at)
{
	struct event event;
	unsigned cpu;
	int status = reader_next(reader, &event, &cpu, NULL);

	if (status != 1)
		return status;
	CU_ASSERT_FATAL(*at < all->count);
	CU_ASSERT_EQUAL(cpu, all->events[*at].cpu);
	CU_ASSERT(!memcmp(&event, &all->events[*at].event, sizeof(event)));
	++*at;
	return 1;
}

/* `ones`: so many are taken one by one before each that are taken at once. */
static void compare(const struct collected *all, const char *file, unsigned ones)
{
	struct collected got;
	size_t at = 0;
	int status = 1;

	open_file(&got, file);
	while (status == 1) {
		for (unsigned i = 0; i < ones && status == 1; i++)
			status = compare_one(got.reader, all, &at);
		if (status == 1)
			status = compare_some(got.reader, all, &at);
	}
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(at, all->count);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, reader_counts(all->reader)->read);
	collect_free(&got);
}

static void both_ways_hand_out_the_same_events(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct collected all;

		open_file(&all, files[i]);
		collect_events(&all);
		CU_ASSERT_EQUAL(all.status, 0);
		CU_ASSERT_EQUAL(all.count, 10511); /* grep -c: see kernel_test.c */
		for (unsigned ones = 0; ones < 4; ones++)
			compare(&all, files[i], ones);
		collect_free(&all);
	}
}

static const struct test_case cases[] = {
	{ "both ways hand out the same events", both_ways_hand_out_the_same_events },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "reader", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
