/* SPDX-License-Identifier: BSD-3-Clause */
/* A port's life: what it accepts, what it tells the device, interrupts, the end. */
#include "bench.h"

#include <errno.h>

static struct bench bench;

static void start(void)
{
	struct e1000e_config config = bench_config(&bench);

	bench_open(&bench, &config);
}

static uint32_t register_value(uint32_t offset)
{
	return bench.registers[offset / 4];
}

/* 10^9 / (rate x 256), rounded down: 3906.25, 7812.5, 39.06, 39,062.5, 488.28. */
static void the_throttle_register_follows_the_rate(void)
{
	static const struct {
		uint32_t rate, value;
	} known[] = { { 1000, 3906 }, { 500, 7812 }, { 100000, 39 }, { 100, 39062 }, { 8000, 488 },
		{ 2000, 1953 }, { 0, 0 } };
	struct e1000e_config config = bench_config(&bench);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		config.interrupt_throttle_rate = known[i].rate;
		bench_open(&bench, &config);
		CU_ASSERT_EQUAL(register_value(REG_ITR), known[i].value);
		bench_close(&bench);
	}
}

static void the_device_learns_ring_and_delays(void)
{
	uint64_t base;

	memset(bench.registers, 0, sizeof(bench.registers));
	start();
	base = (uintptr_t)bench.port->tx.desc;
	CU_ASSERT_EQUAL(register_value(REG_TDBAL), base & UINT32_MAX);
	CU_ASSERT_EQUAL(register_value(REG_TDBAH), base >> 32);
	CU_ASSERT_EQUAL(register_value(REG_TDLEN), 256 * 16);
	CU_ASSERT_EQUAL(register_value(REG_TIDV), 8);
	CU_ASSERT_EQUAL(register_value(REG_TADV), 32);
	CU_ASSERT_EQUAL(register_value(REG_TCTL), 0x0a); /* EN and PSP */
	CU_ASSERT_EQUAL(register_value(REG_IMS), 0x01);  /* TXDW */
	bench_close(&bench);
}

/* The index of the first write of this register; of all writes since open. */
static unsigned position(uint32_t offset)
{
	unsigned i = 0;

	while (i < bench.write_count && bench.writes[i].offset != offset)
		i++;
	CU_ASSERT(i < bench.write_count);
	return i;
}

static void interrupts_are_off_until_all_is_set_up(void)
{
	struct e1000e_config config = bench_config(&bench);
	unsigned last;

	bench.write_count = 0;
	CU_ASSERT_EQUAL_FATAL(e1000e_open(&bench.port, &config, 777), 0);
	last = bench.write_count - 1;
	CU_ASSERT_EQUAL(position(REG_IMC), 0);
	CU_ASSERT_EQUAL(bench.writes[0].value, UINT32_MAX);
	CU_ASSERT_EQUAL(position(REG_IMS), last);
	CU_ASSERT(position(REG_TDLEN) < position(REG_TCTL));
	CU_ASSERT(position(REG_TDBAL) < position(REG_TCTL));
	for (unsigned i = 0; i <= last; i++)
		CU_ASSERT_EQUAL(bench.writes[i].now, 777);
	bench_close(&bench);
}

/* Registers are rounded down, as the driver does it. */
static void the_throttle_register_can_be_asked_for(void)
{
	CU_ASSERT_EQUAL(e1000e_throttle_register(0), 0);
	CU_ASSERT_EQUAL(e1000e_throttle_register(1000), 3906);
	CU_ASSERT_EQUAL(e1000e_throttle_register(100000), 39);
}

static void assert_refused(const struct e1000e_config *config)
{
	struct e1000e_port *port = (struct e1000e_port *)&bench;

	bench.write_count = 0;
	CU_ASSERT_EQUAL(e1000e_open(&port, config, 0), -EINVAL);
	CU_ASSERT_PTR_NULL(port);
	CU_ASSERT_EQUAL(bench.write_count, 0); /* the device has not been touched */
}

static void ring_sizes_are_64_to_4096_by_8(void)
{
	static const uint16_t bad[] = { 0, 8, 56, 63, 65, 100, 4092, 4095, 4104, 65528 };
	static const uint16_t good[] = { 64, 72, 80, 256, 4088, 4096 };
	struct e1000e_config config = bench_config(&bench);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		config.ring_size = bad[i];
		assert_refused(&config);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		config.ring_size = good[i];
		bench_open(&bench, &config);
		CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), good[i] - 1u);
		bench_close(&bench);
	}
}

