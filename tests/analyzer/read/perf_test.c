/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_maker.h"

#include <zstd.h>

#define FIELDS (IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW)

static struct maker made;

static const struct perf_attr usual = { 2, FIELDS, READ_ID, { 11, 12 }, -1, false };

/* The attr that a fill function writes records of. */
static const struct perf_attr *attr = &usual;

static void at(struct maker *m, uint64_t time, uint32_t cpu, uint64_t packet)
{
	struct told told = { .id = 11 + cpu % 2, .time = time, .cpu = cpu, .pid = 812 };

	consume(m, attr, &told, packet);
}

static void make(bool pipe, bool big, const struct perf_attr *attrs, size_t count,
	void (*fill)(struct maker *m))
{
	attr = attrs;
	if (pipe)
		make_pipe(&made, big, attrs, count, fill);
	else
		make_file(&made, big, attrs, count, fill);
}

/* In all four forms. */
static void in_all_forms(const struct perf_attr *attrs, size_t count, void (*fill)(struct maker *m),
	void (*expect)(struct collected *got))
{
	for (int form = 0; form < 4; form++) {
		struct collected got;

		make(form & 1, form & 2, attrs, count, fill);
		collect_made(&made, &got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		expect(&got);
		collect_free(&got);
	}
}

static void fill_two(struct maker *m)
{
	uint8_t raw[72];
	struct told told = { .id = 12, .time = 1000000007, .cpu = 3, .pid = 812 };

	sample(m, attr, &told, raw, put_start(raw, 0xff11000102030405, 98, m->big));
	told.time = 1000000009;
	told.cpu = 5;
	told.id = 11;
	consume(m, attr, &told, 0xff11000102030405);
}

static void expect_two(struct collected *got)
{
	const struct collected_event *events = got->events;
	bool has_cpu = attr->sample_type & CPU;

	CU_ASSERT_EQUAL_FATAL(got->count, 2);
	CU_ASSERT_EQUAL(events[0].event.id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(events[0].event.time, 1000000007);
	CU_ASSERT_EQUAL(events[0].event.packet, 0xff11000102030405);
	CU_ASSERT_EQUAL(events[0].event.len, 98);
	CU_ASSERT_EQUAL(events[0].cpu, has_cpu ? 3 : 0);
	CU_ASSERT_EQUAL(events[1].event.id, EVENT_FREE);
	CU_ASSERT_EQUAL(events[1].event.time, 1000000009);
	CU_ASSERT_EQUAL(events[1].cpu, has_cpu ? 5 : 0);
	CU_ASSERT_STRING_EQUAL(reader_source(got->reader)->format, "perf.data");
	CU_ASSERT_EQUAL(reader_source(got->reader)->hz, 1000000000);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->read, 2);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->unparsed, 0);
	CU_ASSERT(trace_counts_complete(reader_counts(got->reader)));
}

static void samples_of_any_form_are_taken_apart(void)
{
	static const uint32_t bits[] = { IDENTIFIER, IP, TID, ADDR, ID, STREAM_ID, CPU, PERIOD,
		READ, CALLCHAIN, BRANCH_STACK | REGS_USER | STACK_USER | CGROUP };

	for (uint32_t set = 0; set < 1 << 11; set++) {
		struct perf_attr any = { 2, TIME | RAW, set % 32, { 11, 12 }, -1, false };

		for (unsigned i = 0; i < 11; i++)
			any.sample_type |= set >> i & 1 ? bits[i] : 0;
		in_all_forms(&any, 1, fill_two, expect_two);
	}
}

static void counters_of_any_form_are_skipped(void)
{
	for (uint32_t form = 0; form < 32; form++) {
		struct perf_attr any = { 2, FIELDS | READ | CALLCHAIN, form, { 11, 12 }, -1, true };

		in_all_forms(&any, 1, fill_two, expect_two);
	}
}

/* Two events with samples of different forms, and one (as perf adds it) that has no tracepoint. */
static const struct perf_attr mixed[] = {
	{ 2, FIELDS, 0, { 11, 12 }, 1, false },
	{ 2, FIELDS | CALLCHAIN, 0, { 21, 22 }, 1, false },
	{ 1, IDENTIFIER | TID | TIME | RAW, 0, { 31, 32 }, 1, false },
};

