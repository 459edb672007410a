/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BQL above the driver, and packets that leave the queueing discipline in bulk. Frames have 43
 * bytes; the limit begins with 0, so that the first packet stops the queue. What happens to the
 * limit itself is worked out in dql_test.c.
 */
#include "dql.h"

#include "stage.h"

#define FRAME UINT64_C(43)

/* Interrupts come at most `rate` times a second; more messages than are looked at. */
static struct host_config flood(const char *kernel, uint32_t rate)
{
	struct host_config config = stage_config(kernel);

	config.driver.interrupt_throttle_rate = rate;
	config.senders[0].messages = 500;
	config.bql = (struct host_bql){ .on = true, .limit_max = DQL_LIMIT_MOST };
	return config;
}

/* The same with interrupts 1.024 ms after the last packet: by the first, hundreds are queued. */
static struct host_config queued_flood(const char *kernel)
{
	struct host_config config = flood(kernel, 0);

	stage_delay_interrupts(&config, 1000);
	return config;
}

/* Packets in the device, at most. */
static unsigned most_in_device(void)
{
	unsigned in_device = 0, most = 0;

	for (unsigned i = 0; i < stage.count; i++) {
		in_device += stage.events[i].id == EVENT_START_XMIT;
		in_device -= stage.events[i].id == EVENT_FREE;
		most = in_device > most ? in_device : most;
	}
	return most;
}

/* Packets that the nth clean-up (from 0) frees; the queue was stopped by then. */
static unsigned cleaned(unsigned nth)
{
	unsigned freed = 0;

	for (unsigned i = 0, polls = 0; i < stage.count && polls <= nth; i++) {
		polls += stage.events[i].id == EVENT_NAPI_POLL;
		freed += stage.events[i].id == EVENT_FREE && polls == nth;
	}
	return freed;
}

/*
 * Each interval starves: 1 packet, and then twice as many as the interval before, which is the
 * limit and one packet more. The ring of 256 takes 117 before 128 are reached.
 */
static void the_limit_grows_until_the_ring_is_full(void)
{
	static const unsigned sent[] = { 1, 2, 4, 8, 16, 32, 64, 117, 117 };
	struct host_config config = flood("linux-6.1", 1000);

	stage_run(&config);
	for (unsigned i = 0; i < sizeof(sent) / sizeof(*sent); i++)
		CU_ASSERT_EQUAL(cleaned(i), sent[i]);
	CU_ASSERT_EQUAL(most_in_device(), 117);
	CU_ASSERT_EQUAL(stage.stats.limits.count, 7);
	for (unsigned i = 0; i < 7; i++)
		CU_ASSERT_EQUAL(stage.stats.limits.first[i].value, ((2u << i) - 1) * FRAME);
	CU_ASSERT_EQUAL(stage.stats.limits.most, 127 * FRAME);
	CU_ASSERT_EQUAL(stage.stats.limit_stops, 7); /* then the driver's stop comes first */
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 500);
}

/* A real driver under limit_max 2150 had 51 in its ring: 50 of 43 bytes, and the one too many. */
static void a_bound_of_2150_bytes_lets_51_packets_in(void)
{
	struct host_config config = flood("linux-6.1", 500);

	config.bql.limit_max = 2150;
	stage_run(&config);
	CU_ASSERT_EQUAL(most_in_device(), 51);
	CU_ASSERT_EQUAL(stage.stats.driver.stops, 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 500);
}

/* Without BQL nothing but the ring stops the queue. */
static void off_means_off(void)
{
	struct host_config config = flood("linux-6.1", 500);

	config.bql.on = false;
	config.bql.limit_max = 2150;
	stage_run(&config);
	CU_ASSERT_EQUAL(cleaned(1), 117); /* the first interrupt comes at once */
	CU_ASSERT_EQUAL(stage.stats.limit_stops, 0);
	CU_ASSERT_EQUAL(stage.stats.limits.count, 0);
}

