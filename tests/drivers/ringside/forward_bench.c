/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a packet costs a program that forwards it: received from a port in bursts of 32 and sent to
 * the same port again, as testpmd's io mode does. The modelled NIC with a looped wire, without
 * throttle and at unlimited speed, beside DPDK's net_null with copy=1, which copies 64 bytes a
 * packet and does nothing else. Turn by turn, so that a slow spell of the machine meets all.
 *
 * Ends with 1 if the best profile needs more than MOST times what net_null needs.
 */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST     3.0
#define BURST    32
#define ROUNDS   41
#define PACKETS  100000 /* of a port in a round */
#define POOL     8191
#define PORT_MAX 4

static const struct device {
	const char *name, *arguments;
} devices[PORT_MAX] = {
	{ "net_null0", "copy=1" },
	{ "net_ringside_em", "profile=dpdk-em,wire=loop,itr=0,speed=0" },
	{ "net_ringside_61", "profile=linux-6.1,wire=loop,itr=0,speed=0" },
	{ "net_ringside_26", "profile=linux-2.6.35,wire=loop,itr=0,speed=0" },
};

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Packets of 64 bytes to begin with; net_null makes its own. 0 or a negative errno. */
static int prime(uint16_t port, struct rte_mempool *pool)
{
	struct rte_mbuf *packets[BURST];
	int error = rte_pktmbuf_alloc_bulk(pool, packets, BURST);

	if (error)
		return error;
	for (unsigned i = 0; i < BURST; i++)
		memset(rte_pktmbuf_append(packets[i], 64), 0, 64);
	return rte_eth_tx_burst(port, 0, packets, BURST) == BURST ? 0 : -1;
}

static int start(const struct device *device, struct rte_mempool *pool, uint16_t *port)
{
	struct rte_eth_conf conf = { 0 };
	int error = rte_eal_hotplug_add("vdev", device->name, device->arguments);

	if (!error)
		error = rte_eth_dev_get_port_by_name(device->name, port);
	if (!error)
		error = rte_eth_dev_configure(*port, 1, 1, &conf);
	if (!error)
		error = rte_eth_rx_queue_setup(*port, 0, 512, 0, NULL, pool);
	if (!error)
		error = rte_eth_tx_queue_setup(*port, 0, 512, 0, NULL);
	if (!error)
		error = rte_eth_dev_start(*port);
	if (!error && strcmp(device->name, "net_null0") != 0)
		error = prime(*port, pool);
	return error;
}

static void forward(uint16_t port, unsigned count)
{
	struct rte_mbuf *packets[BURST];

	for (unsigned done = 0; done < count;) {
		uint16_t received = rte_eth_rx_burst(port, 0, packets, BURST);
		uint16_t sent = received ? rte_eth_tx_burst(port, 0, packets, received) : 0;

		if (sent < received)
			rte_pktmbuf_free_bulk(packets + sent, received - sent);
		done += received;
	}
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int compare(const uint16_t ports[])
{
	static double ns[PORT_MAX][ROUNDS];
	double best = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < PORT_MAX; i++) {
			uint64_t before = cpu_ns();

			forward(ports[i], PACKETS);
			ns[i][round] = (double)(cpu_ns() - before) / PACKETS;
		}
	}
	for (unsigned i = 0; i < PORT_MAX; i++) {
		double median, times;

		qsort(ns[i], ROUNDS, sizeof(ns[i][0]), ascending);
		median = ns[i][ROUNDS / 2];
		times = median / ns[0][ROUNDS / 2];
		printf("%-16s %-42s %6.1f ns a packet, %5.2f times net_null\n", devices[i].name,
			devices[i].arguments, median, times);
		if (i && (best <= 0 || times < best))
			best = times;
	}
	return best > MOST;
}

int main(void)
{
	char *eal[] = { "forward_bench", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry",
		"-m", "256", "--lcores", "0", "-d", "librte_net_null.so", "-d",
		"librte_mempool_ring.so", "--log-level=error" };
	struct rte_mempool *pool;
	uint16_t ports[PORT_MAX];
	int slow = 1;

	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return 2;
	pool = rte_pktmbuf_pool_create("pool", POOL, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	for (unsigned i = 0; pool && i < PORT_MAX; i++) {
		if (!start(&devices[i], pool, &ports[i]))
			continue;
		fprintf(stderr, "%s doesn't start\n", devices[i].name);
		return 2;
	}
	if (pool)
		slow = compare(ports);
	rte_eal_cleanup();
	return slow;
}
