/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of perf.data: makes one by hand, of either byte order, as a file or as it is piped.
 * What is written where is linux/perf_event.h's and perf.data-file-format.txt's.
 */
#ifndef TESTS_ANALYZER_READ_PERF_MAKER_H
#define TESTS_ANALYZER_READ_PERF_MAKER_H

#include "collect.h"
#include "raw_formats.h"

enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	READ = 1 << 4,
	CALLCHAIN = 1 << 5,
	ID = 1 << 6,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
	STREAM_ID = 1 << 9,
	RAW = 1 << 10,
	BRANCH_STACK = 1 << 11,
	REGS_USER = 1 << 12,
	STACK_USER = 1 << 13,
	IDENTIFIER = 1 << 16,
	AUX = 1 << 20,
	CGROUP = 1 << 21,
	DATA_PAGE_SIZE = 1 << 22,
	CODE_PAGE_SIZE = 1 << 23,
};

enum { ENABLED = 1, RUNNING = 2, READ_ID = 4, GROUP = 8, READ_LOST = 16 };

/* One perf event. */
struct perf_attr {
	uint32_t type; /* 2: tracepoint */
	uint64_t sample_type, read_format, ids[2];
	int clock;   /* -1: perf's own */
	bool no_end; /* not sample_id_all */
};

struct maker {
	bool big;
	size_t end;
	uint64_t folder; /* version of the folder that the file is a part of; 0: it is none */
	size_t formats, formats_end; /* where they are */
	uint8_t data[1 << 22];
};

static inline void number(struct maker *m, uint64_t value, unsigned size)
{
	CU_ASSERT_FATAL(m->end + size <= sizeof(m->data));
	put(m->data + m->end, value, size, m->big);
	m->end += size;
}

static inline void numbers(struct maker *m, unsigned count, uint64_t value)
{
	while (count--)
		number(m, value, 8);
}

static inline void block(struct maker *m, const void *data, size_t bytes)
{
	CU_ASSERT_FATAL(m->end + bytes <= sizeof(m->data));
	memcpy(m->data + m->end, data, bytes);
	m->end += bytes;
}

static inline size_t begin_record(struct maker *m, uint32_t type)
{
	size_t begin = m->end;

	number(m, type, 4);
	number(m, 0, 2);
	number(m, 0, 2);
	return begin;
}

static inline void end_record(struct maker *m, size_t begin)
{
	put(m->data + begin + 6, m->end - begin, 2, m->big);
}

/* Counters as they are read with a sample; of a group, two. */
static inline void read_counters(struct maker *m, uint64_t format)
{
	unsigned times = (format & ENABLED ? 1U : 0) + (format & RUNNING ? 1U : 0);
	unsigned each = 1U + (format & READ_ID ? 1U : 0) + (format & READ_LOST ? 1U : 0);

	if (format & GROUP)
		number(m, 2, 8);
	numbers(m, times + (format & GROUP ? 2 * each : each), 77);
}

/* What a sample tells besides its fields of no interest, which are filled with something. */
struct told {
	uint64_t id, time;
	uint32_t cpu, pid;
	uint64_t cgroup;
};

