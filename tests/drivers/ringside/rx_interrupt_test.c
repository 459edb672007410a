/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that sleeps until frames come. Nobody polls meanwhile: the timer moves the device. */
#include "ports.h"

#include <poll.h>
#include <unistd.h>

static void send_to(uint16_t port, uint16_t queue)
{
	CU_ASSERT_TRUE(send_one(port, queue, packet(60, 1)));
}

static void take_one(uint16_t port, uint16_t queue)
{
	struct rte_mbuf *got[2];

	CU_ASSERT_EQUAL_FATAL(rte_eth_rx_burst(port, queue, got, 2), 1);
	rte_pktmbuf_free(got[0]);
}

/* The gap at itr=100 is 39062 x 256 ns = 9,999,872 ns, from the interrupt of the first frame on. */
static void a_frame_wakes_at_the_end_of_the_gap(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=100");
	struct rte_mbuf *got[1];
	uint64_t before, after, gap = 9999872 * (rte_get_tsc_hz() / 1000) / 1000000;

	start_sleeper(port, 1);
	before = rte_get_tsc_cycles();
	send_to(port, 0);
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1); /* polled; its interrupt is taken */
	rte_pktmbuf_free(got[0]);
	send_to(port, 0);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 0);
	after = rte_get_tsc_cycles();
	CU_ASSERT(after - before >= gap);
	CU_ASSERT(after - before < rte_get_tsc_hz()); /* and not by the time-out */
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), 0);
	take_one(port, 0);
	end(NAME, port);
}

/* Without a throttle, 100 times over: none is forgotten. */
static void each_frame_wakes_whoever_enabled(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	int woken = 0;

	start_sleeper(port, 2);
	for (int i = 0; i < 100; i++) {
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 1), 0);
		send_to(port, 1);
		woken += sleep_for_frames(SLEEP_MS) == 1;
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 1), 0);
		take_one(port, 1);
	}
	CU_ASSERT_EQUAL(woken, 100);
	end(NAME, port);
}

/* The send took the interrupt, before it was enabled; the frame must not wait for the next one. */
static void a_frame_that_came_before_wakes_at_once(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");

	start_sleeper(port, 1);
	send_to(port, 0);
	rte_delay_us_block(100);
	send_to(port, 0);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 0);
	end(NAME, port);
}

static void nothing_wakes_without_a_frame(void)
{
	uint16_t port = probe(NAME, "itr=0"); /* a sink: sent, but nothing comes */

	start_sleeper(port, 1);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	send_to(port, 0);
	CU_ASSERT_EQUAL(sleep_for_frames(100), -1);
	end(NAME, port);
}

static void nothing_wakes_while_disabled(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");

	start_sleeper(port, 1);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), 0);
	send_to(port, 0);
	CU_ASSERT_EQUAL(sleep_for_frames(50), -1);
	take_one(port, 0);
	end(NAME, port);
}

/*
 * The program holds all buffers when it goes to sleep, so frames are missed. It must wake: only its
 * next poll can post the buffers that have become free.
 */
static void a_missed_frame_wakes(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	static struct rte_mbuf *held[POOL];
	struct rte_mbuf *m[3], *none[1];
	unsigned held_count;

	for (int i = 0; i < 3; i++)
		m[i] = packet(60, 1);
	held_count = rte_mempool_avail_count(pool);
	CU_ASSERT_EQUAL_FATAL(rte_pktmbuf_alloc_bulk(pool, held, held_count), 0);
	start_sleeper(port, 1);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
		CU_ASSERT_TRUE(send_one(port, 0, m[i]));
		CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 0);
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), 0);
		CU_ASSERT_EQUAL(counter(port, "rx0_missed"), i + 1u);
	}
	rte_pktmbuf_free_bulk(held, held_count);
	CU_ASSERT_EQUAL(rte_eth_rx_burst(port, 0, none, 1), 0);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	CU_ASSERT_TRUE(send_one(port, 0, m[2]));
	CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 0);
	take_one(port, 0);
	end(NAME, port);
}

/* The sender polls its own port only, which moves the frame onto the other's wire. */
static void a_peer_s_frame_wakes(void)
{
	uint16_t from = probe(NAME, "wire=peer:" OTHER ",itr=0"),
		 to = probe(OTHER, "wire=peer:" NAME ",itr=0");

	start(from, 1, 64, pool);
	start_sleeper(to, 1);
	for (int i = 0; i < 20; i++) {
		struct rte_mbuf *none[1];

		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(to, 0), 0);
		send_to(from, 0);
		rte_delay_us_block(20);
		CU_ASSERT_EQUAL(rte_eth_rx_burst(from, 0, none, 1), 0);
		CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 0);
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(to, 0), 0);
		take_one(to, 0);
	}
	CU_ASSERT_EQUAL(rte_eth_dev_stop(to), 0);
	CU_ASSERT_EQUAL(rte_vdev_uninit(OTHER), 0);
	end(NAME, from);
}

/* The descriptor itself, for a program with an epoll of its own. */
static void the_descriptor_becomes_readable(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct pollfd wait = { .events = POLLIN };
	uint64_t count = 0;

	start_sleeper(port, 1);
	wait.fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port, 0);
	CU_ASSERT(wait.fd >= 0);
	CU_ASSERT_EQUAL(poll(&wait, 1, 0), 0);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
	send_to(port, 0);
	CU_ASSERT_EQUAL(poll(&wait, 1, SLEEP_MS), 1);
	CU_ASSERT_EQUAL(read(wait.fd, &count, sizeof(count)), sizeof(count));
	CU_ASSERT_EQUAL(count, 1);
	end(NAME, port);
}

static void without_being_asked_for_there_are_none(void)
{
	uint16_t port = probe(NAME, "wire=loop");

	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), -ENOTSUP);
	CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), -ENOTSUP);
	CU_ASSERT(rte_eth_dev_rx_intr_ctl_q(
			  port, 0, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL) < 0);
	end(NAME, port);
}

/* Events and timers; EAL opens and closes others as it likes. */
static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++) {
		char path[32], kind[32] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, kind, sizeof(kind) - 1) > 0)
			count += strstr(kind, "[eventfd]") || strstr(kind, "[timerfd]");
	}
	return count;
}

static void stop_and_start_leave_no_descriptor(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	int before = open_descriptors();

	for (int i = 0; i < 3; i++) {
		start_sleeper(port, 4);
		CU_ASSERT_EQUAL(open_descriptors(), before + 8);
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 3), 0);
		send_to(port, 3);
		CU_ASSERT_EQUAL(sleep_for_frames(SLEEP_MS), 3);
		CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0); /* still enabled */
		CU_ASSERT_EQUAL(open_descriptors(), before);
	}
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(pool), POOL);
}

static const struct test_case cases[] = {
	{ "a frame wakes at the end of the gap", a_frame_wakes_at_the_end_of_the_gap },
	{ "each frame wakes whoever enabled", each_frame_wakes_whoever_enabled },
	{ "a frame that came before wakes at once", a_frame_that_came_before_wakes_at_once },
	{ "nothing wakes without a frame", nothing_wakes_without_a_frame },
	{ "nothing wakes while disabled", nothing_wakes_while_disabled },
	{ "a missed frame wakes", a_missed_frame_wakes },
	{ "a peer's frame wakes", a_peer_s_frame_wakes },
	{ "the descriptor becomes readable", the_descriptor_becomes_readable },
	{ "without being asked for there are none", without_being_asked_for_there_are_none },
	{ "stop and start leave no descriptor", stop_and_start_leave_no_descriptor },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "receive interrupts", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
