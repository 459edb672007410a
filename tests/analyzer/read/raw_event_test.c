/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_event.h"

#include "harness.h"
#include "raw_formats.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct kernel_names names;
static struct raw_events *raw;
static bool big_endian;

static void add(const char *system, const char *format)
{
	struct diag diag;

	CU_ASSERT_EQUAL_FATAL(raw_events_add(raw, system, format, strlen(format), &diag), 0);
}

static void begin(bool big)
{
	big_endian = big;
	names = (struct kernel_names){ .names = names_create() };
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.names);
	CU_ASSERT_EQUAL_FATAL(raw_events_create(&raw, &names, big, 8), 0);
	add("net", FORMAT_START);
	add("net", FORMAT_XMIT);
	add("skb", FORMAT_CONSUME);
	add("skb", FORMAT_KFREE);
	add("sock", FORMAT_SEND);
	add("irq", FORMAT_IRQ);
	add("irq", FORMAT_RAISE);
	add("napi", FORMAT_POLL);
}

static void end(void)
{
	raw_events_destroy(raw);
	names_destroy(names.names);
}

/* Each case runs for both byte orders. */
#define CASE(name)                                  \
	static void name(void);                     \
	static void run_##name(void)                \
	{                                           \
		for (int big = 0; big < 2; big++) { \
			begin(big);                 \
			name();                     \
			end();                      \
		}                                   \
	}                                           \
	static void name(void)

/* The data ends where its block does, so that reading behind it is seen by a sanitizer. */
static int parse_as(const uint8_t *data, size_t bytes, int32_t pid, struct event *event)
{
	uint8_t *copy = malloc(bytes ? bytes : 1);
	struct raw_record record = { .time = 77, .pid = pid, .data = copy, .bytes = bytes };
	int status;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, data, bytes);
	status = raw_event_parse(raw, record, event);
	free(copy);
	return status;
}

static int parse(const uint8_t *data, size_t bytes, struct event *event)
{
	return parse_as(data, bytes, RAW_PID_UNKNOWN, event);
}

static struct event used(const uint8_t *data, size_t bytes)
{
	struct event event = { 0 };

	CU_ASSERT_EQUAL(parse(data, bytes, &event), RAW_EVENT_USED);
	CU_ASSERT_EQUAL(event.time, 77);
	return event;
}

static void expect_name(enum name_kind kind, uint64_t index, const char *name)
{
	const char *text = names_get(names.names, kind, (uint32_t)index);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, name);
}

CASE(start_xmit_has_all_that_the_kernel_tells)
{
	uint8_t data[72];
	struct event event = used(data, put_start(data, 0xff1100016213d700, 13098, big_endian));

	CU_ASSERT_EQUAL(event.id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(event.packet, 0xff1100016213d700);
	CU_ASSERT_EQUAL(event.len, 13098);
	CU_ASSERT_EQUAL(event_queue(&event), 3);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, event.arg), 1448);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, event.arg), 9);
	/* 34, TCP's 20, and 12 of options: 13098 - 66 = 9 * 1448 */
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, header_bytes, event.arg), 66);
	expect_name(NAME_DEVICE, event.device, "eth1");
}

CASE(numbers_have_their_signs)
{
	uint8_t data[40] = { 0 };
	struct event event;

	put(data, 1402, 2, big_endian);
	put(data + 8, 0xffff888000000001, 8, big_endian);
	put(data + 16, 4294967295, 4, big_endian);
	put(data + 20, (uint64_t)-2, 4, big_endian);
	put(data + 24, 8 << 16 | 4, 4, big_endian); /* __rel_loc: 4 behind its end, at 32 */
	memcpy(data + 32, "long-na", 8);
	event = used(data, sizeof(data));
	CU_ASSERT_EQUAL(event.id, EVENT_XMIT);
	CU_ASSERT_EQUAL(event.packet, 0xffff888000000001);
	CU_ASSERT_EQUAL(event.len, 4294967295);
	CU_ASSERT_EQUAL((int32_t)EVENT_GET(XMIT, rc, event.arg), -2);
	CU_ASSERT_EQUAL(event.queue, EVENT_NO_QUEUE);
	expect_name(NAME_DEVICE, event.device, "long-na");
}

