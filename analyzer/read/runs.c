/* SPDX-License-Identifier: BSD-3-Clause */
#include "runs.h"

#include "order.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define BLOCK_RECORDS 127
#define ORDER_SHARE   5 /* of the memory for all that waits, order.c gets so much less */

struct block {
	struct block *next;
	struct cpu_event records[BLOCK_RECORDS];
};

/* A queue in the order of time. */
struct run {
	struct block *first, *last; /* NULL: it is empty */
	unsigned begin, end;        /* in first, in last */
	uint64_t last_time;         /* of what was added last, also if that has come out */
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

static bool earlier(const struct cpu_event *a, const struct cpu_event *b)
{
	if (a->event.time != b->event.time)
		return a->event.time < b->event.time;
	return (int32_t)(a->number - b->number) < 0;
}

static struct cpu_event *front(const struct run *run)
{
	return &run->first->records[run->begin];
}

static void sink_top(struct runs *r)
{
	uint32_t top = r->heap[0];
	const struct cpu_event *record = front(&r->runs[top]);
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
	const struct cpu_event *record = front(&r->runs[run]);
	size_t at = r->heap_count++;

	while (at && earlier(record, front(&r->runs[r->heap[(at - 1) / 2]]))) {
		r->heap[at] = r->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap[at] = run;
}

static bool is_empty(const struct run *run)
{
	return !run->first || (run->first == run->last && run->begin == run->end);
}

static bool is_released(const struct runs *r, const struct run *run)
{
	return !is_empty(run) && front(run)->event.time <= r->released;
}

/* Enters what was added. */
static void end_put(struct runs *r)
{
	struct run *run = r->put.run;

	if (run) {
		unsigned end = (unsigned)(r->put.at - run->last->records);

		r->waiting += end - run->end;
		run->end = end;
		run->last_time = r->put.low;
	}
	r->put = (struct runs_put){ 0 };
}

/* Up to this time, exclusive, the run on top of the heap precedes the others and is released. */
static uint64_t top_precedes(const struct runs *r)
{
	uint64_t before = r->released;

	for (size_t child = 1; child <= 2 && child < r->heap_count; child++) {
		uint64_t time = front(&r->runs[r->heap[child]])->event.time;

		if (time < before)
			before = time;
	}
	return before;
}

/* Finds the next to come out: the first of the earliest run, and those behind it that may. */
static void begin_get(struct runs *r)
{
	struct cpu_event *at, *end;
	uint64_t before;
	struct run *run;

	r->get = (struct runs_get){ 0 };
	if (!r->heap_count)
		return;
	run = &r->runs[r->heap[0]];
	before = top_precedes(r);
	at = front(run);
	end = &run->first->records[run->first == run->last ? run->end : BLOCK_RECORDS];
	r->get = (struct runs_get){ .begin = at, .run = run };
	do
		at++;
	while (at < end && at->event.time < before);
	r->get.end = at;
}

/* Enters that they came out. */
static void end_get(struct runs *r)
{
	struct run *run = r->get.run;
	struct block *block = run->first;
	unsigned end = (unsigned)(r->get.end - block->records);

	r->waiting -= end - run->begin;
	r->last_out = r->get.end[-1].event.time;
	run->begin = end;
	if (end < (block == run->last ? run->end : BLOCK_RECORDS))
		return;
	run->begin = 0;
	run->first = block->next;
	if (!run->first)
		run->last = NULL;
	block->next = r->free;
	r->free = block;
}

static void next_get(struct runs *r)
{
	end_get(r);
	if (!is_released(r, r->get.run))
		r->heap[0] = r->heap[--r->heap_count];
	if (r->heap_count > 1)
		sink_top(r);
	begin_get(r);
}

/* What the runs have up to that time can come out of them. */
static void release_runs(struct runs *r, uint64_t time)
{
	if (r->get.out)
		end_get(r);
	r->released = time;
	r->heap_count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		if (is_released(r, &r->runs[i]))
			push_heap(r, i);
	}
	begin_get(r);
}

/*
 * Giving up is for as long as it must be: where at least half of what order.c has can come out, the
 * rest goes back to the runs. (Less would be moved again and again.)
 */
void runs_release(struct runs *r, uint64_t time)
{
	end_put(r);
	if (!r->order) {
		release_runs(r, time);
		return;
	}
	r->draining = r->ordered_then >= r->ordered - r->ordered_then && r->ordered_then;
	r->ordered_then = r->ordered;
	r->released = time;
}

static int next_released(struct runs *r, struct cpu_event **begin, struct cpu_event **end)
{
	if (r->get.out)
		next_get(r);
	if (!r->get.run)
		return 0;
	r->get.out = true;
	*begin = r->get.begin;
	*end = r->get.end;
	return 1;
}

/* From now on everything goes through order.c, first what is waiting. */
static int give_up(struct runs *r)
{
	uint64_t last_out = r->last_out;
	size_t ordered = 0;
	struct cpu_event *at, *end;
	int error = order_create(&r->order, r->most / ORDER_SHARE);

	end_put(r);
	release_runs(r, UINT64_MAX);
	while (!error && next_released(r, &at, &end)) {
		for (; at < end && !error; at++, ordered++)
			error = order_add(r->order, at->cpu, &at->event);
		free_blocks(r->free); /* order.c needs memory, too */
		r->free = NULL;
	}
	r->last_out = last_out; /* nothing has come out yet */
	r->ordered = ordered;
	r->ordered_then = 0;
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

/* Begins to add to the run that an event of that time belongs to, which may be a new one. */
static int begin_put(struct runs *r, uint64_t time)
{
	size_t index = find_run(r, time);
	struct run *run;

	if (index == r->count && (r->count == RUNS_MOST || r->waiting >= r->most))
		return give_up(r);
	if (index == r->count && add_run(r))
		return -ENOMEM;
	run = &r->runs[index];
	if ((!run->first || run->end == BLOCK_RECORDS) && add_block(r, run))
		return -ENOMEM;
	r->put = (struct runs_put){
		.at = &run->last->records[run->end],
		.end = &run->last->records[BLOCK_RECORDS],
		.low = run->last_time > r->last_out ? run->last_time : r->last_out,
		.high = index ? r->runs[index - 1].last_time : UINT64_MAX,
		.run = run,
	};
	return 0;
}

int runs_place_elsewhere(struct runs *r, uint64_t time, struct event **event)
{
	int error = 0;

	end_put(r);
	if (time < r->last_out)
		return -ESTALE;
	if (!r->order)
		error = r->waiting >= r->most ? give_up(r) : begin_put(r, time);
	*event = r->order ? &r->place : &r->put.at->event;
	return error;
}

int runs_commit_ordered(struct runs *r, unsigned cpu)
{
	r->ordered++;
	return order_add(r->order, cpu, &r->place);
}

void runs_finish(struct runs *r)
{
	end_put(r);
	r->finished = true;
	if (!r->order)
		release_runs(r, UINT64_MAX);
}

/* The first event that was not released, and all that follow it, go back to the runs. */
static int leave_order(struct runs *r, unsigned cpu, const struct event *first)
{
	struct order *order = r->order;
	struct event event = *first, *place;
	int status;

	r->order = NULL;
	r->draining = false;
	do {
		status = runs_place(r, event.time, &place);
		if (status)
			break;
		*place = event;
		status = runs_commit(r, cpu);
		if (!status)
			status = order_next(order, &cpu, &event);
	} while (status == 1);
	order_destroy(order);
	return status;
}

/* Nothing comes out of order.c before all is in, or what is released is most of it. */
static int next_ordered(struct runs *r, struct cpu_event **begin, struct cpu_event **end)
{
	int status;
	unsigned cpu;

	if (!r->finished && !r->draining)
		return 0;
	status = order_next(r->order, &cpu, &r->out.event);
	if (status < 0 || (!status && r->finished))
		return status;
	if (!status) {
		order_destroy(r->order);
		r->order = NULL;
		r->draining = false;
		return 0;
	}
	if (!r->finished && r->out.event.time > r->released)
		return leave_order(r, cpu, &r->out.event);
	r->out.cpu = cpu;
	r->last_out = r->out.event.time;
	*begin = &r->out;
	*end = *begin + 1;
	return 1;
}

int runs_next(struct runs *r, struct cpu_event **begin, struct cpu_event **end)
{
	return r->order ? next_ordered(r, begin, end) : next_released(r, begin, end);
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