static inline void sample(struct maker *m, const struct perf_attr *attr, const struct told *told,
	const uint8_t *raw, size_t raw_bytes)
{
	uint64_t type = attr->sample_type;
	size_t begin = begin_record(m, 9);

	if (type & IDENTIFIER)
		number(m, told->id, 8);
	if (type & IP)
		number(m, 0xffffffff81234567, 8);
	if (type & TID) {
		number(m, told->pid, 4);
		number(m, told->pid + 1, 4);
	}
	if (type & TIME)
		number(m, told->time, 8);
	if (type & ADDR)
		number(m, 5, 8);
	if (type & ID)
		number(m, told->id, 8);
	if (type & STREAM_ID)
		number(m, 999, 8);
	if (type & CPU) {
		number(m, told->cpu, 4);
		number(m, 0, 4);
	}
	if (type & PERIOD)
		number(m, 1, 8);
	if (type & READ)
		read_counters(m, attr->read_format);
	if (type & CALLCHAIN) {
		number(m, 3, 8);
		numbers(m, 3, 0xffffffffffffff80);
	}
	if (type & RAW) {
		number(m, raw_bytes, 4);
		block(m, raw, raw_bytes);
	}
	if (type & BRANCH_STACK) {
		number(m, 1, 8);
		numbers(m, 3, 8);
	}
	if (type & REGS_USER)
		number(m, 0, 8);
	if (type & STACK_USER)
		number(m, 0, 8);
	if (type & CGROUP)
		number(m, told->cgroup, 8);
	if (type & DATA_PAGE_SIZE)
		number(m, 4096, 8);
	if (type & CODE_PAGE_SIZE)
		number(m, 4096, 8);
	if (type & AUX)
		numbers(m, 2, 8); /* 8 bytes of it */
	end_record(m, begin);
}

/* The end of records that aren't samples. */
static inline void end_fields(
	struct maker *m, const struct perf_attr *attr, const struct told *told)
{
	uint64_t type = attr->no_end ? 0 : attr->sample_type;

	if (type & TID)
		number(m, told->pid, 8);
	if (type & TIME)
		number(m, told->time, 8);
	if (type & ID)
		number(m, told->id, 8);
	if (type & STREAM_ID)
		number(m, 999, 8);
	if (type & CPU) {
		number(m, told->cpu, 4);
		number(m, 0, 4);
	}
	if (type & IDENTIFIER)
		number(m, told->id, 8);
}

static inline void consume(
	struct maker *m, const struct perf_attr *attr, const struct told *told, uint64_t packet)
{
	uint8_t raw[16];

	sample(m, attr, told, raw, put_consume(raw, packet, m->big));
}

/* 10 bytes, over IPv4, by a protocol that nobody looks at. */
static inline void sock_send(struct maker *m, const struct perf_attr *attr, const struct told *told)
{
	uint8_t raw[28] = { 0 };

	put(raw, 1406, 2, m->big);
	put(raw + 16, 2, 2, m->big);
	put(raw + 20, 10, 4, m->big);
	sample(m, attr, told, raw, sizeof(raw));
}

static inline void comm(
	struct maker *m, const struct perf_attr *attr, uint32_t pid, uint32_t tid, const char *name)
{
	size_t record = begin_record(m, 3);
	struct told told = { 0 };

	number(m, pid, 4);
	number(m, tid, 4);
	block(m, name, strlen(name) + 1);
	block(m, "\0\0\0\0\0\0\0", 7 - strlen(name) % 8);
	end_fields(m, attr, &told);
	end_record(m, record);
}

static inline void empty_record(struct maker *m, uint32_t type)
{
	end_record(m, begin_record(m, type));
}

#define ATTR_BYTES 112

static inline void attr_bytes(struct maker *m, const struct perf_attr *attr)
{
	size_t at = m->end;
	uint64_t flags = 0;

	memset(m->data + at, 0, ATTR_BYTES);
	m->end += ATTR_BYTES;
	put(m->data + at, attr->type, 4, m->big);
	put(m->data + at + 4, ATTR_BYTES, 4, m->big);
	put(m->data + at + 24, attr->sample_type, 8, m->big);
	put(m->data + at + 32, attr->read_format, 8, m->big);
	/* sample_id_all is the 19th bit, use_clockid the 26th: from the other end if big-endian */
	if (!attr->no_end)
		flags |= UINT64_C(1) << (m->big ? 63 - 18 : 18);
	if (attr->clock >= 0)
		flags |= UINT64_C(1) << (m->big ? 63 - 25 : 25);
	put(m->data + at + 40, flags, 8, m->big);
	put(m->data + at + 92, (uint64_t)attr->clock, 4, m->big);
}

static inline void format(struct maker *m, const char *text)
{
	number(m, strlen(text), 8);
	block(m, text, strlen(text));
}

