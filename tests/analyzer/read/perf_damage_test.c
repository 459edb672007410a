/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.data that is cut, or has wrong numbers in it. */
#include "perf_maker.h"
#include <zstd.h>

static struct maker made;

static const struct perf_attr attrs[] = {
	{ 2, IDENTIFIER | IP | TID | TIME | CPU | RAW, READ_ID, { 11, 12 }, 1, false },
	{ 2, IDENTIFIER | TID | TIME | CPU | CALLCHAIN | READ | RAW, GROUP | READ_ID, { 21, 22 }, 1,
		false },
};

/* One of each kind of record. */
static void fill(struct maker *m)
{
	struct told told = { .id = 11, .time = 1000, .cpu = 1, .pid = 812 };
	uint8_t raw[72];
	size_t record = begin_record(m, 3);

	number(m, 812, 4);
	number(m, 812, 4);
	block(m, "server\0", 8);
	end_fields(m, &attrs[0], &told);
	end_record(m, record);
	sample(m, &attrs[0], &told, raw, put_start(raw, 0x1000, 98, m->big));
	told.id = 22;
	told.time = 1010;
	consume(m, &attrs[1], &told, 0x1000);
	empty_record(m, 68);
	record = begin_record(m, 2);
	number(m, 11, 8);
	number(m, 3, 8);
	end_fields(m, &attrs[1], &told);
	end_record(m, record);
	told.time = 1020;
	consume(m, &attrs[1], &told, 0x2000);
	record = begin_record(m, 71);
	number(m, 16, 8);
	numbers(m, 5, 0);
	end_record(m, record);
	numbers(m, 2, 0);
	told.id = 12;
	told.time = 1030;
	consume(m, &attrs[0], &told, 0x3000);
	empty_record(m, 68);
}

/* Reads the first bytes of what was made, which end where their block does. */
static void collect_with(size_t records, size_t bytes, struct collected *got)
{
	char *copy = malloc(bytes ? bytes : 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, made.data, bytes);
	collect_sorted_in(copy, bytes, records, got);
	free(copy);
}

static void collect_first(size_t bytes, struct collected *got)
{
	collect_with(64, bytes, got);
}

/* Says no, or says that something is missing. */
static void expect_said(const struct collected *got, size_t bytes)
{
	bool said =
		got->status ? got->diag.text[0] != '\0' : !!reader_counts(got->reader)->truncated;

	if (!said)
		printf("cut at %zu ", bytes);
	CU_ASSERT(said);
}

static void a_file_cut_anywhere_is_refused_or_partial(void)
{
	for (int big = 0; big < 2; big++) {
		make_file(&made, big, attrs, 2, fill);
		for (size_t bytes = 8; bytes < made.end; bytes++) {
			struct collected got;

			collect_first(bytes, &got);
			expect_said(&got, bytes);
			collect_free(&got);
		}
	}
}

/*
 * Where a record ends, nobody can tell that there were more, unless the formats haven't come yet or
 * an event is behind the last round's end.
 */
