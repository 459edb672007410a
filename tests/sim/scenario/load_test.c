/* SPDX-License-Identifier: BSD-3-Clause */
/* A setting is honoured or refused: by file, line, key and reason. */
#include "loading.h"

#include "harness.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_refused(const char *assignment, const char *key)
{
	CU_ASSERT(load("", &assignment, 1) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "--set"));
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, key));
}

static void an_empty_file_is_all_defaults(void)
{
	static const char *const empty[] = { "", "\n\n", "# nothing but a comment\n", "---\n{}\n",
		"---\n", "--- # x\n", "---\n...\n", "~\n", "null\n", "nic:\n",
		"nic: {}\nhost: ~\n" };

	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		CU_ASSERT_EQUAL(load(empty[i], NULL, 0), 0);
		CU_ASSERT_EQUAL(scenario.nic.ring_size, 256);
		CU_ASSERT_EQUAL(scenario.workload_count, 1);
		CU_ASSERT_EQUAL(scenario.workloads[0].message_bytes, 1);
		CU_ASSERT_EQUAL(scenario.driver.reserve, 22); /* linux-6.1's */
		CU_ASSERT_TRUE(isnan(scenario.published.lap_avg_ms));
	}
}

/* In real time something is received; nothing else is, and what it needs no host has. */
static void the_clock_tsc_takes_lwip_receive_and_nothing_else(void)
{
	CU_ASSERT_EQUAL(load("clock: tsc\n"
			     "workload: [{type: lwip_receive, stream_bytes: 1460}]\n"
			     "nic: {rx_ring_size: 512}\n"
			     "host: {dev_weight: 16}\n",
				NULL, 0),
		0);
	CU_ASSERT_EQUAL(scenario_use_of(&scenario), SCENARIO_RECEIVE);
	CU_ASSERT_EQUAL(scenario.workloads[0].stream_bytes, 1460);
	CU_ASSERT_EQUAL(scenario.host.dev_weight, 16);
	says("clock: tsc\n",
		"workload: type: udp_flood: not with the clock tsc; that takes lwip_receive");
	says("workload: [{type: lwip_receive}]\n",
		"workload: type: lwip_receive: not with the clock virtual; that takes tsc");
	says("clock: tsc\nworkload: [{type: lwip_receive}, {type: lwip_receive}]\n",
		"workload: the clock tsc takes one lwip_receive");
	says("clock: tsc\nworkload: []\n", "workload: the clock tsc takes one lwip_receive");
	says("clock: tsc\nworkload: [{type: lwip_receive, message_bytes: 2}]\n",
		"workload: message_bytes: of udp_flood|tcp_receive|udp_receive|tcp_stream; "
		"lwip_receive has none");
	says("workload: [{stream_bytes: 2}]\n",
		"workload: stream_bytes: of lwip_receive|tcp_stream; udp_flood has none");
	says("clock: tsc\nworkload: [{type: lwip_receive}]\nhost: {cpus: 2}\n",
		"host.cpus: ringside run with the clock tsc has no use for it");
	says("clock: tsc\nworkload: [{type: lwip_receive}]\nhost: {dev_tx_weight: 64}\n",
		"host.dev_tx_weight: ringside run with the clock tsc has no use for it");
	says("clock: tsc\nworkload: [{type: lwip_receive}]\npublished: {lap_avg_ms: 1}\n",
		"published.lap_avg_ms: ringside run with the clock tsc has no use for it");
}

