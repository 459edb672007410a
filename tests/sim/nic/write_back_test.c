/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device tells of a finished descriptor: DD in memory, alone or gathered, and an event. */
#include "rig.h"

static struct rig rig;

static void start_plain(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
}

static void write_threshold(uint32_t descriptors)
{
	nic_write(rig.nic, REG_TXDCTL, descriptors << TXDCTL_WTHRESH_SHIFT, 0);
}

static void assert_done(unsigned first, unsigned count, bool done)
{
	for (unsigned i = first; i < first + count; i++)
		CU_ASSERT_EQUAL(rig_done(&rig, i), done);
}

static void wthresh_gathers_write_backs(void)
{
	start_plain();
	write_threshold(4);
	for (unsigned i = 0; i < 4; i++) {
		assert_done(0, 4, false);
		rig_send(&rig, SEND_DELAYED, 60, 1000 * (i + 1));
		nic_advance(rig.nic, 1000 * (i + 1) + 999);
	}
	assert_done(0, 4, true);
	rig_send(&rig, SEND_DELAYED, 60, 5000);
	nic_advance(rig.nic, 5999);
	CU_ASSERT_FALSE(rig_done(&rig, 4));                   /* the next four gather */
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 5999), 5); /* the head doesn't wait for them */
	rig_end(&rig);
}

/* Packets of two descriptors: a threshold of 4 is reached with the second. */
static void wthresh_counts_descriptors(void)
{
	start_plain();
	write_threshold(4);
	for (unsigned i = 0; i < 2; i++) {
		rig_post(&rig, 0x1000, TXD_CMD_DEXT | TXD_DTYP_DATA | 20);
		rig_send(&rig, SEND_DELAYED, 40, 1000 * (i + 1));
		nic_advance(rig.nic, 1000 * (i + 1) + 999);
		CU_ASSERT_EQUAL(rig_done(&rig, 1), i == 1);
		CU_ASSERT_EQUAL(rig_done(&rig, 3), i == 1);
	}
	CU_ASSERT_FALSE(rig_done(&rig, 0)); /* no RS */
	rig_end(&rig);
}

/* 15 packets, flushed; then one in the descriptors 15 and 0: two are no four. */
static void wthresh_counts_around_the_end(void)
{
	start_plain();
	write_threshold(4);
	for (unsigned i = 0; i < 15; i++)
		rig_post(&rig, 0x1000, SEND_DELAYED | 60);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 90000);
	nic_write(rig.nic, REG_TIDV, TIDV_FPD, 90000);
	assert_done(0, 15, true);
	rig_post(&rig, 0x1000, TXD_CMD_DEXT | TXD_DTYP_DATA | 20);
	rig_send(&rig, SEND_DELAYED, 40, 100000);
	nic_advance(rig.nic, 110000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TDH, 110000), 1);
	CU_ASSERT_FALSE(rig_done(&rig, 0));
	rig_end(&rig);
}

/* TXDW says that a descriptor was written back, so not before the fourth is: 1000 + 4 x 672. */
static void without_write_back_there_is_no_cause(void)
{
	start_plain();
	write_threshold(4);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	for (unsigned i = 0; i < 4; i++)
		rig_post(&rig, 0x1000, SEND | 60);
	rig_write_tail(&rig, 1000);
	CU_ASSERT_EQUAL(rig_run(&rig, 3687), 0);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_ICR, 3687), 0);
	CU_ASSERT_EQUAL(rig_run(&rig, 3688), 3688);
	rig_end(&rig);
}

static void a_wthresh_of_1_gathers_nothing(void)
{
	start_plain();
	write_threshold(1);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	nic_advance(rig.nic, 1672);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	rig_end(&rig);
}

/* Sent at 1672 and 3672; TIDV of 8 runs from the last: 3672 + 8192 = 11,864. */
static void tidv_flushes_what_wthresh_gathers(void)
{
	start_plain();
	write_threshold(4);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	rig_send(&rig, SEND_DELAYED, 60, 3000);
	CU_ASSERT_EQUAL(rig_run(&rig, 11863), 0);
	assert_done(0, 2, false);
	CU_ASSERT_EQUAL(rig_run(&rig, 11864), 11864);
	assert_done(0, 2, true);
	rig_end(&rig);
}

