/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic modes of InterruptThrottleRate, against the rules of Linux's driver worked by hand.
 */
#include "bench.h"

static struct bench bench;

#define LOWEST E1000E_LATENCY_LOWEST
#define LOW    E1000E_LATENCY_LOW
#define BULK   E1000E_LATENCY_BULK

/* Both sides of each bound that e1000_update_itr has. */
static void each_class_gives_way_at_its_bounds(void)
{
	static const struct {
		enum e1000e_latency from;
		uint64_t packets, bytes;
		enum e1000e_latency to;
	} rows[] = {
		{ LOWEST, 0, 0, LOWEST }, /* nothing happened: nothing changes */
		{ LOW, 0, 0, LOW },
		{ BULK, 0, 0, BULK },
		{ LOWEST, 10, 80010, BULK }, /* 8001 each */
		{ LOWEST, 10, 80000, LOWEST },
		{ LOWEST, 4, 513, LOW },
		{ LOWEST, 4, 512, LOWEST },
		{ LOWEST, 5, 5000, LOWEST },
		{ LOW, 10, 12010, BULK }, /* 1201 each */
		{ LOW, 10, 12000, LOW },
		{ LOW, 9, 10001, BULK },
		{ LOW, 10, 10001, LOW },
		{ LOW, 36, 10001, LOWEST },
		{ LOW, 35, 10001, LOW },
		{ LOW, 36, 46800, BULK }, /* 1300 each: that comes first */
		{ LOW, 4, 8004, BULK },   /* 2001 each, though few */
		{ LOW, 4, 8000, LOW },
		{ LOW, 2, 511, LOWEST },
		{ LOW, 2, 512, LOW },
		{ LOW, 3, 180, LOW },
		{ BULK, 36, 25001, LOW },
		{ BULK, 36, 25000, BULK },
		{ BULK, 35, 50000, BULK },
		{ BULK, 4, 5999, LOW },
		{ BULK, 4, 6000, BULK },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CU_ASSERT_EQUAL(e1000e_latency_next(rows[i].from, rows[i].packets, rows[i].bytes),
			rows[i].to);
	}
}

/* 10^9 / (rate x 256), rounded down. */
static uint32_t register_of(uint32_t rate)
{
	return 1000000000 / (rate * 256);
}

static void open_with(uint32_t mode, uint32_t speed)
{
	struct e1000e_config config = bench_config(&bench);

	config.interrupt_throttle_rate = mode;
	config.link_speed_mbps = speed;
	memset(bench.registers, 0, sizeof(bench.registers));
	bench_open(&bench, &config);
}

/* One interrupt and its poll, in which so many packets were cleaned. */
static void interval(uint64_t packets, uint64_t bytes)
{
	bench.registers[REG_ICR / 4] = ICR_INT_ASSERTED | ICR_TXDW;
	CU_ASSERT_TRUE(e1000e_interrupt(bench.port, 0));
	bench.port->stats.packets += packets;
	bench.port->stats.bytes += bytes;
	e1000e_poll_done(bench.port, 0);
}

static uint32_t itr(void)
{
	return bench.registers[REG_ITR / 4];
}

/* 20000, at once 4000, and back: 4000 + 5000, and so on, but no further than 20000. */
static void bulk_load_slows_down_and_quiet_speeds_up(void)
{
	static const uint32_t back[] = { 9000, 14000, 19000, 20000, 20000 };

	open_with(3, 1000);
	CU_ASSERT_EQUAL(itr(), register_of(20000));
	interval(20, 30000); /* from the lowest class; conservative mode makes it low */
	CU_ASSERT_EQUAL(itr(), register_of(20000));
	interval(20, 30000);
	CU_ASSERT_EQUAL(itr(), register_of(4000));
	interval(20, 30000);
	CU_ASSERT_EQUAL(itr(), register_of(4000));
	for (size_t i = 0; i < sizeof(back) / sizeof(*back); i++) {
		interval(3, 180);
		CU_ASSERT_EQUAL(itr(), register_of(back[i]));
	}
	bench_close(&bench);
}

/* 20000 + 17500, and so on to 70000. */
static void mode_1_knows_the_highest_rate(void)
{
	static const uint32_t rates[] = { 37500, 55000, 70000, 70000 };

	open_with(1, 1000);
	CU_ASSERT_EQUAL(itr(), register_of(20000));
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		interval(1, 60);
		CU_ASSERT_EQUAL(itr(), register_of(rates[i]));
	}
	bench_close(&bench);
	open_with(3, 1000);
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		interval(1, 60);
	CU_ASSERT_EQUAL(itr(), register_of(20000));
	bench_close(&bench);
}

/* The calmer of the two directions decides. */
static void what_is_received_counts_too(void)
{
	open_with(3, 1000);
	for (int i = 0; i < 2; i++) {
		bench.registers[REG_ICR / 4] = ICR_INT_ASSERTED | ICR_RXT0;
		CU_ASSERT_TRUE(e1000e_interrupt(bench.port, 0));
		bench.port->stats.rx_packets += 20;
		bench.port->stats.rx_bytes += 30000;
		bench.port->stats.packets += 1;
		bench.port->stats.bytes += 60;
		e1000e_poll_done(bench.port, 0);
	}
	CU_ASSERT_EQUAL(itr(), register_of(4000));
	bench_close(&bench);
}

static void at_other_speeds_it_is_4000(void)
{
	open_with(3, 100);
	CU_ASSERT_EQUAL(itr(), register_of(20000));
	interval(1, 60);
	CU_ASSERT_EQUAL(itr(), register_of(4000));
	bench_close(&bench);
}

static void a_fixed_rate_stays(void)
{
	open_with(1000, 1000);
	interval(20, 30000);
	interval(20, 30000);
	CU_ASSERT_EQUAL(itr(), 3906);
	bench_close(&bench);
}

/*
 * Each 2 s: (difference x 6000 / sum) + 2000, of octets in units of 10000. 5 GB one way: 8000. As
 * much in as out: 2000. 30 MB and 10 MB: 2000 x 6000 / 4000 + 2000 = 5000. Nothing: 8000.
 */
static void mode_4_looks_at_the_balance(void)
{
	static const struct {
		uint32_t in, out, rate;
	} rows[] = { { 4000000000u, 0, 8000 }, { 500000000, 500000000, 2000 },
		{ 30000000, 10000000, 5000 }, { 10000000, 30000000, 5000 }, { 0, 0, 8000 } };

	open_with(4, 1000);
	CU_ASSERT_EQUAL(itr(), 976562); /* 4 a second: more than the 16 bits of the register */
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bench.registers[REG_GORCL / 4] = rows[i].in;
		bench.registers[REG_GOTCL / 4] = rows[i].out;
		e1000e_watchdog(bench.port, 0);
		CU_ASSERT_EQUAL(itr(), register_of(rows[i].rate));
	}
	bench_close(&bench);
}

static const struct test_case throttle[] = {
	{ "each class gives way at its bounds", each_class_gives_way_at_its_bounds },
	{ "bulk load slows down and quiet speeds up", bulk_load_slows_down_and_quiet_speeds_up },
	{ "mode 1 knows the highest rate", mode_1_knows_the_highest_rate },
	{ "what is received counts too", what_is_received_counts_too },
	{ "at other speeds it is 4000", at_other_speeds_it_is_4000 },
	{ "a fixed rate stays", a_fixed_rate_stays },
	{ "mode 4 looks at the balance", mode_4_looks_at_the_balance },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "throttle", throttle }, { 0 } };

	return test_main(argc, argv, suites);
}
