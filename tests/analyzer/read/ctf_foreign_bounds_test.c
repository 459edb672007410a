/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces that make babeltrace2 loop or allocate: the process that it works in has bounds. */
#include "ctf_foreign_bounds.h"

#include "ctf_foreign_traces.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define CLOCKED TYPES TRACE("le") CLOCK("c", "freq = 1000000000;")

static char place[] = "TMPDIR=/tmp/ringside-test-XXXXXX";
static const char *const temporary = place + sizeof("TMPDIR=") - 1;

static double cpu_seconds(int who)
{
	struct rusage usage;

	CU_ASSERT_EQUAL_FATAL(getrusage(who, &usage), 0);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The trace is refused, with these words, and no temporary file is left. */
static void expect_bound(const char *why)
{
	CU_ASSERT_EQUAL(mkdir(temporary, 0700), 0);
	read_refused_and_remove(why);
	CU_ASSERT_EQUAL(rmdir(temporary), 0);
}

/* Events without a header and without fields: babeltrace2 finds them without an end. */
static void a_loop_ends(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 1, 2, 0, 0);
	double before = cpu_seconds(RUSAGE_CHILDREN), used;

	put64(&stream, 0);
	end_packet(&stream, at);
	make_trace(CLOCKED STREAM("struct { }") EVENT("sched_switch", 0, ""));
	finish(&stream, "stream");
	expect_bound("it takes more than 0.4 s of a CPU");
	used = cpu_seconds(RUSAGE_CHILDREN) - before;
	CU_ASSERT(used > 0.35 && used < 0.9);
}

/* One exists since the clock has no frequency, which is put right there. */
static void a_loop_leaves_no_temporary_folder(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 1, 2, 0, 0);

	put64(&stream, 0);
	end_packet(&stream, at);
	make_trace(
		TYPES TRACE("le") CLOCK("c", "") STREAM("struct { }") EVENT("sched_switch", 0, ""));
	finish(&stream, "stream");
	expect_bound("it takes more than 0.4 s of a CPU");
}

/* An array of 400 million fields, of which babeltrace2 would make an object each. */
static void a_length_allocates_nothing_beyond_the_bound(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 1, 2, 0, 0);

	put_free(&stream, 1, 0x1000);
	end_packet(&stream, at);
	make_trace(CLOCKED STREAM(PLAIN)
			EVENT("consume_skb", 0, "uint8_t much[400000000]; uint64_t skbaddr;"));
	finish(&stream, "stream");
	expect_bound("it takes more than 256 MiB of memory");
}

static void bounds_grow_with_the_trace(void)
{
	struct foreign_bounds bounds;
	char path[200], text[80];

	make_folder();
	spew("metadata", "", 0);
	foreign_bounds_make(&bounds, folder);
	CU_ASSERT_EQUAL(bounds.memory_bytes, 256 << 20);
	CU_ASSERT_EQUAL(bounds.cpu_ms, 400);
	path_of("stream", path);
	spew("stream", "", 0);
	CU_ASSERT_EQUAL(truncate(path, 20 << 20), 0);
	foreign_bounds_make(&bounds, folder);
	CU_ASSERT_EQUAL(bounds.memory_bytes, (256 + 2 * 20) << 20);
	CU_ASSERT_EQUAL(bounds.cpu_ms, 400 + 2500); /* 8 MiB a second */
	CU_ASSERT_STRING_EQUAL(foreign_bounds_met(&bounds, SIGPROF, "", text),
		"it takes more than 2.9 s of a CPU");
	CU_ASSERT_STRING_EQUAL(
		foreign_bounds_met(&bounds, SIGTRAP, "x: failed to allocate 7 bytes", text),
		"it takes more than 296 MiB of memory");
	CU_ASSERT_PTR_NULL(foreign_bounds_met(&bounds, SIGSEGV, "", text));
	remove_folder();
}

/* As in a home directory that was given by mistake: neither links lead out of it, nor is it walked
 * through as a whole. */
static void only_what_is_looked_into_is_measured(void)
{
	struct foreign_bounds bounds, empty;
	char path[200], inside[220], target[200];
	unsigned count = FOREIGN_FOLDERS_MOST + 10;

	make_folder();
	foreign_bounds_make(&empty, folder);
	path_of("target", target);
	CU_ASSERT_EQUAL(mkdir(temporary, 0700), 0);
	snprintf(inside, sizeof(inside), "%s/stream", temporary);
	CU_ASSERT_EQUAL(mknod(inside, S_IFREG | 0600, 0), 0);
	CU_ASSERT_EQUAL(truncate(inside, 1000), 0);
	CU_ASSERT_EQUAL(symlink(temporary, target), 0); /* to a folder */
	foreign_bounds_make(&bounds, folder);
	CU_ASSERT_EQUAL(bounds.file_bytes, empty.file_bytes);
	path_of("stream", path);
	CU_ASSERT_EQUAL(symlink(inside, path), 0); /* to a file */
	foreign_bounds_make(&bounds, folder);
	CU_ASSERT_EQUAL(bounds.file_bytes, empty.file_bytes + 1000);
	CU_ASSERT_EQUAL(unlink(target) | unlink(path) | unlink(inside) | rmdir(temporary), 0);

	for (unsigned i = 0; i < count; i++) {
		snprintf(inside, sizeof(inside), "%s/%u", folder, i);
		CU_ASSERT_EQUAL_FATAL(mkdir(inside, 0700), 0);
		strcat(inside, "/stream");
		CU_ASSERT_EQUAL(mknod(inside, S_IFREG | 0600, 0), 0);
		CU_ASSERT_EQUAL(truncate(inside, 1000), 0);
	}
	foreign_bounds_make(&bounds, folder);
	/* the folder itself is one of them */
	CU_ASSERT_EQUAL(bounds.file_bytes, empty.file_bytes + (FOREIGN_FOLDERS_MOST - 1) * 1000);
	for (unsigned i = 0; i < count; i++) {
		snprintf(inside, sizeof(inside), "%s/%u/stream", folder, i);
		CU_ASSERT_EQUAL(unlink(inside), 0);
		*strrchr(inside, '/') = '\0';
		CU_ASSERT_EQUAL(rmdir(inside), 0);
	}
	remove_folder();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(a_loop_ends),
	CASE(a_loop_leaves_no_temporary_folder),
	CASE(a_length_allocates_nothing_beyond_the_bound),
	CASE(bounds_grow_with_the_trace),
	CASE(only_what_is_looked_into_is_measured),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ctf_foreign_bounds", cases, NULL, NULL },
		{ 0 },
	};

	if (!mkdtemp(place + sizeof("TMPDIR=") - 1) || rmdir(temporary) || putenv(place))
		return 1;
	return test_main(argc, argv, suites);
}
