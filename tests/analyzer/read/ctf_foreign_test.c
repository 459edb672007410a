/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_traces.h"

static const char *device_of(const struct collected *got, size_t i)
{
	const char *name =
		names_get(reader_names(got->reader), NAME_DEVICE, got->events[i].event.device);

	return name ? name : "(none)";
}

/* All fields of the start, in another order than the kernel's, and both ways to name an event. */
static void events_are_those_of_the_kernel_in_either_byte_order(void)
{
#define KERNEL_EVENTS                                                                        \
	EVENT("net:net_dev_start_xmit", 0,                                                   \
		"uint32_t gso_type; uint16_t gso_segs; uint16_t gso_size; int32_t "          \
		"transport_offset; "                                                         \
		"uint8_t transport_offset_valid; uint32_t len; uint64_t skbaddr; "           \
		"uint16_t queue_mapping; string name;")                                      \
	EVENT("net_dev_xmit", 1, "uint64_t skbaddr; uint32_t len; int32_t rc; string name;") \
	EVENT("probe:consume_skb", 2, "uint64_t skbaddr;")                                   \
	EVENT("napi:napi_poll", 3,                                                           \
		"uint64_t napi; string dev_name; int32_t work; int32_t budget;")             \
	EVENT("irq_handler_entry", 4, "int32_t irq; string name;")
	static const char *const metadata[] = {
		TYPES TRACE("le") CLOCK("mono", "freq = 1000000000; offset_s = 1700000000;")
			STREAM(PLAIN) KERNEL_EVENTS,
		TYPES TRACE("be") CLOCK("mono", "freq = 1000000000; offset_s = 1700000000;")
			STREAM(PLAIN) KERNEL_EVENTS,
	};

	for (int big = 0; big < 2; big++) {
		struct bytes stream = { .big = big };
		size_t at = begin_packet(&stream, 100, 200, 0, 3);
		const struct event *event;
		struct collected got;

		put_head(&stream, 0, 101);
		put32(&stream, 1);
		put16(&stream, 5);
		put16(&stream, 1448);
		put32(&stream, 34);
		net8(&stream, 1);
		put32(&stream, 66 + 5 * 1448);
		put64(&stream, 0xffff888104a1c000);
		put16(&stream, 259);
		put_text(&stream, "eth0");
		put_head(&stream, 1, 102);
		put64(&stream, 0xffff888104a1c000);
		put32(&stream, 98);
		put32(&stream, 16);
		put_text(&stream, "eth1");
		put_head(&stream, 2, 103);
		put64(&stream, 0xffff888104a1c000);
		put_head(&stream, 3, 104);
		put64(&stream, 0x77);
		put_text(&stream, "eth0");
		put32(&stream, 64);
		put32(&stream, 300);
		put_head(&stream, 4, 105);
		put32(&stream, 23);
		put_text(&stream, "eth0 rx");
		end_packet(&stream, at);
		make_trace(metadata[big]);
		finish(&stream, "channel0_3");
		read_and_remove(&got);
		CU_ASSERT_EQUAL_FATAL(got.status, 0);
		CU_ASSERT_EQUAL_FATAL(got.count, 4);
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->format, "ctf");
		CU_ASSERT_STRING_EQUAL(reader_source(got.reader)->clock, "mono");
		CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 1000000000);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 5);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 105);
		CU_ASSERT(is(&got, 0, 101, 3, EVENT_START_XMIT, 0xffff888104a1c000));
		event = &got.events[0].event;
		CU_ASSERT_STRING_EQUAL(device_of(&got, 0), "eth0");
		CU_ASSERT_EQUAL(event->len, 7306);
		CU_ASSERT_EQUAL(event_queue(event), 259);
		CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, event->arg), 1448);
		CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, event->arg), 5);
		CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, header_bytes, event->arg), 66);
		CU_ASSERT(is(&got, 1, 102, 3, EVENT_XMIT, 0xffff888104a1c000));
		CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, got.events[1].event.arg), 16);
		CU_ASSERT_STRING_EQUAL(device_of(&got, 1), "eth1");
		CU_ASSERT(is(&got, 2, 104, 3, EVENT_NAPI_POLL, 0x77));
		CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, got.events[2].event.arg), 64);
		CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, got.events[2].event.arg), 300);
		CU_ASSERT(is(&got, 3, 105, 3, EVENT_IRQ_ENTRY, 0));
		event = &got.events[3].event;
		CU_ASSERT_EQUAL(EVENT_GET(IRQ_ENTRY, irq, event->arg), 23);
		CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_IRQ,
					       (uint32_t)EVENT_GET(IRQ_ENTRY, name, event->arg)),
			"eth0 rx");
		collect_free(&got);
	}
}