/* The formats: those of raw_formats.h that these tests use. */
static inline void tracing_data(struct maker *m)
{
	m->formats = m->end;
	block(m, "\x17\x08\x44tracing", 10);
	block(m, "0.6", 4);
	number(m, m->big, 1);
	number(m, 8, 1);
	number(m, 4096, 4);
	block(m, "header_page", 12);
	format(m, "\tfield: u64 timestamp;\n");
	block(m, "header_event", 13);
	format(m, "# compressed entry header\n");
	number(m, 1, 4);
	format(m, "name: function\nID: 1\n");
	number(m, 3, 4);
	block(m, "net", 4);
	number(m, 2, 4);
	format(m, FORMAT_START);
	format(m, FORMAT_XMIT);
	block(m, "skb", 4);
	number(m, 1, 4);
	format(m, FORMAT_CONSUME);
	block(m, "sock", 5);
	number(m, 1, 4);
	format(m, FORMAT_SEND);
	number(m, 0, 4); /* kernel's symbols */
	number(m, 0, 4); /* printk's formats */
	number(m, 0, 8); /* command lines */
	m->formats_end = m->end;
}

/* A file of these events, with the records that `fill` writes. */
static inline void make_file(struct maker *m, bool big, const struct perf_attr *attrs, size_t count,
	void (*fill)(struct maker *m))
{
	size_t ids = 104 + count * (ATTR_BYTES + 16), data, table, formats;

	m->big = big;
	m->end = 0;
	block(m, big ? "2ELIFREP" : "PERFILE2", 8);
	number(m, 104, 8);
	number(m, ATTR_BYTES + 16, 8);
	number(m, 104, 8);
	number(m, count * (ATTR_BYTES + 16), 8);
	numbers(m, 4, 0);
	number(m, 1 << 1 | (m->folder ? 1 << 24 : 0), 8); /* TRACING_DATA, DIR_FORMAT */
	numbers(m, 3, 0);
	for (size_t i = 0; i < count; i++) {
		attr_bytes(m, &attrs[i]);
		number(m, ids + 16 * i, 8);
		number(m, 16, 8);
	}
	for (size_t i = 0; i < count; i++) {
		number(m, attrs[i].ids[0], 8);
		number(m, attrs[i].ids[1], 8);
	}
	data = m->end;
	fill(m);
	table = m->end;
	put(m->data + 40, data, 8, big);
	put(m->data + 48, table - data, 8, big);
	numbers(m, m->folder ? 4 : 2, 0);
	formats = m->end;
	tracing_data(m);
	put(m->data + table, formats, 8, big);
	put(m->data + table + 8, m->end - formats, 8, big);
	if (m->folder) {
		put(m->data + table + 16, m->end, 8, big);
		put(m->data + table + 24, 8, 8, big);
		number(m, m->folder, 8);
	}
}

/* A file of a folder beside that with the header. */
static inline void make_part(struct maker *m, bool big, void (*fill)(struct maker *m))
{
	m->big = big;
	m->end = 0;
	fill(m);
}

/* The same as it is piped. */
static inline void make_pipe(struct maker *m, bool big, const struct perf_attr *attrs, size_t count,
	void (*fill)(struct maker *m))
{
	size_t record, begin;

	m->big = big;
	m->end = 0;
	block(m, big ? "2ELIFREP" : "PERFILE2", 8);
	number(m, 16, 8);
	for (size_t i = 0; i < count; i++) {
		record = begin_record(m, 64);
		attr_bytes(m, &attrs[i]);
		number(m, attrs[i].ids[0], 8);
		number(m, attrs[i].ids[1], 8);
		end_record(m, record);
	}
	record = begin_record(m, 66);
	number(m, 0, 4);
	end_record(m, record);
	begin = m->end;
	tracing_data(m);
	block(m, "\0\0\0\0\0\0\0", 7 - (m->end - begin + 7) % 8);
	put(m->data + record + 8, m->end - begin, 4, big);
	fill(m);
}

static inline void collect_made(const struct maker *m, struct collected *got)
{
	collect_bytes((const char *)m->data, m->end, got);
}

#endif
