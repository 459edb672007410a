/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"

#include "harness.h"
#include <stddef.h>
#include <string.h>

/* Positions are those of the table in event.h, written out by hand. */
static void fields_stand_at_their_bits(void)
{
	CU_ASSERT_EQUAL(EVENT_PUT(START_XMIT, gso_size, 1448), 0x5a8);
	CU_ASSERT_EQUAL(EVENT_PUT(START_XMIT, gso_segs, 3), 0x30000);
	CU_ASSERT_EQUAL(EVENT_PUT(START_XMIT, header_bytes, 66), UINT64_C(0x4200000000));
	CU_ASSERT_EQUAL(EVENT_PUT(START_XMIT, queue_high, 1), UINT64_C(0x1000000000000));
	CU_ASSERT_EQUAL(EVENT_PUT(FREE, aborted, 1), 0x10000);
	CU_ASSERT_EQUAL(EVENT_PUT(NAPI_POLL, budget, 64), UINT64_C(0x4000000000));
	CU_ASSERT_EQUAL(EVENT_PUT(SOCK_RECV, process, 0x123456), 0x123456);
	CU_ASSERT_EQUAL(EVENT_PUT(SOCK_RECV, family, 10), 0xa000000);
	CU_ASSERT_EQUAL(EVENT_PUT(SOCK_RECV, protocol, 17), UINT64_C(0x1100000000));
	CU_ASSERT_EQUAL(EVENT_PUT(SOCK_RECV, flags, 2), UINT64_C(0x2000000000000));
	CU_ASSERT_EQUAL(EVENT_PUT(SOFTIRQ_ENTRY, task, 5), 0x500);
	CU_ASSERT_EQUAL(EVENT_PUT(COPY, task, 5), 5);
	CU_ASSERT_EQUAL(EVENT_PUT(LOST, unknown, 1), UINT64_C(0x8000000000000000));
}

static void what_is_put_comes_out(void)
{
	uint64_t arg = UINT64_C(0x01004200000305a8);

	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, arg), 1448);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, arg), 3);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, header_bytes, arg), 0x4200);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, queue_high, arg), 0);

	arg = EVENT_PUT(NAPI_POLL, work, EVENT_WORK_UNKNOWN) | EVENT_PUT(NAPI_POLL, budget, 300);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, arg), EVENT_WORK_UNKNOWN);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, arg), 300);

	arg = EVENT_PUT(LOST, count, INT64_MAX) | EVENT_PUT(LOST, unknown, 0);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, arg), INT64_MAX);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, unknown, arg), 0);
}

static void a_value_too_wide_does_not_spill(void)
{
	CU_ASSERT_EQUAL(EVENT_PUT(START_XMIT, gso_size, 0x1ffff), 0xffff);
	CU_ASSERT_EQUAL(EVENT_PUT(FREE, aborted, 2), 0);
	CU_ASSERT_EQUAL(EVENT_PUT(LOST, count, UINT64_MAX), INT64_MAX);
}

static void a_negative_return_code_survives(void)
{
	uint64_t arg = EVENT_PUT(XMIT, rc, (uint64_t)(int64_t)-12);

	CU_ASSERT_EQUAL(arg, 0xfffffff4);
	CU_ASSERT_EQUAL((int32_t)EVENT_GET(XMIT, rc, arg), -12);
}

/* A reader of the table (metadata, dump) relies on order, and on no bit having two owners. */
static void the_table_has_no_overlap(void)
{
	uint64_t seen[EVENT_ID_COUNT] = { 0 };
	unsigned rows = 0, last = EVENT_NONE;

	for (const struct event_field *f = event_fields; f->name; f++, rows++) {
		uint64_t mask = f->bits == 64 ? UINT64_MAX : ((UINT64_C(1) << f->bits) - 1);

		CU_ASSERT_FATAL(f->id > EVENT_NONE && f->id < EVENT_ID_COUNT);
		CU_ASSERT(f->shift + f->bits <= 64);
		CU_ASSERT_EQUAL(seen[f->id] & mask << f->shift, 0);
		CU_ASSERT(seen[f->id] < UINT64_C(1) << f->shift); /* lowest bits first */
		CU_ASSERT(f->id == last || !seen[f->id]); /* fields of one event stand together */
		seen[f->id] |= mask << f->shift;
		last = f->id;
	}
	CU_ASSERT_EQUAL(rows, 29);
}