static void fill_mixed(struct maker *m)
{
	uint8_t raw[16];
	struct told told = { .id = 12, .time = 10, .cpu = 1, .pid = 812 };

	consume(m, &mixed[0], &told, 0x1000);
	told = (struct told){ .id = 21, .time = 20, .cpu = 0, .pid = 812 };
	consume(m, &mixed[1], &told, 0x2000);
	told = (struct told){ .id = 31, .time = 25 };
	sample(m, &mixed[2], &told, raw, put_consume(raw, 0x3000, m->big));
	told = (struct told){ .id = 999, .time = 27 }; /* of no event */
	consume(m, &mixed[0], &told, 0x4000);
	told = (struct told){ .id = 22, .time = 30, .cpu = 1, .pid = 812 };
	consume(m, &mixed[1], &told, 0x5000);
}

static void expect_mixed(struct collected *got)
{
	CU_ASSERT_EQUAL_FATAL(got->count, 3);
	CU_ASSERT_EQUAL(got->events[0].event.packet, 0x1000);
	CU_ASSERT_EQUAL(got->events[1].event.packet, 0x2000);
	CU_ASSERT_EQUAL(got->events[2].event.packet, 0x5000);
	CU_ASSERT_EQUAL(got->events[2].cpu, 1);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->read, 5);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->unparsed, 0);
	CU_ASSERT_STRING_EQUAL(reader_source(got->reader)->clock, "monotonic");
}

static void samples_are_told_apart_by_their_ids(void)
{
	in_all_forms(mixed, 3, fill_mixed, expect_mixed);
}

static void events_that_cannot_be_told_apart_are_refused(void)
{
	struct perf_attr attrs[] = { { 2, TIME | RAW | ID, 0, { 1, 2 }, -1, false },
		{ 2, TIME | RAW | ADDR | ID, 0, { 3, 4 }, -1, false } };
	struct collected got;

	for (int pipe = 0; pipe < 2; pipe++) {
		make(pipe, false, attrs, 2, fill_two);
		collect_made(&made, &got);
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "isn't told which"));
		collect_free(&got);
	}
}

static void samples_without_time_are_refused(void)
{
	struct perf_attr none = usual;
	struct collected got;

	none.sample_type &= ~(uint64_t)TIME;
	make(false, false, &none, 1, fill_two);
	collect_made(&made, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_STRING_EQUAL(got.diag.text, "text: its samples have no time (perf record -T)");
	collect_free(&got);
}

/* Each CPU's buffer is in order; of equal times, the file's order stays. */
static void fill_blocks(struct maker *m)
{
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		for (uint64_t i = 0; i < 20; i++)
			at(m, 100 + 2 * i + (cpu == 2), cpu, 100 * cpu + i);
		if (cpu > 0)
			empty_record(m, 68);
	}
}

static void expect_blocks(struct collected *got)
{
	CU_ASSERT_EQUAL_FATAL(got->count, 60);
	for (size_t i = 0; i < 60; i++) {
		CU_ASSERT_EQUAL(got->events[i].event.time, 100 + i / 3 * 2 + (i % 3 == 2));
		CU_ASSERT_EQUAL(got->events[i].event.packet, 100 * (i % 3) + i / 3);
		CU_ASSERT_EQUAL(got->events[i].cpu, i % 3);
	}
	CU_ASSERT(trace_counts_complete(reader_counts(got->reader)));
}

static void buffers_of_cpus_are_merged(void)
{
	in_all_forms(&usual, 1, fill_blocks, expect_blocks);
}

/* What was lost stands before the event that follows it in its buffer, not behind it. */
static void fill_lost(struct maker *m)
{
	struct told told = { .id = 11, .time = 205, .cpu = 4, .pid = 812 };
	size_t record;

	at(m, 100, 4, 1);
	record = begin_record(m, 2);
	number(m, 11, 8);
	number(m, 40, 8);
	end_fields(m, attr, &told);
	end_record(m, record);
	at(m, 200, 4, 2);
	at(m, 150, 0, 3);
	record = begin_record(m, 13);
	number(m, 2, 8);
	told.time = 170;
	told.cpu = 0;
	end_fields(m, attr, &told);
	end_record(m, record);
}

