/* SPDX-License-Identifier: BSD-3-Clause */
#include "field_name.h"

#include "harness.h"
#include <string.h>

static const struct event_field *field(uint16_t id, const char *name)
{
	const struct event_field *f = event_fields;

	while (f->name && (f->id != id || strcmp(f->name, name) != 0))
		f++;
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->name);
	return f;
}

static void expect(
	const struct names *names, uint16_t id, const char *name, uint64_t bits, const char *text)
{
	const char *found = field_name(names, field(id, name), bits);

	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_STRING_EQUAL(found, text);
}

static void each_field_has_the_names_of_its_kind(void)
{
	struct names *names = names_create();

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	names_set(names, NAME_TASK, 0, "1 init", 6);
	names_set(names, NAME_TASK, 1, "2 second", 8);
	names_set(names, NAME_REASON, 1, "NO_SOCKET", 9);
	names_set(names, NAME_IRQ, 1, "eth0-rx", 7);
	expect(names, EVENT_SOCK_SEND, "process", 1, "2 second"); /* its index */
	expect(names, EVENT_COPY, "task", 1, "1 init");           /* one more than it */
	expect(names, EVENT_SOFTIRQ_ENTRY, "task", 2, "2 second");
	expect(names, EVENT_FREE, "reason", 1, "NO_SOCKET");
	expect(names, EVENT_IRQ_ENTRY, "name", 1, "eth0-rx");
	CU_ASSERT_PTR_NULL(field_name(names, field(EVENT_COPY, "task"), 0));
	CU_ASSERT_PTR_NULL(field_name(names, field(EVENT_COPY, "task"), 3));
	CU_ASSERT_PTR_NULL(field_name(names, field(EVENT_IRQ_ENTRY, "irq"), 1));
	names_destroy(names);
}

static void what_is_not_told_is_not_zero(void)
{
	CU_ASSERT_TRUE(field_is_untold(field(EVENT_COPY, "task"), 0));
	CU_ASSERT_TRUE(field_is_untold(field(EVENT_IRQ_ENTRY, "name"), 0));
	CU_ASSERT_FALSE(field_is_untold(field(EVENT_COPY, "task"), 1));
	CU_ASSERT_FALSE(field_is_untold(field(EVENT_FREE, "reason"), 0)); /* consumed */
	CU_ASSERT_FALSE(field_is_untold(field(EVENT_SOCK_SEND, "process"), 0));
	CU_ASSERT_FALSE(field_is_untold(field(EVENT_IRQ_ENTRY, "irq"), 0));
}

static const struct test_case cases[] = {
	{ "each field has the names of its kind", each_field_has_the_names_of_its_kind },
	{ "what is not told is not zero", what_is_not_told_is_not_zero },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "field_name", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