static struct event dropped(uint32_t reason)
{
	uint8_t data[32] = { 0 };

	put(data, 1405, 2, big_endian);
	put(data + 8, 0x1000, 8, big_endian);
	put(data + 28, reason, 4, big_endian);
	return used(data, sizeof(data));
}

CASE(reasons_have_the_names_that_the_format_gives)
{
	struct event event = dropped(3);

	CU_ASSERT_EQUAL(event.id, EVENT_FREE);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "NO_SOCKET");
	event = dropped(2);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "NOT_SPECIFIED");
	event = dropped(0x10003);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "RX_(odd}");
	event = dropped(3);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "NO_SOCKET");
	/* without a name: as the kernel prints it. Reason 0 is "consumed" to us, but not to it */
	event = dropped(77);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "0x4d");
	event = dropped(0);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "0x0");
	event = dropped(1);
	CU_ASSERT_EQUAL(EVENT_GET(FREE, reason, event.arg), 0);
}

CASE(a_kernel_without_reasons_drops_for_unknown_ones)
{
	static const char format[] = "name: kfree_skb\nID: 9\n" COMMON
				     "\tfield:void * skbaddr;\toffset:8;\tsize:4;\tsigned:0;\n"
				     "\nprint fmt: \"skbaddr=%p\", REC->skbaddr\n";
	uint8_t data[12] = { 0 };
	struct event event;

	add("skb", format);
	put(data, 9, 2, big_endian);
	put(data + 8, 0xc0001000, 4, big_endian); /* an address of 32 bits */
	event = used(data, sizeof(data));
	CU_ASSERT_EQUAL(event.packet, 0xc0001000);
	expect_name(NAME_REASON, EVENT_GET(FREE, reason, event.arg), "unknown");
}

static struct event sent(int32_t result, int32_t pid)
{
	struct event event = { 0 };
	uint8_t data[28] = { 0 };

	put(data, 1406, 2, big_endian);
	put(data + 4, 4100, 4, big_endian);
	put(data + 8, 0x5000, 8, big_endian);
	put(data + 16, 10, 2, big_endian);
	put(data + 18, 262, 2, big_endian);
	put(data + 20, (uint64_t)result, 4, big_endian);
	put(data + 24, 0x4042, 4, big_endian);
	CU_ASSERT_EQUAL(parse_as(data, sizeof(data), pid, &event), RAW_EVENT_USED);
	return event;
}

CASE(sockets_have_process_and_result)
{
	struct event event;

	CU_ASSERT_EQUAL(raw_events_task(raw, 812, "server", 7), 0);
	CU_ASSERT_EQUAL(raw_events_task(raw, 4100, "a name of 15 by", 15), 0);
	event = sent(1500, 812);
	CU_ASSERT_EQUAL(event.id, EVENT_SOCK_SEND);
	CU_ASSERT_EQUAL(event.packet, 0x5000);
	CU_ASSERT_EQUAL(event.len, 1500);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, family, event.arg), 10);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, protocol, event.arg), 262);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, flags, event.arg), 0x4042);
	expect_name(NAME_TASK, EVENT_GET(SOCK_SEND, process, event.arg), "812 server");
	event = sent(-11, RAW_PID_UNKNOWN);
	CU_ASSERT_EQUAL((int32_t)event.len, -11);
	expect_name(NAME_TASK, EVENT_GET(SOCK_SEND, process, event.arg), "4100 a name of 15 by");
	/* another program in the same process, and one that was never told */
	CU_ASSERT_EQUAL(raw_events_task(raw, 812, "client\0garbage", 14), 0);
	event = sent(1, 812);
	expect_name(NAME_TASK, EVENT_GET(SOCK_SEND, process, event.arg), "812 client");
	event = sent(1, 9);
	expect_name(NAME_TASK, EVENT_GET(SOCK_SEND, process, event.arg), "9 <...>");
}

