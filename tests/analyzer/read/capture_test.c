/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include "capture_bytes.h"
#include "reader_impl.h"
#include <errno.h>
#include <zlib.h>

/* All that a capture says. */
struct captured_frames {
	struct capture_frame frames[16];
	size_t count;
	int status; /* of opening */
	struct trace_counts counts;
	char format[16], link[32];
	struct diag diag;
};

static void read_bytes(const void *data, size_t bytes, struct captured_frames *got)
{
	struct capture *capture;
	struct input *input;

	*got = (struct captured_frames){ 0 };
	CU_ASSERT_EQUAL_FATAL(input_open_memory(data, bytes, &input), 0);
	got->status = capture_open_input(input, "file", &capture, &got->diag);
	if (got->status) {
		CU_ASSERT_PTR_NULL(capture);
		CU_ASSERT_PTR_EQUAL(strstr(got->diag.text, "file: "), got->diag.text);
		return;
	}
	while (got->count < 16 && capture_next(capture, &got->frames[got->count]))
		got->count++;
	CU_ASSERT_EQUAL(capture_next(capture, &(struct capture_frame){ 0 }), 0);
	got->counts = *capture_counts(capture);
	CU_ASSERT_EQUAL(got->counts.read, got->count);
	CU_ASSERT_EQUAL(capture_source(capture)->hz, 1000000000);
	strcpy(got->format, capture_source(capture)->format);
	strcpy(got->link, capture_link(capture));
	capture_close(capture);
}

static void both_orders_and_both_units_give_nanoseconds(void)
{
	struct bytes frame = { 0 };

	put_ethernet_segment(&frame);
	for (int big = 0; big < 2; big++) {
		for (int nano = 0; nano < 2; nano++) {
			struct bytes file = { .big = big };
			struct captured_frames got;

			put_pcap_header(&file, nano ? NANOSECONDS : MICROSECONDS, 1);
			put_pcap_frame(&file, 1700000000, 118831, &frame);
			put_pcap_frame(&file, 4294967295, nano ? 999999999 : 999999, &frame);
			read_bytes(file.data, file.count, &got);
			CU_ASSERT_EQUAL_FATAL(got.status, 0);
			CU_ASSERT_EQUAL_FATAL(got.count, 2);
			CU_ASSERT_STRING_EQUAL(got.format, "pcap");
			CU_ASSERT_STRING_EQUAL(got.link, "EN10MB");
			CU_ASSERT_EQUAL(got.frames[0].time_ns,
				nano ? 1700000000000118831 : 1700000000118831000);
			CU_ASSERT_EQUAL(got.frames[1].time_ns,
				UINT64_C(4294967295999999000) + (nano ? 999 : 0));
			CU_ASSERT_EQUAL(got.frames[0].wire_bytes, 64);
			CU_ASSERT_EQUAL(got.frames[0].payload_bytes, 10);
			CU_ASSERT(trace_counts_complete(&got.counts));
		}
	}
}

/* 4294968 us times 1000 would be 704 ns in 32 bits. */
static void a_bad_part_of_a_second_is_seen(void)
{
	static const uint32_t bad_us[] = { 1000000, 4294968, 0x80000000, 0xffffffff };
	static const uint32_t bad_ns[] = { 1000000000, 0x80000000, 0xffffffff };
	struct bytes frame = { 0 };

	put_ethernet_segment(&frame);
	for (int nano = 0; nano < 2; nano++) {
		size_t count = nano ? 3 : 4;
		struct bytes file = { 0 };
		struct captured_frames got;

		put_pcap_header(&file, nano ? NANOSECONDS : MICROSECONDS, 1);
		for (size_t i = 0; i < count; i++)
			put_pcap_frame(&file, 5, nano ? bad_ns[i] : bad_us[i], &frame);
		read_bytes(file.data, file.count, &got);
		CU_ASSERT_EQUAL_FATAL(got.count, count);
		for (size_t i = 0; i < count; i++) {
			CU_ASSERT(got.frames[i].time_bad);
			CU_ASSERT_EQUAL(got.frames[i].kind, CAPTURE_TCP);
		}
		CU_ASSERT(trace_counts_complete(&got.counts));
	}
}

/* What was captured is less than what was on the wire. */
static void a_short_snapshot_keeps_the_lengths_of_the_wire(void)
{
	struct bytes file = { 0 }, frame = { 0 };
	struct captured_frames got;

	put_ethernet_segment(&frame);
	put_pcap_header(&file, MICROSECONDS, 1);
	put32(&file, 1);
	put32(&file, 2);
	put32(&file, 54);
	put32(&file, 64);
	frame.count = 54;
	put_all(&file, &frame);
	read_bytes(file.data, file.count, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 1);
	CU_ASSERT_EQUAL(got.frames[0].wire_bytes, 64);
	CU_ASSERT_EQUAL(got.frames[0].payload_bytes, 10);
}

static void put_option(struct bytes *to, unsigned code, uint64_t value, unsigned size)
{
	put16(to, code);
	put16(to, size);
	put(to, value, size, to->big);
	put_zeros(to, (4 - size % 4) % 4);
}

