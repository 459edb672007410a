/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Received packets, by the softirq in which they arrive.
 *
 * An interrupt that raises NET_RX is a cause of the next softirq that begins on its CPU. The one
 * that is running has taken its list of devices when it began, so it is not this one's, even if the
 * interrupt comes in its midst.
 */
#include "timeline_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IRQ_DEPTH  8    /* of interrupts in interrupts that are told apart */
#define CAUSES_MAX 1024 /* netdev_max_backlog is 1000 */
#define ITEMS_MAX  65535
/* A poll's own limit (NAPI_POLL_WEIGHT): where no end is seen, that many packets are one. */
#define ITEMS_WITHOUT_SOFTIRQ 64

struct irq {
	uint64_t time;
	uint32_t number, name;
	bool is_cause;
};

struct timeline_cpu {
	struct irq irqs[IRQ_DEPTH];  /* that are running */
	unsigned irq_count;          /* may be more */
	struct timeline_item *items; /* of the softirq that is running; the first is its head */
	size_t count, room;          /* 0: none is running */
	struct timeline_item *causes;
	size_t cause_count, cause_room;
};

static int add(
	struct timeline_item **items, size_t *count, size_t *room, const struct timeline_item *item)
{
	if (*count == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct timeline_item *grown = realloc(*items, more * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*items = grown;
		*room = more;
	}
	(*items)[(*count)++] = *item;
	return 0;
}

static struct timeline_cpu *cpu_of(struct receiving *receiving, unsigned cpu)
{
	if (cpu >= receiving->cpu_room) {
		unsigned room = receiving->cpu_room ? receiving->cpu_room : 8;
		struct timeline_cpu **cpus;

		while (room <= cpu)
			room *= 2;
		cpus = realloc(receiving->cpus, room * sizeof(struct timeline_cpu *));
		if (!cpus)
			return NULL;
		memset(cpus + receiving->cpu_room, 0,
			(room - receiving->cpu_room) * sizeof(struct timeline_cpu *));
		receiving->cpus = cpus;
		receiving->cpu_room = room;
	}
	if (!receiving->cpus[cpu])
		receiving->cpus[cpu] = calloc(1, sizeof(struct timeline_cpu));
	return receiving->cpus[cpu];
}

/*
 * Where the item of an open packet is: in a running softirq, as an odd number, or in the journal,
 * as an even one. Neither is 0.
 */
static uintptr_t place_running(unsigned cpu, size_t index)
{
	return (uintptr_t)cpu << 32 | (uintptr_t)index << 1 | 1;
}

static uintptr_t place_written(uint64_t number)
{
	return (uintptr_t)(number + 1) << 1;
}

/* Enters how a packet ended, wherever its item is. 0 or a negative errno. */
static int end_item(struct receiving *receiving, uintptr_t place, enum timeline_end how,
	uint64_t time, uint32_t name)
{
	const size_t at = offsetof(struct timeline_item, end);
	struct timeline_item item = { .end = time, .name = name, .how = (uint8_t)how };

	if (place & 1) {
		struct timeline_item *running =
			&receiving->cpus[place >> 32]->items[(place & UINT32_MAX) >> 1];

		running->end = time;
		running->name = name;
		running->how = (uint8_t)how;
		return 0;
	}
	return journal_change(&receiving->journal, (place >> 1) - 1, at,
		(const unsigned char *)&item + at, sizeof(item) - at);
}

/* The softirq has ended: from the CPU into the journal. */
static int write_softirq(struct timeline *timeline, unsigned number, uint64_t end, uint16_t flags)
{
	struct receiving *receiving = &timeline->receiving;
	struct timeline_cpu *cpu = receiving->cpus[number];
	struct timeline_item *head = cpu->items;
	size_t count = cpu->count;

	cpu->count = 0;
	if (count == 1) {
		timeline->counts.empty_softirqs++;
		return 0;
	}
	head->end = end;
	head->flags |= flags;
	head->len = (uint32_t)count - 1;
	for (size_t i = 1; i < count; i++) {
		struct address_slot *slot;

		if (head[i].kind != TIMELINE_RECEIVE || head[i].how != TIMELINE_OPEN)
			continue;
		slot = addresses_slot(&receiving->packets, head[i].what);
		if (slot->value == place_running(number, i))
			slot->value = place_written(receiving->journal.count + i);
	}
	return journal_append(&receiving->journal, head, count);
}

static int begin(
	struct timeline_cpu *cpu, unsigned number, uint64_t time, uint16_t flags, uint32_t task)
{
	struct timeline_item head = {
		.time = time,
		.what = number,
		.kind = TIMELINE_SOFTIRQ,
		.device = EVENT_NO_DEVICE,
		.flags = flags,
		.end = TIMELINE_UNKNOWN,
		.name = task,
	};

