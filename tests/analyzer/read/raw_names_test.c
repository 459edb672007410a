/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of devices that are found again by where they lie in a record and by their bytes: in all
 * forms that a field of text can have, in both byte orders.
 */
#include "raw_event.h"

#include "harness.h"
#include "raw_formats.h"
#include <stdio.h>

#define NAME_AT 16 /* the field */
#define TEXT_AT 20 /* the text, where it isn't the field itself */

static const struct form {
	const char *field;
	bool located, relative;
} forms[] = {
	{ "__data_loc char[] name;\toffset:16;\tsize:4", true, false },
	{ "__rel_loc char[] name;\toffset:16;\tsize:4", true, true },
	{ "char name[16];\toffset:16;\tsize:16", false, false },
};

static struct kernel_names names;
static struct raw_events *raw;
static const struct form *form;
static bool big_endian;

static void begin(const struct form *used, bool big)
{
	char format[1000];
	struct diag diag;

	form = used;
	big_endian = big;
	snprintf(format, sizeof(format),
		"name: net_dev_queue\nID: 9\n" COMMON
		"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:%s;\tsigned:0;\n\nprint fmt: \"x\"\n",
		used->field);
	names = (struct kernel_names){ .names = names_create() };
	CU_ASSERT_PTR_NOT_NULL_FATAL(names.names);
	CU_ASSERT_EQUAL_FATAL(raw_events_create(&raw, &names, big, 8), 0);
	CU_ASSERT_EQUAL_FATAL(raw_events_add(raw, "net", format, strlen(format), &diag), 0);
}

static void end(void)
{
	raw_events_destroy(raw);
	names_destroy(names.names);
}

/* A record with a name of so many bytes at that place, less `cut` bytes of its end. */
static int parse(const char *name, size_t bytes, size_t at, size_t cut, struct event *event)
{
	uint8_t data[64] = { 0 };
	struct raw_record record = { .pid = RAW_PID_UNKNOWN, .data = data };

	put(data, 9, 2, big_endian);
	if (form->located) {
		size_t from = form->relative ? at - TEXT_AT : at;

		put(data + NAME_AT, bytes << 16 | from, 4, big_endian);
		memset(data + TEXT_AT, 'x', at - TEXT_AT);
	} else {
		at = NAME_AT;
	}
	memcpy(data + at, name, bytes);
	record.bytes = (form->located ? at + bytes : NAME_AT + 16) - cut;
	return raw_event_parse(raw, record, event);
}

static void expect(const char *name, size_t at)
{
	struct event event = { 0 };

	CU_ASSERT_EQUAL_FATAL(parse(name, strlen(name) + 1, at, 0, &event), RAW_EVENT_USED);
	CU_ASSERT_STRING_EQUAL(names_get(names.names, NAME_DEVICE, event.device), name);
}

/* In turns, so that each is among those that were seen last; they differ in one byte. */
static void tell_apart(const char *one, const char *other)
{
	for (int i = 0; i < 3; i++) {
		expect(one, TEXT_AT);
		expect(other, TEXT_AT);
		expect(other, TEXT_AT + 3);
		expect(one, TEXT_AT + 8);
	}
}

static void for_each_form(void (*check)(void))
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (int big = 0; big < 2; big++) {
			begin(&forms[i], big);
			check();
			end();
		}
	}
}

static void check_one_byte(void)
{
	tell_apart("lo", "l1");
	tell_apart("eth0", "eth1");
	tell_apart("abcdefg", "abcxefg");
	tell_apart("abcdefgh", "xbcdefgh");
	tell_apart("0123456789abcde", "x123456789abcde");
	tell_apart("0123456789abcde", "0123456x89abcde");
	tell_apart("0123456789abcde", "01234567x9abcde");
	tell_apart("0123456789abcde", "0123456789abcdx");
	CU_ASSERT_EQUAL(names_count(names.names, NAME_DEVICE), 13);
}

static void names_that_differ_in_one_byte_are_two(void)
{
	for_each_form(check_one_byte);
}

static void check_cut(void)
{
	struct event event;

	for (int i = 0; i < 2; i++) {
		expect("abcdefgh", TEXT_AT);
		CU_ASSERT_EQUAL(parse("abcdefgh", 9, TEXT_AT, 1, &event), RAW_EVENT_UNPARSED);
	}
}

static void a_known_name_must_be_inside_its_record(void)
{
	for_each_form(check_cut);
}

/* A text ends at its first NUL, whatever a field of fixed size has behind it. */
static void check_behind(void)
{
	struct event first = { 0 }, second = { 0 };

	CU_ASSERT_EQUAL(parse("lo\0one", 7, TEXT_AT, 0, &first), RAW_EVENT_USED);
	CU_ASSERT_EQUAL(parse("lo\0two", 7, TEXT_AT, 0, &second), RAW_EVENT_USED);
	CU_ASSERT_EQUAL(first.device, second.device);
	expect("lo", TEXT_AT);
	CU_ASSERT_EQUAL(names_count(names.names, NAME_DEVICE), 1);
}

static void what_is_behind_a_name_is_not_of_it(void)
{
	for_each_form(check_behind);
}

static const struct test_case cases[] = {
	{ "names that differ in one byte are two", names_that_differ_in_one_byte_are_two },
	{ "a known name must be inside its record", a_known_name_must_be_inside_its_record },
	{ "what is behind a name is not of it", what_is_behind_a_name_is_not_of_it },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "raw_names", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
