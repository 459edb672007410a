/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A slow matcher to compare the measure with, written the other way round. The measure goes through
 * the events once and keeps a table; here each start looks ahead through the whole list for what
 * became of it, and the number in a device is counted anew for every event.
 */
#ifndef TESTS_ANALYZER_MEASURE_SLOW_MATCH_H
#define TESTS_ANALYZER_MEASURE_SLOW_MATCH_H

#include "scene.h"

#define EVENTS    48    /* a scene has at most */
#define WINDOW    10000 /* ns: clocks may disagree by */
#define ADDRESSES 5
#define CPUS      3
#define CAPACITY  2
#define NEVER     EVENTS

static struct scene_event events[EVENTS];
static int count;

enum fate { IN_DEVICE, FREED, DELIVERED, ABORTED, UNRESOLVED, ANOMALY, RETRIED, REFUSED };

/* One start and what became of it. */
struct lap {
	int start, end, returns; /* numbers of events, or NEVER */
	uint64_t end_time;
	enum fate fate;
	bool suspect, first_suspect;
	bool hidden;  /* never counted as in the device */
	bool expired; /* before the event `end` */
};

static struct lap laps[EVENTS];
static int lap_count;
static struct transmit_options options;

static const struct event *at(int i)
{
	return &events[i].event;
}

static bool is(int i, enum event_id id)
{
	return at(i)->id == id;
}

static bool same_packet(int i, int j)
{
	return at(i)->packet == at(j)->packet;
}

static bool same_device(int i, int j)
{
	return at(i)->device == at(j)->device;
}

/* The event that reports the return of a driver call: calls nest on their CPU. */
static int find_return(int start)
{
	int depth = 1;

	for (int i = start + 1; i < count; i++) {
		if (is(i, EVENT_LOST))
			return NEVER;
		if (events[i].cpu != events[start].cpu || !same_packet(i, start) ||
			!same_device(i, start))
			continue;
		depth += is(i, EVENT_START_XMIT) - is(i, EVENT_XMIT);
		if (!depth)
			return i;
	}
	return NEVER;
}

static uint32_t return_code(const struct lap *lap)
{
	return lap->returns == NEVER ? 0 : (uint32_t)at(lap->returns)->arg;
}

static bool failed(const struct lap *lap)
{
	return lap->fate == RETRIED || lap->fate == REFUSED;
}

/* Whether a lap was taken for open just before an event. */
static bool open_before(const struct lap *lap, int i)
{
	return lap->start < i && (lap->end > i || (lap->end == i && !lap->expired));
}

/* Whether a packet has been delivered and waits for the free of its memory, before an event. */
static bool awaits_free(const struct lap *lap, int event)
{
	if (lap->end >= event || lap->expired || !is(lap->end, EVENT_RECEIVE))
		return false;
	if (return_code(lap) && lap->returns < event)
		return false;
	for (int i = lap->end + 1; i < event; i++) {
		if (is(i, EVENT_LOST))
			return false;
		if (same_packet(i, lap->start) &&
			(is(i, EVENT_FREE) ||
				(is(i, EVENT_START_XMIT) && same_device(i, lap->start))))
			return false;
	}
	return true;
}

static bool found_nothing(int free_event)
{
	for (int k = 0; k < lap_count; k++) {
		if (same_packet(laps[k].start, free_event) &&
			(open_before(&laps[k], free_event) || awaits_free(&laps[k], free_event)))
			return false;
	}
	return true;
}

/* Whether a start came back by an event, and its packet was queued again by that. */
static bool came_back(int start, int event)
{
	const struct lap *lap = laps;

	while (lap->start != start)
		lap++;
	return lap->fate == RETRIED && lap->returns < event &&
	       (lap->end == lap->returns || is(lap->end, EVENT_RECEIVE)) && !lap->expired;
}

/* Whether the packet of a free was queued before it, at any device. */
static bool found_queued(int free_event)
{
	bool passed[SCENE_DEVICES] = { false };

	for (int i = free_event - 1; i >= 0; i--) {
		if (is(i, EVENT_LOST) || (is(i, EVENT_FREE) && same_packet(i, free_event)))
			return false;
		if (!same_packet(i, free_event) || is(i, EVENT_RECEIVE) || passed[at(i)->device])
			continue;
		if (is(i, EVENT_QUEUE))
			return true;
		if (is(i, EVENT_START_XMIT) && came_back(i, free_event))
			return true;
		passed[at(i)->device] |= is(i, EVENT_START_XMIT);
	}
	return false;
}

/* Whether no start between a free and another start has it, but for those that failed. */
static bool is_left_for(int free_event, int start)
{
	int from = free_event;

	for (int k = 0; k < lap_count; k++) {
		if (laps[k].start < from || !same_packet(laps[k].start, start))
			continue;
		if (laps[k].fate != RETRIED || laps[k].returns > start)
			return false;
		from = laps[k].returns;
	}
	return true;
}

