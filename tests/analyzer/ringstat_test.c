/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program, as a shell sees it: $RINGSTAT is run on small traces, and its exit status, standard
 * output and standard error are looked at.
 */
#include "harness.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/ringstat-test-XXXXXX";
static int status;
static char out[65536], err[65536];

static void path_of(const char *name, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/%s", folder, name);
}

static void slurp(const char *name, char *text, size_t bytes)
{
	char path[256];
	FILE *file;
	size_t found;

	path_of(name, path, sizeof(path));
	file = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	found = fread(text, 1, bytes - 1, file);
	text[found] = '\0';
	fclose(file);
}

/* Runs "ringstat ARGUMENTS" in the folder, by the shell. */
static void ringstat(const char *arguments)
{
	char command[1024];
	int result;

	snprintf(command, sizeof(command), "cd %s && \"$RINGSTAT\" >out 2>err %s", folder,
		arguments);
	result = system(command);
	status = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
	slurp("out", out, sizeof(out));
	slurp("err", err, sizeof(err));
}

/* Not 0 on failure: a suite's set-up can't assert. */
static int write_bytes(const char *name, const void *data, size_t bytes)
{
	char path[256];
	FILE *file;

	path_of(name, path, sizeof(path));
	file = fopen(path, "w");
	if (!file)
		return -1;
	fwrite(data, 1, bytes, file);
	return fclose(file);
}

static int write_file(const char *name, const char *text)
{
	return write_bytes(name, text, strlen(text));
}

#define START_LINE(dev, address, time)                                                     \
	"          sender-812   [001]    " time ": net_dev_start_xmit:   dev=" dev         \
	" queue_mapping=0 skbaddr=" address " vlan_tagged=0 vlan_proto=0x0000"             \
	" vlan_tci=0x0000 protocol=0x0800 ip_summed=3 len=98 data_len=0 network_offset=14" \
	" transport_offset_valid=1 transport_offset=34 tx_flags=0 gso_size=0 gso_segs=0 "  \
	"gso_type=0\n"
#define FREE_LINE(address, time) \
	"          sender-812   [001]    " time ": consume_skb:          skbaddr=" address "\n"

static const char good[] = "cpus=2\n" START_LINE("eth0", "0xffff888104a1c000", "10.000000")
	FREE_LINE("0xffff888104a1c000", "10.000007")
		START_LINE("eth1", "0xffff888104a1c100", "10.000100")
			FREE_LINE("0xffff888104a1c100", "10.000109")
				START_LINE("eth0", "0xffff888104a1c200", "10.000200")
					FREE_LINE("0xffff888104a1c200", "10.000211");

static const char partial[] = "cpus=2\n" START_LINE("eth0", "0xffff888104a1c000",
	"10.000000") "CPU:1 [LOST 40 EVENTS]\n" FREE_LINE("0xffff888104a1c000", "10.000007");

static const char stalled[] = "cpus=2\n" START_LINE("eth0", "0xffff888104a1c000",
	"10.000000") "          idle-0       [000]    13.000000: sched_switch: prev_comm=idle\n";

static const char late[] =
	"          sender-812   [001]    18446744073709551615: consume_skb: skbaddr=a\n";

static const char irq[] = " sh-1 [000] 1.000001: irq_handler_entry: irq=23 name=eth0 rx\n"
			  " sh-1 [000] 1.000002: irq_handler_entry: irq=24 name=\n"
			  " sh-1 [000] 1.000003: softirq_raise: vec=3 [action=NET_RX]\n"
			  " sh-1 [000] 1.000004: softirq_entry: vec=2 [action=NET_TX]\n"
			  " sh-1 [000] 1.000005: softirq_exit: vec=10 [action=]\n";

/* The header of a capture in microseconds, of raw IP (101). */
static const char pcap[24] = "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\x65";

static int make_folder(void)
{
	if (!getenv("RINGSTAT") || !mkdtemp(folder))
		return -1;
	return write_file("good.txt", good) || write_file("partial.txt", partial) ||
	       write_file("empty.txt", "") || write_file("stalled.txt", stalled) ||
	       write_file("late.txt", late) || write_file("irq.txt", irq) ||
	       write_file("ticks.txt", "[ 10 20 30 ]\n") ||
	       write_bytes("empty.pcap", pcap, sizeof(pcap));
}

