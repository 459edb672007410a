/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a passage (one packet at one device), and the state that the transmit measure keeps.
 *
 *     queued → open → settled (the driver took it) → closed with an outcome
 *
 * Everything a start or an end does to the counters waits until the start is settled, so that a
 * packet which the driver gave back leaves no trace in them.
 */
#ifndef ANALYZER_MEASURE_PASSAGE_H
#define ANALYZER_MEASURE_PASSAGE_H

#include "calls.h"
#include "changes.h"
#include "cpus.h"
#include "orphans.h"
#include "packets.h"
#include "tally.h"

struct transmit {
	struct transmit_options options;
	char *only; /* the one device to report, or NULL: a copy of options.device */
	const struct names *names;
	bool starts_seen; /* else laps begin at xmit */
	/* of some driver calls; where one is unseen nobody knows how long calls go on */
	bool returns_seen, returns_unseen;
	uint64_t now; /* time of the last event */
	uint64_t used, tx_packets, clock_anomalies;
	struct packets packets;
	struct changes changes;
	struct device *by_index[EVENT_NO_DEVICE + 1];
	struct device *devices[EVENT_NO_DEVICE + 1]; /* each once */
	unsigned device_count;
	struct cpus calls; /* struct calls of each CPU */
	struct transmit_report report;
	struct transmit_table *tables; /* of the report: devices, then their queues */
	struct drop_count *drops;
	struct orphans orphans;
};

/* Counts one in the device and in the queue. */
#define PASSAGE_COUNT(passage, counter)              \
	do {                                         \
		(passage)->device->all.counter++;    \
		if ((passage)->queue)                \
			(passage)->queue->counter++; \
	} while (0)

/*
 * The packet of an open passage has been handed to the driver now: it is in the device from here,
 * unless passage_fail comes. `waits` (enum change_wait) says what may still speak against it; the
 * passage is settled if the driver's return is not among that. 0 or -ENOMEM.
 */
int passage_start(struct transmit *transmit, struct passage *passage, unsigned waits);

/* The start succeeded, or is taken to have. 0 or -ENOMEM. */
int passage_settle(struct transmit *transmit, struct passage *passage);

/*
 * The driver didn't take the packet. Busy: it goes back to where it was queued. Else: the driver
 * has consumed and refused it. Nothing but retries or refusals shows it. 0 or -ENOMEM.
 */
int passage_fail(struct transmit *transmit, struct passage *passage, bool busy);

/*
 * The packet of an open passage is out of the device. The passage may be released by this; one that
 * was delivered is remembered. 0 or -ENOMEM.
 */
int passage_close(
	struct transmit *transmit, struct passage *passage, enum outcome outcome, uint64_t time);

/* How a passage ends of which no free is known: a suspect's was stamped before its start. */
static inline enum outcome passage_unseen(const struct passage *passage, enum outcome outcome)
{
	return passage->suspect ? OUTCOME_CLOCK_ANOMALY : outcome;
}

/* The second device appears: from now on packets in any device are counted. 0 or -ENOMEM. */
int passage_begin_several(struct transmit *transmit);

/* The kinds of events, each 0 or -ENOMEM. */
int transmit_on_queue(struct transmit *transmit, const struct event *event);
int transmit_on_start(struct transmit *transmit, unsigned cpu, const struct event *event);
int transmit_on_xmit(struct transmit *transmit, unsigned cpu, const struct event *event);
int transmit_on_free(struct transmit *transmit, unsigned cpu, const struct event *event);
int transmit_on_receive(struct transmit *transmit, unsigned cpu, const struct event *event);
int transmit_on_lost(struct transmit *transmit);

/* Closes what has been open for longer than options.expire_cycles. 0 or -ENOMEM. */
int transmit_expire(struct transmit *transmit);

/* Settles all driver calls of all CPUs: their return isn't waited for any more. 0 or -ENOMEM. */
int passage_settle_all(struct transmit *transmit);

#endif
