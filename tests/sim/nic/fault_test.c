/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults with work behind them, and several at once. A 60-byte frame takes 672 ns at 1 Gbit/s. */
#include "rig.h"

static struct rig rig;

static void start_with(const struct nic_fault *faults, unsigned count)
{
	struct nic_config config = rig_config();

	config.fault_count = count;
	memcpy(config.faults, faults, count * sizeof(*faults));
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
}

static void send_three(uint64_t now)
{
	for (int i = 0; i < 3; i++)
		rig_post(&rig, 0x1000, SEND | 60);
	rig_write_tail(&rig, now);
}

/* When the three packets were done. */
static void assert_done_at(uint64_t first, uint64_t second, uint64_t third)
{
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 3);
	CU_ASSERT_EQUAL(rig.events[0].time, first);
	CU_ASSERT_EQUAL(rig.events[1].time, second);
	CU_ASSERT_EQUAL(rig.events[2].time, third);
}

/* Stopped from 1200, in the middle of the first frame, to 5000: then all three, one by one. */
static void a_backlog_leaves_frame_by_frame_after_a_stop(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 1200, .duration = 3800 };

	start_with(&stop, 1);
	send_three(1000);
	nic_advance(rig.nic, 10000);
	assert_done_at(5672, 6344, 7016);
	rig_end(&rig);
}

/* Posted inside a stop from 1000 to 1500, it starts then; one that a short stop cuts off starts
 * anew. */
static void no_frame_is_on_the_wire_during_a_stop(void)
{
	const struct nic_fault inside = { .type = NIC_FAULT_TX_STOP, .at = 1000, .duration = 500 };
	const struct nic_fault within = { .type = NIC_FAULT_TX_STOP, .at = 1200, .duration = 100 };

	start_with(&inside, 1);
	rig_send(&rig, SEND, 60, 1400);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL(rig.events[0].time, 1500 + 672);
	rig_end(&rig);
	start_with(&within, 1);
	rig_send(&rig, SEND, 60, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL(rig.events[0].time, 1300 + 672);
	rig_end(&rig);
}

static void a_backlog_never_leaves_a_dead_transmitter(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 1672 + 1 };

	start_with(&stop, 1);
	send_three(1000);
	nic_advance(rig.nic, CYCLES_NS_PER_S);
	CU_ASSERT_EQUAL(rig.event_count, 1); /* the first left at 1672 */
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

/* 1000 to 3000 and 2500 to 6000: the frame starts at 6000, whatever the order of the faults. */
static void overlapping_pauses_are_one(void)
{
	const struct nic_fault pauses[] = {
		{ .type = NIC_FAULT_LINK_PAUSE, .at = 1000, .duration = 2000 },
		{ .type = NIC_FAULT_LINK_PAUSE, .at = 2500, .duration = 3500 },
	};
	const struct nic_fault reversed[] = { pauses[1], pauses[0] };

	start_with(pauses, 2);
	send_three(1000);
	nic_advance(rig.nic, 10000);
	assert_done_at(6672, 7344, 8016);
	rig_end(&rig);
	start_with(reversed, 2);
	send_three(1000);
	nic_advance(rig.nic, 10000);
	assert_done_at(6672, 7344, 8016);
	rig_end(&rig);
}

/* A stop to 5000 and a pause to 7000: both must be over. */
static void a_pause_holds_what_a_stop_lets_go(void)
{
	const struct nic_fault faults[] = {
		{ .type = NIC_FAULT_TX_STOP, .at = 1200, .duration = 3800 },
		{ .type = NIC_FAULT_LINK_PAUSE, .at = 4000, .duration = 3000 },
	};

	start_with(faults, 2);
	send_three(1000);
	nic_advance(rig.nic, 20000);
	assert_done_at(7672, 8344, 9016);
	rig_end(&rig);
}

/* A write-back that gets lost is no `done`: its descriptor says nothing. */
static void a_lost_write_back_is_not_done(void)
{
	const struct nic_fault loss = { .type = NIC_FAULT_WRITEBACK_LOSS, .at = 2000, .count = 1 };

	start_with(&loss, 1);
	send_three(1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[0].arg), 0);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[1].arg), 2);
	rig_end(&rig);
}

static void the_wire_is_busy_for_its_frames(void)
{
	const struct nic_fault stop = { .type = NIC_FAULT_TX_STOP, .at = 1200, .duration = 3800 };

	start_with(&stop, 1);
	send_three(1000);
	rig_send(&rig, SEND, 1514, 8000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->wire_busy, 3 * 672 + 12304);
	rig_end(&rig);
}

static const struct test_case cases[] = {
	{ "a backlog leaves frame by frame after a stop",
		a_backlog_leaves_frame_by_frame_after_a_stop },
	{ "no frame is on the wire during a stop", no_frame_is_on_the_wire_during_a_stop },
	{ "a backlog never leaves a dead transmitter", a_backlog_never_leaves_a_dead_transmitter },
	{ "overlapping pauses are one", overlapping_pauses_are_one },
	{ "a pause holds what a stop lets go", a_pause_holds_what_a_stop_lets_go },
	{ "a lost write-back is not done", a_lost_write_back_is_not_done },
	{ "the wire is busy for its frames", the_wire_is_busy_for_its_frames },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "fault", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
