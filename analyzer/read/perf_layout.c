/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf_layout.h"

/* linux/perf_event.h; PERF_TYPE_TRACEPOINT */
#define TYPE_TRACEPOINT 2

/* enum perf_event_sample_format, in the order in which a sample has them, up to the raw data, */
enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_IDENTIFIER = 1 << 16,
	/* and of those behind, the last: AUX is of variable size, the others have 8 bytes */
	SAMPLE_AUX = 1 << 20,
	SAMPLE_CGROUP = 1 << 21,
	SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	SAMPLE_CODE_PAGE_SIZE = 1 << 23,
};

/* enum perf_event_read_format */
enum {
	FORMAT_TIME_ENABLED = 1 << 0,
	FORMAT_TIME_RUNNING = 1 << 1,
	FORMAT_ID = 1 << 2,
	FORMAT_GROUP = 1 << 3,
	FORMAT_LOST = 1 << 4,
};

/* Offsets in struct perf_event_attr, and bits of its flags. */
enum {
	ATTR_TYPE = 0,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_READ_FORMAT = 32,
	ATTR_FLAGS = 40,
	ATTR_CLOCKID = 92,

	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
};

/* Bit fields are counted from the other end where bytes are. */
static bool flag(const uint8_t *attr, unsigned bit, bool big_endian)
{
	return bytes_64(attr + ATTR_FLAGS, big_endian) >> (big_endian ? 63 - bit : bit) & 1;
}

/* The next field of 8 bytes, if the samples have it. */
static uint16_t take(uint64_t type, uint64_t bit, uint16_t *at)
{
	uint16_t offset = *at;

	if (!(type & bit))
		return 0;
	*at = (uint16_t)(offset + 8);
	return offset;
}

static uint16_t count_bits(uint64_t value)
{
	return (uint16_t)__builtin_popcountll(value);
}

/* Counters that are read with each sample: one, or a group, whose size each sample tells. */
static void lay_out_read(struct perf_layout *layout, uint64_t format)
{
	uint16_t times = count_bits(format & (FORMAT_TIME_ENABLED | FORMAT_TIME_RUNNING));
	uint16_t each = (uint16_t)(1 + count_bits(format & (FORMAT_ID | FORMAT_LOST)));

	if (format & FORMAT_GROUP) {
		layout->counters = (uint16_t)(8 * each);
		layout->counters_head = (uint16_t)(8 * (1 + times));
	} else {
		layout->fixed = (uint16_t)(layout->fixed + 8 * (each + times));
	}
}

/* struct sample_id: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
static void lay_out_end(struct perf_layout *layout, uint64_t type)
{
	uint16_t at = 8;

	layout->end_id = take(type, SAMPLE_IDENTIFIER, &at);
	layout->end_cpu = take(type, SAMPLE_CPU, &at);
	take(type, SAMPLE_STREAM_ID, &at);
	take(type, SAMPLE_ID, &at);
	layout->end_time = take(type, SAMPLE_TIME, &at);
}

/* Of the fields behind the raw data only the cgroup is of interest, which has a fixed place too. */
static uint16_t cgroup_before_end(uint64_t type)
{
	if (!(type & SAMPLE_CGROUP) || type & SAMPLE_AUX)
		return 0;
	return (uint16_t)(8 *
			  (1 + count_bits(type & (SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE))));
}

void perf_layout_make(struct perf_layout *layout, const uint8_t *attr, bool big_endian)
{
	uint64_t type = bytes_64(attr + ATTR_SAMPLE_TYPE, big_endian);
	uint64_t format = bytes_64(attr + ATTR_READ_FORMAT, big_endian);
	uint16_t at = PERF_HEAD_BYTES, id;

	memset(layout, 0, sizeof(*layout));
	layout->id = take(type, SAMPLE_IDENTIFIER, &at);
	take(type, SAMPLE_IP, &at);
	layout->pid = take(type, SAMPLE_TID, &at);
	layout->time = take(type, SAMPLE_TIME, &at);
	take(type, SAMPLE_ADDR, &at);
	id = take(type, SAMPLE_ID, &at);
	if (!layout->id)
		layout->id = id;
	take(type, SAMPLE_STREAM_ID, &at);
	layout->cpu = take(type, SAMPLE_CPU, &at);
	take(type, SAMPLE_PERIOD, &at);
	layout->fixed = at;
	if (type & SAMPLE_READ)
		lay_out_read(layout, format);
	layout->callchain = type & SAMPLE_CALLCHAIN;
	layout->raw = type & SAMPLE_RAW;
	layout->simple = layout->raw && layout->pid && layout->time && layout->cpu &&
			 !layout->counters && !layout->callchain;
	layout->tracepoint = bytes_32(attr + ATTR_TYPE, big_endian) == TYPE_TRACEPOINT;
	layout->counts_lost = format & FORMAT_LOST;
	layout->end_cgroup = cgroup_before_end(type);
	layout->plain = layout->simple && layout->tracepoint && !layout->end_cgroup;
	if (flag(attr, FLAG_SAMPLE_ID_ALL, big_endian))
		lay_out_end(layout, type);
}

const char *perf_attr_clock(const uint8_t *attr, size_t bytes, bool big_endian)
{
	/* linux/time.h, CLOCK_REALTIME and on */
	static const char *const clocks[] = {
		[0] = "realtime",
		[1] = "monotonic",
		[4] = "monotonic_raw",
		[7] = "boottime",
		[11] = "tai",
	};
	uint32_t id;

	if (bytes < ATTR_CLOCKID + 4 || !flag(attr, FLAG_USE_CLOCKID, big_endian))
		return NULL;
	id = bytes_32(attr + ATTR_CLOCKID, big_endian);
	return id < sizeof(clocks) / sizeof(clocks[0]) ? clocks[id] : NULL;
}

/* Skips `count` things of that size. False if they go beyond the end. */
static bool skip(size_t *at, size_t end, uint64_t count, size_t size)
{
	if (count > (end - *at) / size)
		return false;
	*at += (size_t)count * size;
	return true;
}

bool perf_layout_sample_any(const struct perf_layout *layout, const uint8_t *record, size_t bytes,
	bool big_endian, struct perf_sample *sample)
{
	size_t at = layout->fixed;

	if (bytes < at)
		return false;
	sample->raw.time = layout->time ? bytes_64(record + layout->time, big_endian) : 0;
	sample->cpu = layout->cpu ? bytes_32(record + layout->cpu, big_endian) : 0;
	sample->raw.pid =
		layout->pid ? (int32_t)bytes_32(record + layout->pid, big_endian) : RAW_PID_UNKNOWN;
	sample->raw.data = NULL;
	sample->raw.bytes = 0;
	if (layout->counters) {
		if (bytes - at < layout->counters_head)
			return false;
		at += layout->counters_head;
		if (!skip(&at, bytes, bytes_64(record + layout->fixed, big_endian),
			    layout->counters))
			return false;
	}
	if (layout->callchain) {
		if (bytes - at < 8)
			return false;
		at += 8;
		if (!skip(&at, bytes, bytes_64(record + at - 8, big_endian), 8))
			return false;
	}
	if (layout->raw) {
		if (bytes - at < 4)
			return false;
		sample->raw.data = record + at + 4;
		sample->raw.bytes = bytes_32(record + at, big_endian);
		return sample->raw.bytes <= bytes - at - 4;
	}
	return true;
}
