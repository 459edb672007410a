/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_PASSAGES 256
#define SLOTS_AT_FIRST 256

/* Passages come from blocks, so that one costs no call of malloc. */
struct passage_block {
	struct passage_block *next;
	struct passage passages[BLOCK_PASSAGES];
};

static struct passage *take_spare(struct packets *packets)
{
	struct passage *passage = packets->spare;
	struct passage_block *block;

	if (passage) {
		packets->spare = passage->next;
		return passage;
	}
	block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	block->next = packets->blocks;
	packets->blocks = block;
	for (int i = BLOCK_PASSAGES - 1; i > 0; i--) {
		block->passages[i].next = packets->spare;
		packets->spare = &block->passages[i];
	}
	return &block->passages[0];
}

/* The slot of the packet, or the free one where it belongs. */
static struct packet_slot *find_slot(const struct packets *packets, uint64_t packet)
{
	size_t i = packets_hash(packets, packet);

	while (packets->slots[i].passages && packets->slots[i].packet != packet)
		i = (i + 1) & packets->mask;
	return &packets->slots[i];
}

/* At most half of the slots are in use, so that a search ends after a step or two. */
static int reserve_slot(struct packets *packets)
{
	struct packet_slot *old = packets->slots;
	size_t count = old ? packets->mask + 1 : 0;
	size_t new_count = old ? 2 * count : SLOTS_AT_FIRST;

	if (2 * (packets->used + 1) <= count)
		return 0;
	packets->slots = calloc(new_count, sizeof(*packets->slots));
	if (!packets->slots) {
		packets->slots = old;
		return -ENOMEM;
	}
	packets->mask = new_count - 1;
	packets->shift = 64 - (unsigned)__builtin_ctzll(new_count);
	for (size_t i = 0; i < count; i++) {
		if (old[i].passages)
			*find_slot(packets, old[i].packet) = old[i];
	}
	free(old);
	return 0;
}

/*
 * Frees a slot by moving back what stands behind it and could stand there, so that no search ends
 * too early and no tombstones pile up (Knuth, TAOCP 3, 6.4, algorithm R).
 */
static void free_slot(struct packets *packets, struct packet_slot *slot)
{
	size_t hole = (size_t)(slot - packets->slots);

	for (size_t i = (hole + 1) & packets->mask; packets->slots[i].passages;
		i = (i + 1) & packets->mask) {
		size_t home = packets_hash(packets, packets->slots[i].packet);

		if (((i - home) & packets->mask) >= ((i - hole) & packets->mask)) {
			packets->slots[hole] = packets->slots[i];
			hole = i;
		}
	}
	packets->slots[hole].passages = NULL;
	packets->used--;
}

static struct passage_list *list_of(struct packets *packets, enum passage_state state)
{
	return state == PASSAGE_OPEN ? &packets->open : &packets->remembered;
}

static void join_list(struct passage_list *list, struct passage *passage)
{
	passage->previous = list->last;
	passage->next = NULL;
	if (list->last)
		list->last->next = passage;
	else
		list->first = passage;
	list->last = passage;
	list->count++;
}

static void leave_list(struct passage_list *list, struct passage *passage)
{
	if (passage->previous)
		passage->previous->next = passage->next;
	else
		list->first = passage->next;
	if (passage->next)
		passage->next->previous = passage->previous;
	else
		list->last = passage->previous;
	list->count--;
}

static void forget_oldest(struct packets *packets)
{
	struct passage *oldest = packets->remembered.first;

	packets_move(packets, oldest, PASSAGE_CLOSED);
	packets_release(packets, oldest);
}

struct passage *packets_add(struct packets *packets, uint64_t packet, enum passage_state state)
{
	struct packet_slot *slot;
	struct passage *passage;

	if (packets->remembered.count >= PACKETS_REMEMBERED)
		forget_oldest(packets);
	if (reserve_slot(packets))
		return NULL;
	passage = take_spare(packets);
	if (!passage)
		return NULL;
	memset(passage, 0, sizeof(*passage));
	passage->packet = packet;
	passage->state = (uint8_t)state;
	join_list(list_of(packets, state), passage);
	slot = find_slot(packets, packet);
	if (!slot->passages) {
		slot->packet = packet;
		packets->used++;
	}
	passage->other = slot->passages;
	slot->passages = passage;
	return passage;
}

void packets_move(struct packets *packets, struct passage *passage, enum passage_state state)
{
	struct passage **link;
	struct packet_slot *slot;

	leave_list(list_of(packets, (enum passage_state)passage->state), passage);
	passage->state = (uint8_t)state;
	if (state != PASSAGE_CLOSED) {
		join_list(list_of(packets, state), passage);
		return;
	}
	slot = find_slot(packets, passage->packet);
	for (link = &slot->passages; *link != passage; link = &(*link)->other)
		;
	*link = passage->other;
	if (!slot->passages)
		free_slot(packets, slot);
}

void packets_release(struct packets *packets, struct passage *passage)
{
	if (passage->state != PASSAGE_CLOSED || passage->calls)
		return;
	passage->next = packets->spare;
	packets->spare = passage;
}

void packets_clear(struct packets *packets)
{
	while (packets->blocks) {
		struct passage_block *block = packets->blocks;

		packets->blocks = block->next;
		free(block);
	}
	free(packets->slots);
	memset(packets, 0, sizeof(*packets));
}
