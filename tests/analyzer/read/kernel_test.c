/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of real kernels: Linux 6.1 with an emulated 82574L in two dialects of ftrace, in perf
 * script's, as perf.data and as trace.dat, and loopback on 6.18 with a buffer that was too small.
 * The numbers of events were counted with grep (of trace.dat in what trace-cmd prints) or by perf
 * report
 * --stats, packets and laps by an independent script, losses by the kernel. From the trace.dat
 * files symbols and formats of events that aren't in them were taken out.
 */
#include "collect.h"
#include <math.h>

/* What is expected of a file. Events that aren't named are of no number worth telling. */
static const struct {
	const char *file, *format;
	uint64_t hz, read, lost;
	struct {
		unsigned id;
		size_t count;
	} events[6];
	const char *device;
	uint64_t packets; /* 0: laps aren't compared */
	double lap_avg_ms, lap_max_ms;
	unsigned in_device_max, open_at_end;
} files[] = {
	{ "r256-itr500.ftrace.txt.gz", "ftrace", 1000000000, 72235, 0,
		{ { EVENT_START_XMIT, 17600 }, { EVENT_QUEUE, 17600 }, { EVENT_FREE, 17600 },
			{ EVENT_IRQ_ENTRY, 155 }, { EVENT_SOFTIRQ_RAISE, 455 },
			{ EVENT_NAPI_POLL, 152 } },
		"eth0", 17600, 1.71968, 1.99, 117, 0 },
	{ "r256-tgid.ftrace.txt.gz", "ftrace", 1000000000, 7969, 0,
		{ { EVENT_START_XMIT, 1936 }, { EVENT_FREE, 1936 }, { EVENT_SOFTIRQ_EXIT, 61 } },
		"eth0", 1936, 1.716847, 1.99, 117, 0 },
	{ "tcp-receive-itr1000.ftrace.txt.gz", "ftrace", 1000000000, 63015, 0,
		{ { EVENT_START_XMIT, 13937 }, { EVENT_FREE, 14350 + 747 }, { EVENT_RECEIVE, 858 },
			{ EVENT_RECEIVE_BEGIN, 13937 }, { EVENT_COPY, 572 },
			{ EVENT_NAPI_POLL, 627 } },
		"eth0", 272, 0.474967, 1.11, 4, 0 },
	{ "r80-itr1000.trace-cmd-ns.txt.gz", "ftrace", 1000000000, 25999, 0,
		{ { EVENT_START_XMIT, 5968 }, { EVENT_XMIT, 5968 }, { EVENT_IRQ_EXIT, 210 } },
		"eth0", 5968, 0.938149, 0.990208, 29, 0 },
	{ "two-cpus-r256-itr100.trace-cmd-ns.txt.gz", "ftrace", 1000000000, 23989, 0,
		{ { EVENT_START_XMIT, 5808 }, { EVENT_FREE, 5808 }, { EVENT_SOFTIRQ_ENTRY, 197 } },
		"eth0", 5808, 9.040392, 18.871788, 117, 0 },
	{ "r256-clock-tsc.trace-cmd.txt.gz", "ftrace", 0, 7967, 0,
		{ { EVENT_START_XMIT, 1936 }, { EVENT_FREE, 1936 } }, "eth0", 0, 0, 0, 117, 0 },
	{ "r256-callchain.perf-script-ns.txt.gz", "perf-script", 1000000000, 3389, 0,
		{ { EVENT_START_XMIT, 1696 }, { EVENT_FREE, 1693 } }, "eth0", 1693, 0.543039,
		0.96265, 63, 3 },
	{ "tcp-udp-ping-itr1000.perf-script-ns.txt.gz", "perf-script", 1000000000, 10511, 0,
		{ { EVENT_START_XMIT, 2134 }, { EVENT_FREE, 2195 + 132 },
			{ EVENT_RECEIVE, 2134 + 4 } },
		"eth1", 1515, 1.566413, 4.285277, 77, 0 },
	{ "tcp-udp-ping-itr1000-zstd.perf.data", "perf.data", 1000000000, 10511, 0,
		{ { EVENT_START_XMIT, 2134 }, { EVENT_FREE, 2195 + 132 },
			{ EVENT_RECEIVE, 2134 + 4 } },
		"eth1", 1515, 1.566413, 4.285277, 77, 0 },
	{ "tcp-receive-itr8000-zstd.perf.data", "perf.data", 1000000000, 45072, 0,
		{ { EVENT_START_XMIT, 9137 }, { EVENT_FREE, 9336 + 1 }, { EVENT_NAPI_POLL, 1196 },
			{ EVENT_IRQ_ENTRY, 1250 }, { EVENT_COPY, 810 },
			{ EVENT_SOFTIRQ_RAISE, 1262 } },
		"eth1", 8708, 0.503072, 1.033692, 45, 0 },
	{ "loopback-lost.perf-script.txt.gz", "perf-script", 1000000000, 3991, 487,
		{ { EVENT_START_XMIT, 279 }, { EVENT_LOST, 9 }, { EVENT_SOCK_SEND, 274 },
			{ EVENT_SOCK_RECV, 277 }, { EVENT_RECEIVE, 276 + 275 } },
		"lo", 0, 0, 0, 0, 0 },
	{ "two-cpus-r256-itr100.trace.dat", "trace.dat", 1000000000, 23989, 0,
		{ { EVENT_START_XMIT, 5808 }, { EVENT_FREE, 5808 }, { EVENT_SOFTIRQ_ENTRY, 197 } },
		"eth0", 5808, 9.040392, 18.871788, 117, 0 },
	{ "r256-clock-tsc.trace.dat", "trace.dat", 0, 7967, 0,
		{ { EVENT_START_XMIT, 1936 }, { EVENT_FREE, 1936 } }, "eth0", 0, 0, 0, 117, 0 },
	{ "loopback-lost.trace.dat", "trace.dat", 1000000000, 948, 216329 + 17624,
		{ { EVENT_START_XMIT, 76 }, { EVENT_LOST, 2 }, { EVENT_SOCK_SEND, 80 },
			{ EVENT_FREE, 242 + 122 }, { EVENT_RECEIVE, 76 + 199 },
			{ EVENT_XMIT, 77 } },
		"lo", 0, 0, 0, 0, 0 },
};

