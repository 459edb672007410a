/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tools say of lost events, in whole texts. */
#include "text_lines.h"

static void expect_lost(const struct collected *got, size_t i, uint64_t time, unsigned cpu,
	uint64_t count, bool unknown)
{
	uint64_t arg;

	expect(got, i, time, cpu, EVENT_LOST);
	arg = got->events[i].event.arg;
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, arg), count);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, unknown, arg), unknown);
}

/* The gap of CPU 1 ends with its next event, though CPU 0 has one before. */
static void a_gap_ends_with_the_next_event_of_its_cpu(void)
{
	struct collected got;

	collect(FTRACE_FREE("1.000001", "001", "100") "CPU:1 [LOST 40 EVENTS]\n" FTRACE_FREE(
			"1.000002", "000", "200") FTRACE_FREE("1.000003", "001", "300"),
		&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 4);
	expect(&got, 1, 1000002000, 0, EVENT_FREE);
	expect_lost(&got, 2, 1000003000, 1, 40, false);
	expect(&got, 3, 1000003000, 1, EVENT_FREE);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 40);
	CU_ASSERT_FALSE(reader_counts(got.reader)->lost_unknown);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "ftrace");
	collect_free(&got);
}

static void a_gap_that_nothing_follows_is_at_the_end(void)
{
	struct collected got;

	collect("CPU:1 [LOST EVENTS]\n" FTRACE_FREE("1.000009", "000", "100")
			FTRACE_FREE("1.000002", "000", "200"),
		&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	expect_lost(&got, 2, 1000009000, 1, 1, true);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 1);
	CU_ASSERT(reader_counts(got.reader)->lost_unknown);
	collect_free(&got);
}

/* An event of another kind ends the gap too: its time is known all the same. */
static void an_event_of_any_kind_ends_a_gap(void)
{
	struct collected got;

	collect("CPU:0 [7 EVENTS DROPPED]\n"
		" sh-1 [000] 1.000001: sched_switch: x\n" FTRACE_FREE("1.000009", "000", "100"),
		&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 2);
	expect_lost(&got, 0, 1000001000, 0, 7, false);
	collect_free(&got);
}

static void perf_dates_its_losses(void)
{
	struct collected got;

	collect(START("1.000001", "000", "100") " sender 812 [001]  1.000005: PERF_RECORD_LOST "
						"lost 20\n" FREE("1.000003", "000", "100"),
		&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	expect_lost(&got, 2, 1000005000, 1, 20, false);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 20);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 2);
	collect_free(&got);
}

static const struct trace_counts *counts_of(const char *text, struct collected *got)
{
	collect(text, got);
	CU_ASSERT_EQUAL_FATAL(got->status, 0);
	return reader_counts(got->reader);
}

static void losses_beyond_counting_add_up_to_unknown(void)
{
	const uint64_t most = (UINT64_C(1) << 63) - 1;
	const struct trace_counts *counts;
	struct collected got;

	counts = counts_of("CPU:0 [LOST 9223372036854775800 EVENTS]\nCPU:1 [LOST 7 EVENTS]\n" FREE(
				   "1.000003", "000", "100"),
		&got);
	CU_ASSERT_EQUAL(counts->lost, most);
	CU_ASSERT_FALSE(counts->lost_unknown);
	collect_free(&got);
	counts = counts_of("CPU:0 [LOST 9223372036854775800 EVENTS]\nCPU:1 [LOST 8 EVENTS]\n" FREE(
				   "1.000003", "000", "100"),
		&got);
	CU_ASSERT_EQUAL(counts->lost, most);
	CU_ASSERT_TRUE(counts->lost_unknown);
	collect_free(&got);
	counts = counts_of(
		"# entries-in-buffer/entries-written: 3/99999999999999999999\n"
		"# entries-in-buffer/entries-written: 3/4\n" FREE("1.000003", "000", "100"),
		&got);
	CU_ASSERT_EQUAL(counts->lost, most);
	CU_ASSERT_EQUAL_FATAL(got.count, 2);
	expect_lost(&got, 0, 1000003000, 0, most, true);
	collect_free(&got);
	counts = counts_of(" sender 812 [001]  1.000005: PERF_RECORD_LOST lost "
			   "18446744073709551615\n",
		&got);
	CU_ASSERT_EQUAL(counts->lost, most);
	CU_ASSERT_TRUE(counts->lost_unknown);
	CU_ASSERT_EQUAL(counts->unparsed, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 1);
	expect_lost(&got, 0, 1000005000, 1, most, true);
	collect_free(&got);
}

