/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder with a kernel of the test's own: its functions stand here in the place of
 * instance.c's. That kernel has two CPUs and knows the events that a case gives it.
 */
#include "recorder.h"

#include "../read/collect.h"
#include "../read/raw_formats.h"
#include "../read/ring_maker.h"
#include "instance.h"
#include <errno.h>
#include <stdlib.h>

#define CPUS       2
#define PAGES_MOST 4

/* What is enabled, and what is read of each CPU. */
static struct {
	const struct kernel_has {
		const char *name, *format;
	} * has; /* ended by a row without a name */
	struct ring_maker pages[CPUS][PAGES_MOST];
	unsigned made[CPUS], read[CPUS];
	uint64_t lost[CPUS];
	bool on, there;
	unsigned enabled;
} kernel;

struct instance {
	char nothing;
};

static struct instance the_instance;

int instance_create(
	struct instance **instance, const char *folder, unsigned buffer_kib, struct diag *diag)
{
	(void)folder;
	(void)buffer_kib;
	(void)diag;
	kernel.there = true;
	*instance = &the_instance;
	return 0;
}

int instance_enable(struct instance *instance, const struct record_event *event, char **format,
	size_t *bytes, struct diag *diag)
{
	(void)instance;
	(void)diag;
	*format = NULL;
	for (const struct kernel_has *has = kernel.has; has->name; has++) {
		if (strcmp(has->name, event->name) != 0)
			continue;
		*format = strdup(has->format);
		*bytes = strlen(has->format);
		kernel.enabled++;
		return 0;
	}
	return -ENOENT;
}

int instance_switch(struct instance *instance, bool on, struct diag *diag)
{
	(void)instance;
	(void)diag;
	kernel.on = on;
	return 0;
}

char *instance_text(struct instance *instance, const char *file, size_t *bytes)
{
	(void)instance;
	CU_ASSERT_STRING_EQUAL(file, "events/header_page");
	*bytes = strlen(ring_header_page(8));
	return strdup(ring_header_page(8));
}

unsigned instance_cpus(const struct instance *instance)
{
	(void)instance;
	return CPUS;
}

ssize_t instance_read(struct instance *instance, unsigned cpu, void *page, size_t room)
{
	(void)instance;
	if (kernel.read[cpu] == kernel.made[cpu])
		return 0;
	CU_ASSERT_FATAL(room >= RING_PAGE_BYTES);
	memcpy(page, kernel.pages[cpu][kernel.read[cpu]++].page, RING_PAGE_BYTES);
	return RING_PAGE_BYTES;
}

uint64_t instance_lost(struct instance *instance, unsigned cpu)
{
	(void)instance;
	return kernel.lost[cpu];
}

void instance_destroy(struct instance *instance)
{
	kernel.there = kernel.there && !instance;
}

static const struct kernel_has two_events[] = {
	{ "net_dev_start_xmit", FORMAT_START },
	{ "consume_skb", FORMAT_CONSUME },
	{ NULL, NULL },
};
static const struct kernel_has one_event[] = { { "consume_skb", FORMAT_CONSUME }, { NULL, NULL } };
static const struct kernel_has no_events[] = { { NULL, NULL } };

static void begin(const struct kernel_has *has)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.has = has;
}

static struct ring_maker *page(unsigned cpu, uint64_t time)
{
	struct ring_maker *made;

	CU_ASSERT_FATAL(kernel.made[cpu] < PAGES_MOST);
	made = &kernel.pages[cpu][kernel.made[cpu]++];
	made->long_bytes = 8;
	ring_begin(made, time);
	return made;
}

static void put_free(struct ring_maker *made, uint32_t delta, uint64_t packet)
{
	uint8_t data[16];

	ring_event(made, delta, data, put_consume(data, packet, false));
}

/* Ends when it has been asked `looks` times; in the last but one look a page comes. */
static struct watch {
	struct recorder_watch watch; /* first */
	unsigned looks;
	void (*last_but_one)(void);
} watch;

static bool go_on(struct recorder_watch *asking)
{
	struct watch *asked = (struct watch *)asking;

	CU_ASSERT_TRUE(kernel.on);
	if (asked->looks == 2 && asked->last_but_one)
		asked->last_but_one();
	return --asked->looks;
}

static int open_recorder(struct reader **reader, unsigned groups, struct diag *diag)
{
	const struct recorder_options options = { .groups = groups, .buffer_kib = 8 };

	watch = (struct watch){ .watch.go_on = go_on, .looks = 2 };
	return recorder_open(reader, &options, &watch.watch, diag);
}