static void fpd_flushes_at_once(void)
{
	start_plain();
	write_threshold(4);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	nic_advance(rig.nic, 2000);
	CU_ASSERT_FALSE(rig_done(&rig, 0));
	nic_write(rig.nic, REG_TIDV, 8 | TIDV_FPD, 2000);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	rig_end(&rig);
}

/* After a flush the count starts at 0 again: three more are no four. */
static void a_flush_restarts_the_count(void)
{
	start_plain();
	write_threshold(4);
	rig_send(&rig, SEND_DELAYED, 60, 1000);
	nic_advance(rig.nic, 2000);
	nic_write(rig.nic, REG_TIDV, TIDV_FPD, 2000);
	for (unsigned i = 0; i < 3; i++)
		rig_post(&rig, 0x1000, SEND_DELAYED | 60);
	rig_write_tail(&rig, 3000);
	nic_advance(rig.nic, 9000);
	assert_done(0, 1, true);
	assert_done(1, 3, false);
	rig_send(&rig, SEND_DELAYED, 60, 10000);
	nic_advance(rig.nic, 11000);
	assert_done(1, 4, true);
	rig_end(&rig);
}

static void a_done_event_says_what_and_when(void)
{
	const struct event *event = rig.events;

	start_plain();
	rig_post(&rig, 0x5000, SEND | 100);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 1);
	CU_ASSERT_EQUAL(event->time, 1992);
	CU_ASSERT_EQUAL(event->id, EVENT_DONE);
	CU_ASSERT_EQUAL(event->device, 3);
	CU_ASSERT_EQUAL(event->queue, 0);
	CU_ASSERT_EQUAL(event->len, 100);
	CU_ASSERT_EQUAL(event->packet, 0x5000);
	CU_ASSERT_EQUAL(event->arg, 0);
	CU_ASSERT_EQUAL(rig.last_cpu, 7);
	rig_end(&rig);
}

/* Done is what is written back: both, when the second is sent, at 1000 + 2 x 672. */
static void gathered_packets_are_done_together(void)
{
	start_plain();
	write_threshold(2);
	rig_post(&rig, 0x5000, SEND_DELAYED | 60);
	rig_post(&rig, 0x6000, SEND_DELAYED | 50);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 2343);
	CU_ASSERT_EQUAL(rig.event_count, 0);
	nic_advance(rig.nic, 2344);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(rig.events[i].time, 2344);
		CU_ASSERT_EQUAL(rig.events[i].packet, i ? 0x6000 : 0x5000);
		CU_ASSERT_EQUAL(rig.events[i].len, i ? 50 : 60);
		CU_ASSERT_EQUAL(EVENT_GET(DONE, index, rig.events[i].arg), i);
	}
	rig_end(&rig);
}