/* LTTng: 5 bits of id, and 27 of the time, which wrap, or 32 and 64 behind an id of 31. */
static void compact_headers_are_unwrapped(void)
{
	const uint64_t begin = (UINT64_C(7) << 27) - 10; /* the 27 bits are about to wrap */
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, begin, begin + 1000, 0, 1);
	struct collected got;

	put32(&stream, 0 | (uint32_t)((begin + 2) << 5));
	put64(&stream, 0x100);
	put_text(&stream, "eth0");
	put32(&stream, 98);
	put32(&stream, 1 | (uint32_t)((begin + 20) << 5)); /* behind the wrap */
	put64(&stream, 0x100);
	net8(&stream, 31); /* extended: up to the next byte there is padding */
	put32(&stream, 2);
	put64(&stream, begin + 900);
	put64(&stream, 0x200);
	put32(&stream, 5);
	put32(&stream, 3 | (uint32_t)((begin + 910) << 5));
	put32(&stream, 3);
	put32(&stream, 4 | (uint32_t)((begin + 920) << 5));
	put64(&stream, 0x300);
	end_packet(&stream, at);
	make_trace(TYPES TRACE("le") CLOCK("monotonic", "freq = 1000000000; offset = 123456789;")
			STREAM("struct { enum : uint5_t { compact = 0 ... 30, extended = 31 } id; "
			       "variant <id> { struct { short_stamp_t timestamp; } compact; struct "
			       "{ "
			       "uint32_t id; stamp_t timestamp; } extended; } v; } align(8)")
				EVENT("net_dev_queue", 0,
					"uint64_t _skbaddr; string _name; uint32_t _len;")
					EVENT("skb_consume", 1, "uint64_t _skbaddr;") EVENT(
						"skb_kfree", 2,
						"uint64_t _skbaddr; enum : uint32_t { "
						"NO_SOCKET = 5 } _reason;")
						EVENT("irq_softirq_raise", 3, "uint32_t _vec;")
							EVENT("net_napi_gro_receive_entry", 4,
								"uint64_t _skbaddr;"));
	finish(&stream, "channel0_1");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.status, 0);
	CU_ASSERT_EQUAL_FATAL(got.count, 5);
	CU_ASSERT(is(&got, 0, begin + 2, 1, EVENT_QUEUE, 0x100));
	CU_ASSERT_STRING_EQUAL(device_of(&got, 0), "eth0");
	CU_ASSERT(is(&got, 1, begin + 20, 1, EVENT_FREE, 0x100));
	CU_ASSERT_EQUAL(got.events[1].event.arg, 0);
	CU_ASSERT(is(&got, 2, begin + 900, 1, EVENT_FREE, 0x200));
	CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_REASON,
				       (uint32_t)EVENT_GET(FREE, reason, got.events[2].event.arg)),
		"NO_SOCKET");
	CU_ASSERT(is(&got, 3, begin + 910, 1, EVENT_SOFTIRQ_RAISE, 0));
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_RAISE, vec, got.events[3].event.arg), 3);
	CU_ASSERT(is(&got, 4, begin + 920, 1, EVENT_RECEIVE_BEGIN, 0x300));
	CU_ASSERT_STRING_EQUAL(device_of(&got, 4), "(none)");
	collect_free(&got);
}

/* Near 2^64, where a nanosecond has 2.9 cycles; of equal times the lower stream is first. */
static void streams_are_merged_by_cycles(void)
{
	const uint64_t t = UINT64_MAX - 100;
	struct bytes one = { 0 }, two = { 0 };
	size_t at = begin_packet(&one, t, t + 50, 0, 4);
	struct collected got;

	put_free(&one, t, 1);
	put_free(&one, t + 3, 2);
	put_free(&one, t + 4, 3);
	end_packet(&one, at);
	at = begin_packet(&two, t, t + 60, 0, 2);
	put_free(&two, t + 2, 4);
	put_free(&two, t + 3, 5);
	end_packet(&two, at);
	make_trace(FREES);
	finish(&one, "a");
	finish(&two, "b");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 5);
	CU_ASSERT(is(&got, 0, t, 4, EVENT_FREE, 1));
	CU_ASSERT(is(&got, 1, t + 2, 2, EVENT_FREE, 4));
	CU_ASSERT(is(&got, 4, t + 4, 4, EVENT_FREE, 3));
	CU_ASSERT_EQUAL(got.events[2].event.packet + got.events[3].event.packet, 7);
	CU_ASSERT_EQUAL(reader_source(got.reader)->hz, 2900000000);
	CU_ASSERT(trace_counts_complete(reader_counts(got.reader)));
	collect_free(&got);
}

