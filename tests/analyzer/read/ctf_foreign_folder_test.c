/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders with several foreign traces, and damaged ones. */
#include "ctf_foreign_traces.h"

#include <sys/stat.h>

static void make_folder_below(
	const char *name, const char *metadata, uint64_t time, uint64_t packet)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, time, time + 10, 0, 0);
	char path[200];

	put_free(&stream, time, packet);
	end_packet(&stream, at);
	path_of(name, path);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/metadata", name);
	spew(path, metadata, strlen(metadata));
	snprintf(path, sizeof(path), "%s/stream", name);
	spew(path, stream.data, stream.count);
}

static void remove_below(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s/metadata", folder, name);
	CU_ASSERT_EQUAL(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/%s/stream", folder, name);
	CU_ASSERT_EQUAL(unlink(path), 0);
	path_of(name, path);
	CU_ASSERT_EQUAL(rmdir(path), 0);
}

#define FREE_ON(clock)                                    \
	TYPES TRACE("le") CLOCK("c", clock) STREAM(PLAIN) \
		EVENT("consume_skb", 0, "uint64_t skbaddr;")

/* LTTng makes one for the kernel and one for each user: the second clock began 2 s and 5 later. */
static void several_traces_of_a_folder_are_one(void)
{
	struct collected got;

	make_folder();
	make_folder_below("kernel", FREE_ON("freq = 1000; offset_s = 50; offset = 3;"), 2010, 1);
	make_folder_below("user", FREE_ON("freq = 1000; offset_s = 52; offset = 8;"), 1, 2);
	read_folder(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 2);
	CU_ASSERT(is(&got, 0, 2006, 1, EVENT_FREE, 2) || is(&got, 0, 2006, 0, EVENT_FREE, 2));
	CU_ASSERT(is(&got, 1, 2010, 0, EVENT_FREE, 1));
	collect_free(&got);
	remove_below("user");
	make_folder_below("user", FREE_ON("freq = 1001;"), 1, 2);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "frequenc"));
	collect_free(&got);
	remove_below("user");
	/* 1 cycle is before the first clock's begin, which no number without sign can tell */
	make_folder_below("user", FREE_ON("freq = 1000; offset_s = 49;"), 1, 2);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "64 bits"));
	collect_free(&got);
	remove_below("user");
	remove_below("kernel");
	remove_folder();
}

static void expect_refusal(const char *metadata, const void *stream, size_t bytes, const char *why)
{
	make_trace(metadata);
	if (stream)
		spew("stream", stream, bytes);
	read_refused_and_remove(why);
}

static void damage_is_refused_with_the_reason(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 0, 100, 0, 0);

	put_free(&stream, 10, 1);
	end_packet(&stream, at);
	/* the clock is in line 9 */
	expect_refusal(TYPES TRACE("le") CLOCK("c", "freq = many;") STREAM(PLAIN), stream.data,
		stream.count, "line 9");
	expect_refusal(TYPES "trace { major = 1;", stream.data, stream.count, "line 8");
	expect_refusal("\x57\x1d\xd1\x75garbage", stream.data, stream.count, "");
	expect_refusal("nothing of the kind", stream.data, stream.count, "");
	expect_refusal(FREES, stream.data, stream.count - 1, "stream");
	expect_refusal(FREES, "garbage, and not a little of it", 31, "magic");
	/* babeltrace2 2.0.4 divides by zero */
	expect_refusal(TYPES TRACE("le") CLOCK("a.b", "offset = 0;") STREAM(PLAIN), stream.data,
		stream.count, "this CTF trace can't be read");
	expect_refusal(FREES, NULL, 0, "without a stream");
	expect_refusal(TYPES TRACE("le") "stream { id = 0; packet.context := struct { uint32_t "
					 "content_size; uint32_t packet_size; }; event.header := "
					 "struct { uint16_t id; }; };\n" EVENT(
						 "consume_skb", 0, "uint64_t skbaddr;"),
		"\xc1\x1f\xfc\xc1\0\0\0\0\x80\0\0\0\x80\0\0\0", 16, "no clock");
}

/* An event of no known id in the middle of a stream: what was before it counts, and says so. */
static void a_stream_that_can_not_be_read_further_is_partial(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 0, 100, 0, 0);
	struct collected got;

	put_free(&stream, 10, 1);
	put_free(&stream, 20, 2);
	put_head(&stream, 99, 30);
	end_packet(&stream, at);
	make_trace(FREES);
	finish(&stream, "stream");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, folder));
	CU_ASSERT_EQUAL(got.count, 2);
	collect_free(&got);
}

/* Two packets: frees of 1 and 2, then of 3 and 4. Returns where the second begins. */
static size_t put_two_packets(struct bytes *stream)
{
	size_t at = begin_packet(stream, 0, 25, 0, 0);

	put_free(stream, 10, 1);
	put_free(stream, 20, 2);
	end_packet(stream, at);
	at = begin_packet(stream, 25, 100, 0, 0);
	put_free(stream, 30, 3);
	put_free(stream, 40, 4);
	end_packet(stream, at);
	return at;
}

