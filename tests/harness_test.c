/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The harness must fail where it should, so each suite here runs in a child process, whose exit
 * status and output are compared with what a person would expect.
 */
#include "harness.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static void frees_all(void)
{
	char *text = NULL;
	FILE *file = fopen("/dev/null", "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fclose(file);
	CU_ASSERT(asprintf(&text, "%d", 1) == 1);
	free(text);
	kept = aligned_alloc(64, 128);
	kept = realloc(kept, 100000);
	free(kept);
}

static void leaks_memory(void)
{
	kept = malloc(10);
	kept = realloc(NULL, 10);
}

static void leaks_a_file(void)
{
	kept = fopen("/dev/null", "r");
}

static void keeps_a_cache(void)
{
	test_leaks_allow();
	kept = calloc(1, 10);
}

static void asserts(void)
{
	CU_ASSERT(1 + 1 == 3);
}

static void asserts_for_good(void)
{
	kept = malloc(10);
	CU_ASSERT_FATAL(1 + 1 == 3);
	free(kept);
}

static void skips(void)
{
	test_skip("no hardware");
}

static void skips_but_fails(void)
{
	test_skip("no hardware");
	CU_ASSERT(1 + 1 == 3);
}

static int refuses(void)
{
	return 1;
}

static const struct {
	const char *name;
	struct test_case cases[3];
	int (*setup)(void);
	const char *only; /* argv[1] */
	int status;
	const char *says; /* the output ends so */
} runs[] = {
	{ "good", { { "a", frees_all }, { "b", keeps_a_cache } }, NULL, NULL, 0,
		"good: a ... ok\ngood: b ... ok\n2 passed, 0 failed\n" },
	{ "leak", { { "a", leaks_memory }, { "b", frees_all } }, NULL, NULL, 1,
		"2 allocations were not freed\nleak: b ... ok\n1 passed, 1 failed\n" },
	{ "file", { { "a", leaks_a_file } }, NULL, NULL, 1,
		"1 allocations were not freed\n0 passed, 1 failed\n" },
	{ "wrong", { { "a", asserts }, { "b", asserts_for_good } }, NULL, NULL, 1,
		": 1 + 1 == 3\n0 passed, 2 failed\n" },
	{ "skip", { { "a", skips }, { "b", frees_all } }, NULL, NULL, 0,
		"skip: a ... skipped: no hardware\nskip: b ... ok\n1 passed, 0 failed, 1 "
		"skipped\n" },
	{ "skips", { { "a", skips }, { "b", skips_but_fails } }, NULL, NULL, 1,
		": 1 + 1 == 3\n0 passed, 1 failed, 1 skipped\n" },
	{ "setup", { { "a", frees_all } }, refuses, NULL, 1,
		"setup: FAIL, its setup failed\n0 passed, 1 failed\n" },
	{ "named", { { "a", frees_all } }, NULL, "named", 0,
		"named: a ... ok\n1 passed, 0 failed\n" },
	{ "none", { { "a", frees_all } }, NULL, "another", 1, "0 passed, 0 failed\n" },
};

static int run_in_child(unsigned i, char *output, size_t size)
{
	const struct test_suite suites[] = {
		{ runs[i].name, runs[i].cases, runs[i].setup, NULL },
		{ 0 },
	};
	char *argv[] = { (char[]){ "harness_test" }, (char *)(uintptr_t)runs[i].only, NULL };
	int ends[2], status;
	size_t got = 0;
	ssize_t n;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0)
		return -1;
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		status = test_main(runs[i].only ? 2 : 1, argv, suites);
		fflush(stdout);
		_exit(status);
	}
	close(ends[1]);
	while (got < size - 1 && (n = read(ends[0], output + got, size - 1 - got)) > 0)
		got += (size_t)n;
	output[got] = '\0';
	close(ends[0]);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	const unsigned count = sizeof(runs) / sizeof(runs[0]);
	unsigned failed = 0;

	for (unsigned i = 0; i < count; i++) {
		char output[4096];
		int status = run_in_child(i, output, sizeof(output));
		size_t length = strlen(output), end = strlen(runs[i].says);

		if (status == runs[i].status && length >= end &&
			!strcmp(output + length - end, runs[i].says))
			continue;
		failed++;
		printf("%s: FAIL, status %d, output:\n%s\n", runs[i].name, status, output);
	}
	printf("%u passed, %u failed\n", count - failed, failed);
	return failed > 0;
}
