/* SPDX-License-Identifier: BSD-3-Clause */
#include "captured_report.h"

#include "harness.h"
#include <stdlib.h>
#include <string.h>

static struct trace_source source = { .file = "a.pcap", .format = "pcap", .hz = 1000000000 };
static struct trace_counts counts;
static struct captured_report captured;
static const struct capture_report report = {
	.source = &source, .counts = &counts, .captured = &captured, .link = "RAW"
};

static void set(void)
{
	counts = (struct trace_counts){ .read = 7 };
	captured = (struct captured_report){
		.packets = 7,
		.tcp_packets = 4,
		.other_ip = 2,
		.skipped = 1,
		.bytes = 4321,
		.bad_timestamps = 1,
		.timed = true,
		.duration_ns = 1000000007,
		.gap_ns = { .count = 5,
			.min = 500,
			.avg = 1000.5,
			.p50 = 600,
			.p99 = 2000,
			.max = 2000 },
		.segments = 5,
		.acks = 2,
		.payload_bytes = 3000,
		.connections = 1,
		.flow_count = 2,
		.flows = { { .from = { .address = { 0x20, 1, 0x0d, 0xb8, [15] = 1 }, .port = 80 },
				   .to = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
					   .port = 9 },
				   .segments = 5,
				   .payload_bytes = 3000,
				   .acks_back = 2 },
			{ .from = { .address = { [10] = 0xff, 0xff, 192, 0, 2, 1 }, .port = 9 },
				.to = { .address = { 0x20, 1, 0x0d, 0xb8, [15] = 1 }, .port = 80 },
				.acks = 2 } },
	};
}

static bool has(const char *text)
{
	json_t *json = captured_report_json(&report);
	char *got = json ? json_dumps(json, JSON_COMPACT) : NULL;
	bool found = got && strstr(got, text);

	test_leaks_allow(); /* jansson seeds its hash once */
	json_decref(json);
	free(got);
	return found;
}

static void json_has_the_keys_of_the_contract(void)
{
	set();
	CU_ASSERT(has("{\"schema\":\"ringside.report/1\",\"source\":{\"file\":\"a.pcap\","
		      "\"format\":\"pcap\",\"clock\":null,\"hz\":1000000000},\"complete\":true,"
		      "\"capture\":{\"link\":\"RAW\",\"packets\":7,\"bytes\":4321,\"skipped\":1,"));
	CU_ASSERT(has("\"bad_timestamps\":1,"));
	CU_ASSERT(has(
		"\"gap_ns\":{\"min\":500,\"avg\":1000.5,\"p50\":600,\"p99\":2000,\"max\":2000}"));
	CU_ASSERT(has("\"tcp\":{\"packets\":4,\"segments\":5,\"acks\":2,\"payload_bytes\":3000,"
		      "\"segments_per_ack\":2.5,\"ack_delay_ns\":{\"min\":null,"));
	CU_ASSERT(has("{\"from\":\"[2001:db8::1]:80\",\"to\":\"192.0.2.1:9\",\"segments\":5,"
		      "\"acks\":0,\"payload_bytes\":3000,\"segments_per_ack\":2.5}"));
	CU_ASSERT(has("\"acks\":2,\"payload_bytes\":0,\"segments_per_ack\":null}"));
	CU_ASSERT_FALSE(has("trouble"));
}

static void a_partial_capture_says_why(void)
{
	set();
	counts.truncated = true;
	strcpy(counts.trouble, "a.pcap: cut \xff");
	CU_ASSERT(has("\"complete\":false,\"trouble\":\"a.pcap: cut ?\","));
}

static void text_says_the_same(void)
{
	size_t bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	set();
	counts.truncated = true;
	strcpy(counts.trouble, "a.pcap: \x1b[1mcut");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	captured_report_text(&report, out);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text,
		"PARTIAL: the input is cut. (a.pcap: ?[1mcut)\n"
		"7 frames, 4321 bytes on the wire, in 1.000000007 s\n"
		"gap: min=0.000500msec avg=0.001001msec p50=0.000600msec p99=0.002000msec "
		"max=0.002000msec\n"
		"TCP: 4 frames; 5 segments with data, 3000 bytes; 2 pure ACKs, 2.50 segments per "
		"ACK\n"
		"    [2001:db8::1]:80 > 192.0.2.1:9: 5 segments, 3000 bytes, 0 pure ACKs, 2.50 "
		"segments per ACK\n"
		"    192.0.2.1:9 > [2001:db8::1]:80: 0 segments, 0 bytes, 2 pure ACKs\n"
		"\n"
		"4 frames of TCP, 2 of other IP, 1 skipped; 1 bad timestamps, 0 out of order; "
		"format pcap, link RAW\n");
	free(text);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(json_has_the_keys_of_the_contract),
	CASE(a_partial_capture_says_why),
	CASE(text_says_the_same),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "captured_report", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
