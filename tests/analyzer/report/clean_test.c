/* SPDX-License-Identifier: BSD-3-Clause */
#include "clean.h"

#include "harness.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool becomes(char *clean, const char *expected)
{
	bool same = clean && !strcmp(clean, expected);

	free(clean);
	return same;
}

static void good_utf8_stays(void)
{
	CU_ASSERT(becomes(clean_utf8("eth0"), "eth0"));
	CU_ASSERT(becomes(clean_utf8(""), ""));
	CU_ASSERT(becomes(clean_utf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
	CU_ASSERT(becomes(
		clean_utf8("\xed\x9f\xbf\xf4\x8f\xbf\xbf"), "\xed\x9f\xbf\xf4\x8f\xbf\xbf"));
}

static void what_is_no_utf8_becomes_question_marks(void)
{
	CU_ASSERT(becomes(clean_utf8("a\xff"), "a?"));
	CU_ASSERT(becomes(clean_utf8("\xc3"), "?")); /* cut */
	CU_ASSERT(becomes(clean_utf8("\xe2\x82"), "??"));
	CU_ASSERT(becomes(clean_utf8("\xc0\x80"), "??")); /* overlong */
	CU_ASSERT(becomes(clean_utf8("\xe0\x9f\xbf"), "???"));
	CU_ASSERT(becomes(clean_utf8("\xf0\x8f\xbf\xbf"), "????"));
	CU_ASSERT(becomes(clean_utf8("\xed\xa0\x80"), "???"));      /* a surrogate */
	CU_ASSERT(becomes(clean_utf8("\xf4\x90\x80\x80"), "????")); /* beyond Unicode */
	CU_ASSERT(becomes(clean_utf8("\x80x\xc3\xa9"), "?x\xc3\xa9"));
}

static void a_terminal_gets_no_control_characters(void)
{
	CU_ASSERT(becomes(clean_terminal("a\033[2Jb\n\x7f"), "a?[2Jb??"));
	CU_ASSERT(becomes(clean_terminal("\xc2\x9b"), "\xc2\xbf")); /* CSI in one character */
	CU_ASSERT(becomes(clean_terminal("\xc3\xa9"), "\xc3\xa9"));
	CU_ASSERT(becomes(clean_terminal("7 sh\x1f/user"), "7 sh /user"));
	CU_ASSERT(becomes(clean_utf8("a\033"), "a\033")); /* JSON escapes it */
}

static void json_gets_escapes(void)
{
	CU_ASSERT(becomes(clean_json("eth0"), "eth0"));
	CU_ASSERT(becomes(clean_json("a\"b\\c"), "a\\\"b\\\\c"));
	CU_ASSERT(becomes(clean_json("a\033\n\x7f"), "a\\u001b\\u000a\x7f"));
	CU_ASSERT(becomes(clean_json("\xff\xc3\xa9"), "?\xc3\xa9"));
	CU_ASSERT(becomes(clean_json(""), ""));
}

static const struct test_case cases[] = {
	{ "good UTF-8 stays", good_utf8_stays },
	{ "what is no UTF-8 becomes question marks", what_is_no_utf8_becomes_question_marks },
	{ "a terminal gets no control characters", a_terminal_gets_no_control_characters },
	{ "JSON gets escapes", json_gets_escapes },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "clean", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
