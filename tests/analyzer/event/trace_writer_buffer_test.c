/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that wait in memory for a thread that writes them. */
#include "trace_folder.h"

#include <pthread.h>
#include <string.h>

/* Two full packets may wait, and nobody writes them: the third and fourth are lost when full. */
static void what_finds_no_room_is_counted(void)
{
	struct trace_packet_header header;
	struct trace_writer writer;
	struct event event = start;
	unsigned char *data;
	size_t bytes;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_buffer(&writer, 2), 0);
	for (event.time = 1; event.time <= 4 * RECORDS_A_PACKET + 10; event.time++)
		emit(&writer, 0, event);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);
	CU_ASSERT_EQUAL(writer.lost, 2 * RECORDS_A_PACKET);

	data = contents("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, 2 * FULL_PACKET + 72 + 10 * 32);
	memcpy(&header, data + FULL_PACKET, sizeof(header));
	CU_ASSERT_EQUAL(header.timestamp_begin, RECORDS_A_PACKET + 1);
	CU_ASSERT_EQUAL(header.events_discarded, 0);
	memcpy(&header, data + 2 * FULL_PACKET, sizeof(header));
	CU_ASSERT_EQUAL(header.timestamp_begin, 4 * RECORDS_A_PACKET + 1);
	CU_ASSERT_EQUAL(header.events_discarded, 2 * RECORDS_A_PACKET);
	CU_ASSERT_EQUAL(header.last, 1);
	free(data);
	remove_folder();
}

static void *serve(void *writer)
{
	trace_writer_serve(writer);
	return NULL;
}

/* Each event is in the trace, in order, or counted where it is missing. */
static void a_thread_writes_what_waits(void)
{
	enum { EVENTS = 3 * RECORDS_A_PACKET + 100 };
	struct trace_writer writer;
	struct event event = start;
	unsigned char *data;
	pthread_t thread;
	size_t bytes, at = 0, found = 0;
	uint64_t last = 0;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_buffer(&writer, 1), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, serve, &writer), 0);
	for (event.time = 1; event.time <= EVENTS; event.time++)
		emit(&writer, 0, event);
	trace_writer_dismiss(&writer);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(trace_writer_close(&writer, NULL), 0);

	data = contents("stream_0", &bytes);
	while (at < bytes) {
		struct trace_packet_header header;

		memcpy(&header, data + at, sizeof(header));
		CU_ASSERT_EQUAL_FATAL(header.magic, TRACE_MAGIC);
		for (size_t i = 72; i < header.packet_size / 8; i += 32, found++) {
			memcpy(&event, data + at + i, sizeof(event));
			CU_ASSERT(event.time > last);
			last = event.time;
		}
		at += header.packet_size / 8;
		CU_ASSERT(last - found <= header.events_discarded);
	}
	CU_ASSERT_EQUAL(last, EVENTS);
	CU_ASSERT_EQUAL(found + writer.lost, EVENTS);
	free(data);
	remove_folder();
}

static const struct test_case buffered[] = {
	{ "what finds no room is counted", what_finds_no_room_is_counted },
	{ "a thread writes what waits", a_thread_writes_what_waits },
	{ 0 },
};

static void *nothing(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "buffered", buffered }, { 0 } };
	pthread_t thread;

	/* the C library keeps a thread's memory for the next one: no leak of a case's */
	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
	return test_main(argc, argv, suites);
}
