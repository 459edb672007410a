/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of whole texts: order, ends, and what is refused. (Losses: text_losses_test.c.) */
#include "text_lines.h"
#include <zlib.h>

static void events_come_out_by_time(void)
{
	struct collected got;

	collect(FREE("2.000009", "000", "100") START("2.000021", "000", "200")
			START("2.000001", "001", "100") FREE("2.000034", "001", "200"),
		&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 4);
	expect(&got, 0, 2000001000, 1, EVENT_START_XMIT);
	expect(&got, 1, 2000009000, 0, EVENT_FREE);
	expect(&got, 2, 2000021000, 0, EVENT_START_XMIT);
	expect(&got, 3, 2000034000, 1, EVENT_FREE);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 4);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 2000034000);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "perf-script");
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 1000000000);
	CU_ASSERT_EQUAL(reader_capacity(got.reader), 0);
	collect_free(&got);
}

/* Lines in any order, with LF or CRLF, in memory or by way of the disk, give the same events. */
static void the_order_of_lines_does_not_matter(void)
{
	enum { LINES = 200 };
	static char text[LINES * 200];
	unsigned order[LINES];
	struct collected model = { 0 }, got;

	srand(5);
	for (unsigned i = 0; i < LINES; i++)
		order[i] = i;
	for (int round = 0; round < 20; round++) {
		size_t bytes = 0;

		for (unsigned i = 0; i < LINES; i++)
			bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
				" sender   812 [%03u]     3.%06u: net:netif_rx: dev=eth0 "
				"skbaddr=0x%016x len=%u%s",
				order[i] % 4, order[i], 4096 + 256 * order[i], order[i],
				round % 2 ? "\r\n" : "\n");
		collect_sorted_in(text, bytes, round % 3 ? 16 : 1000, &got);
		CU_ASSERT_EQUAL_FATAL(got.count, LINES);
		if (round == 0) {
			model = got;
		} else {
			CU_ASSERT_FALSE(
				memcmp(got.events, model.events, LINES * sizeof(*got.events)));
			collect_free(&got);
		}
		for (unsigned i = LINES - 1; i > 0; i--) {
			unsigned j = (unsigned)rand() % (i + 1), swap = order[i];

			order[i] = order[j];
			order[j] = swap;
		}
	}
	collect_free(&model);
}

static void other_lines_are_counted(void)
{
	static const char text[] =
		"# captured on: today\n"
		"cpus=2\n"
		"what is this?\n" START("1.000000", "000",
			"100") "\tffffffff8193b1c4 dev_hard_start_xmit+0x94 ([kernel.kallsyms])\n"
			       "\n"
			       " sched 1 [000] 1.000001: sched:sched_switch: prev_comm=x\n"
			       " sched 1 [000] 1.000002: net:net_dev_xmit: dev=eth0 skbaddr=0x\n"
			       " sched 1 [000] 1000002: net:net_dev_queue: dev=eth0 skbaddr=0x1 "
			       "len=9\n"
			       "\0\1\2binary\n" FREE("1.000003", "000", "100");
	struct collected got;

	collect_bytes(text, sizeof(text) - 1, &got);
	CU_ASSERT_EQUAL(got.count, 2);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3); /* sched_switch is an event too */
	/* the question, the cut address, the time of another clock, the binary line */
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 4);
	collect_free(&got);
}

static void an_event_of_any_kind_may_be_the_last(void)
{
	struct collected got;

	collect(FREE("2.000009", "000", "100") " x 1 [001] 9.500000: sched:sched_switch: y\n" START(
			"2.000021", "000", "200"),
		&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 2);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 9500000000);
	collect_free(&got);
}

static void a_counter_has_no_frequency_of_its_own(void)
{
	static const char text[] = " spin-127 [000] 31820785552: softirq_raise: vec=9\n";
	const struct reader_options options = { .hz = 2900000000 };
	struct collected got;
	struct input *input;

	collect(text, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 1);
	expect(&got, 0, 31820785552, 0, EVENT_SOFTIRQ_RAISE);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 0);
	collect_free(&got);
	CU_ASSERT_EQUAL_FATAL(input_open_memory(text, strlen(text), &input), 0);
	CU_ASSERT_EQUAL(reader_open_input(input, "text", &options, 16, &got.reader, &got.diag), 0);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 2900000000);
	collect_free(&got);
}

