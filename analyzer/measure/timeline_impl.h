/* SPDX-License-Identifier: BSD-3-Clause */
/* What timeline.c's parts share: timeline_receive.c with timeline_softirq.c, timeline_transmit.c.
 */
#ifndef ANALYZER_MEASURE_TIMELINE_IMPL_H
#define ANALYZER_MEASURE_TIMELINE_IMPL_H

#include "addresses.h"
#include "journal.h"
#include "timeline.h"

#define TIMELINE_CPUS 65536 /* CPUs with larger numbers share the softirqs of smaller ones */

/* What a CPU is doing. */
struct timeline_cpu;

/* The way of received packets. */
struct receiving {
	struct timeline_cpu **cpus;
	unsigned cpu_room;
	struct addresses packets; /* open ones → where their item is */
	struct journal journal;   /* of struct timeline_item */
};

struct sending;
struct sending_block;

struct sending_list {
	struct sending *first, *last;
	size_t count;
};

/* The way of sent packets. */
struct transmitting {
	struct addresses packets;  /* to the newest record of each */
	struct sending_list open;  /* in the order in which they were seen first */
	struct sending_list ended; /* whose driver call has yet to return */
	struct sending *spare;
	struct sending_block *blocks;
	bool starts_seen, queues_seen, returns_seen;
	uint8_t delivers[EVENT_NO_DEVICE + 1]; /* 0: not looked up yet; 1: no; 2: yes */
	uint32_t in_device[EVENT_NO_DEVICE + 1];
	struct journal journal; /* of struct timeline_packet */
};

/* Takes an event of one kind. 0 or a negative errno. Receiving knows the CPU before. */
typedef int receiving_handler(struct timeline *timeline, unsigned cpu, const struct event *event);
typedef int transmitting_handler(struct timeline *timeline, const struct event *event);

struct timeline {
	/* by enum event_id; NULL: nothing is done with it */
	receiving_handler *const *receive;
	transmitting_handler *const *transmit;
	struct timeline_options options;
	const struct names *names;
	struct timeline_counts counts;
	struct receiving receiving;
	struct transmitting transmitting;
};

extern receiving_handler *const receiving_handlers[EVENT_ID_COUNT];

static inline bool receiving_knows_cpu(const struct receiving *receiving, unsigned cpu)
{
	return cpu < receiving->cpu_room && receiving->cpus[cpu];
}

/* Each 0 or a negative errno. */
int receiving_new_cpu(struct receiving *receiving, unsigned cpu);
int receiving_finish(struct timeline *timeline);
void receiving_destroy(struct receiving *receiving);

extern transmitting_handler *const transmitting_handlers[EVENT_ID_COUNT];
int transmitting_finish(struct timeline *timeline);
void transmitting_destroy(struct transmitting *transmitting);

#endif
