/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int timeline_create(struct timeline **created, const struct timeline_options *options,
	const struct names *names)
{
	static receiving_handler *const no_receive[EVENT_ID_COUNT];
	static transmitting_handler *const no_transmit[EVENT_ID_COUNT];
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	*created = NULL;
	if (!timeline)
		return -ENOMEM;
	timeline->options = *options;
	timeline->receive = options->receive ? receiving_handlers : no_receive;
	timeline->transmit = options->transmit ? transmitting_handlers : no_transmit;
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

static __attribute__((noinline)) int first_of_cpu(
	struct timeline *timeline, unsigned cpu, const struct event *event)
{
	int error = receiving_new_cpu(&timeline->receiving, cpu);

	return error ? error : timeline_event(timeline, cpu, event);
}

int timeline_event(struct timeline *timeline, unsigned cpu, const struct event *event)
{
	receiving_handler *receive;
	transmitting_handler *transmit;
	int error;

	assert(event->id < EVENT_ID_COUNT);
	receive = timeline->receive[event->id];
	transmit = timeline->transmit[event->id];
	if (!receive)
		return transmit ? transmit(timeline, event) : 0;
	cpu %= TIMELINE_CPUS;
	if (!receiving_knows_cpu(&timeline->receiving, cpu))
		return first_of_cpu(timeline, cpu, event);
	if (!transmit)
		return receive(timeline, cpu, event);
	error = receive(timeline, cpu, event);
	return error ? error : transmit(timeline, event);
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
