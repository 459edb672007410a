/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct event end = {
	.time = 0x1122334455667799,
	.id = EVENT_FREE,
	.device = EVENT_NO_DEVICE,
	.queue = EVENT_NO_QUEUE,
	.packet = 0x8000000000000001,
	.arg = 7,
};

static void bytes_are_where_the_layout_says(void)
{
	/* clang-format off */
	static const unsigned char expected[] = {
		0xc1, 0x1f, 0xfc, 0xc1, /* magic */
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		0, 0, 0, 0, /* stream id */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* begin */
		0x99, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* end */
		0x40, 0x04, 0, 0, 0, 0, 0, 0, /* (72 + 2 * 32) * 8 = 1088 */
		0x40, 0x04, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, /* discarded */
		0, 0, 0, 0, /* cpu */
		1, 0, 0, 0, /* last */
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
		3, 0, 1, 2, 0xea, 0x05, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0x80,
		0xa8, 0x05, 0x01, 0x00, 0x42, 0, 0, 0,
		0x99, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
		6, 0, 255, 255, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0x80,
		7, 0, 0, 0, 0, 0, 0, 0,
	};
	/* clang-format on */
	struct trace_writer writer;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	emit(&writer, 0, start);
	emit(&writer, 0, end);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);

	data = contents("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, sizeof(expected));
	CU_ASSERT_EQUAL(memcmp(data, expected, sizeof(expected)), 0);
	free(data);
	remove_folder();
}

static void a_full_packet_is_followed_by_another(void)
{
	struct trace_packet_header first, second;
	struct trace_writer writer;
	struct event event = start;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	for (event.time = 1; event.time <= RECORDS_A_PACKET + 1; event.time++)
		emit(&writer, 0, event);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);

	data = contents("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, FULL_PACKET + 72 + 32);
	memcpy(&first, data, sizeof(first));
	memcpy(&second, data + FULL_PACKET, sizeof(second));
	CU_ASSERT_EQUAL(first.packet_size, 8 * FULL_PACKET);
	CU_ASSERT_EQUAL(first.timestamp_begin, 1);
	CU_ASSERT_EQUAL(first.timestamp_end, RECORDS_A_PACKET);
	CU_ASSERT_EQUAL(first.last, 0);
	CU_ASSERT_EQUAL(second.last, 1);
	CU_ASSERT_EQUAL(second.magic, TRACE_MAGIC);
	CU_ASSERT_EQUAL(second.packet_size, 8 * (72 + 32));
	CU_ASSERT_EQUAL(second.timestamp_begin, RECORDS_A_PACKET + 1);
	free(data);
	remove_folder();
}

/* The mark of the last packet is then in one without records. */
static void a_full_packet_may_be_followed_by_an_empty_one(void)
{
	struct trace_packet_header last;
	struct trace_writer writer;
	struct event event = start;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	for (event.time = 1; event.time <= RECORDS_A_PACKET; event.time++)
		emit(&writer, 0, event);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);

	data = contents("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, FULL_PACKET + 72);
	memcpy(&last, data + FULL_PACKET, sizeof(last));
	CU_ASSERT_EQUAL(last.magic, TRACE_MAGIC);
	CU_ASSERT_EQUAL(last.content_size, 8 * 72);
	CU_ASSERT_EQUAL(last.timestamp_begin, RECORDS_A_PACKET);
	CU_ASSERT_EQUAL(last.timestamp_end, RECORDS_A_PACKET);
	CU_ASSERT_EQUAL(last.last, 1);
	free(data);
	remove_folder();
}

static void each_cpu_has_its_stream(void)
{
	struct trace_packet_header header;
	struct trace_writer writer;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 2, NULL), 0);
	emit(&writer, 1, start);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);

	data = contents("stream_1", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, 72 + 32);
	memcpy(&header, data, sizeof(header));
	CU_ASSERT_EQUAL(header.cpu_id, 1);
	free(data);
	/* one without events is as long as the trace */
	data = contents("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, 72);
	memcpy(&header, data, sizeof(header));
	CU_ASSERT_EQUAL(header.cpu_id, 0);
	CU_ASSERT_EQUAL(header.content_size, 8 * 72);
	CU_ASSERT_EQUAL(header.packet_size, 8 * 72);
	CU_ASSERT_EQUAL(header.timestamp_begin, start.time);
	CU_ASSERT_EQUAL(header.timestamp_end, start.time);
	CU_ASSERT_EQUAL(header.last, 1);
	free(data);
	remove_folder();
}