	return add(&cpu->items, &cpu->count, &cpu->room, &head);
}

static bool in_softirq(const struct timeline_cpu *cpu)
{
	return cpu->count && !(cpu->items[0].flags & TIMELINE_NO_SOFTIRQ);
}

/* Closes what is running, if anything is, as far as it was seen. */
static int cut(struct timeline *timeline, unsigned number)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];

	if (!cpu->count)
		return 0;
	return write_softirq(
		timeline, number, TIMELINE_UNKNOWN, in_softirq(cpu) ? TIMELINE_NO_EXIT : 0);
}

/* Adds an item to what is running on the CPU, which begins with it if nothing is. */
static int add_item(struct timeline *timeline, unsigned number, const struct timeline_item *item)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	uint16_t flags = TIMELINE_NO_SOFTIRQ;
	uint64_t time = item->time;
	uint32_t task = 0;
	int error = 0;

	if (cpu->count > (in_softirq(cpu) ? ITEMS_MAX : ITEMS_WITHOUT_SOFTIRQ)) {
		if (in_softirq(cpu)) {
			flags = TIMELINE_CONTINUED;
			time = cpu->items[0].time;
			task = cpu->items[0].name;
		}
		error = cut(timeline, number);
	}
	if (!error && !cpu->count)
		error = begin(cpu, number, time, flags, task);
	return error ? error : add(&cpu->items, &cpu->count, &cpu->room, item);
}

static int add_cause(
	struct timeline *timeline, struct timeline_cpu *cpu, const struct timeline_item *item)
{
	if (cpu->cause_count >= CAUSES_MAX) {
		timeline->counts.causes_dropped++;
		return 0;
	}
	return add(&cpu->causes, &cpu->cause_count, &cpu->cause_room, item);
}

/* The interrupt that is running leads to the next softirq. */
static int add_irq(struct timeline *timeline, struct timeline_cpu *cpu)
{
	struct irq *irq = &cpu->irqs[cpu->irq_count - 1];

	if (irq->is_cause)
		return 0;
	irq->is_cause = true;
	return add_cause(timeline, cpu,
		&(struct timeline_item){
			.time = irq->time,
			.what = irq->number,
			.kind = TIMELINE_IRQ,
			.device = EVENT_NO_DEVICE,
			.end = TIMELINE_UNKNOWN,
			.name = irq->name,
		});
}

static bool in_irq(const struct timeline_cpu *cpu)
{
	return cpu->irq_count && cpu->irq_count <= IRQ_DEPTH;
}

static void on_irq_entry(struct timeline_cpu *cpu, const struct event *event)
{
	if (cpu->irq_count++ < IRQ_DEPTH)
		cpu->irqs[cpu->irq_count - 1] = (struct irq){
			.time = event->time,
			.number = (uint32_t)EVENT_GET(IRQ_ENTRY, irq, event->arg),
			.name = (uint32_t)EVENT_GET(IRQ_ENTRY, name, event->arg),
		};
}

