/* SPDX-License-Identifier: BSD-3-Clause */
#include "order.h"

#include "heap.h"
#include "temporary.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define RUN_RECORDS_MIN 16 /* of a run in memory during the merge */

/* A sorted part of the temporary file, and the window of it that is in memory. */
struct run {
	uint64_t next; /* record of the file that the window ends before */
	uint64_t end;
	uint64_t last_time;
	struct cpu_event *window;
	size_t at, count; /* of the window */
};

struct order {
	struct cpu_event *records;
	size_t room, count;
	bool sorted;     /* the records in memory are in order as they are */
	uint32_t *index; /* the order, if they aren't */

	int fd;           /* of the temporary file; -1: nothing was written */
	uint64_t written; /* records */
	struct run *runs;
	size_t run_count, run_room;
	size_t window;    /* records that each run has in memory */
	struct heap heap; /* of runs */

	bool finished; /* adding is over */
	size_t next;   /* where all fits in memory */
};

int order_create(struct order **order, size_t records)
{
	struct order *o = calloc(1, sizeof(*o));

	*order = NULL;
	if (!o)
		return -ENOMEM;
	o->records = malloc(records * sizeof(*o->records));
	if (!o->records) {
		free(o);
		return -ENOMEM;
	}
	o->room = records;
	o->sorted = true;
	o->fd = -1;
	*order = o;
	return 0;
}

/* Merges from[begin, middle) and from[middle, end), each sorted, into to. */
static void merge_indices(const struct cpu_event *records, const uint32_t *from, uint32_t *to,
	size_t begin, size_t middle, size_t end)
{
	size_t left = begin, right = middle;

	for (size_t at = begin; at < end; at++) {
		bool take_right =
			left == middle || (right < end && records[from[right]].event.time <
								  records[from[left]].event.time);

		to[at] = from[take_right ? right++ : left++];
	}
}

/* The end of the sorted stretch that begins at `at`. */
static size_t stretch_end(const struct order *o, const uint32_t *index, size_t at)
{
	do {
		at++;
	} while (at < o->count &&
		 o->records[index[at]].event.time >= o->records[index[at - 1]].event.time);
	return at;
}

/*
 * Natural merge sort of indices: merges neighbouring sorted stretches until there is one. Texts
 * that aren't in order mostly are few such stretches, one for each CPU.
 */
static int sort(struct order *o)
{
	uint32_t *from, *to;
	bool merged = true;

	if (o->sorted)
		return 0;
	if (!o->index)
		o->index = malloc(2 * o->room * sizeof(*o->index));
	if (!o->index)
		return -ENOMEM;
	from = o->index;
	to = o->index + o->room;
	for (uint32_t i = 0; i < o->count; i++)
		from[i] = i;
	while (merged) {
		uint32_t *swap = from;

		merged = false;
		for (size_t begin = 0, middle, end; begin < o->count; begin = end) {
			middle = end = stretch_end(o, from, begin);
			if (middle < o->count)
				end = stretch_end(o, from, middle);
			merge_indices(o->records, from, to, begin, middle, end);
			merged = merged || begin > 0 || end < o->count;
		}
		from = to;
		to = swap;
	}
	if (from != o->index)
		memcpy(o->index, from, o->count * sizeof(*from));
	return 0;
}

