/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

/* The place of the call that is `depth` below the top, 1 being the last one. */
static unsigned place(const struct calls *calls, unsigned depth)
{
	return (calls->top - depth) % CALLS_DEPTH;
}

struct passage *calls_push(struct calls *calls, struct passage *passage)
{
	struct passage **at = &calls->stack[calls->top++ % CALLS_DEPTH];
	struct passage *oldest = *at;

	if (oldest)
		oldest->calls = NULL;
	else
		calls->live++;
	*at = passage;
	passage->calls = calls;
	return oldest;
}

struct passage *calls_find(const struct calls *calls, const struct device *device, uint64_t packet)
{
	unsigned left = calls->live;

	for (unsigned depth = 1; left && depth <= CALLS_DEPTH; depth++) {
		struct passage *passage = calls->stack[place(calls, depth)];

		if (passage && passage->packet == packet && passage->device == device)
			return passage;
		left -= passage != NULL;
	}
	return NULL;
}

struct passage *calls_find_device(const struct calls *calls, const struct device *device)
{
	unsigned left = calls->live;

	for (unsigned depth = 1; left && depth <= CALLS_DEPTH; depth++) {
		struct passage *passage = calls->stack[place(calls, depth)];

		if (passage && passage->device == device)
			return passage;
		left -= passage != NULL;
	}
	return NULL;
}

void calls_remove(struct passage *passage)
{
	struct calls *calls = passage->calls;
	unsigned depth = 1;

	while (calls->stack[place(calls, depth)] != passage)
		depth++;
	calls->stack[place(calls, depth)] = NULL;
	passage->calls = NULL;
	calls->live--;
	while (calls->live && !calls->stack[place(calls, 1)])
		calls->top--;
}

struct passage *calls_pop(struct calls *calls)
{
	struct passage *passage;

	if (!calls->live)
		return NULL;
	passage = calls->stack[place(calls, 1)]; /* the top is always a call that goes on */
	calls_remove(passage);
	return passage;
}
