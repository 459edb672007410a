/* SPDX-License-Identifier: BSD-3-Clause */
/* The register window, and the faults that a scenario can ask for. */
#include "rig.h"

static struct rig rig;

static void start_plain(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
}

static void reading_the_cause_clears_it(void)
{
	start_plain();
	nic_write(rig.nic, REG_ICS, ICR_TXDW | ICR_LSC, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 2000), ICR_TXDW | ICR_LSC);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 2000), 0);
	rig_end(&rig);
}

/* INT_ASSERTED: one of the causes is enabled. It can't be set by software. */
static void the_cause_says_if_it_interrupts(void)
{
	start_plain();
	nic_write(rig.nic, REG_IMS, ICR_LSC, 0);
	nic_write(rig.nic, REG_ICS, ICR_TXDW, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 1000), ICR_TXDW);
	nic_write(rig.nic, REG_ICS, ICR_TXDW | ICR_LSC, 2000);
	CU_ASSERT_EQUAL(
		nic_read(rig.nic, REG_ICR, 2000), ICR_TXDW | ICR_LSC | UINT32_C(0x80000000));
	nic_write(rig.nic, REG_ICS, UINT32_C(0x80000000), 3000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 3000), 0);
	rig_end(&rig);
}

static void a_write_back_is_a_cause(void)
{
	start_plain();
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 1671), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 1672), ICR_TXDW);
	rig_end(&rig);
}

static void masks_are_set_and_cleared_bit_by_bit(void)
{
	start_plain();
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_IMS, 0), 0);
	nic_write(rig.nic, REG_IMS, 0x5, 0);
	nic_write(rig.nic, REG_IMS, 0x2, 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_IMS, 0), 0x7);
	nic_write(rig.nic, REG_IMC, 0x5, 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_IMS, 0), 0x2);
	nic_write(rig.nic, REG_IMC, UINT32_MAX, 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_IMS, 0), 0);
	rig_end(&rig);
}

/* Frames of 672 ns: at 1672 one has left, at 2344 both. */
static void head_follows_tail(void)
{
	start_plain();
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 0), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDT, 0), 0);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDT, 1000), 2);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1671), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1672), 1);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 2343), 1);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 2344), 2);
	rig_end(&rig);
}

static void a_tail_beyond_the_ring_is_ignored(void)
{
	start_plain();
	nic_write(rig.nic, REG_TDT, RIG_RING, 1000);
	nic_write(rig.nic, REG_TDT, UINT32_MAX, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDT, 1000), 0);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

static void the_link_is_up(void)
{
	start_plain();
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 0), 0x2);
	nic_write(rig.nic, REG_STATUS, 0, 0); /* is not for writing */
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 0), 0x2);
	rig_end(&rig);
}

static void outside_the_window_there_is_nothing(void)
{
	static const uint32_t offsets[] = { 0x4100, 0x4104, 0xfffffffc };

	start_plain();
	nic_write(rig.nic, 0, 0x5678, 0); /* at 0: where a window that wraps would look */
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		nic_write(rig.nic, offsets[i], 0x1234, 0);
		CU_ASSERT_EQUAL(nic_read(rig.nic, offsets[i], 0), 0);
	}
	rig_end(&rig);
}

static void without_a_ring_nothing_is_sent(void)
{
	struct nic_config config = rig_config();
	struct nic *nic = nic_create(&config);

	CU_ASSERT_PTR_NOT_NULL_FATAL(nic);
	nic_write(nic, REG_TCTL, TCTL_EN, 0);
	nic_write(nic, REG_TDT, 1, 0);
	CU_ASSERT_EQUAL(nic_read(nic, REG_TDT, 0), 0);
	CU_ASSERT_EQUAL(nic_deadline(nic), CYCLES_NEVER);
	nic_destroy(nic);
	nic_destroy(NULL);
}

/* The driver does it when it closes: nothing of the old ring is touched any more. */
static void a_ring_taken_away_is_left_alone(void)
{
	start_plain();
	nic_write(rig.nic, REG_TXDCTL, 4 << TXDCTL_WTHRESH_SHIFT, 0);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	rig_run(&rig, 1672); /* done, but not written back */
	rig_send(&rig, SEND_DELAYED, 60, 2000);
	nic_write(rig.nic, REG_TDLEN, 0, 2100);
	memset(rig.ring, 0xff, sizeof(rig.ring));
	nic_advance(rig.nic, 1000000);
	for (size_t i = 0; i < sizeof(rig.ring); i++)
		CU_ASSERT_EQUAL(((const uint8_t *)rig.ring)[i], 0xff);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1000000), 0);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->packets, 1);
	rig_end(&rig);
}

