/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchdog, and what the driver takes for a hang of the hardware. */
#include "bench.h"

static struct bench bench;

static void start(void)
{
	struct e1000e_config config = bench_config(&bench);

	bench_open(&bench, &config);
}

static void the_watchdog_asks_for_an_interrupt(void)
{
	start();
	e1000e_watchdog(bench.port, 2 * BENCH_HZ);
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 1);
	CU_ASSERT_EQUAL(bench.writes[0].offset, REG_ICS);
	CU_ASSERT_EQUAL(bench.writes[0].value, ICR_TXDW);
	bench_close(&bench);
}

/* Two packets of two descriptors, sent at 1000 and 2000 and never done. */
static void start_stuck(uint32_t link_speed_mbps, uint64_t hz)
{
	struct e1000e_config config = bench_config(&bench);

	memset(bench.registers, 0, sizeof(bench.registers));
	config.link_speed_mbps = link_speed_mbps;
	config.hz = hz;
	bench_open(&bench, &config);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 1000);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 1, 43), 2000);
}

/* A clean-up that the watchdog has asked to look. */
static bool hang_at(uint64_t now)
{
	e1000e_watchdog(bench.port, now);
	bench_clean(&bench, now);
	e1000e_clean_done(bench.port, 0, now);
	return bench.port->tx.hang.found;
}

/* tx_timeout_factor of e1000_watchdog_task: 16 at 10 Mbit/s, 10 at 100, 1 beyond. */
static void a_hang_is_a_packet_older_than_the_link_allows(void)
{
	static const struct {
		uint32_t mbps, seconds;
	} known[] = { { 10, 16 }, { 100, 10 }, { 1000, 1 }, { 10000, 1 }, { 0, 1 } };
	const uint64_t frequencies[] = { BENCH_HZ, UINT64_C(2900000000) };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		for (size_t k = 0; k < 2; k++) {
			uint64_t allowed = known[i].seconds * frequencies[k];

			start_stuck(known[i].mbps, frequencies[k]);
			CU_ASSERT_FALSE(hang_at(1000 + allowed));
			CU_ASSERT_TRUE(hang_at(1000 + allowed + 1));
			bench_close(&bench);
		}
	}
}

static void without_the_watchdog_nobody_looks(void)
{
	start_stuck(1000, BENCH_HZ);
	e1000e_clean_done(bench.port, 0, 100 * BENCH_HZ);
	CU_ASSERT_FALSE(bench.port->tx.hang.found);
	e1000e_watchdog(bench.port, 100 * BENCH_HZ);
	CU_ASSERT_FALSE(bench.port->tx.hang.found); /* it asks, the clean-up looks */
	e1000e_clean_done(bench.port, 0, 100 * BENCH_HZ);
	CU_ASSERT_TRUE(bench.port->tx.hang.found);
	bench_close(&bench);
}

static void the_watchdog_s_wish_holds_for_one_clean_up(void)
{
	start_stuck(1000, BENCH_HZ);
	CU_ASSERT_FALSE(hang_at(500));
	e1000e_clean_done(bench.port, 0, 100 * BENCH_HZ);
	CU_ASSERT_FALSE(bench.port->tx.hang.found);
	bench_close(&bench);
}

static void a_paused_link_is_no_hang(void)
{
	start_stuck(1000, BENCH_HZ);
	bench.registers[REG_STATUS / 4] = STATUS_LU | STATUS_TXOFF;
	CU_ASSERT_FALSE(hang_at(100 * BENCH_HZ));
	bench.registers[REG_STATUS / 4] = STATUS_LU;
	CU_ASSERT_TRUE(hang_at(102 * BENCH_HZ));
	bench_close(&bench);
}

/* The first is cleaned late, but it is cleaned; the second was sent 1 us later. */
static void the_oldest_packet_counts(void)
{
	start_stuck(1000, BENCH_HZ);
	bench_complete(&bench, 1);
	CU_ASSERT_FALSE(hang_at(2000 + BENCH_HZ));
	CU_ASSERT_EQUAL(bench.freed_count, 1);
	CU_ASSERT_TRUE(hang_at(2001 + BENCH_HZ));
	CU_ASSERT_EQUAL(bench.port->tx.hang.time_stamp, 2000);
	bench_close(&bench);
}

static void an_empty_ring_does_not_hang(void)
{
	start_stuck(1000, BENCH_HZ);
	bench_complete(&bench, 1);
	bench_complete(&bench, 3);
	CU_ASSERT_FALSE(hang_at(100 * BENCH_HZ));
	CU_ASSERT_EQUAL(bench.freed_count, 2);
	CU_ASSERT_FALSE(hang_at(200 * BENCH_HZ));
	bench_close(&bench);
}

/* 6.1 flushes write-backs first (e1000_print_hw_hang with FLAG2_DMA_BURST), and looks again. */
static void start_stuck_in_6_1(uint32_t head)
{
	struct e1000e_config config = bench_config(&bench);

	memset(bench.registers, 0, sizeof(bench.registers));
	config.flush_before_hang = true;
	bench_open(&bench, &config);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 1000);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 1, 43), 2000);
	bench.registers[REG_TDH / 4] = head;
	bench.write_count = 0;
}

