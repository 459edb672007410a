/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_decode.h"

#include "capture_bytes.h"
#include <pcap/dlt.h>
#include <stdlib.h>

/* Decodes a copy that ends where the captured bytes do, so that a sanitizer sees what is behind. */
static struct capture_frame decode_part(
	int link, const struct bytes *frame, size_t captured, uint32_t wire_bytes)
{
	struct capture_frame got = { .wire_bytes = wire_bytes, .kind = 99 };
	uint8_t *copy = malloc(captured ? captured : 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, frame->data, captured);
	capture_decode(link, copy, (uint32_t)captured, &got);
	free(copy);
	return got;
}

static struct capture_frame decode(int link, const struct bytes *frame)
{
	return decode_part(link, frame, frame->count, (uint32_t)frame->count);
}

static bool is_segment(const struct capture_frame *got, uint32_t payload)
{
	return got->kind == CAPTURE_TCP && got->source.port == 1000 &&
	       got->destination.port == 2000 && got->sequence == 7 && got->acknowledged == 9 &&
	       got->payload_bytes == payload;
}

static void put_v6_segment(struct bytes *to)
{
	put_ipv6(to, 30, 6);
	put_tcp(to, 0x18, 0);
	put_zeros(to, 10);
}

static void every_link_is_read_through(void)
{
	/* what stands before IP, by www.tcpdump.org/linktypes.html; DLT_NULL in both byte orders */
	static const struct {
		int link;
		unsigned bytes;
		uint8_t v4[20], v6[20];
	} rows[] = {
		{ DLT_EN10MB, 14, { [12] = 0x08 }, { [12] = 0x86, [13] = 0xdd } },
		{ DLT_LINUX_SLL, 16, { [14] = 0x08 }, { [14] = 0x86, [15] = 0xdd } },
		{ DLT_LINUX_SLL2, 20, { [0] = 0x08 }, { [0] = 0x86, [1] = 0xdd } },
		{ DLT_NULL, 4, { [0] = 2 }, { [0] = 10 } },
		{ DLT_NULL, 4, { [3] = 2 }, { [3] = 24 } },
		{ DLT_LOOP, 4, { [3] = 2 }, { [3] = 30 } },
		{ DLT_RAW, 0, { 0 }, { 0 } },
		{ DLT_IPV4, 0, { 0 }, { 0 } },
		{ DLT_IPV6, 0, { 0 }, { 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes v4 = { .count = rows[i].bytes }, v6 = v4;
		struct capture_frame got;

		memcpy(v4.data, rows[i].v4, rows[i].bytes);
		put_segment(&v4);
		got = decode(rows[i].link, &v4);
		CU_ASSERT(is_segment(&got, 10));
		CU_ASSERT(
			!memcmp(got.source.address, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1", 16));
		CU_ASSERT_EQUAL(got.destination.address[15], 2);
		memcpy(v6.data, rows[i].v6, rows[i].bytes);
		put_v6_segment(&v6);
		got = decode(rows[i].link, &v6);
		CU_ASSERT(is_segment(&got, 10));
		CU_ASSERT(
			!memcmp(got.source.address, "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16));
		CU_ASSERT_EQUAL(got.destination.address[15], 2);
	}
}

static void an_unknown_kind_is_skipped(void)
{
	struct bytes lldp = { 0 }, arp = { 0 }, family = { 0 }, other = { 0 };

	put_ethernet(&lldp, 0x88cc);
	put_segment(&lldp);
	CU_ASSERT_EQUAL(decode(DLT_EN10MB, &lldp).kind, CAPTURE_SKIPPED);
	put_ethernet(&arp, 0x0806);
	put_zeros(&arp, 28);
	CU_ASSERT_EQUAL(decode(DLT_EN10MB, &arp).kind, CAPTURE_SKIPPED);
	net32(&family, 7);
	put_segment(&family);
	CU_ASSERT_EQUAL(decode(DLT_NULL, &family).kind, CAPTURE_SKIPPED);
	put_segment(&other);
	CU_ASSERT_EQUAL(decode(DLT_IEEE802_11, &other).kind, CAPTURE_SKIPPED);
	other.data[0] = 0x55; /* neither IPv4 nor IPv6 */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &other).kind, CAPTURE_SKIPPED);
	CU_ASSERT_EQUAL(decode_part(DLT_RAW, &other, 0, 0).kind, CAPTURE_SKIPPED);
}

static void vlan_tags_are_read_through(void)
{
	static const unsigned types[][2] = { { 0x8100, 0 }, { 0x88a8, 0x8100 }, { 0x9100, 0x8100 },
		{ 0x8100, 0x8100 } };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct bytes frame = { 0 };
		struct capture_frame got;

		put_ethernet(&frame, 0);
		for (unsigned tag = 0; tag < 2 && types[i][tag]; tag++) {
			net16(&frame, types[i][tag]);
			net16(&frame, 7);
		}
		net16(&frame, 0x0800);
		put_segment(&frame);
		got = decode(DLT_EN10MB, &frame);
		CU_ASSERT(is_segment(&got, 10));
	}
}

/* Offloaded packets have no length in their header, short ones have padding behind them. */
static void the_length_is_that_of_the_wire(void)
{
	struct bytes tso = { 0 }, big = { 0 }, padded = { 0 }, longer = { 0 };
	struct capture_frame got;

	put_ipv4(&tso, 0, 0, 6);
	put_tcp(&tso, 0x18, 0);
	got = decode_part(DLT_RAW, &tso, tso.count, 40 + 200000);
	CU_ASSERT(is_segment(&got, 200000));
	put_ipv6(&big, 0, 0);
	net32(&big, 0x0600c204); /* hop-by-hop: jumbo payload (RFC 2675) */
	net32(&big, 8 + 20 + 300000);
	put_tcp(&big, 0x18, 0);
	got = decode_part(DLT_RAW, &big, big.count, 40 + 8 + 20 + 300000);
	CU_ASSERT(is_segment(&got, 300000));
	put_ipv4(&padded, 41, 0, 6);
	put_tcp(&padded, 0x10, 0);
	put_zeros(&padded, 6);
	got = decode(DLT_RAW, &padded);
	CU_ASSERT(is_segment(&got, 1));
	put_ipv4(&longer, 1500, 0, 6); /* says more than the wire had */
	put_tcp(&longer, 0x10, 0);
	put_zeros(&longer, 3);
	got = decode(DLT_RAW, &longer);
	CU_ASSERT(is_segment(&got, 3));
}

static void nothing_behind_the_captured_bytes_is_read(void)
{
	struct bytes v4 = { 0 }, v6 = { 0 };

	put_ethernet(&v4, 0x8100);
	net32(&v4, 0x00070800);
	put_ipv4(&v4, 64, 0, 6);
	put_tcp(&v4, 0x02, 4);
	net32(&v4, 0x020405b4);
	put_zeros(&v4, 20);
	for (size_t n = 0; n <= v4.count; n++) {
		struct capture_frame got = decode_part(DLT_EN10MB, &v4, n, (uint32_t)v4.count);

		/* IP begins at 18, TCP at 38, its options at 58 */
		CU_ASSERT_EQUAL(got.kind, n < 38   ? CAPTURE_SKIPPED
					  : n < 58 ? CAPTURE_IP
						   : CAPTURE_TCP);
		CU_ASSERT_EQUAL(got.payload_bytes, n < 58 ? 0 : 20);
		CU_ASSERT_EQUAL(got.mss, n < 62 ? 0 : 1460);
	}
	put_ipv6(&v6, 8 + 16 + 20, 60);
	net32(&v6, 0x33000000); /* destination options, then authentication of 16 bytes */
	net32(&v6, 0);
	net32(&v6, 0x06020000);
	put_zeros(&v6, 12);
	put_tcp(&v6, 0x10, 0);
	for (size_t n = 0; n <= v6.count; n++)
		CU_ASSERT_EQUAL(decode_part(DLT_RAW, &v6, n, (uint32_t)v6.count).kind,
			n < 40   ? CAPTURE_SKIPPED
			: n < 84 ? CAPTURE_IP
				 : CAPTURE_TCP);
}

static void only_the_first_fragment_has_a_header(void)
{
	struct bytes first = { 0 }, later = { 0 }, v6 = { 0 };
	struct capture_frame got;

	put_ipv4(&first, 50, 0x2000, 6);
	put_tcp(&first, 0x10, 0);
	put_zeros(&first, 10);
	got = decode(DLT_RAW, &first);
	CU_ASSERT(is_segment(&got, 10));
	put_ipv4(&later, 50, 0x0004, 6);
	put_tcp(&later, 0x10, 0);
	put_zeros(&later, 10);
	CU_ASSERT_EQUAL(decode(DLT_RAW, &later).kind, CAPTURE_IP);
	put_ipv6(&v6, 28, 44);
	net32(&v6, 0x06000001); /* offset 0, more to come */
	net32(&v6, 1);
	put_tcp(&v6, 0x10, 0);
	CU_ASSERT_EQUAL(decode(DLT_RAW, &v6).kind, CAPTURE_TCP);
	v6.data[43] = 0x09; /* offset 8 */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &v6).kind, CAPTURE_IP);
}

static void what_is_no_tcp_is_other_ip(void)
{
	struct bytes udp = { 0 }, esp = { 0 }, bad = { 0 };

	put_ipv4(&udp, 48, 0, 17);
	put_zeros(&udp, 28);
	CU_ASSERT_EQUAL(decode(DLT_RAW, &udp).kind, CAPTURE_IP);
	put_ipv6(&esp, 28, 50);
	put_zeros(&esp, 28);
	CU_ASSERT_EQUAL(decode(DLT_RAW, &esp).kind, CAPTURE_IP);
	put_ipv4(&bad, 40, 0, 6);
	put_tcp(&bad, 0x10, 0);
	bad.data[32] = 0x40; /* a header of 16 bytes */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &bad).kind, CAPTURE_IP);
	bad.data[32] = 0x60; /* of 24, of which the packet has 20 */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &bad).kind, CAPTURE_IP);
	bad.data[3] = 19; /* IP: shorter than its header */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &bad).kind, CAPTURE_SKIPPED);
	bad.data[0] = 0x44; /* IP: a header of 16 bytes */
	CU_ASSERT_EQUAL(decode(DLT_RAW, &bad).kind, CAPTURE_SKIPPED);
}