static void a_new_ring_starts_at_0(void)
{
	start_plain();
	rig_post(&rig, 0x1000, SEND | 60);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_send(&rig, SEND, 60, 1000);
	nic_advance(rig.nic, 10000);
	nic_write(rig.nic, REG_TDLEN, sizeof(rig.ring), 10000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 10000), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDT, 10000), 0);
	for (unsigned i = 0; i < RIG_RING; i++) { /* as if all had been sent once */
		rig.ring[i].data.cmd_length = SEND | 60;
		rig.ring[i].data.status = 0;
	}
	rig.tail = 0;
	rig_send(&rig, SEND, 60, 11000);
	nic_advance(rig.nic, 20000);
	for (unsigned i = 0; i < RIG_RING; i++)
		CU_ASSERT_EQUAL(rig_done(&rig, i), i == 0);
	rig_end(&rig);
}

static void a_transmitter_that_is_off_sends_nothing(void)
{
	start_plain();
	nic_write(rig.nic, REG_TCTL, 0, 0);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 100000), 0);
	nic_write(rig.nic, REG_TCTL, TCTL_EN, 100000);
	nic_advance(rig.nic, 200000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 200000), 1);
	rig_end(&rig);
}

/* A device of 1 Gbit/s with these faults; each packet of 60 bytes takes 672 ns. */
static void start_with(const struct nic_fault *faults, unsigned count)
{
	struct nic_config config = rig_config();

	memcpy(config.faults, faults, count * sizeof(*faults));
	config.fault_count = count;
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
}

/* The first leaves at 1672; the second would at 2344 but the transmitter stops at 2000. */
static void a_stopped_transmitter_stays_so(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 2000 };

	start_with(&stop, 1);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_send(&rig, SEND, 60, 1000);
	rig_send(&rig, SEND, 60, 1100);
	CU_ASSERT_EQUAL(rig_run(&rig, 2000), 1672);
	CU_ASSERT_EQUAL(rig_run(&rig, CYCLES_NS_PER_S), 0);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_send(&rig, SEND, 60, CYCLES_NS_PER_S);
	CU_ASSERT_EQUAL(rig_run(&rig, 100 * CYCLES_NS_PER_S), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 100 * CYCLES_NS_PER_S), 1);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDT, 100 * CYCLES_NS_PER_S), 4);
	CU_ASSERT_FALSE(rig_done(&rig, 1));
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->packets, 1);
	CU_ASSERT_EQUAL(rig.event_count, 1);
	rig_end(&rig);
}

static void a_transmitter_stopped_at_rest_sends_nothing(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 500 };

	start_with(&stop, 1);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, CYCLES_NS_PER_S), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, CYCLES_NS_PER_S), 0);
	rig_end(&rig);
}

/* Interrupts don't stop with the transmitter: the watchdog's software interrupt still works. */
static void a_stopped_transmitter_still_interrupts(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 500 };

	start_with(&stop, 1);
	rig_send(&rig, SEND, 60, 1000);
	nic_write(rig.nic, REG_ICS, ICR_TXDW, 5000);
	CU_ASSERT_EQUAL(rig_run(&rig, 5000), 5000);
	rig_end(&rig);
}

/* It stops at 1500, in the middle of the frame, until 9000. */
static void a_stop_with_an_end_ends(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 1500, .duration = 7500 };

	start_with(&stop, 1);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 8999), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 8999), 0);
	CU_ASSERT(rig_run(&rig, 20000) >= 9000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 20000), 1);
	rig_send(&rig, SEND, 60, 20000);
	CU_ASSERT_EQUAL(rig_run(&rig, 30000), 20672);
	rig_end(&rig);
}

static void lost_write_backs_leave_no_trace_in_memory(void)
{
	const struct nic_fault loss = { .type = NIC_FAULT_WRITEBACK_LOSS, .at = 2000, .count = 2 };

	start_with(&loss, 1);
	for (uint64_t at = 1000; at < 5000; at += 1000) { /* done at 1672, 2672, 3672, 4672 */
		rig_send(&rig, SEND, 60, at);
		nic_advance(rig.nic, at + 999);
	}
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_FALSE(rig_done(&rig, 1));
	CU_ASSERT_FALSE(rig_done(&rig, 2));
	CU_ASSERT_TRUE(rig_done(&rig, 3));
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->writebacks_lost, 2);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->packets, 4); /* they did leave */
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 5000), 4);
	rig_end(&rig);
}

/*
 * The interrupt of 1672 is lost, and its gap holds all the same (ITR 3906: to 1,001,608). The
 * cause of the next packet makes the next one, when the gap is over.
 */
static void after_a_lost_interrupt_the_next_cause_helps(void)
{
	const struct nic_fault loss = { .type = NIC_FAULT_IRQ_LOSS, .at = 0, .count = 1 };

	start_with(&loss, 1);
	nic_write(rig.nic, REG_ITR, 3906, 0);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 400000), 0);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 1);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts_lost, 1);
	rig_send(&rig, SEND, 60, 500000);
	CU_ASSERT_EQUAL(rig_run(&rig, 1001607), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 1001608), 1001608);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts, 2);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->interrupts_lost, 1);
	rig_end(&rig);
}

static void a_lost_interrupt_alone_does_not_come_back(void)
{
	const struct nic_fault loss = { .type = NIC_FAULT_IRQ_LOSS, .at = 0, .count = 1 };

	start_with(&loss, 1);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, CYCLES_NS_PER_S), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, CYCLES_NS_PER_S),
		ICR_TXDW | UINT32_C(0x80000000)); /* the cause waits to be read */
	rig_end(&rig);
}

