/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides on sockets in the place of TAP interfaces, in a time that the test makes: a cycle is a
 * nanosecond, and on the way frames take none, unless a case says otherwise.
 */
#include "harness.h"
#include "joined.h"
#include "tap.h"

#include "cycles.h"
#include <errno.h>
#include <rte_eal.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define GAP 999936 /* 1/1000 s in units of 256 ns: 3906 of them */

static struct joined joined;
static struct side *const left = &joined.side[0], *const right = &joined.side[1];
static int kernel[LIVE_SIDES]; /* the sockets' other ends */
static int ours[LIVE_SIDES];

static int setup(void)
{
	struct diag diag;

	signal(SIGPIPE, SIG_IGN);
	return scenario_environment(256, &diag);
}

static int teardown(void)
{
	scenario_shut_down();
	return 0;
}

/* Linux 2.6.35's driver at 1000 interrupts a second; a case changes what it is about. */
static struct scenario base(void)
{
	static const char *const set[] = { "profile=linux-2.6.35", "InterruptThrottleRate=1000",
		"TxIntDelay=0", "TxAbsIntDelay=0", "fetch_ns=0", "dma_rate_mbps=0",
		"line_rate_mbps=0" };
	struct scenario scenario;
	struct diag diag;

	CU_ASSERT_EQUAL_FATAL(
		scenario_load(&scenario, NULL, set, sizeof(set) / sizeof(*set), &diag), 0);
	return scenario;
}

