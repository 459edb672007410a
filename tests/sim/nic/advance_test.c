/* SPDX-License-Identifier: BSD-3-Clause */
/* Time: what the device says it will do next, and that it doesn't matter how time is cut up. */
#include "rig.h"
#include <stdio.h>

#define PROGRAMS 200 /* of the property test */
#define ACTIONS  200

static struct rig rig, other;

static void an_idle_device_has_no_deadline(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 10);
	nic_write(rig.nic, REG_ITR, 3906, 10);
	nic_write(rig.nic, REG_TIDV, 8, 10);
	nic_write(rig.nic, REG_TADV, 32, 10);
	nic_advance(rig.nic, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

/*
 * A 60-byte frame takes 672 ns, TIDV 8 is 8192 ns, and the throttle's gap is 999,936 ns. The first
 * interrupt comes when TIDV is over (1000 + 672 + 8192), the second a gap later.
 */
static void the_deadline_names_each_next_thing(void)
{
	static const uint64_t next[] = { 10672, 11344, 11344 + 8192, 9864 + 999936, CYCLES_NEVER };
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	nic_write(rig.nic, REG_ITR, 3906, 0);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	nic_write(rig.nic, REG_TADV, 32, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 1672);
	CU_ASSERT_EQUAL(rig_advance(&rig, 1672), 0);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 9864);
	CU_ASSERT_EQUAL(rig_advance(&rig, 9864), 9864);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);

	nic_read(rig.nic, REG_ICR, 10000);
	rig_post(&rig, 0x1000, SEND_DELAYED | 60);
	rig_send(&rig, SEND_DELAYED, 60, 10000);
	for (size_t i = 0; i < sizeof(next) / sizeof(*next); i++) {
		CU_ASSERT_EQUAL(nic_deadline(rig.nic), next[i]);
		if (next[i] != CYCLES_NEVER)
			nic_advance(rig.nic, next[i]);
	}
	rig_end(&rig);
}

/* TADV of 4 (4096 ns) runs out before TIDV of 8. */
static void the_deadline_is_the_shorter_delay(void)
{
	struct nic_config config = rig_config();

	config.line_rate_mbps = 0;
	rig_start(&rig, &config);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	nic_write(rig.nic, REG_TADV, 4, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	nic_advance(rig.nic, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 5096);
	nic_advance(rig.nic, 5096);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_end(&rig);
}

static void nothing_happens_before_the_deadline(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	rig_send(&rig, SEND, 60, 1000);
	nic_advance(rig.nic, 1671);
	CU_ASSERT_FALSE(rig_done(&rig, 0));
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1671), 0);
	nic_advance(rig.nic, 1672);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1672), 1);
	rig_end(&rig);
}

/* A register access is as good as an advance: the device has done all that was due before. */
static void reading_a_register_advances(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	rig_send(&rig, SEND, 60, 1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 1672), 1);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	rig_send(&rig, SEND, 60, 2000);
	nic_write(rig.nic, REG_ICS, ICR_LSC, 2672);
	CU_ASSERT_TRUE(rig_done(&rig, 1));
	rig_end(&rig);
}

/* Numerical Recipes' quick generator: good enough to make programs, and the same everywhere. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return (uint32_t)((uint64_t)*state * below >> 32);
}

static uint32_t draw_of(uint32_t *state, const uint32_t *values, uint32_t count)
{
	return values[draw(state, count)];
}

/* A device of some kind, with some faults. */
static struct nic_config draw_config(uint32_t *state)
{
	static const uint32_t rates[] = { 0, 100, 1000, 10000 };
	struct nic_config config = rig_config();

	config.line_rate_mbps = draw_of(state, rates, 4);
	config.fetch_ns = draw(state, 2) * 500;
	config.dma_rate_mbps = draw(state, 2) * 2000;
	config.fault_count = draw(state, 5);
	for (unsigned i = 0; i < config.fault_count; i++) {
		static const enum nic_fault_type types[] = { NIC_FAULT_WRITEBACK_LOSS,
			NIC_FAULT_IRQ_LOSS, NIC_FAULT_LINK_PAUSE, NIC_FAULT_TX_STOP };

		config.faults[i] = (struct nic_fault){ .type = types[draw(state, 4)],
			.at = draw(state, 300000),
			.duration = 1 + draw(state, 20000),
			.count = 1 + draw(state, 3) };
	}
	return config;
}

static void draw_registers(uint32_t *state, struct nic *a, struct nic *b)
{
	static const uint32_t gaps[] = { 0, 4, 39 }, tidvs[] = { 0, 1, 8 }, tadvs[] = { 0, 2, 32 };
	static const uint32_t thresholds[] = { 0, 1, 4 };
	const struct {
		uint32_t offset, value;
	} writes[] = {
		{ REG_ITR, draw_of(state, gaps, 3) },
		{ REG_TIDV, draw_of(state, tidvs, 3) },
		{ REG_TADV, draw_of(state, tadvs, 3) },
		{ REG_TXDCTL, draw_of(state, thresholds, 3) << TXDCTL_WTHRESH_SHIFT },
		{ REG_IMS, ICR_TXDW },
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++) {
		nic_write(a, writes[i].offset, writes[i].value, 0);
		nic_write(b, writes[i].offset, writes[i].value, 0);
	}
}

