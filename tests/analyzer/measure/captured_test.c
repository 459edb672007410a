/* SPDX-License-Identifier: BSD-3-Clause */
#include "captured.h"

#include "harness.h"
#include <string.h>

#define US UINT64_C(1000)

static struct captured captured;

static void begin(void)
{
	CU_ASSERT_EQUAL_FATAL(captured_init(&captured), 0);
}

static const struct captured_report *end(void)
{
	return captured_finish(&captured);
}

static void take(const struct capture_frame *frame)
{
	CU_ASSERT_EQUAL(captured_frame(&captured, frame), 0);
}

/* A frame of any kind at a time. */
static void frame_at(uint64_t time_ns, enum capture_kind kind, uint32_t wire_bytes)
{
	take(&(struct capture_frame){
		.time_ns = time_ns, .kind = (uint8_t)kind, .wire_bytes = wire_bytes });
}

/* Of connection `number`: 0 sends to 1, or 1 to 0. */
static struct capture_frame tcp(unsigned number, int from, uint64_t time_ns, unsigned flags)
{
	struct capture_frame frame = {
		.time_ns = time_ns, .kind = CAPTURE_TCP, .wire_bytes = 54, .flags = (uint8_t)flags
	};
	struct capture_end *client = from ? &frame.destination : &frame.source;
	struct capture_end *server = from ? &frame.source : &frame.destination;

	memcpy(client->address, &number, sizeof(number));
	client->port = 40000;
	server->port = 80;
	return frame;
}

static void syn(int from, uint16_t mss)
{
	struct capture_frame frame = tcp(0, from, 0, from ? TCP_SYN | TCP_ACK : TCP_SYN);

	frame.mss = mss;
	take(&frame);
}

static void data(int from, uint64_t time_ns, uint32_t sequence, uint32_t bytes, uint32_t ack)
{
	struct capture_frame frame = tcp(0, from, time_ns, TCP_ACK);

	frame.sequence = sequence;
	frame.payload_bytes = bytes;
	frame.acknowledged = ack;
	take(&frame);
}

static void ack(int from, uint64_t time_ns, uint32_t acknowledged)
{
	data(from, time_ns, 1, 0, acknowledged);
}

static void a_capture_of_nothing_has_no_gap(void)
{
	const struct captured_report *report;

	begin();
	report = end();
	CU_ASSERT_EQUAL(report->packets, 0);
	CU_ASSERT_EQUAL(report->gap_ns.count, 0);
	CU_ASSERT_FALSE(report->timed);
	captured_clear(&captured);
}

static void frames_bytes_and_gaps_are_counted(void)
{
	const struct captured_report *report;

	begin();
	frame_at(10 * US, CAPTURE_IP, 64);
	frame_at(40 * US, CAPTURE_SKIPPED, 74);
	frame_at(110 * US, CAPTURE_IP, 84);
	frame_at(110 * US, CAPTURE_IP, 1);
	report = end();
	CU_ASSERT_EQUAL(report->packets, 4);
	CU_ASSERT_EQUAL(report->other_ip, 3);
	CU_ASSERT_EQUAL(report->skipped, 1);
	CU_ASSERT_EQUAL(report->bytes, 223);
	CU_ASSERT_EQUAL(report->gap_ns.count, 3);
	CU_ASSERT_EQUAL(report->gap_ns.min, 0);
	CU_ASSERT_EQUAL(report->gap_ns.max, 70 * US);
	CU_ASSERT_EQUAL(report->duration_ns, 100 * US);
	captured_clear(&captured);
}

/* Of 10, 40, bad, 110, 115 the gaps are 30 and 5: 40 and 110 are no neighbours. */
static void a_bad_stamp_takes_part_in_no_gap(void)
{
	const struct captured_report *report;
	struct capture_frame bad = tcp(0, 0, 0, TCP_ACK);

	bad.time_bad = true;
	begin();
	frame_at(10 * US, CAPTURE_IP, 64);
	frame_at(40 * US, CAPTURE_IP, 64);
	take(&bad);
	frame_at(110 * US, CAPTURE_IP, 64);
	frame_at(115 * US, CAPTURE_IP, 64);
	report = end();
	CU_ASSERT_EQUAL(report->packets, 5);
	CU_ASSERT_EQUAL(report->bad_timestamps, 1);
	CU_ASSERT_EQUAL(report->acks, 1);
	CU_ASSERT_EQUAL(report->gap_ns.count, 2);
	CU_ASSERT_EQUAL(report->gap_ns.min, 5 * US);
	CU_ASSERT_EQUAL(report->gap_ns.max, 30 * US);
	captured_clear(&captured);
}

