/* SPDX-License-Identifier: BSD-3-Clause */
/* The interrupt line: masks, the throttle's gap, and the delay timers before it. */
#include "rig.h"

#define ITR_1000 3906             /* what the driver writes for 1000 interrupts a second */
#define GAP      UINT64_C(999936) /* 3906 x 256 ns */

static struct rig rig;

/* A device whose throttle keeps ITR_1000, with its one cause enabled. */
static void start_throttled(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	nic_write(rig.nic, REG_ITR, ITR_1000, 0);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
}

static void cause(uint64_t now)
{
	nic_write(rig.nic, REG_ICS, ICR_TXDW, now);
}

/* What a handler does first. */
static void acknowledge(uint64_t now)
{
	nic_read(rig.nic, REG_ICR, now);
}

static void the_first_is_immediate(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 5000);
	CU_ASSERT_EQUAL(rig_advance(&rig, 5000), 5000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

static void an_interrupt_is_taken_once(void)
{
	uint64_t raised;

	start_throttled();
	cause(5000);
	nic_advance(rig.nic, 6000);
	CU_ASSERT_TRUE(nic_take_interrupt(rig.nic, &raised));
	CU_ASSERT_EQUAL(raised, 5000);
	CU_ASSERT_FALSE(nic_take_interrupt(rig.nic, &raised));
	CU_ASSERT_FALSE(nic_take_interrupt(rig.nic, &raised));
	rig_end(&rig);
}

/* Raised at 5000, so the gap ends at 5000 + 999,936 = 1,004,936. */
static void inside_the_gap_it_waits_for_the_end(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_advance(&rig, 5000), 5000);
	acknowledge(5000);
	cause(6000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 1004936);
	CU_ASSERT_EQUAL(rig_advance(&rig, 1004935), 0);
	CU_ASSERT_EQUAL(rig_advance(&rig, 1004936), 1004936);
	rig_end(&rig);
}

/* The second gap counts from the second interrupt: it ends at 2,004,872. */
static void a_gap_follows_each_interrupt(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(1000000);
	CU_ASSERT_EQUAL(rig_run(&rig, 2000000), 1004936);
	acknowledge(1004936);
	cause(1004937);
	CU_ASSERT_EQUAL(rig_run(&rig, 2004871), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 2004872), 2004872);
	rig_end(&rig);
}

static void many_causes_in_a_gap_make_one_interrupt(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	for (uint64_t at = 6000; at < 1000000; at += 50000)
		cause(at);
	CU_ASSERT_EQUAL(rig_run(&rig, 1500000), 1004936);
	CU_ASSERT_EQUAL(rig_run(&rig, 3000000), 0);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 2);
	rig_end(&rig);
}

/* The gap that ends at 1,004,936 is over for a cause of that very nanosecond, and after it. */
static void after_a_quiet_time_it_is_immediate_again(void)
{
	const uint64_t quiet[] = { 1004936, 1004937, 9000000 };

	for (size_t i = 0; i < sizeof(quiet) / sizeof(*quiet); i++) {
		start_throttled();
		cause(5000);
		CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
		acknowledge(5000);
		cause(quiet[i]);
		CU_ASSERT_EQUAL(rig_run(&rig, quiet[i]), quiet[i]);
		rig_end(&rig);
	}
}

static void without_throttle_each_cause_interrupts(void)
{
	start_throttled();
	nic_write(rig.nic, REG_ITR, 0, 0);
	for (uint64_t at = 5000; at < 5010; at++) {
		cause(at);
		CU_ASSERT_EQUAL(rig_advance(&rig, at), at);
		acknowledge(at);
	}
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 10);
	rig_end(&rig);
}

/* Bits 31:16 of ITR are reserved. */
static void the_gap_is_in_the_low_16_bits(void)
{
	start_throttled();
	nic_write(rig.nic, REG_ITR, UINT32_C(0xabcd0000) | 1, 0);
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(5001);
	CU_ASSERT_EQUAL(rig_run(&rig, 9000), 5256);
	rig_end(&rig);
}

/* 999,936 ns x 2.9 = 2,899,814.4 cycles; raised at 5000: 2,904,814. */
static void at_another_frequency_the_gap_is_rounded_down(void)
{
	struct nic_config config = rig_config();

	config.hz = UINT64_C(2900000000);
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_ITR, ITR_1000, 0);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(5001);
	CU_ASSERT_EQUAL(rig_run(&rig, 2904813), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 2904814), 2904814);
	rig_end(&rig);
}

static void a_masked_cause_stays_silent(void)
{
	start_throttled();
	nic_write(rig.nic, REG_IMC, ICR_TXDW, 0);
	cause(5000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	CU_ASSERT_EQUAL(rig_advance(&rig, 10 * GAP), 0);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 0);
	rig_end(&rig);
}

