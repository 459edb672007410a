/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole of it in real time, a little at a time. Nothing here depends on how long things take.
 */
#include "receiver.h"

#include "harness.h"
#include <string.h>

#define SEGMENTS 2000
#define MSS      1460

static struct receiver_outcome outcome;
static struct diag diag;

static int teardown(void)
{
	scenario_shut_down();
	return 0;
}

/* Runs with these settings, then checks what must be true of any run. */
static void run(const char *const *set, unsigned count)
{
	struct run_options options = { 0 };
	static struct scenario scenario;
	const struct rxcost_table *all;

	test_leaks_allow(); /* DPDK and lwIP keep some of what they took */
	CU_ASSERT_EQUAL_FATAL(scenario_load(&scenario, NULL, set, count, &diag), 0);
	CU_ASSERT_EQUAL_FATAL(receiver_run(&scenario, &options, &outcome, &diag), 0);
	all = &outcome.all_report->all;
	CU_ASSERT_FALSE(outcome.broken);
	CU_ASSERT_EQUAL(outcome.read, outcome.written);
	CU_ASSERT_EQUAL(outcome.acked, outcome.written);
	CU_ASSERT_EQUAL(outcome.wrong, 0);
	CU_ASSERT_EQUAL(outcome.report->device_count, 1);
	CU_ASSERT_EQUAL(outcome.report->devices[0].at_end, 0);
	/* each frame that came up has its pair, its cost and its entry in the log */
	CU_ASSERT_EQUAL(all->pairs, outcome.counts.handed_up);
	CU_ASSERT_EQUAL(all->packets, outcome.counts.handed_up);
	CU_ASSERT_EQUAL(outcome.log.written, outcome.counts.handed_up);
	CU_ASSERT_EQUAL(outcome.all_report->unpaired, 0);
	/* each ACK on the wire was seen as one when it started */
	CU_ASSERT_EQUAL(
		outcome.counts.acks, all->acks_inside + all->acks_in_softirq + all->acks_elsewhere);
	CU_ASSERT_EQUAL(
		outcome.report->devices[0].tx_packets, outcome.counts.acks + outcome.counts.others);
}

#define BASE "clock=tsc", "workload.type=lwip_receive", "duration_s=20", "stream_bytes=2920000"
#define RUN(...)                                                        \
	do {                                                            \
		static const char *const set[] = { BASE, __VA_ARGS__ }; \
		run(set, sizeof(set) / sizeof(*set));                   \
	} while (0)

static void a_stream_arrives_whole(void)
{
	const struct rxcost_table *all;

	RUN("InterruptThrottleRate=8000");
	all = &outcome.all_report->all;
	CU_ASSERT_EQUAL(outcome.read, SEGMENTS * MSS);
	CU_ASSERT_EQUAL(outcome.counts.segments, SEGMENTS);
	CU_ASSERT_EQUAL(all->with_ack.count + all->without_ack.count, SEGMENTS);
	/* RFC 5681, 4.2: at least every second full-sized segment is confirmed */
	CU_ASSERT_TRUE(outcome.counts.acks >= SEGMENTS / 2);
	receiver_release(&outcome);
}

/* The driver's log and the events tell of the same packets the same: newest first. */
static void the_log_has_what_the_events_say(void)
{
	const struct rxcost_table *all;

	RUN("InterruptThrottleRate=8000");
	all = &outcome.all_report->all;
	CU_ASSERT_EQUAL_FATAL(all->newest_count, receive_log_count(&outcome.log));
	for (unsigned age = 0; age < all->newest_count; age++) {
		const struct rxcost_sample *sample = &all->newest[all->newest_count - 1 - age];
		uint32_t entry = receive_log_entry(&outcome.log, age);

		if (sample->cost != (entry & RECEIVE_LOG_MOST)) {
			CU_FAIL("a cost differs");
			break;
		}
		/* an ARP reply is sent, too, but no ACK */
		if (sample->sent_ack && !(entry & RECEIVE_LOG_SENT)) {
			CU_FAIL("an ACK's mark is missing");
			break;
		}
	}
	receiver_release(&outcome);
}

static void a_poll_ends_at_its_weight(void)
{
	RUN("InterruptThrottleRate=1000", "dev_weight=3");
	CU_ASSERT_TRUE(outcome.counts.polls * 3 >= outcome.counts.handed_up);
	receiver_release(&outcome);
}

static void without_the_nics_checksum_it_arrives_too(void)
{
	RUN("checksum=false", "line_rate_mbps=0");
	receiver_release(&outcome);
}

/* 63 buffers hold a window of 45 segments. */
static void small_rings_are_enough(void)
{
	RUN("rx_ring_size=64", "ring_size=64");
	CU_ASSERT_EQUAL(outcome.rx_missed, 0);
	CU_ASSERT_EQUAL(outcome.line_lost, 0);
	receiver_release(&outcome);
}

/* The stream is as long as the time: what was sent until then arrives. */
static void without_a_length_it_ends_with_the_time(void)
{
	static const char *const set[] = { "clock=tsc", "workload.type=lwip_receive",
		"duration_s=0.05" };

	run(set, sizeof(set) / sizeof(*set));
	CU_ASSERT_TRUE(outcome.seconds >= 0.05);
	CU_ASSERT_TRUE(outcome.read > 0);
	receiver_release(&outcome);
}

static const struct test_case cases[] = {
	{ "a stream arrives whole", a_stream_arrives_whole },
	{ "the log has what the events say", the_log_has_what_the_events_say },
	{ "a poll ends at its weight", a_poll_ends_at_its_weight },
	{ "without the NIC's checksum it arrives too", without_the_nics_checksum_it_arrives_too },
	{ "small rings are enough", small_rings_are_enough },
	{ "without a length it ends with the time", without_a_length_it_ends_with_the_time },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "receiver", cases, NULL, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