/* The module's own rule. */
static void throttle_values_are_modes_or_rates(void)
{
	static const uint32_t bad[] = { 2, 5, 99, 100001, UINT32_MAX };
	static const uint32_t good[] = { 0, 1, 3, 4, 100, 101, 99999, 100000 };
	struct e1000e_config config = bench_config(&bench);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		config.interrupt_throttle_rate = bad[i];
		assert_refused(&config);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		config.interrupt_throttle_rate = good[i];
		bench_open(&bench, &config);
		bench_close(&bench);
	}
}

static void what_can_not_work_is_refused(void)
{
	struct e1000e_config config = bench_config(&bench);

	config.hz = 0;
	assert_refused(&config);
	config = bench_config(&bench);
	config.ring_size = 64;
	config.reserve = 63; /* an empty ring has 63: the queue would stop at once, for ever */
	assert_refused(&config);
	config.reserve = 62;
	config.wake_threshold = 64; /* never reached */
	assert_refused(&config);
	config.wake_threshold = 63;
	bench_open(&bench, &config);
	bench_close(&bench);
}

static void throttle_rates_have_their_kinds(void)
{
	static const struct {
		uint64_t rate;
		enum e1000e_throttle kind;
	} known[] = {
		{ 0, E1000E_THROTTLE_OFF },
		{ 1, E1000E_THROTTLE_MODE },
		{ 2, E1000E_THROTTLE_INVALID },
		{ 3, E1000E_THROTTLE_MODE },
		{ 4, E1000E_THROTTLE_MODE },
		{ 5, E1000E_THROTTLE_INVALID },
		{ 99, E1000E_THROTTLE_INVALID },
		{ 100, E1000E_THROTTLE_FIXED },
		{ 100000, E1000E_THROTTLE_FIXED },
		{ 100001, E1000E_THROTTLE_INVALID },
		{ (UINT64_C(1) << 32) + 1000, E1000E_THROTTLE_INVALID },
		{ UINT64_MAX, E1000E_THROTTLE_INVALID },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		CU_ASSERT_EQUAL(e1000e_throttle_kind(known[i].rate), known[i].kind);
}

/* MAX_SKB_FRAGS + 2 was 18 + 2; now (17 + 1) descriptors + 4. TX_WAKE_THRESHOLD is 32 in both. */
static void profiles_are_those_of_the_kernels(void)
{
	const struct e1000e_profile *old = e1000e_profile_find("linux-2.6.35");
	const struct e1000e_profile *new = e1000e_profile_find("linux-6.1");

	CU_ASSERT_PTR_NOT_NULL_FATAL(old);
	CU_ASSERT_PTR_NOT_NULL_FATAL(new);
	CU_ASSERT_EQUAL(old->reserve, 20);
	CU_ASSERT_EQUAL(new->reserve, 22);
	CU_ASSERT_EQUAL(old->wake_threshold, 32);
	CU_ASSERT_EQUAL(new->wake_threshold, 32);
	CU_ASSERT_EQUAL(old->tidv, 8);
	CU_ASSERT_EQUAL(old->tadv, 32);
	CU_ASSERT_EQUAL(new->tidv, 8);
	CU_ASSERT_EQUAL(new->tadv, 32);
	CU_ASSERT_FALSE(old->flush_before_hang);
	CU_ASSERT_TRUE(new->flush_before_hang);
}

static void profiles_are_found_by_their_whole_name(void)
{
	CU_ASSERT_PTR_NULL(e1000e_profile_find(""));
	CU_ASSERT_PTR_NULL(e1000e_profile_find("linux"));
	CU_ASSERT_PTR_NULL(e1000e_profile_find("linux-6.10"));
	for (const struct e1000e_profile *p = e1000e_profiles; p->name; p++)
		CU_ASSERT_PTR_EQUAL(e1000e_profile_find(p->name), p);
}

static void an_interrupt_masks_the_others(void)
{
	start();
	bench.registers[REG_ICR / 4] = ICR_INT_ASSERTED | ICR_TXDW;
	CU_ASSERT_TRUE(e1000e_interrupt(bench.port, 5000));
	CU_ASSERT_EQUAL(register_value(REG_ICR), 0); /* it has been read */
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 1);
	CU_ASSERT_EQUAL(bench.writes[0].offset, REG_IMC);
	CU_ASSERT_EQUAL(bench.writes[0].value, UINT32_MAX);
	CU_ASSERT_EQUAL(bench.writes[0].now, 5000);
	bench_close(&bench);
}

