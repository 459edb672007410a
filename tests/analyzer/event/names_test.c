/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include "harness.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

static int intern(struct names *names, enum name_kind kind, const char *text)
{
	return names_intern(names, kind, text, strlen(text));
}

static int find(const struct names *names, enum name_kind kind, const char *text)
{
	return names_find(names, kind, text, strlen(text));
}

static void devices_count_from_0_and_reasons_from_1(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth0"), 0);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth1"), 1);
	CU_ASSERT_EQUAL(intern(names, NAME_TASK, "42 netperf"), 0);
	CU_ASSERT_EQUAL(intern(names, NAME_REASON, "QDISC_DROP"), 1);
	CU_ASSERT_EQUAL(intern(names, NAME_REASON, "NOT_SPECIFIED"), 2);
	CU_ASSERT_EQUAL(intern(names, NAME_IRQ, "eth0-tx-0"), 1);
	CU_ASSERT_EQUAL(names_count(names, NAME_DEVICE), 2);
	CU_ASSERT_EQUAL(names_count(names, NAME_REASON), 3);
	CU_ASSERT_STRING_EQUAL(names_get(names, NAME_REASON, 2), "NOT_SPECIFIED");
	CU_ASSERT_PTR_NULL(names_get(names, NAME_REASON, 0));
	names_destroy(names);
}

static void a_name_is_entered_once(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth0"), 0);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth1"), 1);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth0"), 0);
	CU_ASSERT_EQUAL(names_count(names, NAME_DEVICE), 2);
	names_destroy(names);
}

/* A line of a trace is handed over as it stands in the buffer. */
static void the_text_needs_no_terminator(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(names_intern(names, NAME_DEVICE, "eth0.100 rest", 4), 0);
	CU_ASSERT_EQUAL(names_intern(names, NAME_DEVICE, "eth0.100 rest", 8), 1);
	CU_ASSERT_STRING_EQUAL(names_get(names, NAME_DEVICE, 0), "eth0");
	CU_ASSERT_STRING_EQUAL(names_get(names, NAME_DEVICE, 1), "eth0.100");
	CU_ASSERT_EQUAL(names_find(names, NAME_DEVICE, "eth0.", 4), 0);
	names_destroy(names);
}

static void kinds_are_apart(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth0"), 0);
	CU_ASSERT_EQUAL(find(names, NAME_IRQ, "eth0"), -ENOENT);
	CU_ASSERT_EQUAL(names_count(names, NAME_IRQ), 0);
	names_destroy(names);
}

static void what_was_not_entered_is_not_found(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(find(names, NAME_DEVICE, "eth0"), -ENOENT);
	CU_ASSERT_PTR_NULL(names_get(names, NAME_DEVICE, 0));
	intern(names, NAME_DEVICE, "eth0");
	CU_ASSERT_EQUAL(find(names, NAME_DEVICE, "eth"), -ENOENT);
	CU_ASSERT_PTR_NULL(names_get(names, NAME_DEVICE, 1));
	CU_ASSERT_PTR_NULL(names_get(names, NAME_DEVICE, UINT32_MAX));
	names_destroy(names);
}

/* A trace's NAME records come with their index, in any order and perhaps twice. */
static void a_trace_sets_names_by_index(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 7, "eth7", 4), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 2, "eth2", 4), 0);
	CU_ASSERT_EQUAL(names_count(names, NAME_DEVICE), 8);
	CU_ASSERT_PTR_NULL(names_get(names, NAME_DEVICE, 3));
	CU_ASSERT_EQUAL(find(names, NAME_DEVICE, "eth2"), 2);
	CU_ASSERT_EQUAL(find(names, NAME_DEVICE, "eth7"), 7);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 7, "eth7", 4), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 7, "eth8", 4), -ERANGE);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "new"), 8);
	names_destroy(names);
}