static void a_pipe_cut_anywhere_gives_what_is_whole(void)
{
	size_t whole = 0, last = 0;

	make_pipe(&made, false, attrs, 2, fill);
	for (size_t bytes = 16; bytes <= made.end; bytes++) {
		struct collected got;

		collect_first(bytes, &got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT(got.count >= last && got.count <= 5);
		last = got.count;
		whole += !reader_counts(got.reader)->truncated;
		collect_free(&got);
	}
	CU_ASSERT_EQUAL(last, 5);
	/* behind the header, the formats, COMM, 2 samples, a round, LOST, and the last round */
	CU_ASSERT_EQUAL(whole, 1 + 1 + 1 + 2 + 1 + 1 + 1);
}

/* Whatever is read must end, and say why if it is refused. */
static void expect_an_end(void)
{
	struct collected got;

	collect_first(made.end, &got);
	CU_ASSERT(got.status <= 0);
	CU_ASSERT(!got.status || got.diag.text[0]);
	CU_ASSERT(got.count < 20);
	collect_free(&got);
}

/* Where to try next: everywhere, but of the formats' texts, which are long, only here and there. */
static size_t next_place(size_t at)
{
	return at + (at > made.formats && at < made.formats_end ? 26 : 2);
}

static void no_number_that_is_wrong_does_harm(void)
{
	for (int form = 0; form < 4; form++) {
		if (form & 1)
			make_pipe(&made, form & 2, attrs, 2, fill);
		else
			make_file(&made, form & 2, attrs, 2, fill);
		for (size_t at = 8; at < made.end; at = next_place(at)) {
			made.data[at] ^= 0x81;
			expect_an_end();
			made.data[at] ^= 0x81;
		}
	}
}

/* Numbers of 2, 4 and 8 bytes, all of them 0 or as large as can be. */
static void no_size_that_is_wrong_does_harm(void)
{
	uint8_t old[8];

	for (int form = 0; form < 4; form++) {
		if (form & 1)
			make_pipe(&made, form & 2, attrs, 2, fill);
		else
			make_file(&made, form & 2, attrs, 2, fill);
		for (size_t at = 8; at + 8 <= made.end; at = next_place(at)) {
			memcpy(old, made.data + at, 8);
			for (size_t bytes = 2; bytes <= 8; bytes *= 2) {
				memset(made.data + at, 0, bytes);
				expect_an_end();
				memset(made.data + at, 0xff, bytes);
				expect_an_end();
				memcpy(made.data + at, old, 8);
			}
		}
	}
}

static void expect_refused(const char *message)
{
	struct collected got;

	collect_first(made.end, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	if (strcmp(got.diag.text, message) != 0)
		printf("%s\n", got.diag.text);
	CU_ASSERT_STRING_EQUAL(got.diag.text, message);
	collect_free(&got);
}

#define MISSING                                                                             \
	"the formats of its events, which perf writes last, are missing; perf record -o - " \
	">FILE writes them first"

/* Messages name the place: the header has 104 bytes, two attrs 128 each, their ids 16 each. */
static void messages_name_the_place(void)
{
	const size_t data = 104 + 2 * 128 + 2 * 16;
	char message[300];

	make_file(&made, false, attrs, 2, fill);
	put(made.data + data + 6, 7, 2, false);
	expect_refused("text: the record at 392 has a size of 7 bytes, which is too small");
	make_file(&made, false, attrs, 2, fill);
	put(made.data + 48, 0, 8, false);
	expect_refused("text: its header says at 48 that it has no records: recording was not "
		       "finished, and " MISSING);
	put(made.data + 48, 100000, 8, false);
	made.end = 3000;
	expect_refused("text: its records (100000 bytes at 392) are not all there: it ends at "
		       "3000, and " MISSING);
	make_file(&made, false, attrs, 2, fill);
	made.end = made.formats - 1;
	snprintf(message, sizeof(message),
		"text: it ends at %zu, before the table of what follows its records, and " MISSING,
		made.end);
	expect_refused(message);
	make_file(&made, false, attrs, 2, fill);
	made.end--;
	snprintf(message, sizeof(message), "text: it ends at %zu, before %zu, and " MISSING,
		made.end, made.end + 1);
	expect_refused(message);
	make_file(&made, false, attrs, 2, fill);
	put(made.data + 16, 17, 8, false);
	expect_refused("text: its header says at 16 that an event's description has 17 bytes");
	make_file(&made, false, attrs, 2, fill);
	put(made.data + 32, 0, 8, false);
	expect_refused("text: its header at 24 describes no events");
	make_file(&made, false, attrs, 2, fill);
	put(made.data + 72, 0, 8, false);
	expect_refused("text: its header says at 72 that the formats of its events aren't there");
	make_pipe(&made, false, attrs, 2, fill);
	put(made.data + 16 + 12, 200, 4, false);
	expect_refused("text: the description of an event at 16 is cut off");
}

static void expect_partial(const char *reason)
{
	struct collected got;

	collect_first(made.end, &got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_STRING_EQUAL(reader_counts(got.reader)->trouble, reason);
	collect_free(&got);
}

static void a_pipe_cut_between_records_is_noticed(void)
{
	make_pipe(&made, false, attrs, 2, fill);
	made.end -= 8; /* the end of the last round */
	expect_partial("text: it ends within a round of perf record");
	made.end = 16 + 2 * (8 + 112 + 2 * 8); /* behind two descriptions of events */
	expect_partial("text: it ends before the formats of its events");
}

static size_t packed_left; /* bytes that are missing at the end of what is packed */

/* As perf does it: what there is becomes a block, and the frame never ends. */
static void fill_packed(struct maker *m)
{
	static uint8_t packed[1 << 16];
	struct told told = { .id = 11, .time = 5000, .cpu = 0, .pid = 812 };
	size_t begin = m->end, record;
	ZSTD_CStream *zstd = ZSTD_createCStream();
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	ZSTD_inBuffer in = { m->data + begin, 0, 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(zstd);
	consume(m, &attrs[0], &told, 1);
	in.size = m->end - begin;
	CU_ASSERT_EQUAL_FATAL(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush), 0);
	ZSTD_freeCStream(zstd);
	m->end = begin;
	record = begin_record(m, 81);
	block(m, packed, out.pos - packed_left);
	end_record(m, record);
}

static void packed_data_without_their_end_are_partial(void)
{
	struct collected got;

	packed_left = 0;
	make_file(&made, false, attrs, 2, fill_packed);
	collect_first(made.end, &got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT_STRING_EQUAL(reader_counts(got.reader)->trouble, "");
	collect_free(&got);
	packed_left = 1;
	make_file(&made, false, attrs, 2, fill_packed);
	expect_partial("text: its packed data end within a block");
}

/* Two rounds of enough events to be handed out, and then one that is older than the first. */
static void fill_late(struct maker *m)
{
	struct told told = { .id = 11, .cpu = 0, .pid = 812 };

	for (uint64_t i = 0; i < 40000; i++) {
		told.time = 5000 + i;
		consume(m, &attrs[0], &told, i);
		if (i % 20000 == 19999)
			empty_record(m, 68);
	}
	told.time = 4999;
	consume(m, &attrs[0], &told, 1);
}

static void an_event_that_comes_too_late_is_counted(void)
{
	struct collected got;

	make_file(&made, false, attrs, 2, fill_late);
	collect_with(100000, made.end, &got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 40000);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 40001);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 1);
	CU_ASSERT_STRING_EQUAL(reader_counts(got.reader)->trouble,
		"text: some events are older than its marks of finished rounds allow");
	collect_free(&got);
}

static const struct test_case cases[] = {
	{ "a file cut anywhere is refused or partial", a_file_cut_anywhere_is_refused_or_partial },
	{ "a pipe cut anywhere gives what is whole", a_pipe_cut_anywhere_gives_what_is_whole },
	{ "a pipe cut between records is noticed", a_pipe_cut_between_records_is_noticed },
	{ "packed data without their end are partial", packed_data_without_their_end_are_partial },
	{ "no number that is wrong does harm", no_number_that_is_wrong_does_harm },
	{ "no size that is wrong does harm", no_size_that_is_wrong_does_harm },
	{ "messages name the place", messages_name_the_place },
	{ "an event that comes too late is counted", an_event_that_comes_too_late_is_counted },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "damage", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