static void put_section(struct bytes *to)
{
	put32(to, 0x0a0d0d0a);
	put32(to, 28);
	put32(to, 0x1a2b3c4d);
	put16(to, 1);
	put16(to, 0);
	put(to, UINT64_MAX, 8, to->big); /* its length: not told */
	put32(to, 28);
}

/* resolution: if_tsresol, 0 for none; offset: if_tsoffset in seconds. */
static void put_interface(struct bytes *to, unsigned resolution, uint64_t offset)
{
	unsigned length = 24u + (resolution ? 8 : 0) + (offset ? 12 : 0);

	put32(to, 1);
	put32(to, length);
	put16(to, 1);
	put16(to, 0);
	put32(to, 65535);
	if (resolution)
		put_option(to, 9, resolution, 1);
	if (offset)
		put_option(to, 14, offset, 8);
	put_option(to, 0, 0, 0);
	put32(to, length);
}

static void put_enhanced(
	struct bytes *to, unsigned interface, uint64_t time, const struct bytes *frame)
{
	uint32_t length = 32 + (uint32_t)frame->count;

	CU_ASSERT_EQUAL_FATAL(frame->count % 4, 0);
	put32(to, 6);
	put32(to, length);
	put32(to, interface);
	put32(to, time >> 32);
	put32(to, time);
	put32(to, frame->count);
	put32(to, frame->count);
	put_all(to, frame);
	put32(to, length);
}

static void each_interface_of_pcapng_has_its_resolution(void)
{
	struct bytes frame = { 0 };

	put_ethernet_segment(&frame);
	for (int big = 0; big < 2; big++) {
		struct bytes file = { .big = big };
		struct captured_frames got;

		put_section(&file);
		put_interface(&file, 0, 0);         /* microseconds */
		put_interface(&file, 9, 0);         /* nanoseconds */
		put_interface(&file, 0x8a, 0);      /* 2^-10 s */
		put_interface(&file, 3, 100);       /* milliseconds, and 100 s to be added */
		put_interface(&file, 12, 0);        /* picoseconds */
		put_interface(&file, 0x80 + 30, 0); /* 2^-30 s */
		put32(&file, 0x0badf00d);           /* a block that nobody knows */
		put32(&file, 16);
		put32(&file, 1);
		put32(&file, 16);
		put_enhanced(&file, 0, 5000007, &frame);
		put_enhanced(&file, 1, 5000007001, &frame);
		put_enhanced(&file, 2, 5 * 1024 + 512, &frame);
		put_enhanced(&file, 3, 5007, &frame);
		put_enhanced(&file, 4, 5000007001999, &frame);
		put_enhanced(&file, 5, UINT64_C(5) << 30 | 1 << 28, &frame);
		read_bytes(file.data, file.count, &got);
		CU_ASSERT_EQUAL_FATAL(got.count, 6);
		CU_ASSERT_STRING_EQUAL(got.format, "pcapng");
		CU_ASSERT_EQUAL(got.frames[0].time_ns, 5000007000);
		CU_ASSERT_EQUAL(got.frames[1].time_ns, 5000007001);
		CU_ASSERT_EQUAL(got.frames[2].time_ns, 5500000000);
		CU_ASSERT_EQUAL(got.frames[3].time_ns, 105007000000);
		CU_ASSERT_EQUAL(got.frames[4].time_ns, 5000007001);
		CU_ASSERT_EQUAL(got.frames[5].time_ns, 5250000000);
		for (size_t i = 0; i < got.count; i++)
			CU_ASSERT_EQUAL(got.frames[i].payload_bytes, 10);
		CU_ASSERT(trace_counts_complete(&got.counts));
	}
}

/* ends[i] is where the file is whole with i frames. */
static void cut_everywhere(const struct bytes *file, const size_t *ends, size_t count)
{
	for (size_t n = 4; n <= file->count; n++) {
		struct captured_frames got;
		size_t whole = 0;

		read_bytes(file->data, n, &got);
		if (n < ends[0]) {
			CU_ASSERT_EQUAL(got.status, -EINVAL);
			continue;
		}
		while (whole + 1 < count && ends[whole + 1] <= n)
			whole++;
		CU_ASSERT_EQUAL(got.status, 0);
		CU_ASSERT_EQUAL(got.count, whole);
		CU_ASSERT_EQUAL(trace_counts_complete(&got.counts), n == ends[whole]);
		if (n != ends[whole])
			CU_ASSERT_PTR_NOT_NULL(strstr(got.counts.trouble, "file: "));
	}
}

static void a_file_cut_anywhere_gives_what_is_whole(void)
{
	struct bytes frame = { 0 }, pcap = { 0 }, pcapng = { 0 };
	size_t pcap_ends[3], pcapng_ends[3];

	put_ethernet_segment(&frame);
	put_pcap_header(&pcap, NANOSECONDS, 1);
	pcap_ends[0] = pcap.count;
	put_section(&pcapng);
	put_interface(&pcapng, 9, 0);
	pcapng_ends[0] = pcapng.count;
	for (uint32_t i = 1; i < 3; i++) {
		put_pcap_frame(&pcap, 1, i, &frame);
		pcap_ends[i] = pcap.count;
		put_enhanced(&pcapng, 0, i, &frame);
		pcapng_ends[i] = pcapng.count;
	}
	cut_everywhere(&pcap, pcap_ends, 3);
	cut_everywhere(&pcapng, pcapng_ends, 3);
}

