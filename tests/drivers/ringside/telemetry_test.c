/* SPDX-License-Identifier: BSD-3-Clause */
/* What a port tells of itself: by telemetry's socket, and the longest gap between polls. */
#include "ports.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REPLY_BYTES 16384 /* telemetry's limit */

static char reply[REPLY_BYTES];

/* As setup of ports.h, but with telemetry, in a runtime folder of its own. */
static int setup_telemetry(void)
{
	char prefix[64];
	char *arguments[] = { "test", "--no-huge", "--no-pci", "--no-shconf", prefix,
		"--iova-mode=va", "--log-level=critical", "-l", "0", "-m", "64" };

	snprintf(prefix, sizeof(prefix), "--file-prefix=ringside_test_%d", (int)getpid());
	if (rte_eal_init(sizeof(arguments) / sizeof(*arguments), arguments) < 0)
		return 1;
	pool = rte_pktmbuf_pool_create(
		"packets", POOL, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return !pool;
}

static int teardown_telemetry(void)
{
	char folder[200], path[232];

	snprintf(folder, sizeof(folder), "%s", rte_eal_get_runtime_dir());
	teardown();
	/* EAL removes its socket at exit(), which comes later than this */
	snprintf(path, sizeof(path), "%s/dpdk_telemetry.v2", folder);
	unlink(path);
	return rmdir(folder);
}

static int open_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/dpdk_telemetry.v2",
		rte_eal_get_runtime_dir());
	CU_ASSERT_EQUAL_FATAL(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	CU_ASSERT_FATAL(read(fd, reply, sizeof(reply)) > 0); /* its version */
	return fd;
}

/* Returns what telemetry answers to the command. */
static const char *ask(const char *command)
{
	int fd = open_socket();
	ssize_t bytes;

	CU_ASSERT_EQUAL(write(fd, command, strlen(command)), (ssize_t)strlen(command));
	bytes = read(fd, reply, sizeof(reply) - 1);
	CU_ASSERT_FATAL(bytes > 0);
	reply[bytes] = '\0';
	close(fd);
	return reply;
}

static const char *ask_ring(uint16_t port)
{
	char command[64];

	snprintf(command, sizeof(command), "/net_ringside/ring,%u", port);
	return ask(command);
}

#define HAS(text, part) CU_ASSERT_PTR_NOT_NULL(strstr(text, part))

/*
 * At 10 Mbit/s a frame of 1514 bytes takes 1.2 ms, and at itr=100 the interrupt of the first opens
 * a gap of 10 ms, in which nothing is cleaned. By then the head is wherever it is.
 */
static void a_ring_tells_its_state(void)
{
	uint16_t port = probe(NAME, "itr=100,speed=10,clean=lazy");
	const char *text;

	start(port, 2, 64, pool);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_TRUE(send_one(port, 1, packet(1514, 0)));
	text = ask_ring(port);
	HAS(text, "\"queue_0\"");
	HAS(text, "\"queue_1\"");
	text = strstr(text, "\"queue_1\"");
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	HAS(text, "\"size\":64");
	HAS(text, "\"next_to_use\":3");
	HAS(text, "\"next_to_clean\":0");
	HAS(text, "\"tdt\":3");
	HAS(text, "\"stopped\":0");
	HAS(text, "\"in_ring\":3");
	HAS(text, "\"longest_gap_us\":");
	rte_delay_us_block(5000);
	text = strstr(ask_ring(port), "\"queue_1\"");
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	HAS(text, "\"tdh\":3"); /* all sent, all still the driver's */
	HAS(text, "\"in_ring\":3");
	end(NAME, port);
}

/* 64 - 1 - 20 free descriptors: the 44th packet leaves less than 20 and stops the queue. */
static void a_stopped_ring_says_so(void)
{
	uint16_t port = probe(NAME, "itr=100,speed=10,clean=lazy,profile=linux-2.6.35");
	const char *text;

	start(port, 1, 64, pool);
	while (send_one(port, 0, packet(1514, 0)))
		;
	text = ask_ring(port);
	HAS(text, "\"stopped\":1");
	HAS(text, "\"in_ring\":44");
	end(NAME, port);
}

static void what_is_no_port_has_no_ring(void)
{
	uint16_t port = probe(NAME, "");

	HAS(ask("/net_ringside/ring,31"), "null");
	HAS(ask("/net_ringside/ring"), "null");
	HAS(ask("/net_ringside/ring,x"), "null");
	HAS(ask_ring(port), "\"/net_ringside/ring\":"); /* not started: no queue, no ring */
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
}

static uint64_t longest_gap(uint16_t port)
{
	uint64_t id, value = 0;

	CU_ASSERT_EQUAL(rte_eth_xstats_get_id_by_name(port, "tx0_longest_poll_gap_ns", &id), 0);
	CU_ASSERT_EQUAL(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

static void the_longest_gap_between_polls_is_kept(void)
{
	uint16_t port = probe(NAME, "");
	struct rte_mbuf *none[1];

	start(port, 1, 64, pool);
	rte_eth_rx_burst(port, 0, none, 1);
	rte_delay_us_block(20000);
	rte_eth_rx_burst(port, 0, none, 1);
	rte_eth_rx_burst(port, 0, none, 1);
	CU_ASSERT(longest_gap(port) >= 20000000);
	CU_ASSERT(longest_gap(port) < 1000000000);
	CU_ASSERT_EQUAL(rte_eth_xstats_reset(port), 0);
	CU_ASSERT_EQUAL(longest_gap(port), 0);
	rte_eth_rx_burst(port, 0, none, 1);
	CU_ASSERT(longest_gap(port) > 0);
	end(NAME, port);
}

static const struct test_case cases[] = {
	{ "a ring tells its state", a_ring_tells_its_state },
	{ "a stopped ring says so", a_stopped_ring_says_so },
	{ "what is no port has no ring", what_is_no_port_has_no_ring },
	{ "the longest gap between polls is kept", the_longest_gap_between_polls_is_kept },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "telemetry", cases, setup_telemetry, teardown_telemetry },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
