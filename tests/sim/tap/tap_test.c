/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TAP interface in a network namespace of its own, sent to by packet sockets. Where such a
 * namespace or /dev/net/tun can't be had, the cases are skipped. That an interface which was moved
 * is found again is tested with ringside live (tests/programs/live).
 */
#include "harness.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TAP       "ringside0"
#define ETHERTYPE 0x88b5 /* for experiments: no kernel sends it by itself */
#define QUEUE     1000   /* frames: the kernel's txqueuelen of a TAP */

static const char *impossible; /* why; NULL: it can be tried */

/* Without IPv6 the interface has nothing to say by itself, and every frame is ours. */
static int setup(void)
{
	int tun, ipv6;

	if (unshare(CLONE_NEWNET)) {
		impossible = "no network namespace of our own";
		return 0;
	}
	tun = open("/dev/net/tun", O_RDWR);
	if (tun < 0) {
		impossible = "/dev/net/tun can't be opened";
		return 0;
	}
	close(tun);
	ipv6 = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY);
	if (ipv6 >= 0) {
		if (write(ipv6, "1", 1) != 1)
			impossible = "IPv6 can't be turned off";
		close(ipv6);
	}
	return 0;
}

static bool skip(void)
{
	if (impossible)
		test_skip(impossible);
	return impossible;
}

static int open_socket(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	struct ifreq request = { .ifr_name = TAP };
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
		.sll_ifindex = (int)if_nametoindex(TAP) };

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags |= IFF_UP;
	CU_ASSERT_EQUAL(ioctl(fd, SIOCSIFFLAGS, &request), 0);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void send_frames(int fd, unsigned count)
{
	uint8_t frame[60] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 2, 2, 2, 2, 2, ETHERTYPE >> 8,
		ETHERTYPE & 0xff };

	while (count--) {
		if (send(fd, frame, sizeof(frame), 0) < 0)
			CU_ASSERT_EQUAL_FATAL(errno, ENOBUFS); /* that it was dropped */
	}
}

static unsigned read_frames(int tap)
{
	uint8_t frame[TAP_FRAME_MOST];
	unsigned count = 0;

	while (read(tap, frame, sizeof(frame)) > 0)
		count++;
	CU_ASSERT_EQUAL(errno, EAGAIN);
	return count;
}

static void drops_are_those_since_the_first_look(void)
{
	struct tap_watch watch;
	const char *what;
	int tap, fd;

	if (skip())
		return;
	tap = tap_open(TAP, &what);
	CU_ASSERT_FATAL(tap >= 0);
	fd = open_socket();
	send_frames(fd, QUEUE + 7);
	CU_ASSERT_EQUAL_FATAL(tap_watch_open(&watch, tap), 0);
	CU_ASSERT_EQUAL(watch.drops.queue, 0);
	CU_ASSERT_EQUAL(read_frames(tap), QUEUE);

	send_frames(fd, QUEUE);
	CU_ASSERT_EQUAL(tap_watch_update(&watch), 0);
	CU_ASSERT_EQUAL(watch.drops.queue, 0);
	send_frames(fd, 123);
	CU_ASSERT_EQUAL(tap_watch_update(&watch), 0);
	CU_ASSERT_EQUAL(watch.drops.queue, 123);
	CU_ASSERT_EQUAL(read_frames(tap), QUEUE);
	send_frames(fd, QUEUE + 4);
	CU_ASSERT_EQUAL(tap_watch_update(&watch), 0);
	CU_ASSERT_EQUAL(watch.drops.queue, 127);
	CU_ASSERT_EQUAL(watch.drops.qdisc, 0);
	close(fd);
	close(tap);
	CU_ASSERT_EQUAL(if_nametoindex(TAP), 0); /* it goes with the descriptor */
}

static void a_refusal_says_what_failed(void)
{
	static const struct {
		const char *name;
		int error;
		const char *what;
	} rows[] = {
		{ "", -EINVAL, "an interface name has 1 to 15 characters and no %" },
		{ "a-name-of-sixteen", -EINVAL,
			"an interface name has 1 to 15 characters and no %" },
		{ "tap%d", -EINVAL, "an interface name has 1 to 15 characters and no %" },
		{ "lo", -EINVAL, "it can't be made or taken as a TAP interface" },
		{ TAP, -EBUSY, "it can't be made or taken as a TAP interface" },
	};
	const char *what = "";
	int tap;

	if (skip())
		return;
	tap = tap_open(TAP, &what);
	CU_ASSERT_FATAL(tap >= 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CU_ASSERT_EQUAL(tap_open(rows[i].name, &what), rows[i].error);
		CU_ASSERT_STRING_EQUAL(what, rows[i].what);
	}
	close(tap);
}

static const struct test_case cases[] = {
	{ "drops are those since the first look", drops_are_those_since_the_first_look },
	{ "a refusal says what failed", a_refusal_says_what_failed },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "tap", cases, setup, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
