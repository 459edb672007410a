/* SPDX-License-Identifier: BSD-3-Clause */
#include "ring_page.h"

#include "bytes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * In a page's length (kernel/trace/ring_buffer.c, RB_MISSED_...). As numbers of 32 bits with a sign
 * they may have spoilt the upper half of a longer one.
 */
#define MISSED_EVENTS (UINT32_C(1) << 31)
#define MISSED_STORED (UINT32_C(1) << 30)
#define MISSED_BITS   (MISSED_EVENTS | MISSED_STORED)

/* Types of entries; 0 is an event with its length behind the head, others are lengths. */
#define TYPE_EVENT_LONG  0
#define TYPE_PADDING     29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP  31

#define HEAD_BYTES 4
#define DELTA_BITS 27
#define DELTA_MASK ((UINT32_C(1) << DELTA_BITS) - 1)
#define STAMP_BITS 59 /* of an absolute time: 27 in the head and 32 behind it */

#define TIME_BYTES        8
#define DATA_OFFSET_LEAST (TIME_BYTES + 4)
#define DATA_OFFSET_MOST  256 /* 16 in all kernels so far */

/* "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;" */
static bool find_field(const char *text, const char *name, uint32_t *offset, uint32_t *size)
{
	char declared[32];
	const char *at;

	snprintf(declared, sizeof(declared), " %s;", name);
	at = strstr(text, declared);
	return at && sscanf(at + strlen(declared), " offset:%u; size:%u;", offset, size) == 2;
}

int ring_layout_parse(struct ring_layout *layout, const char *text, size_t bytes, bool big_endian)
{
	uint32_t time_bytes, commit_bytes, data_bytes;
	char copy[1024];

	if (bytes >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	*layout = (struct ring_layout){ .big_endian = big_endian };
	if (!find_field(copy, "timestamp", &layout->time_offset, &time_bytes) ||
		!find_field(copy, "commit", &layout->commit_offset, &commit_bytes) ||
		!find_field(copy, "data", &layout->data_offset, &data_bytes))
		return -EINVAL;
	layout->long_bytes = commit_bytes;
	if (time_bytes != TIME_BYTES || (commit_bytes != 4 && commit_bytes != 8) ||
		layout->data_offset > DATA_OFFSET_MOST || layout->data_offset % 4 ||
		layout->data_offset < DATA_OFFSET_LEAST ||
		layout->time_offset > layout->data_offset - TIME_BYTES ||
		layout->commit_offset > layout->data_offset - commit_bytes)
		return -EINVAL;
	return 0;
}

static int damaged(struct ring_page *page, const char *why)
{
	page->why = why;
	return -EINVAL;
}

static uint32_t word(const struct ring_page *page, const uint8_t *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	if (page->layout->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		value = __builtin_bswap32(value);
	return value;
}

int ring_page_open(struct ring_page *page, const struct ring_layout *layout, const uint8_t *data,
	size_t bytes, size_t page_bytes)
{
	uint32_t commit, held;

	*page = (struct ring_page){ .layout = layout, .begin = data, .at = data, .end = data };
	page->cut = bytes < page_bytes;
	if (bytes < layout->data_offset)
		return page->cut ? 0 : damaged(page, "a page smaller than its head");
	page->time = bytes_number(data + layout->time_offset, TIME_BYTES, layout->big_endian);
	commit = (uint32_t)bytes_number(
		data + layout->commit_offset, layout->long_bytes, layout->big_endian);
	held = commit & ~MISSED_BITS;
	page->missed = commit & MISSED_EVENTS;
	page->at = data + layout->commit_offset;
	if (held > page_bytes - layout->data_offset)
		return damaged(page, "a page that holds more than it has room for");
	if (held % 4)
		return damaged(page, "a page that ends inside a word");
	page->at = data + layout->data_offset;
	if (page->missed && commit & MISSED_STORED &&
		layout->data_offset + held + layout->long_bytes <= bytes)
		page->lost = bytes_number(page->at + held, layout->long_bytes, layout->big_endian);
	if (held <= bytes - layout->data_offset)
		page->cut = false;
	else
		held = (uint32_t)(bytes - layout->data_offset);
	page->end = page->at + held;
	return 0;
}

/* An absolute time has 59 bits; the upper ones are those of the time before, or one more. */
static uint64_t absolute(uint64_t stamp, uint64_t before)
{
	uint64_t upper = before >> STAMP_BITS << STAMP_BITS;

	stamp |= upper;
	if (upper && stamp < before)
		stamp += UINT64_C(1) << STAMP_BITS;
	return stamp;
}

/* Goes on by an entry. The rest of a page that is cut may end inside one. */
static int step(struct ring_page *page, uint64_t bytes)
{
	size_t left = (size_t)(page->end - page->at);

	if (bytes > left && page->cut) {
		page->at = page->end;
		return 0;
	}
	if (bytes > left)
		return damaged(page, "an entry that reaches beyond what its page holds");
	page->at += bytes;
	return 1;
}

int ring_page_next(struct ring_page *page, struct ring_entry *entry)
{
	int status;

	while (page->end - page->at >= HEAD_BYTES) {
		const uint8_t *at = page->at;
		uint32_t head = word(page, at);
		bool big = page->layout->big_endian;
		unsigned type = big ? head >> DELTA_BITS : head & 31;
		uint32_t delta = big ? head & DELTA_MASK : head >> 5;
		uint32_t array;

		if (type > TYPE_EVENT_LONG && type < TYPE_PADDING) {
			entry->data = at + HEAD_BYTES;
			entry->bytes = type * 4;
			page->time += delta;
			entry->time = page->time;
			return step(page, HEAD_BYTES + entry->bytes);
		}
		if (type == TYPE_PADDING && !delta)
			break; /* the rest of the page is empty */
		if (page->end - at < HEAD_BYTES + 4)
			return step(page, HEAD_BYTES + 4);
		array = word(page, at + HEAD_BYTES);
		if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP) {
			uint64_t time = (uint64_t)array << DELTA_BITS | delta;

			page->time = type == TYPE_TIME_STAMP ? absolute(time, page->time)
							     : page->time + time;
			page->at += HEAD_BYTES + 4;
			continue;
		}
		/* the length counts itself; of an event that was discarded, which keeps its time */
		if (array < 4)
			return damaged(page, "an entry smaller than its length");
		page->time += delta;
		entry->data = at + HEAD_BYTES + 4;
		entry->bytes = array - 4;
		entry->time = page->time;
		status = step(page, HEAD_BYTES + ((uint64_t)array + 3) / 4 * 4);
		if (type == TYPE_EVENT_LONG || status != 1)
			return status;
	}
	page->at = page->end;
	return 0;
}
