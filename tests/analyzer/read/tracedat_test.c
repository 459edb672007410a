/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole files, made by hand, of both versions and all compressions.
 */
#include "tracedat_scene.h"

static void expect_scene(const struct collected *got)
{
	CU_ASSERT_EQUAL_FATAL(got->count, SCENE);
	for (size_t i = 0; i < SCENE; i++) {
		CU_ASSERT_EQUAL(got->events[i].event.time, scene[i].time);
		CU_ASSERT_EQUAL(got->events[i].event.packet, scene[i].packet);
		CU_ASSERT_EQUAL(got->events[i].event.id, EVENT_FREE);
		CU_ASSERT_EQUAL(got->events[i].cpu, scene[i].cpu);
	}
}

static void each_form_gives_the_same_events(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;

		set_scene(i);
		make_and_read(&got);
		expect_scene(&got);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 7);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 2005);
		CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "trace.dat");
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, "mono");
		CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 1000000000);
		collect_free(&got);
	}
}

static void all_buffers_are_merged(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;
		struct ring_maker m;

		set_scene(i);
		spec.buffer_count = 2;
		begin(&m, 1010);
		dat_event(&m, 0, DAT_CONSUME, 0x1110);
		dat_event(&m, 995, DAT_CONSUME, 0x2220);
		dat_page(&spec, 1, 1, &m);
		make_and_read(&got);
		CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 2);
		CU_ASSERT_EQUAL(got.events[2].event.packet, 0x1110);
		CU_ASSERT_EQUAL(got.events[2].event.time, 1010);
		CU_ASSERT_EQUAL(got.events[2].cpu, 1);
		/* of the same time as two of the first buffer, and behind them */
		CU_ASSERT_EQUAL(got.events[7].event.packet, 0x2220);
		CU_ASSERT_EQUAL(got.events[7].event.time, 2005);
		CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
		collect_free(&got);
	}
}

static void set_clocks(const char *option, const char *name)
{
	spec.clock = option;
	spec.buffers[0].clock = spec.buffers[1].clock = name;
}

static void expect_clock(const char *option, const char *name, const char *clock, uint64_t hz)
{
	struct collected got;

	set_clocks(option, name);
	make_and_read(&got);
	if (clock) {
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, clock);
	} else {
		CU_ASSERT_PTR_NULL(reader_source(got.reader)->clock);
	}
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, hz);
	collect_free(&got);
}

static void clocks_are_named_and_have_a_frequency(void)
{
	for (size_t i = 0; i < FORMS; i += 2) {
		set_scene(i);
		expect_clock("[local] global", "local", "local", 1000000000);
		expect_clock("local [boot]", "boot", "boot", 1000000000);
		expect_clock("local [uptime]", "uptime", "uptime", 100);
		expect_clock("local [x86-tsc]", "x86-tsc", "x86-tsc", 0);
		expect_clock("local [counter]", "counter", "counter", 0);
		expect_clock(NULL, "", NULL, 1000000000);
	}
}

static void cycles_take_the_user_s_frequency_but_a_counter_does_not(void)
{
	struct reader_options options = { .hz = 2600000000 };
	struct collected got;

	set_scene(6);
	set_clocks("[x86-tsc]", "x86-tsc");
	dat_make(&dat, &spec);
	read_with(&options, dat.bytes, &got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 2600000000);
	CU_ASSERT_EQUAL(got.events[0].event.time, 1000);
	collect_free(&got);

	set_clocks("[counter]", "counter");
	dat_make(&dat, &spec);
	read_with(&options, dat.bytes, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "counter counts events"));
	collect_free(&got);

	set_clocks("[mono]", "mono");
	dat_make(&dat, &spec);
	read_with(&options, dat.bytes, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	collect_free(&got);
}