static void every_kind_of_value_is_stored(void)
{
	CU_ASSERT_EQUAL(load("title: a title\n"
			     "duration_s: 2.5\n"
			     "nic: {ring_size: 512, line_rate_mbps: 0}\n"
			     "driver:\n"
			     "  profile: linux-2.6.35\n"
			     "  checksum: false\n"
			     "workload:\n"
			     "  - {message_bytes: 7, segments: 2}\n"
			     "  - {start_s: 0.5}\n"
			     "published: {lap_avg_ms: 1e-3}\n",
				NULL, 0),
		0);
	CU_ASSERT_STRING_EQUAL(scenario.title, "a title");
	CU_ASSERT_EQUAL(scenario.duration_s, 2.5);
	CU_ASSERT_EQUAL(scenario.nic.ring_size, 512);
	CU_ASSERT_EQUAL(scenario.nic.line_rate_mbps, 0);
	CU_ASSERT_FALSE(scenario.driver.checksum);
	CU_ASSERT_EQUAL(scenario.driver.reserve, 20); /* linux-2.6.35's */
	CU_ASSERT_EQUAL(scenario.workload_count, 2);
	CU_ASSERT_EQUAL(scenario.workloads[0].segments, 2);
	CU_ASSERT_EQUAL(scenario.workloads[1].message_bytes, 1);
	CU_ASSERT_EQUAL(scenario.workloads[1].start_s, 0.5);
	CU_ASSERT_EQUAL(scenario.published.lap_avg_ms, 0.001);
}

static void an_unknown_key_is_refused_with_the_nearest(void)
{
	refused("ring_sise: 256\n", 1, "ring_sise", "nic.ring_size");
	refused("seed: 1\nnic:\n  ring_sise: 256\n", 3, "nic.ring_sise", "nic.ring_size");
	refused("driver: {InteruptThrottleRate: 1000}\n", 1, "InteruptThrottleRate",
		"driver.InterruptThrottleRate");
	refused("workload:\n  - {mesage_bytes: 1}\n", 2, "mesage_bytes", "message_bytes");
	refused("nik: {ring_size: 256}\n", 1, "nik", "nearest");
	refused("host: {cost_ns: {sent: 1}}\n", 1, "host.cost_ns.sent", "host.cost_ns.send");
}

static void a_key_given_twice_is_refused(void)
{
	refused("nic:\n  ring_size: 256\n  ring_size: 512\n", 3, "ring_size", "duplicate");
	refused("seed: 1\nseed: 1\n", 2, "seed", "duplicate");
	refused("workload:\n  - {cpu: 0, cpu: 0}\n", 2, "cpu", "duplicate");
}

static void a_wrong_kind_is_refused(void)
{
	refused("nic: {ring_size: many}\n", 1, "ring_size", "whole number");
	refused("nic: {ring_size: 256.0}\n", 1, "ring_size", "whole number");
	refused("nic: {ring_size: -256}\n", 1, "ring_size", "whole number");
	refused("nic: {ring_size: 0x100}\n", 1, "ring_size", "whole number");
	refused("nic: {ring_size: 256KB}\n", 1, "ring_size", "descriptors");
	refused("nic: {ring_size: \"256\"}\n", 1, "ring_size", "quoted");
	refused("nic: {ring_size: [256]}\n", 1, "ring_size", "one value");
	refused("nic: {ring_size: {}}\n", 1, "ring_size", "one value");
	refused("nic:\n  ring_size:\n", 2, "ring_size", "");
	refused("nic: 256\n", 1, "nic", "mapping");
	refused("driver: {profile: dpdk-em}\n", 1, "profile", "linux-6.1"); /* no kernel's */
	refused("workload: {cpu: 0}\n", 1, "workload", "list");
	refused("workload: [1]\n", 1, "workload", "mapping");
	refused("duration_s: long\n", 1, "duration_s", "number");
	refused("duration_s: 10s\n", 1, "duration_s", "unit is s");
	refused("duration_s: .inf\n", 1, "duration_s", "number");
	refused("duration_s: nan\n", 1, "duration_s", "number");
	refused("driver: {checksum: maybe}\n", 1, "checksum", "neither true nor false");
	refused("driver: {profile: linux-1.0}\n", 1, "profile", "linux-2.6.35|linux-6.1");
}

