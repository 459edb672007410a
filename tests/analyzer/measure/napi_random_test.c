/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measure against a slow one, on random scenes. The measure keeps a state for each CPU; here
 * each softirq looks ahead for its end, and then at all that lies between.
 */
#include "napi.h"

#include "scene.h"
#include <stdio.h>
#include <stdlib.h>

#define SCENES  20000
#define EVENTS  60
#define CPUS    2
#define NET_RX  3
#define BUDGET  100
#define USECS   2
#define UNKNOWN EVENT_WORK_UNKNOWN

static struct scene_event events[EVENTS];
static uint64_t state;

static struct {
	uint64_t softirqs, packets, time, repolls, doubtful;
	uint64_t timed[2], time_sum[2]; /* of eth0 and eth1 */
} slow;

static unsigned below(unsigned limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % limit;
}

static void make_scene(uint64_t seed)
{
	static const uint16_t ids[] = { EVENT_SOFTIRQ_ENTRY, EVENT_SOFTIRQ_EXIT, EVENT_NAPI_POLL,
		EVENT_NAPI_POLL, EVENT_NAPI_POLL, EVENT_SOFTIRQ_RAISE, EVENT_SOFTIRQ_RAISE,
		EVENT_IRQ_ENTRY, EVENT_IRQ_EXIT };
	static const uint32_t works[] = { 0, 1, 40, 64, UNKNOWN };
	uint64_t now = 1000;

	state = seed;
	for (unsigned i = 0; i < EVENTS; i++) {
		uint16_t id = below(100) ? ids[below(9)] : EVENT_LOST;
		struct event event = { .time = now += below(900),
			.id = id,
			.device = (uint8_t)(id == EVENT_NAPI_POLL ? below(2) : EVENT_NO_DEVICE),
			.queue = NO_QUEUE };

		if (id == EVENT_NAPI_POLL)
			event.arg = EVENT_PUT(NAPI_POLL, work, works[below(5)]);
		else if (id != EVENT_IRQ_ENTRY && id != EVENT_IRQ_EXIT && id != EVENT_LOST)
			event.arg = below(6) ? NET_RX : 2;
		events[i] = (struct scene_event){ below(CPUS), event };
	}
}

static bool is(unsigned i, enum event_id id)
{
	return events[i].event.id == id;
}

/* Where the softirq that begins at `first` is over; EVENTS: not in this trace. */
static unsigned end_of(unsigned first)
{
	for (unsigned i = first + 1; i < EVENTS; i++) {
		if (is(i, EVENT_LOST))
			return i;
		if (events[i].cpu == events[first].cpu &&
			(is(i, EVENT_SOFTIRQ_ENTRY) || is(i, EVENT_SOFTIRQ_EXIT)))
			return i;
	}
	return EVENTS;
}

/* Time of the last raise of its own after the event `last`; 0 if there is none. */
static uint64_t own_raise(unsigned last, unsigned end)
{
	uint64_t raised = 0;
	int hard_irqs = 0;

	for (unsigned i = last + 1; i < end; i++) {
		if (events[i].cpu != events[last].cpu)
			continue;
		if (is(i, EVENT_IRQ_ENTRY))
			hard_irqs++;
		else if (is(i, EVENT_IRQ_EXIT) && hard_irqs)
			hard_irqs--;
		else if (is(i, EVENT_SOFTIRQ_RAISE) && !hard_irqs && events[i].event.arg == NET_RX)
			raised = events[i].event.time;
	}
	return raised;
}

static void look_at(unsigned first)
{
	unsigned end = end_of(first), last = first;
	uint64_t work = 0, raised;
	bool unknown = false;

	slow.softirqs++;
	for (unsigned i = first + 1; i < end; i++) {
		uint32_t done = (uint32_t)events[i].event.arg;

		if (events[i].cpu != events[first].cpu || !is(i, EVENT_NAPI_POLL))
			continue;
		slow.timed[events[i].event.device]++;
		if (done != UNKNOWN)
			slow.time_sum[events[i].event.device] +=
				events[i].event.time - events[last].event.time;
		unknown |= done == UNKNOWN;
		work += done == UNKNOWN ? 0 : done;
		last = i;
	}
	raised = last == first ? 0 : own_raise(last, end);
	if (work >= BUDGET) {
		slow.packets++;
	} else if (raised && end < EVENTS && !is(end, EVENT_LOST)) {
		bool late = raised - events[first].event.time >= 1000 * USECS;

		slow.time += late;
		slow.repolls += !late;
		slow.doubtful += !late && unknown;
	}
}

static bool devices_agree(const struct napi_report *report)
{
	for (unsigned i = 0; i < report->device_count; i++) {
		const struct napi_device *device = &report->devices[i];
		unsigned number = strcmp(device->name, "eth0") ? 1 : 0;

		if (device->time.count != slow.timed[number] ||
			device->time_sum != (double)slow.time_sum[number])
			return false;
	}
	return true;
}

static bool scene_agrees(uint64_t seed)
{
	struct napi_options options = { .hz = SECONDS, .budget = BUDGET, .budget_usecs = USECS };
	const struct napi_report *report;
	struct napi *napi;
	bool good = true;

	make_scene(seed);
	memset(&slow, 0, sizeof(slow));
	for (unsigned i = 0; i < EVENTS; i++) {
		if (is(i, EVENT_SOFTIRQ_ENTRY) && events[i].event.arg == NET_RX)
			look_at(i);
	}
	CU_ASSERT_EQUAL_FATAL(napi_create(&napi, &options, scene_names), 0);
	for (unsigned i = 0; i < EVENTS; i++)
		good &= !napi_event(napi, events[i].cpu, &events[i].event);
	good &= !napi_finish(napi, &report);
	good &= report->softirqs == slow.softirqs && report->squeezed_by_packets == slow.packets &&
		report->squeezed_by_time == slow.time && report->repolls == slow.repolls &&
		report->doubtful == slow.doubtful && devices_agree(report);
	napi_destroy(napi);
	if (!good)
		printf("seed %llu\n", (unsigned long long)seed);
	return good;
}

static void softirqs_and_times_agree(void)
{
	uint64_t squeezes = 0, repolls = 0;

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	for (uint32_t i = 0; i < 2; i++)
		names_set(scene_names, NAME_DEVICE, i, scene_device_names[i],
			strlen(scene_device_names[i]));
	for (uint64_t seed = 1; seed <= SCENES; seed++) {
		CU_ASSERT_FATAL(scene_agrees(seed));
		squeezes += slow.packets + slow.time;
		repolls += slow.repolls;
	}
	CU_ASSERT(squeezes > 1000 && repolls > 1000); /* or the scenes show nothing */
	names_destroy(scene_names);
}

static const struct test_case cases[] = {
	{ "softirqs and times agree", softirqs_and_times_agree },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "random", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
