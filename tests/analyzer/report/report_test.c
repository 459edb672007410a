/* SPDX-License-Identifier: BSD-3-Clause */
/* How JSON is written. */
#include "scene_report.h"

/* jansson's own integers end at 2^63 - 1. */
static void json_has_all_digits_of_any_number(void)
{
	json_t *json = json_pack("{s:o,s:[o,o],s:s}", "a", report_number(INT64_MAX), "b",
		report_number(INT64_MAX + UINT64_C(1)), report_number(UINT64_MAX), "c",
		"\"\\u00005\"");
	char *text = written(report_write_line, json);

	CU_ASSERT_STRING_EQUAL(text, "{\"a\":9223372036854775807,\"b\":[9223372036854775808,"
				     "18446744073709551615],\"c\":\"\\\"\\\\u00005\\\"\"}\n");
	free(text);
	text = written(report_write_json, json);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "    18446744073709551615\n"));
	free(text);
	json_decref(json);
}

static void json_is_written_the_same_every_time(void)
{
	json_t *json = json_pack("{s:i,s:f}", "b", 1, "a", 1.0 / 3);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_EQUAL(report_write_json(json, out), 0);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "{\n  \"b\": 1,\n  \"a\": 0.333333333333\n}\n");
	free(text);
	out = fopen("/dev/full", "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	setvbuf(out, NULL, _IONBF, 0);
	CU_ASSERT(report_write_json(json, out) < 0);
	fclose(out);
	json_decref(json);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(json_has_all_digits_of_any_number),
	CASE(json_is_written_the_same_every_time),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "report", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