/* Those above the one that ends have ended unseen; one that isn't there began before the trace. */
static void on_irq_exit(struct timeline_cpu *cpu, const struct event *event)
{
	uint32_t number = (uint32_t)EVENT_GET(IRQ_EXIT, irq, event->arg);

	if (cpu->irq_count > IRQ_DEPTH) {
		cpu->irq_count--;
		return;
	}
	for (unsigned i = cpu->irq_count; i-- > 0;) {
		if (cpu->irqs[i].number == number) {
			cpu->irq_count = i;
			return;
		}
	}
}

static int on_raise(struct timeline *timeline, struct timeline_cpu *cpu, const struct event *event)
{
	struct timeline_item raise = {
		.time = event->time,
		.kind = TIMELINE_RAISE,
		.device = EVENT_NO_DEVICE,
		.end = TIMELINE_UNKNOWN,
		.flags = in_softirq(cpu),
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
	uint32_t task = (uint32_t)EVENT_GET(SOFTIRQ_ENTRY, task, event->arg);
	int error;

	if (EVENT_GET(SOFTIRQ_ENTRY, vec, event->arg) != EVENT_VEC_NET_RX)
		return 0;
	error = cut(timeline, number);
	if (!error)
		error = begin(cpu, number, event->time, 0, task);
	if (error)
		return error;
	cpu->items[0].causes = (uint16_t)cpu->cause_count;
	for (size_t i = 0; i < cpu->cause_count && !error; i++)
		error = add(&cpu->items, &cpu->count, &cpu->room, &cpu->causes[i]);
	cpu->cause_count = 0;
	return error;
}

static int on_softirq_exit(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];

	if (EVENT_GET(SOFTIRQ_EXIT, vec, event->arg) != EVENT_VEC_NET_RX || !cpu->count)
		return 0;
	return write_softirq(timeline, number, event->time, 0);
}

static int on_poll(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	int error = add_item(timeline, number,
		&(struct timeline_item){
			.time = event->time,
			.what = event->arg,
			.kind = TIMELINE_POLL,
			.device = event->device,
			.end = TIMELINE_UNKNOWN,
		});

	if (error || in_softirq(cpu))
		return error;
	return write_softirq(timeline, number, event->time, 0);
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

	if (!in_irq(cpu) && in_softirq(cpu))
		return add_item(timeline, number, &item);
	if (in_irq(cpu))
		error = add_irq(timeline, cpu);
	return error ? error : add_cause(timeline, cpu, &item);
}

static int on_receive(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct receiving *receiving = &timeline->receiving;
	struct timeline_item item = packet_item(event, TIMELINE_RECEIVE);
	struct address_slot *slot;
	uintptr_t place;
	int error;

	error = addresses_reserve(&receiving->packets);
	if (!error)
		error = add_item(timeline, number, &item);
	if (error)
		return error;
	place = place_running(number, receiving->cpus[number]->count - 1);
	slot = addresses_slot(&receiving->packets, event->packet);
	if (!slot->value) {
		addresses_enter(&receiving->packets, slot, event->packet, place);
		return 0;
	}
	error = end_item(receiving, slot->value, TIMELINE_UNRESOLVED, TIMELINE_UNKNOWN, 0);
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
	return end_item(receiving, place, how,
		how == TIMELINE_UNRESOLVED ? TIMELINE_UNKNOWN : event->time, name);
}

/* Nothing pairs across a gap. */
static int on_lost(struct timeline *timeline)
{
	struct receiving *receiving = &timeline->receiving;
	struct addresses *packets = &receiving->packets;

	for (size_t i = 0; packets->slots && i <= packets->mask; i++) {
		int error = packets->slots[i].value
				    ? end_item(receiving, packets->slots[i].value,
					      TIMELINE_UNRESOLVED, TIMELINE_UNKNOWN, 0)
				    : 0;

		if (error)
			return error;
	}
	addresses_clear(packets);
	for (unsigned i = 0; i < receiving->cpu_room; i++) {
		int error = receiving->cpus[i] ? cut(timeline, i) : 0;

		if (error)
			return error;
		if (receiving->cpus[i]) {
			receiving->cpus[i]->irq_count = 0;
			receiving->cpus[i]->cause_count = 0;
		}
	}
	return 0;
}

