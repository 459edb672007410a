/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the records of a perf.data mean. perf record takes the buffers of all CPUs in turns, and
 * marks when a round is over: what comes in the next round may be older than what came in this one,
 * but not than what came before it.
 */
#include "perf_tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* linux/perf_event.h, and perf's own: tools/lib/perf/include/perf/event.h */
enum {
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_FORK = 7,
	RECORD_LOST_SAMPLES = 13,
	RECORD_CGROUP = 19,
	LAST_OF_KERNEL = 21, /* AUX_OUTPUT_HW_ID */
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_FEATURE = 80,
	LAST_OF_PERF = 84, /* BPF_METADATA */
};

/*
 * Rounds can be small; as many events as this are taken together, which costs less. More would only
 * leave the cache while they wait.
 */
#define ROUND_EVENTS ((size_t)2 * 1024)

/* The time and CPU of a record that is no sample, from its end. */
static void take_end(
	const struct perf_reader *perf, const struct perf_record *record, struct gap *gap)
{
	const struct perf_layout *layout =
		perf_attrs_end(&perf->attrs, record->data, record->bytes);
	const uint8_t *end = record->data + record->bytes;
	size_t bytes = record->bytes - PERF_HEAD_BYTES;
	bool big_endian = perf->attrs.big_endian;

	gap->time = UINT64_MAX;
	gap->any_cpu = true;
	if (layout && layout->end_time && bytes >= layout->end_time)
		gap->time = bytes_64(end - layout->end_time, big_endian);
	if (layout && layout->end_cpu && bytes >= layout->end_cpu) {
		gap->cpu = bytes_32(end - layout->end_cpu, big_endian);
		gap->any_cpu = false;
	}
}

/* LOST: the event's id, and how many events its buffer lost before the next one. */
static int take_lost(struct perf_reader *perf, const struct perf_record *record)
{
	int error = perf_end_gap(perf, NULL);

	if (record->bytes < PERF_HEAD_BYTES + 16) {
		perf->reader.counts.unparsed++;
		return error;
	}
	perf->gap.count = bytes_64(record->data + PERF_HEAD_BYTES + 8, perf->attrs.big_endian);
	perf->gap.open = perf->gap.count;
	perf->lost_told += perf->gap.count;
	take_end(perf, record, &perf->gap);
	return error;
}

/*
 * LOST_SAMPLES: how many samples the hardware lost. Newer versions of perf record also write it at
 * the end, of events that count what they lost: these are the same as in records of the type LOST,
 * and those that were lost at the end of a buffer.
 */
static int take_lost_samples(struct perf_reader *perf, const struct perf_record *record)
{
	const struct perf_layout *layout =
		perf_attrs_end(&perf->attrs, record->data, record->bytes);
	uint64_t count;
	struct gap gap = { 0 };

	if (record->bytes < PERF_HEAD_BYTES + 8) {
		perf->reader.counts.unparsed++;
		return 0;
	}
	count = bytes_64(record->data + PERF_HEAD_BYTES, perf->attrs.big_endian);
	take_end(perf, record, &gap);
	if (layout && layout->counts_lost) {
		if (__builtin_add_overflow(perf->lost_counted, count, &perf->lost_counted))
			perf->lost_counted = UINT64_MAX;
		return 0;
	}
	return count ? perf_add_lost(perf, gap.cpu,
			       gap.time == UINT64_MAX ? perf->latest : gap.time, count)
		     : 0;
}

static int take_comm(struct perf_reader *perf, const struct perf_record *record)
{
	struct gap end = { 0 };

	take_end(perf, record, &end);
	return perf_tasks_comm(perf, record, end.time);
}

/* CGROUP: a cgroup's id and path. */
static int take_cgroup(struct perf_reader *perf, const struct perf_record *record)
{
	const uint8_t *data = record->data + PERF_HEAD_BYTES;

	if (record->bytes < PERF_HEAD_BYTES + 8)
		return 0;
	return perf_cgroups_path(&perf->cgroups, bytes_64(data, perf->attrs.big_endian),
		(const char *)data + 8, record->bytes - PERF_HEAD_BYTES - 8);
}

