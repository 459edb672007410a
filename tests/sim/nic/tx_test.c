/* SPDX-License-Identifier: BSD-3-Clause */
/* The descriptor engine: from tail write to wire and write-back. */
#include "rig.h"

static struct rig rig;

static uint64_t wire_cycles(uint32_t mbps, uint32_t bytes)
{
	struct nic_config config = { .hz = CYCLES_NS_PER_S, .line_rate_mbps = mbps };

	return nic_wire_cycles(&config, bytes);
}

/* 60 bytes, 4 of FCS, 8 of preamble and 12 of gap are 84 bytes, 672 bits. */
static void short_frames_are_padded(void)
{
	CU_ASSERT_EQUAL(wire_cycles(1000, 0), 672);
	CU_ASSERT_EQUAL(wire_cycles(1000, 1), 672);
	CU_ASSERT_EQUAL(wire_cycles(1000, 43), 672);
	CU_ASSERT_EQUAL(wire_cycles(1000, 59), 672);
	CU_ASSERT_EQUAL(wire_cycles(1000, 60), 672);
	CU_ASSERT_EQUAL(wire_cycles(1000, 61), 680);
}

/* 1514 + 24 = 1538 bytes are 12,304 bits; 9014 + 24 are 72,304. */
static void frames_take_their_bits(void)
{
	CU_ASSERT_EQUAL(wire_cycles(1000, 1514), 12304);
	CU_ASSERT_EQUAL(wire_cycles(100, 60), 6720);
	CU_ASSERT_EQUAL(wire_cycles(100, 1514), 123040);
	CU_ASSERT_EQUAL(wire_cycles(10, 60), 67200);
	CU_ASSERT_EQUAL(wire_cycles(10, 1514), 1230400);
	CU_ASSERT_EQUAL(wire_cycles(1000, 9014), 72304);
	CU_ASSERT_EQUAL(wire_cycles(10000, 60), 67); /* 67.2 */
	CU_ASSERT_EQUAL(wire_cycles(100000, 60), 6); /* 6.72 */
}

static void an_unlimited_wire_takes_no_time(void)
{
	CU_ASSERT_EQUAL(wire_cycles(0, 60), 0);
	CU_ASSERT_EQUAL(wire_cycles(0, 1514), 0);
}

/* 672 ns x 2.9 = 1948.8 cycles; 1,230,400 ns x 2.9 = 3,568,160. */
static void wire_time_is_in_cycles(void)
{
	struct nic_config config = { .hz = UINT64_C(2900000000), .line_rate_mbps = 1000 };

	CU_ASSERT_EQUAL(nic_wire_cycles(&config, 60), 1948);
	config.line_rate_mbps = 10;
	CU_ASSERT_EQUAL(nic_wire_cycles(&config, 1514), 3568160);
}

static void start(const struct nic_config *config)
{
	rig_start(&rig, config);
}

static void start_plain(void)
{
	struct nic_config config = rig_config();

	start(&config);
}

/* Fetch takes 500 ns; data is read at one byte a nanosecond; 100 bytes are 992 ns on the wire. */
static struct nic_config pipeline(uint32_t dma_rate_mbps)
{
	struct nic_config config = rig_config();

	config.fetch_ns = 500;
	config.dma_rate_mbps = dma_rate_mbps;
	return config;
}

/*
 * A: in the device at 1500, read at 1600, sent at 2592. B: read at 1700, while A is on the wire;
 * sent from 2592 to 3584.
 */
static void the_next_packet_is_read_while_the_wire_is_busy(void)
{
	struct nic_config config = pipeline(8000);

	start(&config);
	rig_post(&rig, 0x1000, SEND | 100);
	rig_send(&rig, SEND, 100, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].time, 2592);
	CU_ASSERT_EQUAL(rig.events[1].time, 3584);
	rig_end(&rig);
}

/*
 * At 500 Mbit/s reading 100 bytes takes 1600 ns, more than sending them. A: read from 1500 to 3100,
 * sent at 4092. B: read from 3100 to 4700, sent at 5692.
 */
static void slow_reading_holds_the_wire_up(void)
{
	struct nic_config config = pipeline(500);

	start(&config);
	rig_post(&rig, 0x1000, SEND | 100);
	rig_send(&rig, SEND, 100, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].time, 4092);
	CU_ASSERT_EQUAL(rig.events[1].time, 5692);
	rig_end(&rig);
}

/* The device is idle again: 10,000 + 500 + 100 + 992. */
static void a_late_packet_starts_from_its_tail_write(void)
{
	struct nic_config config = pipeline(8000);

	start(&config);
	rig_send(&rig, SEND, 100, 1000);
	nic_advance(rig.nic, 9000);
	rig_send(&rig, SEND, 100, 10000);
	nic_advance(rig.nic, 20000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].time, 2592);
	CU_ASSERT_EQUAL(rig.events[1].time, 11592);
	rig_end(&rig);
}