/* 255 is EVENT_NO_DEVICE, 0 is "consumed", and an index has to fit its field. */
static void an_index_out_of_range_is_refused(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 254, "last", 4), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_DEVICE, 255, "a", 1), -ERANGE);
	CU_ASSERT_EQUAL(names_set(names, NAME_REASON, 0, "a", 1), -ERANGE);
	CU_ASSERT_EQUAL(names_set(names, NAME_REASON, 65535, "a", 1), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_REASON, 65536, "b", 1), -ERANGE);
	CU_ASSERT_EQUAL(names_set(names, NAME_TASK, 1 << 24, "a", 1), -ERANGE);
	CU_ASSERT_EQUAL(names_set(names, NAME_KINDS, 1, "a", 1), -ERANGE);
	names_destroy(names);
}

static void the_256th_device_has_no_number(void)
{
	struct names *names = names_create();
	char text[16];

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	for (int i = 0; i < 255; i++) {
		snprintf(text, sizeof(text), "veth%d", i);
		CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, text), i);
	}
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "one too many"), -ENOSPC);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "veth254"), 254);
	CU_ASSERT_EQUAL(names_count(names, NAME_DEVICE), 255);
	names_destroy(names);
}

static void many_tasks_keep_their_numbers(void)
{
	struct names *names = names_create();
	char text[32];

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "%d task", i);
		if (intern(names, NAME_TASK, text) != i)
			CU_FAIL("an index jumped");
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "%d task", i);
		if (find(names, NAME_TASK, text) != i ||
			strcmp(names_get(names, NAME_TASK, (uint32_t)i), text))
			CU_FAIL("a name was lost when the table grew");
	}
	names_destroy(names);
}

/* As with free; what there is stays. */
/* As in a damaged trace: 24 bytes for each index below would be 400 MB. */
static void a_large_index_costs_little(void)
{
	struct names *names = names_create();
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

	CU_ASSERT_EQUAL(names_set(names, NAME_TASK, (1 << 24) - 1, "7 last", 6), 0);
	CU_ASSERT_EQUAL(names_set(names, NAME_TASK, 1 << 23, "6 middle", 8), 0);
	CU_ASSERT(mallinfo2().uordblks + mallinfo2().hblkhd - before < 4 << 20);
	for (int i = 0; i < 20; i++) { /* the hash grows meanwhile */
		char text[16];

		snprintf(text, sizeof(text), "%d few", i);
		CU_ASSERT_EQUAL(names_set(names, NAME_TASK, (uint32_t)i, text, strlen(text)), 0);
	}
	CU_ASSERT_EQUAL(find(names, NAME_TASK, "7 last"), (1 << 24) - 1);
	CU_ASSERT_EQUAL(find(names, NAME_TASK, "6 middle"), 1 << 23);
	CU_ASSERT_STRING_EQUAL(names_get(names, NAME_TASK, 1 << 23), "6 middle");
	CU_ASSERT_PTR_NULL(names_get(names, NAME_TASK, (1 << 23) - 1));
	CU_ASSERT_PTR_NULL(names_get(names, NAME_TASK, (1 << 22)));
	CU_ASSERT_EQUAL(names_count(names, NAME_TASK), 1 << 24);
	names_destroy(names);
}

static void nothing_can_be_destroyed(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	CU_ASSERT_EQUAL(intern(names, NAME_DEVICE, "eth0"), 0);
	names_destroy(NULL);
	CU_ASSERT_STRING_EQUAL(names_get(names, NAME_DEVICE, 0), "eth0");
	names_destroy(names);
}

static const struct test_case cases[] = {
	{ "devices count from 0 and reasons from 1", devices_count_from_0_and_reasons_from_1 },
	{ "a name is entered once", a_name_is_entered_once },
	{ "the text needs no terminator", the_text_needs_no_terminator },
	{ "kinds are apart", kinds_are_apart },
	{ "what was not entered is not found", what_was_not_entered_is_not_found },
	{ "a trace sets names by index", a_trace_sets_names_by_index },
	{ "an index out of range is refused", an_index_out_of_range_is_refused },
	{ "the 256th device has no number", the_256th_device_has_no_number },
	{ "many tasks keep their numbers", many_tasks_keep_their_numbers },
	{ "a large index costs little", a_large_index_costs_little },
	{ "nothing can be destroyed", nothing_can_be_destroyed },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "names", cases }, { 0 } };

	return test_main(argc, argv, suites);
}
