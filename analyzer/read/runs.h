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
#include <stddef.h>

#define RUNS_EVENTS ((size_t)896 * 1024) /* 35 MiB: two rounds of buffers of 48 MB in all */
#define RUNS_MOST   1024

struct runs;

/* `events` may wait, 256 at least. 0 or -ENOMEM. */
int runs_create(struct runs **runs, size_t events);

/*
 * What was released must come out (runs_next returns 0) before more goes in.
 *
 * A place for an event of that time, to be filled and then committed (or forgotten: the next one
 * gets it). So it needn't be copied. 0; -ESTALE if it precedes one that has come out, and can't be
 * taken any more; -ENOMEM; or the negative errno of a temporary file.
 */
int runs_place(struct runs *runs, uint64_t time, struct event **event);

/* Adds what was filled. 0 or a negative errno. */
int runs_commit(struct runs *runs, unsigned cpu);

/* How many events are waiting. */
size_t runs_waiting(const struct runs *runs);

/* Nothing earlier than `time` will be added: the events up to then can come out. */
void runs_release(struct runs *runs, uint64_t time);

/* Nothing will be added: all events can come out. */
void runs_finish(struct runs *runs);

/* The next event that was released. 1; 0 if there is none; or a negative errno. */
int runs_next(struct runs *runs, unsigned *cpu, struct event *event);

void runs_destroy(struct runs *runs);

#endif