static bool is_suspect(struct lap *lap)
{
	bool queued = false;

	for (int i = lap->start - 1; i >= 0; i--) {
		if (at(lap->start)->time - at(i)->time > WINDOW || is(i, EVENT_LOST))
			break;
		if (!same_packet(i, lap->start))
			continue;
		if (is(i, EVENT_FREE) && events[i].cpu != events[lap->start].cpu &&
			found_nothing(i) && !(queued && found_queued(i)) &&
			is_left_for(i, lap->start))
			lap->first_suspect = true;
		queued |= is(i, EVENT_QUEUE);
	}
	for (int k = 0; k < lap_count; k++) {
		if (laps[k].suspect && same_packet(laps[k].start, lap->start) &&
			laps[k].end > lap->start)
			return true;
	}
	return lap->first_suspect;
}

/* The same packet starts again at this device, or at one that it had passed before. */
static bool replaces(int i, const struct lap *lap)
{
	if (!is(i, EVENT_START_XMIT) || !same_packet(i, lap->start))
		return false;
	if (same_device(i, lap->start))
		return true;
	for (int k = 0; k < lap_count; k++) {
		if (&laps[k] != lap && laps[k].start < lap->start &&
			same_packet(laps[k].start, i) && same_device(laps[k].start, i) &&
			open_before(&laps[k], i))
			return true;
	}
	return false;
}

static void ends(struct lap *lap, int i, enum fate fate, uint64_t time)
{
	lap->end = i;
	lap->fate = fate;
	lap->end_time = time;
}

/* By its name, or in the driver's call. */
static bool delivers(const struct lap *lap, int receive)
{
	return at(lap->start)->device == VETH0 ||
	       (events[receive].cpu == events[lap->start].cpu && receive < lap->returns);
}

static void look_ahead(struct lap *lap)
{
	uint64_t limit = at(lap->start)->time + options.expire_cycles;

	for (int i = lap->start + 1; i < count && lap->end == NEVER; i++) {
		uint64_t now = at(i)->time;

		lap->expired = options.expire_cycles && now > limit;
		if (lap->expired)
			ends(lap, i, UNRESOLVED, limit);
		else if (i == lap->returns && return_code(lap))
			ends(lap, i, RETRIED, now);
		else if (is(i, EVENT_LOST))
			ends(lap, i, UNRESOLVED, now);
		else if (replaces(i, lap))
			ends(lap, i, UNRESOLVED, now);
		else if (is(i, EVENT_FREE) && same_packet(i, lap->start))
			ends(lap, i, EVENT_GET(FREE, aborted, at(i)->arg) ? ABORTED : FREED, now);
		else if (is(i, EVENT_RECEIVE) && same_packet(i, lap->start) && delivers(lap, i))
			ends(lap, i, DELIVERED, now);
	}
	if (lap->suspect && (lap->fate == IN_DEVICE || lap->fate == UNRESOLVED)) {
		lap->hidden = true;
		if (lap->end == NEVER || !is(lap->end, EVENT_LOST) || lap->expired)
			lap->fate = ANOMALY;
	}
	if (return_code(lap))
		lap->fate = return_code(lap) == BUSY ? RETRIED : REFUSED;
	lap->hidden |= failed(lap);
}

static void match(void)
{
	lap_count = 0;
	for (int i = 0; i < count; i++) {
		struct lap *lap = &laps[lap_count];

		if (!is(i, EVENT_START_XMIT))
			continue;
		*lap = (struct lap){ .start = i, .end = NEVER };
		lap->returns = find_return(i);
		lap->suspect = is_suspect(lap);
		lap_count++;
		look_ahead(lap);
	}
}

/* Packets in a device just after an event. */
static uint64_t inside(unsigned device, int i)
{
	uint64_t packets = 0;

	for (int k = 0; k < lap_count; k++)
		packets += at(laps[k].start)->device == device && !laps[k].hidden &&
			   laps[k].start <= i && laps[k].end > i;
	return packets;
}

static uint64_t inside_any(int i)
{
	uint64_t packets = 0;

	for (uint64_t packet = 0; packet < ADDRESSES; packet++) {
		bool any = false;

		for (int k = 0; k < lap_count; k++)
			any |= at(laps[k].start)->packet == packet * 256 && !laps[k].hidden &&
			       laps[k].start <= i && laps[k].end > i;
		packets += any;
	}
	return packets;
}

static bool ends_seen(const struct lap *lap)
{
	return lap->fate == FREED || lap->fate == DELIVERED || lap->fate == ABORTED;
}

#endif
