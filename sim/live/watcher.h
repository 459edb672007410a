/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks after what the kernel drops above the two interfaces, in a thread of its own: counters are
 * asked for under a lock that the kernel holds for long when somebody moves an interface, and the
 * devices must not wait for that.
 */
#ifndef SIM_LIVE_WATCHER_H
#define SIM_LIVE_WATCHER_H

#include "joined.h"
#include "tap.h"
#include <pthread.h>

struct watcher {
	pthread_t thread;
	bool running;
	int stop; /* an event descriptor: readable when the thread has to end */
	struct tap_watch watch[LIVE_SIDES]; /* the thread's, while it runs */
	int error[LIVE_SIDES];              /* of its last look; the same */
	pthread_mutex_t lock;               /* of what follows */
	struct tap_drops drops[LIVE_SIDES];
};

/* Begins with what has been dropped by now. Returns the side whose counters can't be read, or -1.
 */
int watcher_open(struct watcher *watcher, const int tap[LIVE_SIDES]);

/* 0 or a negative errno. */
int watcher_start(struct watcher *watcher);

/* As of the last look, a quarter of a second ago or less. */
struct tap_drops watcher_drops(struct watcher *watcher, unsigned side);

/* Ends the thread and looks once more: from here on watch and error are the caller's to read. */
void watcher_stop(struct watcher *watcher);
void watcher_close(struct watcher *watcher);

#endif
