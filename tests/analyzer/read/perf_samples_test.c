/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of the usual form come by the million and are taken in rows. What else stands among them
 * interrupts a row; nothing of either is lost, or counted twice.
 */
#include "perf_maker.h"

#define FIELDS      (IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW)
#define RAW_SIZE_AT 56 /* in a sample of these fields */
#define EVENTS      400

static struct maker made;

static const struct perf_attr attrs[] = {
	{ 2, FIELDS, READ_ID, { 11, 12 }, -1, false },
	{ 2, FIELDS | CALLCHAIN, READ_ID, { 21, 22 }, -1, false },
};

static void at(
	struct maker *m, const struct perf_attr *attr, uint64_t id, uint64_t time, uint64_t packet)
{
	struct told told = { .id = id, .time = time, .cpu = 1, .pid = 812 };

	consume(m, attr, &told, packet);
}

/* A sample of any record. */
static void other(struct maker *m, uint64_t time, unsigned type, size_t bytes)
{
	struct told told = { .id = 11, .time = time, .cpu = 1, .pid = 812 };
	uint8_t raw[32] = { 0 };

	put(raw, type, 2, m->big);
	sample(m, attrs, &told, raw, bytes);
}

/* The i-th has the time 1000 + i, but the 128th, which begins a block, that of the one before. */
static uint64_t time_of(uint64_t i)
{
	return 1000 + i - (i == 127);
}

static void fill(struct maker *m)
{
	for (uint64_t i = 0; i < EVENTS; i++) {
		size_t begin = m->end;

		if (i == 100) { /* its raw data go beyond the record */
			at(m, attrs, 11, time_of(i), 7000);
			put(m->data + begin + RAW_SIZE_AT, 200, 4, m->big);
		}
		if (i == 150) /* a consume_skb without its packet */
			other(m, time_of(i), 1404, 12);
		if (i == 200) /* an event without a format */
			other(m, time_of(i), 7777, 12);
		if (i == 250) /* an id that isn't told */
			at(m, attrs, 99, time_of(i), 7001);
		if (i == 300) /* a sample of another form */
			at(m, attrs + 1, 21, time_of(i), 8000);
		if (i == 350) /* from another CPU's buffer, and older */
			at(m, attrs, 12, time_of(50), 9000);
		at(m, attrs, 11, time_of(i), i);
	}
}

static void expect(const struct collected *got)
{
	const struct collected_event *event = got->events;

	CU_ASSERT_EQUAL_FATAL(got->status, 0);
	CU_ASSERT_EQUAL_FATAL(got->count, EVENTS + 2);
	for (uint64_t i = 0; i < EVENTS; i++, event++) {
		if (i == 300)
			CU_ASSERT_EQUAL((event++)->event.packet, 8000);
		CU_ASSERT_EQUAL(event->event.packet, i);
		CU_ASSERT_EQUAL(event->event.time, time_of(i));
		CU_ASSERT_EQUAL(event->event.id, EVENT_FREE);
		CU_ASSERT_EQUAL(event->cpu, 1);
		if (i == 50) /* of equal times the first in the file comes first */
			CU_ASSERT_EQUAL((++event)->event.packet, 9000);
	}
	CU_ASSERT_EQUAL(reader_counts(got->reader)->read, EVENTS + 6);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->unparsed, 2);
	CU_ASSERT(trace_counts_complete(reader_counts(got->reader)));
}

/* Only those of a little-endian recording come in rows. */
static void what_stands_among_samples_is_taken_as_it_is(void)
{
	for (int form = 0; form < 4; form++) {
		struct collected got;

		if (form & 1)
			make_pipe(&made, form & 2, attrs, 2, fill);
		else
			make_file(&made, form & 2, attrs, 2, fill);
		collect_made(&made, &got);
		expect(&got);
		collect_free(&got);
	}
}

/* In a file that is mapped and not in memory, too. */
static void a_file_is_read_as_memory_is(void)
{
	struct collected got = { 0 };
	char path[64];

	make_file(&made, false, attrs, 2, fill);
	write_temporary(made.data, made.end, path);
	CU_ASSERT_EQUAL_FATAL(reader_open(path, NULL, &got.reader, &got.diag), 0);
	collect_events(&got);
	expect(&got);
	collect_free(&got);
	remove(path);
}

static const struct test_case cases[] = {
	{ "what stands among samples is taken as it is",
		what_stands_among_samples_is_taken_as_it_is },
	{ "a file is read as memory is", a_file_is_read_as_memory_is },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "perf_samples", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