/* All of count records from number first on, by preadv or pwritev. */
static int move_records(const struct order *o,
	ssize_t (*move)(int, const struct iovec *, int, off_t), const struct cpu_event *records,
	size_t count, uint64_t first)
{
	struct iovec left = { (void *)(uintptr_t)records, count * sizeof(*records) };
	uint64_t at = first * sizeof(*records);

	while (left.iov_len) {
		ssize_t n = move(o->fd, &left, 1, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		left.iov_base = (char *)left.iov_base + n;
		left.iov_len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

static int write_records(struct order *o, const struct cpu_event *records, size_t count)
{
	int error = move_records(o, pwritev, records, count, o->written);

	if (!error)
		o->written += count;
	return error;
}

static int write_sorted(struct order *o)
{
	struct cpu_event part[256];
	size_t in_part = 0;
	int error = 0;

	if (o->sorted)
		return write_records(o, o->records, o->count);
	for (size_t i = 0; i < o->count && !error; i++) {
		part[in_part++] = o->records[o->index[i]];
		if (in_part == sizeof(part) / sizeof(part[0]) || i + 1 == o->count) {
			error = write_records(o, part, in_part);
			in_part = 0;
		}
	}
	return error;
}

static int add_run(struct order *o, uint64_t begin, uint64_t last_time)
{
	if (o->run_count == o->run_room) {
		size_t room = o->run_room ? 2 * o->run_room : 16;
		struct run *runs = realloc(o->runs, room * sizeof(*runs));

		if (!runs)
			return -ENOMEM;
		o->runs = runs;
		o->run_room = room;
	}
	o->runs[o->run_count++] =
		(struct run){ .next = begin, .end = o->written, .last_time = last_time };
	return 0;
}

/* Writes what is in memory. It lengthens the last run if it follows it in time. */
static int spill(struct order *o)
{
	struct run *last = o->run_count ? &o->runs[o->run_count - 1] : NULL;
	uint64_t begin = o->written, first_time, last_time;
	int error = sort(o);

	if (!error && o->fd < 0) {
		o->fd = temporary_open();
		error = o->fd < 0 ? o->fd : 0;
	}
	if (!error)
		error = write_sorted(o);
	if (error)
		return error;
	first_time = o->records[o->sorted ? 0 : o->index[0]].event.time;
	last_time = o->records[o->sorted ? o->count - 1 : o->index[o->count - 1]].event.time;
	o->count = 0;
	o->sorted = true;
	if (!last || first_time < last->last_time)
		return add_run(o, begin, last_time);
	last->end = o->written;
	last->last_time = last_time;
	return 0;
}

int order_add(struct order *o, unsigned cpu, const struct event *event)
{
	if (o->count == o->room) {
		int error = spill(o);

		if (error)
			return error;
	}
	if (o->count && event->time < o->records[o->count - 1].event.time)
		o->sorted = false;
	o->records[o->count++] = (struct cpu_event){ .event = *event, .cpu = cpu };
	return 0;
}

/* Reads the next window of a run. Returns 1; 0 if the run is used up; or a negative errno. */
static int refill(struct order *o, struct run *run)
{
	uint64_t count = run->end - run->next;
	int error;

	if (!count)
		return 0;
	if (count > o->window)
		count = o->window;
	error = move_records(o, preadv, run->window, (size_t)count, run->next);
	if (error)
		return error;
	run->next += count;
	run->at = 0;
	run->count = (size_t)count;
	return 1;
}

/* Runs are numbered as they went in, which settles equal times. */
static struct heap_entry entry_of(const struct order *o, uint32_t run)
{
	return (struct heap_entry){
		.time = o->runs[run].window[o->runs[run].at].event.time,
		.item = run,
	};
}

/* The memory that held the records now holds a window of each run. */
static int start_merge(struct order *o)
{
	o->window = o->room / o->run_count;
	if (o->window < RUN_RECORDS_MIN) {
		struct cpu_event *records =
			realloc(o->records, o->run_count * RUN_RECORDS_MIN * sizeof(*records));

		if (!records)
			return -ENOMEM;
		o->records = records;
		o->window = RUN_RECORDS_MIN;
	}
	if (heap_create(&o->heap, o->run_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < o->run_count; i++) {
		int status;

		o->runs[i].window = o->records + i * o->window;
		status = refill(o, &o->runs[i]);
		if (status < 0)
			return status;
		heap_push(&o->heap, entry_of(o, i));
	}
	return 0;
}

static int finish(struct order *o)
{
	int error;

	o->finished = true;
	if (o->fd < 0)
		return sort(o);
	error = o->count ? spill(o) : 0;
	free(o->index);
	o->index = NULL;
	return error ? error : start_merge(o);
}

int order_next(struct order *o, unsigned *cpu, struct event *event)
{
	const struct cpu_event *record;
	struct run *run;
	uint32_t number;

	if (!o->finished) {
		int error = finish(o);

		if (error)
			return error;
	}
	if (o->fd < 0) {
		if (o->next == o->count)
			return 0;
		record = &o->records[o->sorted ? o->next : o->index[o->next]];
		o->next++;
		*event = record->event;
		*cpu = record->cpu;
		return 1;
	}
	if (!o->heap.count)
		return 0;
	number = o->heap.entries[0].item;
	run = &o->runs[number];
	record = &run->window[run->at++];
	*event = record->event;
	*cpu = record->cpu;
	if (run->at == run->count) {
		int status = refill(o, run);

		if (status < 0)
			return status;
		if (!status) {
			heap_pop(&o->heap);
			return 1;
		}
	}
	heap_replace_top(&o->heap, entry_of(o, number));
	return 1;
}

void order_destroy(struct order *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close(o->fd);
	free(o->records);
	free(o->index);
	free(o->runs);
	heap_free(&o->heap);
	free(o);
}
