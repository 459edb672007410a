/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces that were converted from others: CPUs that come late, and what isn't in the events. */
#include "ctf_folder.h"

static void open_trace(struct trace_writer *writer)
{
	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(writer, folder, &info, 1, NULL), 0);
	trace_writer_name(writer, 0, 100, NAME_DEVICE, 0, "eth0");
}

static void streams_can_be_added(void)
{
	struct trace_writer writer;
	struct collected got;

	open_trace(&writer);
	write_event(&writer, 0, 100, EVENT_START_XMIT, 0x100, 0);
	CU_ASSERT_EQUAL(trace_writer_reach(&writer, 4, NULL), 0);
	CU_ASSERT_EQUAL(trace_writer_reach(&writer, 2, NULL), 0); /* they are there */
	write_event(&writer, 3, 200, EVENT_FREE, 0x100, 0);
	write_event(&writer, 0, 300, EVENT_START_XMIT, 0x200, 0);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT_EQUAL(got.events[1].cpu, 3);
	CU_ASSERT_EQUAL(got.events[1].event.id, EVENT_FREE);
	CU_ASSERT_TRUE(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
	remove_folder();
}

static void too_many_streams_are_refused(void)
{
	struct diag diag = { "" };
	struct trace_writer writer;

	open_trace(&writer);
	CU_ASSERT_EQUAL(trace_writer_reach(&writer, 1025, &diag), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "CPU 1024"));
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	remove_folder();
}

static void what_the_first_reader_counted_is_counted_again(void)
{
	struct trace_writer writer;
	struct collected got;

	open_trace(&writer);
	write_event(&writer, 0, 100, EVENT_START_XMIT, 0x100, 0);
	writer.info.unused = 41;
	writer.info.unparsed = 7;
	writer.info.last = 900;
	writer.restate = true;
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 42);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 7);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 900);
	CU_ASSERT_TRUE(trace_counts_complete(reader_counts(got.reader)));
	CU_ASSERT_EQUAL(reader_capacity(got.reader), 118);
	collect_free(&got);
	remove_folder();
}

static void a_trace_that_was_cut_stays_so(void)
{
	struct trace_writer writer;
	struct collected got;

	open_trace(&writer);
	write_event(&writer, 0, 100, EVENT_START_XMIT, 0x100, 0);
	writer.info.cut = true;
	writer.restate = true;
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_TRUE(reader_counts(got.reader)->truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, "converted"));
	collect_free(&got);
	remove_folder();
}

static void numbers_that_cannot_be_are_refused(void)
{
	static const char *const entries[] = { "unused = 9223372036854775808;", "unparsed = -1;",
		"last = 18446744073709551616;", "cut = 2;" };

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		char *data, changed[40000];
		struct collected got;
		size_t bytes;

		write_small_trace();
		data = slurp("metadata", &bytes);
		snprintf(changed, sizeof(changed), "%.*s\t%s\n%s",
			(int)(strstr(data, "\tcapacity") - data), data, entries[i],
			strstr(data, "\tcapacity"));
		spew("metadata", changed, strlen(changed));
		read_folder(&got);
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "a damaged "));
		collect_free(&got);
		free(data);
		remove_folder();
	}
}

static const struct test_case cases[] = {
	{ "streams can be added", streams_can_be_added },
	{ "too many streams are refused", too_many_streams_are_refused },
	{ "what the first reader counted is counted again",
		what_the_first_reader_counted_is_counted_again },
	{ "a trace that was cut stays so", a_trace_that_was_cut_stays_so },
	{ "numbers that cannot be are refused", numbers_that_cannot_be_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "converted", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
