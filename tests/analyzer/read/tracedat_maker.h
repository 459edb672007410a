/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: files as trace-cmd writes them, with pages of 256 bytes, made after its manual pages
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 */
#ifndef TESTS_ANALYZER_READ_TRACEDAT_MAKER_H
#define TESTS_ANALYZER_READ_TRACEDAT_MAKER_H

#include "ring_maker.h"
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define DAT_PAGE_BYTES  256
#define DAT_CHUNK_BYTES (2 * DAT_PAGE_BYTES)
#define DAT_CPUS        2
#define DAT_BYTES       ((size_t)64 * 1024)
#define DAT_CONSUME     300 /* the id of consume_skb */
#define DAT_OTHER       301 /* of an event of no use */

struct dat_buffer {
	const char *name, *clock;
	struct {
		uint8_t pages[16 * DAT_PAGE_BYTES];
		size_t bytes;
	} cpus[DAT_CPUS];
};

/* What is to be made. */
struct dat_spec {
	unsigned version; /* 6 or 7 */
	bool big_endian;
	const char *compression; /* version 7: "none", "zlib", "zstd" */
	const char *clock;       /* text of the option, or NULL */
	const char *stats;       /* text of the first CPU's statistics, or NULL */
	uint32_t mult, shift;    /* of a TSC; mult 0: none */
	struct dat_buffer buffers[2];
	unsigned buffer_count;
	const char *text; /* of a latency tracer, instead of buffers */
};

/* What was made, and where its sizes and offsets are. */
struct dat {
	bool big_endian;
	uint8_t data[DAT_BYTES];
	size_t bytes;
	struct {
		size_t at;
		unsigned bytes;
		const char *name;
	} sizes[64];
	size_t size_count;
	size_t data_begin; /* of the first buffer's first page or chunks */
	size_t data_end;   /* version 7: behind all that is of use */
};

static inline void dat_set(struct dat *d, size_t at, uint64_t value, unsigned bytes)
{
	struct ring_maker order = { .big_endian = d->big_endian };

	ring_put(&order, d->data + at, value, bytes);
}

static inline size_t dat_number(struct dat *d, uint64_t value, unsigned bytes)
{
	dat_set(d, d->bytes, value, bytes);
	d->bytes += bytes;
	return d->bytes - bytes;
}

/* A size or an offset: something that tests break. Returns where it is. */
static inline size_t dat_size(struct dat *d, uint64_t value, unsigned bytes, const char *name)
{
	d->sizes[d->size_count].at = d->bytes;
	d->sizes[d->size_count].bytes = bytes;
	d->sizes[d->size_count++].name = name;
	return dat_number(d, value, bytes);
}

static inline void dat_bytes(struct dat *d, const void *data, size_t bytes)
{
	memcpy(d->data + d->bytes, data, bytes);
	d->bytes += bytes;
}

static inline void dat_string(struct dat *d, const char *text)
{
	dat_bytes(d, text, strlen(text) + 1);
}

static inline void dat_align(struct dat *d)
{
	d->bytes = (d->bytes + DAT_PAGE_BYTES - 1) / DAT_PAGE_BYTES * DAT_PAGE_BYTES;
}

static inline void dat_format(struct dat *d, const char *name, unsigned id)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"skbaddr=%%p\", REC->skbaddr\n",
		name, id);
	dat_size(d, strlen(text), 8, "format");
	dat_bytes(d, text, strlen(text));
}

static inline void dat_header_info(struct dat *d)
{
	dat_string(d, "header_page");
	dat_size(d, strlen(ring_header_page(8)), 8, "header_page");
	dat_bytes(d, ring_header_page(8), strlen(ring_header_page(8)));
	dat_string(d, "header_event");
	dat_size(d, 12, 8, "header_event");
	dat_bytes(d, "# compressed", 12);
}

static inline void dat_formats(struct dat *d)
{
	dat_size(d, 1, 4, "systems");
	dat_string(d, "skb");
	dat_size(d, 2, 4, "events");
	dat_format(d, "consume_skb", DAT_CONSUME);
	dat_format(d, "skb_other", DAT_OTHER);
}

