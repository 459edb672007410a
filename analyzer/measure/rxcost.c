/* SPDX-License-Identifier: BSD-3-Clause */
/* Events become pairs; costs.c and rxcost_report.c make something of these. */
#include "rxcost.h"

#include "ack.h"
#include "costs.h"
#include "cpus.h"
#include "devices.h"
#include <stdlib.h>

/* Pairs inside each other: a bridge over a bond over a VLAN makes four. More are lost ends. */
#define NESTED_MOST 8

#define ETHERNET_HEADER_BYTES 14
#define VLAN_TAG_BYTES        4

struct cpu {
	unsigned depth; /* pairs that are open */
	uint8_t device; /* of the outermost; what follows is of it, too */
	uint64_t began;
	uint64_t packet; /* address of the packet that came last */
	uint32_t len;    /* and its length, without the link's header */
	struct pair pair;
	uint64_t started; /* address of the packet that was started last */
	bool in_softirq;
};

struct rxcost {
	uint64_t hz;
	struct cpus cpus;
	struct devices devices;
	struct costs all;
	struct rxcost_report report;
	struct rxcost_table *tables;
};

int rxcost_create(
	struct rxcost **created, const struct rxcost_options *options, const struct names *names)
{
	struct rxcost *rxcost = calloc(1, sizeof(*rxcost));

	*created = rxcost;
	if (!rxcost)
		return -ENOMEM;
	rxcost->hz = options->hz;
	rxcost->cpus.bytes = sizeof(struct cpu);
	rxcost->devices = (struct devices){
		.bytes = sizeof(struct costs), .names = names, .only = options->device
	};
	return 0;
}

static void on_begin(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	if (cpu->depth == NESTED_MOST) {
		rxcost->report.unpaired += cpu->depth;
		cpu->depth = 0;
	}
	if (cpu->depth++) {
		rxcost->report.nested++;
		return;
	}
	cpu->device = event->device;
	cpu->began = event->time;
	cpu->packet = cpu->started = 0;
	cpu->len = event->len;
	cpu->pair = (struct pair){ .data = event->len > ACK_BYTES_MOST };
}

static int on_end(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	void *device;

	if (!cpu->depth) {
		rxcost->report.unpaired++;
		return 0;
	}
	cpu->started = 0;
	if (--cpu->depth)
		return 0;
	cpu->pair.cost = event->time - cpu->began;
	if (!rxcost->report.receives_seen)
		cpu->pair.packets = 1;
	if (devices_get(&rxcost->devices, cpu->device, &device))
		return -ENOMEM;
	if (!device)
		return 0;
	return costs_add(device, &cpu->pair) ? -ENOMEM : costs_add(&rxcost->all, &cpu->pair);
}

/* Until now every pair was taken for a packet. */
static void on_first_receive(struct rxcost *rxcost)
{
	rxcost->report.receives_seen = true;
	costs_restart(&rxcost->all);
	for (unsigned i = 0; i < rxcost->devices.count; i++)
		costs_restart(rxcost->devices.entries[i].state);
}

/* The same packet comes again where a bridge or a bond passes it on. */
static void on_receive(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	if (EVENT_GET(RECEIVE, netif_rx, event->arg))
		return;
	if (!rxcost->report.receives_seen)
		on_first_receive(rxcost);
	if (!cpu->depth || (event->packet && event->packet == cpu->packet))
		return;
	cpu->packet = event->packet;
	cpu->len = event->len;
	cpu->pair.packets++;
}

/*
 * What a router received it sends on. The address alone doesn't tell: the memory of a packet that
 * was received is free by the time that its ACK needs some.
 */
static bool is_passed_on(const struct cpu *cpu, const struct event *start)
{
	return cpu->depth && start->packet && start->packet == cpu->packet &&
	       (start->len == cpu->len + ETHERNET_HEADER_BYTES ||
		       start->len == cpu->len + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES);
}

