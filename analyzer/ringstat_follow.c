/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_follow.h"

#include "clean.h"
#include "cycles.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INTERVAL_NS CYCLES_NS_PER_S

/* VT100: to the line so many up; to erase the rest of a line. */
#define UP    "\033[%uA"
#define ERASE "\033[K"

static void show_device(struct ringstat_follow *follow, unsigned number,
	const struct transmit_now *now, double seconds, bool terminal)
{
	double rate = (double)(now->tx_packets - follow->before[number]) / seconds;
	char *name = clean_terminal(now->name);

	fprintf(stderr, "%-15s in device %6" PRIu64 ", at most %6" PRIu64 "; %9.0f packets/s%s\n",
		name ? name : "?", now->in_device, now->in_device_max, rate, terminal ? ERASE : "");
	follow->before[number] = now->tx_packets;
	free(name);
}

void ringstat_follow(struct ringstat_follow *follow, uint64_t now_ns)
{
	bool terminal = isatty(STDERR_FILENO);
	double seconds = (double)(now_ns - follow->shown_ns) / CYCLES_NS_PER_S;
	uint64_t lost = reader_counts(follow->reader)->lost;
	struct transmit_now now;
	unsigned number = 0;

	if (!follow->shown_ns)
		follow->shown_ns = now_ns;
	if (now_ns - follow->shown_ns < INTERVAL_NS)
		return;
	if (terminal && follow->lines)
		fprintf(stderr, UP, follow->lines);
	for (; transmit_look(follow->transmit, number, &now); number++)
		show_device(follow, number, &now, seconds, terminal);
	if (lost)
		fprintf(stderr, "%" PRIu64 " events lost%s\n", lost, terminal ? ERASE : "");
	follow->lines = number + (lost > 0);
	follow->shown_ns = now_ns;
}