/* Something that a driver might do; what it reads goes to *value. */
static void act(struct rig *of, uint32_t action, uint32_t bytes, uint64_t now, uint32_t *value)
{
	static const uint32_t commands[] = { SEND, SEND_DELAYED, SEND_DELAYED, SEND_DELAYED,
		SEND_DELAYED & ~TXD_CMD_RS, SEND_DELAYED & ~TXD_CMD_EOP };

	*value = 0;
	if (action < sizeof(commands) / sizeof(*commands)) {
		/* one slot stays empty, and one is left to end a packet with */
		uint32_t used = (of->tail - nic_read(of->nic, REG_TDH, now)) % RIG_RING;

		if (used < RIG_RING - 2)
			rig_send(of, commands[action], bytes, now);
		else if (used < RIG_RING - 1)
			rig_send(of, SEND_DELAYED, bytes, now);
		return;
	}
	switch (action) {
	case 6:
		nic_write(of->nic, REG_IMC, ICR_TXDW, now);
		break;
	case 7:
		nic_write(of->nic, REG_IMS, ICR_TXDW, now);
		break;
	case 8:
		nic_write(of->nic, REG_ICS, ICR_TXDW, now);
		break;
	case 9:
		nic_write(of->nic, REG_TIDV, 8 | TIDV_FPD, now);
		break;
	default:
		*value = nic_read(of->nic, REG_ICR, now);
	}
}

/* Advances in small steps; returns when the last interrupt was raised, 0: none was. */
static uint64_t creep(uint32_t *state, uint64_t from, uint64_t to)
{
	uint64_t raised = 0;

	for (uint64_t now = from; now < to; now += 1 + draw(state, 60)) {
		uint64_t found = rig_advance(&other, now);

		CU_ASSERT(nic_deadline(other.nic) > now);
		raised = found ? found : raised;
	}
	return raised;
}

/* Runs a program on both; returns false at the first difference. */
static bool same_however_time_is_cut(uint32_t seed)
{
	uint32_t state = seed, values[2];
	struct nic_config config = draw_config(&state);
	uint64_t now = 1, last = 0;
	bool same = true;

	rig_start(&rig, &config);
	rig_start(&other, &config);
	draw_registers(&state, rig.nic, other.nic);
	for (unsigned i = 0; i < ACTIONS && same; i++) {
		uint32_t action = draw(&state, 12), bytes = draw(&state, 200);
		uint64_t raised[2] = { 0 }, found;

		now += draw(&state, 30) ? draw(&state, 2500) : draw(&state, 60000);
		raised[1] = creep(&state, last, now);
		act(&rig, action, bytes, now, &values[0]);
		act(&other, action, bytes, now, &values[1]);
		raised[0] = rig_advance(&rig, now);
		found = rig_advance(&other, now);
		raised[1] = found ? found : raised[1];
		last = now;
		same = raised[0] == raised[1] && values[0] == values[1] &&
		       nic_deadline(rig.nic) == nic_deadline(other.nic) &&
		       !memcmp(rig.ring, other.ring, sizeof(rig.ring)) &&
		       !memcmp(nic_stats(rig.nic), nic_stats(other.nic), sizeof(struct nic_stats));
	}
	same = same && rig.event_count == other.event_count &&
	       !memcmp(rig.events, other.events, rig.event_count * sizeof(*rig.events));
	for (unsigned i = 1; i < rig.event_count; i++)
		CU_ASSERT(rig.events[i - 1].time <= rig.events[i].time);
	rig_end(&rig);
	rig_end(&other);
	return same;
}

static void one_big_step_equals_many_small_ones(void)
{
	for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
		if (same_however_time_is_cut(seed))
			continue;
		printf("seed %u ", seed);
		CU_FAIL("a device that creeps and one that jumps differ");
	}
}

static const struct test_case deadline[] = {
	{ "an idle device has no deadline", an_idle_device_has_no_deadline },
	{ "the deadline names each next thing", the_deadline_names_each_next_thing },
	{ "the deadline is the shorter delay", the_deadline_is_the_shorter_delay },
	{ "nothing happens before the deadline", nothing_happens_before_the_deadline },
	{ "reading a register advances", reading_a_register_advances },
	{ 0 },
};

static const struct test_case property[] = {
	{ "one big step equals many small ones", one_big_step_equals_many_small_ones },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "deadline", deadline },
		{ "any program", property },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