#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

/* Which packets of a device are open, in a table that never gives up a place. */
#define SLOTS 65536

struct laps {
	struct {
		uint64_t packet, start;
		bool open;
	} slots[SLOTS];
	uint64_t packets, sum, max;
	unsigned open, open_max;
};

static size_t find_slot(const struct laps *laps, uint64_t packet)
{
	size_t at = packet * UINT64_C(0x9e3779b97f4a7c15) >> 48;

	while (laps->slots[at].packet && laps->slots[at].packet != packet)
		at = (at + 1) % SLOTS;
	return at;
}

static void take_event(struct laps *laps, const struct event *event, int device)
{
	size_t at = find_slot(laps, event->packet);

	if (event->id == EVENT_START_XMIT && event->device == device) {
		laps->open += !laps->slots[at].open;
		laps->slots[at].packet = event->packet;
		laps->slots[at].start = event->time;
		laps->slots[at].open = true;
		if (laps->open > laps->open_max)
			laps->open_max = laps->open;
	} else if (event->id == EVENT_FREE && laps->slots[at].open) {
		uint64_t lap = event->time - laps->slots[at].start;

		laps->slots[at].open = false;
		laps->open--;
		laps->packets++;
		laps->sum += lap;
		if (lap > laps->max)
			laps->max = lap;
	}
}

static void expect_laps(size_t i, const struct laps *laps)
{
	if (files[i].in_device_max) {
		CU_ASSERT_EQUAL(laps->open_max, files[i].in_device_max);
		CU_ASSERT_EQUAL(laps->open, files[i].open_at_end);
	}
	if (files[i].packets) {
		CU_ASSERT_EQUAL(laps->packets, files[i].packets);
		/* the script's figures have six places */
		CU_ASSERT(fabs((double)laps->sum / (double)laps->packets / 1e6 -
				  files[i].lap_avg_ms) < 1e-6);
		CU_ASSERT(fabs((double)laps->max / 1e6 - files[i].lap_max_ms) < 1e-9);
	}
}

static void read_file(size_t i)
{
	char path[4096];
	struct laps *laps = calloc(1, sizeof(*laps));
	size_t counts[EVENT_ID_COUNT] = { 0 };
	struct collected got = { 0 };
	uint64_t time = 0;
	int device;

	CU_ASSERT_PTR_NOT_NULL_FATAL(laps);
	snprintf(path, sizeof(path), "%s/kernel/%s", TEST_FIXTURES, files[i].file);
	CU_ASSERT_EQUAL_FATAL(reader_open(path, NULL, &got.reader, &got.diag), 0);
	collect_events(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->file, path);
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, files[i].format);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, files[i].hz);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, files[i].read);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, files[i].lost);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	device = names_find(
		reader_names(got.reader), NAME_DEVICE, files[i].device, strlen(files[i].device));
	CU_ASSERT(device >= 0);
	for (size_t e = 0; e < got.count; e++) {
		CU_ASSERT_FATAL(got.events[e].event.time >= time);
		time = got.events[e].event.time;
		counts[got.events[e].event.id]++;
		take_event(laps, &got.events[e].event, device);
	}
	for (size_t k = 0; k < 6 && files[i].events[k].id; k++)
		CU_ASSERT_EQUAL(counts[files[i].events[k].id], files[i].events[k].count);
	expect_laps(i, laps);
	collect_free(&got);
	free(laps);
}

static void every_file_gives_what_was_counted(void)
{
	for (size_t i = 0; i < FILE_COUNT; i++) {
		printf("%s ", files[i].file);
		read_file(i);
	}
}

static void open_fixture(const char *name, struct collected *got)
{
	char path[4096];

	*got = (struct collected){ 0 };
	snprintf(path, sizeof(path), "%s/kernel/%s", TEST_FIXTURES, name);
	CU_ASSERT_EQUAL_FATAL(reader_open(path, NULL, &got->reader, &got->diag), 0);
	collect_events(got);
}

