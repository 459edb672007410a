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
	uint64_t started;     /* address of the packet that was started last */
	uint32_t started_len; /* and its length */
	uint8_t top;          /* and the device, the first of several */
	bool in_softirq;
};

struct rxcost {
	uint64_t hz;
	struct cpus cpus;
	struct devices devices;
	struct costs all;
	struct histogram writing; /* from begins to the first netif_receive_skb behind them */
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

/* ACKs that left outside of pairs. 0 or -ENOMEM. */
static int add_outside(struct rxcost *rxcost, const struct cpu *cpu, uint8_t number, uint32_t acks)
{
	void *device;

	if (!acks)
		return 0;
	if (devices_get(&rxcost->devices, number, &device))
		return -ENOMEM;
	if (!device)
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		struct costs *costs = i ? &rxcost->all : device;

		costs->table.acks_in_softirq += cpu->in_softirq ? acks : 0;
		costs->table.acks_elsewhere += cpu->in_softirq ? 0 : acks;
	}
	return 0;
}

/* The end of what is open is missing. Its ACKs are in no pair, but none of them is lost. */
static int close_all(struct rxcost *rxcost, struct cpu *cpu)
{
	uint32_t acks = cpu->depth ? cpu->pair.acks : 0;

	rxcost->report.unpaired += cpu->depth;
	cpu->depth = 0;
	return add_outside(rxcost, cpu, cpu->device, acks);
}

static int on_begin(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	if (cpu->depth == NESTED_MOST && close_all(rxcost, cpu))
		return -ENOMEM;
	if (cpu->depth++) {
		rxcost->report.nested++;
		return 0;
	}
	cpu->device = event->device;
	cpu->began = event->time;
	cpu->packet = cpu->started = 0;
	cpu->len = event->len;
	cpu->pair = (struct pair){ .data = event->len > ACK_BYTES_MOST };
	return 0;
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
static int on_receive(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	if (EVENT_GET(RECEIVE, netif_rx, event->arg))
		return 0;
	if (!rxcost->report.receives_seen)
		on_first_receive(rxcost);
	if (!cpu->depth || (event->packet && event->packet == cpu->packet))
		return 0;
	cpu->packet = event->packet;
	cpu->len = event->len;
	if (cpu->pair.packets++ || cpu->depth > 1)
		return 0;
	return histogram_add(&rxcost->writing, event->time - cpu->began);
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

/*
 * A device below another starts the same packet again, which has become no shorter. A packet of the
 * same address that is shorter, or begins at the top, is a new one: the memory of the last was free
 * by then.
 */
static bool is_started_again(struct cpu *cpu, const struct event *start)
{
	if (start->packet && start->packet == cpu->started && start->device != cpu->top &&
		start->len >= cpu->started_len)
		return true;
	cpu->started = start->packet;
	cpu->started_len = start->len;
	cpu->top = start->device;
	return false;
}

static int on_start(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	if (is_started_again(cpu, event) || is_passed_on(cpu, event) || !is_ack(event))
		return 0;
	rxcost->report.acks_seen = true;
	if (!cpu->depth)
		return add_outside(rxcost, cpu, event->device, 1);
	cpu->pair.acks++;
	return 0;
}

/* No pair reaches across a poll's end, or a softirq's begin or end. */
static int on_context(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	int error = close_all(rxcost, cpu);

	rxcost->report.softirqs_seen |= event->id == EVENT_SOFTIRQ_ENTRY;
	cpu->in_softirq = event->id == EVENT_SOFTIRQ_ENTRY ||
			  (event->id == EVENT_NAPI_POLL && cpu->in_softirq);
	return error;
}

static int on_cpu(struct rxcost *rxcost, struct cpu *cpu, const struct event *event)
{
	switch (event->id) {
	case EVENT_RECEIVE_BEGIN:
		return on_begin(rxcost, cpu, event);
	case EVENT_RECEIVE_END:
		return on_end(rxcost, cpu, event);
	case EVENT_RECEIVE:
		return on_receive(rxcost, cpu, event);
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
		return on_context(rxcost, cpu, event);
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
	for (unsigned i = 0; i < rxcost->cpus.room; i++) {
		struct cpu *cpu = rxcost->cpus.states[i];

		if (cpu && close_all(rxcost, cpu))
			return -ENOMEM;
	}
	rxcost->report.writing = histogram_percentile(&rxcost->writing, 0.5);
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
	histogram_clear(&rxcost->writing);
	devices_clear(&rxcost->devices);
	cpus_clear(&rxcost->cpus);
	free(rxcost->tables);
	free(rxcost);
}