static inline void dat_tasks(struct dat *d)
{
	dat_size(d, 26, 8, "command lines");
	dat_bytes(d, "1 init\n77 a name of a task\n", 26);
}

static inline void dat_option(struct dat *d, unsigned id, const void *data, size_t bytes)
{
	dat_number(d, id, 2);
	dat_size(d, bytes, 4, "option");
	dat_bytes(d, data, bytes);
}

static inline void dat_common_options(struct dat *d, const struct dat_spec *spec)
{
	if (spec->clock)
		dat_option(d, 4, spec->clock, strlen(spec->clock) + 1);
	dat_option(d, 99, "from a later version", 20);
	if (spec->stats)
		dat_option(d, 2, spec->stats, strlen(spec->stats) + 1);
	if (spec->mult) {
		dat_option(d, 14, "", 0);
		dat_set(d, d->bytes - 4, 16, 4);
		dat_number(d, spec->mult, 4);
		dat_number(d, spec->shift, 4);
		dat_number(d, 12345, 8);
	}
}

/* Version 6: the table of a buffer, and its pages behind it. */
static inline void dat_v6_buffer(struct dat *d, const struct dat_spec *spec, unsigned number)
{
	const struct dat_buffer *buffer = &spec->buffers[number];
	size_t table;

	dat_string(d, "flyrecord");
	table = d->bytes;
	for (unsigned cpu = 0; cpu < DAT_CPUS; cpu++) {
		dat_size(d, 0, 8, "offset of a CPU");
		dat_size(d, buffer->cpus[cpu].bytes, 8, "size of a CPU");
	}
	if (spec->clock) {
		dat_size(d, strlen(buffer->clock), 8, "clock");
		dat_bytes(d, buffer->clock, strlen(buffer->clock));
	}
	for (unsigned cpu = 0; cpu < DAT_CPUS; cpu++) {
		dat_align(d);
		if (!d->data_begin)
			d->data_begin = d->bytes;
		dat_set(d, table + 16 * cpu, d->bytes, 8);
		dat_bytes(d, buffer->cpus[cpu].pages, buffer->cpus[cpu].bytes);
	}
}

/* Ends a section of options. Returns where it tells where the next one is. */
static inline size_t dat_options_end(struct dat *d, size_t options)
{
	size_t link;

	dat_number(d, 0, 2);
	dat_size(d, 8, 4, "option");
	link = dat_size(d, 0, 8, "offset of the next options");
	dat_set(d, options + 8, d->bytes - options - 16, 8);
	return link;
}

static inline void dat_make_v6(struct dat *d, const struct dat_spec *spec)
{
	size_t instance = 0;

	dat_header_info(d);
	dat_size(d, 1, 4, "ftrace formats");
	dat_size(d, 8, 8, "ftrace format");
	dat_bytes(d, "name: fn", 8);
	dat_formats(d);
	dat_size(d, 5, 4, "kernel symbols");
	dat_bytes(d, "0 T x", 5);
	dat_size(d, 3, 4, "printk formats");
	dat_bytes(d, "0 :", 3);
	dat_tasks(d);
	dat_size(d, DAT_CPUS, 4, "number of CPUs");
	dat_string(d, "options  ");
	dat_common_options(d, spec);
	if (spec->buffer_count > 1) {
		dat_option(d, 3, "12345678instance", 17);
		instance = d->bytes - 17;
	}
	dat_number(d, 0, 2);
	if (spec->text) {
		dat_string(d, "latency  ");
		dat_bytes(d, spec->text, strlen(spec->text));
		return;
	}
	dat_v6_buffer(d, spec, 0);
	if (instance) {
		dat_set(d, instance, d->bytes, 8);
		dat_v6_buffer(d, spec, 1);
	}
}

