/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order: events go in as the input has them and come out by time; equal times come out as they
 * went in. Texts are printed in any order (CPU after CPU, several files one after the other), and
 * the last line may be the earliest, so nothing can come out before everything is in.
 *
 * An external merge sort: up to `records` events (40 bytes each, plus 8 if they must be sorted) are
 * kept in memory, and that is all for most traces. More are written, sorted, to a temporary file
 * that has no name, in $TMPDIR or /tmp, and merged as they come out. Events that go in already
 * sorted are written as they are, once, and read back in sequence.
 */
#ifndef ANALYZER_READ_ORDER_H
#define ANALYZER_READ_ORDER_H

#include "event.h"
#include <stddef.h>

#define ORDER_RECORDS ((size_t)512 * 1024) /* 20 MiB */

struct order;

/* `records` is at least 16. Returns 0 or -ENOMEM. */
int order_create(struct order **order, size_t records);

/* Returns 0, -ENOMEM, or the negative errno of the temporary file. */
int order_add(struct order *order, unsigned cpu, const struct event *event);

/* The next event in time; nothing can be added any more. 1; 0 at the end; or a negative errno. */
int order_next(struct order *order, unsigned *cpu, struct event *event);

void order_destroy(struct order *order);

#endif