static int remove_folder(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static bool is_refused(int expected, const char *word)
{
	return status == expected && !*out && strstr(err, word);
}

static void a_report_is_text_or_one_object(void)
{
	json_t *json;

	ringstat("report good.txt");
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "eth0    TX packets=2\n"));
	CU_ASSERT_STRING_EQUAL(err, "");
	ringstat("report --json - < good.txt");
	CU_ASSERT_EQUAL(status, 0);
	json = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	CU_ASSERT_PTR_NOT_NULL(json);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(json, "devices")), 2);
	json_decref(json);
	test_leaks_allow(); /* jansson seeds its hash once */
}

static void several_files_make_several_reports(void)
{
	ringstat("report good.txt good.txt");
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(strncmp(out, "good.txt:\neth0 ", 15), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "\n\ngood.txt:\neth0 "));
	ringstat("report good.txt empty.txt");
	CU_ASSERT(is_refused(2, "empty.txt"));
	ringstat("report good.txt partial.txt");
	CU_ASSERT_EQUAL(status, 3);
}

static void a_partial_input_ends_with_3_and_says_so(void)
{
	ringstat("report partial.txt");
	CU_ASSERT_EQUAL(status, 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "PARTIAL: 40 events"));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "partial.txt"));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "40"));
	ringstat("dump partial.txt");
	CU_ASSERT_EQUAL(status, 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "lost          count=40"));
}

static void what_can_not_be_read_is_refused(void)
{
	ringstat("report no-such-file.txt");
	CU_ASSERT(is_refused(2, "no-such-file.txt"));
	ringstat("report empty.txt");
	CU_ASSERT(is_refused(2, "empty.txt"));
	ringstat("dump empty.txt");
	CU_ASSERT(is_refused(2, "empty.txt"));
	ringstat("report --dev eth7 good.txt");
	CU_ASSERT(is_refused(2, "eth7"));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "eth0, eth1"));
	ringstat("report --dev eth good.txt");
	CU_ASSERT(is_refused(2, "'eth'"));
	ringstat("dump --dev eth7 good.txt");
	CU_ASSERT(is_refused(2, "eth7"));
}

