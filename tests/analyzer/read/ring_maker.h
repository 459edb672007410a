/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: pages of the kernel's ring buffer, entry by entry.
 */
#ifndef TESTS_ANALYZER_READ_RING_MAKER_H
#define TESTS_ANALYZER_READ_RING_MAKER_H

#include "ring_page.h"
#include <string.h>

#define RING_PAGE_BYTES 4096
#define RING_MISSED     (UINT64_C(1) << 31)
#define RING_STORED     (UINT64_C(1) << 30)

struct ring_maker {
	bool big_endian;
	unsigned long_bytes;
	uint8_t page[RING_PAGE_BYTES];
	size_t bytes; /* of data, behind the head */
};

static inline void ring_put(const struct ring_maker *m, uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[m->big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* The text of header_page of a kernel whose long has so many bytes; data begin behind the length.
 */
static inline const char *ring_header_page(unsigned long_bytes)
{
	return long_bytes == 8 ? "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
			       : "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				 "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				 "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
}

static inline uint8_t *ring_data(struct ring_maker *m)
{
	return m->page + 8 + m->long_bytes;
}

/* Says how much the page holds; a page that was begun holds what was added so far. */
static inline void ring_commit(struct ring_maker *m, uint64_t value)
{
	ring_put(m, m->page + 8, value, m->long_bytes);
}

static inline void ring_begin(struct ring_maker *m, uint64_t time)
{
	memset(m->page, 0, sizeof(m->page));
	m->bytes = 0;
	ring_put(m, m->page, time, 8);
}

static inline void ring_word(struct ring_maker *m, uint32_t word)
{
	ring_put(m, ring_data(m) + m->bytes, word, 4);
	m->bytes += 4;
	ring_commit(m, m->bytes);
}

/* Bit fields begin at the lowest bit on little-endian machines and at the highest on others. */
static inline void ring_head(struct ring_maker *m, unsigned type, uint32_t delta)
{
	ring_word(m, m->big_endian ? type << 27 | delta : delta << 5 | type);
}

static inline void ring_bytes(struct ring_maker *m, const void *data, size_t bytes)
{
	memcpy(ring_data(m) + m->bytes, data, bytes);
	m->bytes += (bytes + 3) / 4 * 4;
	ring_commit(m, m->bytes);
}

/* An event of at most 112 bytes, its length in the head. */
static inline void ring_event(struct ring_maker *m, uint32_t delta, const void *data, size_t bytes)
{
	ring_head(m, (unsigned)(bytes + 3) / 4, delta);
	ring_bytes(m, data, bytes);
}

/* An event with its length behind the head; it counts itself. */
static inline void ring_long(struct ring_maker *m, uint32_t delta, const void *data, size_t bytes)
{
	ring_head(m, 0, delta);
	ring_word(m, (uint32_t)bytes + 4);
	ring_bytes(m, data, bytes);
}

static inline void ring_extend(struct ring_maker *m, uint64_t delta)
{
	ring_head(m, 30, delta & 0x7ffffff);
	ring_word(m, (uint32_t)(delta >> 27));
}

static inline void ring_stamp(struct ring_maker *m, uint64_t time)
{
	ring_head(m, 31, time & 0x7ffffff);
	ring_word(m, (uint32_t)(time >> 27 & 0xffffffff));
}

/* An event of so many bytes that was thrown away. */
static inline void ring_discarded(struct ring_maker *m, uint32_t delta, size_t bytes)
{
	ring_head(m, 29, delta);
	ring_word(m, (uint32_t)bytes + 4);
	m->bytes += bytes;
	ring_commit(m, m->bytes);
}

#endif
