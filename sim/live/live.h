/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ringside live: traffic of real kernels meets the modelled ring, in real time. Two TAP interfaces,
 * which the caller may move into namespaces of their own, are joined through two modelled NICs.
 *
 * A TAP is read only while its NIC's transmit queue runs. Meanwhile the kernel keeps frames in the
 * interface's queue (txqueuelen), as a queueing discipline does above a real NIC; what finds that
 * full it drops, which is counted here too. Frames come from a TAP whole and checksummed: without
 * driver.checksum each takes one descriptor, with it a context descriptor too, as if the device
 * had been asked for the checksum.
 */
#ifndef SIM_LIVE_LIVE_H
#define SIM_LIVE_LIVE_H

#include "joined.h"
#include "tap.h"
#include "watcher.h"

struct live_options {
	const char *taps[LIVE_SIDES];
	const char *trace; /* folder for a CTF trace; NULL: none */
	double duration_s; /* 0: until SIGINT or SIGTERM */
	double interval_s; /* of the lines on `status`; 0: none, or on a terminal one a second */
	FILE *status;
	bool terminal; /* that is one: a line takes the place of the one before */
};

/* One direction, from an interface to the other. */
struct live_direction {
	const char *from, *to;
	struct live_account account;
	uint64_t left;          /* frames that the kernel still had for us at the end */
	bool drops_known;       /* else the interface's counters could not be read to the end */
	struct tap_drops drops; /* what the kernel dropped of what it had to send to `from` */
	uint64_t interrupts;    /* of from's NIC, for both sent and received frames */
	uint64_t least_gap_ns;  /* between two of them; UINT64_MAX: there were no two */
};

struct live_outcome {
	const struct scenario *scenario;
	struct live_direction direction[LIVE_SIDES];
	double seconds;
	uint64_t late_ns;    /* the longest that something was due before it was done */
	bool gone;           /* it ended because an interface was deleted */
	uint64_t trace_lost; /* events that the trace lacks: they came too fast to be written */
	char device_names[LIVE_SIDES][32];
	struct trace_source source;
	struct trace_counts counts;
	struct names *names;
	struct transmit *transmit;
	const struct transmit_report *report;
};

/*
 * Runs to the end: of duration_s, by SIGINT or SIGTERM (which are blocked from here on), or because
 * an interface is gone. Then nothing is read any more, and what is under way gets a second to
 * arrive. Starts DPDK's environment. The outcome must be released. Returns 0 or a negative errno
 * with a message in diag.
 */
int live_run(const struct scenario *scenario, const struct live_options *options,
	struct live_outcome *outcome, struct diag *diag);
void live_release(struct live_outcome *outcome);

/* The report's object with "scenario" and "live"; NULL if there is no memory. */
json_t *live_json(const struct live_outcome *outcome);
void live_text(const struct live_outcome *outcome, FILE *out);

/* status.c: the lines that tell how it goes. */
struct live_status {
	const struct live_options *options;
	uint64_t hz, at, from; /* cycles: when the next line is due, and since when it counts */
	struct {
		uint64_t packets, drops;
	} last[LIVE_SIDES];
};
void live_status_start(
	struct live_status *status, const struct live_options *options, uint64_t hz, uint64_t now);
void live_status_line(
	struct live_status *status, struct joined *joined, struct watcher *watcher, uint64_t now);
void live_status_end(const struct live_status *status);

#endif
