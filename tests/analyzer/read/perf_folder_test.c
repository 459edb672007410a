/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders that perf record --threads makes. */
#include "perf_folder.h"

#include "ctf_folder.h"
#include "perf_maker.h"
#include <sys/stat.h>

static struct maker made;

static const struct perf_attr attr = { 2, IDENTIFIER | TID | TIME | CPU | RAW, READ_ID, { 11, 12 },
	1, false };

static void at(struct maker *m, uint32_t cpu, uint64_t time)
{
	struct told told = { .id = 11 + cpu, .time = time, .cpu = cpu, .pid = 812 };

	consume(m, &attr, &told, time);
}

static void send(struct maker *m, uint32_t cpu, uint64_t time)
{
	struct told told = { .id = 11 + cpu, .time = time, .cpu = cpu, .pid = 812 };

	sock_send(m, &attr, &told);
}

/* As perf writes it at its begin, before there are times. */
static void fill_data(struct maker *m)
{
	comm(m, &attr, 812, 812, "shell");
}

/* On CPU 0 the process sends once as itself and once as what it became on CPU 1. */
static void fill_cpu_0(struct maker *m)
{
	at(m, 0, 10);
	send(m, 0, 12);
	send(m, 0, 30);
	at(m, 0, 50);
}

static void fill_cpu_1(struct maker *m)
{
	struct told told = { .id = 12, .time = 20, .cpu = 1, .pid = 812 };
	size_t record;

	at(m, 1, 11);
	record = begin_record(m, 3);
	number(m, 812, 4);
	number(m, 812, 4);
	block(m, "server\0", 8);
	end_fields(m, &attr, &told);
	end_record(m, record);
	at(m, 1, 40);
	at(m, 1, 60);
}

static void write_made(const char *name, size_t bytes)
{
	char path[200];
	FILE *file;

	path_of(name, path);
	file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fwrite(made.data, 1, bytes, file), bytes);
	CU_ASSERT_EQUAL(fclose(file), 0);
}

static void write_part(const char *name, bool big, void (*fill)(struct maker *m))
{
	make_part(&made, big, fill);
	write_made(name, made.end);
}

/* Two CPUs, two files, and the one with the header. */
static void begin_of(uint64_t version, bool big)
{
	make_folder();
	made.folder = version;
	make_file(&made, big, &attr, 1, fill_data);
	write_made("data", made.end);
	write_part("data.0", big, fill_cpu_0);
	write_part("data.1", big, fill_cpu_1);
}

static void begin(void)
{
	begin_of(1, false);
}

static void collect_path(const char *path, struct collected *got)
{
	*got = (struct collected){ 0 };
	got->status = reader_open(path, NULL, &got->reader, &got->diag);
	if (!got->status)
		collect_events(got);
}

static void collect_it(struct collected *got)
{
	collect_path(folder, got);
}

/* The message, after the folder's name. */
static void expect_refused(const char *message)
{
	struct collected got;

	collect_it(&got);
	CU_ASSERT(got.status < 0);
	CU_ASSERT_STRING_EQUAL(got.diag.text + strlen(folder), message);
	collect_free(&got);
}

static void expect_partial(size_t count, const char *message)
{
	struct collected got;

	collect_it(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, count);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	CU_ASSERT_STRING_EQUAL(reader_counts(got.reader)->trouble + strlen(folder), message);
	collect_free(&got);
}

static void a_folder_is_one_recording_in_order_of_time(void)
{
	static const uint64_t times[] = { 10, 11, 12, 30, 40, 50, 60 };

	for (int big = 0; big < 2; big++) {
		struct collected got;

		begin_of(1, big);
		collect_it(&got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT_EQUAL_FATAL(got.count, 7);
		for (size_t i = 0; i < 7; i++)
			CU_ASSERT_EQUAL(got.events[i].event.time, times[i]);
		CU_ASSERT_EQUAL(got.events[1].cpu, 1);
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->file, folder);
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "perf.data");
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, "monotonic");
		CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 7);
		CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
		collect_free(&got);
		remove_folder();
	}
}

static void a_name_counts_from_its_time_on_all_cpus(void)
{
	static const char *const names[] = { "812 shell", "812 server" };
	struct collected got;

	begin();
	collect_it(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 7);
	for (size_t i = 0; i < 2; i++) {
		uint64_t process = EVENT_GET(SOCK_SEND, process, got.events[2 + i].event.arg);

		CU_ASSERT_STRING_EQUAL(
			names_get(reader_names(got.reader), NAME_TASK, (uint32_t)process),
			names[i]);
	}
	collect_free(&got);
	remove_folder();
}