static size_t compress_bytes(const struct bytes *file, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)file->data,
		.avail_in = (uInt)file->count,
		.next_out = out,
		.avail_out = (uInt)room };

	CU_ASSERT_EQUAL_FATAL(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
	CU_ASSERT_EQUAL_FATAL(deflate(&z, Z_FINISH), Z_STREAM_END);
	CU_ASSERT_EQUAL(deflateEnd(&z), Z_OK);
	return room - z.avail_out;
}

static void gzip_is_looked_through(void)
{
	struct bytes frame = { 0 }, file = { 0 };
	struct captured_frames got;
	uint8_t packed[4096];
	size_t bytes;

	put_ethernet_segment(&frame);
	put_pcap_header(&file, MICROSECONDS, 1);
	for (uint32_t i = 0; i < 3; i++)
		put_pcap_frame(&file, i, 7, &frame);
	bytes = compress_bytes(&file, packed, sizeof(packed));
	read_bytes(packed, bytes, &got);
	CU_ASSERT_EQUAL(got.count, 3);
	CU_ASSERT(trace_counts_complete(&got.counts));
	/* all frames are there, but not the check sum: gzip's trailer is cut */
	read_bytes(packed, bytes - 1, &got);
	CU_ASSERT_EQUAL(got.count, 3);
	CU_ASSERT(got.counts.truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.counts.trouble, "file: the gzip data"));
}

static void what_stops_libpcap_is_told(void)
{
	struct bytes frame = { 0 }, file = { 0 }, other = { 0 };
	struct captured_frames got;

	put_ethernet_segment(&frame);
	put_pcap_header(&file, MICROSECONDS, 1);
	put_pcap_frame(&file, 1, 1, &frame);
	put32(&file, 1);
	put32(&file, 2);
	put32(&file, 0x7fffffff); /* bytes captured */
	put32(&file, 64);
	put_pcap_frame(&file, 1, 3, &frame); /* nobody knows whether it is one */
	read_bytes(file.data, file.count, &got);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT(got.counts.truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.counts.trouble, "2147483647"));
	put_section(&other);
	put_interface(&other, 0, 0);
	put_enhanced(&other, 0, 1, &frame);
	put_enhanced(&other, 1, 2, &frame); /* of an interface that isn't there */
	read_bytes(other.data, other.count, &got);
	CU_ASSERT_EQUAL(got.count, 1);
	CU_ASSERT(got.counts.truncated);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.counts.trouble, "interface 1"));
}

static void an_unknown_version_is_refused(void)
{
	struct bytes pcap = { 0 }, pcapng = { 0 };
	struct captured_frames got;

	put_pcap_header(&pcap, MICROSECONDS, 1);
	pcap.data[4] = 9;
	read_bytes(pcap.data, pcap.count, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "version 9"));
	put_section(&pcapng);
	pcapng.data[12] = 9;
	put_interface(&pcapng, 0, 0);
	read_bytes(pcapng.data, pcapng.count, &got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, "version 9"));
}

static void a_reader_takes_no_capture_without_a_place_for_it(void)
{
	struct capture *capture = NULL;
	struct reader_options options = { .capture = &capture };
	struct bytes file = { 0 };
	struct reader *reader;
	struct input *input;
	struct diag diag;

	put_pcap_header(&file, MICROSECONDS, 1);
	CU_ASSERT_EQUAL_FATAL(input_open_memory(file.data, file.count, &input), 0);
	CU_ASSERT_EQUAL(reader_open_input(input, "file", NULL, 64, &reader, &diag), -EINVAL);
	CU_ASSERT_PTR_NULL(reader);
	CU_ASSERT_PTR_NOT_NULL(strstr(diag.text, "file: a capture"));
	CU_ASSERT_EQUAL_FATAL(input_open_memory(file.data, file.count, &input), 0);
	CU_ASSERT_EQUAL(reader_open_input(input, "file", &options, 64, &reader, &diag), 0);
	CU_ASSERT_PTR_NULL(reader);
	CU_ASSERT_PTR_NOT_NULL_FATAL(capture);
	CU_ASSERT_EQUAL(capture_next(capture, &(struct capture_frame){ 0 }), 0);
	CU_ASSERT(trace_counts_complete(capture_counts(capture)));
	capture_close(capture);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(both_orders_and_both_units_give_nanoseconds),
	CASE(a_bad_part_of_a_second_is_seen),
	CASE(a_short_snapshot_keeps_the_lengths_of_the_wire),
	CASE(each_interface_of_pcapng_has_its_resolution),
	CASE(a_file_cut_anywhere_gives_what_is_whole),
	CASE(gzip_is_looked_through),
	CASE(what_stops_libpcap_is_told),
	CASE(an_unknown_version_is_refused),
	CASE(a_reader_takes_no_capture_without_a_place_for_it),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "capture", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
