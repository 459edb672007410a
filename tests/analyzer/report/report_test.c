/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that people know, to the byte, and the JSON object, key by key. */
#include "report.h"

#include "../measure/scene.h"
#include <math.h>
#include <stdlib.h>

static struct trace_source source;
static struct trace_counts counts;

/* Plays the events into a report of the file "trace.txt", read without loss at 1 GHz. */
static struct report make_report(
	const struct transmit_options *options, const struct scene_event *events, size_t count)
{
	source = (struct trace_source){ "trace.txt", "ftrace", NULL, SECONDS };
	counts = (struct trace_counts){ .read = count };
	return (struct report){
		.source = &source,
		.counts = &counts,
		.transmit = scene_play(options, events, count),
		.names = scene_names,
	};
}

#define MAKE(options, ...)                                                \
	make_report(options, (const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

static char *text_of(const struct report *report)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	report_text(report, out);
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static bool begins_with(const char *text, const char *head)
{
	return !strncmp(text, head, strlen(head));
}

/* The value at a path like "devices.0.lap_ns.max". */
static const json_t *look_up(const json_t *json, const char *path)
{
	char copy[128], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while (json && (key = strsep(&rest, ".")))
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
					   : json_object_get(json, key);
	return json;
}

static bool is_integer(const json_t *json, const char *path, json_int_t value)
{
	const json_t *found = look_up(json, path);

	return json_is_integer(found) && json_integer_value(found) == value;
}

static bool is_real(const json_t *json, const char *path, double value)
{
	const json_t *found = look_up(json, path);

	return json_is_real(found) && fabs(json_real_value(found) - value) < 1e-9;
}

static bool is_text(const json_t *json, const char *path, const char *value)
{
	const json_t *found = look_up(json, path);

	return json_is_string(found) && !strcmp(json_string_value(found), value);
}

static bool is_null(const json_t *json, const char *path)
{
	return json_is_null(look_up(json, path));
}

static void the_head_is_the_one_people_know(void)
{
	struct report report = MAKE(NULL, START(1, 10 * SECONDS, ETH0, 1),
		FREE(1, 10 * SECONDS + 7000, 1), START(1, 10 * SECONDS + 100000, ETH0, 2),
		FREE(1, 10 * SECONDS + 109000, 2), START(1, 10 * SECONDS + 200000, ETH0, 3),
		FREE(1, 10 * SECONDS + 211000, 3));
	char *text = text_of(&report);

	CU_ASSERT(begins_with(text, "eth0    TX packets=3\n"
				    "        lap time between start_xmit - free_skb:\n"
				    "            avg=0.009000msec\n"
				    "            max=0.011000msec\n"
				    "        number of packets in device:\n"
				    "            avg=   0.13\n"
				    "            max=   1\n"));
	free(text);
	scene_end();
}

/* The figures published in 2010, through the same formats. */
static void the_published_head_comes_out_to_the_byte(void)
{
	struct transmit_table eth0 = {
		.name = "eth0",
		.tx_packets = 1137811,
		.lap = { .count = 1137811, .avg = 795687.2, .max = 985911 },
		.first_event = 1,
		.last_event = 2,
		.in_device_avg = 64.6612,
		.in_device_max = 118,
		.started = 1137811,
		.freed = 1137811,
	};
	struct transmit_report transmit = {
		.lap_from = "start_xmit", .devices = &eth0, .device_count = 1
	};
	struct trace_source from = { "trace.txt", "perf-script", NULL, SECONDS };
	struct trace_counts whole = { 0 };
	struct report report = { &from, &whole, &transmit, NULL };
	char *text = text_of(&report);

	CU_ASSERT(begins_with(text, "eth0    TX packets=1137811\n"
				    "        lap time between start_xmit - free_skb:\n"
				    "            avg=0.795687msec\n"
				    "            max=0.985911msec\n"
				    "        number of packets in device:\n"
				    "            avg=  64.66\n"
				    "            max= 118\n"));
	free(text);
}

static void json_has_the_keys_of_the_contract(void)
{
	struct transmit_options options = scene_options();
	struct report report;
	json_t *json;

	options.capacity = 2;
	report = MAKE(&options, QUEUED(0, ETH0, 1), START_ON(3, 1000, ETH0, 1),
		XMIT(0, 1100, ETH0, 1, 0), START_ON(3, 2000, ETH0, 2), XMIT(0, 2100, ETH0, 2, 0),
		FREE(1, 4000, 1), FREE(1, 7000, 2));
	counts.unparsed = 4;
	json = report_json(&report);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	CU_ASSERT(is_text(json, "schema", "ringside.report/1"));
	CU_ASSERT(is_text(json, "source.file", "trace.txt"));
	CU_ASSERT(is_text(json, "source.format", "ftrace"));
	CU_ASSERT(is_null(json, "source.clock"));
	CU_ASSERT(is_integer(json, "source.hz", 1000000000));
	CU_ASSERT(json_is_true(look_up(json, "complete")));
	CU_ASSERT(is_integer(json, "events.read", 7));
	CU_ASSERT(is_integer(json, "events.used", 7));
	CU_ASSERT(is_integer(json, "events.unparsed", 4));
	CU_ASSERT(is_integer(json, "events.lost", 0));
	CU_ASSERT(is_integer(json, "events.clock_anomalies", 0));
	CU_ASSERT_PTR_NULL(look_up(json, "events.lost_unknown"));
	CU_ASSERT(is_text(json, "devices.0.name", "eth0"));
	CU_ASSERT(is_integer(json, "devices.0.tx_packets", 2));
	CU_ASSERT(is_integer(json, "devices.0.wire_segments", 2));
	CU_ASSERT(is_integer(json, "devices.0.lap_ns.min", 3000));
	CU_ASSERT(is_real(json, "devices.0.lap_ns.avg", 4000));
	CU_ASSERT(is_integer(json, "devices.0.lap_ns.max", 5000));
	CU_ASSERT(is_real(json, "devices.0.in_device.avg", 8.0 / 6));
	CU_ASSERT(is_integer(json, "devices.0.in_device.max", 2));
	CU_ASSERT(is_integer(json, "devices.0.in_device.at_end", 0));
	CU_ASSERT(is_integer(json, "devices.0.in_device.capacity", 2));
	CU_ASSERT_PTR_NULL(look_up(json, "devices.0.in_device.unreliable"));
	CU_ASSERT(is_integer(json, "devices.0.retries", 0));
	CU_ASSERT(is_integer(json, "devices.0.tx_refused", 0));
	CU_ASSERT(is_integer(json, "devices.0.unresolved", 0));
	CU_ASSERT(is_integer(json, "devices.0.free_before_xmit_return", 0));
	CU_ASSERT(is_text(json, "devices.0.lap_from", "start_xmit"));
	CU_ASSERT(is_text(json, "devices.0.lap_to", "free"));
	CU_ASSERT(is_integer(json, "devices.0.queue_delay_ns.max", 1000));
	CU_ASSERT(is_integer(json, "devices.0.accounting.started", 2));
	CU_ASSERT(is_integer(json, "devices.0.accounting.freed", 2));
	CU_ASSERT(is_integer(json, "devices.0.accounting.in_device", 0));
	CU_ASSERT(is_text(json, "devices.0.packed.verdict", "packed"));
	CU_ASSERT(is_real(json, "devices.0.packed.time_share", 2.0 / 6));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "devices.0.stalls")), 0);
	CU_ASSERT(is_integer(json, "devices.0.queues.0.queue", 3));
	CU_ASSERT(is_integer(json, "devices.0.queues.0.lap_ns.max", 5000));
	CU_ASSERT(is_integer(json, "total.tx_packets", 2));
	CU_ASSERT(is_integer(json, "total.in_device.max", 2));
	json_decref(json);
	scene_end();
}

