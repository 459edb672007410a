/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own traces: what is written is read, and damage is seen. (Metadata: ctf_metadata_test.c.) */
#include "ctf_folder.h"

static void a_written_trace_is_read_as_it_was(void)
{
	static const struct {
		uint64_t after;
		unsigned cpu, id;
	} expected[] = { { 0, 0, EVENT_START_XMIT }, { 29, 0, EVENT_FREE },
		{ 29, 1, EVENT_START_XMIT }, { 5829, 0, EVENT_LOST }, { 5829, 1, EVENT_FREE } };
	struct collected got;

	write_small_trace();
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 5);
	for (size_t i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(got.events[i].event.time, (UINT64_C(1) << 62) + expected[i].after);
		CU_ASSERT_EQUAL(got.events[i].cpu, expected[i].cpu);
		CU_ASSERT_EQUAL(got.events[i].event.id, expected[i].id);
	}
	CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "ctf");
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 2900000000);
	CU_ASSERT_EQUAL(reader_capacity(got.reader), 118);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 4);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, (UINT64_C(1) << 62) + 5829);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_DEVICE, 0),
		"a-device-with-a-name-of-many-parts");
	CU_ASSERT_STRING_EQUAL(
		names_get(reader_names(got.reader), NAME_REASON, 1), "sixteen-letters!");
	collect_free(&got);
	remove_folder();
}

/* Many packets of a stream, so that sizes and packet boundaries are used. */
static void streams_of_many_packets_are_merged(void)
{
	struct trace_writer writer;
	struct collected got;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 3, NULL), 0);
	trace_writer_name(&writer, 0, 0, NAME_DEVICE, 0, "eth0");
	for (uint64_t i = 0; i < 30000; i++)
		write_event(&writer, (unsigned)(i % 7 % 3), i, EVENT_START_XMIT, i * 64, 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 30000);
	for (uint64_t i = 0; i < 30000; i++) {
		CU_ASSERT_FATAL(got.events[i].event.time == i);
		CU_ASSERT_FATAL(got.events[i].cpu == i % 7 % 3);
	}
	collect_free(&got);
	remove_folder();
}

/* Kinds that a later version may have. */
static void events_of_unknown_kinds_are_read_and_end_the_trace(void)
{
	struct trace_writer writer;
	struct collected got;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 2, NULL), 0);
	trace_writer_name(&writer, 0, 0, NAME_DEVICE, 0, "eth0");
	write_event(&writer, 0, 1000, EVENT_START_XMIT, 0x100, 0);
	write_event(&writer, 1, 2000, EVENT_ID_COUNT, 0x100, 0);
	write_event(&writer, 1, 3000, 0xffff, 0x100, 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 3000);
	collect_free(&got);
	remove_folder();
}

/* Cut at any byte, what is whole is read and the rest told. */
static void a_cut_stream_is_read_as_far_as_it_is_whole(void)
{
	struct collected model, got;
	size_t bytes;
	char *data;

	write_small_trace();
	read_folder(&model);
	data = slurp("stream_0", &bytes);
	for (size_t cut = 0; cut < bytes; cut++) {
		spew("stream_0", data, cut);
		read_folder(&got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT(got.count < model.count && got.count >= 2);
		CU_ASSERT_TRUE(reader_counts(got.reader)->truncated);
		CU_ASSERT_PTR_NOT_NULL(strstr(reader_counts(got.reader)->trouble, "stream_0"));
		collect_free(&got);
	}
	free(data);
	collect_free(&model);
	remove_folder();
}

/* Also where the cut is between two packets: the writer may have been killed. */
static void a_stream_without_its_last_packet_is_cut(void)
{
	const size_t packet = 72 + 4093 * 32;
	struct trace_writer writer;
	struct collected got;
	size_t bytes;
	char *data;

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 1, NULL), 0);
	trace_writer_name(&writer, 0, 0, NAME_DEVICE, 0, "eth0");
	for (uint64_t i = 1; i < 4093; i++)
		write_event(&writer, 0, i, EVENT_START_XMIT, i * 64, 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, NULL), 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.count, 4092);
	CU_ASSERT_FALSE(reader_counts(got.reader)->truncated);
	collect_free(&got);
	data = slurp("stream_0", &bytes);
	CU_ASSERT_EQUAL_FATAL(bytes, packet + 72);
	spew("stream_0", data, packet);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.count, 4092);
	CU_ASSERT_TRUE(reader_counts(got.reader)->truncated);
	collect_free(&got);
	free(data);
	remove_folder();
}

static void missing_streams_are_named(void)
{
	struct trace_writer writer;
	struct collected got;
	char path[200];

	make_folder();
	CU_ASSERT_EQUAL_FATAL(trace_writer_open(&writer, folder, &info, 4, NULL), 0);
	trace_writer_name(&writer, 0, 0, NAME_DEVICE, 0, "eth0");
	write_event(&writer, 2, 7, EVENT_START_XMIT, 64, 0);
	CU_ASSERT_EQUAL_FATAL(trace_writer_close(&writer, NULL), 0);
	path_of("stream_0", path);
	unlink(path);
	path_of("stream_3", path);
	unlink(path);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT(reader_counts(got.reader)->truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		reader_counts(got.reader)->trouble, ": stream_0 is missing, stream_3 is missing"));
	collect_free(&got);
	remove_folder();
}