/* HEADER_ATTR: an event, with its size at its byte 4, and its ids. */
static int take_attr(
	struct perf_reader *perf, const struct perf_record *record, struct diag *reason)
{
	const uint8_t *attr = record->data + PERF_HEAD_BYTES;
	size_t bytes = record->bytes - PERF_HEAD_BYTES, size = 0;
	int error;

	if (bytes >= PERF_ATTR_BYTES_MIN)
		size = bytes_32(attr + 4, perf->attrs.big_endian);
	if (!size)
		size = PERF_ATTR_BYTES_MIN; /* the first version had none */
	if (size > bytes)
		return diag_set(reason, -EINVAL,
			"the description of an event at %" PRIu64 " is cut off",
			perf_stream_offset(perf->stream, record));
	error = perf_attrs_add(&perf->attrs, attr, size, attr + size, (bytes - size) / 8, reason);
	perf->reader.source.clock = perf->attrs.clock;
	return error;
}

/* TRACING_DATA: 32 bits that tell how many bytes follow the record. */
static int take_formats(
	struct perf_reader *perf, const struct perf_record *record, struct diag *reason)
{
	uint32_t bytes;
	uint8_t *data;
	int error;

	if (record->bytes < PERF_HEAD_BYTES + 4 || perf_stream_is_packed(perf->stream))
		return 0;
	bytes = bytes_32(record->data + PERF_HEAD_BYTES, perf->attrs.big_endian);
	if (bytes > TRACING_DATA_BYTES)
		return diag_set(reason, -EINVAL,
			"the formats of its events at %" PRIu64 " have %" PRIu32
			" bytes, more than %zu",
			perf_stream_offset(perf->stream, record), bytes, TRACING_DATA_BYTES);
	data = malloc(bytes ? bytes : 1);
	if (!data)
		return -ENOMEM;
	error = perf_stream_take(perf->stream, bytes, data);
	if (!error)
		error = tracing_data_parse(data, bytes, &perf->names, &perf->raw, reason);
	free(data);
	return error;
}

/* AUXTRACE: 64 bits that tell how many bytes follow the record. */
static int take_aux(struct perf_reader *perf, const struct perf_record *record)
{
	if (record->bytes < PERF_HEAD_BYTES + 8 || perf_stream_is_packed(perf->stream))
		return 0;
	return perf_stream_take(perf->stream,
		bytes_64(record->data + PERF_HEAD_BYTES, perf->attrs.big_endian), NULL);
}

static int take_feature(
	struct perf_reader *perf, const struct perf_record *record, struct diag *reason)
{
	const uint8_t *data = record->data + PERF_HEAD_BYTES;
	size_t bytes = record->bytes - PERF_HEAD_BYTES;
	bool big_endian = perf->attrs.big_endian;
	const char *text;

	if (bytes < 8)
		return 0;
	switch (bytes_64(data, big_endian)) {
	case PERF_OSRELEASE:
		text = perf_header_string(data + 8, bytes - 8, big_endian, &bytes);
		reader_kernel(&perf->reader, text, bytes);
		return 0;
	case PERF_COMPRESSION:
		return perf_header_compression(data + 8, bytes - 8, big_endian, reason);
	default:
		return 0;
	}
}

static void end_round(struct perf_reader *perf)
{
	perf->any_round = true;
	perf->rounds_read = perf->reader.counts.read;
	if (perf->round_events < ROUND_EVENTS)
		return;
	runs_release(perf->runs, perf->round_latest);
	perf->round_latest = perf->latest;
	perf->round_events = 0;
}

/* Types that linux/perf_event.h or perf has so far. There will be more. */
static bool is_known(uint32_t type)
{
	return (type > 0 && type <= LAST_OF_KERNEL) ||
	       (type >= RECORD_HEADER_ATTR && type <= LAST_OF_PERF);
}

