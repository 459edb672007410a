/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fields of an event's line become a struct event, as kernel_event.h says; they are bound by
 * name, in any order.
 *
 * Some events are printed as prose ("napi poll on napi struct … for device eth0 work 3 …", "sk
 * address = …, family = AF_INET protocol = …"); trace-cmd report -R prints the bare fields of the
 * same events. Both forms are read.
 */
#ifndef ANALYZER_READ_TEXT_EVENT_H
#define ANALYZER_READ_TEXT_EVENT_H

#include "event.h"
#include "kernel_event.h"
#include "text_head.h"

enum text_event_status {
	TEXT_EVENT_SKIP, /* well-formed, but of no use here */
	TEXT_EVENT_USED, /* *event is filled */
	TEXT_EVENT_LOST, /* as USED, and it is an EVENT_LOST: no event, but a record of lost ones */
	TEXT_EVENT_UNPARSED, /* a known event without what it must have, or with a bad value */
};

/*
 * Returns one of the above, or a negative errno: -EOVERFLOW if a kind of names is used up, -ENOMEM.
 */
int text_event_parse(struct kernel_names *names, const struct text_head *head, struct event *event);

#endif
