/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline_softirq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 65535
/* A poll's own limit (NAPI_POLL_WEIGHT): where no end is seen, that many packets are one. */
#define PACKETS_WITHOUT_SOFTIRQ 64

int softirq_grow(struct timeline_item **items, size_t *room)
{
	size_t more = *room ? 2 * *room : 64;
	struct timeline_item *grown = realloc(*items, more * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*items = grown;
	*room = more;
	return 0;
}

/* See softirq_place. */
static uintptr_t place_written(uint64_t number)
{
	return (uintptr_t)(number + 1) << 1;
}

int softirq_end_packet(struct receiving *receiving, uintptr_t place, enum timeline_end how,
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

/* The device that an interrupt is named after ("eth0", "eth0-rx-1") is polled in the softirq. */
static bool is_polled(
	const struct timeline *timeline, const struct timeline_cpu *cpu, uint32_t irq_name)
{
	const char *irq = names_get(timeline->names, NAME_IRQ, irq_name);

	for (size_t i = cpu->items[0].causes + (size_t)1; irq && i < cpu->count; i++) {
		const char *device =
			cpu->items[i].kind == TIMELINE_POLL
				? names_get(timeline->names, NAME_DEVICE, cpu->items[i].device)
				: NULL;
		size_t bytes = device ? strlen(device) : 0;

		if (device && !strncmp(irq, device, bytes) &&
			(irq[bytes] == '\0' || irq[bytes] == '-'))
			return true;
	}
	return false;
}

/* Adds a cause of the next softirq at a place among them. */
static int insert_cause(struct timeline_cpu *cpu, size_t at, const struct timeline_item *item)
{
	int error = softirq_append(&cpu->causes, &cpu->cause_count, &cpu->cause_room, item);

	if (error)
		return error;
	memmove(cpu->causes + at + 1, cpu->causes + at,
		(cpu->cause_count - 1 - at) * sizeof(*cpu->causes));
	cpu->causes[at] = *item;
	return 0;
}

/* Interrupts that came when the softirq had begun, and too late for it, lead to the next one. */
static int pass_on(struct timeline *timeline, struct timeline_cpu *cpu, size_t *passed)
{
	struct timeline_item *head = cpu->items;
	size_t causes = head->causes, kept = 1;

	for (size_t i = 1; i <= causes; i++) {
		bool stays = !(head[i].kind == TIMELINE_IRQ && head[i].flags & TIMELINE_EARLY) ||
			     is_polled(timeline, cpu, head[i].name);

		head[i].flags &= (uint8_t)(head[i].kind == TIMELINE_IRQ ? ~TIMELINE_EARLY : ~0);
		if (stays)
			head[kept++] = head[i];
		else if (insert_cause(cpu, (*passed)++, &head[i]))
			return -ENOMEM;
	}
	if (!*passed)
		return 0;
	memmove(head + kept, head + causes + 1, (cpu->count - causes - 1) * sizeof(*head));
	head->causes = (uint16_t)(kept - 1);
	cpu->count -= *passed;
	return 0;
}

int softirq_write(struct timeline *timeline, unsigned number, uint64_t end, uint8_t flags)
{
	struct receiving *receiving = &timeline->receiving;
	struct timeline_cpu *cpu = receiving->cpus[number];
	struct timeline_item *head = cpu->items;
	size_t count, passed = 0;

	if (cpu->any_early && pass_on(timeline, cpu, &passed))
		return -ENOMEM;
	cpu->any_early = false;
	count = cpu->count;
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
		if (slot->value == softirq_place(number, i + passed))
			slot->value = place_written(receiving->journal.count + i);
	}
	return journal_append(&receiving->journal, head, count);
}

int softirq_begin(
	struct timeline_cpu *cpu, unsigned number, uint64_t time, uint8_t flags, uint32_t task)
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

	memset(cpu->of_kind, 0, sizeof(cpu->of_kind));
	return softirq_append(&cpu->items, &cpu->count, &cpu->room, &head);
}

int softirq_cut(struct timeline *timeline, unsigned number)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];

	if (!cpu->count)
		return 0;
	return softirq_write(
		timeline, number, TIMELINE_UNKNOWN, softirq_is_running(cpu) ? TIMELINE_NO_EXIT : 0);
}

/* Has what is running no room for the item? The poll that ends its packets belongs to them. */
static bool is_full(const struct timeline_cpu *cpu, const struct timeline_item *item)
{
	if (softirq_is_running(cpu))
		return cpu->count > ITEMS_MAX;
	return cpu->count && item->kind != TIMELINE_POLL &&
	       cpu->of_kind[item->kind] >= PACKETS_WITHOUT_SOFTIRQ;
}

int softirq_add(struct timeline *timeline, unsigned number, const struct timeline_item *item)
{
	struct timeline_cpu *cpu = timeline->receiving.cpus[number];
	uint8_t flags = TIMELINE_NO_SOFTIRQ;
	uint64_t time = item->time;
	uint32_t task = 0;
	int error = 0;

	if (is_full(cpu, item)) {
		if (softirq_is_running(cpu)) {
			flags = TIMELINE_CONTINUED;
			time = cpu->items[0].time;
			task = cpu->items[0].name;
		}
		error = softirq_cut(timeline, number);
	}
	if (!error && !cpu->count)
		error = softirq_begin(cpu, number, time, flags, task);
	cpu->of_kind[item->kind]++;
	return error ? error : softirq_append(&cpu->items, &cpu->count, &cpu->room, item);
}

/* A head and its items were appended together. */
const struct timeline_item *timeline_next_softirq(struct timeline *timeline, int *error)
{
	struct journal *journal = &timeline->receiving.journal;
	const void *records;
	size_t count;

	*error = journal_look(journal, 1, &records);
	if (!records)
		return NULL;
	count = 1 + (size_t)((const struct timeline_item *)records)->len;
	*error = journal_look(journal, count, &records);
	journal_take(journal, count);
	return records;
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
	addresses_clear(&receiving->packets);
	journal_destroy(&receiving->journal);
}
