/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are cut, or that lie about sizes and offsets: nothing is read beyond the end, and no
 * event is lost in silence.
 */
#include "tracedat_scene.h"
#include "tracedat_stream.h"
#include <unistd.h>

#define EVENT_BYTES 20 /* head and record */

/* Whether a packet of the scene came out, at its time. */
static bool came_out(const struct collected *got, size_t number)
{
	for (size_t i = 0; i < got->count; i++) {
		if (got->events[i].event.packet == scene[number].packet)
			return got->events[i].event.time == scene[number].time;
	}
	return false;
}

/* What came out is of the scene, once, in order. */
static void expect_part_of_scene(const struct collected *got)
{
	size_t next = 0;

	for (size_t i = 0; i < got->count; i++) {
		while (next < SCENE && got->events[i].event.packet != scene[next].packet)
			next++;
		CU_ASSERT_FATAL(next < SCENE);
		CU_ASSERT_EQUAL(got->events[i].event.time, scene[next].time);
		next++;
	}
}

/* How many events of the scene end at or before a byte of a file that isn't packed. */
static size_t events_before(size_t bytes)
{
	/* their pages' numbers, and places on them; the third of page 0 is behind one of no use */
	static const unsigned page[SCENE] = { 0, 2, 0, 1, 1, 2 },
			      place[SCENE] = { 0, 0, 2, 0, 1, 1 };
	size_t count = 0;

	for (size_t i = 0; i < SCENE; i++)
		count += dat.data_begin + page[i] * DAT_PAGE_BYTES + 16 +
				 (place[i] + 1) * EVENT_BYTES <=
			 bytes;
	return count;
}

/* Cuts the file to so many bytes. Returns how many events came out. */
static size_t read_cut(size_t bytes)
{
	struct collected got;
	size_t count;

	read_with(NULL, bytes, &got);
	count = got.count;
	if (got.reader) {
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->truncated, bytes != dat.data_end);
		if (bytes != dat.data_end)
			CU_ASSERT_PTR_NOT_NULL(
				strstr(reader_counts(got.reader)->trouble, "t.dat: "));
		expect_part_of_scene(&got);
	} else {
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "t.dat"));
		CU_ASSERT(bytes < 24); /* its version can't be told, or it is no trace.dat */
	}
	collect_free(&got);
	return count;
}

static void a_file_cut_at_every_byte_gives_what_is_whole(void)
{
	for (size_t i = 0; i < FORMS; i += 2) { /* of one byte order */
		bool packed = strcmp(forms[i].compression, "none") != 0;
		size_t before = 0;

		set_scene(i);
		dat_make(&dat, &spec);
		for (size_t bytes = 0; bytes < dat.bytes; bytes++) {
			size_t count = read_cut(bytes);

			CU_ASSERT(count >= before); /* more of the file gives more */
			before = count;
			if (!packed)
				CU_ASSERT_EQUAL(
					count, bytes < dat.data_begin ? 0 : events_before(bytes));
		}
		/* behind the last event comes more: the rest of its page, or sections */
		CU_ASSERT_EQUAL(before, SCENE);
	}
}

/* With sizes and offsets as they are, no event may be missing without a word. */
static void expect_honest(const char *what, const char *form)
{
	struct collected got;
	size_t found = 0;

	read_with(NULL, dat.bytes, &got);
	for (size_t i = 0; i < SCENE; i++)
		found += got.reader && came_out(&got, i);
	if (got.status) {
		CU_ASSERT_EQUAL(got.status, -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "t.dat"));
	} else if (found < SCENE && trace_counts_complete(reader_counts(got.reader))) {
		printf("%s, %s: %zu events\n", form, what, found);
		CU_FAIL("events are missing and nothing is said");
	}
	collect_free(&got);
}

static void break_sizes(uint64_t value)
{
	for (size_t i = 0; i < FORMS; i++) {
		set_scene(i);
		spec.stats = "CPU: 0\noverrun: 0\n";
		spec.mult = 1;
		spec.buffer_count = 2;
		dat_make(&dat, &spec);
		for (size_t k = 0; k < dat.size_count; k++) {
			uint8_t saved[8];

			memcpy(saved, dat.data + dat.sizes[k].at, 8);
			dat_set(&dat, dat.sizes[k].at, value, dat.sizes[k].bytes);
			expect_honest(dat.sizes[k].name, forms[i].compression);
			memcpy(dat.data + dat.sizes[k].at, saved, 8);
		}
		expect_honest("nothing", forms[i].compression);
	}
}

static void sizes_of_zero_lose_nothing_in_silence(void)
{
	break_sizes(0);
}

static void sizes_without_end_are_not_believed(void)
{
	break_sizes(UINT64_MAX);
	break_sizes(INT64_MAX);
	break_sizes(UINT64_C(0xfffffff0));
	break_sizes(1);
	break_sizes(1000);
}

/* Any byte, any value: it ends, in order. */
static void random_damage_does_no_harm(void)
{
	uint32_t random = 1;

	for (size_t i = 0; i < FORMS; i++) {
		set_scene(i);
		dat_make(&dat, &spec);
		for (int round = 0; round < 400; round++) {
			struct collected got;
			size_t at;
			uint8_t saved;

			random = random * 1664525 + 1013904223;
			at = (random >> 8) % dat.bytes;
			saved = dat.data[at];
			dat.data[at] = (uint8_t)(saved ^ (1 << (random & 7)));
			read_with(NULL, dat.bytes, &got);
			for (size_t k = 1; k < got.count; k++)
				CU_ASSERT(got.events[k].event.time >= got.events[k - 1].event.time);
			dat.data[at] = saved;
			collect_free(&got);
		}
	}
}