CASE(a_copy_has_its_task)
{
	uint8_t data[20] = { 0 };
	struct event event = { 0 };

	add("skb", FORMAT_COPY);
	put(data, 1407, 2, big_endian);
	CU_ASSERT_EQUAL(raw_events_task(raw, 812, "server", 7), 0);
	CU_ASSERT_EQUAL(parse_as(data, sizeof(data), 812, &event), RAW_EVENT_USED);
	CU_ASSERT_EQUAL(event.id, EVENT_COPY);
	expect_name(NAME_TASK, EVENT_GET(COPY, task, event.arg) - 1, "812 server");
}

CASE(any_number_of_tasks_can_be_told)
{
	struct event event;

	for (int pid = 1; pid <= 5000; pid++) {
		char comm[16];
		int bytes = snprintf(comm, sizeof(comm), "task%d", pid);

		CU_ASSERT_EQUAL_FATAL(raw_events_task(raw, pid, comm, (size_t)bytes), 0);
	}
	for (int pid = 1; pid <= 5000; pid += 7) {
		char expected[32];

		snprintf(expected, sizeof(expected), "%d task%d", pid, pid);
		event = sent(1, pid);
		expect_name(NAME_TASK, EVENT_GET(SOCK_SEND, process, event.arg), expected);
	}
}

CASE(interrupts_have_number_and_name)
{
	uint8_t data[48] = { 0 };
	struct event event;

	put(data, 150, 2, big_endian);
	put(data + 8, 23, 4, big_endian);
	put(data + 12, 31 << 16 | 16, 4, big_endian);
	memcpy(data + 16, "virtio1-req.0 and 30 bytes long", 31);
	event = used(data, 47);
	CU_ASSERT_EQUAL(event.id, EVENT_IRQ_ENTRY);
	CU_ASSERT_EQUAL(event.device, EVENT_NO_DEVICE);
	CU_ASSERT_EQUAL(EVENT_GET(IRQ_ENTRY, irq, event.arg), 23);
	expect_name(
		NAME_IRQ, EVENT_GET(IRQ_ENTRY, name, event.arg), "virtio1-req.0 and 30 bytes long");
	put(data + 12, 0, 4, big_endian); /* blanked */
	put(data + 12, 16, 4, big_endian);
	CU_ASSERT_EQUAL(EVENT_GET(IRQ_ENTRY, name, used(data, 47).arg), 0);
}

CASE(polls_have_work_where_the_kernel_says_it)
{
	static const char old[] = "name: napi_poll\nID: 9\n" COMMON
				  "\tfield:struct napi_struct * napi;\toffset:8;\tsize:8;\n"
				  "\tfield:__data_loc char[] dev_name;\toffset:16;\tsize:4;\n";
	uint8_t data[48] = { 0 };
	struct event event;

	put(data, 152, 2, big_endian);
	put(data + 8, 0x7000, 8, big_endian);
	put(data + 16, 12 << 16 | 28, 4, big_endian);
	put(data + 20, 7, 4, big_endian);
	put(data + 24, 64, 4, big_endian);
	memcpy(data + 28, "(no_device)", 12);
	event = used(data, 40);
	CU_ASSERT_EQUAL(event.packet, 0x7000);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event.arg), 7);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, event.arg), 64);
	expect_name(NAME_DEVICE, event.device, "(no_device)");
	add("napi", old);
	put(data, 9, 2, big_endian);
	put(data + 16, 12 << 16 | 28, 4, big_endian);
	event = used(data, 40);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event.arg), EVENT_WORK_UNKNOWN);
}

/* Names that are alike in their first or last 8 bytes, in turns. */
CASE(devices_are_told_apart)
{
	static const char *const devices[] = { "eth1", "eth0", "e", "abcdefgh", "abcdefgh1",
		"abcdefgh2", "xbcdefgh2", "0123456789abcde", "1123456789abcde" };
	uint8_t data[48] = { 0 };

	put(data, 1402, 2, big_endian);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
			size_t bytes = strlen(devices[i]) + 1;

			put(data + 24, bytes << 16, 4, big_endian);
			memcpy(data + 28, devices[i], bytes);
			expect_name(NAME_DEVICE, used(data, 28 + bytes).device, devices[i]);
		}
	}
	CU_ASSERT_EQUAL(names_count(names.names, NAME_DEVICE), 9);
}