static void expect_lost(struct collected *got)
{
	static const struct {
		uint64_t time, id, count;
		unsigned cpu;
	} expected[] = { { 100, EVENT_FREE, 0, 4 }, { 150, EVENT_FREE, 0, 0 },
		{ 170, EVENT_LOST, 2, 0 }, { 200, EVENT_LOST, 40, 4 }, { 200, EVENT_FREE, 0, 4 } };

	CU_ASSERT_EQUAL_FATAL(got->count, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct event *event = &got->events[i].event;

		CU_ASSERT_EQUAL(event->time, expected[i].time);
		CU_ASSERT_EQUAL(event->id, expected[i].id);
		CU_ASSERT_EQUAL(got->events[i].cpu, expected[i].cpu);
		if (event->id == EVENT_LOST)
			CU_ASSERT_EQUAL(EVENT_GET(LOST, count, event->arg), expected[i].count);
	}
	CU_ASSERT_EQUAL(reader_counts(got->reader)->lost, 42);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->read, 3);
	CU_ASSERT_FALSE(trace_counts_complete(reader_counts(got->reader)));
}

static void lost_events_stand_where_the_gap_ends(void)
{
	in_all_forms(&usual, 1, fill_lost, expect_lost);
}

/* Events that count what they lost tell it at the end, once more: here less than was told. */
static void expect_lost_at_end(struct collected *got)
{
	CU_ASSERT_EQUAL_FATAL(got->count, 4);
	CU_ASSERT_EQUAL(got->events[3].event.id, EVENT_FREE);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->lost, 40);
}

static void what_was_lost_is_not_counted_twice(void)
{
	struct perf_attr counting = usual;

	counting.read_format |= READ_LOST;
	in_all_forms(&counting, 1, fill_lost, expect_lost_at_end);
}

static void fill_lost_last(struct maker *m)
{
	struct told told = { .id = 11 };
	size_t record;

	at(m, 100, 4, 1);
	record = begin_record(m, 13);
	number(m, 7, 8);
	end_fields(m, attr, &told);
	end_record(m, record);
}

static void expect_lost_last(struct collected *got)
{
	CU_ASSERT_EQUAL_FATAL(got->count, 2);
	CU_ASSERT_EQUAL(got->events[1].event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(got->events[1].event.time, 100);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->lost, 7);
}

static void what_was_lost_last_stands_at_the_end(void)
{
	struct perf_attr counting = usual;

	counting.read_format |= READ_LOST;
	in_all_forms(&counting, 1, fill_lost_last, expect_lost_last);
}

static void send(struct maker *m, uint64_t time, uint32_t pid)
{
	struct told told = { .id = 11, .time = time, .pid = pid };

	sock_send(m, attr, &told);
}

static void fill_tasks(struct maker *m)
{
	size_t record;

	comm(m, attr, 812, 812, "server");
	comm(m, attr, 812, 813, "worker"); /* a thread of it */
	send(m, 1, 812);
	record = begin_record(m, 7); /* it forks 900, which then becomes another program */
	number(m, 900, 4);
	number(m, 812, 4);
	number(m, 900, 4);
	number(m, 812, 4);
	number(m, 2, 8);
	end_record(m, record);
	send(m, 2, 900);
	comm(m, attr, 900, 900, "client");
	send(m, 3, 900);
}

static void expect_tasks(struct collected *got)
{
	static const char *const names[] = { "812 server", "900 server", "900 client" };

	CU_ASSERT_EQUAL_FATAL(got->count, 3);
	for (size_t i = 0; i < 3; i++) {
		uint64_t process = EVENT_GET(SOCK_SEND, process, got->events[i].event.arg);
		const char *name =
			names_get(reader_names(got->reader), NAME_TASK, (uint32_t)process);

		CU_ASSERT_PTR_NOT_NULL_FATAL(name);
		CU_ASSERT_STRING_EQUAL(name, names[i]);
	}
}

static void processes_have_their_names(void)
{
	in_all_forms(&usual, 1, fill_tasks, expect_tasks);
}

/* Packs what was written from `begin` on by zstd, in records of `part` bytes of data. */
static void pack(struct maker *m, size_t begin, size_t part, uint32_t type)
{
	static uint8_t packed[1 << 16];
	size_t bytes = ZSTD_compress(packed, sizeof(packed), m->data + begin, m->end - begin, 1);

	CU_ASSERT_FATAL(!ZSTD_isError(bytes));
	m->end = begin;
	for (size_t done = 0; done < bytes; done += part) {
		size_t some = bytes - done < part ? bytes - done : part;
		size_t record = begin_record(m, type);

		if (type == 83)
			number(m, some, 8);
		block(m, packed + done, some);
		if (type == 83)
			block(m, "\0\0\0\0\0\0\0", 7 - (some + 7) % 8);
		end_record(m, record);
	}
}

