/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame of every test program: suites of cases in tables, run with CUnit.
 *
 * A case fails if an assertion fails, and also if it leaves memory allocated: after each case the
 * number of allocations must be what it was before. Everything is counted that goes through malloc
 * and its relatives in this process, so leaks of FILE, DIR and of other libraries' objects too.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <CUnit/CUnit.h>

struct test_case {
	const char *name; /* the behaviour, in words */
	void (*run)(void);
};

/* A table of suites ends with a row whose name is NULL, and so does a table of cases. */
struct test_suite {
	const char *name;
	const struct test_case *cases;
	int (*setup)(void);    /* once, before its first case; not 0 fails the suite. May be NULL */
	int (*teardown)(void); /* once, after its last case. May be NULL */
};

/*
 * Runs all suites, or those that argv names: PROGRAM [SUITE [CASE]]. Prints a line a case, each
 * failure with its file and line, and last "N passed, N failed", with ", N skipped" behind it if
 * any were. Returns the exit status: 0 if at
 * least one case ran and none failed.
 */
int test_main(int argc, char **argv, const struct test_suite *suites);

/* The current case can't be tried here, for this reason; it must return at once. */
void test_skip(const char *reason);

/* Notes how many allocations there are. The harness does it before each case. */
void test_leaks_begin(void);

/* Fails the current case if there are more now. The harness does it after each case. */
void test_leaks_assert_none(void);

/* The current case may leave memory allocated, for example in a library's cache. */
void test_leaks_allow(void);

#endif