CASE(a_blanked_device_is_unknown)
{
	uint8_t data[72];

	put_start(data, 1, 1, big_endian);
	data[64] = '\0';
	CU_ASSERT_EQUAL(used(data, 72).device, EVENT_NO_DEVICE);
	put(data + 8, 64, 4, big_endian); /* no bytes at all */
	CU_ASSERT_EQUAL(used(data, 72).device, EVENT_NO_DEVICE);
}

CASE(other_events_are_skipped)
{
	uint8_t data[8] = { 0 };
	struct event event;

	add("probe", "name: consume_skb\nID: 8\n" COMMON);
	add("sched", "name: sched_switch\nID: 8\n" COMMON);
	add("sched", "garbage");
	add("sched", "");
	put(data, 8, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 8, &event), RAW_EVENT_SKIP);
	put(data, 65535, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 8, &event), RAW_EVENT_SKIP);
}

CASE(records_that_are_cut_are_unparsed)
{
	uint8_t data[72];
	struct event event;

	put_start(data, 1, 1, big_endian);
	for (size_t bytes = 0; bytes < 69; bytes++)
		CU_ASSERT_EQUAL(parse(data, bytes, &event), RAW_EVENT_UNPARSED);
	CU_ASSERT_EQUAL(parse(data, 69, &event), RAW_EVENT_USED);
}

CASE(names_outside_the_record_are_unparsed)
{
	static const uint32_t bad[] = { 9 << 16 | 64, 5 << 16 | 68, 1 << 16 | 72, 5 << 16 | 73,
		0xffffffff, 0xffff0000, 0xffff, 5 << 16 | 7, 5 << 16 };
	uint8_t data[72];
	struct event event;

	put_start(data, 1, 1, big_endian);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put(data + 8, bad[i], 4, big_endian);
		CU_ASSERT_EQUAL(parse(data, 72, &event), RAW_EVENT_UNPARSED);
	}
	put(data + 8, 8 << 16 | 64, 4, big_endian);
	CU_ASSERT_EQUAL(parse(data, 72, &event), RAW_EVENT_USED);
}

CASE(numbers_that_cannot_be_are_unparsed)
{
	uint8_t data[12] = { 0 };
	struct event event;

	put(data, 151, 2, big_endian);
	put(data + 8, 255, 4, big_endian);
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_RAISE, vec, used(data, 12).arg), 255);
	put(data + 8, 256, 4, big_endian);
	CU_ASSERT_EQUAL(parse(data, 12, &event), RAW_EVENT_UNPARSED);
}

CASE(an_event_without_what_it_needs_is_unparsed)
{
	uint8_t data[64] = { 0 };
	struct event event;

	add("net", "name: net_dev_queue\nID: 9\n" COMMON
		   "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n");
	put(data, 9, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 64, &event), RAW_EVENT_UNPARSED);
	/* fields that no number or name can lie in: too wide, before the begin, of another type */
	add("net", "name: net_dev_queue\nID: 10\n" COMMON
		   "\tfield:void * skbaddr;\toffset:8;\tsize:9;\tsigned:0;\n"
		   "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n");
	put(data, 10, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 64, &event), RAW_EVENT_UNPARSED);
	add("net", "name: net_dev_queue\nID: 11\n" COMMON
		   "\tfield:void * skbaddr;\toffset:3;\tsize:4;\tsigned:0;\n"
		   "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n");
	put(data, 11, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 64, &event), RAW_EVENT_UNPARSED);
	add("net", "name: net_dev_queue\nID: 12\n" COMMON
		   "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int name;\toffset:24;\tsize:4;\tsigned:0;\n");
	put(data, 12, 2, big_endian);
	CU_ASSERT_EQUAL(parse(data, 64, &event), RAW_EVENT_UNPARSED);
}