static void wrong_usage_is_named(void)
{
	static const struct {
		const char *arguments, *says;
	} rows[] = {
		{ "frobnicate good.txt", "frobnicate" },
		{ "report", "FILE" },
		{ "report --frob good.txt", "--frob" },
		{ "report -x good.txt", "'-x'" },
		{ "report -xj good.txt", "'-x'" },
		{ "report good.txt -j", "'-j'" },
		{ "report --dev eth0 --dev eth1 good.txt", "--dev is given twice" },
		{ "report --dev eth0 good.txt --dev=eth0", "--dev is given twice" },
		{ "report --from 1 --from 1 good.txt", "--from is given twice" },
		{ "report --json --json good.txt", "--json is given twice" },
		{ "report --hz 1 --capacity 5 --hz 1 good.txt", "--hz is given twice" },
		{ "dump --to 1 --to 2 good.txt", "--to is given twice" },
		{ "report good.txt --dev", "--dev" },
		{ "report --dev '' good.txt", "--dev" },
		{ "report --json=yes good.txt", "--json" },
		{ "report --capacity 0 good.txt", "'0'" },
		{ "report --capacity -5 good.txt", "'-5'" },
		{ "report --capacity 118x good.txt", "'118x'" },
		{ "report --capacity ' 118' good.txt", "' 118'" },
		{ "report --capacity 99999999999999999999999 good.txt", "--capacity" },
		{ "report --ring 256 good.txt", "--profile" },
		{ "report --profile linux-6.1 good.txt", "--ring" },
		{ "report --descriptors 3 good.txt", "--ring" },
		{ "report --ring 256 --profile linux-9 good.txt", "linux-9" },
		{ "report --ring 256 --profile dpdk-em good.txt", "dpdk-em" },
		{ "report --ring 20 --profile linux-6.1 good.txt", "'20'" },
		{ "report --ring 256 --profile linux-6.1 --capacity 9 good.txt", "--capacity" },
		{ "report --from x good.txt", "'x'" },
		{ "report --from 1.0000000001 good.txt", "1.0000000001" },
		{ "report --from -1 good.txt", "'-1'" },
		{ "report --from 1e3 good.txt", "'1e3'" },
		{ "report --from 99999999999999999999 good.txt", "--from" },
		{ "report --from 2 --to 1 good.txt", "--from" },
		{ "report --to . good.txt", "'.'" },
		{ "report --stall 2s good.txt", "'2s'" },
		{ "report --expire 0 good.txt", "--expire" },
		{ "report --hz 0 good.txt", "--hz" },
		{ "dump --ring 256 good.txt", "--ring" },
		{ "diff good.txt", "takes 2 FILEs, not 1" },
		{ "diff good.txt good.txt good.txt", "takes 2 FILEs, not 3" },
		{ "diff --ring 256 good.txt good.txt", "--ring" },
		{ "napi --budget 0 good.txt", "--budget" },
		{ "napi --budget-usecs 1.5 good.txt", "--budget-usecs" },
		{ "rxcost --newest 0 good.txt", "--newest" },
		{ "sock --dev eth0 good.txt", "--dev" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ringstat(rows[i].arguments);
		if (!is_refused(1, rows[i].says))
			printf("%s: status %d, %s\n", rows[i].arguments, status, err);
		CU_ASSERT(is_refused(1, rows[i].says));
	}
	ringstat("");
	CU_ASSERT(is_refused(1, "Usage"));
}

static bool has(const char *arguments, const char *text)
{
	ringstat(arguments);
	return status == 0 && strstr(out, text);
}

static void a_capacity_comes_from_ring_and_profile(void)
{
	CU_ASSERT(has(
		"report --json --ring 256 --profile linux-2.6.35 good.txt", "\"capacity\": 118"));
	CU_ASSERT(has(
		"report --json --ring 512 --profile linux-2.6.35 good.txt", "\"capacity\": 246"));
	CU_ASSERT(
		has("report --json --ring 256 --profile linux-6.1 good.txt", "\"capacity\": 117"));
	CU_ASSERT(has("report --json --ring 80 --profile linux-6.1 good.txt", "\"capacity\": 29"));
	CU_ASSERT(has("report --json --ring 256 --profile linux-2.6.35 --descriptors 3 good.txt",
		"\"capacity\": 79"));
	CU_ASSERT(has("report --json --ring 256 --profile linux-6.1 --descriptors 1 good.txt",
		"\"capacity\": 234"));
	CU_ASSERT(has("report --json --capacity 7 good.txt", "\"capacity\": 7"));
	CU_ASSERT(has("report --json good.txt", "\"capacity\": null"));
}

static void a_time_span_is_exact_and_inclusive(void)
{
	CU_ASSERT(has("report --from 10.000100 --to 10.000109 good.txt", "eth1    TX packets=1\n"));
	CU_ASSERT_PTR_NULL(strstr(out, "eth0"));
	CU_ASSERT(has("report --from 10.000100001 good.txt", "eth0    TX packets=1\n"));
	CU_ASSERT_PTR_NULL(strstr(out, "eth1"));
	CU_ASSERT(has("report --from 11 good.txt", "Nothing was transmitted"));
	CU_ASSERT(has("report --from 10.0002000000 good.txt", "TX packets=1\n"));
}

static void stalls_and_expiry_take_the_time_given(void)
{
	CU_ASSERT(has("report --json --stall 0.000009 good.txt", "\"ended_by\": \"free\""));
	CU_ASSERT(has("report --json --stall 0 good.txt", "\"stalls\": []"));
	CU_ASSERT(has("report --json --expire 0.000010 good.txt", "\"unresolved\": 1"));
	CU_ASSERT(has("report --json --expire 0.000011 good.txt", "\"unresolved\": 0"));
}

static void a_trace_ends_with_its_last_event_of_any_kind(void)
{
	CU_ASSERT(has("report --json stalled.txt", "\"end_ns\": 13000000000"));
	CU_ASSERT(has("report --json --to 13.1 stalled.txt", "\"end_ns\": 13000000000"));
	CU_ASSERT(has("report --json --to 12.5 stalled.txt", "\"end_ns\": 12500000000"));
	CU_ASSERT(has("report --json --to 11.999999 stalled.txt", "\"stalls\": []"));
	CU_ASSERT(has("report --json --expire 2.999999 stalled.txt", "\"at_end\": 0"));
	CU_ASSERT(has("report --json --expire 3 stalled.txt", "\"at_end\": 1"));
	CU_ASSERT(has("report --json --from 12 stalled.txt", "\"devices\": []"));
}

static void a_dump_has_a_line_for_each_event(void)
{
	size_t lines = 0;

	ringstat("dump good.txt");
	CU_ASSERT_EQUAL(status, 0);
	for (const char *p = out; (p = strchr(p, '\n')); p++)
		lines++;
	CU_ASSERT_EQUAL(lines, 6);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "10.000100000 [001] eth1     start_xmit    queue=0 "
					   "packet=0xffff888104a1c100 len=98 gso_size=0 gso_segs=0 "
					   "header_bytes=54\n"));
	ringstat("dump --json --dev eth1 good.txt");
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_PTR_EQUAL(
		strstr(out, "{\"time_ns\":10000100000,\"cpu\":1,\"device\":\"eth1\","), out);
	CU_ASSERT_PTR_EQUAL(strchr(out, '\n'), out + strlen(out) - 1);
}