static void a_stream_too_many_is_refused(void)
{
	struct collected got;

	write_small_trace();
	spew("stream_1.old", "", 0); /* is no stream */
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	collect_free(&got);
	spew("stream_2", "", 0);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "/stream_2: "));
	collect_free(&got);
	remove_folder();
}

/* A name that isn't there: in a whole trace damage, in a cut one a placeholder. */
static void names_that_are_missing_are_noticed(void)
{
	struct trace_packet_header header;
	struct collected got;
	size_t bytes;
	char *data;

	write_small_trace();
	data = slurp("stream_1", &bytes);
	spew("stream_1", data, 80);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL(got.count, 3);
	CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_DEVICE, 0), "unnamed-0");
	collect_free(&got);
	memcpy(&header, data, sizeof(header));
	header.content_size = header.packet_size = 8 * sizeof(header);
	spew("stream_1", &header, sizeof(header));
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "stream_0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "offset"));
	collect_free(&got);
	free(data);
	remove_folder();
}

/* Any byte changed: read, or refused with the file's name. Never a crash or a step back in time. */
static void damage_is_refused_with_file_and_offset(void)
{
	struct collected got;
	size_t bytes, refused = 0;
	char *data;

	write_small_trace();
	data = slurp("stream_0", &bytes);
	for (size_t at = 0; at < bytes; at++) {
		for (int bit = 0; bit < 8; bit++) {
			data[at] = (char)(data[at] ^ 1 << bit);
			spew("stream_0", data, bytes);
			read_folder(&got);
			data[at] = (char)(data[at] ^ 1 << bit);
			CU_ASSERT(got.status == 0 || got.status == -EINVAL);
			if (got.status) {
				refused++;
				CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "/stream_0"));
				CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "offset"));
			}
			for (size_t i = 1; i < got.count; i++)
				CU_ASSERT(got.events[i].event.time >= got.events[i - 1].event.time);
			if (at < 24)
				CU_ASSERT_EQUAL(got.status, -EINVAL); /* magic, uuid, class */
			collect_free(&got);
		}
	}
	CU_ASSERT(refused > 24 * 8);
	free(data);
	remove_folder();
}

/* A packet only tells how many were lost up to its end, so nothing pairs across any of it. */
static void a_packet_with_losses_is_between_two_gaps(void)
{
	struct trace_packet_header header;
	struct collected got;
	size_t bytes;
	char *data;

	write_small_trace();
	data = slurp("stream_1", &bytes);
	memcpy(&header, data, sizeof(header));
	header.events_discarded = 7;
	memcpy(data, &header, sizeof(header));
	spew("stream_1", data, bytes);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 7);
	CU_ASSERT_EQUAL(got.events[1].event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[1].event.arg), 7);
	CU_ASSERT_EQUAL(got.events[6].event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[6].event.arg), 0);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, 10);
	collect_free(&got);
	header.events_discarded = UINT64_MAX;
	memcpy(data, &header, sizeof(header));
	spew("stream_1", data, bytes);
	read_folder(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 7);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[1].event.arg), INT64_MAX);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, unknown, got.events[1].event.arg), 1);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, INT64_MAX);
	CU_ASSERT_TRUE(reader_counts(got.reader)->lost_unknown);
	collect_free(&got);
	free(data);
	remove_folder();
}

static void folders_without_a_trace_are_refused(void)
{
	struct collected got;
	char path[200];

	make_folder();
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "no metadata"));
	remove_folder();
	write_small_trace();
	path_of("stream_0", path);
	unlink(path);
	path_of("stream_1", path);
	unlink(path);
	read_folder(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	remove_folder();
}

static void the_frequency_can_not_be_overruled(void)
{
	struct reader_options options = { .hz = 1000000000 };
	struct reader *reader;

	write_small_trace();
	CU_ASSERT_EQUAL(reader_open(folder, &options, &reader, NULL), -EINVAL);
	options.hz = 2900000000;
	CU_ASSERT_EQUAL(reader_open(folder, &options, &reader, NULL), 0);
	reader_close(reader);
	remove_folder();
}

static const struct test_case traces[] = {
	{ "a written trace is read as it was", a_written_trace_is_read_as_it_was },
	{ "streams of many packets are merged", streams_of_many_packets_are_merged },
	{ "events of unknown kinds are read and end the trace",
		events_of_unknown_kinds_are_read_and_end_the_trace },
	{ "a packet with losses is between two gaps", a_packet_with_losses_is_between_two_gaps },
	{ "the frequency can't be overruled", the_frequency_can_not_be_overruled },
	{ 0 },
};

static const struct test_case damage[] = {
	{ "a cut stream is read as far as it is whole",
		a_cut_stream_is_read_as_far_as_it_is_whole },
	{ "a stream without its last packet is cut", a_stream_without_its_last_packet_is_cut },
	{ "missing streams are named", missing_streams_are_named },
	{ "a stream too many is refused", a_stream_too_many_is_refused },
	{ "names that are missing are noticed", names_that_are_missing_are_noticed },
	{ "damage is refused with file and offset", damage_is_refused_with_file_and_offset },
	{ "folders without a trace are refused", folders_without_a_trace_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "traces", traces, NULL, NULL },
		{ "damage", damage, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
