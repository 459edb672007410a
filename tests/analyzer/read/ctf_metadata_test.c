/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_metadata.h"

#include "ctf_folder.h"

/* Replaces a text in the metadata, which must then be refused with these words. */
static void expect_refusal(const char *from, const char *to, const char *words)
{
	struct collected got;
	char *data, *at, *changed;
	size_t bytes;

	write_small_trace();
	data = slurp("metadata", &bytes);
	changed = calloc(1, bytes + 100);
	CU_ASSERT_PTR_NOT_NULL_FATAL(changed);
	at = strstr(data, from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	snprintf(changed, bytes + 100, "%.*s%s%s", (int)(at - data), data, to, at + strlen(from));
	spew("metadata", changed, strlen(changed));
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "/metadata"));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, words));
	collect_free(&got);
	free(data);
	free(changed);
	remove_folder();
}

static void metadata_without_what_it_must_tell_is_refused(void)
{
	expect_refusal("layout = 1;", "layout = 2;", "version 2");
	expect_refusal("layout = 1;", "", "layout");
	expect_refusal("freq = 2900000000;", "freq = 0;", "frequency");
	expect_refusal("freq = 2900000000;", "freq = 99999999999999999999;", "frequency");
	expect_refusal("capacity = 118;", "capacity = many;", "capacity");
	expect_refusal("01020304-", "0102-", "uuid");
	expect_refusal("streams = 2;", "", "streams");
	expect_refusal("streams = 2;", "streams = 0;", "streams");
	expect_refusal("streams = 2;", "streams = 1025;", "streams");
}

static void metadata_of_another_layout_is_refused(void)
{
	expect_refusal("byte_order = le;", "byte_order = be;", "byte_order is 'be', but le");
	expect_refusal("byte_order = le;", "", "byte_order is ''");
	expect_refusal("minor = 8;", "minor = 9;", "minor is '9'");
	expect_refusal("major = 1;", "major = 2;", "major is '2'");
	expect_refusal("size = 64; align = 8; signed = false; map",
		"size = 32; align = 8; signed = false; map", "typealias integer");
	expect_refusal("uint32_t cpu_id;", "uint16_t cpu_id;", "'stream {'");
	expect_refusal("uint8_t uuid[16];", "uint8_t uuid[8];", "'trace {'");
	expect_refusal("size = 16; align = 8;", "size = 16; align = 16;", "layout 1");
}

/* What comes after a cut may be missed by nobody but other readers: all the same it is one. */
static void cut_metadata_is_never_taken_for_whole(void)
{
	struct collected got;
	size_t bytes, partial = 0;
	char *data;

	write_small_trace();
	data = slurp("metadata", &bytes);
	for (size_t cut = 0; cut < bytes; cut++) {
		spew("metadata", data, cut);
		read_folder(&got);
		CU_ASSERT(got.status == 0 || got.status == -EINVAL);
		if (got.status) {
			/* before it tells its tracer, babeltrace2 is asked */
			CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, folder));
		} else {
			partial++;
			CU_ASSERT_EQUAL(got.count, 5);
			CU_ASSERT_TRUE(reader_counts(got.reader)->truncated);
			CU_ASSERT_PTR_NOT_NULL(
				strstr(reader_counts(got.reader)->trouble, "metadata is cut"));
		}
		collect_free(&got);
	}
	CU_ASSERT(partial > 0);
	free(data);
	remove_folder();
}

/* 3 + 2 parts of names, and 5 events: none with a name that the kernel gives. */
static void the_same_of_another_tracer_is_read_as_foreign(void)
{
	struct collected got;
	size_t bytes;
	char *data;

	write_small_trace();
	data = slurp("metadata", &bytes);
	memcpy(strstr(data, "\"ringside\""), "\"somebody\"", 10);
	spew("metadata", data, bytes);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 10);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, (UINT64_C(1) << 62) + 5829);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 2900000000);
	collect_free(&got);
	free(data);
	remove_folder();
}

static void other_entries_and_events_are_no_damage(void)
{
	struct collected got;
	char *data, *changed;
	size_t bytes;

	write_small_trace();
	data = slurp("metadata", &bytes);
	changed = calloc(1, bytes + 100);
	CU_ASSERT_PTR_NOT_NULL_FATAL(changed);
	snprintf(changed, bytes + 100, "%.*s\thostname = \"a\";\n%s",
		(int)(strstr(data, "\tcapacity") - data), data, strstr(data, "\tcapacity"));
	spew("metadata", changed, strlen(changed));
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	collect_free(&got);
	free(data);
	free(changed);
	remove_folder();
}

/* Writes a trace without events that says this of itself, and opens it. */
static void open_telling(struct reader **reader, const char *clock, const char *kernel)
{
	struct trace_info told = { .hz = 1000 };
	struct trace_writer writer;
	struct diag diag;

	snprintf(told.clock, sizeof(told.clock), "%s", clock);
	snprintf(told.kernel, sizeof(told.kernel), "%s", kernel);
	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &told, 1, &diag), 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, &diag), 0);
	CU_ASSERT_EQUAL_FATAL(reader_open(folder, NULL, reader, &diag), 0);
}

static void clock_and_kernel_are_told_as_they_were(void)
{
	struct reader *reader;

	open_telling(&reader, "x86-tsc", "6.1.0-57-amd64");
	CU_ASSERT_STRING_EQUAL(reader_source(reader)->clock, "x86-tsc");
	CU_ASSERT_STRING_EQUAL(reader_source(reader)->kernel, "6.1.0-57-amd64");
	reader_close(reader);
	remove_folder();
	open_telling(&reader, "", "");
	CU_ASSERT_STRING_EQUAL(reader_source(reader)->clock, "cycles");
	CU_ASSERT_PTR_NULL(reader_source(reader)->kernel);
	reader_close(reader);
	remove_folder();
	/* no text ends its block early, or leaves nothing */
	open_telling(&reader, "\";", "a;b}\"c\n\\{\xff");
	CU_ASSERT_STRING_EQUAL(reader_source(reader)->clock, "__");
	CU_ASSERT_STRING_EQUAL(reader_source(reader)->kernel, "a_b__c____");
	reader_close(reader);
	remove_folder();
}

static const struct test_case cases[] = {
	{ "metadata without what it must tell is refused",
		metadata_without_what_it_must_tell_is_refused },
	{ "metadata of another layout is refused", metadata_of_another_layout_is_refused },
	{ "cut metadata is never taken for whole", cut_metadata_is_never_taken_for_whole },
	{ "the same of another tracer is read as foreign",
		the_same_of_another_tracer_is_read_as_foreign },
	{ "other entries and events are no damage", other_entries_and_events_are_no_damage },
	{ "clock and kernel are told as they were", clock_and_kernel_are_told_as_they_were },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "metadata", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
