/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Received packets, by the softirq in which they arrive.
 *
 * An interrupt that raises NET_RX is a cause of the next softirq that begins on its CPU. One that
 * is running has taken its list of devices when it began (net_rx_action, net/core/dev.c), so it is
 * not this one's, even if the interrupt comes in its midst. Only between the softirq's entry event
 * and that moment an interrupt is in time for it. Nobody sees the moment; that it was in time shows
 * in its device being polled.
 */
#include "timeline_softirq.h"

#include <stdlib.h>
#include <string.h>

#define CAUSES_MAX 1024 /* netdev_max_backlog is 1000 */

static int add_cause(
	struct timeline *timeline, struct timeline_cpu *cpu, const struct timeline_item *item)
{
	if (cpu->cause_count >= CAUSES_MAX) {
		timeline->counts.causes_dropped++;
		return 0;
	}
	return softirq_append(&cpu->causes, &cpu->cause_count, &cpu->cause_room, item);
}

/* A softirq that has just begun, of which nothing has been seen but its causes. */
static bool has_just_begun(const struct timeline_cpu *cpu)
{
	return softirq_is_running(cpu) && cpu->count == cpu->items[0].causes + (size_t)1;
}

/*
 * The interrupt that is running leads to the next softirq; in one that has just begun it stands
 * until that one's polls have shown whether it does.
 */
static int add_irq(struct timeline *timeline, struct timeline_cpu *cpu)
{
	struct timeline_irq *irq = &cpu->irqs[cpu->irq_count - 1];
	struct timeline_item item = {
		.time = irq->time,
		.what = irq->number,
		.kind = TIMELINE_IRQ,
		.device = EVENT_NO_DEVICE,
		.end = TIMELINE_UNKNOWN,
		.name = irq->name,
	};

	if (irq->is_cause)
		return 0;
	irq->is_cause = true;
	if (!has_just_begun(cpu) || cpu->items[0].causes >= CAUSES_MAX)
		return add_cause(timeline, cpu, &item);
	item.flags = TIMELINE_EARLY;
	cpu->any_early = true;
	cpu->items[0].causes++;
	return softirq_append(&cpu->items, &cpu->count, &cpu->room, &item);
}

static bool in_irq(const struct timeline_cpu *cpu)
{
	return cpu->irq_count && cpu->irq_count <= TIMELINE_IRQ_DEPTH;
}

static int on_irq_entry(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];

	if (cpu->irq_count++ < TIMELINE_IRQ_DEPTH)
		cpu->irqs[cpu->irq_count - 1] = (struct timeline_irq){
			.time = event->time,
			.number = (uint32_t)EVENT_GET(IRQ_ENTRY, irq, event->arg),
			.name = (uint32_t)EVENT_GET(IRQ_ENTRY, name, event->arg),
		};
	return 0;
}

/* Those above the one that ends have ended unseen; one that isn't there began before the trace. */
static int on_irq_exit(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	uint32_t irq = (uint32_t)EVENT_GET(IRQ_EXIT, irq, event->arg);

	if (cpu->irq_count > TIMELINE_IRQ_DEPTH) {
		cpu->irq_count--;
		return 0;
	}
	for (unsigned i = cpu->irq_count; i-- > 0;) {
		if (cpu->irqs[i].number == irq) {
			cpu->irq_count = i;
			break;
		}
	}
	return 0;
}

static int on_raise(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	struct timeline_item raise = {
		.time = event->time,
		.kind = TIMELINE_RAISE,
		.device = EVENT_NO_DEVICE,
		.end = TIMELINE_UNKNOWN,
		.flags = softirq_is_running(cpu),
	};

	if (EVENT_GET(SOFTIRQ_RAISE, vec, event->arg) != EVENT_VEC_NET_RX)
		return 0;
	if (in_irq(cpu))
		return add_irq(timeline, cpu);
	/* it is raised already: once more says nothing new */
	for (size_t i = cpu->cause_count; i-- > 0;) {
		if (cpu->causes[i].kind == TIMELINE_RAISE)
			return 0;
	}
	return add_cause(timeline, cpu, &raise);
}