static void interrupts_are_dumped_by_name(void)
{
	CU_ASSERT(has("dump irq.txt", "irq_entry     irq=23 name=\"eth0 rx\"\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "irq_entry     irq=24\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "softirq_raise vec=3 action=NET_RX\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "softirq_entry vec=2 action=NET_TX task=\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "softirq_exit  vec=10\n"));
	CU_ASSERT(has("dump --json irq.txt", "\"irq\":23,\"name\":\"eth0 rx\"}\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "\"vec\":3,\"action\":\"NET_RX\"}\n"));
}

static void no_time_is_too_large(void)
{
	CU_ASSERT(has("dump --json late.txt", "{\"time_cycles\":18446744073709551615,"));
	CU_ASSERT(has("dump late.txt", "18446744073709551615 [001]"));
	CU_ASSERT(
		has("dump --json --hz 1000000000 late.txt", "{\"time_ns\":18446744073709551615,"));
	CU_ASSERT(has("report --json --hz 2000000000 late.txt", "\"hz\": 2000000000"));
	/* unless it doesn't fit: 2^64 cycles are more than 2^64 ns */
	ringstat("dump --hz 999999999 late.txt");
	CU_ASSERT(is_refused(2, "18446744073709551615 cycles"));
	ringstat("report --json --hz 999999999 late.txt");
	CU_ASSERT(is_refused(2, "late.txt"));
}

/* Whatever is measured: the same statuses for the same inputs. */
static void all_measures_end_alike(void)
{
	static const char *const measures[] = { "napi", "rxcost", "sock", "diff good.txt" };

	for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++) {
		char arguments[64];

		snprintf(arguments, sizeof(arguments), "%s good.txt", measures[i]);
		ringstat(arguments);
		CU_ASSERT_EQUAL(status, 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(out, "6 events read"));
		snprintf(arguments, sizeof(arguments), "%s partial.txt", measures[i]);
		ringstat(arguments);
		CU_ASSERT_EQUAL(status, 3);
		CU_ASSERT_PTR_NOT_NULL(strstr(out, "PARTIAL: 40 events"));
		CU_ASSERT_PTR_NOT_NULL(strstr(err, "partial.txt is partial"));
		snprintf(arguments, sizeof(arguments), "%s --json partial.txt", measures[i]);
		ringstat(arguments);
		CU_ASSERT_PTR_NOT_NULL(strstr(out, "\"complete\": false"));
		snprintf(arguments, sizeof(arguments), "%s empty.txt", measures[i]);
		ringstat(arguments);
		CU_ASSERT(is_refused(2, "empty.txt"));
		snprintf(arguments, sizeof(arguments), "%s --help", measures[i]);
		CU_ASSERT(has(arguments, "EXAMPLES"));
	}
	ringstat("napi --dev eth7 good.txt");
	CU_ASSERT(is_refused(2, "eth7"));
	ringstat("diff --dev eth1 good.txt stalled.txt");
	CU_ASSERT(is_refused(2, "stalled.txt: has no device 'eth1'"));
	ringstat("napi good.txt irq.txt");
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "\nirq.txt:\n"));
}