CASE(the_first_of_two_formats_with_one_id_counts)
{
	uint8_t data[32] = { 0 };

	add("skb", "name: consume_skb\nID: 1405\n" COMMON
		   "\tfield:void * skbaddr;\toffset:16;\tsize:8;\tsigned:0;\n");
	put(data, 1405, 2, big_endian);
	put(data + 8, 0x1000, 8, big_endian);
	CU_ASSERT_EQUAL(used(data, 32).packet, 0x1000);
}

#define HEAD "name: consume_skb\nID: 9\n" COMMON
CASE(a_damaged_format_is_refused)
{
	static const char *const damaged[] = {
		"name: consume_skb\n",
		"name: consume_skb\nID: x\n",
		"name: consume_skb\nID: 9\nformat:\n\tfield:void",
		HEAD "\tfield:char[] name;\toffset:8;\tsize:4;\n",
		HEAD "\tfield:char \"name;\toffset:8;\tsize:4;\n",
		HEAD "\tfield:char name[;\toffset:8;\tsize:4;\n",
		HEAD "\tfield:u8 LOCAL_PR_FMT x;\toffset:8;\tsize:1;\n",
	};
	static char large[RAW_FORMAT_BYTES + 1];
	struct diag diag;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		CU_ASSERT_EQUAL(
			raw_events_add(raw, "skb", damaged[i], strlen(damaged[i]), &diag), -EINVAL);
		CU_ASSERT_STRING_EQUAL(diag.text, "the format of skb:consume_skb can't be read");
	}
	strcpy(large, HEAD);
	CU_ASSERT_EQUAL(raw_events_add(raw, "skb", large, RAW_FORMAT_BYTES + 1, &diag), -EINVAL);
}

CASE(more_devices_than_the_record_can_tell_apart_are_refused)
{
	uint8_t data[40] = { 0 };
	struct event event;
	int status = 0;

	put(data, 1402, 2, big_endian);
	put(data + 24, 8 << 16, 4, big_endian);
	for (int i = 0; i < 300 && status >= 0; i++) {
		snprintf((char *)data + 28, 12, "many%d", i);
		status = parse(data, sizeof(data), &event);
	}
	CU_ASSERT_EQUAL(status, -EOVERFLOW);
	CU_ASSERT_EQUAL(names.used_up, NAME_DEVICE);
}

static const struct test_case fields[] = {
	{ "start_xmit has all that the kernel tells",
		run_start_xmit_has_all_that_the_kernel_tells },
	{ "numbers have their signs", run_numbers_have_their_signs },
	{ "reasons have the names that the format gives",
		run_reasons_have_the_names_that_the_format_gives },
	{ "a kernel without reasons drops for unknown ones",
		run_a_kernel_without_reasons_drops_for_unknown_ones },
	{ "sockets have process and result", run_sockets_have_process_and_result },
	{ "a copy has its task", run_a_copy_has_its_task },
	{ "any number of tasks can be told", run_any_number_of_tasks_can_be_told },
	{ "interrupts have number and name", run_interrupts_have_number_and_name },
	{ "polls have work where the kernel says it",
		run_polls_have_work_where_the_kernel_says_it },
	{ "devices are told apart", run_devices_are_told_apart },
	{ "a blanked device is unknown", run_a_blanked_device_is_unknown },
	{ "other events are skipped", run_other_events_are_skipped },
	{ 0 },
};

static const struct test_case damage[] = {
	{ "records that are cut are unparsed", run_records_that_are_cut_are_unparsed },
	{ "names outside the record are unparsed", run_names_outside_the_record_are_unparsed },
	{ "numbers that cannot be are unparsed", run_numbers_that_cannot_be_are_unparsed },
	{ "an event without what it needs is unparsed",
		run_an_event_without_what_it_needs_is_unparsed },
	{ "the first of two formats with one id counts",
		run_the_first_of_two_formats_with_one_id_counts },
	{ "a damaged format is refused", run_a_damaged_format_is_refused },
	{ "more devices than the record can tell apart are refused",
		run_more_devices_than_the_record_can_tell_apart_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "fields", fields, NULL, NULL },
		{ "damage", damage, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
