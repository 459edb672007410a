/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of whole texts: lines as perf script and ftrace print them.
 */
#ifndef TESTS_ANALYZER_READ_TEXT_LINES_H
#define TESTS_ANALYZER_READ_TEXT_LINES_H

#include "collect.h"

/* Two packets on two CPUs, in order of CPU; the why of the shared case cpu-blocks-out-of-order. */
#define START(time, cpu, packet)                                                           \
	"          sender   812 [" cpu "]     " time ": net:net_dev_start_xmit: dev=eth0 " \
	"queue_mapping=0 skbaddr=0xffff888104a1c" packet                                   \
	" len=98 gso_size=0 gso_segs=0 gso_type=0\n"
#define FREE(time, cpu, packet)                                                   \
	"          sender   812 [" cpu "]     " time ":        skb:consume_skb: " \
	"skbaddr=0xffff888104a1c" packet " location=napi_consume_skb+0x4f\n"
#define FTRACE_FREE(time, cpu, packet)                                         \
	"          sender-812     [" cpu "] ..s1.     " time ": consume_skb: " \
	"skbaddr=0xffff888104a1c" packet "\n"

static inline void expect(
	const struct collected *got, size_t i, uint64_t time, unsigned cpu, unsigned id)
{
	CU_ASSERT_FATAL(i < got->count);
	CU_ASSERT_EQUAL(got->events[i].event.time, time);
	CU_ASSERT_EQUAL(got->events[i].cpu, cpu);
	CU_ASSERT_EQUAL(got->events[i].event.id, id);
}

#endif
