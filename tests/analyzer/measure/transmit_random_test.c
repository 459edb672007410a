/* SPDX-License-Identifier: BSD-3-Clause */
/* The measure against a slow one (slow_match.h), on random scenes of all kinds of events. */
#include "transmit.h"

#include "slow_match.h"
#include <stdio.h>
#include <stdlib.h>

#define SCENES 100000

/* Compares the stalls one after the other. */
static bool stalls_agree(const struct transmit_table *table, unsigned device)
{
	uint64_t progress = 0, before = 0, end = at(count - 1)->time;
	unsigned found = 0;

	for (int i = 0; i < count; i++) {
		uint64_t now = at(i)->time, after = inside(device, i);
		bool freed = false;

		for (int k = 0; k < lap_count; k++) {
			const struct lap *lap = &laps[k];

			if (at(lap->start)->device != device || lap->end != i || lap->hidden)
				continue;
			freed |= ends_seen(lap);
			before -= lap->expired;
		}
		if (freed && now - progress >= options.stall_cycles) {
			if (found >= table->stall_count || table->stalls[found].start != progress ||
				table->stalls[found].end != now ||
				table->stalls[found].packets != before)
				return false;
			found++;
		}
		if (freed || (!before && after))
			progress = now;
		before = after;
	}
	if (before && end - progress >= options.stall_cycles)
		return ++found == table->stall_count && table->stalls[found - 1].open &&
		       table->stalls[found - 1].end == end;
	return found == table->stall_count;
}

/* Of the time from the device's first event to its last, that with CAPACITY packets inside. */
static bool time_share_agrees(const struct transmit_table *table, unsigned device)
{
	uint64_t full = 0, span = table->last_event - table->first_event;

	/* what delivers has no capacity */
	if (options.expire_cycles || device == VETH0 || table->delivered || !span)
		return true;
	for (int i = 0; i + 1 < count; i++) {
		uint64_t until = at(i + 1)->time;

		until = until < table->last_event ? until : table->last_event;
		if (until > at(i)->time && inside(device, i) >= CAPACITY)
			full += until - at(i)->time;
	}
	return table->full_time_share - (double)full / (double)span < 1e-9 &&
	       (double)full / (double)span - table->full_time_share < 1e-9;
}

/* Packets with a lap, each at the last device that it was handed to before it was freed. */
static uint64_t count_total(void)
{
	uint64_t packets = 0;

	for (int i = 0; i < lap_count; i++) {
		const struct lap *lap = &laps[i];
		bool last = lap->fate == FREED || lap->fate == DELIVERED;

		for (int k = i + 1; k < lap_count; k++) {
			int start = laps[k].start;

			if (same_packet(lap->start, start) && !same_device(lap->start, start) &&
				(lap->end > start || awaits_free(lap, start)))
				last = false;
		}
		packets += last;
	}
	return packets;
}

static bool device_agrees(const struct transmit_table *table, unsigned device)
{
	uint64_t fates[REFUSED + 1] = { 0 }, early = 0, most = 0, longest = 0, sum = 0;

	for (int k = 0; k < lap_count; k++) {
		const struct lap *lap = &laps[k];
		bool freed = false;

		if (at(lap->start)->device != device)
			continue;
		fates[lap->fate]++;
		if (lap->fate == FREED || lap->fate == DELIVERED) {
			uint64_t time = lap->end_time - at(lap->start)->time;

			sum += time;
			longest = time > longest ? time : longest;
		}
		for (int i = lap->end; i < lap->returns && lap->returns != NEVER; i++)
			freed |= is(i, EVENT_FREE) && same_packet(i, lap->start) &&
				 (i == lap->end ? !lap->expired : awaits_free(lap, i));
		early += freed;
	}
	for (int i = 0; i < count; i++)
		most = inside(device, i) > most ? inside(device, i) : most;
	return table->freed == fates[FREED] && table->delivered == fates[DELIVERED] &&
	       table->aborted == fates[ABORTED] && table->unresolved == fates[UNRESOLVED] &&
	       table->clock_anomalies == fates[ANOMALY] && table->refused == fates[REFUSED] &&
	       table->at_end == fates[IN_DEVICE] && table->in_device_max == most &&
	       table->free_before_xmit_return == early && table->lap.max == longest &&
	       table->lap.avg * (double)table->lap.count - (double)sum < 1e-3 &&
	       (double)sum - table->lap.avg * (double)table->lap.count < 1e-3 &&
	       table->retries >= fates[RETRIED] && scene_reconciles(table) &&
	       stalls_agree(table, device) && time_share_agrees(table, device);
}

