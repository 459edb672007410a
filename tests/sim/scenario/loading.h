/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads scenarios from texts, through a file of its own, and looks at what is refused and how. */
#ifndef TESTS_SIM_SCENARIO_LOADING_H
#define TESTS_SIM_SCENARIO_LOADING_H

#include "scenario.h"

#include "harness.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct scenario scenario;
static struct diag diag;
static char path[] = "/tmp/ringside-load-XXXXXX";

static inline int setup(void)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd);
}

static inline int teardown(void)
{
	return unlink(path);
}

static inline int load(const char *yaml, const char *const *set, unsigned count)
{
	FILE *file = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(yaml, file);
	fclose(file);
	diag.text[0] = '\0';
	return scenario_load(&scenario, path, set, count, &diag);
}

/* The message begins with the place, and has the key and what else is given. */
static inline void refused(const char *yaml, int line, const char *key, const char *reason)
{
	char place[64];

	CU_ASSERT(load(yaml, NULL, 0) < 0);
	if (line)
		snprintf(place, sizeof(place), "%s:%d: ", path, line);
	else
		snprintf(place, sizeof(place), "%s:", path);
	if (strncmp(diag.text, place, strlen(place)) || !strstr(diag.text, key) ||
		!strstr(diag.text, reason)) {
		printf("got: %s\n", diag.text);
		CU_FAIL("the message lacks place, key or reason");
	}
}

/* The whole message, behind the file's name. */
static inline void says(const char *yaml, const char *message)
{
	char whole[512];

	CU_ASSERT_EQUAL(load(yaml, NULL, 0), -EINVAL);
	snprintf(whole, sizeof(whole), "%s: %s", path, message);
	CU_ASSERT_STRING_EQUAL(diag.text, whole);
}

#endif
