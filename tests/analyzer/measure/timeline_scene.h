/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes for the timeline, and what is expected of it next. */
#ifndef TESTS_ANALYZER_MEASURE_TIMELINE_SCENE_H
#define TESTS_ANALYZER_MEASURE_TIMELINE_SCENE_H

#include "scene.h"
#include "timeline.h"

static struct timeline *timeline;

#define CPU_EVENT(cpu, time, id, arg) AT(cpu, time, id, EVENT_NO_DEVICE, NO_QUEUE, 0, 0, arg)
#define IRQ_IN(cpu, time, irq)        CPU_EVENT(cpu, time, IRQ_ENTRY, irq)
#define IRQ_OUT(cpu, time, irq)       CPU_EVENT(cpu, time, IRQ_EXIT, irq)
#define RAISED(cpu, time)             CPU_EVENT(cpu, time, SOFTIRQ_RAISE, 3)
#define SOFTIRQ_IN(cpu, time)         CPU_EVENT(cpu, time, SOFTIRQ_ENTRY, 3)
#define SOFTIRQ_OUT(cpu, time)        CPU_EVENT(cpu, time, SOFTIRQ_EXIT, 3)
#define POLLED(cpu, time, dev, work) \
	AT(cpu, time, NAPI_POLL, dev, NO_QUEUE, 0, 0, UINT64_C(64) << 32 | (work))
#define RECEIVED(cpu, time, dev, packet) AT(cpu, time, RECEIVE, dev, NO_QUEUE, packet, 60, 0)
#define NETIF_RX(cpu, time, packet)      AT(cpu, time, RECEIVE, LO, NO_QUEUE, packet, 60, 1)

#define COPIED(time, packet, task) AT(1, time, COPY, EVENT_NO_DEVICE, NO_QUEUE, packet, 60, task)

static void play(bool frees_only, const struct scene_event *events, size_t count)
{
	struct timeline_options options = {
		.receive = true, .transmit = true, .frees_only = frees_only
	};

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	for (uint32_t i = 0; i < SCENE_DEVICES; i++)
		CU_ASSERT_EQUAL_FATAL(names_set(scene_names, NAME_DEVICE, i, scene_device_names[i],
					      strlen(scene_device_names[i])),
			0);
	CU_ASSERT_EQUAL_FATAL(timeline_create(&timeline, &options, scene_names), 0);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(timeline_event(timeline, events[i].cpu, &events[i].event), 0);
	CU_ASSERT_EQUAL_FATAL(timeline_finish(timeline), 0);
}

#define PLAY_TIMELINE(frees_only, ...)                                \
	play(frees_only, (const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

static const struct timeline_item *next_softirq(void)
{
	int error;
	const struct timeline_item *head = timeline_next_softirq(timeline, &error);

	CU_ASSERT_EQUAL(error, 0);
	return head;
}

/* The next softirq, which must be there, with so many items, of which so many led to it. */
static const struct timeline_item *expect_softirq(uint64_t entry, uint32_t items, uint16_t causes)
{
	const struct timeline_item *head = next_softirq();

	CU_ASSERT_PTR_NOT_NULL_FATAL(head);
	CU_ASSERT_EQUAL(head->kind, TIMELINE_SOFTIRQ);
	CU_ASSERT_EQUAL(head->time, entry);
	CU_ASSERT_EQUAL_FATAL(head->len, items);
	CU_ASSERT_EQUAL(head->causes, causes);
	return head;
}

static void expect_item(
	const struct timeline_item *item, enum timeline_kind kind, uint64_t time, uint64_t what)
{
	CU_ASSERT_EQUAL(item->kind, kind);
	CU_ASSERT_EQUAL(item->time, time);
	CU_ASSERT_EQUAL(item->what, what);
}

static void expect_end(
	const struct timeline_item *item, enum timeline_end how, uint64_t time, uint32_t name)
{
	CU_ASSERT_EQUAL(item->kind, TIMELINE_RECEIVE);
	CU_ASSERT_EQUAL(item->how, how);
	CU_ASSERT_EQUAL(item->end, time);
	CU_ASSERT_EQUAL(item->name, name);
}

static const struct timeline_packet *next_packet(void)
{
	int error;
	const struct timeline_packet *packet = timeline_next_packet(timeline, &error);

	CU_ASSERT_EQUAL(error, 0);
	return packet;
}

static const struct timeline_packet *expect_packet(
	uint64_t queued, uint64_t start, uint64_t xmit, uint64_t end, enum timeline_end how)
{
	const struct timeline_packet *packet = next_packet();

	CU_ASSERT_PTR_NOT_NULL_FATAL(packet);
	CU_ASSERT_EQUAL(packet->queued, queued);
	CU_ASSERT_EQUAL(packet->start, start);
	CU_ASSERT_EQUAL(packet->xmit, xmit);
	CU_ASSERT_EQUAL(packet->end, end);
	CU_ASSERT_EQUAL(packet->how, how);
	return packet;
}

/* All that is handed out was looked at. */
static void end(void)
{
	CU_ASSERT_PTR_NULL(next_softirq());
	CU_ASSERT_PTR_NULL(next_packet());
	timeline_destroy(timeline);
	names_destroy(scene_names);
	scene_names = NULL;
}

#define NEVER TIMELINE_UNKNOWN

#endif
