/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace of any length, the same each time, with as many packets in a device as one likes:
 *
 *     write_trace FOLDER EVENTS OPEN
 *
 * Each packet is queued, started, returned by the driver and, OPEN packets later, freed on the
 * other one of two CPUs. An address is used again soon after its free, as memory allocators do.
 */
#include "trace_writer.h"

#include <stdio.h>
#include <stdlib.h>

#define HZ            UINT64_C(1000000000)
#define SPACING_NS    100 /* from one event to the next */
#define OBJECT_BYTES  256 /* of the kernel's sk_buffs */
#define FREE_AT_FIRST 64  /* addresses beyond those of the open packets */
#define PER_PACKET    4

struct made {
	struct trace_writer writer;
	uint64_t time, open;
};

static void emit(struct made *made, unsigned cpu, enum event_id id, uint64_t packet)
{
	struct event event = {
		.time = made->time += SPACING_NS,
		.id = (uint16_t)id,
		.queue = id == EVENT_START_XMIT ? 0 : EVENT_NO_QUEUE,
		.device = id == EVENT_FREE ? EVENT_NO_DEVICE : 0,
		.len = 1000,
		.packet = UINT64_C(0xffff888100000000) +
			  packet % (made->open + FREE_AT_FIRST) * OBJECT_BYTES,
	};

	event_emit(&made->writer.sink, cpu, event);
}

static void emit_all(struct made *made, uint64_t packets)
{
	for (uint64_t i = 0; i < packets; i++) {
		emit(made, i % 2, EVENT_QUEUE, i);
		emit(made, i % 2, EVENT_START_XMIT, i);
		emit(made, i % 2, EVENT_XMIT, i);
		if (i >= made->open)
			emit(made, (i + 1) % 2, EVENT_FREE, i - made->open);
	}
}

int main(int argc, char **argv)
{
	static struct made made;
	const struct trace_info info = { .hz = HZ };
	struct diag diag;

	if (argc != 4) {
		fprintf(stderr, "usage: write_trace FOLDER EVENTS OPEN\n");
		return 2;
	}
	made.open = strtoull(argv[3], NULL, 10);
	if (trace_writer_open(&made.writer, argv[1], &info, 2, &diag))
		goto failed;
	trace_writer_name(&made.writer, 0, 0, NAME_DEVICE, 0, "eth0");
	emit_all(&made, (strtoull(argv[2], NULL, 10) + made.open) / PER_PACKET);
	if (!trace_writer_close(&made.writer, &diag))
		return 0;
failed:
	fprintf(stderr, "%s\n", diag.text);
	return 1;
}