/* What happens at 1672, the time of the loss, is lost; a nanosecond later it would not be. */
static void losses_begin_at_their_time(void)
{
	for (uint64_t late = 0; late < 2; late++) {
		const struct nic_fault losses[] = {
			{ .type = NIC_FAULT_IRQ_LOSS, .at = 1672 + late, .count = 1 },
			{ .type = NIC_FAULT_WRITEBACK_LOSS, .at = 1672 + late, .count = 1 },
		};

		start_with(losses, 2);
		rig_send(&rig, SEND, 60, 1000);
		CU_ASSERT_EQUAL(rig_run(&rig, 1999), late ? 1672 : 0);
		CU_ASSERT_EQUAL(rig_done(&rig, 0), late);
		rig_send(&rig, SEND, 60, 2000);
		CU_ASSERT_EQUAL(rig_run(&rig, 2999), late ? 0 : 2672);
		CU_ASSERT_EQUAL(rig_done(&rig, 1), !late);
		rig_end(&rig);
	}
}

/*
 * Paused from 1000 to 3000. The frame of 900 is on the wire already and leaves at 1572; the next
 * may start at 3000 and leaves at 3672.
 */
static void a_pause_lets_the_frame_on_the_wire_go(void)
{
	const struct nic_fault pause = {
		.type = NIC_FAULT_LINK_PAUSE, .at = 1000, .duration = 2000
	};

	start_with(&pause, 1);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_send(&rig, SEND, 60, 900);
	nic_advance(rig.nic, 3671);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_FALSE(rig_done(&rig, 1));
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].time, 1572);
	CU_ASSERT_EQUAL(rig.events[1].time, 3672);
	rig_end(&rig);
}

/* Frames that wait leave one after the other: 3672, 4344, 5016. */
static void after_a_pause_frames_follow_at_line_rate(void)
{
	const struct nic_fault pause = {
		.type = NIC_FAULT_LINK_PAUSE, .at = 1000, .duration = 2000
	};

	start_with(&pause, 1);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_post(&rig, 0x1000, SEND | 60);
	rig_send(&rig, SEND, 60, 1500);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 3);
	CU_ASSERT_EQUAL(rig.events[0].time, 3672);
	CU_ASSERT_EQUAL(rig.events[1].time, 4344);
	CU_ASSERT_EQUAL(rig.events[2].time, 5016);
	rig_end(&rig);
}

/* STATUS.TXOFF is bit 4; the pause is over at its end. */
static void a_pause_shows_in_the_status(void)
{
	const struct nic_fault pause = {
		.type = NIC_FAULT_LINK_PAUSE, .at = 1000, .duration = 2000
	};

	start_with(&pause, 1);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 999), 0x2);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 1000), 0x12);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 2999), 0x12);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_STATUS, 3000), 0x2);
	rig_end(&rig);
}

static const struct test_case registers[] = {
	{ "reading the cause clears it", reading_the_cause_clears_it },
	{ "the cause says if it interrupts", the_cause_says_if_it_interrupts },
	{ "a write-back is a cause", a_write_back_is_a_cause },
	{ "masks are set and cleared bit by bit", masks_are_set_and_cleared_bit_by_bit },
	{ "head follows tail", head_follows_tail },
	{ "a tail beyond the ring is ignored", a_tail_beyond_the_ring_is_ignored },
	{ "the link is up", the_link_is_up },
	{ "outside the window there is nothing", outside_the_window_there_is_nothing },
	{ "without a ring nothing is sent", without_a_ring_nothing_is_sent },
	{ "a ring taken away is left alone", a_ring_taken_away_is_left_alone },
	{ "a new ring starts at 0", a_new_ring_starts_at_0 },
	{ "a transmitter that is off sends nothing", a_transmitter_that_is_off_sends_nothing },
	{ 0 },
};

static const struct test_case faults[] = {
	{ "a stopped transmitter stays so", a_stopped_transmitter_stays_so },
	{ "a transmitter stopped at rest sends nothing",
		a_transmitter_stopped_at_rest_sends_nothing },
	{ "a stopped transmitter still interrupts", a_stopped_transmitter_still_interrupts },
	{ "a stop with an end ends", a_stop_with_an_end_ends },
	{ "lost write-backs leave no trace in memory", lost_write_backs_leave_no_trace_in_memory },
	{ "after a lost interrupt the next cause helps",
		after_a_lost_interrupt_the_next_cause_helps },
	{ "a lost interrupt alone does not come back", a_lost_interrupt_alone_does_not_come_back },
	{ "losses begin at their time", losses_begin_at_their_time },
	{ "a pause lets the frame on the wire go", a_pause_lets_the_frame_on_the_wire_go },
	{ "after a pause frames follow at line rate", after_a_pause_frames_follow_at_line_rate },
	{ "a pause shows in the status", a_pause_shows_in_the_status },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "registers", registers },
		{ "faults", faults },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
