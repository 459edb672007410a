/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short scenes for the transmit measure: a table of events, played at 1 GHz (so a cycle is a
 * nanosecond), and the report that comes of it.
 */
#ifndef TESTS_ANALYZER_MEASURE_SCENE_H
#define TESTS_ANALYZER_MEASURE_SCENE_H

#include "harness.h"
#include "transmit.h"
#include <string.h>

enum scene_device { ETH0, ETH1, BOND0, VETH0, LO, VLAN, SCENE_DEVICES };

struct scene_event {
	unsigned cpu;
	struct event event;
};

#define NO_QUEUE      EVENT_NO_QUEUE
#define NO_QUEUE_HIGH (UINT64_C(255) << 48) /* of a start: queue_high */

/* One event each. Times in ns. */
#define AT(cpu_, time_, id_, device_, queue_, packet_, len_, arg_)                            \
	{                                                                                     \
		cpu_,                                                                         \
		{                                                                             \
			.time = time_, .id = EVENT_##id_, .device = device_, .queue = queue_, \
			.len = len_, .packet = packet_, .arg = arg_                           \
		}                                                                             \
	}
#define QUEUED(time, dev, packet) AT(0, time, QUEUE, dev, NO_QUEUE, packet, 60, 0)
#define START(cpu, time, dev, packet) \
	AT(cpu, time, START_XMIT, dev, NO_QUEUE, packet, 60, NO_QUEUE_HIGH)
#define START_ON(queue, time, dev, packet) AT(0, time, START_XMIT, dev, queue, packet, 60, 0)
#define XMIT(cpu, time, dev, packet, rc) \
	AT(cpu, time, XMIT, dev, NO_QUEUE, packet, 60, (uint32_t)(rc))
#define FREE(cpu, time, packet) AT(cpu, time, FREE, EVENT_NO_DEVICE, NO_QUEUE, packet, 0, 0)
#define DROP(cpu, time, packet, reason) \
	AT(cpu, time, FREE, EVENT_NO_DEVICE, NO_QUEUE, packet, 0, reason)
#define ABORT(cpu, time, packet) \
	AT(cpu, time, FREE, EVENT_NO_DEVICE, NO_QUEUE, packet, 0, UINT64_C(1) << 16)
#define RECEIVE(time, dev, packet) AT(0, time, RECEIVE, dev, NO_QUEUE, packet, 60, 0)
#define LOST(cpu, time)            AT(cpu, time, LOST, EVENT_NO_DEVICE, NO_QUEUE, 0, 0, 1)
#define OTHER(time)                AT(0, time, IRQ_ENTRY, EVENT_NO_DEVICE, NO_QUEUE, 0, 0, 0)

#define BUSY    0x10
#define SECONDS UINT64_C(1000000000)

static struct names *scene_names;
static struct transmit *scene_transmit;

static const char *const scene_device_names[SCENE_DEVICES] = {
	[ETH0] = "eth0",
	[ETH1] = "eth1",
	[BOND0] = "bond0",
	[VETH0] = "veth0",
	[LO] = "lo",
	[VLAN] = "eth0.7",
};

/* Names of the devices by their number. */
static inline const char *scene_device_name(enum scene_device device)
{
	return scene_device_names[device];
}

/* The defaults: 1 GHz, stalls of 2 s. */
static inline struct transmit_options scene_options(void)
{
	return (struct transmit_options){ .hz = SECONDS, .stall_cycles = 2 * SECONDS };
}

/* Plays the events; the report lives until scene_end. */
static inline const struct transmit_report *scene_play(
	const struct transmit_options *options, const struct scene_event *events, size_t count)
{
	struct transmit_options defaults = scene_options();
	const struct transmit_report *report = NULL;

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	for (uint32_t i = 0; i < SCENE_DEVICES; i++)
		CU_ASSERT_EQUAL_FATAL(names_set(scene_names, NAME_DEVICE, i, scene_device_names[i],
					      strlen(scene_device_names[i])),
			0);
	CU_ASSERT_EQUAL_FATAL(
		transmit_create(&scene_transmit, options ? options : &defaults, scene_names), 0);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(
			transmit_event(scene_transmit, events[i].cpu, &events[i].event), 0);
	CU_ASSERT_EQUAL_FATAL(transmit_finish(scene_transmit, &report), 0);
	return report;
}

/* The device's table; fails the test if the report has none. */
static inline const struct transmit_table *scene_device(
	const struct transmit_report *report, enum scene_device device)
{
	for (unsigned i = 0; i < report->device_count; i++) {
		if (!strcmp(report->devices[i].name, scene_device_names[device]))
			return &report->devices[i];
	}
	CU_FAIL_FATAL("no such device in the report");
	return NULL;
}

/* Every packet is accounted for, and no lap is without a packet. */
static inline bool scene_reconciles(const struct transmit_table *table)
{
	return table->started == table->freed + table->delivered + table->refused + table->aborted +
					 table->unresolved + table->clock_anomalies +
					 table->at_end &&
	       table->tx_packets == table->freed + table->delivered;
}

/* Ends the scene; every test does. */
static inline void scene_end(void)
{
	transmit_destroy(scene_transmit);
	names_destroy(scene_names);
	scene_transmit = NULL;
	scene_names = NULL;
}

#define PLAY(options, ...)                                               \
	scene_play(options, (const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

#endif
