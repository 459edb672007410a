/* SPDX-License-Identifier: BSD-3-Clause */
/* What a port tells of itself: by telemetry's socket, and the longest gap between polls. */
#include "ports.h"
#include "trace_writer.h"

#include <pcap/pcap.h>
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

/* A capture with a frame at 0 and another a millisecond later. */
static void write_capture(const char *path)
{
	static const u_char data[60];
	pcap_t *format = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *dumper = pcap_dump_open(format, path);

	CU_ASSERT_PTR_NOT_NULL_FATAL(dumper);
	for (int i = 0; i < 2; i++) {
		struct pcap_pkthdr header = { .ts = { 1700000000, 1000 * i }, 60, 60 };

		pcap_dump((u_char *)dumper, &header, data);
	}
	pcap_dump_close(dumper);
	pcap_close(format);
}

/* How many records of a stream come before the one that stands in front of them. */
static unsigned back_in_time(const char *path, unsigned *records)
{
	struct trace_packet_header header;
	struct event event;
	uint64_t before = 0;
	unsigned back = 0;
	FILE *file = fopen(path, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	*records = 0;
	CU_ASSERT_EQUAL(fread(&header, sizeof(header), 1, file), 1); /* it is one packet */
	while (fread(&event, sizeof(event), 1, file) == 1) {
		back += event.time < before;
		before = event.time;
		++*records;
	}
	CU_ASSERT_EQUAL(header.packet_size, 8 * (sizeof(header) + *records * sizeof(event)));
	fclose(file);
	return back;
}

/*
 * At 10 Mbit/s a frame of 1514 bytes has left after 1.23 ms, and a frame of the replay arrives at 1
 * ms, whose interrupt is the only one by then. A look at 3 ms, before the poll that takes it, must
 * not put the one before the other.
 */
static void a_look_takes_no_time_back(void)
{
	char folder[] = "/tmp/ringside-look-XXXXXX", in[64], path[64], arguments[256];
	struct rte_mbuf *got[2];
	unsigned received, records;
	uint16_t port;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(in, sizeof(in), "%s/in.pcap", folder);
	write_capture(in);
	snprintf(arguments, sizeof(arguments),
		"wire=pcap:%s,itr=0,speed=10,tidv=65535,tadv=0,trace=%s/t", in, folder);
	port = probe(NAME, arguments);
	start(port, 1, 64, pool);
	received = rte_eth_rx_burst(port, 0, got, 1); /* the replay begins */
	CU_ASSERT_TRUE(send_one(port, 0, packet(1514, 0)));
	rte_delay_us_block(3000);
	HAS(ask_ring(port), "\"tdh\":1");
	received += receive(port, 0, got + received, 2 - received);
	CU_ASSERT_EQUAL(received, 2);
	rte_pktmbuf_free_bulk(got, received);
	end(NAME, port);
	snprintf(path, sizeof(path), "%s/t/stream_0", folder);
	CU_ASSERT_EQUAL(back_in_time(path, &records), 0);
	/* names; start_xmit, xmit, done, free; two receive; an irq entry and exit at least */
	CU_ASSERT(records >= 8);
	snprintf(arguments, sizeof(arguments), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(arguments), 0);
}

static const struct test_case cases[] = {
	{ "a ring tells its state", a_ring_tells_its_state },
	{ "a stopped ring says so", a_stopped_ring_says_so },
	{ "what is no port has no ring", what_is_no_port_has_no_ring },
	{ "a look takes no time back", a_look_takes_no_time_back },
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