static char place[] = "TMPDIR=/tmp/ringside-test-XXXXXX";
static const char *const temporary = place + sizeof("TMPDIR=") - 1;

/* Reads a trace of which the last file was cut: so many events are whole. Nothing is left of it. */
static void expect_partial(const char *cut, size_t count)
{
	struct collected got;

	CU_ASSERT_EQUAL(mkdir(temporary, 0700), 0);
	read_and_remove(&got);
	CU_ASSERT_EQUAL(rmdir(temporary), 0);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, folder));
	CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, cut));
	CU_ASSERT_PTR_NULL(strstr(reader_counts(got.reader)->trouble, "-addr="));
	CU_ASSERT_EQUAL(got.count, count);
	for (size_t i = 0; i < got.count; i++)
		CU_ASSERT_EQUAL(got.events[i].event.time, 10 * got.events[i].event.packet);
	collect_free(&got);
}

/* babeltrace2 takes none of these. A free has 18 bytes, the begin of a packet 40. */
static void a_stream_that_is_cut_is_read_up_to_the_cut(void)
{
	static const struct {
		size_t left; /* of the second packet */
		size_t count;
	} cuts[] = { { 40 + 2 * 18 - 1, 3 }, { 40 + 18, 3 }, { 40 + 17, 2 }, { 39, 2 }, { 5, 2 } };

	for (unsigned order = 0; order < 2; order++) {
		struct bytes stream = { .big = order };
		size_t second = put_two_packets(&stream);

		for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
			make_trace(order ? TYPES TRACE("be") FREES_OF_TRACE
					 : TYPES TRACE("le") FREES_OF_TRACE);
			spew("stream", stream.data, second + cuts[i].left);
			expect_partial("stream", cuts[i].count);
		}
	}
}

/* What is whole of one stream doesn't depend on the others. */
static void each_stream_that_is_cut_is_read_up_to_its_cut(void)
{
	struct bytes first = { 0 }, last = { 0 }, whole = { 0 };
	size_t at = begin_packet(&last, 0, 100, 0, 1);

	put_two_packets(&first);
	put_free(&last, 50, 5);
	put_free(&last, 60, 6);
	end_packet(&last, at);
	at = begin_packet(&whole, 0, 100, 0, 2);
	put_free(&whole, 70, 7);
	end_packet(&whole, at);
	make_trace(FREES);
	spew("first", first.data, first.count - 1);
	spew("last", last.data, last.count - 1);
	finish(&whole, "whole");
	expect_partial("cut", 3 + 1 + 1);
}

/* A frequency that isn't told is 1 GHz, also where a stream is cut. */
static void a_clock_without_a_frequency_has_nanoseconds(void)
{
	for (size_t cut = 0; cut < 2; cut++) {
		struct bytes stream = { 0 };
		struct collected got;

		put_two_packets(&stream);
		make_trace(FREE_ON("offset_s = 50;"));
		spew("stream", stream.data, stream.count - cut);
		CU_ASSERT_EQUAL(mkdir(temporary, 0700), 0);
		read_and_remove(&got);
		CU_ASSERT_EQUAL(rmdir(temporary), 0);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 1000000000);
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, "c");
		CU_ASSERT_EQUAL(got.count, 4 - cut);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->truncated, cut);
		CU_ASSERT_EQUAL(!strstr(reader_counts(got.reader)->trouble, folder), !cut);
		CU_ASSERT_PTR_NULL(strstr(reader_counts(got.reader)->trouble, temporary));
		CU_ASSERT(is(&got, 0, 10, 0, EVENT_FREE, 1));
		collect_free(&got);
	}
}

/* Pipes that nobody writes into, in the folder and in one below it. */
static void what_is_no_file_is_not_waited_for(void)
{
	static const char *const names[] = { "metadata", "below/metadata" };
	char below[200], path[200];
	struct collected got;

	for (size_t i = 0; i < 2; i++) {
		make_folder();
		path_of("below", below);
		path_of(names[i], path);
		CU_ASSERT_EQUAL(mkdir(below, 0700), 0);
		CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
		read_folder(&got);
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "metadata"));
		collect_free(&got);
		CU_ASSERT_EQUAL(unlink(path), 0);
		CU_ASSERT_EQUAL(rmdir(below), 0);
		remove_folder();
	}
	write_small_trace();
	path_of("stream_0", path);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "stream_0"));
	collect_free(&got);
	remove_folder();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(several_traces_of_a_folder_are_one),
	CASE(damage_is_refused_with_the_reason),
	CASE(a_stream_that_can_not_be_read_further_is_partial),
	CASE(a_stream_that_is_cut_is_read_up_to_the_cut),
	CASE(each_stream_that_is_cut_is_read_up_to_its_cut),
	CASE(a_clock_without_a_frequency_has_nanoseconds),
	CASE(what_is_no_file_is_not_waited_for),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ctf_foreign_folder", cases, NULL, NULL },
		{ 0 },
	};

	if (!mkdtemp(place + sizeof("TMPDIR=") - 1) || rmdir(temporary) || putenv(place))
		return 1;
	return test_main(argc, argv, suites);
}
