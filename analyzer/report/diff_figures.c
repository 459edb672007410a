/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_figures.h"

#include "units.h"
#include <string.h>

static struct figure_value count(uint64_t count)
{
	return (struct figure_value){ true, (double)count };
}

static struct figure_value if_known(bool known, double value)
{
	return (struct figure_value){ known, known ? value : 0 };
}

/* From the device's first event to its last. */
static struct figure_value rate(uint64_t count, const struct transmit_table *table, uint64_t hz)
{
	double cycles = (double)(table->last_event - table->first_event);

	return if_known(hz && cycles > 0, (double)count * (double)hz / (cycles > 0 ? cycles : 1));
}

#define FIGURE(name) \
	static struct figure_value name##_of(const struct transmit_table *table, uint64_t hz)

FIGURE(packets)
{
	(void)hz;
	return count(table->tx_packets);
}

FIGURE(packet_rate)
{
	return rate(table->tx_packets, table, hz);
}

FIGURE(segment_rate)
{
	return rate(table->wire_segments, table, hz);
}

FIGURE(lap_avg)
{
	(void)hz;
	return if_known(table->lap.count, table->lap.avg);
}

FIGURE(lap_p50)
{
	(void)hz;
	return if_known(table->lap.count, (double)table->lap.p50);
}

FIGURE(lap_p99)
{
	(void)hz;
	return if_known(table->lap.count, (double)table->lap.p99);
}

FIGURE(lap_max)
{
	(void)hz;
	return if_known(table->lap.count, (double)table->lap.max);
}

FIGURE(queue_delay_avg)
{
	(void)hz;
	return if_known(table->queue_delay.count, table->queue_delay.avg);
}

FIGURE(queue_delay_max)
{
	(void)hz;
	return if_known(table->queue_delay.count, (double)table->queue_delay.max);
}

FIGURE(in_device_avg)
{
	(void)hz;
	return if_known(table->last_event > table->first_event, table->in_device_avg);
}

FIGURE(in_device_max)
{
	(void)hz;
	return count(table->in_device_max);
}

FIGURE(at_end)
{
	(void)hz;
	return count(table->at_end);
}

FIGURE(full_share)
{
	(void)hz;
	return if_known(table->verdict != VERDICT_UNKNOWN, table->full_time_share);
}

FIGURE(drops)
{
	uint64_t packets = 0;

	(void)hz;
	for (unsigned i = 0; i < table->drop_count; i++)
		packets += table->drops[i].packets;
	return count(packets);
}

FIGURE(retries)
{
	(void)hz;
	return count(table->retries);
}

FIGURE(refused)
{
	(void)hz;
	return count(table->refused);
}

FIGURE(unresolved)
{
	(void)hz;
	return count(table->unresolved);
}

FIGURE(stalls)
{
	(void)hz;
	return if_known(hz, table->stall_count);
}

FIGURE(stalled)
{
	double cycles = 0;

	for (unsigned i = 0; i < table->stall_count; i++)
		cycles += (double)(table->stalls[i].end - table->stalls[i].start);
	return if_known(hz, cycles);
}

const struct figure diff_figures[] = {
	{ "packets", "packets", FIGURE_COUNT, packets_of },
	{ "packets_per_s", "packets a second", FIGURE_RATE, packet_rate_of },
	{ "wire_segments_per_s", "segments a second", FIGURE_RATE, segment_rate_of },
	{ "lap_avg", "lap time, avg", FIGURE_TIME, lap_avg_of },
	{ "lap_p50", "lap time, p50", FIGURE_TIME, lap_p50_of },
	{ "lap_p99", "lap time, p99", FIGURE_TIME, lap_p99_of },
	{ "lap_max", "lap time, max", FIGURE_TIME, lap_max_of },
	{ "queue_delay_avg", "in the queue, avg", FIGURE_TIME, queue_delay_avg_of },
	{ "queue_delay_max", "in the queue, max", FIGURE_TIME, queue_delay_max_of },
	{ "in_device_avg", "in device, avg", FIGURE_NUMBER, in_device_avg_of },
	{ "in_device_max", "in device, max", FIGURE_COUNT, in_device_max_of },
	{ "in_device_at_end", "in device at the end", FIGURE_COUNT, at_end_of },
	{ "full_time_share", "time with a full ring", FIGURE_SHARE, full_share_of },
	{ "drops", "drops", FIGURE_COUNT, drops_of },
	{ "retries", "retries", FIGURE_COUNT, retries_of },
	{ "tx_refused", "refused", FIGURE_COUNT, refused_of },
	{ "unresolved", "unresolved", FIGURE_COUNT, unresolved_of },
	{ "stalls", "stalls", FIGURE_COUNT, stalls_of },
	{ "stalled", "time stalled", FIGURE_TIME, stalled_of },
};

const unsigned diff_figure_count = sizeof(diff_figures) / sizeof(*diff_figures);

struct figure_value figure_value(const struct figure *figure, const struct transmit_table *table,
	const struct report *report, bool ns)
{
	uint64_t hz = report->source->hz;
	struct figure_value value = { 0 };

	if (!table)
		return value;
	value = figure->value(table, hz);
	if (figure->unit == FIGURE_TIME && ns) {
		value.known = value.known && hz;
		value.value = hz ? units_ns_avg(value.value, hz) : 0;
	}
	return value;
}

bool diff_next(
	const struct report *a, const struct report *b, unsigned at[2], struct diff_pair *pair)
{
	bool more_a = at[0] < a->transmit->device_count;
	bool more_b = at[1] < b->transmit->device_count;
	int order = more_a - more_b;

	if (!more_a && !more_b)
		return false;
	if (more_a && more_b)
		order = -strcmp(a->transmit->devices[at[0]].name, b->transmit->devices[at[1]].name);
	*pair = (struct diff_pair){ 0 };
	if (order >= 0)
		pair->a = &a->transmit->devices[at[0]++];
	if (order <= 0)
		pair->b = &b->transmit->devices[at[1]++];
	pair->name = pair->a ? pair->a->name : pair->b->name;
	return true;
}

bool diff_in_ns(const struct report *a, const struct report *b)
{
	return a->source->hz || b->source->hz;
}
