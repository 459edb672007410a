/* SPDX-License-Identifier: BSD-3-Clause */
/* Events are noted when they happen, and made into something when there is time. */
#include "receiver.h"

#define DEVICE 0

static void keep(
	struct receiver_sink *sink, uint64_t time, uint64_t what, uint64_t packet, uint64_t arg)
{
	if (sink->count == RECEIVER_NOTES)
		receiver_file(sink);
	sink->note[sink->count++] = (struct receiver_note){ time, what, packet, arg };
}

/* The driver's receive events are of packets in the ring; here they are handed up one by one. */
static void emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	(void)cpu;
	if ((uint16_t)what != EVENT_RECEIVE)
		keep((struct receiver_sink *)sink, time, what, packet, arg);
}

/* The device is advanced behind the processor's back: what it did is earlier than what is noted. */
static void emit_device(struct event_sink *device_sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct receiver_sink *sink =
		(struct receiver_sink *)((char *)device_sink -
					 offsetof(struct receiver_sink, device_sink));

	sink->to.events++;
	if (sink->to.writer)
		sink->to.writer->sink.emit(&sink->to.writer->sink, cpu, time, what, packet, arg);
}

void receiver_sink_init(struct receiver_sink *sink)
{
	sink->sink.emit = emit;
	sink->device_sink.emit = emit_device;
	sink->to.sink.emit = scenario_emit;
	sink->first = true;
}

struct receiver_note *receiver_note(struct receiver_sink *sink, uint64_t time, enum event_id id,
	uint32_t bytes, uint64_t packet, uint64_t arg)
{
	keep(sink, time,
		id | (uint64_t)DEVICE << 16 | (uint64_t)EVENT_NO_QUEUE << 24 |
			(uint64_t)bytes << 32,
		packet, arg);
	return &sink->note[sink->count - 1];
}

/* The first packet of a poll finds other work's data in the caches. */
static bool is_later(struct receiver_sink *sink, const struct event *event)
{
	bool left_out;

	if (event->id == EVENT_SOFTIRQ_ENTRY)
		sink->first = true;
	if (event->id == EVENT_RECEIVE_BEGIN && sink->first)
		sink->left_out = true;
	left_out = sink->left_out;
	if (event->id == EVENT_RECEIVE_END)
		sink->first = sink->left_out = false;
	return !left_out;
}

void receiver_file(struct receiver_sink *sink)
{
	for (unsigned i = 0; i < sink->count; i++) {
		const struct receiver_note *note = &sink->note[i];
		struct event event = event_of(note->time, note->what, note->packet, note->arg);
		int error = rxcost_event(sink->all, RECEIVER_CPU, &event);

		if (!error && is_later(sink, &event))
			error = rxcost_event(sink->later, RECEIVER_CPU, &event);
		if (error)
			sink->to.error = error;
		sink->to.sink.emit(&sink->to.sink, RECEIVER_CPU, note->time, note->what,
			note->packet, note->arg);
	}
	sink->count = 0;
}