static void equal_events_make_equal_traces(void)
{
	static const char *const names[] = { "metadata", "stream_0" };
	unsigned char *data[2][2];
	size_t bytes[2][2];

	for (int run = 0; run < 2; run++) {
		struct trace_writer writer;

		make_folder();
		CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
		trace_writer_name(&writer, 0, 1, NAME_DEVICE, 1, "eth0");
		emit(&writer, 0, start);
		CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
		for (int i = 0; i < 2; i++)
			data[run][i] = contents(names[i], &bytes[run][i]);
		remove_folder();
	}
	for (int i = 0; i < 2; i++) {
		CU_ASSERT(bytes[0][i] > 0);
		CU_ASSERT_EQUAL_FATAL(bytes[0][i], bytes[1][i]);
		CU_ASSERT_EQUAL(memcmp(data[0][i], data[1][i], bytes[0][i]), 0);
		free(data[0][i]);
		free(data[1][i]);
	}
}

/* 16 bytes a record; the last one holds the terminating zero. */
static void a_name_takes_the_records_it_needs(void)
{
	struct event event;

	CU_ASSERT_EQUAL(trace_name_record(&event, NAME_DEVICE, 3, "", 0), 1);
	CU_ASSERT_EQUAL(trace_name_record(&event, NAME_DEVICE, 3, "exactly15bytes_", 0), 1);
	CU_ASSERT_EQUAL(trace_name_record(&event, NAME_DEVICE, 3, "exactly_16_bytes", 1), 2);
	CU_ASSERT_EQUAL(event.packet, 0);
	CU_ASSERT_EQUAL(trace_name_record(&event, NAME_TASK, 70000, "4242 ksoftirqd/10", 1), 2);
	CU_ASSERT_EQUAL(event.id, EVENT_NAME);
	CU_ASSERT_EQUAL(event.device, NAME_TASK);
	CU_ASSERT_EQUAL(event.queue, 1);
	CU_ASSERT_EQUAL(event.len, 70000);
	CU_ASSERT_EQUAL(event.packet, '0');
	CU_ASSERT_EQUAL(event.arg, 0);
	trace_name_record(&event, NAME_TASK, 70000, "4242 ksoftirqd/10", 0);
	CU_ASSERT_EQUAL(memcmp(&event.packet, "4242 kso", 8), 0);
	CU_ASSERT_EQUAL(memcmp(&event.arg, "ftirqd/1", 8), 0);
}

static const struct test_case layout[] = {
	{ "bytes are where the layout says", bytes_are_where_the_layout_says },
	{ "a full packet is followed by another", a_full_packet_is_followed_by_another },
	{ "a full packet may be followed by an empty one",
		a_full_packet_may_be_followed_by_an_empty_one },
	{ "each CPU has its stream", each_cpu_has_its_stream },
	{ "equal events make equal traces", equal_events_make_equal_traces },
	{ "a name takes the records it needs", a_name_takes_the_records_it_needs },
	{ 0 },
};

/* What read_by_babeltrace expects: a name, an event of each of two CPUs, a loss; CPU 2 has none. */
static void write_small_trace(void)
{
	const uint64_t gso = EVENT_PUT(START_XMIT, gso_size, 1448) |
			     EVENT_PUT(START_XMIT, gso_segs, 2) |
			     EVENT_PUT(START_XMIT, header_bytes, 66);
	struct trace_writer writer;
	struct event event = { .device = 1, .len = 2962, .packet = 0xabc0 };

	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 3, NULL), 0);
	trace_writer_name(&writer, 0, 5, NAME_DEVICE, 1, "eth0");
	event.time = 1500000000;
	event.id = EVENT_START_XMIT;
	event.arg = gso;
	emit(&writer, 0, event);
	event.time = 1500000001;
	event.id = EVENT_XMIT;
	event.arg = EVENT_PUT(XMIT, rc, (uint64_t)-1);
	emit(&writer, 1, event);
	event = (struct event){ .time = 2500000002, .id = EVENT_LOST, .device = EVENT_NO_DEVICE };
	event.arg = EVENT_PUT(LOST, count, 12);
	emit(&writer, 0, event);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
}

