/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs: events that go in nearly in order (each CPU's block is in order, and recorders mark up to
 * where nothing older comes) come out in order while they go in; equal times come out as they went
 * in.
 *
 * An event is appended to a run that it doesn't precede, of these to the one that ends last
 * (patience sorting), so there are about as many runs as CPUs whose blocks overlap. What was
 * released is merged. Memory is bounded: where RUNS_EVENTS are waiting, or RUNS_MOST runs aren't
 * enough, what follows is sorted by order.c, until most of that can come out.
 */
#ifndef ANALYZER_READ_RUNS_H
#define ANALYZER_READ_RUNS_H

#include "event.h"
#include <stdbool.h>
#include <stddef.h>

#define RUNS_EVENTS ((size_t)896 * 1024) /* 35 MiB: two rounds of buffers of 48 MB in all */
#define RUNS_MOST   1024

/*
 * Where the next events are added, as long as they belong to the same run and block; what else they
 * say of the run is entered in it when that ends.
 */
struct runs_put {
	struct cpu_event *at, *end; /* NULL: nowhere */
	uint64_t low, high;         /* times that belong here: from low on, before high */
	struct run *run;
};

/* The next events to come out: of one run, as many as precede all other runs'. */
struct runs_get {
	struct cpu_event *begin, *end;
	struct run *run; /* NULL: nothing is released */
	bool out;        /* they have been handed out */
};

/* For runs.c, but for runs_place and runs_commit, which are called for each event. */
struct runs {
	struct runs_put put;
	struct runs_get get;
	uint32_t number; /* of the next event: settles equal times. Fewer than 2^31 are waiting */

	struct run *runs; /* those that end later come first */
	size_t count, room;
	struct block *free;
	size_t waiting; /* without those that were put last */
	size_t most;

	uint64_t last_out;
	uint64_t released;
	uint32_t *heap; /* runs with events that are released; the earliest on top */
	size_t heap_count;

	struct order *order;  /* not NULL: all that is waiting and that follows goes through it */
	struct event place;   /* to be added to it */
	struct cpu_event out; /* has come out of it */
	size_t ordered;       /* events in it */
	size_t ordered_then;  /* the same at the last release: all these precede the next one's
				 time */
	bool draining;        /* what was released comes out of it; then it is given up */
	bool finished;
};

/* `events` may wait, 256 at least. 0 or -ENOMEM. */
int runs_create(struct runs **runs, size_t events);

/*
 * What was released must come out (runs_next returns 0) before more goes in.
 *
 * A place for an event of that time, to be filled and then committed (or forgotten: the next one
 * gets it). So it needn't be copied. 0; -ESTALE if it precedes one that has come out, and can't be
 * taken any more; -ENOMEM; or the negative errno of a temporary file.
 */
static inline int runs_place(struct runs *runs, uint64_t time, struct event **event);

/* Adds what was filled. 0 or a negative errno. */
static inline int runs_commit(struct runs *runs, unsigned cpu);

/* Nothing earlier than `time` will be added: the events up to then can come out. */
void runs_release(struct runs *runs, uint64_t time);

/* Nothing will be added: all events can come out. */
void runs_finish(struct runs *runs);

/*
 * The next events that were released, at least one, from *begin to *end: the caller's, until the
 * next call.
 * 1; 0 if there are none; or a negative errno.
 */
int runs_next(struct runs *runs, struct cpu_event **begin, struct cpu_event **end);

void runs_destroy(struct runs *runs);

/* runs_place where the event isn't the next of the run. */
int runs_place_elsewhere(struct runs *runs, uint64_t time, struct event **event);

/* runs_commit where there are no runs. */
int runs_commit_ordered(struct runs *runs, unsigned cpu);

/* The place, if it is the next of the run: then it is committed by runs_commit_next. Or NULL. */
static inline struct event *runs_next_place(const struct runs *runs, uint64_t time)
{
	const struct runs_put *put = &runs->put;

	if (put->at == put->end || time < put->low || time >= put->high)
		return NULL;
	return &put->at->event;
}

static inline void runs_commit_next(struct runs *runs, unsigned cpu)
{
	struct runs_put *put = &runs->put;

	put->at->cpu = cpu;
	put->at->number = runs->number++;
	put->low = put->at->event.time;
	put->at++;
}

static inline int runs_place(struct runs *runs, uint64_t time, struct event **event)
{
	*event = runs_next_place(runs, time);
	return *event ? 0 : runs_place_elsewhere(runs, time, event);
}

static inline int runs_commit(struct runs *runs, unsigned cpu)
{
	if (!runs->put.at)
		return runs_commit_ordered(runs, cpu);
	runs_commit_next(runs, cpu);
	return 0;
}

#endif