static uint64_t state;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % limit);
}

struct call {
	uint8_t device;
	uint64_t packet;
};

static struct call calls[CPUS][2];
static int depth[CPUS];

static void put(
	unsigned cpu, uint64_t now, enum event_id id, uint8_t device, uint64_t packet, uint64_t arg)
{
	events[count++] = (struct scene_event){ cpu, { .time = now,
							     .id = (uint16_t)id,
							     .device = device,
							     .queue = NO_QUEUE,
							     .len = 60,
							     .packet = packet,
							     .arg = arg } };
}

static void go_in(unsigned cpu, uint64_t now, uint8_t device, uint64_t packet)
{
	calls[cpu][depth[cpu]++] = (struct call){ device, packet };
	put(cpu, now, EVENT_START_XMIT, device, packet, NO_QUEUE_HIGH);
}

/* What a CPU may do next: it returns, calls the device below, or starts a packet. */
static void step_call(unsigned cpu, uint64_t now, bool all_succeed)
{
	static const uint8_t devices[] = { ETH0, ETH0, BOND0, VETH0 };
	static const uint32_t codes[] = { 0, 0, 0, 0, BUSY, BUSY, 1 };

	if (depth[cpu]) {
		struct call *call = &calls[cpu][depth[cpu] - 1];

		if (call->device == BOND0 && depth[cpu] == 1 && below(2)) {
			go_in(cpu, now, ETH0, call->packet);
			return;
		}
		put(cpu, now, EVENT_XMIT, call->device, call->packet,
			all_succeed ? 0 : codes[below(7)]);
		depth[cpu]--;
		return;
	}
	go_in(cpu, now, devices[below(4)], 256 * below(ADDRESSES));
}

static void step(uint64_t now, bool all_succeed, bool lossless)
{
	static const uint64_t reasons[] = { 0, 0, 0, 3, 1 << 16 };
	unsigned cpu = below(CPUS), what = below(100);

	if (what < 55)
		step_call(cpu, now, all_succeed);
	else if (what < 80)
		put(cpu, now, EVENT_FREE, EVENT_NO_DEVICE, 256 * below(ADDRESSES),
			reasons[below(5)]);
	else if (what < 90)
		put(cpu, now, EVENT_RECEIVE, ETH1, 256 * below(ADDRESSES), 0);
	else if (what < 98 || lossless)
		put(cpu, now, EVENT_QUEUE, below(2) ? ETH0 : BOND0, 256 * below(ADDRESSES), 0);
	else
		put(cpu, now, EVENT_LOST, EVENT_NO_DEVICE, 0, 1);
}

static void make_scene(uint64_t seed, bool all_succeed)
{
	int length = 5 + (int)(seed % (EVENTS - 5));
	bool slow = seed % 3 == 0, lossless = seed % 2 == 0;
	uint64_t now = 100;

	state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	count = 0;
	memset(depth, 0, sizeof(depth));
	options = scene_options();
	options.capacity = CAPACITY;
	options.stall_cycles = slow ? 40000 : 2 * SECONDS;
	options.expire_cycles = seed % 5 == 0 ? 50000 : 0;
	/* so that it is known from the beginning that there are starts, and returns */
	put(0, now, EVENT_START_XMIT, ETH0, 0, NO_QUEUE_HIGH);
	put(0, now, EVENT_XMIT, ETH0, 0, 0);
	while (count < length) {
		now += below(4) ? below(4000) : below(slow ? 60000 : 20000);
		step(now, all_succeed, lossless);
	}
}

static void describe(uint64_t seed)
{
	printf("seed %llu, expire %llu\n", (unsigned long long)seed,
		(unsigned long long)options.expire_cycles);
	for (int i = 0; i < count; i++)
		printf("%3d cpu %u %8llu %-10s device %u packet %llu arg %llx\n", i, events[i].cpu,
			(unsigned long long)at(i)->time, event_name(at(i)->id), at(i)->device,
			(unsigned long long)at(i)->packet / 256, (unsigned long long)at(i)->arg);
	for (int k = 0; k < lap_count; k++)
		printf("lap %d to %d, returns %d, fate %d%s\n", laps[k].start, laps[k].end,
			laps[k].returns, laps[k].fate, laps[k].suspect ? " suspect" : "");
}

