/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lessons tell, against figures worked out by hand. */
#include "lesson.h"

#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *page;
static size_t page_bytes;

static int setup(void)
{
	static const char *const set[] = { "duration_s=0.001", "send_buffer_bytes=4000000" };
	struct run_options options = { 0 };
	struct scenario scenario;
	struct outcome outcome;
	struct diag diag;

	/* DPDK keeps what it allocates on the way up */
	if (scenario_load(&scenario, NULL, set, 2, &diag) || scenario_start(&scenario, 1, &diag) ||
		scenario_run(&scenario, &options, &outcome, &diag))
		return 1;
	outcome_release(&outcome);
	return 0;
}

static int teardown(void)
{
	scenario_shut_down();
	return 0;
}

/* The page of a lesson, which the caller frees. */
static void give(const char *name)
{
	const struct lesson *lesson = lesson_find(name);
	struct diag diag = { "" };
	FILE *out = open_memstream(&page, &page_bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(lesson);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	if (lesson_give(lesson, out, &diag))
		CU_FAIL_FATAL("the lesson isn't given");
	fclose(out);
}

/* The numbers of the first line from `from` on that begins with this label. Returns where it ends.
 */
static const char *row(const char *from, const char *label, double *numbers, int count)
{
	char begin[64];
	const char *line, *end;

	snprintf(begin, sizeof(begin), "\n%s", label);
	line = strstr(from, begin);
	CU_ASSERT_PTR_NOT_NULL_FATAL(line);
	end = line + strlen(begin);
	for (int i = 0; i < count; i++) {
		char *after;

		numbers[i] = strtod(end, &after);
		CU_ASSERT_PTR_NOT_EQUAL_FATAL(after, end);
		end = after;
	}
	return end;
}

static bool near(double got, double want, double share)
{
	return fabs(got / want - 1) <= share;
}

enum { PACKETS_PER_S, IN_DEVICE, AT_MOST, LAP_AVG, LAP_MAX, LIMIT };

/* A frame takes 12.304 us on the wire, 117 of them 1.44 ms; 117 packets in 2 ms are 58,500/s. */
static void bql_tells_both_loads(void)
{
	double without[5], with[6];
	const char *at;

	give("bql");
	at = row(page, "without BQL", without, 5);
	at = row(at, "with BQL", with, 6);
	CU_ASSERT(near(without[PACKETS_PER_S], 1e9 / 12304, 0.005));
	CU_ASSERT(near(with[PACKETS_PER_S], 1e9 / 12304, 0.005));
	CU_ASSERT_EQUAL(without[AT_MOST], 117);
	CU_ASSERT(near(without[LAP_MAX], 1.44, 0.01));
	CU_ASSERT(with[LAP_AVG] < without[LAP_AVG] / 5);
	CU_ASSERT_EQUAL(with[LIMIT], 9 * 1514);
	at = row(at, "without BQL", without, 5);
	row(at, "with BQL", with, 6);
	CU_ASSERT(near(without[PACKETS_PER_S], 58500, 0.01));
	CU_ASSERT_EQUAL(without[AT_MOST], 117);
	CU_ASSERT_EQUAL(with[AT_MOST], 117);
	CU_ASSERT(near(with[LAP_AVG], without[LAP_AVG], 0.02));
	CU_ASSERT_EQUAL(with[LIMIT], 127 * 1514);
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "What to look at"));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "What to change next"));
	free(page);
}

/*
 * The flood makes a packet in 7 us and takes 21 ms and more: at 20000 a second about 420
 * interrupts, at 4000 about 84, and 20 after it for the single packets. A packet waits for half
 * of a gap on average.
 */
static void throttle_tells_price_and_way(void)
{
	static const char *const steps[] = { " 9000 ####\n", " 14000 #######\n",
		" 19000 #########\n", " 20000 ##########\n" };
	double fast[5], slow[5];
	const char *at;

	give("throttle");
	at = row(page, "20000", fast, 5);
	at = row(at, "4000", slow, 5);
	CU_ASSERT(near(fast[0], 420 + 20, 0.1));
	CU_ASSERT(near(slow[0], 84 + 20, 0.1));
	CU_ASSERT(near(fast[2], 25, 0.1));
	CU_ASSERT(near(slow[2], 125, 0.1));
	CU_ASSERT(fast[1] > slow[1]);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		at = strstr(at, steps[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "What to look at"));
	CU_ASSERT_PTR_NOT_NULL(strstr(page, "What to change next"));
	free(page);
}

/*
 * 64 packets of 5350 and 3083 ns make 63.4 % and 36.6 %. Two threads have half of the time each,
 * and so the cheap device 0.5 / 0.366 times as many packets; they wait for ticks of 4 ms, not for
 * polls.
 */
static void napi_weight_tells_what_threads_do(void)
{
	static const char told[] = "shares are %lf:%lf then, and `cheap` receives %lf times";
	double shares[4], dear, cheap, more;
	const char *at;
	char *space;

	give("napi-weight");
	row(page, "CPU time, % of both", shares, 4);
	CU_ASSERT(near(shares[0], 63.4, 0.02));
	CU_ASSERT(near(shares[1], 36.6, 0.02));
	while ((space = strchr(page, '\n'))) /* as paragraphs are broken anywhere */
		*space = ' ';
	at = strstr(page, "shares are");
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_EQUAL_FATAL(sscanf(at, told, &dear, &cheap, &more), 3);
	CU_ASSERT(near(dear, 50, 0.02));
	CU_ASSERT(near(cheap, 50, 0.02));
	CU_ASSERT(near(more, 50 / 36.6, 0.02));
	free(page);
}

/* Whoever tries what a lesson proposes finds the config, and no key that is refused. */
static void what_it_proposes_can_be_tried(void)
{
	unsigned tried = 0;

	for (size_t i = 0; lessons[i]; i++) {
		char *text, *rest, *line;

		give(lessons[i]->name);
		text = rest = page;
		while ((line = strsep(&rest, "\n"))) {
			char command[512], path[512], *words, *word, *config = NULL;
			const char *set[8];
			struct scenario scenario;
			unsigned count = 0;
			struct diag diag = { "" };

			if (strncmp(line, "  $ ringside run configs/", 25))
				continue;
			snprintf(command, sizeof(command), "%s %s", line + 17,
				line[strlen(line) - 1] == '\\' ? strsep(&rest, "\n") : "");
			words = command;
			while ((word = strsep(&words, " "))) {
				if (!strncmp(word, "configs/", 8))
					config = word;
				else if (strchr(word, '='))
					set[count++] = word;
			}
			CU_ASSERT_PTR_NOT_NULL_FATAL(config);
			snprintf(path, sizeof(path), "%s/../../%s", TEST_FIXTURES, config);
			CU_ASSERT_EQUAL(scenario_load(&scenario, path, set, count, &diag), 0);
			CU_ASSERT(count > 0);
			tried++;
		}
		free(text);
	}
	CU_ASSERT(tried >= 8);
}

static void an_unknown_name_is_none(void)
{
	CU_ASSERT_PTR_NULL(lesson_find("bqls"));
	CU_ASSERT_PTR_NULL(lesson_find(""));
}

static const struct test_case cases[] = {
	{ "bql tells both loads", bql_tells_both_loads },
	{ "napi-weight tells what threads do", napi_weight_tells_what_threads_do },
	{ "throttle tells price and way", throttle_tells_price_and_way },
	{ "what it proposes can be tried", what_it_proposes_can_be_tried },
	{ "an unknown name is none", an_unknown_name_is_none },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "lesson", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