static void a_value_out_of_range_is_refused(void)
{
	refused("nic: {ring_size: 100}\n", 1, "ring_size", "multiple of 8");
	refused("nic: {ring_size: 56}\n", 1, "ring_size", "64 to 4096");
	refused("nic: {ring_size: 4104}\n", 1, "ring_size", "64 to 4096");
	refused("nic: {ring_size: 99999999999999999999999}\n", 1, "ring_size", "too large");
	refused("duration_s: 0\n", 1, "duration_s", "out of range");
	refused("nic: {line_rate_mbps: 9}\n", 1, "line_rate_mbps", "10 to 100000");
	refused("host: {irq_cpu: 1}\n", 0, "host.irq_cpu", "host.cpus is 1");
	refused("workload: [{cpu: 1}]\n", 0, "cpu", "host.cpus is 1");
	says("host: {cpus: 2, irq_cpu: 3}\n",
		"host.irq_cpu: 3: CPUs go from 0 on, and host.cpus is 2");
	says("host: {cpus: 2}\nworkload: [{cpu: 1}, {cpu: 7}]\n",
		"workload: cpu: 7: CPUs go from 0 on, and host.cpus is 2");
	says("workload: [{message_bytes: 4, segments: 5}]\n",
		"workload: segments: 5: more than message_bytes, 4");
	says("duration_s: 2\nworkload: [{start_s: 2.5}]\n",
		"workload: start_s: 2.5: not before the end at 2 s");
	refused("nic: {ring_size: 64}\ndriver: {reserve: 63}\n", 0, "driver.reserve", "64");
}

/* The module's own rule: 0, 1, 3, 4 and 100 to 100000. */
static void throttle_values_are_the_drivers(void)
{
	static const char *const wrong[] = { "2", "5", "99", "100001", "-1", "4us" };
	static const char *const right[] = { "0", "1", "3", "4", "100", "1000", "100000" };
	char text[64];
	const char *set = text;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(text, sizeof(text), "InterruptThrottleRate=%s", wrong[i]);
		set_refused(text, "InterruptThrottleRate");
		CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, wrong[i]));
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		snprintf(text, sizeof(text), "InterruptThrottleRate=%s", right[i]);
		CU_ASSERT_EQUAL(load("", &set, 1), 0);
		CU_ASSERT_EQUAL(scenario.driver.throttle_rate, strtoull(right[i], NULL, 10));
	}
}

/* The profile's kernel decides unless the user does; bounds without limits mean nothing. */
static void bql_is_the_profiles_or_as_told(void)
{
	CU_ASSERT_EQUAL(load("", NULL, 0), 0);
	CU_ASSERT_STRING_EQUAL(scenario.driver.bql, "on");
	CU_ASSERT_EQUAL(load("driver: {profile: linux-2.6.35}\n", NULL, 0), 0);
	CU_ASSERT_STRING_EQUAL(scenario.driver.bql, "off");
	CU_ASSERT_EQUAL(load("driver: {profile: linux-2.6.35, bql: on}\n", NULL, 0), 0);
	CU_ASSERT_STRING_EQUAL(scenario.driver.bql, "on");
	says("driver: {bql_limit_min: 7, bql_limit_max: 6}\n",
		"driver.bql_limit_min: 7: more than bql_limit_max, 6");
	says("driver: {bql: off, bql_limit_max: 2150}\n",
		"driver.bql_limit_max: there are no byte queue limits: driver.bql is off");
	refused("driver: {bql: maybe}\n", 1, "driver.bql", "auto");
	refused("driver: {bql_limit_max: 1879048193}\n", 1, "bql_limit_max", "1879048192");
}

static void set_takes_the_path_or_its_last_part(void)
{
	static const char *const set[] = { "nic.ring_size=512", "send=1", "message_bytes=9",
		"seed=77" };

	CU_ASSERT_EQUAL(load("workload: [{}, {message_bytes: 3}]\n", set, 4), 0);
	CU_ASSERT_EQUAL(scenario.nic.ring_size, 512);
	CU_ASSERT_EQUAL(scenario.host.cost_ns[HOST_COST_send], 1);
	CU_ASSERT_EQUAL(scenario.workloads[0].message_bytes, 9);
	CU_ASSERT_EQUAL(scenario.workloads[1].message_bytes, 9);
	CU_ASSERT_EQUAL(scenario.seed, 77);
}

