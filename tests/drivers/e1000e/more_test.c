/* SPDX-License-Identifier: BSD-3-Clause */
/* Several packets, one tail: what xmit leaves to e1000e_write_tail, and what it must not. */
#include "bench.h"

static struct bench bench;

/* Packets of one descriptor, of which a ring of 64 with a reserve of 20 takes 44. */
static void send(unsigned count, uint64_t now)
{
	for (unsigned i = 0; i < count; i++)
		CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_packet(&bench, i % 2, 60), now),
			E1000E_TX_OK);
}

static void start(void)
{
	struct e1000e_config config = bench_config(&bench);

	config.ring_size = 64;
	config.reserve = 20;
	bench_open(&bench, &config);
	bench.port->more_follows = true;
}

static void the_tail_waits_for_the_last(void)
{
	start();
	send(3, 1000);
	CU_ASSERT_EQUAL(bench.write_count, 0);
	e1000e_write_tail(bench.port, 1000);
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 1);
	CU_ASSERT_EQUAL(bench.writes[0].offset, REG_TDT);
	CU_ASSERT_EQUAL(bench.writes[0].value, 3);
	bench_close(&bench);
}

/* Nothing follows a packet that stops the queue: without the tail it would wait for ever. */
static void a_stop_does_not_wait(void)
{
	start();
	send(43, 1000);
	CU_ASSERT_EQUAL(bench.write_count, 0);
	send(1, 1000);
	CU_ASSERT_TRUE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 1);
	CU_ASSERT_EQUAL(bench.writes[0].value, 44);
	bench_close(&bench);
}

static void profiles_say_who_does_it(void)
{
	CU_ASSERT_FALSE(e1000e_profile_find("linux-2.6.35")->xmit_more);
	CU_ASSERT_TRUE(e1000e_profile_find("linux-6.1")->xmit_more);
	CU_ASSERT_TRUE(e1000e_profile_find("dpdk-em")->xmit_more);
}

static const struct test_case cases[] = {
	{ "the tail waits for the last", the_tail_waits_for_the_last },
	{ "a stop does not wait", a_stop_does_not_wait },
	{ "profiles say who does it", profiles_say_who_does_it },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "xmit_more", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
