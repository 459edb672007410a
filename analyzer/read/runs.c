/* SPDX-License-Identifier: BSD-3-Clause */
#include "runs.h"

#include "order.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define BLOCK_RECORDS 127

struct record {
	struct event event;
	uint32_t cpu;
	uint32_t number; /* counts all; settles equal times. Fewer than 2^31 are waiting */
};

struct block {
	struct block *next;
	struct record records[BLOCK_RECORDS];
};

/* A queue in the order of time. */
struct run {
	struct block *first, *last; /* NULL: it is empty */
	unsigned begin, end;        /* in first, in last */
	uint64_t last_time;         /* of what was added last, also if that has come out */
};

struct runs {
	struct run *runs; /* those that end later come first */
	size_t count, room;
	size_t current; /* where the last event was added */

	struct block *free;
	size_t waiting, most;
	uint32_t number;

	bool any_out;
	uint64_t last_out;
	uint64_t released;
	uint32_t *heap; /* runs with events that are released; the earliest on top */
	size_t heap_count;

	struct order *order; /* not NULL: all that is waiting and that follows goes through it */
	struct event place;  /* to be added to it */
	bool finished;
};

int runs_create(struct runs **runs, size_t events)
{
	struct runs *r = calloc(1, sizeof(*r));

	*runs = r;
	if (!r)
		return -ENOMEM;
	r->most = events;
	return 0;
}

static struct block *take_block(struct runs *r)
{
	struct block *block = r->free;

	if (block)
		r->free = block->next;
	else
		block = malloc(sizeof(*block));
	if (block)
		block->next = NULL;
	return block;
}

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
}

static bool earlier(const struct record *a, const struct record *b)
{
	if (a->event.time != b->event.time)
		return a->event.time < b->event.time;
	return (int32_t)(a->number - b->number) < 0;
}

static struct record *front(const struct run *run)
{
	return &run->first->records[run->begin];
}

static void sink_top(struct runs *r)
{
	uint32_t top = r->heap[0];
	const struct record *record = front(&r->runs[top]);
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < r->heap_count && earlier(front(&r->runs[r->heap[child + 1]]),
							 front(&r->runs[r->heap[child]])))
			child++;
		if (child >= r->heap_count || !earlier(front(&r->runs[r->heap[child]]), record))
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = top;
}

static void push_heap(struct runs *r, uint32_t run)
{
	const struct record *record = front(&r->runs[run]);
	size_t at = r->heap_count++;

	while (at && earlier(record, front(&r->runs[r->heap[(at - 1) / 2]]))) {
		r->heap[at] = r->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap[at] = run;
}

/* A place that was given out and not filled doesn't count. */
static bool is_empty(const struct run *run)
{
	return !run->first || (run->first == run->last && run->begin == run->end);
}

static bool is_released(const struct runs *r, const struct run *run)
{
	return !is_empty(run) && front(run)->event.time <= r->released;
}

void runs_release(struct runs *r, uint64_t time)
{
	if (time > r->released)
		r->released = time;
	r->heap_count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		if (is_released(r, &r->runs[i]))
			push_heap(r, i);
	}
}

/* Takes the first event out of a run. */
static void drop_front(struct runs *r, struct run *run)
{
	struct block *block = run->first;

	r->waiting--;
	run->begin++;
	if (block == run->last ? run->begin < run->end : run->begin < BLOCK_RECORDS)
		return;
	run->begin = 0;
	run->first = block->next;
	if (!run->first)
		run->last = NULL;
	block->next = r->free;
	r->free = block;
}

static int next_released(struct runs *r, unsigned *cpu, struct event *event)
{
	struct run *run;

	if (!r->heap_count)
		return 0;
	run = &r->runs[r->heap[0]];
	*event = front(run)->event;
	*cpu = front(run)->cpu;
	drop_front(r, run);
	if (!is_released(r, run))
		r->heap[0] = r->heap[--r->heap_count];
	if (r->heap_count > 1)
		sink_top(r);
	return 1;
}

