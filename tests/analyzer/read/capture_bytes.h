/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of captures: files and frames put together by hand, field by field.
 */
#ifndef TESTS_ANALYZER_READ_CAPTURE_BYTES_H
#define TESTS_ANALYZER_READ_CAPTURE_BYTES_H

#include "harness.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	uint8_t data[4096];
	size_t count;
	bool big; /* the file's byte order; frames are big-endian in any case */
};

static inline void put(struct bytes *to, uint64_t value, unsigned size, bool big)
{
	CU_ASSERT_FATAL(to->count + size <= sizeof(to->data));
	for (unsigned i = 0; i < size; i++)
		to->data[to->count++] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

static inline void put16(struct bytes *to, uint64_t value)
{
	put(to, value, 2, to->big);
}

static inline void put32(struct bytes *to, uint64_t value)
{
	put(to, value, 4, to->big);
}

/* In the order of the network. */
static inline void net8(struct bytes *to, uint64_t value)
{
	put(to, value, 1, true);
}

static inline void net16(struct bytes *to, uint64_t value)
{
	put(to, value, 2, true);
}

static inline void net32(struct bytes *to, uint64_t value)
{
	put(to, value, 4, true);
}

static inline void put_zeros(struct bytes *to, size_t count)
{
	while (count--)
		net8(to, 0);
}

static inline void put_all(struct bytes *to, const struct bytes *from)
{
	CU_ASSERT_FATAL(to->count + from->count <= sizeof(to->data));
	memcpy(to->data + to->count, from->data, from->count);
	to->count += from->count;
}

/* Ports 1000 and 2000, sequence number 7, acknowledges 9; with `options` bytes of them to follow.
 */
static inline void put_tcp(struct bytes *to, unsigned flags, unsigned options)
{
	net16(to, 1000);
	net16(to, 2000);
	net32(to, 7);
	net32(to, 9);
	net8(to, (20 + options) / 4 << 4);
	net8(to, flags);
	put_zeros(to, 6);
}

/* 192.0.2.1 to 192.0.2.2, `length` as it stands in the header. */
static inline void put_ipv4(struct bytes *to, unsigned length, unsigned fragment, unsigned protocol)
{
	net16(to, 0x4500);
	net16(to, length);
	net16(to, 0);
	net16(to, fragment);
	net8(to, 64);
	net8(to, protocol);
	net16(to, 0);
	net32(to, 0xc0000201);
	net32(to, 0xc0000202);
}

/* 2001:db8::1 to 2001:db8::2 */
static inline void put_ipv6(struct bytes *to, unsigned length, unsigned next)
{
	net32(to, 0x60000000);
	net16(to, length);
	net8(to, next);
	net8(to, 64);
	for (unsigned end = 1; end <= 2; end++) {
		net32(to, 0x20010db8);
		put_zeros(to, 8);
		net32(to, end);
	}
}

/* Ethernet's header; type 0 is left out. */
static inline void put_ethernet(struct bytes *to, unsigned type)
{
	net32(to, 0x02000000);
	net32(to, 0x00020200);
	net32(to, 0x00000001);
	if (type)
		net16(to, type);
}

/* A TCP segment with 10 bytes over IPv4: 50 bytes, on Ethernet 64. */
static inline void put_segment(struct bytes *to)
{
	put_ipv4(to, 50, 0, 6);
	put_tcp(to, 0x18, 0);
	put_zeros(to, 10);
}

static inline void put_ethernet_segment(struct bytes *to)
{
	put_ethernet(to, 0x0800);
	put_segment(to);
}

#define MICROSECONDS 0xa1b2c3d4
#define NANOSECONDS  0xa1b23c4d

static inline void put_pcap_header(struct bytes *to, uint32_t magic, unsigned link)
{
	put32(to, magic);
	put16(to, 2);
	put16(to, 4);
	put32(to, 0);
	put32(to, 0);
	put32(to, 65535);
	put32(to, link);
}

static inline void put_pcap_frame(
	struct bytes *to, uint32_t seconds, uint32_t part, const struct bytes *frame)
{
	put32(to, seconds);
	put32(to, part);
	put32(to, frame->count);
	put32(to, frame->count);
	put_all(to, frame);
}

#endif