/*
 * The count goes on from packet to packet: 7 were lost in the second one's time. Of the 3 before
 * the first one's end nobody knows whether they are of this trace.
 */
static void discarded_events_are_counted_where_the_gap_ends(void)
{
	static const uint32_t first[] = { 0, 3 };

	for (int i = 0; i < 2; i++) {
		struct bytes stream = { 0 };
		size_t at = begin_packet(&stream, 100, 200, first[i], 0), last;
		struct collected got;

		put_free(&stream, 150, 1);
		end_packet(&stream, at);
		at = begin_packet(&stream, 300, 400, first[i] + 7, 0);
		put_free(&stream, 310, 2);
		end_packet(&stream, at);
		at = begin_packet(&stream, 500, 600, first[i] + 7, 0);
		put_free(&stream, 510, 3);
		end_packet(&stream, at);
		make_trace(FREES);
		finish(&stream, "stream");
		read_and_remove(&got);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->lost, i ? 8 : 7);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->lost_unknown, i);
		CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
		CU_ASSERT_EQUAL_FATAL(got.count, i ? 5 : 4);
		last = got.count - 2;
		CU_ASSERT(is(&got, last, 400, 0, EVENT_LOST, 0));
		CU_ASSERT_EQUAL(EVENT_GET(LOST, count, got.events[last].event.arg), 7);
		collect_free(&got);
	}
}

static void unknown_events_are_read_and_bad_ones_unparsed(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 0, 900, 0, 0);
	struct collected got;

	put_head(&stream, 1, 10); /* of no use */
	put32(&stream, 4711);
	put_head(&stream, 2, 20); /* lacks its address */
	put_text(&stream, "eth0");
	put_head(&stream, 3, 30); /* a vector is a byte */
	put32(&stream, 256);
	put_head(&stream, 3, 40);
	put32(&stream, 255);
	put_head(&stream, 1, 50);
	put32(&stream, 1);
	end_packet(&stream, at);
	make_trace(FREES EVENT("net_dev_queue", 2, "string name;")
			EVENT("softirq_entry", 3, "uint32_t vec;"));
	finish(&stream, "stream");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 1);
	CU_ASSERT(is(&got, 0, 40, 0, EVENT_SOFTIRQ_ENTRY, 0));
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 3);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->unparsed, 2);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->last, 50);
	collect_free(&got);
}

/* What perf's samples and LTTng's contexts tell of the process. */
static void sockets_have_their_process(void)
{
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 0, 900, 0, 0);
	const struct event *event;
	struct collected got;

	put_head(&stream, 0, 10);
	put32(&stream, 77);
	put_text(&stream, "iperf3 -s");
	put64(&stream, 0x5000);
	put16(&stream, 2);
	put16(&stream, 6);
	put32(&stream, (uint32_t)-11);
	put32(&stream, 0x40);
	put_head(&stream, 1, 20);
	put32(&stream, 78);
	put_text(&stream, "x");
	put32(&stream, 1234);
	put64(&stream, 0x6000);
	put32(&stream, 1448);
	end_packet(&stream, at);
	make_trace(TYPES TRACE("le") CLOCK("c",
		"freq = 1000000000;") "stream { id = 0; packet.context := struct { stamp_t "
				      "timestamp_begin; "
				      "stamp_t timestamp_end; uint32_t content_size; uint32_t "
				      "packet_size; "
				      "uint32_t events_discarded; uint32_t cpu_id; }; event.header "
				      ":= " PLAIN
				      "; event.context := struct { uint32_t _vpid; string "
				      "_procname; }; };\n" EVENT("sock:sock_send_length", 0,
					      "uint64_t sk; uint16_t family; uint16_t protocol; "
					      "int32_t ret; "
					      "int32_t flags;") EVENT("sock:sock_recv_length", 1,
					      "int32_t perf_pid; uint64_t sk; int32_t ret;"));
	finish(&stream, "stream");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 2);
	CU_ASSERT(is(&got, 0, 10, 0, EVENT_SOCK_SEND, 0x5000));
	event = &got.events[0].event;
	CU_ASSERT_EQUAL((int32_t)event->len, -11);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, family, event->arg), 2);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, protocol, event->arg), 6);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, flags, event->arg), 0x40);
	CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_TASK,
				       (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg)),
		"77 iperf3 -s");
	CU_ASSERT(is(&got, 1, 20, 0, EVENT_SOCK_RECV, 0x6000));
	event = &got.events[1].event;
	CU_ASSERT_EQUAL(event->len, 1448);
	CU_ASSERT_STRING_EQUAL(names_get(reader_names(got.reader), NAME_TASK,
				       (uint32_t)EVENT_GET(SOCK_RECV, process, event->arg)),
		"1234 x");
	collect_free(&got);
}