static int on_softirq_entry(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	int error;

	if (EVENT_GET(SOFTIRQ_ENTRY, vec, event->arg) != EVENT_VEC_NET_RX)
		return 0;
	error = softirq_cut(timeline, number);
	if (!error)
		error = softirq_begin(cpu, number, event->time, 0, event_task(event));
	if (error)
		return error;
	cpu->items[0].causes = (uint16_t)cpu->cause_count;
	for (size_t i = 0; i < cpu->cause_count && !error; i++)
		error = softirq_append(&cpu->items, &cpu->count, &cpu->room, &cpu->causes[i]);
	cpu->cause_count = 0;
	return error;
}

static int on_softirq_exit(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];

	if (EVENT_GET(SOFTIRQ_EXIT, vec, event->arg) != EVENT_VEC_NET_RX || !cpu->count)
		return 0;
	return softirq_write(timeline, number, event->time, 0);
}

static int on_poll(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	int error = softirq_add(timeline, number,
		&(struct timeline_item){
			.time = event->time,
			.what = event->arg,
			.kind = TIMELINE_POLL,
			.device = event->device,
			.end = TIMELINE_UNKNOWN,
		});

	if (error || softirq_is_running(cpu))
		return error;
	cpu->items[0].name = event_task(event);
	return softirq_write(timeline, number, event->time, 0);
}

static struct timeline_item packet_item(const struct event *event, enum timeline_kind kind)
{
	return (struct timeline_item){
		.time = event->time,
		.what = event->packet,
		.len = event->len,
		.kind = (uint8_t)kind,
		.device = event->device,
		.end = TIMELINE_UNKNOWN,
	};
}

static int on_netif_rx(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	struct timeline_item item = packet_item(event, TIMELINE_NETIF_RX);
	int error = 0;

	if (!in_irq(cpu) && softirq_is_running(cpu))
		return softirq_add(timeline, number, &item);
	if (in_irq(cpu))
		error = add_irq(timeline, cpu);
	return error ? error : add_cause(timeline, cpu, &item);
}

static int on_received(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct receiving *receiving = &timeline->receiving;
	struct timeline_item item = packet_item(event, TIMELINE_RECEIVE);
	struct address_slot *slot;
	uintptr_t place;
	int error;

	error = addresses_reserve(&receiving->packets);
	if (!error)
		error = softirq_add(timeline, number, &item);
	if (error)
		return error;
	place = softirq_place(number, receiving->cpus[number]->count - 1);
	slot = addresses_slot(&receiving->packets, event->packet);
	if (!slot->value) {
		addresses_enter(&receiving->packets, slot, event->packet, place);
		return 0;
	}
	error = softirq_end_packet(
		receiving, slot->value, TIMELINE_UNRESOLVED, TIMELINE_UNKNOWN, 0);
	slot->value = place;
	return error;
}

/* A packet is copied or freed, or its address is another packet's now. */
static int on_end(
	struct timeline *timeline, const struct event *event, enum timeline_end how, uint32_t name)
{
	struct receiving *receiving = &timeline->receiving;
	struct address_slot *slot;
	uintptr_t place;

	if (!receiving->packets.used)
		return 0;
	slot = addresses_slot(&receiving->packets, event->packet);
	place = slot->value;
	if (!place)
		return 0;
	addresses_remove(&receiving->packets, slot);
	return softirq_end_packet(receiving, place, how,
		how == TIMELINE_UNRESOLVED ? TIMELINE_UNKNOWN : event->time, name);
}

