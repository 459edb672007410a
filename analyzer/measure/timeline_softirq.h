/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CPUs receive at the moment, and where its items go: for timeline_receive.c. Functions return
 * 0 or a negative errno where nothing else is said.
 */
#ifndef ANALYZER_MEASURE_TIMELINE_SOFTIRQ_H
#define ANALYZER_MEASURE_TIMELINE_SOFTIRQ_H

#include "timeline_impl.h"

#include <errno.h>

#define TIMELINE_IRQ_DEPTH 8 /* of interrupts in interrupts that are told apart */

struct timeline_irq {
	uint64_t time;
	uint32_t number, name;
	bool is_cause;
};

struct timeline_cpu {
	struct timeline_irq irqs[TIMELINE_IRQ_DEPTH]; /* that are running */
	unsigned irq_count;                           /* may be more */
	struct timeline_item *items; /* of the softirq that is running; the first is its head */
	size_t count, room;          /* 0: none is running */
	uint32_t of_kind[TIMELINE_POLL + 1]; /* of them, without the causes */
	bool any_early;                      /* a cause of them came when it had begun */
	struct timeline_item *causes;
	size_t cause_count, cause_room;
};

/* Of an interrupt among a softirq's causes: it came when the softirq had begun. */
#define TIMELINE_EARLY 1

/* A softirq runs, and not a poll without one. */
static inline bool softirq_is_running(const struct timeline_cpu *cpu)
{
	return cpu->count && !(cpu->items[0].flags & TIMELINE_NO_SOFTIRQ);
}

/* Makes room for more; for softirq_append. */
int softirq_grow(struct timeline_item **items, size_t *room);

/* Adds an item to a list that grows. */
static inline int softirq_append(
	struct timeline_item **items, size_t *count, size_t *room, const struct timeline_item *item)
{
	if (*count == *room && softirq_grow(items, room))
		return -ENOMEM;
	(*items)[(*count)++] = *item;
	return 0;
}

/* Begins a softirq, or what has `flags` in its head, on a CPU where nothing runs. */
int softirq_begin(
	struct timeline_cpu *cpu, unsigned number, uint64_t time, uint8_t flags, uint32_t task);

/* Adds an item to what is running on the CPU, which begins with it if nothing is. */
int softirq_add(struct timeline *timeline, unsigned number, const struct timeline_item *item);

/* What is running has ended: from the CPU into the journal. */
int softirq_write(struct timeline *timeline, unsigned number, uint64_t end, uint8_t flags);

/* Closes what is running, if anything is, as far as it was seen. */
int softirq_cut(struct timeline *timeline, unsigned number);

/*
 * Where an item of what is running is, for receiving.packets: an odd number. (An even one, and not
 * 0, is a place in the journal.)
 */
static inline uintptr_t softirq_place(unsigned cpu, size_t index)
{
	return (uintptr_t)cpu << 32 | (uintptr_t)index << 1 | 1;
}

/* Enters how a packet ended, wherever its item is. */
int softirq_end_packet(struct receiving *receiving, uintptr_t place, enum timeline_end how,
	uint64_t time, uint32_t name);

#endif
