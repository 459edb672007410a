/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of wire, and those of them that need no file of their own: sink and loop. */
#include "wire.h"

#include "cycles.h"
#include <rte_cycles.h>
#include <string.h>

static void loop(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context;

	nic_receive(queue->nic, frame, now);
}

static const struct ringside_wire_type sink = { .name = "sink" };
static const struct ringside_wire_type looped = { .name = "loop", .transmit = loop };

static const struct ringside_wire_type *const types[] = { &sink, &looped, &ringside_wire_peer,
	&ringside_wire_pcap, &ringside_wire_tap };

const struct ringside_wire_type *ringside_wire_find(const char *value, const char **argument)
{
	size_t name = strcspn(value, ":");

	for (size_t i = 0; i < RTE_DIM(types); i++) {
		if (strlen(types[i]->name) != name || strncmp(types[i]->name, value, name) ||
			types[i]->takes_argument != (value[name] == ':'))
			continue;
		*argument = value[name] ? value + name + 1 : "";
		return types[i];
	}
	return NULL;
}

int ringside_wire_open(struct ringside_port *port)
{
	const struct ringside_wire_type *type = port->args.wire;
	int error = type->open ? type->open(port) : 0;

	if (error)
		ringside_wire_close(port);
	return error;
}

int ringside_wire_start(struct ringside_port *port)
{
	const struct ringside_wire_type *type = port->args.wire;

	return type->start ? type->start(port) : 0;
}

void ringside_wire_stop(struct ringside_port *port)
{
	if (port->args.wire->stop)
		port->args.wire->stop(port);
}

void ringside_wire_close(struct ringside_port *port)
{
	if (port->args.wire->close)
		port->args.wire->close(port);
}

struct nic_wire ringside_wire_of(struct ringside_queue *queue)
{
	return (struct nic_wire){ .context = queue, .transmit = queue->port->args.wire->transmit };
}

void ringside_wire_give(
	struct ringside_queue *queue, const void *data, uint32_t bytes, uint64_t now)
{
	struct nic_frame frame = { .count = 1, .bytes = bytes, .segment = { { data, bytes } } };

	nic_receive(queue->nic, &frame, now);
}

uint64_t ringside_wire_cycles(const struct ringside_port *port, uint32_t bytes)
{
	const struct nic_config line = { .hz = rte_get_tsc_hz(),
		.line_rate_mbps = (uint32_t)port->args.speed };

	return nic_wire_cycles(&line, bytes);
}

bool ringside_wire_has_room(struct ringside_queue *queue, uint32_t bytes, uint64_t now)
{
	uint32_t ring = queue->rx_ring_size, head, tail;

	if (!ring)
		return false;
	head = nic_read(queue->nic, REG_RDH, now);
	tail = nic_read(queue->nic, REG_RDT, now);
	return (tail + ring - head) % ring * RX_BUFFER_BYTES >= bytes;
}

/* A peer may have named us whatever our own wire is. */
void ringside_wire_receive(struct ringside_queue *queue, uint64_t now)
{
	ringside_inbox_receive(queue, now);
	if (queue->port->args.wire->receive)
		queue->port->args.wire->receive(queue, now);
}

uint64_t ringside_wire_deadline(struct ringside_queue *queue, uint64_t now)
{
	const struct ringside_wire_type *type = queue->port->args.wire;

	return type->deadline ? type->deadline(queue, now) : CYCLES_NEVER;
}

int ringside_wire_descriptor(const struct ringside_port *port)
{
	return port->args.wire->descriptor ? port->args.wire->descriptor(port) : -1;
}