/* A device below another starts the same packet again. */
static int on_start(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	bool again = event->packet && event->packet == cpu->started;
	bool passed_on = is_passed_on(cpu, event);
	void *device;

	cpu->started = event->packet;
	if (again || passed_on || !is_ack(event))
		return 0;
	rxcost->report.acks_seen = true;
	if (cpu->depth) {
		cpu->pair.acks++;
		return 0;
	}
	if (devices_get(&rxcost->devices, event->device, &device))
		return -ENOMEM;
	if (!device)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		struct costs *costs = i ? &rxcost->all : device;

		costs->table.acks_in_softirq += cpu->in_softirq;
		costs->table.acks_elsewhere += !cpu->in_softirq;
	}
	return 0;
}

/* Receives don't reach across the end of a poll or a softirq: an end must be missing. */
static void close_all(struct rxcost *rxcost, struct cpu *cpu)
{
	rxcost->report.unpaired += cpu->depth;
	cpu->depth = 0;
}

static int on_cpu(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	switch (event->id) {
	case EVENT_RECEIVE_BEGIN:
		on_begin(rxcost, cpu, event);
		return 0;
	case EVENT_RECEIVE_END:
		return on_end(rxcost, cpu, event);
	case EVENT_RECEIVE:
		on_receive(rxcost, cpu, event);
		return 0;
	case EVENT_START_XMIT:
		return on_start(rxcost, cpu, event);
	case EVENT_IRQ_ENTRY:
		cpu->pair.irq = true;
		return 0;
	case EVENT_FREE:
		if (event->packet == cpu->started)
			cpu->started = 0;
		return 0;
	default:
		cpu->in_softirq = event->id == EVENT_SOFTIRQ_ENTRY ||
				  (event->id == EVENT_NAPI_POLL && cpu->in_softirq);
		close_all(rxcost, cpu);
		return 0;
	}
}

int rxcost_event(struct rxcost *rxcost, unsigned cpu, const struct event *event)
{
	struct cpu *state;

	switch (event->id) {
	case EVENT_RECEIVE_BEGIN:
	case EVENT_RECEIVE_END:
	case EVENT_RECEIVE:
	case EVENT_START_XMIT:
	case EVENT_FREE:
	case EVENT_IRQ_ENTRY:
	case EVENT_SOFTIRQ_ENTRY:
	case EVENT_SOFTIRQ_EXIT:
	case EVENT_NAPI_POLL:
		rxcost->report.used++;
		state = cpus_get(&rxcost->cpus, cpu);
		return state ? on_cpu(rxcost, state, event) : -ENOMEM;
	case EVENT_LOST:
		rxcost->report.used++;
		cpus_forget(&rxcost->cpus);
		return 0;
	default:
		return 0;
	}
}

int rxcost_finish(struct rxcost *rxcost, const struct rxcost_report **report)
{
	struct devices *devices = &rxcost->devices;

	*report = &rxcost->report;
	devices_sort(devices);
	rxcost->tables = calloc(devices->count + 1, sizeof(*rxcost->tables));
	if (!rxcost->tables || costs_sum_up(&rxcost->all, rxcost->hz))
		return -ENOMEM;
	rxcost->report.all = rxcost->all.table;
	for (unsigned i = 0; i < devices->count; i++) {
		struct costs *costs = devices->entries[i].state;

		if (costs_sum_up(costs, rxcost->hz))
			return -ENOMEM;
		costs->table.name = devices->entries[i].name;
		if (costs->table.pairs)
			rxcost->tables[rxcost->report.device_count++] = costs->table;
	}
	rxcost->report.devices = rxcost->tables;
	return 0;
}

void rxcost_destroy(struct rxcost *rxcost)
{
	if (!rxcost)
		return;
	for (unsigned i = 0; i < rxcost->devices.count; i++)
		costs_clear(rxcost->devices.entries[i].state);
	costs_clear(&rxcost->all);
	devices_clear(&rxcost->devices);
	cpus_clear(&rxcost->cpus);
	free(rxcost->tables);
	free(rxcost);
}