static unsigned flushes(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < bench.write_count; i++)
		count += bench.writes[i].offset == REG_TIDV &&
			 bench.writes[i].value == (UINT32_C(0x80000000) | 8);
	return count;
}

static void in_6_1_a_flush_comes_before_the_verdict(void)
{
	start_stuck_in_6_1(0);
	CU_ASSERT_FALSE(hang_at(2 * BENCH_HZ));
	CU_ASSERT_EQUAL(flushes(), 1);
	CU_ASSERT_FALSE(bench.port->tx.stopped);
	CU_ASSERT_TRUE(hang_at(4 * BENCH_HZ));
	CU_ASSERT_EQUAL(flushes(), 1);
	bench_close(&bench);
}

/* Whatever the flush has brought back starts the patience anew. */
static void in_6_1_a_flush_that_helps_is_forgotten(void)
{
	start_stuck_in_6_1(0);
	CU_ASSERT_FALSE(hang_at(2 * BENCH_HZ));
	bench_complete(&bench, 1);
	bench_complete(&bench, 3);
	CU_ASSERT_FALSE(hang_at(4 * BENCH_HZ));
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 5 * BENCH_HZ);
	CU_ASSERT_FALSE(hang_at(8 * BENCH_HZ)); /* flushes again */
	CU_ASSERT_EQUAL(flushes(), 2);
	CU_ASSERT_TRUE(hang_at(10 * BENCH_HZ));
	bench_close(&bench);
}

/* Head is where tail is: the device has sent all, and only a write-back is missing. */
static void in_6_1_a_missing_write_back_is_no_hang(void)
{
	start_stuck_in_6_1(4);
	for (uint64_t s = 2; s < 20; s += 2)
		CU_ASSERT_FALSE(hang_at(s * BENCH_HZ));
	CU_ASSERT_FALSE(bench.port->tx.stopped);
	bench_close(&bench);
}

static void a_hang_stops_the_queue(void)
{
	start_stuck(1000, BENCH_HZ);
	bench.event_count = 0;
	CU_ASSERT_TRUE(hang_at(3 * BENCH_HZ));
	CU_ASSERT_TRUE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL(bench.port->stats.stops, 1);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 1);
	CU_ASSERT_EQUAL(bench.events[0].id, EVENT_STOP);
	CU_ASSERT_EQUAL(bench.events[0].time, 3 * BENCH_HZ);
	bench_close(&bench);
}

/* What the kernel prints: the first packet done and cleaned, the second stuck at 2 and 3. */
static void a_hang_is_recorded_as_the_kernel_prints_it(void)
{
	const struct e1000e_hang *hang;
	uint64_t now = 3 * BENCH_HZ;

	start_stuck(1000, BENCH_HZ);
	bench_complete(&bench, 1);
	bench.registers[REG_TDH / 4] = 2;
	bench.registers[REG_TDT / 4] = 4;
	CU_ASSERT_TRUE(hang_at(now));
	hang = &bench.port->tx.hang;
	CU_ASSERT_EQUAL(hang->at, now);
	CU_ASSERT_EQUAL(hang->tdh, 2);
	CU_ASSERT_EQUAL(hang->tdt, 4);
	CU_ASSERT_EQUAL(hang->next_to_use, 4);
	CU_ASSERT_EQUAL(hang->next_to_clean, 2);
	CU_ASSERT_EQUAL(hang->time_stamp, 2000);
	CU_ASSERT_EQUAL(hang->next_to_watch, 3);
	CU_ASSERT_EQUAL(hang->next_to_watch_status & TXD_STAT_DD, 0);
	CU_ASSERT_TRUE(hang_at(now + 2 * BENCH_HZ));
	CU_ASSERT_EQUAL(hang->at, now); /* the first is kept */
	bench_close(&bench);
}

static const struct test_case watchdog[] = {
	{ "the watchdog asks for an interrupt", the_watchdog_asks_for_an_interrupt },
	{ "a hang is a packet older than the link allows",
		a_hang_is_a_packet_older_than_the_link_allows },
	{ "without the watchdog nobody looks", without_the_watchdog_nobody_looks },
	{ "the watchdog's wish holds for one clean-up",
		the_watchdog_s_wish_holds_for_one_clean_up },
	{ "a paused link is no hang", a_paused_link_is_no_hang },
	{ "the oldest packet counts", the_oldest_packet_counts },
	{ "an empty ring does not hang", an_empty_ring_does_not_hang },
	{ "a hang stops the queue", a_hang_stops_the_queue },
	{ "in 6.1 a flush comes before the verdict", in_6_1_a_flush_comes_before_the_verdict },
	{ "in 6.1 a flush that helps is forgotten", in_6_1_a_flush_that_helps_is_forgotten },
	{ "in 6.1 a missing write-back is no hang", in_6_1_a_missing_write_back_is_no_hang },
	{ "a hang is recorded as the kernel prints it",
		a_hang_is_recorded_as_the_kernel_prints_it },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "watchdog", watchdog },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