/* What is given must be of use: a text in seconds has 10^9 Hz. */
static void a_frequency_that_contradicts_is_refused(void)
{
	static const char text[] = START("1.000000", "000", "100");
	struct reader_options options = { .hz = 2900000000 };
	struct collected got = { 0 };
	struct input *input;

	CU_ASSERT_EQUAL_FATAL(input_open_memory(text, strlen(text), &input), 0);
	CU_ASSERT_EQUAL(
		reader_open_input(input, "text", &options, 16, &got.reader, &got.diag), -EINVAL);
	CU_ASSERT_PTR_NULL(got.reader);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "2900000000"));
}

static void texts_without_an_event_are_refused(void)
{
	static const char *const texts[] = { "", "\n", "# tracer: nop\n", "52 73 41 65\n",
		"PERFILE2xxxxxxxx", "\x17\x08\x44tracing6", "\xd4\xc3\xb2\xa1\x02", "\x1f\x8b",
		"\x1f\x8b\x08", "\x7f\x45LF\x01\x02\n\n\xff", "cpus=2\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct collected got;

		collect(texts[i], &got);
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NULL(got.reader);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "text: "));
	}
}

static const char whole[] = "# head\n" START("1.000000", "000", "100")
	FREE("1.000001", "000", "100") START("1.000002", "001", "200")
		FREE("1.000003", "001", "200") FREE("1.000004", "001", "300");

/*
 * Cut anywhere, no event differs from what it was, and a cut line is told. It can't be where the
 * line is one of another kernel: the first consume_skb, cut behind its address.
 */
static void a_cut_text_has_no_wrong_event(void)
{
	const char *first_free = strstr(whole, "consume_skb");
	size_t address_end = (size_t)(strstr(first_free, " location") - whole);
	struct collected model, got;

	collect(whole, &model);
	CU_ASSERT_EQUAL_FATAL(model.count, 5);
	for (size_t cut = 0; cut < strlen(whole); cut++) {
		collect_bytes(whole, cut, &got);
		if (got.status) {
			CU_ASSERT_EQUAL(got.status, -EINVAL);
			CU_ASSERT(cut < strlen("# head\n" START("1.000000", "000", "100")));
		} else {
			const struct trace_counts *counts = reader_counts(got.reader);
			bool at_end = whole[cut - 1] == '\n' || whole[cut] == '\n';

			CU_ASSERT(got.count <= model.count);
			CU_ASSERT_FALSE(
				memcmp(got.events, model.events, got.count * sizeof(*got.events)));
			CU_ASSERT(counts->truncated || at_end || cut == address_end);
			CU_ASSERT_EQUAL(counts->truncated, counts->trouble[0] != '\0');
			CU_ASSERT_EQUAL(counts->unparsed, 0);
		}
		collect_free(&got);
	}
	collect_free(&model);
}

/* A text may lose its last newline on its way; where the last line is known whole, that is all. */
static void a_whole_last_line_needs_no_newline(void)
{
	struct collected got;

	collect_bytes(whole, strlen(whole) - 1, &got);
	CU_ASSERT_EQUAL(got.count, 5);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	collect_free(&got);
	/* a number that may go on: the event isn't used */
	collect(START("1.000000", "000", "100") " sender   812 [000]  1.000001: net:netif_rx: "
						"dev=eth0 skbaddr=0x1 len=123\n"
						" sender   812 [000]  1.000002: net:netif_rx: "
						"dev=eth0 skbaddr=0x1 len=12",
		&got);
	CU_ASSERT_EQUAL(got.count, 2);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	collect_free(&got);
	/* the same number as before: it is */
	collect(START("1.000000", "000", "100") " sender   812 [000]  1.000001: net:netif_rx: "
						"dev=eth0 skbaddr=0x1 len=12\n"
						" sender   812 [000]  1.000002: net:netif_rx: "
						"dev=eth0 skbaddr=0x1 len=12",
		&got);
	CU_ASSERT_EQUAL(got.count, 3);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	collect_free(&got);
}

static void cut_gzip_is_told(void)
{
	char path[64];
	unsigned char data[20000];
	struct collected got = { 0 };
	size_t bytes;
	FILE *file;
	gzFile gz;

	write_temporary("", 0, path);
	gz = gzopen(path, "wb9");
	CU_ASSERT_PTR_NOT_NULL_FATAL(gz);
	for (int i = 0; i < 200; i++)
		gzprintf(gz,
			" sender 812 [000]  1.%06d: net:netif_rx: dev=eth0 skbaddr=0x%x len=%d\n",
			i, i * 40503, i * i);
	gzclose(gz);
	file = fopen(path, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	bytes = fread(data, 1, sizeof(data), file);
	fclose(file);
	remove(path);
	collect_bytes((const char *)data, bytes, &got);
	CU_ASSERT_EQUAL(got.count, 200);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	collect_free(&got);
	collect_bytes((const char *)data, bytes * 2 / 3, &got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT(got.count > 50 && got.count < 200);
	for (size_t i = 0; i < got.count; i++)
		CU_ASSERT_EQUAL(got.events[i].event.len, i * i);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, "text: "));
	collect_free(&got);
}

