/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel was traced, where the file says so: what perf and trace-cmd write of uname(2). */
#include "perf_maker.h"

static struct maker made;

static void expect_kernel(const struct reader *reader, const char *release)
{
	const char *kernel = reader_source(reader)->kernel;

	CU_ASSERT_EQUAL(kernel != NULL, release != NULL);
	CU_ASSERT_STRING_EQUAL(kernel ? kernel : "", release ? release : "");
}

static void expect_file(const char *file, const char *release)
{
	struct reader *reader;
	struct diag diag;
	char path[512];

	snprintf(path, sizeof(path), "%s/kernel/%s", TEST_FIXTURES, file);
	CU_ASSERT_EQUAL_FATAL(reader_open(path, NULL, &reader, &diag), 0);
	expect_kernel(reader, release);
	reader_close(reader);
}

/* As `perf report --header-only` and `strings` show it. */
static void files_of_real_kernels_tell_it(void)
{
	expect_file("tcp-receive-itr8000-zstd.perf.data", "6.1.0-57-amd64");
	expect_file("r256-clock-tsc.trace.dat", "6.1.0-57-amd64");
	expect_file("loopback-lost.trace.dat", "6.18.44-fc-v669");
	expect_file("r256-itr500.ftrace.txt.gz", NULL);
}

/* A HEADER_FEATURE record with what follows the feature's number. */
static struct {
	uint64_t feature;
	uint32_t told;
	const char *text;
	size_t bytes;
} feature;

static void fill(struct maker *m)
{
	size_t record = begin_record(m, 80);

	number(m, feature.feature, 8);
	number(m, feature.told, 4);
	block(m, feature.text, feature.bytes);
	end_record(m, record);
}

static void expect_piped(const char *release)
{
	const struct perf_attr attr = { .ids = { 11, 12 }, .sample_type = TIME | RAW };

	for (int big = 0; big < 2; big++) {
		struct collected got;

		make_pipe(&made, big, &attr, 1, fill);
		collect_made(&made, &got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		expect_kernel(got.reader, release);
		collect_free(&got);
	}
}

#define PIPED(number, told_, text_, bytes_) \
	do {                                \
		feature.feature = (number); \
		feature.told = (told_);     \
		feature.text = (text_);     \
		feature.bytes = (bytes_);   \
	} while (0)

static void what_is_piped_tells_it_in_a_record(void)
{
	char longer[80];

	PIPED(4, 16, "6.1.0-57-amd64\0\0", 16);
	expect_piped("6.1.0-57-amd64");
	PIPED(3, 8, "machine\0", 8); /* the host's name */
	expect_piped(NULL);
	PIPED(4, 17, "6.1.0-57-amd64\0\0", 16); /* it isn't all there */
	expect_piped(NULL);
	PIPED(4, UINT32_MAX, "6.1.0-57-amd64\0\0", 16);
	expect_piped(NULL);
	PIPED(4, 0, "", 0);
	expect_piped(NULL);
	PIPED(4, 4, "6.12????", 8); /* no end of its own */
	expect_piped("6.12");
	memset(longer, '6', sizeof(longer));
	PIPED(4, 80, longer, 80); /* uname(2) has no more than 64 */
	expect_piped("6666666666666666666666666666666666666666666666666666666666666666");
}

static const struct test_case cases[] = {
	{ "files of real kernels tell it", files_of_real_kernels_tell_it },
	{ "what is piped tells it in a record", what_is_piped_tells_it_in_a_record },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "kernel release", cases, NULL, NULL },
		{ 0 } };

	return test_main(argc, argv, suites);
}