/*
 * A limit of 10 packets. The first clean-up allows 10, which leave together: the device hears of
 * them with the last one's tail write, so that the first is done 672 ns after that. Then none is
 * allowed, but the queue isn't over the limit: one more goes, by itself.
 */
static void a_bulk_is_what_the_limit_allows(void)
{
	struct host_config config = queued_flood("linux-6.1");
	uint64_t first;

	config.bql.limit_min = config.bql.limit_max = 10 * FRAME;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 11);
	first = stage_time(EVENT_START_XMIT, 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 10), first + 9 * 2000);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 1), first + 9 * 2000 + 672);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 10), first + 9 * 2000 + 10 * 672);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 11), first + 10 * 2000 + 10 * 672 - 1328);
}

/* 2.6.35 with BQL: packets leave one at a time, and the tail is written for each. */
static void older_kernels_have_no_bulk(void)
{
	struct host_config config = queued_flood("linux-2.6.35");

	config.bql.limit_min = config.bql.limit_max = 10 * FRAME;
	stage_run(&config);
	for (unsigned i = 1; i <= 10; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_DONE, i), stage_time(EVENT_START_XMIT, i) + 672);
}

/*
 * No limit to speak of. A bulk is the first packet and what is left of the quota of 64, and 65 use
 * it up; the next NET_TX takes 65 too, but the ring is full with 117: 65 + 52, as traces of a real
 * driver have it. The 13 that are left over go one at a time after the next clean-up: their first
 * is done at once, and 51 of the quota are left for a bulk, of 52.
 */
static void a_run_s_quota_bounds_a_bulk(void)
{
	struct host_config config = queued_flood("linux-6.1");

	config.bql.limit_min = 1000000;
	config.senders[0].messages = 300;
	stage_run(&config);
	CU_ASSERT_EQUAL(cleaned(0), 1);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(0), 65);
	CU_ASSERT_EQUAL(stage_started_in_net_tx(1), 52);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 1), stage_time(EVENT_START_XMIT, 65) + 672);
	CU_ASSERT_EQUAL(cleaned(1), 117);
	for (unsigned i = 118; i < 118 + 13; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_DONE, i), stage_time(EVENT_START_XMIT, i) + 672);
	CU_ASSERT_EQUAL(stage_time(EVENT_DONE, 131), stage_time(EVENT_START_XMIT, 131 + 51) + 672);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 300);
}

/*
 * Without a reserve the driver refuses a packet in the middle of a bulk. What it has taken before
 * must not stand in the ring unannounced.
 */
static void a_refusal_does_not_leave_a_bulk_behind(void)
{
	struct host_config config = queued_flood("linux-6.1");

	config.bql.limit_min = 1000000;
	config.driver.ring_size = 64;
	config.driver.reserve = 0;
	config.senders[0].messages = 100;
	stage_run(&config);
	CU_ASSERT(stage.stats.driver.busy > 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 100);
	CU_ASSERT_FALSE(stage.stats.hang.found);
	for (unsigned i = 0; i < 100; i++) /* in their order, too */
		CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_QUEUE, i)].packet,
			stage.events[stage_find(EVENT_FREE, i)].packet);
}

static const struct test_case limit[] = {
	{ "the limit grows until the ring is full", the_limit_grows_until_the_ring_is_full },
	{ "a bound of 2150 bytes lets 51 packets in", a_bound_of_2150_bytes_lets_51_packets_in },
	{ "off means off", off_means_off },
	{ 0 },
};

static const struct test_case bulk[] = {
	{ "a bulk is what the limit allows", a_bulk_is_what_the_limit_allows },
	{ "older kernels have no bulk", older_kernels_have_no_bulk },
	{ "a run's quota bounds a bulk", a_run_s_quota_bounds_a_bulk },
	{ "a refusal does not leave a bulk behind", a_refusal_does_not_leave_a_bulk_behind },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "limit", limit, stage_setup, NULL },
		{ "bulk", bulk, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
