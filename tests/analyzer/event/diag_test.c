/* SPDX-License-Identifier: BSD-3-Clause */
#include "diag.h"

#include "harness.h"
#include <errno.h>
#include <string.h>

static void the_error_is_returned(void)
{
	struct diag diag;

	CU_ASSERT_EQUAL(diag_set(&diag, -ENOENT, "%s: line %d", "a.txt", 7), -ENOENT);
	CU_ASSERT_STRING_EQUAL(diag.text, "a.txt: line 7");
	CU_ASSERT_EQUAL(diag_set(&diag, 0, "fine"), 0);
	CU_ASSERT_STRING_EQUAL(diag.text, "fine");
}

static void no_diag_is_no_message(void)
{
	CU_ASSERT_EQUAL(diag_set(NULL, -ENOMEM, "%s", "nobody reads this"), -ENOMEM);
}

/* An input that is quoted must neither break the line nor reach the terminal. */
static void control_characters_are_replaced(void)
{
	struct diag diag;

	diag_set(&diag, -EINVAL, "%s",
		"a\nb\tc\x1b[31md\x7f"
		"e\x01");
	CU_ASSERT_STRING_EQUAL(diag.text, "a?b?c?[31md?e?");
}

static void letters_beyond_ascii_stay(void)
{
	struct diag diag;

	diag_set(&diag, -EINVAL, "%s",
		"gr\xc3\xb6\xc3\x9f"
		"er");
	CU_ASSERT_STRING_EQUAL(diag.text, "gr\xc3\xb6\xc3\x9f"
					  "er");
}

static void a_long_line_is_cut(void)
{
	struct diag diag;
	char text[600];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT_EQUAL(diag_set(&diag, -EINVAL, "%s", text), -EINVAL);
	CU_ASSERT_EQUAL(strlen(diag.text), 511);
}

static const struct test_case cases[] = {
	{ "the error is returned", the_error_is_returned },
	{ "no diag is no message", no_diag_is_no_message },
	{ "control characters are replaced", control_characters_are_replaced },
	{ "letters beyond ASCII stay", letters_beyond_ascii_stay },
	{ "a long line is cut", a_long_line_is_cut },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "diag", cases }, { 0 } };

	return test_main(argc, argv, suites);
}