static void of_nothing_there_is_no_average(void)
{
	struct report report = MAKE(NULL, START(0, 1000, ETH0, 1));
	json_t *json = report_json(&report);
	char *text = text_of(&report);

	CU_ASSERT(is_null(json, "devices.0.lap_ns.avg"));
	CU_ASSERT(is_null(json, "devices.0.lap_ns.p99"));
	CU_ASSERT(is_null(json, "devices.0.lap_ns.max"));
	CU_ASSERT(is_null(json, "devices.0.queue_delay_ns"));
	CU_ASSERT(is_null(json, "devices.0.in_device.avg"));
	CU_ASSERT(is_null(json, "devices.0.in_device.capacity"));
	CU_ASSERT(is_text(json, "devices.0.packed.verdict", "unknown"));
	CU_ASSERT(is_null(json, "devices.0.packed.time_share"));
	CU_ASSERT(is_integer(json, "devices.0.in_device.at_end", 1));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 still in the device"));
	CU_ASSERT_PTR_NULL(strstr(text, "nan"));
	CU_ASSERT_PTR_NULL(strstr(text, "Nothing was transmitted"));
	free(text);
	json_decref(json);
	scene_end();
}

static void a_trace_without_transmission_says_so(void)
{
	struct report report = MAKE(NULL, OTHER(1000));
	json_t *json = report_json(&report);
	char *text = text_of(&report);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Nothing was transmitted"));
	CU_ASSERT(json_is_array(look_up(json, "devices")));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "devices")), 0);
	CU_ASSERT(is_integer(json, "total.tx_packets", 0));
	free(text);
	json_decref(json);
	scene_end();
}