static void put_point(struct bytes *stream, unsigned id, uint64_t recorded, uint64_t cycles)
{
	put_head(stream, id, recorded);
	put64(stream, cycles);
	put16(stream, 2); /* port */
	put16(stream, 1); /* queue */
	if (id > 3)
		return;
	put64(stream, 0x1000);
	put32(stream, 64);
}

/* DPDK's stamp is when a point was recorded; the point tells when it happened. */
static void trace_points_of_our_driver_are_known(void)
{
#define PLACE  "uint64_t cycles; uint16_t port; uint16_t queue; "
#define PACKET PLACE "uint64_t packet; uint32_t len; "
	struct bytes stream = { 0 };
	size_t at = begin_packet(&stream, 0, 9000, 0, 0);
	struct collected got;

	put_point(&stream, 1, 120, 110); /* returned */
	put32(&stream, 16);
	put_point(&stream, 0, 121, 100); /* started, recorded later */
	put_point(&stream, 2, 500, 400);
	put16(&stream, 255);
	put_point(&stream, 3, 501, 450);
	net8(&stream, 1);
	put_point(&stream, 4, 600, 590);
	put_point(&stream, 5, 610, 605);
	end_packet(&stream, at);
	make_trace(TYPES TRACE("le") CLOCK("dpdk", "freq = 2600000000;") STREAM(PLAIN) EVENT(
		"pmd.net.ringside.start_xmit", 0, PACKET) EVENT("pmd.net.ringside.xmit", 1,
		PACKET "int32_t rc;") EVENT("pmd.net.ringside.done", 2, PACKET "uint16_t index;")
			EVENT("pmd.net.ringside.free", 3, PACKET "uint8_t aborted;")
				EVENT("pmd.net.ringside.stop", 4, PLACE)
					EVENT("lib.ethdev.stop", 5, PLACE));
	finish(&stream, "stream");
	read_and_remove(&got);
	CU_ASSERT_EQUAL_FATAL(got.count, 5);
	CU_ASSERT_EQUAL(reader_counts(got.reader)->read, 6);
	CU_ASSERT(is(&got, 0, 100, 0, EVENT_START_XMIT, 0x1000));
	CU_ASSERT(is(&got, 1, 110, 0, EVENT_XMIT, 0x1000));
	CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, got.events[1].event.arg), 16);
	CU_ASSERT(is(&got, 2, 400, 0, EVENT_DONE, 0x1000));
	CU_ASSERT_EQUAL(EVENT_GET(DONE, index, got.events[2].event.arg), 255);
	CU_ASSERT(is(&got, 3, 450, 0, EVENT_FREE, 0x1000));
	CU_ASSERT_EQUAL(EVENT_GET(FREE, aborted, got.events[3].event.arg), 1);
	CU_ASSERT(is(&got, 4, 590, 0, EVENT_STOP, 0));
	for (size_t i = 0; i < got.count; i++) {
		CU_ASSERT_EQUAL(event_queue(&got.events[i].event), 1);
		CU_ASSERT_STRING_EQUAL(device_of(&got, i), "port 2");
	}
	collect_free(&got);
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case cases[] = {
	CASE(events_are_those_of_the_kernel_in_either_byte_order),
	CASE(compact_headers_are_unwrapped),
	CASE(streams_are_merged_by_cycles),
	CASE(discarded_events_are_counted_where_the_gap_ends),
	CASE(unknown_events_are_read_and_bad_ones_unparsed),
	CASE(sockets_have_their_process),
	CASE(trace_points_of_our_driver_are_known),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ctf_foreign", cases, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