/* One that is no sample. 0, or what perf_read_round returns; -ENODATA: see read_from. */
static __attribute__((noinline)) int take_other(
	struct perf_reader *perf, const struct perf_record *record, struct diag *reason)
{
	switch (record->type) {
	case RECORD_LOST:
		return take_lost(perf, record);
	case RECORD_LOST_SAMPLES:
		return take_lost_samples(perf, record);
	case RECORD_COMM:
		return take_comm(perf, record);
	case RECORD_FORK:
		return perf_tasks_fork(perf, record);
	case RECORD_CGROUP:
		return take_cgroup(perf, record);
	case RECORD_FINISHED_ROUND:
		end_round(perf);
		return 0;
	case RECORD_HEADER_ATTR:
		return take_attr(perf, record, reason);
	case RECORD_TRACING_DATA:
		return take_formats(perf, record, reason);
	case RECORD_AUXTRACE:
		return take_aux(perf, record);
	case RECORD_FEATURE:
		return take_feature(perf, record, reason);
	default: /* of others only the size matters */
		perf->reader.counts.skipped += !is_known(record->type);
		return 0;
	}
}

/* What is missing at the end of what was piped, though its last record is whole; or NULL. */
static const char *missing_end(const struct perf_reader *perf)
{
	if (!perf->input)
		return NULL; /* a file says how long it is */
	if (!perf->raw && perf->attrs.layout_count && perf->attrs.layouts->tracepoint)
		return "it ends before the formats of its events";
	/* perf ends each round with a mark, the last one too */
	if (perf->any_round && perf->reader.counts.read > perf->rounds_read)
		return "it ends within a round of perf record";
	return NULL;
}

/* After the last record: what is known only now. */
static int finish(struct perf_reader *perf)
{
	const char *trouble = perf->folder ? perf_folder_trouble(perf->folder)
					   : perf_stream_trouble(perf->stream);
	int error = perf_end_gap(perf, NULL);

	perf->at_end = true;
	if (!trouble)
		trouble = missing_end(perf);
	if (trouble)
		reader_truncated(&perf->reader, trouble);
	reader_saw(&perf->reader, perf->latest);
	if (!error && perf->lost_counted > perf->lost_told)
		error = perf_add_lost(
			perf, 0, perf->reader.counts.last, perf->lost_counted - perf->lost_told);
	runs_finish(perf->runs);
	return error;
}

/* The next record; of a stream, behind the samples that can be taken at once. */
static inline int next_record(
	struct perf_reader *perf, bool folder, struct perf_record *record, struct diag *reason)
{
	int status;

	if (folder)
		return perf_folder_next(perf->folder, record, &perf->stream, reason);
	status = perf_take_samples(perf);
	return status ? status : perf_stream_next(perf->stream, record, reason);
}

/* Takes records up to the end of a round: 1. 0 at the end of the file; or a negative errno. */
static inline __attribute__((always_inline)) int read_from(
	struct perf_reader *perf, bool folder, struct diag *reason)
{
	struct perf_record record;

	for (;;) {
		int status = next_record(perf, folder, &record, reason);

		if (status != 1)
			return status;
		if (record.type == PERF_SAMPLE)
			status = perf_take_sample(perf, &record);
		else
			status = take_other(perf, &record, reason);
		if (status == -ENODATA) {
			reader_truncated(&perf->reader, "it ends within what follows a record");
			return 0;
		}
		if (status < 0)
			return status;
		if (record.type == RECORD_FINISHED_ROUND)
			return 1;
	}
}

/* Two copies, so that the usual one doesn't ask for each record which it is. */
static int read_stream(struct perf_reader *perf, struct diag *reason)
{
	return read_from(perf, false, reason);
}

static int read_folder(struct perf_reader *perf, struct diag *reason)
{
	return read_from(perf, true, reason);
}

int perf_read_round(struct perf_reader *perf, struct diag *reason)
{
	int status = perf->folder ? read_folder(perf, reason) : read_stream(perf, reason);

	if (status)
		return status < 0 ? status : 0;
	return finish(perf);
}
