/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of a perf.data: the records of which there are millions.
 */
#include "perf_impl.h"
#include "perf_tasks.h"

#include <errno.h>

/* A place for an event; *event is NULL if it can't be taken any more. */
static int place(struct perf_reader *perf, uint64_t time, struct event **event)
{
	int error = runs_place(perf->runs, time, event);

	if (error != -ESTALE)
		return error;
	*event = NULL;
	perf->reader.counts.unparsed++;
	if (!perf->late)
		reader_truncated(&perf->reader,
			"some events are older than its marks of finished rounds allow");
	perf->late = true;
	return 0;
}

int perf_add_lost(struct perf_reader *perf, unsigned cpu, uint64_t time, uint64_t count)
{
	struct event *event;
	int error = place(perf, time, &event);

	reader_saw(&perf->reader, time);
	reader_lost(&perf->reader, count, false);
	if (error || !event)
		return error;
	*event = event_lost(time, count, false);
	return runs_commit(perf->runs, cpu);
}

/*
 * The record of lost events is written when there is room again, and its stamp is a little later
 * than that of the event which it precedes. At the end, there may be none.
 */
int perf_end_gap(struct perf_reader *perf, const struct perf_sample *next)
{
	struct gap *gap = &perf->gap;

	if (!gap->open)
		return 0;
	if (next && (gap->any_cpu || gap->cpu == next->cpu)) {
		gap->cpu = next->cpu;
		if (next->raw.time < gap->time)
			gap->time = next->raw.time;
	}
	if (gap->time == UINT64_MAX)
		gap->time = perf->latest;
	gap->open = false;
	return perf_add_lost(perf, gap->cpu, gap->time, gap->count);
}

/* Who sends and receives is in a cgroup: its id stands where the sample ends. */
static __attribute__((noinline)) int hold_cgroup(struct perf_reader *perf,
	const struct perf_record *record, const struct perf_layout *layout, struct event *event)
{
	uint32_t pid = (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg);
	int number;

	if ((event->id != EVENT_SOCK_SEND && event->id != EVENT_SOCK_RECV) ||
		record->bytes < (size_t)layout->fixed + layout->end_cgroup)
		return 0;
	number = perf_cgroups_hold(&perf->cgroups, pid,
		bytes_64(
			record->data + record->bytes - layout->end_cgroup, perf->attrs.big_endian));
	if (number == -ENOSPC) {
		perf->names.used_up = NAME_TASK;
		return -EOVERFLOW;
	}
	if (number < 0)
		return number;
	event->arg ^= EVENT_PUT(SOCK_SEND, process, pid ^ (uint32_t)number);
	event->queue = PERF_CGROUP_HELD;
	return 0;
}

int perf_take_sample(struct perf_reader *perf, const struct perf_record *record)
{
	const struct perf_layout *layout =
		perf_attrs_sample(&perf->attrs, record->data, record->bytes);
	struct perf_sample sample;
	struct event *event;
	int status;

	perf->reader.counts.read++;
	if (!layout)
		return 0;
	if (!perf_layout_sample(
		    layout, record->data, record->bytes, perf->attrs.big_endian, &sample)) {
		perf->reader.counts.unparsed++;
		return 0;
	}
	if (sample.raw.time > perf->latest)
		perf->latest = sample.raw.time;
	if (perf->gap.open) {
		status = perf_end_gap(perf, &sample);
		if (status)
			return status;
	}
	if (!layout->tracepoint || !sample.raw.data || !perf->raw)
		return 0;
	status = place(perf, sample.raw.time, &event);
	if (status || !event)
		return status;
	status = raw_event_parse(perf->raw, sample.raw, event);
	if (status == RAW_EVENT_USED) {
		if (layout->end_cgroup) {
			status = hold_cgroup(perf, record, layout, event);
			if (status)
				return status;
		}
		perf->round_events++;
		return runs_commit(perf->runs, sample.cpu);
	}
	perf->reader.counts.unparsed += status == RAW_EVENT_UNPARSED;
	return status < 0 ? status : 0;
}

/* A sample of the usual form, of a record that has all its bytes. False: it isn't one. */
static inline bool take_apart(const struct perf_attrs *attrs, const uint8_t *record, size_t bytes,
	struct perf_sample *sample)
{
	const struct perf_layout *layout = attrs->layouts;

	if (bytes < attrs->plain_bytes)
		return false;
	if (attrs->layout_count > 1)
		layout = perf_attrs_find(attrs, bytes_64(record + layout->id, false));
	return layout && layout->plain && perf_layout_sample_simple(layout, record, bytes, sample);
}

int perf_take_samples(struct perf_reader *perf)
{
	struct perf_window *window = perf->stream->records;
	uint64_t taken = 0, used = 0, latest = perf->latest;
	const uint8_t *at, *end;
	int status = 0;

	if (!perf->attrs.plain_bytes || !perf->raw || perf->gap.open ||
		window->begin == window->end)
		return 0;
	at = window->data + window->begin;
	end = window->data + window->end;
	while ((size_t)(end - at) >= PERF_HEAD_BYTES) {
		uint64_t head = bytes_64(at, false);
		size_t bytes = head >> 48;
		struct perf_sample sample;
		struct event *event;

		if ((uint32_t)head != PERF_SAMPLE || bytes > (size_t)(end - at) ||
			!take_apart(&perf->attrs, at, bytes, &sample))
			break;
		event = runs_next_place(perf->runs, sample.raw.time);
		if (!event)
			break;
		status = raw_event_parse(perf->raw, sample.raw, event);
		if (status < 0)
			break;
		__builtin_prefetch(at + PERF_PREFETCH_BYTES);
		at += bytes;
		taken++;
		if (sample.raw.time > latest)
			latest = sample.raw.time;
		if (status == RAW_EVENT_USED) {
			runs_commit_next(perf->runs, sample.cpu);
			used++;
		} else if (status == RAW_EVENT_UNPARSED) {
			perf->reader.counts.unparsed++;
		}
	}
	window->begin = (size_t)(at - window->data);
	perf->latest = latest;
	perf->reader.counts.read += taken;
	perf->round_events += used;
	return status < 0 ? status : 0;
}
