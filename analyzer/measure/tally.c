/* SPDX-License-Identifier: BSD-3-Clause */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

bool device_delivers(const char *name)
{
	static const char *const prefixes[] = { "veth", "tun", "tap" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return !strcmp(name, "lo");
}

struct device *device_create(const char *name, uint64_t stall_cycles)
{
	struct device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->name = strdup(name);
	if (!device->name) {
		free(device);
		return NULL;
	}
	device->delivers = device_delivers(name);
	device->all.occupancy.stall_cycles = stall_cycles;
	return device;
}

static void clear(struct tally *tally)
{
	histogram_clear(&tally->lap);
	histogram_clear(&tally->queue_delay);
	occupancy_clear(&tally->occupancy);
	free(tally->drops);
}

static void restart(struct tally *tally)
{
	struct tally old = *tally;

	old.drops = NULL;
	*tally = (struct tally){
		.number = old.number,
		.retries = old.retries,
		.drops = tally->drops,
		.drop_room = old.drop_room,
		.occupancy.stall_cycles = old.occupancy.stall_cycles,
	};
	clear(&old);
}

void device_restart(struct device *device)
{
	restart(&device->all);
	for (uint32_t i = 0; i < device->queue_room; i++) {
		if (device->queues[i])
			restart(device->queues[i]);
	}
}

void device_destroy(struct device *device)
{
	if (!device)
		return;
	clear(&device->all);
	for (uint32_t i = 0; i < device->queue_room; i++) {
		if (device->queues[i])
			clear(device->queues[i]);
		free(device->queues[i]);
	}
	free(device->queues);
	free(device->name);
	free(device);
}

static int grow_queues(struct device *device, unsigned number)
{
	uint32_t room = device->queue_room ? device->queue_room : 8;
	struct tally **queues;

	while (room <= number)
		room *= 2;
	queues = realloc(device->queues, room * sizeof(struct tally *));
	if (!queues)
		return -ENOMEM;
	memset(queues + device->queue_room, 0,
		(room - device->queue_room) * sizeof(struct tally *));
	device->queues = queues;
	device->queue_room = room;
	return 0;
}

struct tally *device_queue(struct device *device, unsigned number)
{
	struct tally *queue;

	if (number >= device->queue_room && grow_queues(device, number))
		return NULL;
	queue = device->queues[number];
	if (queue)
		return queue;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return NULL;
	queue->number = number;
	queue->occupancy.stall_cycles = device->all.occupancy.stall_cycles;
	device->queues[number] = queue;
	device->queue_count++;
	return queue;
}

int tally_drop(struct tally *tally, uint32_t reason)
{
	if (reason >= tally->drop_room) {
		uint32_t room = tally->drop_room ? tally->drop_room : 16;
		uint64_t *drops;

		while (room <= reason)
			room *= 2;
		drops = realloc(tally->drops, room * sizeof(*drops));
		if (!drops)
			return -ENOMEM;
		memset(drops + tally->drop_room, 0, (room - tally->drop_room) * sizeof(*drops));
		tally->drops = drops;
		tally->drop_room = room;
	}
	tally->drops[reason]++;
	return 0;
}