static void losses_are_said_at_the_top(void)
{
	struct report report = MAKE(NULL, START(0, 1000, ETH0, 1), LOST(0, 1500), FREE(0, 2000, 1));
	json_t *json;
	char *text;

	counts.lost = 40;
	counts.lost_unknown = true;
	CU_ASSERT_FALSE(report_complete(&report));
	json = report_json(&report);
	text = text_of(&report);
	CU_ASSERT(json_is_false(look_up(json, "complete")));
	CU_ASSERT(is_integer(json, "events.lost", 40));
	CU_ASSERT(json_is_true(look_up(json, "events.lost_unknown")));
	CU_ASSERT(json_is_true(look_up(json, "devices.0.in_device.unreliable")));
	CU_ASSERT(is_text(json, "devices.0.in_device.reason",
		"1 of 1 packets closed as unresolved, more than 1 %"));
	CU_ASSERT(begins_with(text, "PARTIAL: at least 40 events were lost"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "UNRELIABLE"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 started = 0 freed + 1 unresolved + 0 still"));
	free(text);
	json_decref(json);
	counts.lost = 0;
	counts.lost_unknown = false;
	CU_ASSERT_TRUE(report_complete(&report));
	counts.truncated = true;
	CU_ASSERT_FALSE(report_complete(&report));
	scene_end();
}

static void cycles_are_converted_once_and_rounded(void)
{
	const uint64_t base = UINT64_C(1) << 62;
	struct report report = MAKE(NULL, START(0, base, ETH0, 1), FREE(0, base + 29, 1),
		START(0, base + 1000, ETH0, 2), FREE(0, base + 6800, 2),
		START(0, base + 9000, ETH0, 3), FREE(0, base + 9044, 3));
	json_t *json;

	source.hz = UINT64_C(2900000000);
	json = report_json(&report);
	CU_ASSERT(is_integer(json, "devices.0.lap_ns.min", 10));
	CU_ASSERT(is_integer(json, "devices.0.lap_ns.p50", 15)); /* 44 cycles are 15.17 ns */
	CU_ASSERT(is_integer(json, "devices.0.lap_ns.max", 2000));
	json_decref(json);
	scene_end();
}

static void an_uncalibrated_clock_stays_in_cycles(void)
{
	struct report report = MAKE(NULL, START(0, 5, ETH0, 1), FREE(0, 105, 1));
	json_t *json;
	char *text;

	source.hz = 0;
	json = report_json(&report);
	text = text_of(&report);
	CU_ASSERT(is_null(json, "source.hz"));
	CU_ASSERT(is_integer(json, "devices.0.lap_cycles.max", 100));
	CU_ASSERT_PTR_NULL(look_up(json, "devices.0.lap_ns"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "max=100cycles"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "--hz"));
	free(text);
	json_decref(json);
	scene_end();
}

static void stalls_carry_their_time_and_their_doubt(void)
{
	struct report report = MAKE(NULL, START(0, 1 * SECONDS, ETH0, 2),
		START(0, 2 * SECONDS, ETH0, 2), START(0, 2 * SECONDS, ETH0, 1), OTHER(9 * SECONDS));
	json_t *json = report_json(&report);
	char *text = text_of(&report);

	CU_ASSERT(is_integer(json, "devices.0.stalls.0.start_ns", 1000000000));
	CU_ASSERT(is_integer(json, "devices.0.stalls.0.end_ns", 9000000000));
	CU_ASSERT(is_integer(json, "devices.0.stalls.0.packets", 2));
	CU_ASSERT(json_is_true(look_up(json, "devices.0.stalls.0.unreliable")));
	CU_ASSERT(json_is_string(look_up(json, "devices.0.stalls.0.reason")));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "stall: no free from 1.000000 s to 9.000000 s (8.000000 s)"));
	free(text);
	json_decref(json);
	scene_end();
}

static void drops_are_named(void)
{
	const struct scene_event events[] = { QUEUED(0, ETH0, 1), DROP(0, 10, 1, 1),
		QUEUED(20, ETH0, 2), DROP(0, 30, 2, 2), QUEUED(40, ETH0, 3), DROP(0, 50, 3, 3) };
	struct report report = make_report(NULL, events, 6);
	json_t *json;
	char *text;

	CU_ASSERT_EQUAL(names_intern(scene_names, NAME_REASON, "QDISC_DROP", 10), 1);
	CU_ASSERT_EQUAL(names_intern(scene_names, NAME_REASON, "B\xff\033D", 4), 2);
	json = report_json(&report);
	text = text_of(&report);
	CU_ASSERT(is_integer(json, "devices.0.drops.QDISC_DROP", 1));
	CU_ASSERT(is_integer(json, "devices.0.drops.B?\033D", 1));
	CU_ASSERT(is_integer(json, "devices.0.drops.(unknown)", 1));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "drops: QDISC_DROP=1 B??D=1 (unknown)=1\n"));
	free(text);
	json_decref(json);
	scene_end();
}