/* 1700000000 s after 1970 is 22:13:20 GMT. */
static void read_by_babeltrace(void)
{
	/* clang-format off */
	static const char *const expected[] = {
		"[22:13:20.000000005] (+\?.\?\?\?\?\?\?\?\?\?) name: { cpu_id = 0, last = 1 }, "
		"{ kind = ( \"device\" : container = 0 ), chunk = 0, index = 1, "
		"text = \"eth0\" }\n",
		"[22:13:21.500000000] (+1.499999995) start_xmit: { cpu_id = 0, last = 1 }, "
		"{ device = 1, queue = 0, len = 2962, packet = 0xABC0, gso_size = 1448, "
		"gso_segs = 2, header_bytes = 66, queue_high = 0, pad56 = 0 }\n",
		"[22:13:21.500000001] (+0.000000001) xmit: { cpu_id = 1, last = 1 }, "
		"{ device = 1, queue = 0, len = 2962, packet = 0xABC0, rc = -1, pad32 = 0 }\n",
		"[22:13:22.500000002] (+1.000000001) lost: { cpu_id = 0, last = 1 }, "
		"{ device = 255, queue = 0, len = 0, packet = 0x0, count = 12, unknown = 0 }\n",
	};
	/* clang-format on */
	char command[200], line[1000];
	unsigned lines = 0;
	FILE *out;

	if (system("command -v babeltrace2 >/dev/null")) {
		test_skip("no babeltrace2");
		return;
	}
	make_folder();
	write_small_trace();
	snprintf(command, sizeof(command), "babeltrace2 --clock-gmt %s 2>&1", folder);
	out = popen(command, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	for (; fgets(line, sizeof(line), out); lines++) {
		if (lines >= 4 || strcmp(line, expected[lines])) {
			printf("\n  line %u: %s", lines, line);
			CU_FAIL("babeltrace2 reads something else");
		}
	}
	CU_ASSERT_EQUAL(lines, 4);
	CU_ASSERT_EQUAL(pclose(out), 0);
	remove_folder();
}

static const struct test_case readers[] = {
	{ "babeltrace2 reads what was written", read_by_babeltrace },
	{ 0 },
};

static void a_folder_that_holds_something_is_refused(void)
{
	struct trace_writer writer;
	struct diag diag;
	FILE *other;

	make_folder();
	other = fopen(file("metadata"), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(other);
	fclose(other);
	CU_ASSERT_EQUAL(trace_writer_open(&writer, folder, &info, 1, &diag), -ENOTEMPTY);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, folder));
	remove_folder();
}

static void the_folder_is_made(void)
{
	struct trace_writer writer;

	make_folder();
	rmdir(folder);
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	remove_folder();
}

static void a_folder_that_cannot_be_made_is_named(void)
{
	struct trace_writer writer;
	struct diag diag;

	CU_ASSERT_EQUAL(trace_writer_open(&writer, "/nowhere/at/all", &info, 1, &diag), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/nowhere/at/all"));
	CU_ASSERT_EQUAL(trace_writer_open(&writer, "/dev/null", &info, 1, &diag), -ENOTDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "/dev/null"));
}

/* A full disk, played by the limit on the size of files: the second of three packets doesn't fit.
 */
static void events_that_cannot_be_written_are_counted(void)
{
	struct rlimit old, small;
	struct trace_packet_header header;
	struct trace_writer writer;
	struct event event = start;
	struct diag diag;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	signal(SIGXFSZ, SIG_IGN);
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = FULL_PACKET + 1000;
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (event.time = 1; event.time <= 2 * RECORDS_A_PACKET + 10; event.time++)
		emit(&writer, 0, event);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, &diag), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, folder));
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, " 4103 events lost"));

	/* What was written before is whole. */
	data = contents("stream_0", &bytes);
	CU_ASSERT_FATAL(bytes >= FULL_PACKET);
	memcpy(&header, data, sizeof(header));
	CU_ASSERT_EQUAL(header.packet_size, 8 * FULL_PACKET);
	CU_ASSERT_EQUAL(header.timestamp_end, RECORDS_A_PACKET);
	free(data);
	remove_folder();
}

static const struct test_case failures[] = {
	{ "a folder that holds something is refused", a_folder_that_holds_something_is_refused },
	{ "the folder is made", the_folder_is_made },
	{ "a folder that cannot be made is named", a_folder_that_cannot_be_made_is_named },
	{ "events that cannot be written are counted", events_that_cannot_be_written_are_counted },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "layout", layout },
		{ "other readers", readers },
		{ "failures", failures },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
