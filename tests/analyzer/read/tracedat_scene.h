/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of trace.dat: one scene in all forms that the file can have.
 */
#ifndef TESTS_ANALYZER_READ_TRACEDAT_SCENE_H
#define TESTS_ANALYZER_READ_TRACEDAT_SCENE_H

#include "collect.h"
#include "tracedat_maker.h"

static const struct {
	unsigned version;
	const char *compression;
	bool big_endian;
} forms[] = {
	{ 6, "none", false },
	{ 6, "none", true },
	{ 7, "none", false },
	{ 7, "none", true },
	{ 7, "zlib", false },
	{ 7, "zlib", true },
	{ 7, "zstd", false },
	{ 7, "zstd", true },
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Six events of use, one of none, in the order of time; CPU 0 has two pages, CPU 1 has one. */
static const struct {
	uint64_t time;
	unsigned cpu;
	uint64_t packet;
} scene[] = {
	{ 1000, 0, 0xffff888100000a00 },
	{ 1005, 1, 0xffff888100000e00 },
	{ 1020, 0, 0xffff888100000b00 },
	{ 2000, 0, 0xffff888100000c00 },
	{ 2005, 0, 0xffff888100000d00 },
	{ 2005, 1, 0xffff888100000f00 },
};

#define SCENE (sizeof(scene) / sizeof(scene[0]))

static struct dat_spec spec;
static struct dat dat;

static inline void begin(struct ring_maker *m, uint64_t time)
{
	*m = (struct ring_maker){ .big_endian = spec.big_endian, .long_bytes = 8 };
	ring_begin(m, time);
}

static inline void set_scene(size_t form)
{
	struct ring_maker m;

	memset(&spec, 0, sizeof(spec));
	spec.version = forms[form].version;
	spec.compression = forms[form].compression;
	spec.big_endian = forms[form].big_endian;
	spec.clock = "local global [mono] boot\n";
	spec.buffers[0].name = "";
	spec.buffers[0].clock = spec.buffers[1].clock = "mono";
	spec.buffers[1].name = "instance";
	spec.buffer_count = 1;
	begin(&m, scene[0].time);
	dat_event(&m, 0, DAT_CONSUME, scene[0].packet);
	dat_event(&m, 10, DAT_OTHER, 1);
	dat_event(&m, 10, DAT_CONSUME, scene[2].packet);
	dat_page(&spec, 0, 0, &m);
	begin(&m, scene[3].time);
	dat_event(&m, 0, DAT_CONSUME, scene[3].packet);
	dat_event(&m, 5, DAT_CONSUME, scene[4].packet);
	dat_page(&spec, 0, 0, &m);
	begin(&m, scene[1].time);
	dat_event(&m, 0, DAT_CONSUME, scene[1].packet);
	dat_event(&m, 1000, DAT_CONSUME, scene[5].packet);
	dat_page(&spec, 0, 1, &m);
}

/* With options, if there are some. */
static inline void read_with(
	const struct reader_options *options, size_t bytes, struct collected *got)
{
	struct input *input;
	uint8_t *copy = malloc(bytes ? bytes : 1); /* just that size, for the sanitizer */

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, dat.data, bytes);
	*got = (struct collected){ 0 };
	CU_ASSERT_EQUAL_FATAL(input_open_memory(copy, bytes, &input), 0);
	got->status = reader_open_input(input, "t.dat", options, 64, &got->reader, &got->diag);
	free(copy);
	if (!got->status)
		collect_events(got);
}

static inline void make_and_read(struct collected *got)
{
	dat_make(&dat, &spec);
	read_with(NULL, dat.bytes, got);
	CU_ASSERT_EQUAL_FATAL(got->status, 0);
}

#endif