/* The same recordings, as trace-cmd printed them. */
static void binary_and_text_give_the_same_events(void)
{
	static const char *const pairs[][2] = {
		{ "two-cpus-r256-itr100.trace.dat", "two-cpus-r256-itr100.trace-cmd-ns.txt.gz" },
		{ "r256-clock-tsc.trace.dat", "r256-clock-tsc.trace-cmd.txt.gz" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct collected binary, text;

		open_fixture(pairs[i][0], &binary);
		open_fixture(pairs[i][1], &text);
		CU_ASSERT_EQUAL_FATAL(binary.count, text.count);
		for (size_t e = 0; e < text.count; e++) {
			const struct event *event = &text.events[e].event;

			CU_ASSERT_EQUAL(binary.events[e].cpu, text.events[e].cpu);
			CU_ASSERT_EQUAL(binary.events[e].event.time, event->time);
			CU_ASSERT_EQUAL(binary.events[e].event.id, event->id);
			CU_ASSERT_EQUAL(binary.events[e].event.device, event->device);
			CU_ASSERT_EQUAL(binary.events[e].event.queue, event->queue);
			CU_ASSERT_EQUAL(binary.events[e].event.len, event->len);
			CU_ASSERT_EQUAL(binary.events[e].event.packet, event->packet);
			CU_ASSERT_EQUAL(binary.events[e].event.arg, event->arg);
		}
		collect_free(&binary);
		collect_free(&text);
	}
}

/* UDP to a closed port: 131 packets that came in found no socket. */
static void drop_reasons_have_names(void)
{
	struct collected got = { 0 };
	size_t drops = 0;
	int reason;

	CU_ASSERT_EQUAL_FATAL(
		reader_open(TEST_FIXTURES "/kernel/tcp-udp-ping-itr1000.perf-script-ns.txt.gz",
			NULL, &got.reader, &got.diag),
		0);
	collect_events(&got);
	reason = names_find(reader_names(got.reader), NAME_REASON, "NO_SOCKET", 9);
	CU_ASSERT_FATAL(reason > 0);
	for (size_t e = 0; e < got.count; e++)
		drops += got.events[e].event.id == EVENT_FREE &&
			 EVENT_GET(FREE, reason, got.events[e].event.arg) == (uint64_t)reason;
	CU_ASSERT_EQUAL(drops, 131);
	collect_free(&got);
}

static void expect_same_name(const struct collected *a, const struct collected *b,
	enum name_kind kind, uint64_t index_a, uint64_t index_b)
{
	const char *name_a = names_get(reader_names(a->reader), kind, (uint32_t)index_a);
	const char *name_b = names_get(reader_names(b->reader), kind, (uint32_t)index_b);

	CU_ASSERT_FATAL(!name_a == !name_b);
	if (name_a)
		CU_ASSERT_STRING_EQUAL(name_a, name_b);
}

/* Names have numbers in the order in which a trace has them first, so here they have the same. */
static void samples_say_what_perf_prints_of_them(void)
{
	struct collected data = { 0 }, text = { 0 };

	CU_ASSERT_EQUAL_FATAL(
		reader_open(TEST_FIXTURES "/kernel/tcp-udp-ping-itr1000-zstd.perf.data", NULL,
			&data.reader, &data.diag),
		0);
	CU_ASSERT_EQUAL_FATAL(
		reader_open(TEST_FIXTURES "/kernel/tcp-udp-ping-itr1000.perf-script-ns.txt.gz",
			NULL, &text.reader, &text.diag),
		0);
	collect_events(&data);
	collect_events(&text);
	CU_ASSERT_EQUAL_FATAL(data.count, text.count);
	for (size_t i = 0; i < data.count; i++) {
		const struct event *a = &data.events[i].event, *b = &text.events[i].event;

		CU_ASSERT_EQUAL_FATAL(
			memcmp(&data.events[i], &text.events[i], sizeof(*data.events)), 0);
		expect_same_name(&data, &text, NAME_DEVICE, a->device, b->device);
		if (a->id == EVENT_FREE)
			expect_same_name(&data, &text, NAME_REASON, EVENT_GET(FREE, reason, a->arg),
				EVENT_GET(FREE, reason, b->arg));
		if (a->id == EVENT_IRQ_ENTRY)
			expect_same_name(&data, &text, NAME_IRQ, EVENT_GET(IRQ_ENTRY, name, a->arg),
				EVENT_GET(IRQ_ENTRY, name, b->arg));
	}
	collect_free(&data);
	collect_free(&text);
}

static const struct test_case cases[] = {
	{ "every file gives what was counted", every_file_gives_what_was_counted },
	{ "binary and text give the same events", binary_and_text_give_the_same_events },
	{ "drop reasons have names", drop_reasons_have_names },
	{ "samples say what perf prints of them", samples_say_what_perf_prints_of_them },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "kernels", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