/* B comes while A is on the wire, and late: 2400 + 500 + 100 = 3000 is after A has left. */
static void the_wire_stays_idle_until_the_packet_is_there(void)
{
	struct nic_config config = pipeline(8000);

	start(&config);
	rig_send(&rig, SEND, 100, 1000);
	rig_send(&rig, SEND, 100, 2400);
	nic_advance(rig.nic, 20000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[0].time, 2592);
	CU_ASSERT_EQUAL(rig.events[1].time, 3992);
	rig_end(&rig);
}

static void nothing_need_take_time(void)
{
	struct nic_config config = rig_config();

	config.line_rate_mbps = 0;
	start(&config);
	rig_post(&rig, 0x1000, SEND | 100);
	rig_send(&rig, SEND, 100, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 1000);
	nic_advance(rig.nic, 1000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	CU_ASSERT_EQUAL(rig.events[1].time, 1000);
	rig_end(&rig);
}

/* Bits 23:16 of a legacy descriptor are its checksum offset, not length and not a type. */
static void a_legacy_descriptor_has_16_bits_of_length(void)
{
	const uint32_t legacy = TXD_CMD_EOP | TXD_CMD_IFCS | TXD_CMD_RS;

	start_plain();
	rig_post(&rig, 0x1000, legacy | UINT32_C(40) << 16 | 100);
	rig_post(&rig, 0x2000, legacy | 100);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(rig.events[i].time, 1992 + 992 * i);
		CU_ASSERT_EQUAL(rig.events[i].len, 100);
		CU_ASSERT_TRUE(rig_done(&rig, i));
	}
	rig_end(&rig);
}

/* 70,000 is 0x11170: 17 bits. (70,000 + 24) x 8 = 560,192. */
static void a_data_descriptor_has_20_bits_of_length(void)
{
	start_plain();
	rig_send(&rig, SEND, 70000, 1000);
	nic_advance(rig.nic, 1000000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(rig.events[0].time, 561192);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->bytes, 70000);
	rig_end(&rig);
}

/* What the Linux driver writes for UDP over IPv4: tucss 34, tucso 40. Its length bits are PAYLEN.
 */
static void post_context(uint32_t more)
{
	rig.ring[rig.tail].context.tucss = 34;
	rig.ring[rig.tail].context.tucso = 40;
	rig_post(&rig, rig.ring[rig.tail].data.buffer_addr, TXD_CMD_DEXT | TXD_DTYP_CONTEXT | more);
}

static void a_context_descriptor_sends_nothing(void)
{
	start_plain();
	post_context(1400);
	rig_send(&rig, SEND, 100, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(rig.events[0].time, 1992);
	CU_ASSERT_EQUAL(rig.events[0].len, 100);
	CU_ASSERT_EQUAL(rig.events[0].packet, 0x1000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 100000), 2);
	CU_ASSERT_FALSE(rig_done(&rig, 0));
	CU_ASSERT_TRUE(rig_done(&rig, 1));
	CU_ASSERT_EQUAL(rig.ring[0].context.tucss, 34); /* as it was */
	CU_ASSERT_EQUAL(rig.ring[0].context.tucso, 40);
	rig_end(&rig);
}

static void a_lone_context_waits_for_its_packet(void)
{
	start_plain();
	post_context(0);
	rig_write_tail(&rig, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 2000), 0);
	rig_end(&rig);
}

/* 40 + 50 + 60 bytes leave as one frame: (150 + 24) x 8 = 1392. */
static void descriptors_up_to_eop_are_one_packet(void)
{
	start_plain();
	rig_post(&rig, 0x1000, TXD_CMD_DEXT | TXD_DTYP_DATA | 40);
	rig_post(&rig, 0x2000, TXD_CMD_DEXT | TXD_DTYP_DATA | 50);
	rig_post(&rig, 0x3000, SEND | 60);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(rig.events[0].time, 2392);
	CU_ASSERT_EQUAL(rig.events[0].len, 150);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[0].arg), 2);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->packets, 1);
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->bytes, 150);
	rig_end(&rig);
}

static void dd_is_only_where_rs_is(void)
{
	start_plain();
	rig_post(&rig, 0x1000, TXD_CMD_DEXT | TXD_DTYP_DATA | 40);
	rig_post(&rig, 0x2000, SEND | 60);
	rig_post(&rig, 0x3000, (SEND & ~TXD_CMD_RS) | 60);
	rig_post(&rig, 0x4000, SEND | 60);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 100000), 4);
	CU_ASSERT_EQUAL(rig.ring[0].data.status, 0);
	CU_ASSERT_EQUAL(rig.ring[1].data.status, TXD_STAT_DD);
	CU_ASSERT_EQUAL(rig.ring[2].data.status, 0);
	CU_ASSERT_EQUAL(rig.ring[3].data.status, TXD_STAT_DD);
	rig_end(&rig);
}

