/* SPDX-License-Identifier: BSD-3-Clause */
/* fault=: what it does to a port in real time, and what it refuses. */
#include "ports.h"

#define LIMITS "N 1 to 1000000000" /* how the line about a bad one ends */

#define EIGHT                                                                            \
	"tx_stop@86400+86400;tx_stop@86400.000000000;link_pause@0.000000001;irq_loss@1;" \
	"irq_loss@1x1000000000;writeback_loss@1x1;link_pause@7+0;tx_stop@1+0.5"

/* Time for what was sent to leave and to be written back, and a poll that cleans it. */
static void settle(uint16_t port)
{
	rte_delay_us_block(200);
	rte_eth_rx_queue_count(port, 0);
}

static uint64_t poll_cleaned(uint16_t port)
{
	struct rte_mbuf *none[1];

	settle(port);
	rte_eth_rx_burst(port, 0, none, 0);
	return counter(port, "tx0_cleaned_packets");
}

static void a_stopped_transmitter_sends_nothing(void)
{
	uint16_t port = probe(NAME, "fault=tx_stop@0,itr=0");

	start(port, 1, 64, pool);
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	settle(port);
	CU_ASSERT_EQUAL(counter(port, "tx0_wire_packets"), 0);
	end(NAME, port);
	/* an hour after the start it is not there yet */
	port = probe(NAME, "fault=tx_stop@3600.5,itr=0");
	start(port, 1, 64, pool);
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	settle(port);
	CU_ASSERT_EQUAL(counter(port, "tx0_wire_packets"), 1);
	end(NAME, port);
}

/* At each start anew: what is sent at once arrives when the pause is over. */
static void a_pause_holds_frames_back(void)
{
	uint16_t port = probe(NAME, "wire=loop,fault=link_pause@0+0.05,itr=0");
	struct rte_mbuf *m;

	for (int run = 0; run < 2; run++) {
		uint64_t began = rte_get_timer_cycles(), hz = rte_get_timer_hz();

		start(port, 1, 64, pool);
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
		CU_ASSERT_EQUAL_FATAL(receive(port, 0, &m, 1), 1);
		CU_ASSERT(rte_get_timer_cycles() - began >= hz / 20);
		rte_pktmbuf_free(m);
		CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	}
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
}

/* Two interrupts don't come, so nobody cleans; the third cleans all three packets. */
static void lost_interrupts_leave_packets_uncleaned(void)
{
	uint16_t port = probe(NAME, "fault=irq_loss@0x2,tidv=0,itr=0");

	start(port, 1, 64, pool);
	for (unsigned i = 1; i <= 3; i++) {
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
		CU_ASSERT_EQUAL(poll_cleaned(port), i < 3 ? 0 : 3);
	}
	end(NAME, port);
}

/* The first packet seems to stay in the device for ever, and what is behind it with it. */
static void a_lost_write_back_wedges_the_ring(void)
{
	uint16_t port = probe(NAME, "fault=link_pause@3600;writeback_loss@0,itr=0");

	start(port, 1, 64, pool);
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
		CU_ASSERT_EQUAL(poll_cleaned(port), 0);
	}
	CU_ASSERT_EQUAL(counter(port, "tx0_wire_packets"), 3);
	end(NAME, port);
}

static void bad_faults_are_refused_with_the_limits(void)
{
	static const char *const faults[] = { "", "tx_stop", "tx_stop@", "stop@1", "@1",
		"tx_stop@x", "tx_stop@-1", "tx_stop@.5", "tx_stop@1.", "tx_stop@1e3",
		"tx_stop@86401", "tx_stop@86400.1", "tx_stop@1.0000000001", "tx_stop@1x2",
		"tx_stop@1+", "tx_stop@1+86401", "irq_loss@1+1", "irq_loss@1x", "irq_loss@1x0",
		"irq_loss@1x1000000001", "irq_loss@1x99999999999999999999", "irq_loss@1x1.5",
		"tx_stop@1;", ";tx_stop@1", "tx_stop@1;;tx_stop@2", "tx_stop@1 " };
	char argument[256];

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		snprintf(argument, sizeof(argument), "fault=%s", faults[i]);
		refused(argument, argument, LIMITS);
	}
	snprintf(argument, sizeof(argument), "fault=%s%s", EIGHT, ";tx_stop@1");
	refused(argument, argument, LIMITS);
}

static void eight_faults_at_their_limits_are_taken(void)
{
	uint16_t port = probe(NAME, "fault=" EIGHT);

	CU_ASSERT_EQUAL(rte_eth_dev_count_avail(), 1);
	CU_ASSERT(rte_eth_dev_is_valid_port(port));
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
}

static const struct test_case cases[] = {
	{ "a stopped transmitter sends nothing", a_stopped_transmitter_sends_nothing },
	{ "a pause holds frames back", a_pause_holds_frames_back },
	{ "lost interrupts leave packets uncleaned", lost_interrupts_leave_packets_uncleaned },
	{ "a lost write-back wedges the ring", a_lost_write_back_wedges_the_ring },
	{ "bad faults are refused with the limits", bad_faults_are_refused_with_the_limits },
	{ "eight faults at their limits are taken", eight_faults_at_their_limits_are_taken },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "faults", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