static void unmasking_a_pending_cause_interrupts_at_once(void)
{
	start_throttled();
	nic_write(rig.nic, REG_IMC, ICR_TXDW, 0);
	cause(5000);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 70000);
	CU_ASSERT_EQUAL(rig_run(&rig, 70000), 70000);
	rig_end(&rig);
}

static void unmasking_in_the_gap_waits_for_its_end(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	nic_write(rig.nic, REG_IMC, ICR_TXDW, 5000);
	cause(6000);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 8000);
	CU_ASSERT_EQUAL(rig_run(&rig, 1004935), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 1004936), 1004936);
	rig_end(&rig);
}

static void a_cause_masked_in_the_gap_is_kept_for_later(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(6000);
	nic_write(rig.nic, REG_IMC, ICR_TXDW, 7000);
	CU_ASSERT_EQUAL(rig_run(&rig, 3000000), 0);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 3000001);
	CU_ASSERT_EQUAL(rig_run(&rig, 4000000), 3000001);
	rig_end(&rig);
}

static void a_cause_read_in_the_gap_raises_nothing(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(6000);
	acknowledge(7000);
	CU_ASSERT_EQUAL(rig_run(&rig, 3000000), 0);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 1);
	rig_end(&rig);
}

/*
 * Where there is a number for it, the line tells when it goes up: at 5000 and at the gap's end, in
 * the order of time with what else the device tells; not while it is up; not where it gets lost.
 */
static void the_line_tells_when_it_goes_up(void)
{
	struct nic_config config = rig_config();

	config.irq_entry = EVENT_PUT(IRQ_ENTRY, irq, 5);
	config.faults[config.fault_count++] =
		(struct nic_fault){ .type = NIC_FAULT_IRQ_LOSS, .at = 3000000, .count = 1 };
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_ITR, ITR_1000, 0);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	acknowledge(5000);
	cause(6000);
	nic_advance(rig.nic, 1500000);
	cause(2500000); /* up since 1,004,936 */
	nic_advance(rig.nic, 2600000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].id, EVENT_IRQ_ENTRY);
	CU_ASSERT_EQUAL(rig.events[0].time, 5000);
	CU_ASSERT_EQUAL(EVENT_GET(IRQ_ENTRY, irq, rig.events[0].arg), 5);
	CU_ASSERT_EQUAL(rig.events[0].device, 3);
	CU_ASSERT_EQUAL(rig.events[0].queue, EVENT_NO_QUEUE);
	CU_ASSERT_EQUAL(rig.events[1].time, 1004936);
	CU_ASSERT_EQUAL(rig_advance(&rig, 2600000), 2500000);
	acknowledge(2600000);
	cause(4000000);
	nic_advance(rig.nic, 4000000);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts_lost, 1);
	CU_ASSERT_EQUAL(rig.event_count, 2);
	rig_end(&rig);
}

static void without_a_number_it_is_silent(void)
{
	start_throttled();
	cause(5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	CU_ASSERT_EQUAL(rig.event_count, 0);
	rig_end(&rig);
}

/* TIDV and TADV are in units of 1.024 us: 8 is 8192 ns, 32 is 32,768 ns. */
static void start_delayed(uint32_t tidv, uint32_t tadv)
{
	struct nic_config config = rig_config();

	config.line_rate_mbps = 0; /* written back in the nanosecond of the tail write */
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	nic_write(rig.nic, REG_TIDV, tidv, 0);
	nic_write(rig.nic, REG_TADV, tadv, 0);
}

static void one_packet_waits_for_tidv(void)
{
	start_delayed(8, 32);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 9191), 0);
	CU_ASSERT_TRUE(rig_done(&rig, 0)); /* the descriptor doesn't wait, only the interrupt */
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 9192);
	CU_ASSERT_EQUAL(rig_run(&rig, 9192), 9192);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

/* The second comes one nanosecond before TIDV has run out: 9191 + 8192 = 17,383. */
static void each_packet_starts_tidv_again(void)
{
	start_delayed(8, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	rig_send(&rig, SEND_DELAYED, 60, 9191);
	CU_ASSERT_EQUAL(rig_run(&rig, 17382), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 17383), 17383);
	rig_end(&rig);
}

/*
 * Packets each 5 us from 1000 on hold TIDV off; TADV runs from the first: 1000 + 32,768 = 33,768.
 * The packet at 36,000 starts both anew: 36,000 + 32,768 = 68,768.
 */
static void tadv_runs_from_the_first_packet(void)
{
	uint64_t raised[3] = { 0 };
	unsigned count = 0;

	start_delayed(8, 32);
	for (uint64_t at = 1000; at <= 76000; at += 5000) {
		uint64_t found = rig_run(&rig, at - 1);

		if (found && count < 3)
			raised[count++] = found;
		nic_advance(rig.nic, at - 1);
		rig_send(&rig, SEND_DELAYED, 60, at);
	}
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_EQUAL(raised[0], 33768);
	CU_ASSERT_EQUAL(raised[1], 68768);
	rig_end(&rig);
}

