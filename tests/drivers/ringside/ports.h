/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests of the port share: EAL, a pool of POOL packets, ports made and started through ethdev,
 * packets sent and received. Ports are named NAME and OTHER.
 */
#ifndef TESTS_DRIVERS_RINGSIDE_PORTS_H
#define TESTS_DRIVERS_RINGSIDE_PORTS_H

#include "harness.h"

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME  "net_ringside0"
#define OTHER "net_ringside1"
#define POOL  2047

#define SLEEP_MS 2000 /* longer than anything takes here */

static struct rte_mempool *pool;
static char *log_text; /* all that DPDK and the driver log, after a flush of: */
static FILE *log_stream;

static inline int setup(void)
{
	static size_t log_bytes;
	char *arguments[] = { "test", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry",
		"--iova-mode=va", "--log-level=error", "-l", "0", "-m", "64" };

	log_stream = open_memstream(&log_text, &log_bytes);
	if (!log_stream || rte_openlog_stream(log_stream))
		return 1;
	if (rte_eal_init(sizeof(arguments) / sizeof(*arguments), arguments) < 0)
		return 1;
	pool = rte_pktmbuf_pool_create(
		"packets", POOL, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return !pool;
}

static inline int teardown(void)
{
	int error;

	rte_mempool_free(pool);
	error = rte_eal_cleanup();
	if (log_stream) {
		rte_openlog_stream(NULL);
		fclose(log_stream);
		free(log_text);
	}
	return error;
}

/* DPDK keeps some of what it allocates for ports; packets are counted below instead. */
static inline uint16_t probe(const char *name, const char *arguments)
{
	uint16_t port = UINT16_MAX;

	test_leaks_allow();
	CU_ASSERT_EQUAL_FATAL(rte_vdev_init(name, arguments), 0);
	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_get_port_by_name(name, &port), 0);
	return port;
}

/* A probe that fails, with a line in the log that begins and ends so. */
static inline void refused(const char *arguments, const char *line, const char *reason)
{
	size_t before;
	const char *text, *line_end;
	uint16_t port;

	test_leaks_allow();
	fflush(log_stream);
	before = strlen(log_text);
	CU_ASSERT(rte_vdev_init(NAME, arguments) < 0);
	CU_ASSERT(rte_eth_dev_get_port_by_name(NAME, &port) < 0);
	fflush(log_stream);
	text = strstr(log_text + before, "net_ringside: ");
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	text += strlen("net_ringside: ");
	line_end = strchr(text, '\n');
	CU_ASSERT_PTR_NOT_NULL_FATAL(line_end);
	CU_ASSERT(!strncmp(text, line, strlen(line)));
	CU_ASSERT(!strncmp(line_end - strlen(reason), reason, strlen(reason)));
	CU_ASSERT_PTR_NULL(strstr(line_end, "net_ringside: ")); /* one line */
}

static inline void start(uint16_t port, uint16_t queues, uint16_t ring, struct rte_mempool *buffers)
{
	struct rte_eth_conf config = { .txmode.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS };

	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_configure(port, queues, queues, &config), 0);
	for (uint16_t i = 0; i < queues; i++) {
		CU_ASSERT_EQUAL_FATAL(rte_eth_rx_queue_setup(port, i, ring, 0, NULL, buffers), 0);
		CU_ASSERT_EQUAL_FATAL(rte_eth_tx_queue_setup(port, i, ring, 0, NULL), 0);
	}
	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_start(port), 0);
}

/* As start, for a program that sleeps until it is woken for a queue of this port. */
static inline void start_sleeper(uint16_t port, uint16_t queues)
{
	struct rte_eth_conf config = { .intr_conf.rxq = 1 };

	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_configure(port, queues, queues, &config), 0);
	for (uint16_t i = 0; i < queues; i++) {
		CU_ASSERT_EQUAL_FATAL(rte_eth_rx_queue_setup(port, i, 64, 0, NULL, pool), 0);
		CU_ASSERT_EQUAL_FATAL(rte_eth_tx_queue_setup(port, i, 64, 0, NULL), 0);
	}
	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_start(port), 0);
	for (uint16_t i = 0; i < queues; i++)
		CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_ctl_q(port, i, RTE_EPOLL_PER_THREAD,
					RTE_INTR_EVENT_ADD, (void *)(uintptr_t)(i + 1)),
			0);
}

/* The queue that woke us, or -1 if none did in time. */
static inline int sleep_for_frames(int most_ms)
{
	struct rte_epoll_event event;

	if (rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, most_ms) != 1)
		return -1;
	return (int)(uintptr_t)event.epdata.data - 1;
}

/* Whatever happened to packets, all are back in the pool. */
static inline void end(const char *name, uint16_t port)
{
	CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	CU_ASSERT_EQUAL(rte_vdev_uninit(name), 0);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(pool), POOL);
}

static inline struct rte_mbuf *packet(uint16_t bytes, uint8_t fill)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	memset(rte_pktmbuf_append(m, bytes), fill, bytes);
	return m;
}

static inline bool send_one(uint16_t port, uint16_t queue, struct rte_mbuf *m)
{
	if (rte_eth_tx_burst(port, queue, &m, 1))
		return true;
	rte_pktmbuf_free(m);
	return false;
}

/* Packets until the ring takes no more. */
static inline unsigned fill(uint16_t port)
{
	unsigned sent = 0;

	while (sent < POOL && send_one(port, 0, packet(60, 0)))
		sent++;
	return sent;
}

/* Polls until so many packets have come, for a second at most. */
static inline unsigned receive(
	uint16_t port, uint16_t queue, struct rte_mbuf **packets, unsigned most)
{
	uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz();
	unsigned got = 0;

	while (got < most && rte_get_timer_cycles() < until)
		got += rte_eth_rx_burst(port, queue, packets + got, (uint16_t)(most - got));
	return got;
}

/* The extended statistic of that name. */
static inline uint64_t counter(uint16_t port, const char *name)
{
	uint64_t id, value = UINT64_MAX;

	CU_ASSERT_EQUAL(rte_eth_xstats_get_id_by_name(port, name, &id), 0);
	CU_ASSERT_EQUAL(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

/* Polls until that statistic has the value, for a second at most. */
static inline bool reaches(uint16_t port, const char *name, uint64_t value)
{
	uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz();

	while (counter(port, name) != value && rte_get_timer_cycles() < until)
		rte_eth_rx_queue_count(port, 0);
	return counter(port, name) == value;
}

#endif
