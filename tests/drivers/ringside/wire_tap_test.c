/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TAP interface at the other end of the wire, in a network namespace of its own: packet sockets
 * on it are the kernel's side. Where such a namespace or /dev/net/tun can't be had, the cases are
 * skipped.
 */
#include "ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TAP       "ringside0"
#define ETHERTYPE 0x88b5 /* for experiments: no kernel sends it by itself */

static const char *impossible; /* why; NULL: it can be tried */

static int setup_namespace(void)
{
	int tun;

	if (unshare(CLONE_NEWNET)) {
		impossible = "no network namespace of our own";
	} else {
		tun = open("/dev/net/tun", O_RDWR);
		if (tun < 0)
			impossible = "/dev/net/tun can't be opened";
		else
			close(tun);
	}
	return setup();
}

static bool skip(void)
{
	if (impossible)
		test_skip(impossible);
	return impossible;
}

/* A packet socket of our ethertype on the interface, which it brings up. */
static int open_socket(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETHERTYPE));
	struct ifreq request = { .ifr_name = TAP };
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE),
		.sll_ifindex = (int)if_nametoindex(TAP) };
	struct timeval patience = { .tv_sec = 1 };

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags |= IFF_UP;
	CU_ASSERT_EQUAL(ioctl(fd, SIOCSIFFLAGS, &request), 0);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Headed by broadcast, a made-up source and our ethertype. */
static void head(uint8_t *frame, uint8_t number)
{
	memset(frame, 0xff, 6);
	memset(frame + 6, 0x02, 6);
	frame[12] = ETHERTYPE >> 8;
	frame[13] = ETHERTYPE & 0xff;
	frame[14] = number;
}

static struct rte_mbuf *headed_packet(uint16_t bytes, uint8_t number)
{
	struct rte_mbuf *m = packet(bytes, number);

	head(rte_pktmbuf_mtod(m, uint8_t *), number);
	return m;
}

/* The next packet that is ours: the kernel announces itself with IPv6. */
static struct rte_mbuf *receive_ours(uint16_t port)
{
	struct rte_mbuf *m;

	while (receive(port, 0, &m, 1)) {
		if (rte_pktmbuf_mtod(m, uint8_t *)[12] == ETHERTYPE >> 8)
			return m;
		rte_pktmbuf_free(m);
	}
	return NULL;
}

static void frames_go_out_to_the_kernel_and_come_in(void)
{
	uint8_t frame[1514] = { 0 };
	struct rte_mbuf *m;
	uint16_t port;
	int fd;

	if (skip())
		return;
	port = probe(NAME, "wire=tap:" TAP ",itr=0");
	fd = open_socket();
	start(port, 2, 256, pool);
	CU_ASSERT_TRUE(send_one(port, 0, headed_packet(60, 1)));
	m = headed_packet(700, 2);
	rte_pktmbuf_chain(m, packet(800, 3));
	CU_ASSERT_TRUE(send_one(port, 0, m));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_taken", 2));
	CU_ASSERT_EQUAL(recv(fd, frame, sizeof(frame), 0), 60);
	CU_ASSERT_EQUAL(frame[14], 1);
	CU_ASSERT_EQUAL(recv(fd, frame, sizeof(frame), 0), 1500);
	CU_ASSERT_EQUAL(frame[14], 2);
	CU_ASSERT_EQUAL(frame[1499], 3);
	/* of another queue too; its device is advanced when it is polled */
	CU_ASSERT_TRUE(send_one(port, 1, headed_packet(60, 4)));
	rte_delay_us_block(100);
	CU_ASSERT_EQUAL(rte_eth_rx_queue_count(port, 1), 0);
	CU_ASSERT_EQUAL(recv(fd, frame, sizeof(frame), 0), 60);
	CU_ASSERT_EQUAL(counter(port, "tx1_wire_taken"), 1);

	for (uint8_t i = 0; i < 10; i++) {
		head(frame, i);
		CU_ASSERT_EQUAL(send(fd, frame, 60u + i, 0), 60 + i);
	}
	for (uint8_t i = 0; i < 10; i++) {
		m = receive_ours(port);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_EQUAL(m->pkt_len, 60u + i);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m, uint8_t *)[14], i);
		rte_pktmbuf_free(m);
	}
	close(fd);
	end(NAME, port);
	CU_ASSERT_EQUAL(if_nametoindex(TAP), 0); /* it goes with the port */
}

/* 63 buffers, of which the longest frame takes 5: 59 frames come in, and the others wait. */
static void the_interface_is_read_only_while_there_is_room(void)
{
	uint8_t frame[60];
	struct rte_mbuf *m;
	uint16_t port;
	int fd;

	if (skip())
		return;
	port = probe(NAME, "wire=tap:" TAP ",itr=0");
	fd = open_socket();
	start(port, 1, 64, pool);
	for (uint8_t i = 0; i < 200; i++) {
		head(frame, i);
		CU_ASSERT_EQUAL(send(fd, frame, sizeof(frame), 0), sizeof(frame));
	}
	for (int i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(rte_eth_rx_queue_count(port, 0), 59);
	for (uint8_t i = 0; i < 200; i++) {
		m = receive_ours(port);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m, uint8_t *)[14], i);
		rte_pktmbuf_free(m);
	}
	CU_ASSERT_EQUAL(counter(port, "rx0_missed"), 0);
	close(fd);
	end(NAME, port);
}