#define MANY 20000

/* An event of an interrupt may stand before the one that it has interrupted. */
static void fill_many_even(struct maker *m)
{
	for (uint64_t i = 0; i < MANY; i++)
		at(m, 0, 2 * (i ^ 1));
}

static void fill_many_odd(struct maker *m)
{
	for (uint64_t i = 0; i < MANY; i++)
		at(m, 1, 2 * i + 1);
}

static void long_files_are_merged(void)
{
	struct collected got;

	begin();
	write_part("data.0", false, fill_many_even);
	write_part("data.1", false, fill_many_odd);
	collect_it(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 2 * MANY);
	for (uint64_t i = 0; i < 2 * MANY; i++)
		CU_ASSERT_FATAL(got.events[i].event.time == i);
	CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
	remove_folder();
}

/* A sample has 60 bytes here, COMM 56. */
static void a_file_that_is_cut_is_partial(void)
{
	begin();
	make_part(&made, false, fill_cpu_1);
	write_made("data.1", made.end - 1);
	expect_partial(6, ": in data.1 it ends within the record at 176");
	remove_folder();
}

static void a_file_that_is_missing_is_partial(void)
{
	char path[200];

	begin();
	path_of("data.0", path);
	CU_ASSERT_EQUAL(unlink(path), 0);
	expect_partial(3, ": its file data.0 isn't there");
	remove_folder();
}

static void damage_names_the_file(void)
{
	begin();
	make_part(&made, false, fill_cpu_1);
	put(made.data + 60 + 6, 7, 2, false);
	write_made("data.1", made.end);
	expect_refused(": in data.1 the record at 60 has a size of 7 bytes, which is too small");
	remove_folder();
}

static void what_is_no_file_is_not_waited_for(void)
{
	char path[200];

	begin();
	path_of("data.0", path);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	expect_refused(": its file data.0 is no regular file");
	remove_folder();
}

static void a_file_that_cannot_be_opened_is_named(void)
{
	char path[200];

	begin();
	path_of("data.1", path);
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(symlink("data.2", path), 0);
	expect_refused(": its file data.1 can't be read: No such file or directory");
	remove_folder();
}

static void an_unknown_version_is_refused(void)
{
	begin_of(2, false);
	expect_refused(": its folder is laid out in an unknown way (version 2)");
	remove_folder();
}

static void the_header_alone_is_refused(void)
{
	struct collected got;
	char path[200];

	begin();
	path_of("data", path);
	collect_path(path, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_STRING_EQUAL(got.diag.text + strlen(path),
		": the events of this perf.data are in files beside it: give the folder");
	collect_free(&got);
	remove_folder();
}

/* perf record --kcore: the folder has one file of records, CPU after CPU, with rounds. */
static void fill_many_both(struct maker *m)
{
	fill_many_even(m);
	fill_many_odd(m);
	empty_record(m, 68);
}

static void a_folder_of_one_file_is_that_file(void)
{
	struct collected got;

	make_folder();
	made.folder = 0;
	make_file(&made, false, &attr, 1, fill_many_both);
	write_made("data", made.end);
	collect_it(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 2 * MANY);
	CU_ASSERT_EQUAL(got.events[1].event.time, 1);
	CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
	remove_folder();
}

static const struct test_case cases[] = {
	{ "a folder is one recording, in order of time",
		a_folder_is_one_recording_in_order_of_time },
	{ "a name counts from its time on, on all CPUs", a_name_counts_from_its_time_on_all_cpus },
	{ "long files are merged", long_files_are_merged },
	{ "a file that is cut is partial", a_file_that_is_cut_is_partial },
	{ "a file that is missing is partial", a_file_that_is_missing_is_partial },
	{ "damage names the file", damage_names_the_file },
	{ "what is no file isn't waited for", what_is_no_file_is_not_waited_for },
	{ "a file that can't be opened is named", a_file_that_cannot_be_opened_is_named },
	{ "an unknown version is refused", an_unknown_version_is_refused },
	{ "the header alone is refused", the_header_alone_is_refused },
	{ "a folder of one file is that file", a_folder_of_one_file_is_that_file },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "folder", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
