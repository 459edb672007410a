/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
	const char *suite, *name; /* the only ones to run, or NULL */
	long allocations;         /* before the current case */
	bool may_leak;            /* the current case */
	unsigned failures;        /* of the current case when its leaks are looked at */
	const char *skipped;      /* why the current case was */
	unsigned passed, failed, skips;
} test;

static atomic_long allocations;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#endif

#ifdef ADDRESS_SANITIZER
/* malloc belongs to the sanitizer, which calls hooks (sanitizer/allocator_interface.h). */
int __sanitizer_install_malloc_and_free_hooks(
	void (*on_malloc)(const volatile void *, size_t), void (*on_free)(const volatile void *));

static void count_malloc(const volatile void *memory, size_t bytes)
{
	(void)bytes;
	if (memory)
		atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

static void count_free(const volatile void *memory)
{
	if (memory)
		atomic_fetch_sub_explicit(&allocations, 1, memory_order_relaxed);
}

static void count_allocations(void)
{
	__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
}
#else
/*
 * A program may define malloc and its relatives ("Replacing malloc" in the GNU C library's
 * manual): all libraries in the process then call these. glibc's own are under other names.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);
void *memalign(size_t alignment, size_t bytes);
void *pvalloc(size_t bytes);

static void *counted(void *memory)
{
	if (memory)
		atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
	return memory;
}

void *malloc(size_t bytes)
{
	return counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
	return counted(__libc_calloc(count, bytes));
}

void free(void *memory)
{
	if (memory)
		atomic_fetch_sub_explicit(&allocations, 1, memory_order_relaxed);
	__libc_free(memory);
}

void *realloc(void *memory, size_t bytes)
{
	if (!memory)
		return malloc(bytes);
	if (!bytes) { /* glibc frees */
		free(memory);
		return NULL;
	}
	return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
	return counted(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	void *got;

	if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
		return EINVAL;
	got = memalign(alignment, bytes);
	if (!got)
		return ENOMEM;
	*memory = got;
	return 0;
}

void *valloc(size_t bytes)
{
	return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

void *pvalloc(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return memalign(page, (bytes + page - 1) / page * page);
}

static void count_allocations(void)
{
}
#endif

void test_leaks_begin(void)
{
	test.may_leak = false;
	test.failures = CU_get_number_of_failures();
	test.allocations = atomic_load(&allocations);
}

void test_leaks_assert_none(void)
{
	long more = atomic_load(&allocations) - test.allocations;
	char text[100];

	/* CUnit keeps failures in memory of its own, and a fatal one leaves the case at once. */
	if (more <= 0 || test.may_leak || CU_get_number_of_failures() != test.failures)
		return;
	snprintf(text, sizeof(text), "%ld allocations were not freed", more);
	CU_assertImplementation(CU_FALSE, __LINE__, text, __FILE__, __func__, CU_FALSE);
}

void test_leaks_allow(void)
{
	test.may_leak = true;
}

void test_skip(const char *reason)
{
	test.skipped = reason;
}

static void on_start(const CU_pTest pTest, const CU_pSuite pSuite)
{
	test.skipped = NULL;
	printf("%s: %s ... ", pSuite->pName, pTest->pName);
	fflush(stdout); /* if the case crashes, the log ends with its name */
}

static void print_failure(const CU_pFailureRecord failure)
{
	printf("  %s:%u: %s\n", failure->strFileName ? failure->strFileName : "?",
		failure->uiLineNumber, failure->strCondition ? failure->strCondition : "failed");
}

static void on_complete(
	const CU_pTest pTest, const CU_pSuite pSuite, const CU_pFailureRecord failures)
{
	(void)pTest;
	(void)pSuite;
	if (test.skipped && !failures)
		printf("skipped: %s\n", test.skipped);
	else
		puts(failures ? "FAIL" : "ok");
	if (failures)
		test.failed++;
	else if (test.skipped)
		test.skips++;
	else
		test.passed++;
	for (CU_pFailureRecord f = failures; f; f = f->pNext)
		print_failure(f);
}

static void on_setup_failure(const CU_pSuite pSuite)
{
	printf("%s: FAIL, its setup failed\n", pSuite->pName);
	test.failed++;
}

static void on_teardown_failure(const CU_pSuite pSuite)
{
	printf("%s: FAIL, its teardown failed\n", pSuite->pName);
	test.failed++;
}

static bool add_suite(const struct test_suite *suite)
{
	CU_pSuite added = NULL;

	if (test.suite && strcmp(test.suite, suite->name))
		return true;
	for (const struct test_case *c = suite->cases; c->name; c++) {
		if (test.name && strcmp(test.name, c->name))
			continue;
		if (!added)
			added = CU_add_suite_with_setup_and_teardown(suite->name, suite->setup,
				suite->teardown, test_leaks_begin, test_leaks_assert_none);
		if (!added || !CU_add_test(added, c->name, c->run))
			return false;
	}
	return true;
}

int test_main(int argc, char **argv, const struct test_suite *suites)
{
	test.suite = argc > 1 ? argv[1] : NULL;
	test.name = argc > 2 ? argv[2] : NULL;
	tzset(); /* what libc allocates once and keeps must not look like a case's leak */
	count_allocations();
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (; suites->name; suites++) {
		if (!add_suite(suites)) {
			fprintf(stderr, "%s: %s\n", suites->name, CU_get_error_msg());
			return 2;
		}
	}
	CU_set_error_action(CUEA_IGNORE);
	CU_set_test_start_handler(on_start);
	CU_set_test_complete_handler(on_complete);
	CU_set_suite_init_failure_handler(on_setup_failure);
	CU_set_suite_cleanup_failure_handler(on_teardown_failure);
	CU_run_all_tests();
	CU_cleanup_registry();
	printf("%u passed, %u failed", test.passed, test.failed);
	if (test.skips)
		printf(", %u skipped", test.skips);
	putchar('\n');
	return test.failed || !(test.passed + test.skips);
}