static bool scene_agrees(uint64_t seed, bool all_succeed)
{
	static const unsigned devices[] = { ETH0, BOND0, VETH0 };
	const struct transmit_report *report;
	uint64_t most = 0, anomalies = 0;
	bool good = true;

	make_scene(seed, all_succeed);
	match();
	report = scene_play(&options, events, (size_t)count);
	for (unsigned i = 0; i < report->device_count; i++) {
		for (size_t d = 0; d < sizeof(devices) / sizeof(*devices); d++) {
			if (!strcmp(report->devices[i].name, scene_device_name(devices[d])))
				good &= device_agrees(&report->devices[i], devices[d]);
		}
	}
	for (int i = 0; i < count; i++)
		most = inside_any(i) > most ? inside_any(i) : most;
	for (int k = 0; k < lap_count; k++)
		anomalies += laps[k].fate == ANOMALY && laps[k].first_suspect;
	good &= report->total_in_device_max == most;
	good &= report->clock_anomalies == anomalies;
	good &= !all_succeed || report->total_tx_packets == count_total();
	scene_end();
	if (!good)
		describe(seed);
	return good;
}

static void all_driver_calls_succeed(void)
{
	for (uint64_t seed = 1; seed <= SCENES / 2; seed++)
		CU_ASSERT_FATAL(scene_agrees(seed, true));
}

static void driver_calls_are_busy_or_refuse(void)
{
	for (uint64_t seed = 1; seed <= SCENES / 2; seed++)
		CU_ASSERT_FATAL(scene_agrees(seed, false));
}

static bool is_sound(const struct transmit_table *table)
{
	return scene_reconciles(table) && table->in_device_max <= table->started &&
	       table->at_end <= table->in_device_max && table->full_time_share <= 1 &&
	       table->in_device_avg <= (double)table->in_device_max + 1e-9 &&
	       table->full_intervals <= table->intervals;
}

/* No order that a recorder would write: returns without calls, any CPU, frees of all kinds. */
static void make_nonsense(uint64_t seed, struct scene_event *made, size_t length)
{
	static const enum event_id ids[] = { EVENT_QUEUE, EVENT_START_XMIT, EVENT_START_XMIT,
		EVENT_XMIT, EVENT_XMIT, EVENT_FREE, EVENT_FREE, EVENT_RECEIVE, EVENT_LOST };
	static const uint32_t codes[] = { 0, 0, 0, BUSY, 1, (uint32_t)-12 };
	static const uint8_t queues[] = { 0, 1, 7, NO_QUEUE };
	bool starts = seed % 4 != 0;
	uint64_t now = 0;

	state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (size_t i = 0; i < length; i++) {
		enum event_id id = ids[below(below(50) ? 8 : 9)];

		now += below(5) ? below(3000) : below(9) ? below(50000) : 3 * SECONDS;
		if (id == EVENT_START_XMIT && !starts)
			id = EVENT_XMIT;
		made[i] = (struct scene_event){ below(4),
			{ .time = now,
				.id = (uint16_t)id,
				.device = (uint8_t)below(SCENE_DEVICES),
				.queue = queues[below(4)],
				.packet = 64 * below(12),
				.len = 60 } };
		if (id == EVENT_XMIT)
			made[i].event.arg = codes[below(6)];
		else if (id == EVENT_FREE)
			made[i].event.arg = below(4) ? 0 : below(2) ? 5 : 1 << 16;
		else if (id == EVENT_START_XMIT && made[i].event.queue == NO_QUEUE)
			made[i].event.arg = NO_QUEUE_HIGH;
	}
}

static void whatever_comes_every_packet_is_accounted_for(void)
{
	static struct scene_event made[400];

	for (uint64_t seed = 1; seed <= 5000; seed++) {
		const struct transmit_report *report;
		struct transmit_options any = scene_options();
		bool good = true;

		make_nonsense(seed, made, 400);
		any.expire_cycles = seed % 3 ? 0 : 40000;
		any.capacity = 3;
		report = scene_play(&any, made, 400);
		for (unsigned i = 0; i < report->device_count; i++) {
			const struct transmit_table *device = &report->devices[i];

			good &= is_sound(device);
			for (unsigned q = 0; q < device->queue_count; q++)
				good &= is_sound(&device->queues[q]);
		}
		good &= report->total_in_device_max <= 12;
		scene_end();
		if (!good)
			printf("seed %llu\n", (unsigned long long)seed);
		CU_ASSERT_FATAL(good);
	}
}

static const struct test_case cases[] = {
	{ "all driver calls succeed", all_driver_calls_succeed },
	{ "driver calls are busy or refuse", driver_calls_are_busy_or_refuse },
	{ "whatever comes, every packet is accounted for",
		whatever_comes_every_packet_is_accounted_for },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "random", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