static void the_record_has_its_layout(void)
{
	CU_ASSERT_EQUAL(offsetof(struct event, time), 0);
	CU_ASSERT_EQUAL(offsetof(struct event, id), 8);
	CU_ASSERT_EQUAL(offsetof(struct event, device), 10);
	CU_ASSERT_EQUAL(offsetof(struct event, queue), 11);
	CU_ASSERT_EQUAL(offsetof(struct event, len), 12);
	CU_ASSERT_EQUAL(offsetof(struct event, packet), 16);
	CU_ASSERT_EQUAL(offsetof(struct event, arg), 24);
}

/* Traces on disk hold these numbers: a new event goes to the end of the list. */
static void events_have_their_numbers_and_names(void)
{
	CU_ASSERT_EQUAL(EVENT_NAME, 1);
	CU_ASSERT_EQUAL(EVENT_START_XMIT, 3);
	CU_ASSERT_EQUAL(EVENT_FREE, 6);
	CU_ASSERT_EQUAL(EVENT_LOST, 21);
	CU_ASSERT_STRING_EQUAL(event_name(EVENT_NAME), "name");
	CU_ASSERT_STRING_EQUAL(event_name(EVENT_START_XMIT), "start_xmit");
	CU_ASSERT_STRING_EQUAL(event_name(EVENT_LOST), "lost");
	for (unsigned id = EVENT_NONE + 1; id < EVENT_ID_COUNT; id++)
		CU_ASSERT_PTR_NOT_NULL(event_name(id));
}

static void a_number_that_is_no_event_has_no_name(void)
{
	CU_ASSERT_PTR_NULL(event_name(EVENT_NONE));
	CU_ASSERT_PTR_NULL(event_name(EVENT_ID_COUNT));
	CU_ASSERT_PTR_NULL(event_name(UINT16_MAX));
	CU_ASSERT_PTR_NULL(event_name(UINT32_MAX));
}

static void a_starts_queue_has_16_bits(void)
{
	struct event event = { .id = EVENT_START_XMIT, .queue = 255 };

	CU_ASSERT_EQUAL(event_queue(&event), 255);
	event.arg = EVENT_PUT(START_XMIT, queue_high, 255);
	CU_ASSERT_EQUAL(event_queue(&event), EVENT_QUEUE_UNKNOWN);
	event.queue = 254;
	CU_ASSERT_EQUAL(event_queue(&event), 65534);
	event.id = EVENT_XMIT; /* nothing but low bits */
	CU_ASSERT_EQUAL(event_queue(&event), 254);
	event.queue = EVENT_NO_QUEUE;
	CU_ASSERT_EQUAL(event_queue(&event), EVENT_QUEUE_UNKNOWN);
}

static const struct test_case fields[] = {
	{ "fields stand at their bits", fields_stand_at_their_bits },
	{ "what is put comes out", what_is_put_comes_out },
	{ "a value too wide does not spill into its neighbour", a_value_too_wide_does_not_spill },
	{ "a negative return code survives", a_negative_return_code_survives },
	{ "the table has no overlap", the_table_has_no_overlap },
	{ "a start's queue has 16 bits", a_starts_queue_has_16_bits },
	{ 0 },
};

static const struct test_case vocabulary[] = {
	{ "the record has its layout", the_record_has_its_layout },
	{ "events have their numbers and names", events_have_their_numbers_and_names },
	{ "a number that is no event has no name", a_number_that_is_no_event_has_no_name },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "fields of arg", fields },
		{ "vocabulary", vocabulary },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