/* A key given twice is refused in --set, too, by whichever of its names. */
static void a_key_set_twice_is_refused(void)
{
	static const char *const twice[][2] = { { "seed=1", "seed=2" }, { "seed=1", "seed=1" },
		{ "nic.ring_size=256", "ring_size=512" },
		{ "message_bytes=1", "workload.message_bytes=2" } };

	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		CU_ASSERT(load("", twice[i], 2) < 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "more than once"));
	}
}

/* A key of one kind of workload is no other's. */
static void a_workload_takes_only_its_own_keys(void)
{
	refused("workload: [{burst: 2}]\n", 0, "burst", "udp_flood");
	refused("workload: [{gro: true}]\n", 0, "gro", "udp_flood");
	refused("workload: [{type: udp_receive, quick_acks: 1}]\n", 0, "quick_acks", "udp_receive");
	refused("workload: [{type: udp_receive, delayed_ack_ms: 1}]\n", 0, "delayed_ack_ms", "");
	refused("workload: [{type: tcp_receive, segments: 2}]\n", 0, "segments", "tcp_receive");
	refused("workload: [{type: tcp_receive, message_bytes: 1449}]\n", 0, "message_bytes",
		"1448");
	refused("nic: {line_rate_mbps: 0}\nworkload: [{type: tcp_receive}]\n", 0, "interval_us",
		"no pace");
	refused("workload: [{segments: 2}]\n", 0, "segments", "message_bytes, 1");
}

/* What a fault or a profile can't use is no setting of theirs; what rounds to 0 means another
 * thing. */
static void nothing_is_ignored_or_rounded_away(void)
{
	refused("nic: {faults: [{type: irq_loss, duration_s: 1}]}\n", 0, "duration_s", "irq_loss");
	refused("nic: {faults: [{type: tx_stop, count: 2}]}\n", 0, "count", "tx_stop");
	refused("driver: {profile: linux-2.6.35}\nhost: {dev_tx_weight: 64}\n", 0, "dev_tx_weight",
		"linux-2.6.35");
	refused("nic: {faults: [{duration_s: 1e-10}]}\n", 1, "duration_s", "nanosecond");
	refused("workload: [{interval_us: 0.0004}]\n", 1, "interval_us", "nanosecond");
	refused("workload: [{start_s: 1}]\n", 0, "start_s", "not before the end");
	refused("host: {cost_ns: {send: 0}}\n", 1, "send", "out of range");
	refused("seed: 1\n---\nbogus: 2\n", 0, "more than one YAML document", "");
	refused("seed: 1\n---\n", 0, "more than one YAML document", "");
	refused("title: \"a\\e[31m\"\n", 1, "title", "control");
}

/* What YAML can do beyond a file of settings. */
static void only_plain_yaml_is_taken(void)
{
	refused("title: \xe9t\xe9\nring_sise: 64\n", 1, "", "");
	refused("nic: {ring_size: 64}\n\xff\nring_sise: 5\n", 0, "", "");
	refused("title: caf\xe9\n", 1, "", "");
	refused("nic.ring_size: 64\n", 1, "nic.ring_size", "mappings");
	refused("host: {cost_ns.send: 5}\n", 1, "cost_ns.send", "mappings");
	refused("nic: {ring_size: !!str 64}\n", 1, "", "tags");
	refused("seed: &a 64\nnic: {ring_size: *a}\n", 2, "", "aliases");
	refused("nic: &n {ring_size: 64}\ndriver: *n\n", 2, "", "aliases");
	refused("workload: [&w {cpu: 0}, *w]\n", 1, "", "");
	refused("seed: 1000000000000000001\n", 1, "seed", "out of range");
}

