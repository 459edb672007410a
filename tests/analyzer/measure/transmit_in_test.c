/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a lap begins when that is in doubt: without start_xmit events, and with clocks apart. */
#include "transmit.h"

#include "scene.h"

static void without_starts_a_lap_begins_at_xmit(void)
{
	const struct transmit_report *report =
		PLAY(NULL, QUEUED(0, ETH0, 1), XMIT(1, 6000, ETH0, 1, 0), FREE(1, 11000, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_STRING_EQUAL(report->lap_from, "xmit");
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 5000);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT_EQUAL(eth0->queue_delay.count, 0); /* the driver's time would be in it */
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void without_starts_a_free_before_xmit_is_counted(void)
{
	/* The second packet at this address is queued anew, so its lap counts. */
	const struct transmit_report *report =
		PLAY(NULL, QUEUED(0, ETH0, 1), FREE(1, 5, 1), XMIT(0, 8, ETH0, 1, 0),
			QUEUED(20, ETH0, 1), XMIT(0, 30, ETH0, 1, 0), FREE(1, 37, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 7);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void without_starts_return_codes_count_too(void)
{
	const struct transmit_report *report =
		PLAY(NULL, QUEUED(0, ETH0, 1), XMIT(0, 10, ETH0, 1, BUSY), XMIT(0, 20, ETH0, 1, 0),
			FREE(1, 45, 1), XMIT(0, 50, ETH0, 2, 2), QUEUED(60, ETH0, 3),
			FREE(0, 65, 3), XMIT(0, 70, ETH0, 3, -12));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->retries, 1);
	CU_ASSERT_EQUAL(eth0->refused, 2);
	CU_ASSERT_EQUAL(eth0->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 25);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void without_starts_an_address_can_be_reused_too(void)
{
	const struct transmit_report *report =
		PLAY(NULL, XMIT(0, 10, ETH0, 1, 0), XMIT(0, 20, ETH0, 1, 0), FREE(1, 45, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->unresolved, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 25);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void on_the_loopback_a_packet_is_delivered_before_xmit(void)
{
	const struct transmit_report *report = PLAY(NULL, QUEUED(0, LO, 1), RECEIVE(5, LO, 1),
		XMIT(0, 8, LO, 1, 0), RECEIVE(12, LO, 1), FREE(0, 30, 1));
	const struct transmit_table *lo = scene_device(report, LO);

	CU_ASSERT_EQUAL(lo->tx_packets, 0);
	CU_ASSERT_EQUAL(lo->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(lo->at_end, 0);
	CU_ASSERT(scene_reconciles(lo));
	scene_end();
}

static void the_first_start_puts_an_end_to_laps_from_xmit(void)
{
	/* Tracing began in the middle of a driver call, whose start isn't in the trace. */
	const struct transmit_report *report =
		PLAY(NULL, QUEUED(0, ETH0, 2), XMIT(0, 10, ETH0, 1, 0), FREE(1, 20, 1),
			XMIT(0, 25, ETH0, 7, 0), START(0, 30, ETH0, 2), XMIT(0, 32, ETH0, 2, 0),
			XMIT(1, 33, ETH0, 3, 0), FREE(1, 70, 2), FREE(1, 80, 3), FREE(1, 90, 7));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_STRING_EQUAL(report->lap_from, "start_xmit");
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->started, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 40);
	CU_ASSERT_EQUAL(eth0->queue_delay.max, 30);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(eth0->first_event, 30);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_free_shortly_before_its_start_is_a_clock_anomaly(void)
{
	/* CPU 1's clock is 3 us behind; packet 2 is not concerned. */
	const struct transmit_report *report = PLAY(NULL, START(0, 1000, ETH0, 2), FREE(1, 5000, 1),
		START(0, 8000, ETH0, 1), XMIT(0, 9000, ETH0, 1, 0), FREE(1, 20000, 2));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 1);
	CU_ASSERT_EQUAL(eth0->clock_anomalies, 1);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 19000);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1); /* it is not known to have been in with 2 */
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_suspect_that_is_freed_is_like_any_other(void)
{
	/* The first free was that of a received packet whose memory was reused. */
	const struct transmit_report *report = PLAY(NULL, START(0, 1000, ETH0, 2),
		XMIT(0, 1100, ETH0, 2, 0), FREE(1, 5000, 1), START(0, 8000, ETH0, 1),
		XMIT(0, 9000, ETH0, 1, 0), FREE(1, 20000, 2), FREE(1, 30000, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->lap.max, 22000);
	CU_ASSERT_EQUAL(eth0->in_device_max, 2);
	CU_ASSERT_EQUAL(report->total_in_device_max, 2);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_suspects_address_may_start_again(void)
{
	const struct transmit_report *report =
		PLAY(NULL, FREE(1, 5000, 1), START(0, 8000, ETH0, 1), XMIT(0, 9000, ETH0, 1, 0),
			START(0, 50000, ETH0, 1), XMIT(0, 51000, ETH0, 1, 0), FREE(1, 60000, 1));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 1);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->lap.max, 10000);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void an_anomaly_at_stacked_devices_is_one_of_the_trace(void)
{
	const struct transmit_report *report =
		PLAY(NULL, FREE(1, 5000, 1), START(0, 8000, BOND0, 1), START(0, 8500, ETH0, 1),
			XMIT(0, 9000, ETH0, 1, 0), XMIT(0, 9500, BOND0, 1, 0));

	CU_ASSERT_EQUAL(report->clock_anomalies, 1);
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->clock_anomalies, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->clock_anomalies, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 0);
	scene_end();
}

static void frees_too_early_or_of_the_same_cpu_are_no_anomalies(void)
{
	const struct transmit_report *report = PLAY(NULL, FREE(1, 0, 1), START(0, 10001, ETH0, 1),
		FREE(0, 20000, 2), START(0, 20001, ETH0, 2));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->at_end, 2);
	scene_end();
}

static void a_packet_that_is_dropped_from_its_queue_has_found_its_free(void)
{
	/* The qdisc drops a packet, and another CPU gets its memory at once. */
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 9), FREE(0, 1000, 9),
		QUEUED(5000, ETH0, 1), DROP(0, 6000, 1, 7), QUEUED(8000, ETH0, 1),
		START(1, 9000, ETH0, 1), XMIT(1, 10000, ETH0, 1, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->at_end, 1);
	CU_ASSERT_EQUAL(eth0->drop_count, 1);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
	/* the same before the first start is known */
	report = PLAY(NULL, QUEUED(5000, ETH0, 1), DROP(0, 6000, 1, 7), QUEUED(8000, ETH0, 1),
		START(1, 9000, ETH0, 1), XMIT(1, 10000, ETH0, 1, 0));
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->at_end, 1);
	scene_end();
}

static void a_queued_packet_may_be_freed_before_its_start_by_the_clock(void)
{
	/* It isn't queued again between free and start, so it is one packet. */
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 9), FREE(0, 1000, 9), QUEUED(5000, ETH0, 1),
			FREE(1, 6000, 1), START(0, 9000, ETH0, 1), XMIT(0, 10000, ETH0, 1, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void without_starts_a_free_of_a_queued_packet_is_no_anomaly(void)
{
	/* The second xmit at the address is another packet's, which wasn't seen in the queue. */
	const struct transmit_report *report = PLAY(NULL, QUEUED(0, ETH0, 1), FREE(1, 1000, 1),
		XMIT(0, 2000, ETH0, 1, 0), XMIT(0, 3000, ETH0, 1, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->free_before_xmit_return, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_start_that_was_busy_does_not_use_up_the_early_free(void)
{
	const struct transmit_report *report = PLAY(NULL, FREE(1, 5000, 1), START(0, 6000, ETH0, 1),
		XMIT(0, 7000, ETH0, 1, BUSY), START(0, 8000, ETH0, 1), XMIT(0, 9000, ETH0, 1, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 1);
	CU_ASSERT_EQUAL(eth0->retries, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 0);
	CU_ASSERT_EQUAL(eth0->in_device_max, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void the_start_that_succeeds_must_be_within_the_window(void)
{
	/* 10.001 us after the free. */
	const struct transmit_report *report = PLAY(NULL, FREE(1, 5000, 1), START(0, 6000, ETH0, 1),
		XMIT(0, 7000, ETH0, 1, BUSY), START(0, 15001, ETH0, 1), XMIT(0, 16000, ETH0, 1, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->at_end, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static void a_gap_makes_a_suspect_unresolved(void)
{
	const struct transmit_report *report = PLAY(NULL, FREE(1, 5000, 1), START(0, 8000, ETH0, 1),
		XMIT(0, 9000, ETH0, 1, 0), LOST(0, 10000), FREE(1, 20000, 2), LOST(0, 20001),
		START(0, 20002, ETH0, 2), XMIT(0, 20003, ETH0, 2, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(eth0->unresolved, 1);
	CU_ASSERT_EQUAL(eth0->at_end, 1);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

static struct event plain(uint64_t time, enum event_id id, uint64_t packet)
{
	return (struct event){
		.time = time,
		.id = (uint16_t)id,
		.queue = NO_QUEUE,
		.packet = packet,
		.arg = id == EVENT_START_XMIT ? NO_QUEUE_HIGH : 0,
	};
}

/* Nobody waits for a decision for ever, nor does the number of packets go wrong by it. */
static void a_suspect_holds_up_a_bounded_number_of_changes(void)
{
	enum { ROUNDS = 20000 };
	static struct scene_event events[3 + 3 * ROUNDS];
	const struct transmit_report *report;
	const struct transmit_table *eth0;
	size_t count = 0;
	uint64_t now = 5000;

	events[count++] = (struct scene_event){ 1, plain(now++, EVENT_FREE, 1) };
	events[count++] = (struct scene_event){ 0, plain(now++, EVENT_START_XMIT, 1) };
	for (uint64_t i = 0; i < ROUNDS; i++) {
		events[count++] = (struct scene_event){ 0, plain(now++, EVENT_START_XMIT, 2) };
		events[count++] = (struct scene_event){ 0, plain(now++, EVENT_XMIT, 2) };
		events[count++] = (struct scene_event){ 0, plain(now++, EVENT_FREE, 2) };
	}
	events[count++] = (struct scene_event){ 0, plain(now++, EVENT_FREE, 1) };
	report = scene_play(NULL, events, count);
	eth0 = scene_device(report, ETH0);
	CU_ASSERT_EQUAL(eth0->tx_packets, ROUNDS + 1);
	CU_ASSERT_EQUAL(eth0->in_device_max, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

/* A recorder of start_xmit and free only: driver calls never return. */
static void a_trace_without_xmit_events_is_measured_all_the_same(void)
{
	enum { PACKETS = 1000, INSIDE = 100 };
	static struct scene_event events[2 * PACKETS];
	const struct transmit_table *eth0;
	size_t count = 0;

	for (uint64_t i = 0; i < PACKETS; i++) {
		events[count++] = (struct scene_event){ (unsigned)i % 3,
			plain(10 * i, EVENT_START_XMIT, i * 256) };
		if (i >= INSIDE)
			events[count++] = (struct scene_event){ 3,
				plain(10 * i + 5, EVENT_FREE, (i - INSIDE) * 256) };
	}
	eth0 = scene_device(scene_play(NULL, events, count), ETH0);
	CU_ASSERT_EQUAL(eth0->tx_packets, PACKETS - INSIDE);
	CU_ASSERT_EQUAL(eth0->lap.min, 10 * INSIDE + 5);
	CU_ASSERT_EQUAL(eth0->lap.max, 10 * INSIDE + 5);
	CU_ASSERT_EQUAL(eth0->in_device_max, INSIDE + 1);
	CU_ASSERT_EQUAL(eth0->at_end, INSIDE);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case without_starts[] = {
	CASE(without_starts_a_lap_begins_at_xmit),
	CASE(without_starts_a_free_before_xmit_is_counted),
	CASE(without_starts_return_codes_count_too),
	CASE(without_starts_an_address_can_be_reused_too),
	CASE(without_starts_a_free_of_a_queued_packet_is_no_anomaly),
	CASE(on_the_loopback_a_packet_is_delivered_before_xmit),
	CASE(the_first_start_puts_an_end_to_laps_from_xmit),
	CASE(a_trace_without_xmit_events_is_measured_all_the_same),
	{ 0 },
};

static const struct test_case clocks[] = {
	CASE(a_free_shortly_before_its_start_is_a_clock_anomaly),
	CASE(a_suspect_that_is_freed_is_like_any_other),
	CASE(a_suspects_address_may_start_again),
	CASE(an_anomaly_at_stacked_devices_is_one_of_the_trace),
	CASE(frees_too_early_or_of_the_same_cpu_are_no_anomalies),
	CASE(a_packet_that_is_dropped_from_its_queue_has_found_its_free),
	CASE(a_queued_packet_may_be_freed_before_its_start_by_the_clock),
	CASE(a_start_that_was_busy_does_not_use_up_the_early_free),
	CASE(the_start_that_succeeds_must_be_within_the_window),
	CASE(a_gap_makes_a_suspect_unresolved),
	CASE(a_suspect_holds_up_a_bounded_number_of_changes),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "without starts", without_starts, NULL, NULL },
		{ "clocks", clocks, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
