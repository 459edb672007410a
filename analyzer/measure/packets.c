/* SPDX-License-Identifier: BSD-3-Clause */
#include "packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_PASSAGES 256

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

struct passage *packets_add(struct packets *packets, uint64_t packet, enum passage_state state)
{
	struct address_slot *slot;
	struct passage *passage;

	if (packets->remembered.count >= PACKETS_REMEMBERED)
		packets_forget(packets, packets->remembered.first);
	if (addresses_reserve(&packets->addresses))
		return NULL;
	passage = take_spare(packets);
	if (!passage)
		return NULL;
	memset(passage, 0, sizeof(*passage));
	passage->packet = packet;
	passage->state = (uint8_t)state;
	join_list(list_of(packets, state), passage);
	slot = addresses_slot(&packets->addresses, packet);
	passage->other = (struct passage *)slot->value;
	if (passage->other)
		slot->value = (uintptr_t)passage;
	else
		addresses_enter(&packets->addresses, slot, packet, (uintptr_t)passage);
	return passage;
}

void packets_move(struct packets *packets, struct passage *passage, enum passage_state state)
{
	struct passage *younger;
	struct address_slot *slot;

	leave_list(list_of(packets, (enum passage_state)passage->state), passage);
	passage->state = (uint8_t)state;
	if (state != PASSAGE_CLOSED) {
		join_list(list_of(packets, state), passage);
		return;
	}
	slot = addresses_slot(&packets->addresses, passage->packet);
	younger = (struct passage *)slot->value;
	if (younger == passage) {
		slot->value = (uintptr_t)passage->other;
		if (!slot->value) {
			slot->value = (uintptr_t)passage;
			addresses_remove(&packets->addresses, slot);
		}
		return;
	}
	while (younger->other != passage)
		younger = younger->other;
	younger->other = passage->other;
}

void packets_release(struct packets *packets, struct passage *passage)
{
	if (passage->state != PASSAGE_CLOSED || passage->calls)
		return;
	passage->next = packets->spare;
	packets->spare = passage;
}

void packets_forget(struct packets *packets, struct passage *passage)
{
	packets_move(packets, passage, PASSAGE_CLOSED);
	packets_release(packets, passage);
}

void packets_clear(struct packets *packets)
{
	while (packets->blocks) {
		struct passage_block *block = packets->blocks;

		packets->blocks = block->next;
		free(block);
	}
	addresses_clear(&packets->addresses);
	memset(packets, 0, sizeof(*packets));
}