/* Without TADV a stream holds the interrupt off for as long as it lasts, 8192 ns longer. */
static void without_tadv_a_stream_holds_it_off(void)
{
	start_delayed(8, 0);
	for (uint64_t at = 1000; at <= 501000; at += 5000) {
		CU_ASSERT_EQUAL(rig_run(&rig, at - 1), 0);
		rig_send(&rig, SEND_DELAYED, 60, at);
	}
	CU_ASSERT_EQUAL(rig_run(&rig, 1000000), 509192);
	rig_end(&rig);
}

/* 4 x 1024 ns: TADV is shorter than TIDV. */
static void a_short_tadv_comes_first(void)
{
	start_delayed(8, 4);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5095), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 5096), 5096);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER); /* TIDV has stopped too */
	rig_end(&rig);
}

static void tidv_of_0_turns_both_off(void)
{
	start_delayed(0, 32);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 1000), 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

static void a_packet_without_ide_does_not_wait(void)
{
	start_delayed(8, 32);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 1000), 1000);
	rig_end(&rig);
}

static void a_packet_without_rs_interrupts_never(void)
{
	start_delayed(8, 32);
	rig_send(&rig, SEND_DELAYED & ~TXD_CMD_RS, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 1000000), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 1000000), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1000000), 1);
	rig_end(&rig);
}

/* First interrupt at 9192, its gap ends at 1,009,128; TIDV runs out inside it, at 28,192. */
static void the_throttle_comes_after_the_delay(void)
{
	start_delayed(8, 32);
	nic_write(rig.nic, REG_ITR, ITR_1000, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 20000), 9192);
	acknowledge(20000);
	rig_send(&rig, SEND_DELAYED, 60, 20000);
	CU_ASSERT_EQUAL(rig_run(&rig, 28191), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 28191), 0); /* no cause before the delay ends */
	CU_ASSERT_EQUAL(rig_run(&rig, 1009127), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 1009128), 1009128);
	rig_end(&rig);
}

/* 8192 ns x 2.9 = 23,756.8 cycles. */
static void delays_at_another_frequency_are_rounded_down(void)
{
	struct nic_config config = rig_config();

	config.line_rate_mbps = 0;
	config.hz = UINT64_C(2900000000);
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 24755), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 24756), 24756);
	rig_end(&rig);
}

static const struct test_case throttle[] = {
	{ "the first interrupt is immediate", the_first_is_immediate },
	{ "an interrupt is taken once", an_interrupt_is_taken_once },
	{ "inside the gap it waits for the end", inside_the_gap_it_waits_for_the_end },
	{ "a gap follows each interrupt", a_gap_follows_each_interrupt },
	{ "many causes in a gap make one interrupt", many_causes_in_a_gap_make_one_interrupt },
	{ "after a quiet time it is immediate again", after_a_quiet_time_it_is_immediate_again },
	{ "without throttle each cause interrupts", without_throttle_each_cause_interrupts },
	{ "the gap is in the low 16 bits", the_gap_is_in_the_low_16_bits },
	{ "at another frequency the gap is rounded down",
		at_another_frequency_the_gap_is_rounded_down },
	{ 0 },
};

static const struct test_case mask[] = {
	{ "a masked cause stays silent", a_masked_cause_stays_silent },
	{ "unmasking a pending cause interrupts at once",
		unmasking_a_pending_cause_interrupts_at_once },
	{ "unmasking in the gap waits for its end", unmasking_in_the_gap_waits_for_its_end },
	{ "a cause masked in the gap is kept for later",
		a_cause_masked_in_the_gap_is_kept_for_later },
	{ "a cause read in the gap raises nothing", a_cause_read_in_the_gap_raises_nothing },
	{ "the line tells when it goes up", the_line_tells_when_it_goes_up },
	{ "without a number it is silent", without_a_number_it_is_silent },
	{ 0 },
};

static const struct test_case delay[] = {
	{ "one packet waits for TIDV", one_packet_waits_for_tidv },
	{ "each packet starts TIDV again", each_packet_starts_tidv_again },
	{ "TADV runs from the first packet", tadv_runs_from_the_first_packet },
	{ "without TADV a stream holds the interrupt off", without_tadv_a_stream_holds_it_off },
	{ "a TADV shorter than TIDV comes first", a_short_tadv_comes_first },
	{ "TIDV of 0 turns both delays off", tidv_of_0_turns_both_off },
	{ "a packet without IDE does not wait", a_packet_without_ide_does_not_wait },
	{ "a packet without RS interrupts never", a_packet_without_rs_interrupts_never },
	{ "the throttle comes after the delay", the_throttle_comes_after_the_delay },
	{ "delays at another frequency are rounded down",
		delays_at_another_frequency_are_rounded_down },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "throttle", throttle },
		{ "mask", mask },
		{ "delay timers", delay },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