static inline size_t dat_pack(const char *kind, const void *data, size_t bytes, uint8_t *to)
{
	uLongf room = DAT_BYTES;

	if (!strcmp(kind, "zstd"))
		return ZSTD_compress(to, DAT_BYTES, data, bytes, 3);
	compress2(to, &room, data, bytes, 6);
	return room;
}

/* Ends a section that began at `head`; packs what it holds, if there is a compression. */
static inline void dat_section_end(struct dat *d, const struct dat_spec *spec, size_t head)
{
	size_t data = head + 16, bytes = d->bytes - data;
	uint8_t *packed;

	if (strcmp(spec->compression, "none") != 0) {
		packed = malloc(DAT_BYTES);
		dat_set(d, head + 2, 1, 2);
		d->bytes = data;
		/* sizes inside it can't be broken any more */
		while (d->size_count && d->sizes[d->size_count - 1].at >= data)
			d->size_count--;
		{
			size_t n = dat_pack(spec->compression, d->data + data, bytes, packed);

			dat_size(d, n, 4, "packed section");
			dat_size(d, bytes, 4, "unpacked section");
			dat_bytes(d, packed, n);
		}
		free(packed);
	}
	dat_set(d, head + 8, d->bytes - data, 8);
}

static inline size_t dat_section(struct dat *d, unsigned id)
{
	size_t head = dat_number(d, id, 2);

	dat_number(d, 0, 2);
	dat_number(d, 0, 4);
	dat_size(d, 0, 8, "section");
	return head;
}

/* A CPU's pages as chunks: how many, and of each both sizes. */
static inline void dat_chunks(struct dat *d, const char *kind, const uint8_t *pages, size_t bytes)
{
	uint8_t *packed = malloc(DAT_BYTES);

	dat_size(d, (bytes + DAT_CHUNK_BYTES - 1) / DAT_CHUNK_BYTES, 4, "number of chunks");
	for (size_t at = 0; at < bytes; at += DAT_CHUNK_BYTES) {
		size_t part = bytes - at < DAT_CHUNK_BYTES ? bytes - at : DAT_CHUNK_BYTES;
		size_t n = dat_pack(kind, pages + at, part, packed);

		dat_size(d, n, 4, "packed chunk");
		dat_size(d, part, 4, "unpacked chunk");
		dat_bytes(d, packed, n);
	}
	free(packed);
}

/* A buffer's section, and behind it the section with the option that tells where its data are. */
static inline void dat_v7_buffer(
	struct dat *d, const struct dat_spec *spec, unsigned number, size_t *link)
{
	const struct dat_buffer *buffer = &spec->buffers[number];
	bool packed = strcmp(spec->compression, "none") != 0;
	size_t head = dat_section(d, 3), begin[DAT_CPUS], bytes[DAT_CPUS], options, option;

	dat_set(d, head + 2, packed, 2);
	for (unsigned cpu = 0; cpu < DAT_CPUS; cpu++) {
		dat_align(d);
		if (!d->data_begin)
			d->data_begin = d->bytes;
		begin[cpu] = d->bytes;
		if (packed && buffer->cpus[cpu].bytes)
			dat_chunks(d, spec->compression, buffer->cpus[cpu].pages,
				buffer->cpus[cpu].bytes);
		else
			dat_bytes(d, buffer->cpus[cpu].pages, buffer->cpus[cpu].bytes);
		bytes[cpu] = d->bytes - begin[cpu];
		if (packed && bytes[cpu])
			bytes[cpu] -= 4; /* as trace-cmd has it: without the number of chunks */
	}
	dat_set(d, head + 8, d->bytes - head - 16, 8);

	options = dat_section(d, 0);
	dat_set(d, *link, options, 8);
	dat_number(d, 3, 2);
	option = dat_size(d, 0, 4, "option of a buffer");
	dat_size(d, head, 8, "offset of a buffer");
	dat_string(d, buffer->name);
	dat_string(d, buffer->clock);
	dat_number(d, DAT_PAGE_BYTES, 4);
	dat_size(d, DAT_CPUS, 4, "CPUs of a buffer");
	for (unsigned cpu = 0; cpu < DAT_CPUS; cpu++) {
		dat_number(d, cpu, 4);
		dat_size(d, begin[cpu], 8, "offset of a CPU");
		dat_size(d, bytes[cpu], 8, "size of a CPU");
	}
	dat_set(d, option, d->bytes - option - 4, 4);
	*link = dat_options_end(d, options);
}

