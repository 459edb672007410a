/* SPDX-License-Identifier: BSD-3-Clause */
/* Two scenes side by side. */
#include "report_diff.h"

#include "scene_report.h"

/* A report that outlives the next scene. */
struct side {
	struct report report;
	struct trace_source source;
	struct trace_counts counts;
	struct names *names;
	struct transmit *transmit;
};

static struct side keep(struct report report)
{
	return (struct side){ report, source, counts, scene_names, scene_transmit };
}

static void link_up(struct side *side)
{
	side->report.source = &side->source;
	side->report.counts = &side->counts;
}

static void drop(struct side *side)
{
	transmit_destroy(side->transmit);
	names_destroy(side->names);
}

/* Laps of 7000 and 9000 ns in A; of 3000, 4000 and 5000 in B, which has eth1, too. */
static void make(struct side *a, struct side *b)
{
	*a = keep(MAKE(NULL, START(0, 1000, BOND0, 9), FREE(0, 2000, 9), START(0, 10000, ETH0, 1),
		FREE(0, 17000, 1), START(0, 20000, ETH0, 2), FREE(0, 29000, 2)));
	*b = keep(MAKE(NULL, START(0, 10000, ETH0, 1), START(0, 10000, ETH0, 2), FREE(0, 13000, 1),
		FREE(0, 14000, 2), START(0, 20000, ETH0, 3), FREE(0, 25000, 3),
		START(0, 30000, ETH1, 4)));
	link_up(a);
	link_up(b);
}

static bool has_ratio(const json_t *json, const char *figure, double ratio)
{
	char path[64];

	snprintf(path, sizeof(path), "devices.1.%s.ratio", figure);
	return is_real(json, path, ratio);
}

static void figures_stand_with_their_ratio(void)
{
	struct side a, b;
	json_t *json;

	make(&a, &b);
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(is_text(json, "schema", "ringside.diff/1"));
	CU_ASSERT(json_is_true(look_up(json, "complete")));
	CU_ASSERT(is_text(json, "a.schema", "ringside.report/1"));
	CU_ASSERT(is_integer(json, "b.devices.0.tx_packets", 3));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "devices")), 3);
	CU_ASSERT(is_text(json, "devices.1.name", "eth0"));
	CU_ASSERT(is_integer(json, "devices.1.packets.a", 2));
	CU_ASSERT(is_integer(json, "devices.1.packets.b", 3));
	CU_ASSERT(has_ratio(json, "packets", 1.5));
	/* 2 in 19 us, 3 in 15 us */
	CU_ASSERT(is_real(json, "devices.1.packets_per_s.b", 200000));
	CU_ASSERT(has_ratio(json, "packets_per_s", 200000 / (2 / 19e-6)));
	CU_ASSERT(is_real(json, "devices.1.lap_avg_ns.a", 8000));
	CU_ASSERT(has_ratio(json, "lap_avg_ns", 0.5));
	CU_ASSERT(has_ratio(json, "lap_max_ns", 5.0 / 9));
	CU_ASSERT(has_ratio(json, "in_device_max", 2));
	CU_ASSERT(has_ratio(json, "in_device_avg", (12.0 / 15) / (16.0 / 19)));
	CU_ASSERT(is_integer(json, "devices.1.drops.a", 0));
	CU_ASSERT(is_null(json, "devices.1.drops.ratio")); /* nothing is a part of nothing */
	CU_ASSERT(is_text(json, "devices.1.packed.a", "unknown"));
	CU_ASSERT(is_integer(json, "total.packets.a", 3));
	json_decref(json);
	drop(&a);
	drop(&b);
}

static void devices_are_matched_by_name(void)
{
	struct side a, b;
	json_t *json;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	make(&a, &b);
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(is_text(json, "devices.0.name", "bond0"));
	CU_ASSERT(json_is_true(look_up(json, "devices.0.in_a")));
	CU_ASSERT(json_is_false(look_up(json, "devices.0.in_b")));
	CU_ASSERT(is_integer(json, "devices.0.packets.a", 1));
	CU_ASSERT(is_null(json, "devices.0.packets.b"));
	CU_ASSERT(is_null(json, "devices.0.packed.b"));
	CU_ASSERT(is_text(json, "devices.2.name", "eth1"));
	CU_ASSERT(is_null(json, "devices.2.in_device_at_end.a"));
	CU_ASSERT(is_integer(json, "devices.2.in_device_at_end.b", 1));
	json_decref(json);
	out = open_memstream(&text, &bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	report_diff_text(&a.report, &b.report, out);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nbond0   is only in A "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\neth1    is only in B "));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "lap time, avg (msec)             0.008000       0.004000    0.500\n"));
	CU_ASSERT_PTR_NULL(strstr(text, "drops"));
	free(text);
	drop(&a);
	drop(&b);
}

static void only_what_is_calibrated_is_compared_as_time(void)
{
	struct side a, b;
	json_t *json;

	make(&a, &b);
	b.source.hz = 0;
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(is_real(json, "devices.1.lap_avg_ns.a", 8000));
	CU_ASSERT(is_null(json, "devices.1.lap_avg_ns.b"));
	CU_ASSERT(is_null(json, "devices.1.packets_per_s.b"));
	CU_ASSERT(has_ratio(json, "packets", 1.5));
	json_decref(json);
	a.source.hz = 0;
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(has_ratio(json, "lap_avg_cycles", 0.5));
	CU_ASSERT_PTR_NULL(look_up(json, "devices.1.lap_avg_ns"));
	json_decref(json);
	a.source.hz = SECONDS / 2; /* a cycle is 2 ns: A's laps are twice as long */
	b.source.hz = SECONDS;
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(is_real(json, "devices.1.lap_avg_ns.a", 16000));
	CU_ASSERT(has_ratio(json, "lap_avg_ns", 0.25));
	json_decref(json);
	drop(&a);
	drop(&b);
}

static void a_part_makes_the_whole_partial(void)
{
	struct side a, b;
	json_t *json;

	make(&a, &b);
	b.counts.lost = 5;
	json = report_diff_json(&a.report, &b.report);
	CU_ASSERT(json_is_false(look_up(json, "complete")));
	CU_ASSERT(json_is_true(look_up(json, "a.complete")));
	json_decref(json);
	drop(&a);
	drop(&b);
}

static const struct test_case cases[] = {
	{ "figures stand with their ratio", figures_stand_with_their_ratio },
	{ "devices are matched by name", devices_are_matched_by_name },
	{ "only what is calibrated is compared as time",
		only_what_is_calibrated_is_compared_as_time },
	{ "a part makes the whole partial", a_part_makes_the_whole_partial },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "diff", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
