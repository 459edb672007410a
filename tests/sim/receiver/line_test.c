/* SPDX-License-Identifier: BSD-3-Clause */
/* A cable has one frame at a time, and frames keep their order. */
#include "line.h"

#include "harness.h"
#include <string.h>

static struct line line;

static void begin(void)
{
	memset(&line, 0, sizeof(line));
}

/* Three frames of 100 cycles: two at once, the third when the line has been idle for 50. */
static void a_frame_waits_for_the_one_before(void)
{
	begin();
	line_put(&line, 60, 100, 1000);
	line_put(&line, 61, 100, 1000);
	line_put(&line, 62, 100, 1250);
	CU_ASSERT_PTR_NULL(line_arrived(&line, 1099));
	CU_ASSERT_PTR_NOT_NULL_FATAL(line_arrived(&line, 1100));
	CU_ASSERT_EQUAL(line_arrived(&line, 1100)->bytes, 60);
	line_take(&line);
	CU_ASSERT_PTR_NULL(line_arrived(&line, 1199));
	CU_ASSERT_PTR_NOT_NULL_FATAL(line_arrived(&line, 2000));
	CU_ASSERT_EQUAL(line_arrived(&line, 2000)->at, 1200);
	line_take(&line);
	CU_ASSERT_PTR_NULL(line_arrived(&line, 1349));
	CU_ASSERT_PTR_NOT_NULL_FATAL(line_arrived(&line, 1350));
	CU_ASSERT_EQUAL(line_arrived(&line, 1350)->bytes, 62);
	line_take(&line);
	CU_ASSERT_PTR_NULL(line_arrived(&line, UINT64_MAX));
}

static void what_is_put_in_comes_out(void)
{
	begin();
	for (unsigned i = 0; i < 3 * LINE_FRAMES; i++) {
		uint8_t *data = line_put(&line, LINE_FRAME_MOST, 1, i);
		const struct line_frame *frame;

		CU_ASSERT_PTR_NOT_NULL_FATAL(data);
		memset(data, (int)(i & 0xff), LINE_FRAME_MOST);
		frame = line_arrived(&line, i + 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(frame);
		CU_ASSERT_EQUAL(frame->bytes, LINE_FRAME_MOST);
		CU_ASSERT_EQUAL(frame->data[0], (i & 0xff));
		CU_ASSERT_EQUAL(frame->data[LINE_FRAME_MOST - 1], (i & 0xff));
		line_take(&line);
	}
	CU_ASSERT_EQUAL(line.lost, 0);
	CU_ASSERT_EQUAL(line.frames, 3 * LINE_FRAMES);
}

static void what_finds_no_room_is_counted(void)
{
	begin();
	CU_ASSERT_PTR_NULL(line_put(&line, LINE_FRAME_MOST + 1, 1, 0));
	CU_ASSERT_EQUAL(line.lost, 1);
	for (unsigned i = 0; i < LINE_FRAMES; i++)
		CU_ASSERT_PTR_NOT_NULL(line_put(&line, 60, 1, 0));
	CU_ASSERT_PTR_NULL(line_put(&line, 60, 1, 0));
	CU_ASSERT_EQUAL(line.lost, 2);
	line_take(&line);
	CU_ASSERT_PTR_NOT_NULL(line_put(&line, 60, 1, 0));
	CU_ASSERT_EQUAL(line.frame[0].at, 65); /* behind 64 others */
}

static const struct test_case cases[] = {
	{ "a frame waits for the one before", a_frame_waits_for_the_one_before },
	{ "what is put in comes out", what_is_put_in_comes_out },
	{ "what finds no room is counted", what_finds_no_room_is_counted },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "line", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
