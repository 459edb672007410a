/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's points as trace points of DPDK, pmd.net.ringside.NAME: `--trace` records them as it
 * does any driver's. `cycles` is when it happened, on the TSC; all of a burst shares one. The time
 * that DPDK puts before it is when it was recorded.
 *
 * RTE_TRACE_POINT, not _FP: distributions build DPDK without enable_trace_fp, and what keeps these
 * out of the fast path is that the untraced functions don't contain them.
 */
#ifndef DRIVERS_RINGSIDE_TRACE_POINTS_H
#define DRIVERS_RINGSIDE_TRACE_POINTS_H

#include <rte_trace_point.h>

#define RINGSIDE_TRACE_PLACE              \
	rte_trace_point_emit_u64(cycles); \
	rte_trace_point_emit_u16(port);   \
	rte_trace_point_emit_u16(queue)

#define RINGSIDE_TRACE_PACKET             \
	RINGSIDE_TRACE_PLACE;             \
	rte_trace_point_emit_u64(packet); \
	rte_trace_point_emit_u32(len)

/* the packet is handed to the driver; as in the events, `packet` is the mbuf's address */
RTE_TRACE_POINT(ringside_trace_start_xmit,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t packet, uint32_t len),
		RINGSIDE_TRACE_PACKET;)

/* the driver returns: 0, or 16 if it has no room */
RTE_TRACE_POINT(ringside_trace_xmit,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t packet, uint32_t len, int32_t rc),
		RINGSIDE_TRACE_PACKET;
		rte_trace_point_emit_i32(rc);)

/* the device has written back the packet's last descriptor; `packet` is its buffer's address */
RTE_TRACE_POINT(ringside_trace_done,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t packet, uint32_t len, uint16_t index),
		RINGSIDE_TRACE_PACKET;
		rte_trace_point_emit_u16(index);)

/* the packet leaves the ring; aborted: at a stop, unsent perhaps */
RTE_TRACE_POINT(ringside_trace_free,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t packet, uint32_t len, uint8_t aborted),
		RINGSIDE_TRACE_PACKET;
		rte_trace_point_emit_u8(aborted);)

/* a packet has come */
RTE_TRACE_POINT(ringside_trace_receive,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t packet, uint32_t len),
		RINGSIDE_TRACE_PACKET;)

/* the transmit queue stops */
RTE_TRACE_POINT(ringside_trace_stop,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue),
		RINGSIDE_TRACE_PLACE;)

/* and starts again */
RTE_TRACE_POINT(ringside_trace_wake,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue),
		RINGSIDE_TRACE_PLACE;)

/* a poll has taken an interrupt: when the device raised it, and ICR */
RTE_TRACE_POINT(ringside_trace_irq,
		RTE_TRACE_POINT_ARGS(uint64_t cycles, uint16_t port, uint16_t queue,
			uint64_t raised, uint32_t cause),
		RINGSIDE_TRACE_PLACE;
		rte_trace_point_emit_u64(raised); rte_trace_point_emit_u32(cause);)

#endif
