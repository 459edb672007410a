/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which event goes where. What lets a packet into a device is in transmit_in.c, what ends its stay
 * in transmit_out.c, how its life is accounted for in passage.c; transmit_report.c sums up.
 */
#include "passage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Clocks of CPUs may disagree by this much before a free counts as another packet's. */
#define CLOCK_WINDOW_PER_S 100000 /* 10 us */
/* Without a calibration nobody knows what 10 us are: taken to be a TSC of a usual machine's. */
#define UNKNOWN_HZ UINT64_C(3000000000)

int transmit_create(struct transmit **created, const struct transmit_options *options,
	const struct names *names)
{
	struct transmit *transmit = calloc(1, sizeof(*transmit));
	uint64_t hz = options->hz ? options->hz : UNKNOWN_HZ;

	*created = NULL;
	if (!transmit)
		return -ENOMEM;
	transmit->options = *options;
	transmit->names = names;
	transmit->calls.bytes = sizeof(struct calls);
	transmit->orphans.window = hz / CLOCK_WINDOW_PER_S;
	if (options->device) {
		transmit->only = strdup(options->device);
		if (!transmit->only) {
			free(transmit);
			return -ENOMEM;
		}
	}
	*created = transmit;
	return 0;
}

void transmit_destroy(struct transmit *transmit)
{
	if (!transmit)
		return;
	for (unsigned i = 0; i < transmit->device_count; i++)
		device_destroy(transmit->devices[i]);
	cpus_clear(&transmit->calls);
	packets_clear(&transmit->packets);
	changes_clear(&transmit->changes);
	free(transmit->tables);
	free(transmit->drops);
	free(transmit->only);
	free(transmit);
}

bool transmit_look(const struct transmit *transmit, unsigned number, struct transmit_now *now)
{
	const struct device *device;

	if (number >= transmit->device_count)
		return false;
	device = transmit->devices[number];
	*now = (struct transmit_now){
		.name = device->name,
		.tx_packets = device->all.freed + device->all.delivered,
		.in_device = device->all.occupancy.now,
		.in_device_max = device->all.occupancy.max,
	};
	return true;
}

int transmit_event(struct transmit *transmit, unsigned cpu, const struct event *event)
{
	if (event->time > transmit->now)
		transmit->now = event->time;
	if (transmit->options.expire_cycles && transmit_expire(transmit))
		return -ENOMEM;
	switch (event->id) {
	case EVENT_QUEUE:
		return transmit_on_queue(transmit, event);
	case EVENT_START_XMIT:
		return transmit_on_start(transmit, cpu, event);
	case EVENT_XMIT:
		return transmit_on_xmit(transmit, cpu, event);
	case EVENT_FREE:
		return transmit_on_free(transmit, cpu, event);
	case EVENT_RECEIVE:
		return transmit_on_receive(transmit, cpu, event);
	case EVENT_LOST:
		return transmit_on_lost(transmit);
	default:
		return 0;
	}
}