/* From now on everything goes through order.c, first what is waiting. */
static int give_up(struct runs *r)
{
	struct event event;
	unsigned cpu;
	int error = order_create(&r->order, r->most < ORDER_RECORDS ? r->most : ORDER_RECORDS);

	runs_release(r, UINT64_MAX);
	while (!error && next_released(r, &cpu, &event)) {
		error = order_add(r->order, cpu, &event);
		free_blocks(r->free); /* order.c needs memory, too */
		r->free = NULL;
	}
	return error;
}

static int add_run(struct runs *r)
{
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 16;
		struct run *runs = realloc(r->runs, room * sizeof(*runs));
		uint32_t *heap;

		if (!runs)
			return -ENOMEM;
		r->runs = runs;
		heap = realloc(r->heap, room * sizeof(*heap));
		if (!heap)
			return -ENOMEM;
		r->heap = heap;
		r->room = room;
	}
	r->runs[r->count++] = (struct run){ 0 };
	return 0;
}

/* Of the runs that end at `time` or before, the first, which ends last; r->count if there is none.
 */
static size_t find_run(const struct runs *r, uint64_t time)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->runs[middle].last_time <= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool belongs(const struct runs *r, size_t run, uint64_t time)
{
	return run < r->count && r->runs[run].last_time <= time &&
	       (!run || r->runs[run - 1].last_time > time);
}

/* Makes room behind the last record of a run. */
static int add_block(struct runs *r, struct run *run)
{
	struct block *block = take_block(r);

	if (!block)
		return -ENOMEM;
	if (run->last) {
		run->last->next = block;
	} else {
		run->first = block;
		run->begin = 0;
	}
	run->last = block;
	run->end = 0;
	return 0;
}

/* Finds the run that an event of that time belongs to, or makes one; else gives up. */
static int choose_run(struct runs *r, uint64_t time)
{
	r->current = find_run(r, time);
	if (r->current == r->count)
		return r->count < RUNS_MOST ? add_run(r) : give_up(r);
	return 0;
}

int runs_place(struct runs *r, uint64_t time, struct event **event)
{
	struct run *run;
	int error = 0;

	if (r->any_out && time < r->last_out)
		return -ESTALE;
	if (!r->order && r->waiting == r->most)
		error = give_up(r);
	if (!r->order && !error && !belongs(r, r->current, time))
		error = choose_run(r, time);
	if (error)
		return error;
	if (r->order) {
		*event = &r->place;
		return 0;
	}
	run = &r->runs[r->current];
	if ((!run->first || run->end == BLOCK_RECORDS) && add_block(r, run))
		return -ENOMEM;
	*event = &run->last->records[run->end].event;
	return 0;
}

int runs_commit(struct runs *r, unsigned cpu)
{
	struct run *run;
	struct record *record;

	if (r->order)
		return order_add(r->order, cpu, &r->place);
	run = &r->runs[r->current];
	record = &run->last->records[run->end++];
	record->cpu = cpu;
	record->number = r->number++;
	run->last_time = record->event.time;
	r->waiting++;
	return 0;
}

size_t runs_waiting(const struct runs *r)
{
	return r->waiting;
}

void runs_finish(struct runs *r)
{
	r->finished = true;
	runs_release(r, UINT64_MAX);
}

int runs_next(struct runs *r, unsigned *cpu, struct event *event)
{
	int status = 0;

	if (!r->order)
		status = next_released(r, cpu, event);
	else if (r->finished)
		status = order_next(r->order, cpu, event);
	if (status == 1) {
		r->any_out = true;
		r->last_out = event->time;
	}
	return status;
}

void runs_destroy(struct runs *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		free_blocks(r->runs[i].first);
	free_blocks(r->free);
	order_destroy(r->order);
	free(r->runs);
	free(r->heap);
	free(r);
}