static void a_plain_list_is_for_rxcost_alone(void)
{
	CU_ASSERT(has("rxcost ticks.txt", "one cluster: median 20 cycles, 3 packets\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "[ 10 20 30 ]\n"));
	CU_ASSERT(has("rxcost --hz 1000000 - <ticks.txt", "median 20 ticks (20.00 us)"));
	CU_ASSERT(has("rxcost --json --hz 1000000 ticks.txt", "\"median_ns\": 20000"));
	ringstat("report ticks.txt");
	CU_ASSERT(is_refused(2, "ticks.txt"));
}

/* A capture isn't a trace of events: report reads it, with no option that it could not honour. */
static void a_capture_is_reported_and_nothing_else(void)
{
	static const char *const options[] = { "--dev eth0", "--from 1", "--to 1", "--expire 1",
		"--stall 1", "--capacity 7", "--hz 1000" };
	char arguments[64];

	CU_ASSERT(has("report empty.pcap", "0 frames, 0 bytes on the wire\n"));
	CU_ASSERT(has("report --json - < empty.pcap", "\"format\": \"pcap\""));
	CU_ASSERT(has("report good.txt empty.pcap", "0 frames, 0 bytes on the wire\n"));
	ringstat("dump empty.pcap");
	CU_ASSERT(is_refused(2, "empty.pcap: a capture of frames"));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(arguments, sizeof(arguments), "report %s empty.pcap", options[i]);
		ringstat(arguments);
		CU_ASSERT(is_refused(2, "empty.pcap: this is a capture"));
	}
}

static void help_has_examples(void)
{
	CU_ASSERT(has("--help", "report"));
	CU_ASSERT(has("report --help", "EXAMPLES"));
	CU_ASSERT(has("dump --help", "EXAMPLES"));
	CU_ASSERT(has("report -h", "--capacity"));
}

/* The temporary file of the result must not get the number of a closed descriptor. */
static void closed_descriptors_stay_out_of_the_result(void)
{
	ringstat("report partial.txt 2>&-");
	CU_ASSERT_EQUAL(status, 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "PARTIAL: 40 events"));
	CU_ASSERT_PTR_NULL(strstr(out, "ringstat:"));
	CU_ASSERT(has("report good.txt <&-", "eth0    TX packets=2\n"));
	CU_ASSERT(has("report good.txt <&- 2>&-", "eth0    TX packets=2\n"));
	CU_ASSERT(has("--help <&- 2>&-", "Usage"));
	ringstat("report - <&-");
	CU_ASSERT(is_refused(2, "-: "));
	ringstat("report good.txt <&- >&- 2>&-");
	CU_ASSERT_EQUAL(status, 2);
	ringstat("report --frob good.txt 2>&-");
	CU_ASSERT_EQUAL(status, 1);
	ringstat("report --help >&-");
	CU_ASSERT(is_refused(2, "standard output"));
}

static void a_result_that_can_not_be_written_is_no_success(void)
{
	ringstat("report good.txt >/dev/full");
	CU_ASSERT_EQUAL(status, 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "standard output"));
	ringstat("report good.txt >&-");
	CU_ASSERT_EQUAL(status, 2);
	ringstat("--help >/dev/full");
	CU_ASSERT_EQUAL(status, 2);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(a_report_is_text_or_one_object),
	CASE(several_files_make_several_reports),
	CASE(a_partial_input_ends_with_3_and_says_so),
	CASE(what_can_not_be_read_is_refused),
	CASE(wrong_usage_is_named),
	CASE(a_capacity_comes_from_ring_and_profile),
	CASE(a_time_span_is_exact_and_inclusive),
	CASE(stalls_and_expiry_take_the_time_given),
	CASE(a_trace_ends_with_its_last_event_of_any_kind),
	CASE(a_dump_has_a_line_for_each_event),
	CASE(interrupts_are_dumped_by_name),
	CASE(no_time_is_too_large),
	CASE(all_measures_end_alike),
	CASE(a_plain_list_is_for_rxcost_alone),
	CASE(a_capture_is_reported_and_nothing_else),
	CASE(help_has_examples),
	CASE(closed_descriptors_stay_out_of_the_result),
	CASE(a_result_that_can_not_be_written_is_no_success),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ringstat", cases, make_folder, remove_folder },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
