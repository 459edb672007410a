/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of foreign CTF: small traces as other tracers lay them out, put together by hand.
 */
#ifndef TESTS_ANALYZER_READ_CTF_FOREIGN_TRACES_H
#define TESTS_ANALYZER_READ_CTF_FOREIGN_TRACES_H

#include "capture_bytes.h"
#include "ctf_folder.h"

#define TYPES                                                                        \
	"/* CTF 1.8 */\n"                                                            \
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"   \
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n" \
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n" \
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"   \
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n" \
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"

#define TRACE(order)                                                                       \
	"trace { major = 1; minor = 8; byte_order = " order "; packet.header := struct { " \
	"uint32_t magic; uint32_t stream_id; }; };\n"

#define CLOCK(name, rest)                                                                        \
	"clock { name = " name "; " rest " };\n"                                                 \
	"typealias integer { size = 64; align = 8; signed = false; map = clock." name ".value; " \
	"} := stamp_t;\n"                                                                        \
	"typealias integer { size = 27; align = 1; signed = false; map = clock." name ".value; " \
	"} := short_stamp_t;\n"

/* A packet tells its times, its CPU and how many events were lost before its end. */
#define STREAM(header)                                                          \
	"stream { id = 0; packet.context := struct { stamp_t timestamp_begin; " \
	"stamp_t timestamp_end; uint32_t content_size; uint32_t packet_size; "  \
	"uint32_t events_discarded; uint32_t cpu_id; }; event.header := " header "; };\n"

#define PLAIN "struct { uint16_t id; stamp_t timestamp; }"

#define EVENT(name, id, fields)                                                                \
	"event { name = \"" name "\"; id = " #id "; stream_id = 0; fields := struct { " fields \
	" }; };\n"

static inline void make_trace(const char *metadata)
{
	make_folder();
	spew("metadata", metadata, strlen(metadata));
}

/* Begins a packet of a stream; end_packet fills in how long it is. Returns where it begins. */
static inline size_t begin_packet(
	struct bytes *to, uint64_t begin, uint64_t end, uint32_t discarded, uint32_t cpu)
{
	size_t at = to->count;

	put32(to, 0xc1fc1fc1);
	put32(to, 0);
	put(to, begin, 8, to->big);
	put(to, end, 8, to->big);
	put_zeros(to, 8);
	put32(to, discarded);
	put32(to, cpu);
	return at;
}

static inline void end_packet(struct bytes *to, size_t at)
{
	struct bytes length = { .big = to->big };

	put32(&length, 8 * (to->count - at));
	put32(&length, 8 * (to->count - at));
	memcpy(to->data + at + 24, length.data, 8);
}

static inline void put_head(struct bytes *to, unsigned id, uint64_t time)
{
	put16(to, id);
	put(to, time, 8, to->big);
}

static inline void put64(struct bytes *to, uint64_t value)
{
	put(to, value, 8, to->big);
}

static inline void put_text(struct bytes *to, const char *text)
{
	do
		net8(to, (uint8_t)*text);
	while (*text++);
}

static inline void finish(const struct bytes *stream, const char *name)
{
	spew(name, stream->data, stream->count);
}

/* Reads the trace, which is removed. */
static inline void read_and_remove(struct collected *got)
{
	read_folder(got);
	remove_folder();
}

/* It is refused: the message names the folder and has the reason in it. */
static inline void read_refused_and_remove(const char *why)
{
	struct collected got;

	read_and_remove(&got);
	CU_ASSERT_EQUAL(got.status, -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, folder));
	CU_ASSERT_PTR_NOT_NULL(strstr(got.diag.text, why));
	if (!strstr(got.diag.text, why))
		printf("%s\n", got.diag.text);
	collect_free(&got);
}

static inline bool is(const struct collected *got, size_t i, uint64_t time, unsigned cpu,
	unsigned id, uint64_t packet)
{
	const struct collected_event *one = &got->events[i];

	return i < got->count && one->event.time == time && one->cpu == cpu &&
	       one->event.id == id && one->event.packet == packet;
}

#define FREES_OF_TRACE                               \
	CLOCK("c", "freq = 2900000000;")             \
	STREAM(PLAIN)                                \
	EVENT("consume_skb", 0, "uint64_t skbaddr;") \
	EVENT("sched_switch", 1, "uint32_t prev_pid;")

#define FREES TYPES TRACE("le") FREES_OF_TRACE

static inline void put_free(struct bytes *stream, uint64_t time, uint64_t packet)
{
	put_head(stream, 0, time);
	put64(stream, packet);
}

#endif