static void an_interrupt_of_somebody_else_is_left_alone(void)
{
	static const uint32_t causes[] = { 0, ICR_TXDW, ICR_TXDW | ICR_LSC };

	start();
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		bench.registers[REG_ICR / 4] = causes[i];
		CU_ASSERT_FALSE(e1000e_interrupt(bench.port, 5000));
	}
	CU_ASSERT_EQUAL(bench.write_count, 0);
	bench_close(&bench);
}

static void the_end_of_a_poll_unmasks(void)
{
	start();
	e1000e_poll_done(bench.port, 6000);
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 1);
	CU_ASSERT_EQUAL(bench.writes[0].offset, REG_IMS);
	CU_ASSERT_EQUAL(bench.writes[0].value, ICR_TXDW);
	bench_close(&bench);
}

/* Two packets of two descriptors, never done. */
static void start_stuck(void)
{
	start();
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 1000);
	e1000e_xmit(bench.port, 0, bench_udp(&bench, 1, 43), 2000);
}

static void closing_gives_each_packet_back_once(void)
{
	start_stuck();
	e1000e_xmit(bench.port, 0, bench_packet(&bench, 2, 60), 3000);
	bench_complete(&bench, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 4000), 1);
	bench.event_count = 0;
	e1000e_close(bench.port, 6, 5000);
	CU_ASSERT_EQUAL_FATAL(bench.freed_count, 3);
	CU_ASSERT_PTR_EQUAL(bench.freed[0], &bench.packets[0]);
	CU_ASSERT_PTR_EQUAL(bench.freed[1], &bench.packets[1]);
	CU_ASSERT_PTR_EQUAL(bench.freed[2], &bench.packets[2]);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(bench.events[i].id, EVENT_FREE);
		CU_ASSERT_EQUAL(bench.events[i].time, 5000);
		CU_ASSERT_EQUAL(bench.events[i].packet, (i + 1) * sizeof(struct rte_mbuf));
		CU_ASSERT_EQUAL(EVENT_GET(FREE, aborted, bench.events[i].arg), 1);
		CU_ASSERT_EQUAL(EVENT_GET(FREE, reason, bench.events[i].arg), 0);
		CU_ASSERT_EQUAL(bench.event_cpus[i], 6);
	}
}

static void closing_takes_the_ring_from_the_device_first(void)
{
	start();
	bench.registers[REG_IMS / 4] = 0;
	e1000e_close(bench.port, 0, 5000);
	CU_ASSERT_EQUAL(position(REG_IMC), 0);
	CU_ASSERT_EQUAL(bench.writes[0].value, UINT32_MAX);
	CU_ASSERT_EQUAL(register_value(REG_TCTL), 0);
	CU_ASSERT_EQUAL(register_value(REG_TDLEN), 0);
	CU_ASSERT_EQUAL(register_value(REG_IMS), 0);
	e1000e_close(NULL, 0, 5000);
}

static const struct test_case set_up[] = {
	{ "the throttle register follows the rate", the_throttle_register_follows_the_rate },
	{ "the throttle register can be asked for", the_throttle_register_can_be_asked_for },
	{ "the device learns ring and delays", the_device_learns_ring_and_delays },
	{ "interrupts are off until all is set up", interrupts_are_off_until_all_is_set_up },
	{ "ring sizes are 64 to 4096 by 8", ring_sizes_are_64_to_4096_by_8 },
	{ "throttle values are modes or rates", throttle_values_are_modes_or_rates },
	{ "what can't work is refused", what_can_not_work_is_refused },
	{ 0 },
};

static const struct test_case names[] = {
	{ "throttle rates have their kinds", throttle_rates_have_their_kinds },
	{ "profiles are those of the kernels", profiles_are_those_of_the_kernels },
	{ "profiles are found by their whole name", profiles_are_found_by_their_whole_name },
	{ 0 },
};

static const struct test_case interrupts[] = {
	{ "an interrupt masks the others", an_interrupt_masks_the_others },
	{ "an interrupt of somebody else is left alone",
		an_interrupt_of_somebody_else_is_left_alone },
	{ "the end of a poll unmasks", the_end_of_a_poll_unmasks },
	{ 0 },
};

static const struct test_case end[] = {
	{ "closing gives each packet back once", closing_gives_each_packet_back_once },
	{ "closing takes the ring from the device first",
		closing_takes_the_ring_from_the_device_first },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "set-up", set_up },
		{ "names", names },
		{ "interrupts", interrupts },
		{ "end", end },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
