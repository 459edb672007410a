/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes have the names of their time, wherever these stand in the file. */
#include "perf_tasks.h"

#include "perf_maker.h"

static struct maker made;

static const struct perf_attr attr = { 2, IDENTIFIER | TID | TIME | CPU | RAW, READ_ID, { 11, 12 },
	-1, false };

static void send(struct maker *m, uint32_t cpu, uint64_t time, uint32_t pid)
{
	struct told told = { .id = 11 + cpu, .time = time, .cpu = cpu, .pid = pid };

	sock_send(m, &attr, &told);
}

static void comm_at(struct maker *m, uint64_t time, uint32_t pid, const char *name)
{
	struct told told = { .id = 11, .time = time, .cpu = 1, .pid = pid };
	size_t record = begin_record(m, 3);

	number(m, pid, 4);
	number(m, pid, 4);
	block(m, name, strlen(name) + 1);
	block(m, "\0\0\0\0\0\0\0", 7 - strlen(name) % 8);
	end_fields(m, &attr, &told);
	end_record(m, record);
}

static void fork_at(struct maker *m, uint64_t time, uint32_t pid, uint32_t parent)
{
	struct told told = { .id = 11, .time = time, .cpu = 1, .pid = parent };
	size_t record = begin_record(m, 7);

	number(m, pid, 4);
	number(m, parent, 4);
	number(m, pid, 4);
	number(m, parent, 4);
	number(m, time, 8);
	end_fields(m, &attr, &told);
	end_record(m, record);
}

/* In all four forms: each event's process, in the order of time. */
static void expect_in_all_forms(void (*fill)(struct maker *m), const char *const *names)
{
	for (int form = 0; form < 4; form++) {
		struct collected got;

		if (form & 1)
			make_pipe(&made, form & 2, &attr, 1, fill);
		else
			make_file(&made, form & 2, &attr, 1, fill);
		collect_made(&made, &got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		for (size_t i = 0; names[i]; i++) {
			CU_ASSERT_FATAL(i < got.count);
			CU_ASSERT_EQUAL(got.events[i].event.id, EVENT_SOCK_SEND);
			CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_TASK,
						       (uint32_t)EVENT_GET(SOCK_SEND, process,
							       got.events[i].event.arg)),
				names[i]);
			CU_ASSERT(!names[i + 1] == (i + 1 == got.count));
		}
		CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
		collect_free(&got);
	}
}

/* A shell on CPU 1 makes a process, which moves to CPU 0 and sends there. CPU 0 is read first. */
static void fill_moving(struct maker *m)
{
	comm_at(m, 0, 800, "sh");
	send(m, 0, 25, 812);
	send(m, 0, 35, 812);
	send(m, 0, 45, 812);
	send(m, 1, 10, 800);
	fork_at(m, 20, 812, 800);
	comm_at(m, 30, 812, "server");
	comm_at(m, 40, 812, "a name of 15 byt");
	send(m, 1, 50, 800);
	empty_record(m, 68);
}

static void a_name_counts_from_its_time_on(void)
{
	static const char *const names[] = { "800 sh", "812 sh", "812 server",
		"812 a name of 15 by", "800 sh", NULL };

	expect_in_all_forms(fill_moving, names);
}

#define MANY 40000

/* Enough that events come out before all is read: the name of a time that is over counts at once.
 */
static void fill_late(struct maker *m)
{
	for (uint64_t i = 0; i < MANY; i++) {
		if (i % (MANY / 4) == MANY / 8)
			empty_record(m, 68);
		send(m, 0, 1000 + i, 812);
	}
	empty_record(m, 68);
	comm_at(m, 1001, 812, "late");
	send(m, 0, 1000 + MANY, 812);
	comm_at(m, 2 * MANY, 812, "after");
	empty_record(m, 68);
}

static void a_name_that_comes_too_late_counts_at_once(void)
{
	struct collected got;
	const char *name;

	make_file(&made, false, &attr, 1, fill_late);
	collect_sorted_in((const char *)made.data, made.end, 100000, &got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, MANY + 1);
	name = names_get(reader_names(got.reader), NAME_TASK,
		(uint32_t)EVENT_GET(SOCK_SEND, process, got.events[0].event.arg));
	CU_ASSERT_STRING_EQUAL(name, "812 <...>");
	name = names_get(reader_names(got.reader), NAME_TASK,
		(uint32_t)EVENT_GET(SOCK_SEND, process, got.events[MANY].event.arg));
	CU_ASSERT_STRING_EQUAL(name, "812 late");
	CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
	/* the last name is behind the trace's last event, which ends it */
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 1000 + MANY);
	collect_free(&got);
}

static const struct test_case cases[] = {
	{ "a name counts from its time on", a_name_counts_from_its_time_on },
	{ "a name that comes too late counts at once", a_name_that_comes_too_late_counts_at_once },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "tasks", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
