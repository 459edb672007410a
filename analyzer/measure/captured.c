/* SPDX-License-Identifier: BSD-3-Clause */
#include "captured.h"

#include <string.h>

int captured_init(struct captured *captured)
{
	*captured = (struct captured){ 0 };
	return connections_init(&captured->connections);
}

/* A damaged stamp leaves no gap on either side. 0 or -ENOMEM. */
static int take_time(struct captured *captured, const struct capture_frame *frame)
{
	struct captured_report *report = &captured->report;
	uint64_t now = frame->time_ns, before = captured->last_ns;
	bool gap = captured->last_known && !frame->time_bad;

	captured->last_known = !frame->time_bad;
	if (frame->time_bad) {
		report->bad_timestamps++;
		return 0;
	}
	captured->last_ns = now;
	if (!report->timed || now < captured->first_seen_ns)
		captured->first_seen_ns = now;
	if (!report->timed || now > captured->last_seen_ns)
		captured->last_seen_ns = now;
	report->timed = true;
	if (gap && now < before) {
		report->out_of_order++;
		return 0;
	}
	return gap ? histogram_add(&captured->gap_ns, now - before) : 0;
}

int captured_frame(struct captured *captured, const struct capture_frame *frame)
{
	struct captured_report *report = &captured->report;
	int error = take_time(captured, frame);

	report->packets++;
	report->bytes += frame->wire_bytes;
	switch (frame->kind) {
	case CAPTURE_TCP:
		report->tcp_packets++;
		return error ? error : connections_frame(&captured->connections, frame);
	case CAPTURE_IP:
		report->other_ip++;
		return error;
	default:
		report->skipped++;
		return error;
	}
}

static uint64_t payload_of(const struct connection *one)
{
	return one->sides[0].payload_bytes + one->sides[1].payload_bytes;
}

/* The connections with the most payload, largest first, of equal ones the first. Returns how many.
 */
static unsigned find_largest(const struct connections *connections,
	const struct connection *largest[CAPTURED_FLOWS_MOST / 2])
{
	unsigned count = 0;

	for (uint32_t i = 0; i < connections->count; i++) {
		const struct connection *one = &connections->all[i];
		unsigned at = count;

		while (at && payload_of(largest[at - 1]) < payload_of(one))
			at--;
		if (at == CAPTURED_FLOWS_MOST / 2)
			continue;
		if (count < CAPTURED_FLOWS_MOST / 2)
			count++;
		memmove(&largest[at + 1], &largest[at], (count - at - 1) * sizeof(*largest));
		largest[at] = one;
	}
	return count;
}

static void list_flows(struct captured *captured)
{
	const struct connection *largest[CAPTURED_FLOWS_MOST / 2];
	struct captured_report *report = &captured->report;
	unsigned count = find_largest(&captured->connections, largest);

	report->flow_count = 0;
	for (unsigned i = 0; i < 2 * count; i++) {
		const struct connection *one = largest[i / 2];
		const struct connection_side *side = &one->sides[i % 2];

		report->flows[report->flow_count++] = (struct captured_flow){
			.from = one->ends[i % 2],
			.to = one->ends[!(i % 2)],
			.segments = side->segments,
			.acks = side->acks,
			.payload_bytes = side->payload_bytes,
			.acks_back = one->sides[!(i % 2)].acks,
		};
	}
}

const struct captured_report *captured_finish(struct captured *captured)
{
	const struct connections *connections = &captured->connections;
	struct captured_report *report = &captured->report;

	report->duration_ns = captured->last_seen_ns - captured->first_seen_ns;
	report->gap_ns = histogram_spread(&captured->gap_ns);
	report->segments = connections->total.segments;
	report->acks = connections->total.acks;
	report->payload_bytes = connections->total.payload_bytes;
	report->connections = connections->count;
	report->evicted = connections->evicted;
	report->untimed = connections->untimed;
	report->ack_delay_ns = histogram_spread(&connections->ack_delay_ns);
	list_flows(captured);
	return report;
}

void captured_clear(struct captured *captured)
{
	histogram_clear(&captured->gap_ns);
	connections_clear(&captured->connections);
}
