/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON object, key by key. */
#include "scene_report.h"

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
	CU_ASSERT(is_null(json, "devices.0.in_device.oldest_ns"));
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
	CU_ASSERT(is_integer(json, "devices.0.in_device.oldest_ns", 0));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 still in the device"));
	CU_ASSERT_PTR_NULL(strstr(text, "nan"));
	CU_ASSERT_PTR_NULL(strstr(text, "Nothing was transmitted"));
	free(text);
	json_decref(json);
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
	CU_ASSERT(is_null(json, "devices.0.in_device.oldest_cycles"));
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
	CU_ASSERT(is_integer(json, "devices.0.in_device.oldest_ns", 7000000000));
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

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(json_has_the_keys_of_the_contract),
	CASE(of_nothing_there_is_no_average),
	CASE(cycles_are_converted_once_and_rounded),
	CASE(an_uncalibrated_clock_stays_in_cycles),
	CASE(stalls_carry_their_time_and_their_doubt),
	CASE(drops_are_named),
	CASE(late_stalls_have_all_their_digits),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "json", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
