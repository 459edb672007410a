/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks that don't say their frequency have 1 GHz. */
#include "ctf_foreign_clock.h"

#include "harness.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define F " freq = 1000000000;"

/* Becomes the second text, or stays as it is where that is NULL. */
static bool becomes(const char *text, const char *expected)
{
	size_t bytes = strlen(text), completed_bytes = 0;
	char *block = malloc(bytes ? bytes : 1), *completed; /* reads behind it would be seen */
	bool same;

	CU_ASSERT_PTR_NOT_NULL_FATAL(block);
	memcpy(block, text, bytes);
	completed = foreign_clock_complete(block, bytes, &completed_bytes);
	same = !completed == !expected;
	if (completed && expected)
		same = completed_bytes == strlen(expected) &&
		       !memcmp(completed, expected, completed_bytes);
	free(completed);
	free(block);
	return same;
}

static void a_clock_gets_its_frequency(void)
{
	CU_ASSERT(becomes("clock { name = c; };", "clock {" F " name = c; };"));
	CU_ASSERT(becomes("clock{}", "clock{" F "}"));
	CU_ASSERT(becomes("clock /* mine { */ {\n\tname = c;\n};\n",
		"clock /* mine { */ {" F "\n\tname = c;\n};\n"));
}

static void each_clock_is_looked_at(void)
{
	CU_ASSERT(becomes("clock { freq = 5; }; clock { name = d; }; clock { freq = 7; };",
		"clock { freq = 5; }; clock {" F " name = d; }; clock { freq = 7; };"));
	CU_ASSERT(becomes("clock { }; trace { major = 1; }; clock { };",
		"clock {" F " }; trace { major = 1; }; clock {" F " };"));
}

static void a_clock_with_a_frequency_stays(void)
{
	CU_ASSERT(becomes("clock { freq = 2900000000; name = c; };", NULL));
	CU_ASSERT(becomes("clock { name = c; freq=1; };", NULL));
}

static void what_only_looks_like_it_is_none(void)
{
	CU_ASSERT(becomes("clock { name = \"freq = 1; }\"; // freq\n /* freq */ };",
		"clock {" F " name = \"freq = 1; }\"; // freq\n /* freq */ };"));
	CU_ASSERT(becomes("clock { uuid = \"a\\\"freq\"; my_freq = 1; };",
		"clock {" F " uuid = \"a\\\"freq\"; my_freq = 1; };"));
	CU_ASSERT(becomes("clock { a { freq = 1; } };", "clock {" F " a { freq = 1; } };"));
	CU_ASSERT(becomes("/* clock { } */ my_clock { }; \"clock { }\"", NULL));
	CU_ASSERT(becomes("event { fields := struct { uint64_t clock { } }; };", NULL));
	CU_ASSERT(becomes("typealias integer { map = clock.c.value; } := t;", NULL));
}

static void what_is_cut_stays(void)
{
	static const char *const cut[] = { "", "clock", "clock {", "clock { name = \"",
		"clock { /*", "clock { //", "clock { name = \"\\", "}} clock", "/", "\"" };

	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++)
		CU_ASSERT(becomes(cut[i], NULL));
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(a_clock_gets_its_frequency),
	CASE(each_clock_is_looked_at),
	CASE(a_clock_with_a_frequency_stays),
	CASE(what_only_looks_like_it_is_none),
	CASE(what_is_cut_stays),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ctf_foreign_clock", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
