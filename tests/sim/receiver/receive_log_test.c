/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of 16,384 entries, as it was in 2005. */
#include "receive_log.h"

#include "harness.h"
#include <string.h>

static struct receive_log log_;

static void an_entry_has_its_ticks_and_its_mark(void)
{
	memset(&log_, 0, sizeof(log_));
	CU_ASSERT_EQUAL(receive_log_count(&log_), 0);
	receive_log_add(&log_, 37, false);
	receive_log_add(&log_, 63, true);
	CU_ASSERT_EQUAL(receive_log_count(&log_), 2);
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 0), UINT32_C(0x8000003f));
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 1), 37);
}

/* Of 16,384 + 3 the first three are gone. */
static void the_newest_overwrite_the_oldest(void)
{
	memset(&log_, 0, sizeof(log_));
	for (unsigned i = 0; i < 16387; i++)
		receive_log_add(&log_, 1000 + i, false);
	CU_ASSERT_EQUAL(receive_log_count(&log_), 16384);
	CU_ASSERT_EQUAL(log_.written, 16387);
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 0), 1000 + 16386);
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 1), 1000 + 16385);
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 16383), 1000 + 3);
}

/* What doesn't fit in 31 bits must not look like a short one, nor like a mark. */
static void what_takes_too_long_is_the_most(void)
{
	memset(&log_, 0, sizeof(log_));
	receive_log_add(&log_, UINT64_C(0x7fffffff), false);
	receive_log_add(&log_, UINT64_C(0x80000000), false);
	receive_log_add(&log_, UINT64_C(0x100000001), true);
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 2), UINT32_C(0x7fffffff));
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 1), UINT32_C(0x7fffffff));
	CU_ASSERT_EQUAL(receive_log_entry(&log_, 0), UINT32_C(0xffffffff));
}

static const struct test_case cases[] = {
	{ "an entry has its ticks and its mark", an_entry_has_its_ticks_and_its_mark },
	{ "the newest overwrite the oldest", the_newest_overwrite_the_oldest },
	{ "what takes too long is the most", what_takes_too_long_is_the_most },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "receive log", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