/* A marker of a megabyte, and an event behind 900 kB of blanks. */
static void lines_have_any_length(void)
{
	size_t room = 4000000;
	char *text = calloc(1, room);
	struct collected got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	strcpy(text, " sh-1 [000] ..... 1.000000: tracing_mark_write: ");
	memset(text + strlen(text), 'x', 1500000);
	strcat(text, "\n sh-1 [000] ..... 1.000001: consume_skb: skbaddr=0x1 location=");
	memset(text + strlen(text), 'y', 900000);
	strcat(text, "\n sh-1 [000] ..... 1.000002: consume_skb: ");
	memset(text + strlen(text), ' ', 900000);
	strcat(text, "skbaddr=0x2\n");
	collect(text, &got);
	CU_ASSERT_EQUAL(got.count, 2);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	expect(&got, 0, 1000001000, 0, EVENT_FREE);
	expect(&got, 1, 1000002000, 0, EVENT_FREE);
	collect_free(&got);
	free(text);
}

static void a_reader_can_be_left_at_any_point(void)
{
	for (int take = 0; take < 4; take++) {
		struct reader *reader;
		struct input *input;
		struct event event;
		unsigned cpu;

		CU_ASSERT_EQUAL_FATAL(input_open_memory(whole, strlen(whole), &input), 0);
		CU_ASSERT_EQUAL_FATAL(reader_open_input(input, "text", NULL, 16, &reader, NULL), 0);
		for (int i = 0; i < take; i++)
			CU_ASSERT_EQUAL(reader_next(reader, &event, &cpu, NULL), 1);
		reader_close(reader);
	}
	reader_close(NULL);
}

/* `count` lines, each with another number at the place of "%u". The names are one too many. */
static void expect_too_many(unsigned count, const char *format, const char *words)
	__attribute__((format(printf, 2, 0)));
static void expect_too_many(unsigned count, const char *format, const char *words)
{
	struct collected got;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, format, i);
	CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
	collect_bytes(text, bytes, &got);
	CU_ASSERT_EQUAL(got.status, -EOVERFLOW);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, words));
	collect_free(&got);
	free(text);
}

static void more_names_than_fit_are_refused_by_their_kind(void)
{
	expect_too_many(256, " x-1 [000] 1.0: netif_rx: dev=eth%u skbaddr=1 len=1\n",
		"names of devices than fit (255)");
	expect_too_many(65536, " x-1 [000] 1.0: kfree_skb: skbaddr=1 reason: R%u\n",
		"names of drop reasons than fit (65535)");
	expect_too_many(65536, " x-1 [000] 1.0: irq_handler_entry: irq=1 name=h%u\n",
		"names of interrupt handlers than fit (65535)");
}

static const struct test_case order[] = {
	{ "events come out by time", events_come_out_by_time },
	{ "the order of lines doesn't matter", the_order_of_lines_does_not_matter },
	{ "other lines are counted", other_lines_are_counted },
	{ "lines have any length", lines_have_any_length },
	{ "a reader can be left at any point", a_reader_can_be_left_at_any_point },
	{ "an event of any kind may be the last", an_event_of_any_kind_may_be_the_last },
	{ "more names than fit are refused by their kind",
		more_names_than_fit_are_refused_by_their_kind },
	{ 0 },
};

static const struct test_case clocks[] = {
	{ "a counter has no frequency of its own", a_counter_has_no_frequency_of_its_own },
	{ "a frequency that contradicts is refused", a_frequency_that_contradicts_is_refused },
	{ 0 },
};

static const struct test_case ends[] = {
	{ "texts without an event are refused", texts_without_an_event_are_refused },
	{ "a cut text has no wrong event", a_cut_text_has_no_wrong_event },
	{ "a whole last line needs no newline", a_whole_last_line_needs_no_newline },
	{ "cut gzip is told", cut_gzip_is_told },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "order", order, NULL, NULL },
		{ "clocks", clocks, NULL, NULL },
		{ "ends", ends, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