static void expect_refused(const char *why)
{
	struct collected got;

	read_with(NULL, dat.bytes, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	if (!strstr(got.diag.text, why))
		printf("%s\n", got.diag.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "t.dat: "));
	collect_free(&got);
}

static void unknown_versions_and_compressions_are_refused(void)
{
	set_scene(2);
	dat_make(&dat, &spec);
	dat.data[10] = '9';
	expect_refused("version 9");
	dat.data[10] = '7';
	memcpy(dat.data + 18, "lz4", 3);
	expect_refused("its compression is lz4e"); /* behind it is the rest of "none" */
	memcpy(dat.data + 18, "none", 4);
	dat.data[12] = 2;
	expect_refused("damaged at offset 12: byte order");
}

static void damage_is_told_with_its_offset(void)
{
	char expected[64];

	set_scene(0);
	dat_make(&dat, &spec);
	dat_set(&dat, dat.data_begin + DAT_PAGE_BYTES + 8, 4096, 8);
	snprintf(expected, sizeof(expected), "damaged at offset %zu: a page that holds more",
		dat.data_begin + DAT_PAGE_BYTES + 8);
	expect_refused(expected);

	set_scene(6);
	dat_make(&dat, &spec);
	dat.data[dat.data_begin + 12] ^= 0xff; /* the first chunk's magic number */
	snprintf(expected, sizeof(expected), "damaged at offset %zu: a chunk that can't be",
		dat.data_begin + 4);
	expect_refused(expected);

	set_scene(2);
	dat_make(&dat, &spec);
	dat_set(&dat, 18 + 9, 1 << 20, 8); /* where the options are: behind "none", "1.0" */
	expect_refused("damaged at offset 1048576: section 0 should begin here");
}

static void time_that_goes_back_is_refused(void)
{
	struct ring_maker m;

	set_scene(0);
	begin(&m, 900);
	dat_event(&m, 0, DAT_CONSUME, 0x1110);
	dat_page(&spec, 0, 1, &m);
	dat_make(&dat, &spec);
	expect_refused("a page whose time goes back");
}

/* A chunk may claim 4 GiB and a section too: refused, without the memory. */
static void claims_of_size_are_not_believed(void)
{
	set_scene(6);
	dat_make(&dat, &spec);
	dat_set(&dat, dat.data_begin + 8, UINT32_MAX, 4);
	expect_refused("a chunk larger than 16 MiB");
	dat_set(&dat, dat.data_begin + 8, 15 << 20, 4);
	expect_refused("a chunk that can't be unpacked");
}

static int ignore_format(struct tracedat_handler *handler, const char *system, const char *text,
	size_t bytes, struct diag *diag)
{
	(void)handler, (void)system, (void)text, (void)bytes, (void)diag;
	return 0;
}

static int ignore_task(struct tracedat_handler *handler, int pid, const char *comm, size_t bytes)
{
	(void)handler, (void)pid, (void)comm, (void)bytes;
	return 0;
}

/* However many CPUs there are said to be, and however large their chunks. */
static void all_streams_share_a_bound_of_memory(void)
{
	struct tracedat_handler handler = { ignore_format, ignore_task };

	for (size_t i = 0; i < FORMS; i++) {
		struct diag diag = { "" };
		struct tracedat_stream stream;
		struct tracedat_file file;
		struct ring_entry entry;
		struct tracedat_gap gap;
		struct input *input;

		set_scene(i);
		dat_make(&dat, &spec);
		CU_ASSERT_EQUAL_FATAL(input_open_memory(dat.data, dat.bytes, &input), 0);
		CU_ASSERT_EQUAL_FATAL(
			tracedat_file_open(&file, input, "t.dat", &handler, &diag), 0);
		file.window_bytes = ((size_t)256 << 20) - DAT_PAGE_BYTES;
		tracedat_stream_open(&stream, &file, &file.places[0]);
		CU_ASSERT_EQUAL(tracedat_stream_next(&stream, &entry, &gap, &diag), -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "more than 256 MiB together"));
		tracedat_stream_close(&stream);
		tracedat_file_close(&file);
	}
}

static void no_data_belong_to_two_cpus(void)
{
	size_t cpus = 0;

	set_scene(2);
	dat_make(&dat, &spec);
	for (size_t k = 0; k < dat.size_count; k++) {
		if (!strcmp(dat.sizes[k].name, "offset of a CPU") && cpus++ == 1)
			dat_set(&dat, dat.sizes[k].at, dat.data_begin, 8);
	}
	expect_refused("belong to two parts of the file");
}

static const struct test_case cases[] = {
	{ "a file cut at every byte gives what is whole",
		a_file_cut_at_every_byte_gives_what_is_whole },
	{ "sizes of zero lose nothing in silence", sizes_of_zero_lose_nothing_in_silence },
	{ "sizes without end are not believed", sizes_without_end_are_not_believed },
	{ "random damage does no harm", random_damage_does_no_harm },
	{ "unknown versions and compressions are refused",
		unknown_versions_and_compressions_are_refused },
	{ "damage is told with its offset", damage_is_told_with_its_offset },
	{ "time that goes back is refused", time_that_goes_back_is_refused },
	{ "claims of size are not believed", claims_of_size_are_not_believed },
	{ "all streams share a bound of memory", all_streams_share_a_bound_of_memory },
	{ "no data belong to two CPUs", no_data_belong_to_two_cpus },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "damage", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
