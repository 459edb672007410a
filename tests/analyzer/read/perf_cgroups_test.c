/* SPDX-License-Identifier: BSD-3-Clause */
/* The cgroups that perf record --all-cgroups tells. */
#include "perf_cgroups.h"

#include "perf_maker.h"

#define FIELDS (IDENTIFIER | TID | TIME | CPU | RAW)

static struct maker made;

static const struct perf_attr *attr;

static void send(struct maker *m, uint64_t time, uint64_t cgroup)
{
	struct told told = { .id = attr->ids[0], .time = time, .pid = 812, .cgroup = cgroup };

	sock_send(m, attr, &told);
}

static void cgroup(struct maker *m, uint64_t id, const char *path)
{
	size_t record = begin_record(m, 19);
	struct told told = { 0 };

	number(m, id, 8);
	block(m, path, strlen(path) + 1);
	block(m, "\0\0\0\0\0\0\0", 7 - strlen(path) % 8);
	end_fields(m, attr, &told);
	end_record(m, record);
}

/* In all four forms: the names of the processes, with their cgroups, event by event. */
static void expect_in_all_forms(const struct perf_attr *attrs, size_t count,
	void (*fill)(struct maker *m), const char *const *names)
{
	for (int form = 0; form < 4; form++) {
		struct collected got;

		attr = attrs;
		if (form & 1)
			make_pipe(&made, form & 2, attrs, count, fill);
		else
			make_file(&made, form & 2, attrs, count, fill);
		collect_made(&made, &got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		for (size_t i = 0; names[i]; i++) {
			const char *name;

			CU_ASSERT_FATAL(i < got.count);
			name = names_get(reader_names(got.reader), NAME_TASK,
				(uint32_t)EVENT_GET(SOCK_SEND, process, got.events[i].event.arg));
			CU_ASSERT_PTR_NOT_NULL_FATAL(name);
			CU_ASSERT_STRING_EQUAL(name, names[i]);
			CU_ASSERT_EQUAL(got.events[i].event.queue, EVENT_NO_QUEUE);
			CU_ASSERT(!names[i + 1] == (i + 1 == got.count));
		}
		CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
		collect_free(&got);
	}
}

static void fill_moving(struct maker *m)
{
	comm(m, attr, 812, 812, "server");
	cgroup(m, 1, "/");
	cgroup(m, 44, "/system.slice/web server.service");
	cgroup(m, 44, "/another name of it");
	send(m, 1, 1);
	send(m, 2, 44);
	send(m, 3, 44);
	send(m, 4, 1);
	comm(m, attr, 812, 812, "worker");
	send(m, 5, 44);
}

static void a_process_is_named_with_its_cgroup(void)
{
	static const char *const names[] = { "812 server\x1f/",
		"812 server\x1f/system.slice/web server.service",
		"812 server\x1f/system.slice/web server.service", "812 server\x1f/",
		"812 worker\x1f/system.slice/web server.service", NULL };
	static const uint64_t behind[] = { 0, DATA_PAGE_SIZE, CODE_PAGE_SIZE,
		DATA_PAGE_SIZE | CODE_PAGE_SIZE };

	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		struct perf_attr in = { 2, FIELDS | CGROUP | behind[i], 0, { 11, 12 }, -1, false };

		expect_in_all_forms(&in, 1, fill_moving, names);
	}
}

/* Behind data of variable size nobody finds it. */
static void a_cgroup_that_cannot_be_found_is_not_told(void)
{
	static const char *const names[] = { "812 server", "812 server", "812 server", "812 server",
		"812 worker", NULL };
	static const struct perf_attr none = { 2, FIELDS, 0, { 11, 12 }, -1, false };
	static const struct perf_attr aux = { 2, FIELDS | CGROUP | AUX, 0, { 11, 12 }, -1, false };

	expect_in_all_forms(&none, 1, fill_moving, names);
	expect_in_all_forms(&aux, 1, fill_moving, names);
}

/* The record of a cgroup stands in the buffer of the CPU that made it, which may be read later. */
static void fill_late(struct maker *m)
{
	comm(m, attr, 812, 812, "server");
	send(m, 20, 44);
	send(m, 21, 45);
	cgroup(m, 44, "/new");
}

static void a_path_may_be_told_later(void)
{
	static const struct perf_attr in = { 2, FIELDS | CGROUP, 0, { 11, 12 }, -1, false };
	static const char *const names[] = { "812 server\x1f/new", "812 server\x1fid 45", NULL };

	expect_in_all_forms(&in, 1, fill_late, names);
}

static const struct perf_attr both[] = {
	{ 2, FIELDS | CGROUP, 0, { 11, 12 }, -1, false },
	{ 2, FIELDS, 0, { 21, 22 }, -1, false },
};

static void fill_both(struct maker *m)
{
	struct told told = { .id = 21, .time = 2, .pid = 812 };

	comm(m, attr, 812, 812, "a\x1f/b"); /* no name gives itself a cgroup */
	cgroup(m, 44, "/new");
	send(m, 1, 44);
	sock_send(m, &both[1], &told);
	send(m, 3, 44);
}

static void events_with_and_without_a_cgroup_are_told_apart(void)
{
	static const char *const names[] = { "812 a?/b\x1f/new", "812 a?/b", "812 a?/b\x1f/new",
		NULL };

	expect_in_all_forms(both, 2, fill_both, names);
}

/* So many long paths that not all of them are kept. */
static void paths_are_bounded(void)
{
	static char path[3 * PERF_CGROUP_BYTES];
	struct kernel_names names = { .names = names_create() };
	struct perf_cgroups cgroups = { 0 };
	const uint32_t count = PERF_CGROUP_BYTES_ALL / PERF_CGROUP_BYTES;
	int task = kernel_task(&names, "812", 3, "server", 6), number = 0;
	const char *name;

	CU_ASSERT_EQUAL_FATAL(task, 0);
	memset(path, 'x', sizeof(path));
	for (uint32_t i = 0; i <= count; i++) {
		CU_ASSERT_EQUAL(perf_cgroups_path(&cgroups, i, path, sizeof(path)), 0);
		number = perf_cgroups_hold(&cgroups, 812, i);
		CU_ASSERT_FATAL(number >= 0);
		CU_ASSERT_EQUAL(perf_cgroups_held(&cgroups, (uint32_t)number)->who, 812);
		CU_ASSERT_EQUAL(perf_cgroups_held(&cgroups, (uint32_t)number)->cgroup, i);
		task = perf_cgroups_task(&cgroups, &names, 0, i);
		CU_ASSERT_FATAL(task > 0);
		name = names_get(names.names, NAME_TASK, (uint32_t)task);
		if (i == count)
			CU_ASSERT_STRING_EQUAL(name, "812 server\x1fid 16384");
		if (i == 0)
			CU_ASSERT_EQUAL(strlen(name), strlen("812 server ") + PERF_CGROUP_BYTES);
	}
	perf_cgroups_clear(&cgroups);
	names_destroy(names.names);
}

static const struct test_case cases[] = {
	{ "a process is named with its cgroup", a_process_is_named_with_its_cgroup },
	{ "a cgroup that cannot be found is not told", a_cgroup_that_cannot_be_found_is_not_told },
	{ "a path may be told later", a_path_may_be_told_later },
	{ "events with and without a cgroup are told apart",
		events_with_and_without_a_cgroup_are_told_apart },
	{ "paths are bounded", paths_are_bounded },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "cgroups", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