/* RS on each of its descriptors: DD on each, but the packet is done once. */
static void a_packet_is_done_once(void)
{
	start_plain();
	rig_post(&rig, 0x1000, (SEND & ~TXD_CMD_EOP) | 40);
	rig_post(&rig, 0x2000, SEND | 60);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_TRUE(rig_done(&rig, 1));
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(rig.events[0].len, 100);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[0].arg), 1);
	rig_end(&rig);
}

/* The fetch counts from the tail write that hands over the rest: 5000 + 500 + 90 + (90 + 24) x 8.
 */
static void a_tail_in_the_middle_of_a_packet_waits(void)
{
	struct nic_config config = pipeline(8000);

	start(&config);
	rig_post(&rig, 0x1000, TXD_CMD_DEXT | TXD_DTYP_DATA | 40);
	rig_write_tail(&rig, 1000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), CYCLES_NEVER);
	rig_send(&rig, SEND, 50, 5000);
	CU_ASSERT_EQUAL(nic_deadline(rig.nic), 6502);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(rig.events[0].len, 90);
	rig_end(&rig);
}

/* 14 packets, then one in the descriptors 14, 15 and 0, and one more. */
static void a_packet_may_wrap_around(void)
{
	start_plain();
	for (unsigned i = 0; i < 14; i++)
		rig_post(&rig, 0x1000, SEND | 60);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 100000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 100000), 14);

	rig_post(&rig, 0x2000, TXD_CMD_DEXT | TXD_DTYP_DATA | 100);
	rig_post(&rig, 0x3000, TXD_CMD_DEXT | TXD_DTYP_DATA | 100);
	rig_post(&rig, 0x4000, SEND | 100);
	rig_post(&rig, 0x5000, SEND | 60);
	rig_write_tail(&rig, 200000);
	nic_advance(rig.nic, 300000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 16);
	CU_ASSERT_EQUAL(rig.events[13].time, 1000 + 14 * 672);
	CU_ASSERT_EQUAL(rig.events[14].time, 200000 + 8 * 324);
	CU_ASSERT_EQUAL(rig.events[14].packet, 0x2000);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[14].arg), 0);
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[15].arg), 1);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 300000), 2);
	CU_ASSERT_EQUAL(rig.ring[14].data.status, 0);
	CU_ASSERT_EQUAL(rig.ring[15].data.status, 0);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	rig_end(&rig);
}

/* One that ends in the last descriptor: the head goes on at 0. */
static void a_packet_may_end_at_the_ring_s_end(void)
{
	start_plain();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < RIG_RING; i++) {
			uint64_t now = (round * RIG_RING + i + 1) * 10000;

			rig_send(&rig, SEND, 60, now);
			nic_advance(rig.nic, now + 5000);
			CU_ASSERT_TRUE(rig_done(&rig, i));
			CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, now + 5000), (i + 1) % RIG_RING);
		}
	}
	CU_ASSERT_EQUAL(nic_stats(rig.nic)->packets, 48);
	rig_end(&rig);
}

static const struct test_case wire[] = {
	{ "short frames are padded", short_frames_are_padded },
	{ "frames take their bits, preamble, FCS and gap", frames_take_their_bits },
	{ "an unlimited wire takes no time", an_unlimited_wire_takes_no_time },
	{ "wire time is in cycles of the clock", wire_time_is_in_cycles },
	{ 0 },
};

static const struct test_case pipelined[] = {
	{ "the next packet is read while the wire is busy",
		the_next_packet_is_read_while_the_wire_is_busy },
	{ "slow reading holds the wire up", slow_reading_holds_the_wire_up },
	{ "a late packet starts from its tail write", a_late_packet_starts_from_its_tail_write },
	{ "the wire stays idle until the packet is there",
		the_wire_stays_idle_until_the_packet_is_there },
	{ "nothing need take time", nothing_need_take_time },
	{ 0 },
};

static const struct test_case descriptors[] = {
	{ "a legacy descriptor has 16 bits of length", a_legacy_descriptor_has_16_bits_of_length },
	{ "a data descriptor has 20 bits of length", a_data_descriptor_has_20_bits_of_length },
	{ "a context descriptor sends nothing", a_context_descriptor_sends_nothing },
	{ "a lone context waits for its packet", a_lone_context_waits_for_its_packet },
	{ "descriptors up to EOP are one packet", descriptors_up_to_eop_are_one_packet },
	{ "DD is only where RS is", dd_is_only_where_rs_is },
	{ "a packet is done once", a_packet_is_done_once },
	{ "a tail in the middle of a packet waits", a_tail_in_the_middle_of_a_packet_waits },
	{ "a packet may wrap around", a_packet_may_wrap_around },
	{ "a packet may end at the ring's end", a_packet_may_end_at_the_ring_s_end },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "wire time", wire },
		{ "pipeline", pipelined },
		{ "descriptors", descriptors },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