/* Nothing pairs across a gap. */
static int on_lost(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct receiving *receiving = &timeline->receiving;
	struct addresses *packets = &receiving->packets;

	(void)number;
	(void)event;
	for (size_t i = 0; packets->slots && i <= packets->mask; i++) {
		int error = packets->slots[i].value
				    ? softirq_end_packet(receiving, packets->slots[i].value,
					      TIMELINE_UNRESOLVED, TIMELINE_UNKNOWN, 0)
				    : 0;

		if (error)
			return error;
	}
	addresses_clear(packets);
	for (unsigned i = 0; i < receiving->cpu_room; i++) {
		int error = receiving->cpus[i] ? softirq_cut(timeline, i) : 0;

		if (error)
			return error;
		if (receiving->cpus[i]) {
			receiving->cpus[i]->irq_count = 0;
			receiving->cpus[i]->cause_count = 0;
		}
	}
	return 0;
}

static int on_receive(struct timeline *timeline, unsigned number, const struct event *event)
{
	return EVENT_GET(RECEIVE, netif_rx, event->arg) ? on_netif_rx(timeline, number, event)
							: on_received(timeline, number, event);
}

static int on_begin(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_item item = packet_item(event, TIMELINE_BEGIN);

	return softirq_add(timeline, number, &item);
}

static int on_free(struct timeline *timeline, unsigned number, const struct event *event)
{
	uint32_t reason = (uint32_t)EVENT_GET(FREE, reason, event->arg);

	(void)number;
	return on_end(timeline, event, reason ? TIMELINE_DROPPED : TIMELINE_FREED, reason);
}

static int on_copy(struct timeline *timeline, unsigned number, const struct event *event)
{
	(void)number;
	return on_end(timeline, event, TIMELINE_COPIED, event_task(event));
}

/* Nobody has seen how the received packet ended whose address it was. */
static int on_sent(struct timeline *timeline, unsigned number, const struct event *event)
{
	(void)number;
	return on_end(timeline, event, TIMELINE_UNRESOLVED, 0);
}

int receiving_new_cpu(struct receiving *receiving, unsigned cpu)
{
	if (cpu >= receiving->cpu_room) {
		unsigned room = receiving->cpu_room ? receiving->cpu_room : 8;
		struct timeline_cpu **cpus;

		while (room <= cpu)
			room *= 2;
		cpus = realloc(receiving->cpus, room * sizeof(struct timeline_cpu *));
		if (!cpus)
			return -ENOMEM;
		memset(cpus + receiving->cpu_room, 0,
			(room - receiving->cpu_room) * sizeof(struct timeline_cpu *));
		receiving->cpus = cpus;
		receiving->cpu_room = room;
	}
	receiving->cpus[cpu] = calloc(1, sizeof(struct timeline_cpu));
	return receiving->cpus[cpu] ? 0 : -ENOMEM;
}

receiving_handler *const receiving_handlers[EVENT_ID_COUNT] = {
	[EVENT_QUEUE] = on_sent,
	[EVENT_START_XMIT] = on_sent,
	[EVENT_FREE] = on_free,
	[EVENT_COPY] = on_copy,
	[EVENT_IRQ_ENTRY] = on_irq_entry,
	[EVENT_IRQ_EXIT] = on_irq_exit,
	[EVENT_SOFTIRQ_RAISE] = on_raise,
	[EVENT_SOFTIRQ_ENTRY] = on_softirq_entry,
	[EVENT_SOFTIRQ_EXIT] = on_softirq_exit,
	[EVENT_NAPI_POLL] = on_poll,
	[EVENT_RECEIVE_BEGIN] = on_begin,
	[EVENT_RECEIVE] = on_receive,
	[EVENT_LOST] = on_lost,
};

int receiving_finish(struct timeline *timeline)
{
	struct receiving *receiving = &timeline->receiving;
	int error = 0;

	for (unsigned i = 0; i < receiving->cpu_room && !error; i++) {
		if (!receiving->cpus[i])
			continue;
		error = softirq_cut(timeline, i);
		timeline->counts.causes_dropped += receiving->cpus[i]->cause_count;
	}
	return error;
}
