/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receive window, against what Linux's rules give when they are worked out by hand. Half of a
 * buffer is payload; a segment has 1448 bytes and takes 2176 of memory; windows are multiples of
 * 128.
 */
#include "window.h"

#include "harness.h"

#define MS     UINT64_C(1000000)
#define FULL   1448
#define MEMORY 2176

static struct window window;

/* A full segment comes, and is read at once if `reads`. Returns whether it is acknowledged. */
static bool segment(uint64_t now, bool reads)
{
	bool acks;

	window_data(&window, FULL, MEMORY, false, 16, now);
	acks = window_wants_ack(&window);
	if (acks)
		window_acknowledge(&window);
	if (reads)
		window_read(&window, FULL, MEMORY, now);
	return acks;
}

/*
 * 131072 are 65536 of payload. Offered are whole segments of 1460, which are 44; a segment is
 * reserved: the threshold is 65536 - 1448, and stays, since that is all there may be.
 */
static void a_buffer_is_half_payload(void)
{
	window_init(&window, FULL, 0);
	CU_ASSERT_EQUAL(window.buffer, 131072);
	CU_ASSERT_EQUAL(window.offered, 64240);
	CU_ASSERT_EQUAL(window.threshold, 64088);
	CU_ASSERT(segment(0, true));
	CU_ASSERT_EQUAL(window.threshold, 64088);
	CU_ASSERT_EQUAL(window.offered, 64128); /* 64088, rounded up */
	CU_ASSERT_EQUAL(window.acked, FULL);
	window_init(&window, FULL, 1000000);
	CU_ASSERT_EQUAL(window.offered, 65535);
	CU_ASSERT_EQUAL(window.threshold, 65535);
	CU_ASSERT_EQUAL(window.most, 500000 - FULL);
}