static void begin(const struct scenario *scenario, struct event_sink *sink, uint64_t now)
{
	int room = 1 << 20;

	test_leaks_allow(); /* DPDK keeps some of what pools took */
	for (int i = 0; i < LIVE_SIDES; i++) {
		int pair[2];

		CU_ASSERT_EQUAL_FATAL(
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
		kernel[i] = pair[0];
		ours[i] = pair[1];
		setsockopt(kernel[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
		setsockopt(ours[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	}
	CU_ASSERT_EQUAL_FATAL(joined_open(&joined, scenario, ours, CYCLES_NS_PER_S, sink, now), 0);
	left->readable = right->readable = true;
}

/* Every frame that was read must be accounted for, and all packets be back in their pools. */
static void end(uint64_t now)
{
	joined_close(&joined, now);
	CU_ASSERT_TRUE(live_account_reconciles(&left->account));
	CU_ASSERT_TRUE(live_account_reconciles(&right->account));
	CU_ASSERT_PTR_NULL(rte_mempool_lookup("live tx"));
	CU_ASSERT_PTR_NULL(rte_mempool_lookup("live rx"));
	for (int i = 0; i < LIVE_SIDES; i++) {
		close(kernel[i]);
		close(ours[i]);
	}
}

static void send_frames(int from, unsigned count, size_t bytes, uint8_t fill)
{
	uint8_t frame[TAP_FRAME_MOST + 100];

	memset(frame, fill, bytes);
	while (count--)
		CU_ASSERT_EQUAL_FATAL(send(kernel[from], frame, bytes, 0), (ssize_t)bytes);
}

/* Frames that have come out at a side. */
static unsigned count_frames(int at)
{
	uint8_t frame[TAP_FRAME_MOST + 100];
	unsigned count = 0;

	while (recv(kernel[at], frame, sizeof(frame), 0) > 0)
		count++;
	return count;
}

static unsigned transmit(struct side *side, uint64_t now)
{
	unsigned count = 0;

	joined_advance(&joined, now);
	while (side_transmit(side, now))
		count++;
	return count;
}

/* Serves what has been raised by `now`. */
static void serve(uint64_t now)
{
	joined_advance(&joined, now);
	while (left->scheduled || right->scheduled) {
		side_poll(left, now);
		side_poll(right, now);
	}
}

/* Of the 200 frames (255 - 20) / 2 + 1 fit, rounded down; the others wait for the interrupt. */
static void a_ringful_is_read_and_the_rest_waits(void)
{
	struct scenario scenario = base();

	begin(&scenario, NULL, 0);
	send_frames(0, 200, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, 0), 118);
	CU_ASSERT_FALSE(side_has_room(left));
	CU_ASSERT_EQUAL(left->in_device_max, 118);
	CU_ASSERT_EQUAL(side_in_device(left), 118);
	CU_ASSERT_EQUAL(count_frames(1), 0); /* not before the interrupt is served */
	serve(0);
	CU_ASSERT_EQUAL(side_in_device(left), 0);
	CU_ASSERT_EQUAL(count_frames(1), 118);

	/* the throttle: nothing that comes now is seen before its gap is over */
	CU_ASSERT_EQUAL(transmit(left, 1000), 82);
	serve(1000);
	CU_ASSERT_EQUAL(joined_deadline(&joined), GAP);
	serve(GAP - 1);
	CU_ASSERT_EQUAL(count_frames(1), 0);
	CU_ASSERT_FALSE(joined_is_idle(&joined));
	serve(GAP);
	CU_ASSERT_EQUAL(count_frames(1), 82);
	CU_ASSERT_TRUE(joined_is_idle(&joined));
	end(GAP);
	CU_ASSERT_EQUAL(left->account.read, 200);
	CU_ASSERT_EQUAL(left->account.written, 200);
	CU_ASSERT_EQUAL(right->account.read, 0);
	CU_ASSERT_EQUAL(left->least_gap, GAP);
	CU_ASSERT_EQUAL(left->interrupts, 2);
}

/* (255 - reserve) / descriptors + 1, rounded down. */
static void descriptors_and_reserve_decide_how_many(void)
{
	static const struct {
		bool checksum;
		uint64_t reserve, ring_size;
		unsigned packets;
	} rows[] = { { true, 20, 256, 118 }, { true, 22, 256, 117 }, { false, 20, 256, 236 },
		{ false, 22, 256, 234 }, { true, 20, 512, 246 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct scenario scenario = base();

		scenario.driver.checksum = rows[i].checksum;
		scenario.driver.reserve = rows[i].reserve;
		scenario.nic.ring_size = rows[i].ring_size;
		begin(&scenario, NULL, 0);
		send_frames(0, 250, 60, 1);
		CU_ASSERT_EQUAL(transmit(left, 0), rows[i].packets);
		CU_ASSERT_EQUAL(scenario_capacity(&scenario, 1), rows[i].packets);
		serve(0);
		end(0);
	}
}

static void frames_arrive_whole_in_both_directions(void)
{
	static const size_t bytes[] = { 14, 60, 1514, 2048, 2049, TAP_FRAME_MOST };
	struct scenario scenario = base();
	uint8_t frame[TAP_FRAME_MOST + 100];

	begin(&scenario, NULL, 0);
	for (unsigned i = 0; i < 6; i++) {
		send_frames(0, 1, bytes[i], (uint8_t)i);
		send_frames(1, 1, bytes[i], (uint8_t)(100 + i));
	}
	send_frames(0, 1, TAP_FRAME_MOST + 1, 50);
	send_frames(0, 1, 61, 51);
	CU_ASSERT_EQUAL(transmit(left, 0), 7);
	CU_ASSERT_EQUAL(transmit(right, 0), 6);
	serve(0);
	serve(GAP);
	for (unsigned i = 0; i < 12; i++) {
		int at = i < 6;
		size_t wanted = bytes[i % 6];

		memset(frame, 200, sizeof(frame));
		CU_ASSERT_EQUAL(recv(kernel[at], frame, sizeof(frame), 0), (ssize_t)wanted);
		for (size_t n = 0; n < wanted; n++)
			CU_ASSERT_EQUAL_FATAL(frame[n], at ? i : 100 + i - 6);
	}
	CU_ASSERT_EQUAL(recv(kernel[1], frame, sizeof(frame), 0), 61);
	end(GAP);
	CU_ASSERT_EQUAL(left->account.read, 8);
	CU_ASSERT_EQUAL(left->account.too_long, 1);
	CU_ASSERT_EQUAL(left->account.written, 7);
	CU_ASSERT_EQUAL(right->account.written, 6);
}

/* 64 receive descriptors hold 63 buffers; of 118 frames at one time 55 find none. */
static void what_finds_no_receive_buffer_is_missed(void)
{
	struct scenario scenario = base();

	scenario.nic.rx_ring_size = 64;
	begin(&scenario, NULL, 0);
	send_frames(0, 118, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, 0), 118);
	serve(0);
	CU_ASSERT_EQUAL(count_frames(1), 63);
	end(0);
	CU_ASSERT_EQUAL(left->account.sent, 118);
	CU_ASSERT_EQUAL(left->account.missed, 55);
	CU_ASSERT_EQUAL(left->account.received, 63);
}

/* At 1 Gbit/s 60 bytes and their 24 of framing take 672 ns. */
static void a_frame_arrives_when_its_last_bit_has_left(void)
{
	struct scenario scenario = base();

	scenario.nic.line_rate_mbps = 1000;
	scenario.driver.throttle_rate = 0;
	begin(&scenario, NULL, 500);
	send_frames(0, 2, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, 1000), 2);
	CU_ASSERT_EQUAL(joined_deadline(&joined), 1672);
	serve(1671);
	CU_ASSERT_EQUAL(count_frames(1), 0);
	serve(1672);
	CU_ASSERT_EQUAL(count_frames(1), 1);
	serve(2344);
	CU_ASSERT_EQUAL(count_frames(1), 1);
	end(2344);
}

static void what_is_left_at_the_end_is_counted(void)
{
	struct scenario scenario = base();

	begin(&scenario, NULL, 0);
	send_frames(0, 130, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, 0), 118);
	CU_ASSERT_EQUAL(side_discard(left, 5), 5);
	CU_ASSERT_EQUAL(side_discard(left, 1000), 7);
	end(0); /* nobody has served an interrupt */
	CU_ASSERT_EQUAL(left->account.read, 118);
	CU_ASSERT_EQUAL(left->account.sent + left->account.unsent, 118);
	CU_ASSERT_EQUAL(left->account.unfetched, left->account.sent);
	CU_ASSERT_EQUAL(left->account.written, 0);
}

/* Counts the packets that were let go undone, and looks at the order of times. */
struct listener {
	struct event_sink sink;
	uint64_t last, aborted;
	bool disordered;
};

static void listen_to(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct listener *listener = (struct listener *)sink;
	struct event event = event_of(time, what, packet, arg);

	listener->disordered = listener->disordered || cpu || time < listener->last;
	listener->last = time;
	listener->aborted += event.id == EVENT_FREE && EVENT_GET(FREE, aborted, arg);
}

static void a_dead_transmitter_keeps_its_packets(void)
{
	struct listener listener = { .sink.emit = listen_to };
	struct scenario scenario = base();

	strcpy(scenario.nic.faults[0].type, "tx_stop");
	scenario.nic.fault_count = 1;
	begin(&scenario, &listener.sink, CYCLES_NS_PER_S);
	send_frames(0, 10, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, CYCLES_NS_PER_S + 5), 10);
	serve(2 * CYCLES_NS_PER_S);
	CU_ASSERT_EQUAL(count_frames(1), 0);
	end(2 * CYCLES_NS_PER_S);
	CU_ASSERT_EQUAL(left->account.unsent, 10);
	CU_ASSERT_EQUAL(listener.aborted, 10);
	CU_ASSERT_FALSE(listener.disordered);
}

/* Both directions at once, looked at every 7 us for 20 ms. */
static void times_are_in_order_and_gaps_are_kept(void)
{
	struct listener listener = { .sink.emit = listen_to };
	struct scenario scenario = base();
	uint64_t now = 0;

	scenario.driver.checksum = false; /* 143 come in a millisecond, and 236 fit */
	begin(&scenario, &listener.sink, 0);
	for (; now < 20 * 1000 * 1000; now += 7000) {
		for (int i = 0; i < LIVE_SIDES; i++) {
			send_frames(i, 1, 60 + (size_t)(now % 100), 1);
			joined.side[i].readable = true;
			transmit(&joined.side[i], now);
			count_frames(i);
		}
		serve(now);
	}
	serve(now + GAP);
	CU_ASSERT_FALSE(listener.disordered);
	end(now + GAP);
	for (int i = 0; i < LIVE_SIDES; i++) {
		CU_ASSERT_EQUAL(joined.side[i].account.written, 2858); /* 20 ms / 7 us */
		CU_ASSERT(joined.side[i].least_gap >= GAP);
		CU_ASSERT(joined.side[i].interrupts >= 20 && joined.side[i].interrupts <= 22);
	}
}

static void an_end_that_is_gone_ends_the_reading(void)
{
	struct scenario scenario = base();

	begin(&scenario, NULL, 0);
	send_frames(0, 3, 60, 1);
	CU_ASSERT_EQUAL(transmit(left, 0), 3);
	CU_ASSERT_FALSE(left->gone);
	shutdown(kernel[0], SHUT_WR);
	left->readable = true;
	CU_ASSERT_EQUAL(transmit(left, 0), 0);
	CU_ASSERT_TRUE(left->gone);
	CU_ASSERT_FALSE(right->gone);
	shutdown(ours[1], SHUT_WR); /* as an interface that is down: EPIPE stands for EIO */
	serve(0);
	end(0);
	CU_ASSERT_EQUAL(left->account.received, 3);
	CU_ASSERT_EQUAL(left->account.write_errors, 3);
	CU_ASSERT_EQUAL(left->account.write_errno, EPIPE);
}

static const struct test_case cases[] = {
	{ "a ringful is read, and the rest waits", a_ringful_is_read_and_the_rest_waits },
	{ "descriptors and reserve decide how many", descriptors_and_reserve_decide_how_many },
	{ "frames arrive whole, in both directions", frames_arrive_whole_in_both_directions },
	{ "what finds no receive buffer is missed", what_finds_no_receive_buffer_is_missed },
	{ "a frame arrives when its last bit has left",
		a_frame_arrives_when_its_last_bit_has_left },
	{ "what is left at the end is counted", what_is_left_at_the_end_is_counted },
	{ "a dead transmitter keeps its packets", a_dead_transmitter_keeps_its_packets },
	{ "times are in order and gaps are kept", times_are_in_order_and_gaps_are_kept },
	{ "an end that is gone ends the reading", an_end_that_is_gone_ends_the_reading },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "joined", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
