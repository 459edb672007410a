/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers the trace points. This header makes of trace_points.h what tells EAL their fields. */
#include <rte_trace_point_register.h>

#include "trace_points.h"

RTE_TRACE_POINT_REGISTER(ringside_trace_start_xmit, pmd.net.ringside.start_xmit)
RTE_TRACE_POINT_REGISTER(ringside_trace_xmit, pmd.net.ringside.xmit)
RTE_TRACE_POINT_REGISTER(ringside_trace_done, pmd.net.ringside.done)
RTE_TRACE_POINT_REGISTER(ringside_trace_free, pmd.net.ringside.free)
RTE_TRACE_POINT_REGISTER(ringside_trace_receive, pmd.net.ringside.receive)
RTE_TRACE_POINT_REGISTER(ringside_trace_stop, pmd.net.ringside.stop)
RTE_TRACE_POINT_REGISTER(ringside_trace_wake, pmd.net.ringside.wake)
RTE_TRACE_POINT_REGISTER(ringside_trace_irq, pmd.net.ringside.irq)