static void no_gap_is_negative(void)
{
	const struct captured_report *report;

	begin();
	frame_at(40 * US, CAPTURE_IP, 64);
	frame_at(10 * US, CAPTURE_IP, 64);
	frame_at(50 * US, CAPTURE_IP, 64);
	report = end();
	CU_ASSERT_EQUAL(report->out_of_order, 1);
	CU_ASSERT_EQUAL(report->gap_ns.count, 1);
	CU_ASSERT_EQUAL(report->gap_ns.max, 40 * US);
	CU_ASSERT_EQUAL(report->duration_ns, 40 * US);
	captured_clear(&captured);
}

/* The client takes 1000 bytes a segment, the server 500. */
static void a_large_payload_is_as_many_segments_as_the_peer_takes(void)
{
	const struct captured_report *report;

	begin();
	syn(0, 1000);
	syn(1, 500);
	data(1, 1, 1, 3000, 1);    /* 3 segments */
	data(1, 2, 3001, 3001, 1); /* 4 */
	data(0, 3, 1, 500, 1);     /* 1 */
	data(0, 4, 501, 501, 1);   /* 2 */
	report = end();
	CU_ASSERT_EQUAL(report->segments, 10);
	CU_ASSERT_EQUAL(report->payload_bytes, 7002);
	CU_ASSERT_EQUAL(report->acks, 0);
	CU_ASSERT_EQUAL_FATAL(report->flow_count, 2);
	CU_ASSERT_EQUAL(report->flows[0].segments, 3);
	CU_ASSERT_EQUAL(report->flows[0].from.port, 40000);
	CU_ASSERT_EQUAL(report->flows[1].segments, 7);
	CU_ASSERT_EQUAL(report->flows[1].from.port, 80);
	captured_clear(&captured);
}

static void without_a_syn_a_segment_has_1460_bytes(void)
{
	begin();
	data(0, 1, 1, 1460, 1);
	data(0, 2, 1461, 14601, 1); /* 11 */
	CU_ASSERT_EQUAL(end()->segments, 12);
	captured_clear(&captured);
	/* one of the two SYNs is missing: what it offered is the best guess */
	begin();
	syn(0, 1000);
	data(0, 1, 1, 2920, 1);
	CU_ASSERT_EQUAL(end()->segments, 3);
	captured_clear(&captured);
}

static void only_an_ack_without_anything_else_is_pure(void)
{
	static const unsigned flags[] = { TCP_ACK, TCP_ACK | TCP_SYN, TCP_ACK | TCP_FIN,
		TCP_ACK | TCP_RST, TCP_RST, 0, TCP_ACK | 0x40 /* ECE */ };

	begin();
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct capture_frame frame = tcp(0, 0, 0, flags[i]);

		take(&frame);
	}
	data(0, 1, 1, 1, 1);
	CU_ASSERT_EQUAL(end()->acks, 2);
	captured_clear(&captured);
}

static void an_ack_answers_all_that_it_covers(void)
{
	const struct captured_report *report;

	begin();
	data(0, 10 * US, 1, 100, 1);
	data(0, 12 * US, 101, 100, 1);
	data(0, 15 * US, 201, 100, 1);
	ack(1, 20 * US, 201);        /* the first two: 10 and 8 us */
	data(1, 30 * US, 1, 5, 301); /* the third, but it is no pure one */
	ack(1, 40 * US, 301);        /* nothing is open */
	ack(0, 36 * US, 6);          /* 6 us */
	report = end();
	CU_ASSERT_EQUAL(report->ack_delay_ns.count, 3);
	CU_ASSERT_EQUAL(report->ack_delay_ns.min, 6 * US);
	CU_ASSERT_EQUAL(report->ack_delay_ns.max, 10 * US);
	CU_ASSERT_DOUBLE_EQUAL(report->ack_delay_ns.avg, 8000, 1e-9);
	CU_ASSERT_EQUAL(report->acks, 3);
	CU_ASSERT_EQUAL(report->flows[0].acks_back, 2);
	captured_clear(&captured);
}