/* A buffer at 0x10000 + 5 x 2432 + 192 belongs to the packet 5 x 2432. */
static void a_packet_is_known_by_its_pool_object(void)
{
	struct nic_config config = rig_config();

	config.packet_base = 0x10000;
	config.packet_stride = 2432;
	rig_start(&rig, &config);
	rig_post(&rig, 0x10000 + 5 * 2432 + 192, SEND | 100);
	rig_post(&rig, 0x10000 + 6 * 2432, SEND | 100);
	rig_post(&rig, 0x10000 + 7 * 2432 - 1, SEND | 100);
	rig_write_tail(&rig, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_EQUAL_FATAL(rig.event_count, 3);
	CU_ASSERT_EQUAL(rig.events[0].packet, 12160);
	CU_ASSERT_EQUAL(rig.events[1].packet, 14592);
	CU_ASSERT_EQUAL(rig.events[2].packet, 14592);
	rig_end(&rig);
}

static void a_device_without_a_sink_works(void)
{
	static union tx_desc ring[RIG_RING];
	struct nic_config config = rig_config();
	struct nic *nic = nic_create(&config);
	uint64_t base = (uintptr_t)ring;

	CU_ASSERT_PTR_NOT_NULL_FATAL(nic);
	nic_write(nic, REG_TDBAL, (uint32_t)base, 0);
	nic_write(nic, REG_TDBAH, (uint32_t)(base >> 32), 0);
	nic_write(nic, REG_TDLEN, sizeof(ring), 0);
	nic_write(nic, REG_TCTL, TCTL_EN, 0);
	ring[0].data.cmd_length = SEND | 100;
	ring[0].data.status = 0;
	nic_write(nic, REG_TDT, 1, 1000);
	nic_advance(nic, 1992);
	CU_ASSERT_EQUAL(ring[0].data.status, TXD_STAT_DD);
	nic_destroy(nic);
}

/* What WTHRESH and the delay held back comes at once, with its interrupt, and the bit clears
 * itself. */
static void a_flush_brings_the_interrupt_too(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	nic_write(rig.nic, REG_TXDCTL, 4 << TXDCTL_WTHRESH_SHIFT, 0);
	nic_write(rig.nic, REG_TIDV, 8, 0);
	nic_write(rig.nic, REG_IMS, ICR_TXDW, 0);
	rig_send(&rig, SEND_DELAYED, 60, 1000); /* sent at 1672; the delay would end at 9864 */
	nic_advance(rig.nic, 2000);
	CU_ASSERT_FALSE(rig_done(&rig, 0));
	nic_write(rig.nic, REG_TIDV, 8 | TIDV_FPD, 2000);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_EQUAL(rig_run(&rig, 2000), 2000);
	CU_ASSERT_EQUAL(nic_read(rig.nic, REG_TIDV, 2000), 8);
	CU_ASSERT_EQUAL(rig_run(&rig, 20000), 0);
	rig_end(&rig);
}

/* RS asks for a write-back of its descriptor, wherever in the packet it stands. */
static void a_report_before_the_last_descriptor_is_given(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	rig_post(&rig, 0x1000, (SEND & ~TXD_CMD_EOP) | 40);
	rig_send(&rig, SEND & ~TXD_CMD_RS, 60, 1000);
	nic_advance(rig.nic, 10000);
	CU_ASSERT_TRUE(rig_done(&rig, 0));
	CU_ASSERT_FALSE(rig_done(&rig, 1));
	rig_end(&rig);
}

/* Posted at 1000, enabled at 100,000: nothing happens in the past. */
static void enabling_does_not_go_back_in_time(void)
{
	struct nic_config config = rig_config();

	rig_start(&rig, &config);
	nic_write(rig.nic, REG_TCTL, 0, 0);
	rig_send(&rig, SEND, 60, 1000);
	nic_write(rig.nic, REG_TCTL, TCTL_EN, 100000);
	nic_advance(rig.nic, 200000);
	CU_ASSERT_EQUAL(rig.events[0].time, 100672);
	rig_end(&rig);
}

static const struct test_case write_back[] = {
	{ "WTHRESH gathers write-backs", wthresh_gathers_write_backs },
	{ "WTHRESH counts descriptors", wthresh_counts_descriptors },
	{ "WTHRESH counts around the end", wthresh_counts_around_the_end },
	{ "without write-back there is no cause", without_write_back_there_is_no_cause },
	{ "a WTHRESH of 1 gathers nothing", a_wthresh_of_1_gathers_nothing },
	{ "TIDV flushes what WTHRESH gathers", tidv_flushes_what_wthresh_gathers },
	{ "FPD flushes at once", fpd_flushes_at_once },
	{ "a flush restarts the count", a_flush_restarts_the_count },
	{ "a flush brings the interrupt too", a_flush_brings_the_interrupt_too },
	{ "a report before the last descriptor is given",
		a_report_before_the_last_descriptor_is_given },
	{ "enabling does not go back in time", enabling_does_not_go_back_in_time },
	{ 0 },
};

static const struct test_case done[] = {
	{ "a done event says what and when", a_done_event_says_what_and_when },
	{ "gathered packets are done together", gathered_packets_are_done_together },
	{ "a packet is known by its pool object", a_packet_is_known_by_its_pool_object },
	{ "a device without a sink works", a_device_without_a_sink_works },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "write-back", write_back },
		{ "done events", done },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