static size_t part_bytes;
static uint32_t pack_type;

static void fill_packed(struct maker *m)
{
	size_t begin = m->end;

	fill_blocks(m);
	pack(m, begin, part_bytes, pack_type);
}

static void packed_records_are_unpacked(void)
{
	static const size_t parts[] = { 1, 7, 100, 60000 };

	for (size_t i = 0; i < 4; i++) {
		part_bytes = parts[i];
		pack_type = 81;
		in_all_forms(&usual, 1, fill_packed, expect_blocks);
		pack_type = 83;
		in_all_forms(&usual, 1, fill_packed, expect_blocks);
	}
}

static void fill_packed_twice(struct maker *m)
{
	size_t begin = m->end;

	fill_packed(m);
	pack(m, begin, part_bytes, pack_type);
}

static void packed_records_hold_no_packed_ones(void)
{
	struct collected got;

	make(true, false, &usual, 1, fill_packed_twice);
	collect_made(&made, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, " is itself a packed one"));
	collect_free(&got);
}

/* More than the window, from a few bytes. */
static void fill_bomb(struct maker *m)
{
	static struct maker large;
	static uint8_t all[4 << 20], packed[1 << 16];
	size_t bytes = 0, packed_bytes, record;

	large.big = m->big;
	large.end = 0;
	record = begin_record(&large, 200);
	numbers(&large, 8000, 0);
	end_record(&large, record);
	for (; bytes + large.end <= sizeof(all); bytes += large.end)
		memcpy(all + bytes, large.data, large.end);
	packed_bytes = ZSTD_compress(packed, sizeof(packed), all, bytes, 1);
	CU_ASSERT_FATAL(!ZSTD_isError(packed_bytes) && packed_bytes < 60000);
	record = begin_record(m, 81);
	block(m, packed, packed_bytes);
	end_record(m, record);
	fill_two(m);
}

static void expect_bomb(struct collected *got)
{
	CU_ASSERT_EQUAL(reader_counts(got->reader)->skipped, (4 << 20) / 64008);
	expect_two(got);
}

static void much_may_come_out_of_little(void)
{
	in_all_forms(&usual, 1, fill_bomb, expect_bomb);
}

/* Of the future, of other tools, and AUX data, which follow their record. */
static void fill_unknown(struct maker *m)
{
	size_t record;

	empty_record(m, 63);
	record = begin_record(m, 77777);
	numbers(m, 3, UINT64_MAX);
	end_record(m, record);
	record = begin_record(m, 71);
	number(m, 300000 / 1000, 8);
	numbers(m, 5, 0);
	end_record(m, record);
	for (int i = 0; i < 300; i++)
		number(m, 9, 1);
	record = begin_record(m, 10);
	numbers(m, 9, 1);
	end_record(m, record);
	fill_two(m);
	empty_record(m, 0);
}

static void expect_unknown(struct collected *got)
{
	expect_two(got);
	CU_ASSERT_EQUAL(reader_counts(got->reader)->skipped, 3);
}

static void unknown_records_are_skipped_and_counted(void)
{
	in_all_forms(&usual, 1, fill_unknown, expect_unknown);
}

static const struct test_case samples[] = {
	{ "samples of any form are taken apart", samples_of_any_form_are_taken_apart },
	{ "counters of any form are skipped", counters_of_any_form_are_skipped },
	{ "samples are told apart by their ids", samples_are_told_apart_by_their_ids },
	{ "events that cannot be told apart are refused",
		events_that_cannot_be_told_apart_are_refused },
	{ "samples without time are refused", samples_without_time_are_refused },
	{ "buffers of CPUs are merged", buffers_of_cpus_are_merged },
	{ 0 },
};

static const struct test_case others[] = {
	{ "lost events stand where the gap ends", lost_events_stand_where_the_gap_ends },
	{ "what was lost is not counted twice", what_was_lost_is_not_counted_twice },
	{ "what was lost last stands at the end", what_was_lost_last_stands_at_the_end },
	{ "processes have their names", processes_have_their_names },
	{ "packed records are unpacked", packed_records_are_unpacked },
	{ "packed records hold no packed ones", packed_records_hold_no_packed_ones },
	{ "much may come out of little", much_may_come_out_of_little },
	{ "unknown records are skipped and counted", unknown_records_are_skipped_and_counted },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "samples", samples, NULL, NULL },
		{ "other records", others, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