static void a_loss_of_an_impossible_cpu_ends_with_the_next_event(void)
{
	const struct trace_counts *counts;
	struct collected got;

	counts = counts_of("CPU:70000 [LOST 5 EVENTS]\n" FREE("1.000003", "001", "100")
				   FREE("1.000004", "000", "200"),
		&got);
	CU_ASSERT_EQUAL(counts->lost, 5);
	CU_ASSERT_TRUE(counts->lost_unknown);
	CU_ASSERT_EQUAL(counts->unparsed, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	expect_lost(&got, 0, 1000003000, 1, 5, true);
	collect_free(&got);
}

static void no_lost_events_change_nothing(void)
{
	const struct trace_counts *counts;
	struct collected got;

	counts = counts_of("CPU:0 [LOST 0 EVENTS]\n" FREE("1.000003", "000",
				   "100") " sender 812 [001]  1.000005: PERF_RECORD_LOST lost 0\n",
		&got);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT_EQUAL(counts->read, 1);
	CU_ASSERT_EQUAL(counts->unparsed, 0);
	CU_ASSERT_EQUAL(counts->lost, 0);
	CU_ASSERT_FALSE(counts->lost_unknown);
	CU_ASSERT_EQUAL(counts->last, 1000003000);
	collect_free(&got);
}

/* CPU 1's buffer goes back less far: what it lost ends where it begins. */
static void what_was_overwritten_comes_before_the_earliest_event(void)
{
	struct collected got;

	collect("# tracer: nop\n"
		"# entries-in-buffer/entries-written: 3/13   #P:2\n" FTRACE_FREE(
			"1.000005", "000", "100") FTRACE_FREE("1.000002", "000",
			"200") "##### CPU 1 buffer started ####\n" FTRACE_FREE("1.000004", "001",
			"300"),
		&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 5);
	expect_lost(&got, 0, 1000002000, 0, 10, false);
	expect(&got, 1, 1000002000, 0, EVENT_FREE);
	expect_lost(&got, 2, 1000004000, 1, 0, false);
	expect(&got, 3, 1000004000, 1, EVENT_FREE);
	expect(&got, 4, 1000005000, 0, EVENT_FREE);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 10);
	collect_free(&got);
	collect("# entries-in-buffer/entries-written: 1/1   #P:2\n" FTRACE_FREE(
			"1.000005", "000", "1"),
		&got);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 0);
	collect_free(&got);
}

static const struct test_case losses[] = {
	{ "a gap ends with the next event of its CPU", a_gap_ends_with_the_next_event_of_its_cpu },
	{ "a gap that nothing follows is at the end", a_gap_that_nothing_follows_is_at_the_end },
	{ "an event of any kind ends a gap", an_event_of_any_kind_ends_a_gap },
	{ "perf dates its losses", perf_dates_its_losses },
	{ "what was overwritten comes before the earliest event",
		what_was_overwritten_comes_before_the_earliest_event },
	{ "losses beyond counting add up to unknown", losses_beyond_counting_add_up_to_unknown },
	{ "a loss of an impossible CPU ends with the next event",
		a_loss_of_an_impossible_cpu_ends_with_the_next_event },
	{ "no lost events change nothing", no_lost_events_change_nothing },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "losses", losses, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