/* 1000000007 x 2^-31: 0x7fffffffffffffff cycles are 4294967326064771071 ns and a half, by bc. */
static void a_calibration_is_exact_at_any_time(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;
		struct ring_maker m;

		set_scene(i);
		set_clocks("[x86-tsc]", "x86-tsc");
		spec.mult = 1000000007;
		spec.shift = 31;
		begin(&m, INT64_MAX);
		dat_event(&m, 0, DAT_CONSUME, 0x1110);
		dat_page(&spec, 0, 1, &m);
		make_and_read(&got);
		CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 1);
		CU_ASSERT_EQUAL(got.events[0].event.time, 465);
		CU_ASSERT_EQUAL(got.events[SCENE].event.time, UINT64_C(4294967326064771071));
		CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 1000000000);
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, "x86-tsc");
		collect_free(&got);
	}
}

static void a_calibration_of_another_clock_is_left_alone(void)
{
	struct collected got;

	set_scene(2);
	spec.mult = 1000000007;
	spec.shift = 31;
	make_and_read(&got);
	expect_scene(&got);
	collect_free(&got);
}

static void unlike_clocks_are_refused(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;
		struct ring_maker m;

		set_scene(i);
		spec.buffer_count = 2;
		spec.buffers[1].clock = "boot";
		dat_make(&dat, &spec);
		read_with(NULL, dat.bytes, &got);
		CU_ASSERT_EQUAL(got.status, 0); /* the other one is empty */
		collect_free(&got);
		begin(&m, 1010);
		dat_event(&m, 0, DAT_CONSUME, 0x1110);
		dat_page(&spec, 1, 1, &m);
		dat_make(&dat, &spec);
		read_with(NULL, dat.bytes, &got);
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "unlike clocks (mono, boot)"));
		collect_free(&got);
	}
}

static void expect_lost(
	const struct collected *got, size_t at, uint64_t time, uint64_t count, bool unknown)
{
	const struct event *event = &got->events[at].event;

	CU_ASSERT_EQUAL(event->id, EVENT_LOST);
	CU_ASSERT_EQUAL(event->time, time);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, event->arg), count);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, unknown, event->arg), unknown);
}

/* CPU 1's next page has missed events before it; nothing else is changed. */
static void add_gap(bool stored, uint64_t count)
{
	struct ring_maker m;

	begin(&m, 3000);
	dat_event(&m, 0, DAT_CONSUME, 0x1110);
	if (stored)
		ring_put(&m, ring_data(&m) + m.bytes, count, 8);
	ring_commit(&m, m.bytes | RING_MISSED | (stored ? RING_STORED : 0));
	dat_page(&spec, 0, 1, &m);
}

static void missed_events_are_lost_with_and_without_a_number(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;

		set_scene(i);
		add_gap(true, 77);
		add_gap(false, 0);
		make_and_read(&got);
		CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 4);
		expect_lost(&got, SCENE, 3000, 77, false);
		CU_ASSERT_EQUAL(got.events[SCENE].cpu, 1);
		expect_lost(&got, SCENE + 2, 3000, 1, true);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 78);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->lost_unknown, true);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 9);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->truncated, false);
		collect_free(&got);
	}
}

/* 100 were overwritten on CPU 1: the 77 that a page tells of and 23 in the gap without a number. */
static void statistics_tell_how_many_were_overwritten(void)
{
	struct collected got;

	set_scene(0);
	spec.stats = "CPU: 1\nentries: 0\noverrun: 99\ncommit overrun: 1\ndropped events: 0\n";
	add_gap(true, 77);
	add_gap(false, 0);
	make_and_read(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 4);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 100);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost_unknown, false);
	collect_free(&got);
}

static void what_was_dropped_stands_at_the_end(void)
{
	struct collected got;

	set_scene(6);
	spec.stats = "CPU: 0\nentries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: 9\n";
	make_and_read(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 1);
	expect_lost(&got, 5, 2005, 9, false); /* CPU 0 ends before CPU 1 does */
	CU_ASSERT_EQUAL(got.events[5].cpu, 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 9);
	collect_free(&got);
}