static void malformed_options_end_the_options(void)
{
	static const struct {
		uint8_t options[8];
		unsigned mss;
	} rows[] = {
		{ { 2, 4, 0x05, 0xb4 }, 1460 }, { { 1, 1, 2, 4, 0x22, 0xd8 }, 8920 },
		{ { 3, 3, 7, 2, 4, 0x05, 0xb4 }, 1460 },
		{ { 0, 2, 4, 0x05, 0xb4 }, 0 },             /* behind the end of the list */
		{ { 3, 0, 2, 4, 0x05, 0xb4 }, 0 },          /* an option of no byte */
		{ { 3, 1, 2, 4, 0x05, 0xb4 }, 0 },          /* shorter than its own head */
		{ { 3, 200, 2, 4, 0x05, 0xb4 }, 0 },        /* longer than what is there */
		{ { 1, 1, 1, 1, 1, 2, 4, 5 }, 0 },          /* cut */
		{ { 2, 3, 0x05, 2, 4, 0x05, 0xb4 }, 1460 }, /* of another length, then right */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes frame = { 0 };
		struct capture_frame got;

		put_ipv4(&frame, 48, 0, 6);
		put_tcp(&frame, 0x02, 8);
		memcpy(frame.data + frame.count, rows[i].options, 8);
		frame.count += 8;
		got = decode(DLT_RAW, &frame);
		CU_ASSERT(is_segment(&got, 0));
		CU_ASSERT_EQUAL(got.mss, rows[i].mss);
		frame.data[33] = 0x10; /* no SYN: the option means nothing */
		CU_ASSERT_EQUAL(decode(DLT_RAW, &frame).mss, 0);
	}
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(every_link_is_read_through),
	CASE(an_unknown_kind_is_skipped),
	CASE(vlan_tags_are_read_through),
	CASE(the_length_is_that_of_the_wire),
	CASE(nothing_behind_the_captured_bytes_is_read),
	CASE(only_the_first_fragment_has_a_header),
	CASE(what_is_no_tcp_is_other_ip),
	CASE(malformed_options_end_the_options),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "capture_decode", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
