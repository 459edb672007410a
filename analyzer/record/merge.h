/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of several CPUs, each in the order of its time, become one stream in the order of time,
 * while they are still coming. An event comes out when no CPU can have an earlier one any more:
 * each promises, as far as it has been read, from what time on its events will be.
 */
#ifndef ANALYZER_RECORD_MERGE_H
#define ANALYZER_RECORD_MERGE_H

#include "event.h"

struct merge;

/* `lanes` is the number of CPUs, at least 1. 0 or -ENOMEM. */
int merge_create(struct merge **merge, unsigned lanes);

/*
 * The next event of a lane. One whose time has been promised away (its clock went back) gets the
 * earliest time that it can have, and is counted (merge_late). 0 or -ENOMEM.
 */
int merge_add(struct merge *merge, unsigned lane, const struct event *event);

/* From now on this lane adds nothing earlier. A promise isn't taken back by an earlier one. */
void merge_promise(struct merge *merge, unsigned lane, uint64_t time);

/* Whatever lane, whatever time: nothing more is added, all can come out. */
void merge_end(struct merge *merge);

/*
 * The earliest event, of equal times that of the lowest lane, if all lanes' promises are later.
 * False if there is none (yet).
 */
bool merge_next(struct merge *merge, unsigned *lane, struct event *event);

/* Events of a lane that wait. */
size_t merge_waiting(const struct merge *merge, unsigned lane);

/* Events whose time had to be changed. */
uint64_t merge_late(const struct merge *merge);

void merge_destroy(struct merge *merge);

#endif