/* Of another buffer, or of a CPU that isn't in the file: they say nothing of these events. */
static void other_statistics_are_left_alone(void)
{
	struct collected got;

	set_scene(6);
	spec.stats = "\nBuffer: other\nCPU: 0\noverrun: 5\n";
	make_and_read(&got);
	expect_scene(&got);
	CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
	spec.stats = "CPU: 7\noverrun: 5\n";
	make_and_read(&got);
	expect_scene(&got);
	collect_free(&got);
}

/* Two thrown away in no time take 1 ns each, by what is stored: the next page begins before that.
 */
static void discarded_events_may_make_a_page_too_long(void)
{
	struct collected got;
	struct ring_maker m;

	set_scene(0);
	begin(&m, 3000);
	ring_discarded(&m, 1, 16);
	ring_discarded(&m, 1, 16);
	dat_event(&m, 0, DAT_CONSUME, 0x1110);
	dat_page(&spec, 0, 1, &m);
	begin(&m, 3000);
	dat_event(&m, 0, DAT_CONSUME, 0x2220);
	dat_event(&m, 7, DAT_CONSUME, 0x3330);
	dat_page(&spec, 0, 1, &m);
	make_and_read(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, SCENE + 3);
	CU_ASSERT_EQUAL(got.events[SCENE].event.time, 3002);
	CU_ASSERT_EQUAL(got.events[SCENE + 1].event.time, 3002);
	CU_ASSERT_EQUAL(got.events[SCENE + 2].event.time, 3007);
	collect_free(&got);
}

/* What a latency tracer printed is text, longer than a chunk, and read as such. */
static void a_latency_tracer_s_text_is_read(void)
{
	static const char head[] = "# tracer: nop\n#\n";
	char text[1024];
	size_t bytes = sizeof(head) - 1;

	memcpy(text, head, bytes);
	for (unsigned i = 0; i < 9; i++)
		bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
			"          <idle>-0       [001] ..s1.   100.%06u: consume_skb: "
			"skbaddr=0xa%02u\n",
			5 + i, i);
	for (size_t i = 0; i < FORMS; i++) {
		struct collected got;

		set_scene(i);
		spec.buffer_count = 0;
		spec.text = text;
		make_and_read(&got);
		CU_ASSERT_EQUAL_FATAL(got.count, 9);
		CU_ASSERT_EQUAL(got.events[8].event.packet, 0xa08);
		CU_ASSERT_EQUAL(got.events[8].event.time, UINT64_C(100000013000));
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "ftrace");
		CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
		collect_free(&got);
	}
}

static const struct test_case whole_cases[] = {
	{ "each version, compression and byte order gives the same events",
		each_form_gives_the_same_events },
	{ "all buffers are merged", all_buffers_are_merged },
	{ "clocks are named and have a frequency", clocks_are_named_and_have_a_frequency },
	{ "cycles take the user's frequency, but a counter doesn't",
		cycles_take_the_user_s_frequency_but_a_counter_does_not },
	{ "a calibration is exact at any time", a_calibration_is_exact_at_any_time },
	{ "a calibration of another clock is left alone",
		a_calibration_of_another_clock_is_left_alone },
	{ "unlike clocks are refused", unlike_clocks_are_refused },
	{ "missed events are lost, with and without a number",
		missed_events_are_lost_with_and_without_a_number },
	{ "statistics tell how many were overwritten", statistics_tell_how_many_were_overwritten },
	{ "what was dropped stands at the end", what_was_dropped_stands_at_the_end },
	{ "other buffers' statistics are left alone", other_statistics_are_left_alone },
	{ "a latency tracer's text is read", a_latency_tracer_s_text_is_read },
	{ "discarded events may make a page too long", discarded_events_may_make_a_page_too_long },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "whole", whole_cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