/* The same for a latency tracer's text. */
static inline void dat_v7_text(struct dat *d, const struct dat_spec *spec, size_t link)
{
	bool packed = strcmp(spec->compression, "none") != 0;
	size_t head = dat_section(d, 22), options;

	dat_set(d, head + 2, packed, 2);
	if (packed)
		dat_chunks(d, spec->compression, (const uint8_t *)spec->text, strlen(spec->text));
	else
		dat_bytes(d, spec->text, strlen(spec->text));
	dat_set(d, head + 8, d->bytes - head - 16, 8);
	options = dat_section(d, 0);
	dat_set(d, link, options, 8);
	dat_number(d, 22, 2);
	dat_number(d, 8 + 1 + 6, 4);
	dat_number(d, head, 8);
	dat_string(d, "");
	dat_string(d, "local");
	dat_options_end(d, options);
}

static inline void dat_make_v7(struct dat *d, const struct dat_spec *spec)
{
	static const unsigned ids[] = { 16, 18, 21 };
	size_t at[3], first, options, link;

	dat_string(d, spec->compression);
	dat_string(d, "1.0");
	first = dat_size(d, 0, 8, "offset of the options");
	for (size_t i = 0; i < 3; i++) {
		at[i] = dat_section(d, ids[i]);
		if (i == 0)
			dat_header_info(d);
		else if (i == 1)
			dat_formats(d);
		else
			dat_tasks(d);
		dat_section_end(d, spec, at[i]);
	}
	options = dat_section(d, 0);
	dat_set(d, first, options, 8);
	for (size_t i = 0; i < 3; i++) {
		dat_number(d, ids[i], 2);
		dat_size(d, 8, 4, "option");
		dat_size(d, at[i], 8, "offset of a section");
	}
	dat_common_options(d, spec);
	link = dat_options_end(d, options);
	if (spec->text)
		dat_v7_text(d, spec, link);
	for (unsigned i = 0; i < spec->buffer_count; i++)
		dat_v7_buffer(d, spec, i, &link);
	d->data_end = d->bytes;
	options = dat_section(d, 15);
	dat_string(d, "names of sections, for people");
	dat_section_end(d, spec, options);
}

static inline void dat_make(struct dat *d, const struct dat_spec *spec)
{
	char version[2] = { (char)('0' + spec->version), '\0' };

	memset(d, 0, sizeof(*d));
	d->big_endian = spec->big_endian;
	dat_bytes(d, "\x17\x08\x44tracing", 10);
	dat_string(d, version);
	dat_number(d, spec->big_endian, 1);
	dat_number(d, 8, 1);
	dat_number(d, DAT_PAGE_BYTES, 4);
	if (spec->version == 6)
		dat_make_v6(d, spec);
	else
		dat_make_v7(d, spec);
}

/* An event of consume_skb, or of another kind, on a page that was begun. */
static inline void dat_event(struct ring_maker *m, uint32_t delta, unsigned id, uint64_t packet)
{
	uint8_t record[16] = { 0 };

	ring_put(m, record, id, 2);
	ring_put(m, record + 4, 77, 4);
	ring_put(m, record + 8, packet, 8);
	ring_event(m, delta, record, sizeof(record));
}

/* Adds the page to a CPU's. */
static inline void dat_page(
	struct dat_spec *spec, unsigned buffer, unsigned cpu, const struct ring_maker *m)
{
	struct dat_buffer *b = &spec->buffers[buffer];

	memcpy(b->cpus[cpu].pages + b->cpus[cpu].bytes, m->page, DAT_PAGE_BYTES);
	b->cpus[cpu].bytes += DAT_PAGE_BYTES;
}

#endif