static void an_ack_of_half_a_segment_does_not_cover_it(void)
{
	begin();
	data(0, 10, 1, 100, 1);
	ack(1, 20, 100);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, 0);
	ack(1, 30, 101);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, 1);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.max, 20);
	captured_clear(&captured);
}

static void sequence_numbers_wrap(void)
{
	begin();
	data(0, 10, 0xffffffce, 100, 1); /* to 50 */
	ack(1, 17, 50);
	data(0, 20, 50, 100, 1);
	ack(1, 29, 150);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, 2);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.min, 7);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.max, 9);
	captured_clear(&captured);
}

static void what_was_sent_twice_is_not_measured(void)
{
	begin();
	data(0, 10, 1, 100, 1);
	data(0, 200, 1, 100, 1);
	ack(1, 210, 101);
	data(0, 300, 101, 100, 1);
	ack(1, 305, 201);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, 1);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.max, 5);
	CU_ASSERT_EQUAL(end()->segments, 3);
	captured_clear(&captured);
}

static void a_syn_begins_a_new_connection(void)
{
	struct capture_frame again = tcp(0, 0, 20, TCP_SYN);

	begin();
	data(0, 10, 1000000, 100, 1);
	again.sequence = 6;
	take(&again);
	data(0, 30, 7, 100, 1); /* lower than before, yet new */
	ack(1, 34, 107);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, 1);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.max, 4);
	captured_clear(&captured);
}

/* The oldest make place, those that are heard of stay; totals count them all. */
static void the_table_of_connections_is_bounded(void)
{
	const struct captured_report *report;

	begin();
	for (unsigned i = 0; i < CONNECTIONS_MOST + 100; i++) {
		struct capture_frame frame = tcp(i, 0, i, TCP_ACK);

		frame.sequence = i;
		frame.payload_bytes = i == 0 ? 100 : 1;
		take(&frame);
		frame = tcp(0, 1, i, TCP_ACK); /* the first one is always heard of */
		take(&frame);
	}
	report = end();
	CU_ASSERT_EQUAL(report->connections, CONNECTIONS_MOST);
	CU_ASSERT_EQUAL(report->evicted, 100);
	CU_ASSERT_EQUAL(report->segments, CONNECTIONS_MOST + 100);
	CU_ASSERT_EQUAL(report->acks, CONNECTIONS_MOST + 100);
	CU_ASSERT_EQUAL(report->flow_count, CAPTURED_FLOWS_MOST);
	CU_ASSERT_EQUAL(report->flows[0].payload_bytes, 100);
	CU_ASSERT_EQUAL(report->flows[0].acks_back, CONNECTIONS_MOST + 100);
	CU_ASSERT_EQUAL(report->flows[2].payload_bytes, 1);
	captured_clear(&captured);
}

static void segments_that_wait_are_bounded(void)
{
	begin();
	for (uint32_t i = 0; i < CONNECTIONS_OPEN_MOST + 7; i++)
		data(0, i, i, 1, 1);
	ack(1, CONNECTIONS_OPEN_MOST + 7, CONNECTIONS_OPEN_MOST + 7);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.count, CONNECTIONS_OPEN_MOST);
	CU_ASSERT_EQUAL(end()->ack_delay_ns.max, CONNECTIONS_OPEN_MOST + 7);
	CU_ASSERT_EQUAL(end()->untimed, 7);
	/* and their places are free again */
	data(0, 0, CONNECTIONS_OPEN_MOST + 7, 1, 1);
	CU_ASSERT_EQUAL(end()->untimed, 7);
	captured_clear(&captured);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(a_capture_of_nothing_has_no_gap),
	CASE(frames_bytes_and_gaps_are_counted),
	CASE(a_bad_stamp_takes_part_in_no_gap),
	CASE(no_gap_is_negative),
	CASE(a_large_payload_is_as_many_segments_as_the_peer_takes),
	CASE(without_a_syn_a_segment_has_1460_bytes),
	CASE(only_an_ack_without_anything_else_is_pure),
	CASE(an_ack_answers_all_that_it_covers),
	CASE(an_ack_of_half_a_segment_does_not_cover_it),
	CASE(sequence_numbers_wrap),
	CASE(what_was_sent_twice_is_not_measured),
	CASE(a_syn_begins_a_new_connection),
	CASE(the_table_of_connections_is_bounded),
	CASE(segments_that_wait_are_bounded),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "captured", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