static char *verdict(uint32_t capacity)
{
	struct transmit_options options = scene_options();
	struct report report;
	char *text;

	options.capacity = capacity;
	report = MAKE(&options, START(0, 0, ETH0, 1), START(0, 10, ETH0, 2), FREE(0, 90, 1),
		FREE(0, 100, 2));
	text = text_of(&report);
	scene_end();
	return text;
}

static void the_verdict_is_told_in_words(void)
{
	char *text = verdict(2);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, " packed: in 1 of 1 intervals between clean-ups the "
					    "device owned all that its ring can, 2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "80.0 % of the time"));
	free(text);
	text = verdict(3);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "not packed: at most 2 packets of the 3"));
	free(text);
	text = verdict(0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "unknown whether the ring packs"));
	free(text);
	text = verdict(1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "The maximum of 2 is more than the ring can own (1)"));
	free(text);
}

static void a_veth_is_not_said_to_have_a_ring(void)
{
	struct report report = MAKE(NULL, START(0, 0, VETH0, 1), RECEIVE(10, ETH1, 1));
	char *text = text_of(&report);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "lap time between start_xmit - receive:"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "no ring"));
	CU_ASSERT_PTR_NULL(strstr(text, "--capacity"));
	free(text);
	scene_end();
}

static char *written(int (*write)(const json_t *, FILE *), const json_t *json)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(write(json, out), 0);
	fclose(out);
	return text;
}

/* jansson's own integers end at 2^63 - 1. */
static void json_has_all_digits_of_any_number(void)
{
	json_t *json = json_pack("{s:o,s:[o,o],s:s}", "a", report_number(INT64_MAX), "b",
		report_number(INT64_MAX + UINT64_C(1)), report_number(UINT64_MAX), "c",
		"\"\\u00005\"");
	char *text = written(report_write_line, json);

	CU_ASSERT_STRING_EQUAL(text, "{\"a\":9223372036854775807,\"b\":[9223372036854775808,"
				     "18446744073709551615],\"c\":\"\\\"\\\\u00005\\\"\"}\n");
	free(text);
	text = written(report_write_json, json);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    18446744073709551615\n"));
	free(text);
	json_decref(json);
}

static void late_stalls_have_all_their_digits(void)
{
	const uint64_t late = UINT64_MAX - 9 * SECONDS;
	struct report report = MAKE(NULL, START(0, late, ETH0, 1), OTHER(UINT64_MAX));
	json_t *json = report_json(&report);
	char *text = written(report_write_json, json);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"start_ns\": 18446744064709551615"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"end_ns\": 18446744073709551615"));
	free(text);
	json_decref(json);
	scene_end();
}

static void json_is_written_the_same_every_time(void)
{
	json_t *json = json_pack("{s:i,s:f}", "b", 1, "a", 1.0 / 3);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_EQUAL(report_write_json(json, out), 0);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "{\n  \"b\": 1,\n  \"a\": 0.333333333333\n}\n");
	free(text);
	out = fopen("/dev/full", "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	setvbuf(out, NULL, _IONBF, 0);
	CU_ASSERT(report_write_json(json, out) < 0);
	fclose(out);
	json_decref(json);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case text_cases[] = {
	CASE(the_head_is_the_one_people_know),
	CASE(the_published_head_comes_out_to_the_byte),
	CASE(the_verdict_is_told_in_words),
	CASE(a_veth_is_not_said_to_have_a_ring),
	CASE(a_trace_without_transmission_says_so),
	CASE(losses_are_said_at_the_top),
	{ 0 },
};

static const struct test_case json_cases[] = {
	CASE(json_has_the_keys_of_the_contract),
	CASE(of_nothing_there_is_no_average),
	CASE(cycles_are_converted_once_and_rounded),
	CASE(an_uncalibrated_clock_stays_in_cycles),
	CASE(stalls_carry_their_time_and_their_doubt),
	CASE(drops_are_named),
	CASE(json_has_all_digits_of_any_number),
	CASE(late_stalls_have_all_their_digits),
	CASE(json_is_written_the_same_every_time),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "text", text_cases, NULL, NULL },
		{ "json", json_cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
