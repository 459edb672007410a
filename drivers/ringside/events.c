/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a port's events go: to the trace of trace=DIR, to DPDK's trace points, to both, or nowhere.
 * That is decided when the port starts; if nobody listens, the untraced functions run.
 */
#include "ringside.h"
#include "trace_points.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <rte_cycles.h>
#include <rte_trace.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void to_trace_point(uint16_t port, uint16_t queue, const struct event *e)
{
	switch (e->id) {
	case EVENT_START_XMIT:
		ringside_trace_start_xmit(e->time, port, queue, e->packet, e->len);
		break;
	case EVENT_XMIT:
		ringside_trace_xmit(e->time, port, queue, e->packet, e->len,
			(int32_t)EVENT_GET(XMIT, rc, e->arg));
		break;
	case EVENT_DONE:
		ringside_trace_done(e->time, port, queue, e->packet, e->len,
			(uint16_t)EVENT_GET(DONE, index, e->arg));
		break;
	case EVENT_FREE:
		ringside_trace_free(e->time, port, queue, e->packet, e->len,
			(uint8_t)EVENT_GET(FREE, aborted, e->arg));
		break;
	case EVENT_RECEIVE:
		ringside_trace_receive(e->time, port, queue, e->packet, e->len);
		break;
	case EVENT_STOP:
		ringside_trace_stop(e->time, port, queue);
		break;
	case EVENT_WAKE:
		ringside_trace_wake(e->time, port, queue);
		break;
	default:
		break;
	}
}

static void emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct ringside_port *port =
		(struct ringside_port *)((char *)sink - offsetof(struct ringside_port, both));
	struct event event = event_of(time, what, packet, arg);

	if (port->writing)
		port->writer.sink.emit(&port->writer.sink, cpu, time, what, packet, arg);
	/* a queue's stream has its number; the device's own events know of no queue */
	to_trace_point(port->dev->data->port_id, (uint16_t)cpu, &event);
}

uint64_t ringside_events_irq_arg(const struct ringside_queue *queue)
{
	return EVENT_PUT(IRQ_ENTRY, irq, queue->index) |
	       EVENT_PUT(IRQ_ENTRY, name, queue->index + 1u);
}

void ringside_events_irq(
	const struct ringside_queue *queue, uint64_t raised, uint32_t cause, uint64_t now)
{
	struct event_sink *sink = queue->port->events;
	struct event exit = { .time = now,
		.id = EVENT_IRQ_EXIT,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(IRQ_EXIT, irq, queue->index) };

	event_emit(sink, queue->index, exit);
	ringside_trace_irq(now, queue->port->dev->data->port_id, queue->index, raised, cause);
}

static bool trace_points_enabled(void)
{
	rte_trace_point_t *const points[] = { &__ringside_trace_start_xmit, &__ringside_trace_xmit,
		&__ringside_trace_done, &__ringside_trace_free, &__ringside_trace_receive,
		&__ringside_trace_stop, &__ringside_trace_wake, &__ringside_trace_irq };

	if (!rte_trace_is_enabled())
		return false;
	for (size_t i = 0; i < RTE_DIM(points); i++) {
		if (rte_trace_point_is_enabled(points[i]))
			return true;
	}
	return false;
}

#define WAITING_PACKETS 32 /* of 128 KiB, a queue: 131 thousand events */

static void *serve(void *writer)
{
	trace_writer_serve(writer);
	return NULL;
}

/* The port's, and those of its interrupts: "net_ringside0-TxRx-1", as kernel drivers call them. */
static void write_names(struct ringside_port *port)
{
	uint64_t now = rte_get_tsc_cycles();
	char name[RTE_ETH_NAME_MAX_LEN + 16];

	trace_writer_name(&port->writer, 0, now, NAME_DEVICE, 0, port->dev->data->name);
	for (uint32_t i = 0; i < RINGSIDE_QUEUES_MOST; i++) {
		snprintf(name, sizeof(name), "%s-TxRx-%u", port->dev->data->name, i);
		trace_writer_name(&port->writer, 0, now, NAME_IRQ, i + 1, name);
	}
}

static int open_trace(struct ringside_port *port)
{
	struct trace_info info = { .hz = rte_get_tsc_hz() };
	struct diag diag;
	char folder[RINGSIDE_PATH_BYTES + 16];
	uint64_t seed = port->args.seed;
	int error;

	if (!*port->args.trace)
		return 0;
	snprintf(folder, sizeof(folder), port->traces ? "%s.%u" : "%s", port->args.trace,
		port->traces);
	memcpy(info.uuid, &seed, sizeof(seed));
	info.capacity = 0;
	if (trace_writer_open(&port->writer, folder, &info, RINGSIDE_QUEUES_MOST, &diag)) {
		RINGSIDE_LOG(ERR, "%s\n", diag.text);
		return -EIO;
	}
	error = trace_writer_buffer(&port->writer, WAITING_PACKETS);
	if (!error)
		error = -rte_ctrl_thread_create(
			&port->trace_thread, "ringside-trace", NULL, serve, &port->writer);
	if (error) {
		RINGSIDE_LOG(ERR, "trace=%s: %s\n", folder, strerror(-error));
		trace_writer_close(&port->writer, NULL);
		return error;
	}
	port->traces++;
	port->writing = true;
	write_names(port);
	return 0;
}

int ringside_events_start(struct ringside_port *port)
{
	int error = open_trace(port);

	port->events = port->writing ? &port->writer.sink : NULL;
	if (!error && trace_points_enabled()) {
		port->both.emit = emit;
		port->events = &port->both;
	}
	port->dev->tx_pkt_burst = port->events ? ringside_tx_burst_traced : ringside_tx_burst;
	return error;
}

void ringside_events_stop(struct ringside_port *port)
{
	struct diag diag;

	port->events = NULL;
	if (!port->writing)
		return;
	port->writing = false;
	trace_writer_dismiss(&port->writer);
	pthread_join(port->trace_thread, NULL);
	if (trace_writer_close(&port->writer, &diag))
		RINGSIDE_LOG(ERR, "%s\n", diag.text);
	else if (port->writer.lost)
		RINGSIDE_LOG(WARNING,
			"trace=%s: %" PRIu64 " events were lost: they came faster than "
			"they could be written\n",
			port->args.trace, port->writer.lost);
}
