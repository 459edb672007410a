/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that people know, to the byte, and what came below it. */
#include "scene_report.h"

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

static void packets_that_should_have_left_are_told(void)
{
	struct report report = MAKE(NULL, START(0, 0, ETH0, 1), FREE(0, 1000000, 1),
		START(0, 2000000, ETH0, 2), START(0, 3000000, ETH0, 3), OTHER(7374000));
	char *text = text_of(&report);

	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"        2 packets are still inside, the oldest for 0.005374 s, longer "
		"than any lap: the transmitter\n        may have died\n"));
	free(text);
	source.hz = 0;
	text = text_of(&report);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "the oldest for 5374000 cycles, longer"));
	free(text);
	scene_end();
	report = MAKE(NULL, START(0, 0, ETH0, 1), FREE(0, 1000000, 1), START(0, 2000000, ETH0, 2),
		START(0, 5000000, ETH0, 3), FREE(0, 5500000, 3), OTHER(7374000));
	text = text_of(&report);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"        1 packet is still inside, for 0.005374 s, longer than any lap: as younger "
		"ones have left,\n        its free may be missing\n"));
	free(text);
	scene_end();
	report = MAKE(NULL, START(0, 0, ETH0, 1), FREE(0, 1000000, 1), START(0, 2000000, ETH0, 2),
		OTHER(2900000));
	text = text_of(&report);
	CU_ASSERT_PTR_NULL(strstr(text, "inside"));
	free(text);
	scene_end();
}

/* Of 100 bytes and no more, however large the numbers. */
static void no_line_is_too_long(void)
{
	const uint64_t late = UINT64_C(9000000000000000000);
	struct scene_event events[64] = { QUEUED(1, ETH0, 100), START_ON(0, late, ETH0, 100),
		FREE(0, 2 * late, 100), START_ON(1, 2 * late, ETH0, 101), LOST(0, 2 * late + 1),
		START_ON(0, 2 * late + 2, ETH0, 102), START_ON(0, 2 * late + 3, ETH1, 103),
		FREE(0, 2 * late + 4 * SECONDS, 102) };
	size_t count = 8;
	struct report report;
	char *text;

	for (uint64_t i = 1; i <= 20; i++) {
		events[count++] = (struct scene_event)QUEUED(2 * late + 4 * SECONDS, ETH0, i);
		events[count++] = (struct scene_event)DROP(0, 2 * late + 4 * SECONDS, i, i);
	}
	report = make_report(NULL, events, count);
	for (uint32_t i = 1; i <= 20; i++)
		names_set(scene_names, NAME_REASON, i, "TCP_INVALID_SEQUENCE_and_on", 20 + i % 8);
	counts.read = counts.unparsed = counts.lost = UINT64_MAX;
	source.clock = "x86-tsc";
	text = text_of(&report);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n        stall: no free from "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n        drops: TCP_"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n            TCP_"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		CU_ASSERT(strcspn(line, "\n") <= 100);
	free(text);
	scene_end();
}

static void a_frequency_is_told_where_it_matters(void)
{
	struct report report = MAKE(NULL, START(0, 0, ETH0, 1), FREE(0, 100, 1));
	char *text = text_of(&report);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "format ftrace\n"));
	free(text);
	source.hz = 2900000000;
	text = text_of(&report);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "format ftrace,\n    2900000000 Hz\n"));
	free(text);
	scene_end();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(the_head_is_the_one_people_know),
	CASE(the_published_head_comes_out_to_the_byte),
	CASE(the_verdict_is_told_in_words),
	CASE(a_veth_is_not_said_to_have_a_ring),
	CASE(a_trace_without_transmission_says_so),
	CASE(losses_are_said_at_the_top),
	CASE(packets_that_should_have_left_are_told),
	CASE(no_line_is_too_long),
	CASE(a_frequency_is_told_where_it_matters),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "text", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