static int on_free(struct timeline *timeline, const struct event *event)
{
	uint32_t reason = (uint32_t)EVENT_GET(FREE, reason, event->arg);

	return on_end(timeline, event, reason ? TIMELINE_DROPPED : TIMELINE_FREED, reason);
}

int receiving_event(struct timeline *timeline, unsigned number, const struct event *event)
{
	struct timeline_item item;
	struct timeline_cpu *cpu;

	number %= TIMELINE_CPUS;
	if (event->id == EVENT_FREE) /* the commonest, and no CPU's business */
		return on_free(timeline, event);
	cpu = cpu_of(&timeline->receiving, number);
	if (!cpu)
		return -ENOMEM;
	switch (event->id) {
	case EVENT_QUEUE: /* nobody has seen how the received packet ended whose address it was */
	case EVENT_START_XMIT:
		return on_end(timeline, event, TIMELINE_UNRESOLVED, 0);
	case EVENT_COPY:
		return on_end(timeline, event, TIMELINE_COPIED,
			(uint32_t)EVENT_GET(COPY, task, event->arg));
	case EVENT_IRQ_ENTRY:
		on_irq_entry(cpu, event);
		return 0;
	case EVENT_IRQ_EXIT:
		on_irq_exit(cpu, event);
		return 0;
	case EVENT_SOFTIRQ_RAISE:
		return on_raise(timeline, cpu, event);
	case EVENT_SOFTIRQ_ENTRY:
		return on_softirq_entry(timeline, number, event);
	case EVENT_SOFTIRQ_EXIT:
		return on_softirq_exit(timeline, number, event);
	case EVENT_NAPI_POLL:
		return on_poll(timeline, number, event);
	case EVENT_RECEIVE_BEGIN:
		item = packet_item(event, TIMELINE_BEGIN);
		return add_item(timeline, number, &item);
	case EVENT_RECEIVE:
		if (EVENT_GET(RECEIVE, netif_rx, event->arg))
			return on_netif_rx(timeline, number, event);
		return on_receive(timeline, number, event);
	case EVENT_LOST:
		return on_lost(timeline);
	default:
		return 0;
	}
}

int receiving_finish(struct timeline *timeline)
{
	struct receiving *receiving = &timeline->receiving;
	int error = 0;

	for (unsigned i = 0; i < receiving->cpu_room && !error; i++) {
		if (!receiving->cpus[i])
			continue;
		error = cut(timeline, i);
		timeline->counts.causes_dropped += receiving->cpus[i]->cause_count;
	}
	return error;
}

/* 1, or 0 at the end: heads and items are written together. Else a negative errno. */
static int read_items(struct receiving *receiving, size_t from, size_t count)
{
	ptrdiff_t read;

	if (from + count > receiving->room) {
		size_t room = 2 * (from + count);
		struct timeline_item *grown = realloc(receiving->handed_out, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		receiving->handed_out = grown;
		receiving->room = room;
	}
	read = journal_read(&receiving->journal, receiving->handed_out + from, count);
	if (read < 0)
		return (int)read;
	return (size_t)read == count;
}

const struct timeline_item *timeline_next_softirq(struct timeline *timeline, int *error)
{
	struct receiving *receiving = &timeline->receiving;
	int found = read_items(receiving, 0, 1);

	if (found > 0)
		found = read_items(receiving, 1, receiving->handed_out[0].len);
	*error = found < 0 ? found : 0;
	return found > 0 ? receiving->handed_out : NULL;
}

void receiving_destroy(struct receiving *receiving)
{
	for (unsigned i = 0; i < receiving->cpu_room; i++) {
		if (receiving->cpus[i]) {
			free(receiving->cpus[i]->items);
			free(receiving->cpus[i]->causes);
		}
		free(receiving->cpus[i]);
	}
	free(receiving->cpus);
	free(receiving->handed_out);
	addresses_clear(&receiving->packets);
	journal_destroy(&receiving->journal);
}
