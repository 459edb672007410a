/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of foreign CTF traces become struct event. They are known by the kernel's names, with or
 * without the system ("net:net_dev_xmit", "net_dev_xmit"), by those that LTTng gives them
 * ("skb_consume"), and of our own driver's DPDK trace points ("pmd.net.ringside.xmit"). What they
 * mean is kernel_event.h's.
 *
 * A class of events is looked at once, and becomes a plan: which of its members is which field.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_EVENT_H
#define ANALYZER_READ_CTF_FOREIGN_EVENT_H

#include "kernel_event.h"
#include <babeltrace2/babeltrace.h>

#define FOREIGN_BUCKETS    256
#define FOREIGN_NAME_BYTES 4096 /* a longer text is no name */

struct foreign_plan;

/* Set `names`, the rest to 0. */
struct foreign_events {
	struct kernel_names *names;
	struct foreign_plan *plans[FOREIGN_BUCKETS];
};

enum foreign_status {
	FOREIGN_SKIP,     /* of a kind that has no use here */
	FOREIGN_USED,     /* *event is filled */
	FOREIGN_UNPARSED, /* a known event without what it must have, or with a bad value */
};

/*
 * `time` is the event's own, in cycles; a trace point of ours tells a better one. Returns an enum
 * foreign_status, or a negative errno: -EOVERFLOW if a kind of names is used up
 * (kernel_names.used_up), -ENOMEM.
 */
int foreign_event_parse(
	struct foreign_events *events, const bt_event *from, uint64_t time, struct event *event);

#endif
