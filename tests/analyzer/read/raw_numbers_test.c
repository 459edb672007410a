/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of other sizes and signs than kernels have given them so far, in both byte orders. */
#include "raw_event.h"

#include "harness.h"
#include "raw_formats.h"
#include <stdio.h>

static struct kernel_names names;
static struct raw_events *raw;
static bool big_endian;

static void begin(const char *system, const char *format, bool big)
{
	struct diag diag;

	big_endian = big;
	names = (struct kernel_names){ .names = names_create() };
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.names);
	CU_ASSERT_EQUAL_FATAL(raw_events_create(&raw, &names, big, 8), 0);
	CU_ASSERT_EQUAL_FATAL(raw_events_add(raw, system, format, strlen(format), &diag), 0);
}

static void end(void)
{
	raw_events_destroy(raw);
	names_destroy(names.names);
}

/* One event, with a number of `bytes` bytes at its end, at 16. */
static int parse(uint64_t number, unsigned bytes, struct event *event)
{
	uint8_t data[24] = { 0 };
	struct raw_record record = { 77, RAW_PID_UNKNOWN, data, 16 + bytes };

	put(data, 9, 2, big_endian);
	put(data + 16, number, bytes, big_endian);
	return raw_event_parse(raw, record, event);
}

static void begin_reason(const char *how, bool big)
{
	char format[1000];

	snprintf(format, sizeof(format),
		"name: kfree_skb\nID: 9\n" COMMON
		"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:long reason;\toffset:16;\t%s;\n\n"
		"print fmt: \"%%s\", __print_symbolic(REC->reason, { 3, \"NO_SOCKET\" })\n",
		how);
	begin("skb", format, big);
}

static void expect_reason(uint64_t number, unsigned bytes, const char *name)
{
	struct event event = { 0 };
	const char *text;

	CU_ASSERT_EQUAL_FATAL(parse(number, bytes, &event), RAW_EVENT_USED);
	text = names_get(names.names, NAME_REASON, (uint32_t)EVENT_GET(FREE, reason, event.arg));
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, name);
}

static void a_reason_has_at_most_32_bits_and_no_sign(void)
{
	struct event event;

	for (int big = 0; big < 2; big++) {
		begin_reason("size:8;\tsigned:0", big);
		expect_reason(3, 8, "NO_SOCKET");
		expect_reason(UINT32_MAX, 8, "0xffffffff");
		CU_ASSERT_EQUAL(parse(UINT64_C(1) << 32 | 3, 8, &event), RAW_EVENT_UNPARSED);
		end();
		begin_reason("size:4;\tsigned:1", big);
		expect_reason(3, 4, "NO_SOCKET");
		CU_ASSERT_EQUAL(parse((uint64_t)-3, 4, &event), RAW_EVENT_UNPARSED);
		end();
		begin_reason("size:1;\tsigned:0", big);
		expect_reason(3, 1, "NO_SOCKET");
		expect_reason(200, 1, "0xc8");
		end();
	}
}

static void a_process_has_no_sign_where_its_field_has_none(void)
{
	static const char format[] =
		"name: skb_copy_datagram_iovec\nID: 9\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned short common_pid;\toffset:16;\tsize:2;\tsigned:0;\n\n"
		"\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"x\"\n";

	for (int big = 0; big < 2; big++) {
		struct event event = { 0 };
		const char *text;

		begin("skb", format, big);
		CU_ASSERT_EQUAL_FATAL(raw_events_task(raw, 40000, "server", 7), 0);
		CU_ASSERT_EQUAL_FATAL(parse(40000, 2, &event), RAW_EVENT_USED);
		text = names_get(
			names.names, NAME_TASK, (uint32_t)EVENT_GET(COPY, task, event.arg) - 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		CU_ASSERT_STRING_EQUAL(text, "40000 server");
		end();
	}
}

static const struct test_case numbers[] = {
	{ "a reason has at most 32 bits and no sign", a_reason_has_at_most_32_bits_and_no_sign },
	{ "a process has no sign where its field has none",
		a_process_has_no_sign_where_its_field_has_none },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "numbers", numbers, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