/* 1 byte: 64 of data and a struct sk_buff of 240; with shared info and slabs 512 + 256. A full
 * frame takes 2048 + 256 (1472 + 59 in cache lines is 1536, and 320 more). */
static void truesize_is_the_kernels(void)
{
	CU_ASSERT_EQUAL(host_truesize(host_kernel_find("linux-2.6.35"), 1), 304);
	CU_ASSERT_EQUAL(host_truesize(host_kernel_find("linux-6.1"), 1), 768);
	CU_ASSERT_EQUAL(host_truesize(host_kernel_find("linux-6.1"), 1472), 2304);
}

static void set_obeys_the_same_rules(void)
{
	set_refused("no_such_knob=1", "no_such_knob");
	set_refused("nic=1", "nic has keys in it, as nic.ring_size");
	set_refused("host.cost_ns=1", "host.cost_ns has keys in it, as host.cost_ns.");
	set_refused("workload=1", "workload is a list; its items have keys, as workload.type");
	set_refused("ring_size", "key=value");
	set_refused("=1", "key=value");
	set_refused("ring_size=", "ring_size");
	set_refused("ring_size=100", "ring_size");
	set_refused("ring_size=256 ", "ring_size");
	/* two lists have items with this key */
	set_refused("type=udp_flood", "type");
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "2 keys"));
	/* nothing to set: there are no faults */
	set_refused("at_s=1", "at_s");
}

static void what_is_no_scenario_is_refused(void)
{
	refused("- a\n- list\n", 0, "mapping", "");
	refused("nic: [unclosed\n", 0, "", "");
	refused("\x01\x02\x03", 0, "", "");
	CU_ASSERT(scenario_load(&scenario, "/nonexistent/x.yaml", NULL, 0, &diag) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/nonexistent/x.yaml: No such file"));
	CU_ASSERT(scenario_load(&scenario, "/tmp", NULL, 0, &diag) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/tmp: "));
}

static void help_names_every_key(void)
{
	static const char *const keys[] = { "nic.ring_size", "driver.InterruptThrottleRate",
		"host.cost_ns.clean", "message_bytes", "64 to 4096", "linux-2.6.35|linux-6.1" };
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	scenario_help(out);
	fclose(out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		CU_ASSERT_PTR_NOT_NULL(strstr(text, keys[i]));
	free(text);
}

static const struct test_case cases[] = {
	{ "an empty file is all defaults", an_empty_file_is_all_defaults },
	{ "the clock tsc takes lwip_receive and nothing else",
		the_clock_tsc_takes_lwip_receive_and_nothing_else },
	{ "every kind of value is stored", every_kind_of_value_is_stored },
	{ "an unknown key is refused with the nearest",
		an_unknown_key_is_refused_with_the_nearest },
	{ "a key given twice is refused", a_key_given_twice_is_refused },
	{ "a wrong kind is refused", a_wrong_kind_is_refused },
	{ "a value out of range is refused", a_value_out_of_range_is_refused },
	{ "throttle values are the driver's", throttle_values_are_the_drivers },
	{ "BQL is the profile's or as told", bql_is_the_profiles_or_as_told },
	{ "--set takes the path or its last part", set_takes_the_path_or_its_last_part },
	{ "--set obeys the same rules", set_obeys_the_same_rules },
	{ "a key set twice is refused", a_key_set_twice_is_refused },
	{ "a workload takes only its own keys", a_workload_takes_only_its_own_keys },
	{ "nothing is ignored or rounded away", nothing_is_ignored_or_rounded_away },
	{ "only plain YAML is taken", only_plain_yaml_is_taken },
	{ "truesize is the kernel's", truesize_is_the_kernels },
	{ "what is no scenario is refused", what_is_no_scenario_is_refused },
	{ "help names every key", help_names_every_key },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "load", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
