/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events cost the transmit path: driver core and device in virtual time, a ring of 256 that
 * fills and is cleaned once a millisecond. A packet makes four events (start_xmit, xmit, done,
 * free), all of a burst with one time stamp; the trace writer takes them, and drops what is full,
 * since the thread that writes them to a disk is another one.
 *
 * Ends with 1 if an event costs more than LIMIT_NS.
 *
 * tx_path_bench ROUNDS [traced] runs so many rounds and reports nothing: for callgrind, which
 * counts what the function `rounds` executes. check_untraced compares that of this program with
 * that of one whose driver and device were built without events.
 */
#include "e1000e.h"
#include "nic.h"
#include "trace_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_NS          2.5 /* 2 is what it should be; the rest is for a busy machine */
#define HZ                1000000000
#define RING              256
#define PACKETS           512
#define EVENTS_PER_PACKET 4
#define TURNS             41
#define ROUNDS            500 /* of each in a turn */

static struct rte_mbuf packets[PACKETS];
static uint8_t data[PACKETS][64];

struct bench {
	struct nic *nic;
	struct e1000e_port *port;
	uint64_t now, sent;
	unsigned next;
};

static void freed(void *context, struct rte_mbuf *packet, uint64_t now)
{
	(void)context;
	(void)packet;
	(void)now;
}

static int open_bench(struct bench *bench, struct event_sink *sink)
{
	struct nic_config nic = { .hz = HZ, .line_rate_mbps = 1000, .sink = sink };
	struct e1000e_config config = {
		.hz = HZ,
		.ring_size = RING,
		.reserve = 20,
		.wake_threshold = 32,
		.context_always = true,
		.interrupt_throttle_rate = 1000,
		.link_speed_mbps = 1000,
		.registers = { .read = nic_read, .write = nic_write },
		.stack = { .free = freed },
		.sink = sink,
	};

	memset(bench, 0, sizeof(*bench));
	bench->nic = nic_create(&nic);
	config.registers.device = bench->nic;
	return bench->nic ? e1000e_open(&bench->port, &config, 0) : -1;
}

static void close_bench(struct bench *bench)
{
	e1000e_close(bench->port, 0, bench->now);
	nic_destroy(bench->nic);
}

static inline __attribute__((always_inline)) void fill(struct bench *bench, const bool traced)
{
	struct e1000e_port *port = bench->port;

	while (!port->tx.stopped) {
		struct rte_mbuf *packet = &packets[bench->next++ % PACKETS];
		uint32_t bytes = packet->pkt_len;
		int rc = e1000e_xmit(port, 0, packet, bench->now);

		if (traced)
			e1000e_xmit_returned(port, 0, packet, bytes, rc, bench->now);
		bench->sent++;
	}
}

/* Fills the ring, lets a millisecond pass, cleans at the interrupt; again and again. */
static __attribute__((noinline)) void rounds(struct bench *bench, unsigned count, bool traced)
{
	uint64_t raised;

	for (unsigned i = 0; i < count; i++) {
		if (traced)
			fill(bench, true);
		else
			fill(bench, false);
		bench->now += HZ / 1000;
		nic_advance(bench->nic, bench->now);
		if (!nic_take_interrupt(bench->nic, &raised) ||
			!e1000e_interrupt(bench->port, bench->now))
			abort();
		while (e1000e_clean_packet(bench->port, 0, bench->now))
			;
		e1000e_clean_done(bench->port, 0, bench->now);
		e1000e_poll_done(bench->port, bench->now);
	}
}

static double ns_a_packet(struct bench *bench, bool traced)
{
	struct timespec from, to;
	uint64_t sent = bench->sent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	rounds(bench, ROUNDS, traced);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       (double)(bench->sent - sent);
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Turn by turn, so that a slow spell of the machine meets both. */
static double compare(struct bench *untraced, struct bench *traced)
{
	double without[TURNS], with[TURNS], an_event;

	for (unsigned i = 0; i < TURNS; i++) {
		without[i] = ns_a_packet(untraced, false);
		with[i] = ns_a_packet(traced, true);
	}
	qsort(without, TURNS, sizeof(*without), ascending);
	qsort(with, TURNS, sizeof(*with), ascending);
	an_event = (with[TURNS / 2] - without[TURNS / 2]) / EVENTS_PER_PACKET;
	printf("%.1f ns a packet without events, %.1f with them: %.2f ns an event\n",
		without[TURNS / 2], with[TURNS / 2], an_event);
	return an_event;
}

static void remove_trace(const char *folder)
{
	static const char *const files[] = { "metadata", "stream_0" };
	char path[64];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/tx_path_XXXXXX";
	struct trace_info info = { .hz = HZ };
	struct bench untraced, traced;
	struct trace_writer writer;
	int slow = 0;

	for (unsigned i = 0; i < PACKETS; i++)
		packets[i] = (struct rte_mbuf){
			.buf_addr = data[i], .data_len = 43, .pkt_len = 43, .nb_segs = 1
		};
	if (!mkdtemp(folder) || trace_writer_open(&writer, folder, &info, 1, NULL) ||
		trace_writer_buffer(&writer, 4) || open_bench(&untraced, NULL) ||
		open_bench(&traced, &writer.sink))
		return 2;
	if (argc > 1)
		rounds(argc > 2 ? &traced : &untraced, (unsigned)atoi(argv[1]), argc > 2);
	else
		slow = compare(&untraced, &traced) > LIMIT_NS;
	close_bench(&untraced);
	close_bench(&traced);
	trace_writer_close(&writer, NULL);
	remove_trace(folder);
	return slow;
}
