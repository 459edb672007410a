/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include "cycles.h"
#include <inttypes.h>
#include <string.h>

#define ON_A_TERMINAL_S 1.0

static uint64_t interval_cycles(const struct live_status *status)
{
	double s = status->options->interval_s;

	if (s <= 0 && status->options->terminal)
		s = ON_A_TERMINAL_S;
	return s > 0 ? (uint64_t)(s * (double)status->hz) : CYCLES_NEVER;
}

void live_status_start(
	struct live_status *status, const struct live_options *options, uint64_t hz, uint64_t now)
{
	uint64_t interval;

	*status = (struct live_status){ .options = options, .hz = hz, .from = now };
	interval = interval_cycles(status);
	status->at = interval == CYCLES_NEVER ? interval : now + interval;
}

/* "ring0 118004 packets/s, 80 in device (max 118), 405 queue drops" */
static void one_side(struct live_status *status, unsigned i, struct side *side,
	const struct tap_drops *kernel, double seconds, char *text, size_t bytes)
{
	uint64_t packets = nic_stats(side->nic)->packets;
	uint64_t drops = kernel->queue + kernel->qdisc;

	snprintf(text, bytes,
		"%s: %.0f packets/s, %" PRIu64 " in device (max %" PRIu64 "), %" PRIu64
		" queue drops",
		status->options->taps[i], (double)(packets - status->last[i].packets) / seconds,
		side_in_device(side), side->in_device_max, drops - status->last[i].drops);
	status->last[i].packets = packets;
	status->last[i].drops = drops;
	side->in_device_max = side_in_device(side);
}

void live_status_line(
	struct live_status *status, struct joined *joined, struct watcher *watcher, uint64_t now)
{
	double seconds = (double)(now - status->from) / (double)status->hz;
	char text[LIVE_SIDES][160];

	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		struct tap_drops drops = watcher_drops(watcher, i);

		one_side(status, i, &joined->side[i], &drops, seconds, text[i], sizeof(text[i]));
	}
	/* what is left of a longer line before is erased: ECMA-48, EL */
	fprintf(status->options->status, status->options->terminal ? "\r%s; %s\033[K" : "%s; %s\n",
		text[0], text[1]);
	fflush(status->options->status);
	status->from = now;
	status->at = now + interval_cycles(status);
}

void live_status_end(const struct live_status *status)
{
	if (status->options->terminal && status->at != CYCLES_NEVER)
		fputc('\n', status->options->status);
}