static void what_an_interface_that_is_down_refuses_is_counted(void)
{
	uint16_t port;

	if (skip())
		return;
	port = probe(NAME, "wire=tap:" TAP ",itr=0");
	start(port, 1, 64, pool);
	CU_ASSERT_TRUE(send_one(port, 0, headed_packet(60, 1)));
	CU_ASSERT_TRUE(send_one(port, 0, headed_packet(60, 1)));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_errors", 2));
	CU_ASSERT_EQUAL(counter(port, "tx0_wire_taken"), 0);
	end(NAME, port);
}

static void names_that_are_no_interfaces_are_refused(void)
{
	refused("wire=tap:", "wire=tap:: ", "Invalid argument");
	refused("wire=tap:a-name-of-sixteen", "wire=tap:a-name-of-sixteen: ", "Invalid argument");
	refused("wire=tap:tap%d", "wire=tap:tap%d: ", "Invalid argument");
	refused("wire=tap", "wire=tap: it takes ", "tap:IFNAME");
	if (skip())
		return;
	refused("wire=tap:lo",
		"wire=tap:lo: it can't be made or taken as a TAP interface: ", "Invalid argument");
	refused("wire=tap:a/b", "wire=tap:a/b: ", "Invalid argument");
}

/* Root without its privileges may not make an interface. */
static void without_permission_the_probe_fails(void)
{
	if (skip())
		return;
	if (geteuid()) {
		test_skip("not root, so there are no privileges to give up");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(seteuid(65534), 0);
	refused("wire=tap:" TAP, "wire=tap:" TAP ": ", "Operation not permitted");
	CU_ASSERT_EQUAL_FATAL(seteuid(0), 0);
}

static void send_from_kernel(int fd, uint8_t number)
{
	uint8_t frame[1514] = { 0 };

	head(frame, number);
	CU_ASSERT_EQUAL(send(fd, frame, sizeof(frame), 0), sizeof(frame));
}

/* At 10 Mbit/s a frame of 1514 bytes, and 24 that it takes beside, is on the wire for 1.2304 ms. */
static void frames_come_in_at_the_pace_of_the_wire(void)
{
	struct rte_mbuf *m, *none[1];
	uint64_t began;
	uint16_t port;
	int fd;

	if (skip())
		return;
	port = probe(NAME, "wire=tap:" TAP ",itr=0,speed=10");
	fd = open_socket();
	start(port, 1, 256, pool);
	began = rte_get_tsc_cycles();
	rte_pktmbuf_free_bulk(none, rte_eth_rx_burst(port, 0, none, 1));
	for (uint8_t i = 0; i < 10; i++)
		send_from_kernel(fd, i);
	for (uint8_t i = 0; i < 10; i++) {
		m = receive_ours(port);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m, uint8_t *)[14], i);
		rte_pktmbuf_free(m);
		CU_ASSERT((double)(rte_get_tsc_cycles() - began) >=
			  (i + 1) * 1.2304e-3 * (double)rte_get_tsc_hz());
	}
	close(fd);
	end(NAME, port);
}

/* What is ours of the frames that are there, of which at most one is. */
static struct rte_mbuf *take_ours(uint16_t port)
{
	struct rte_mbuf *ours = NULL, *m;

	while (rte_eth_rx_burst(port, 0, &m, 1)) {
		if (!ours && rte_pktmbuf_mtod(m, uint8_t *)[12] == ETHERTYPE >> 8)
			ours = m;
		else
			rte_pktmbuf_free(m);
	}
	return ours;
}

/* Nobody polls: the interface wakes the program, with frames that came before and after the enable.
 */
static void a_frame_from_the_kernel_wakes_a_sleeper(void)
{
	static const char *const speeds[] = { "0", "10" };

	for (size_t s = 0; s < 2 && !skip(); s++) {
		char arguments[64];
		uint16_t port;
		int fd;

		snprintf(
			arguments, sizeof(arguments), "wire=tap:" TAP ",itr=0,speed=%s", speeds[s]);
		port = probe(NAME, arguments);
		fd = open_socket();
		start_sleeper(port, 2);
		for (uint8_t i = 0; i < 20; i++) {
			struct rte_mbuf *m = NULL;

			if (i % 2)
				send_from_kernel(fd, i);
			CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_enable(port, 0), 0);
			if (!(i % 2))
				send_from_kernel(fd, i);
			while (!m) { /* the kernel's own frames wake, too */
				CU_ASSERT_EQUAL_FATAL(sleep_for_frames(SLEEP_MS), 0);
				m = take_ours(port);
			}
			CU_ASSERT_EQUAL(rte_eth_dev_rx_intr_disable(port, 0), 0);
			CU_ASSERT_EQUAL(rte_pktmbuf_mtod(m, uint8_t *)[14], i);
			rte_pktmbuf_free(m);
		}
		close(fd);
		end(NAME, port);
	}
}

static const struct test_case cases[] = {
	{ "frames go out to the kernel and come in", frames_go_out_to_the_kernel_and_come_in },
	{ "the interface is read only while there is room",
		the_interface_is_read_only_while_there_is_room },
	{ "what an interface that is down refuses is counted",
		what_an_interface_that_is_down_refuses_is_counted },
	{ "names that are no interfaces are refused", names_that_are_no_interfaces_are_refused },
	{ "without permission the probe fails", without_permission_the_probe_fails },
	{ "frames come in at the pace of the wire", frames_come_in_at_the_pace_of_the_wire },
	{ "a frame from the kernel wakes a sleeper", a_frame_from_the_kernel_wakes_a_sleeper },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "tap", cases, setup_namespace, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
