/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline as people and programs read it: first the softirqs with what was received in them,
 * then the packets that were sent.
 *
 * In the classic layout, that of perf's netdev-times script, a line is the script's own wherever
 * the script is right. It differs, and ours is printed, where the script
 *
 * - leaves out a softirq: one without an interrupt (loopback, ksoftirqd), or one whose interrupt
 *   came while the softirq before was running, which gets it instead. Here an interrupt stands
 *   with the softirq that it raised, and without any the softirq's entry is the time to count from;
 * - prints a received packet that was dropped as copied to the task that happened to run. Here it
 *   says kfree_skb, with the reason in the place of the location, which events don't hold;
 * - doesn't see a received packet consumed. Here consume_skb says so;
 * - prints netif_rx below an interrupt also where a softirq called it. Here it stands in the
 *   softirq, in order of time;
 * - leaves out a softirq's poll functions and packets that come in no softirq at all (busy polling,
 *   NAPI threads). Here they are printed like a softirq of their own, without its entry;
 * - loses a sent packet that was freed before the driver's xmit function returned, and may take the
 *   next free of its address for it. Here its last time is negative: from the return to the free;
 * - ends a packet that passes several devices (a bond's) at the last one only. Here its free ends
 *   it at each;
 * - matches a free, or a copy, with the newest packet of that address even if events were lost in
 *   between, and with an older one once the newer is gone. Here such packets are unresolved;
 * - forgets the oldest of more than 65,536 packets; here memory is the limit;
 * - names the thread that a packet was copied to. Here it is the process, where both are told;
 * - means to sort by time, and doesn't under Python 3 (its comparison returns a truth value). Here
 *   events are in order of time;
 * - takes its dev= for a part of a device's name, in the receive chart of an interrupt's. Here
 *   --dev is the exact name, of a device or an interrupt.
 */
#ifndef ANALYZER_REPORT_TIMELINE_REPORT_H
#define ANALYZER_REPORT_TIMELINE_REPORT_H

#include "reader.h"
#include "timeline.h"
#include <stdio.h>

enum timeline_style {
	TIMELINE_TEXT,
	TIMELINE_JSON, /* an object a line: the source, softirqs, packets, a summary */
	TIMELINE_CLASSIC,
	TIMELINE_STYLES
};

struct timeline_report {
	const struct trace_source *source;
	const struct trace_counts *counts;
	const struct names *names;
	struct timeline *timeline; /* finished */
	const char *device;        /* only this one (exact name), or NULL for all */
	bool receive, transmit;    /* what is printed */
};

/*
 * Writes the timeline. The classic layout needs a source whose hz is known. 0 or a negative errno;
 * write errors are also the stream's (ferror).
 */
int timeline_write(const struct timeline_report *report, enum timeline_style style, FILE *out);

#endif
