/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in the devices, each second, while the measure goes on: ringstat record --follow. */
#ifndef ANALYZER_RINGSTAT_FOLLOW_H
#define ANALYZER_RINGSTAT_FOLLOW_H

#include "reader.h"
#include "transmit.h"

struct ringstat_follow {
	const struct transmit *transmit;
	const struct reader *reader;
	uint64_t shown_ns;              /* when; 0: not yet */
	unsigned lines;                 /* of what a terminal shows */
	uint64_t before[UINT8_MAX + 1]; /* packets of each device until then */
};

/* Shows it on standard error if a second has passed: on a terminal in place of what was shown. */
void ringstat_follow(struct ringstat_follow *follow, uint64_t now_ns);

#endif