/* 64240 / (2 x 536), the first guess of a segment, would be 59: at most 16. Then every second. */
static void acks_are_quick_at_first_and_after_a_pause(void)
{
	uint64_t now = 0;

	window_init(&window, FULL, 131072);
	for (int i = 0; i < 16; i++)
		CU_ASSERT(segment(now += MS, true));
	for (int i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(segment(now += MS, true), i % 2 == 1);
	CU_ASSERT_EQUAL(window.quick_sent, 16);
	now += 200 * MS; /* not longer than the least retransmission timeout */
	CU_ASSERT_FALSE(segment(now, true));
	CU_ASSERT(segment(now, true));
	now += 201 * MS;
	for (int i = 0; i < 16; i++) /* 64128 / (2 x 1448) = 22 */
		CU_ASSERT(segment(now, true));
	CU_ASSERT_FALSE(segment(now, true));
}

/*
 * From 65535 to 200000 - 1448 there are 133,017: by 2896 a segment they are reached with the 46th.
 * Each of those is acknowledged at once; and the 16 that a connection begins with are still there.
 */
static void while_the_window_grows_each_segment_is_acknowledged(void)
{
	unsigned acks = 0;

	window_init(&window, FULL, 400000);
	segment(0, true);
	CU_ASSERT_EQUAL(window.threshold, 65535 + 2 * FULL);
	for (acks = 1; segment(MS, true);)
		acks++;
	CU_ASSERT_EQUAL(acks, 46 + 16);
	CU_ASSERT_EQUAL(window.threshold, 200000 - FULL);
}

/* Two unread segments leave (131072 - 4352) / 2 = 63360 of 64128: the process has to send the ACK.
 */
static void unread_data_withholds_the_ack(void)
{
	window_init(&window, FULL, 131072);
	for (int i = 0; i < 16; i++)
		segment(0, true);
	CU_ASSERT_FALSE(window_wants_ack_after_read(&window, 16 * FULL)); /* none is owed */
	CU_ASSERT_FALSE(segment(0, false));
	CU_ASSERT_FALSE(segment(0, false));
	CU_ASSERT_EQUAL(window.next - window.acked, 2 * FULL);
	window_read(&window, 2 * FULL, 2 * MEMORY, 0);
	CU_ASSERT(window_wants_ack_after_read(&window, 2 * FULL));
	CU_ASSERT_EQUAL(window_acknowledge(&window), 64128);
	CU_ASSERT_FALSE(window_wants_ack_after_read(&window, 2 * FULL));
}

/* One small segment that ends a write: the process that has read it, and all, acknowledges it. */
static void the_end_of_a_write_is_acknowledged_when_read(void)
{
	window_init(&window, FULL, 131072);
	for (int i = 0; i < 16; i++)
		segment(0, true);
	window_data(&window, 376, MEMORY, true, 16, 0);
	CU_ASSERT_FALSE(window_wants_ack(&window));
	CU_ASSERT_FALSE(window_wants_ack_after_read(&window, 0));
	window_read(&window, 376, MEMORY, 0);
	CU_ASSERT(window_wants_ack_after_read(&window, 376));
}

/*
 * 44 unread segments take 95,744 bytes: 17,664 are left of half of the rest. 60 take 130,560, and
 * 256 are left: less than a sixteenth, so nothing is offered, and nothing is open any more.
 */
static void a_full_buffer_closes_the_window(void)
{
	window_init(&window, FULL, 131072);
	for (int i = 0; i < 16; i++)
		segment(0, true);
	for (int i = 0; i < 44; i++)
		CU_ASSERT_FALSE(segment(0, false));
	CU_ASSERT_EQUAL(window_acknowledge(&window), 17664);
	for (int i = 0; i < 16; i++)
		segment(0, false);
	CU_ASSERT_EQUAL(window_acknowledge(&window), 0);
	/* half of it read: (131072 - 65280) / 2 = 32896 are at least twice 0 */
	window_read(&window, 30 * FULL, 30 * MEMORY, 0);
	CU_ASSERT(window_wants_ack_after_read(&window, 30 * FULL));
	CU_ASSERT_EQUAL(window_acknowledge(&window), 32896);
}

/*
 * In the first round trip, of 1 ms, 20 segments are read: twice what was expected, 10. That makes
 * 2 x 28960 + 16 x 1448 = 81088, and twice as much again: 243,264, which are 168 segments, of 2984
 * bytes each: 1448 with 896 of overhead are 2344; 5 x 128 more, and half of it is 1448 or more.
 */
static void a_buffer_that_nobody_has_set_grows_with_what_is_read(void)
{
	window_init(&window, FULL, 0);
	window_round_trip(&window, MS);
	for (int i = 0; i < 19; i++)
		segment(0, true);
	CU_ASSERT_EQUAL(window.buffer, 131072);
	segment(MS, true);
	CU_ASSERT_EQUAL(window.buffer, 168 * 2984);
	CU_ASSERT_EQUAL(window.most, 84 * 2984);
	for (int i = 0; i < 20; i++) /* as much again: that needs no more */
		segment(2 * MS, true);
	CU_ASSERT_EQUAL(window.buffer, 168 * 2984);

	window_init(&window, FULL, 131072); /* set by the user, it stays */
	window_round_trip(&window, MS);
	for (int i = 0; i < 20; i++)
		segment(MS, true);
	CU_ASSERT_EQUAL(window.buffer, 131072);
}

/*
 * 43 unread segments of 4096 bytes each: a segment that is mostly overhead. Nothing is left, but
 * 64128 less 43 x 1448 are still open: 1864, rounded up to 1920. What was offered never shrinks.
 */
static void an_open_window_never_shrinks(void)
{
	window_init(&window, FULL, 131072);
	for (int i = 0; i < 16; i++)
		segment(0, true);
	for (int i = 0; i < 43; i++)
		window_data(&window, FULL, 4096, false, 16, 0);
	CU_ASSERT_EQUAL(window_acknowledge(&window), 1920);
}

static const struct test_case cases[] = {
	{ "a buffer is half payload", a_buffer_is_half_payload },
	{ "ACKs are quick at first and after a pause", acks_are_quick_at_first_and_after_a_pause },
	{ "while the window grows each segment is acknowledged",
		while_the_window_grows_each_segment_is_acknowledged },
	{ "unread data withholds the ACK", unread_data_withholds_the_ack },
	{ "the end of a write is acknowledged when read",
		the_end_of_a_write_is_acknowledged_when_read },
	{ "a full buffer closes the window", a_full_buffer_closes_the_window },
	{ "an open window never shrinks", an_open_window_never_shrinks },
	{ "a buffer that nobody has set grows with what is read",
		a_buffer_that_nobody_has_set_grows_with_what_is_read },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "window", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
