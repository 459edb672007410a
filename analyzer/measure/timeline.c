/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline_impl.h"

#include <errno.h>
#include <stdlib.h>

int timeline_create(struct timeline **created, const struct timeline_options *options,
	const struct names *names)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	*created = NULL;
	if (!timeline)
		return -ENOMEM;
	timeline->options = *options;
	timeline->names = names;
	if (journal_create(
		    &timeline->receiving.journal, sizeof(struct timeline_item), JOURNAL_RECORDS) ||
		journal_create(&timeline->transmitting.journal, sizeof(struct timeline_packet),
			JOURNAL_RECORDS)) {
		timeline_destroy(timeline);
		return -ENOMEM;
	}
	*created = timeline;
	return 0;
}

int timeline_event(struct timeline *timeline, unsigned cpu, const struct event *event)
{
	int error = 0;

	if (timeline->options.receive)
		error = receiving_event(timeline, cpu, event);
	if (!error && timeline->options.transmit)
		error = transmitting_event(timeline, event);
	return error;
}

int timeline_finish(struct timeline *timeline)
{
	int error = receiving_finish(timeline);

	return error ? error : transmitting_finish(timeline);
}

const struct timeline_packet *timeline_next_packet(struct timeline *timeline, int *error)
{
	struct journal *journal = &timeline->transmitting.journal;
	const void *record;

	*error = journal_look(journal, 1, &record);
	journal_take(journal, record != NULL);
	return record;
}

const struct timeline_counts *timeline_counts(const struct timeline *timeline)
{
	return &timeline->counts;
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline)
		return;
	receiving_destroy(&timeline->receiving);
	transmitting_destroy(&timeline->transmitting);
	free(timeline);
}