static void what_the_kernel_lacks_is_named(void)
{
	struct reader *reader;
	struct diag diag;

	begin(two_events);
	CU_ASSERT_EQUAL_FATAL(open_recorder(&reader, RECORD_TX, &diag), 0);
	CU_ASSERT_STRING_EQUAL(recorder_missing(reader),
		"net:net_dev_queue, net:net_dev_xmit, skb:kfree_skb, net:netif_rx, "
		"net:netif_receive_skb");
	CU_ASSERT_EQUAL(kernel.enabled, 2);
	CU_ASSERT_FALSE(kernel.on);
	reader_close(reader);
	CU_ASSERT_FALSE(kernel.there);
}

static void all_that_it_lacks_is_named(void)
{
	struct reader *reader;
	struct diag diag;

	begin(one_event);
	CU_ASSERT_EQUAL_FATAL(open_recorder(&reader, RECORD_ALL, &diag), 0);
	for (const struct record_event *event = record_events; event->system; event++) {
		bool lacks = strcmp(event->name, "consume_skb") != 0;
		char name[100];

		snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
		CU_ASSERT_EQUAL(strstr(recorder_missing(reader), name) != NULL, lacks);
	}
	reader_close(reader);
}

static void a_kernel_with_none_is_refused_by_name(void)
{
	struct reader *reader;
	struct diag diag;

	begin(no_events);
	CU_ASSERT_EQUAL(open_recorder(&reader, RECORD_SOCK, &diag), -ENOENT);
	CU_ASSERT_PTR_NULL(reader);
	CU_ASSERT_STRING_EQUAL(diag.text, "this kernel has none of the events: "
					  "sock:sock_send_length, sock:sock_recv_length");
	CU_ASSERT_FALSE(kernel.there);
}

/* CPU 1 tells something older than what was let out 100 ms later. */
static void add_late_page(void)
{
	put_free(page(1, 1500), 0, 0x70);
}

static void cpus_become_one_stream(void)
{
	static const struct {
		uint64_t time, packet;
		unsigned cpu;
	} expected[] = { { 1000, 0x10, 0 }, { 1200, 0x20, 1 }, { 2000, 0x30, 0 }, { 0, 0x70, 1 } };
	struct ring_maker *made;
	struct collected got = { 0 };

	begin(two_events);
	made = page(0, 1000);
	put_free(made, 0, 0x10);
	put_free(made, 1000, 0x30);
	put_free(page(1, 1200), 0, 0x20);
	CU_ASSERT_EQUAL_FATAL(open_recorder(&got.reader, RECORD_TX, &got.diag), 0);
	watch.last_but_one = add_late_page;
	CU_ASSERT_EQUAL(recorder_start(got.reader, &got.diag), 0);
	collect_events(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 4);
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(got.events[i].cpu, expected[i].cpu);
		CU_ASSERT_EQUAL(got.events[i].event.packet, expected[i].packet);
		if (expected[i].time)
			CU_ASSERT_EQUAL(got.events[i].event.time, expected[i].time);
	}
	/* it got the earliest time that was still to be had, and that is told */
	CU_ASSERT(got.events[3].event.time > 2000);
	CU_ASSERT_EQUAL(recorder_late(got.reader), 1);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 4);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 0);
	CU_ASSERT_FALSE(kernel.on);
	CU_ASSERT_FALSE(kernel.there);
	collect_free(&got);
}

/* Three before a page, which tells them; the kernel counted five there, and two more elsewhere. */
static void lost_events_are_counted_once(void)
{
	struct ring_maker *made;
	struct collected got = { 0 };

	begin(two_events);
	made = page(0, 1000);
	put_free(made, 0, 0x10);
	ring_put(made, ring_data(made) + made->bytes, 3, 8);
	ring_commit(made, made->bytes | RING_MISSED | RING_STORED);
	kernel.lost[0] = 5;
	kernel.lost[1] = 2;
	CU_ASSERT_EQUAL_FATAL(open_recorder(&got.reader, RECORD_TX, &got.diag), 0);
	CU_ASSERT_EQUAL(recorder_start(got.reader, &got.diag), 0);
	collect_events(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT_EQUAL(got.events[0].event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[0].event.arg), 3);
	CU_ASSERT_EQUAL(got.events[1].event.packet, 0x10);
	CU_ASSERT_EQUAL(got.events[2].event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(got.events[2].cpu, 1);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[2].event.arg), 2);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 5 + 2);
	CU_ASSERT_FALSE(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
}

static const struct test_case cases[] = {
	{ "what the kernel lacks is named", what_the_kernel_lacks_is_named },
	{ "all that it lacks is named", all_that_it_lacks_is_named },
	{ "a kernel with none is refused by name", a_kernel_with_none_is_refused_by_name },
	{ "CPUs become one stream", cpus_become_one_stream },
	{ "lost events are counted once", lost_events_are_counted_once },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "recorder", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
