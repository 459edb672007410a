/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event costs the transmit measure, which also runs inside the model: a ring is filled and
 * cleaned again and again. Fails above LIMIT_NS, which leaves a slow machine its room.
 */
#include "transmit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define EVENTS   8000000
#define LIMIT_NS 100
#define SPACING  2304 /* bytes from one packet's address to the next */

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct bench {
	struct transmit *transmit;
	uint64_t now, events;
	int error;
};

static void emit(struct bench *bench, enum event_id id, uint8_t queue, uint64_t packet)
{
	struct event event = {
		.time = bench->now++,
		.id = (uint16_t)id,
		.queue = queue,
		.len = 43,
		.packet = packet,
	};

	bench->error |= transmit_event(bench->transmit, 0, &event);
	bench->events++;
}

/* One interval: packets enter, each with its queue and xmit events, then all are freed. */
static void interval(struct bench *bench, uint64_t first, unsigned ring)
{
	for (unsigned i = 0; i < ring; i++) {
		uint64_t packet = (first + i) % (2 * ring) * SPACING;

		emit(bench, EVENT_QUEUE, EVENT_NO_QUEUE, packet);
		emit(bench, EVENT_START_XMIT, 0, packet);
		emit(bench, EVENT_XMIT, EVENT_NO_QUEUE, packet);
	}
	for (unsigned i = 0; i < ring; i++)
		emit(bench, EVENT_FREE, EVENT_NO_QUEUE, (first + i) % (2 * ring) * SPACING);
}

/* Returns ns an event, or -1. */
static double measure(unsigned ring)
{
	struct transmit_options options = { .hz = 1000000000, .capacity = ring };
	struct names *names = names_create();
	struct bench bench = { 0 };
	const struct transmit_report *report;
	uint64_t start;
	double ns = -1;

	if (!names || names_set(names, NAME_DEVICE, 0, "eth0", strlen("eth0")) ||
		transmit_create(&bench.transmit, &options, names))
		goto out;
	start = cpu_ns();
	for (uint64_t round = 0; bench.events < EVENTS; round++)
		interval(&bench, 7 * round, ring);
	if (bench.error || transmit_finish(bench.transmit, &report) ||
		report->devices[0].in_device_max != ring)
		goto out;
	ns = (double)(cpu_ns() - start) / (double)bench.events;
	printf("%5u packets in the ring: %.1f ns an event\n", ring, ns);
out:
	transmit_destroy(bench.transmit);
	names_destroy(names);
	return ns;
}

int main(void)
{
	static const unsigned rings[] = { 118, 1000, 4000 };
	int slow = 0;

	for (size_t i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
		double ns = measure(rings[i]);

		slow |= ns < 0 || ns > LIMIT_NS;
	}
	return slow;
}
