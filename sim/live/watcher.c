/* SPDX-License-Identifier: BSD-3-Clause */
#include "watcher.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PERIOD_MS 250

static void look(struct watcher *watcher)
{
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		watcher->error[i] = tap_watch_update(&watcher->watch[i]);
		pthread_mutex_lock(&watcher->lock);
		watcher->drops[i] = watcher->watch[i].drops;
		pthread_mutex_unlock(&watcher->lock);
	}
}

static void *keep_looking(void *context)
{
	struct watcher *watcher = context;
	struct pollfd stop = { .fd = watcher->stop, .events = POLLIN };

	while (!poll(&stop, 1, PERIOD_MS))
		look(watcher);
	return NULL;
}

int watcher_open(struct watcher *watcher, const int tap[LIVE_SIDES])
{
	int bad = -1;

	pthread_mutex_init(&watcher->lock, NULL);
	watcher->stop = -1;
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		watcher->error[i] = tap_watch_open(&watcher->watch[i], tap[i]);
		if (watcher->error[i] && bad < 0)
			bad = (int)i;
	}
	return bad;
}

int watcher_start(struct watcher *watcher)
{
	int error;

	watcher->stop = eventfd(0, EFD_CLOEXEC);
	if (watcher->stop < 0)
		return -errno;
	error = pthread_create(&watcher->thread, NULL, keep_looking, watcher);
	watcher->running = !error;
	return -error;
}

struct tap_drops watcher_drops(struct watcher *watcher, unsigned side)
{
	struct tap_drops drops;

	pthread_mutex_lock(&watcher->lock);
	drops = watcher->drops[side];
	pthread_mutex_unlock(&watcher->lock);
	return drops;
}

void watcher_stop(struct watcher *watcher)
{
	if (!watcher->running)
		return;
	eventfd_write(watcher->stop, 1);
	pthread_join(watcher->thread, NULL);
	watcher->running = false;
	look(watcher);
}

void watcher_close(struct watcher *watcher)
{
	watcher_stop(watcher);
	if (watcher->stop >= 0)
		close(watcher->stop);
	pthread_mutex_destroy(&watcher->lock);
}
