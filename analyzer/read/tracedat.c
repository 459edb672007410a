/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.dat: the streams of all CPUs of all buffers, merged by time, of equal times the one that
 * the file names first. What their records mean is raw_event.c's.
 */
#include "cycles.h"
#include "heap.h"
#include "raw_event.h"
#include "reader_impl.h"
#include "temporary.h"
#include "tracedat_stream.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One stream and its next event. */
struct lane {
	struct tracedat_stream stream;
	struct ring_entry entry;
	struct tracedat_gap gap; /* before it */
	bool ended;              /* there is no next event, only a gap */
};

struct tracedat_reader {
	struct reader reader;
	struct tracedat_handler handler;
	struct tracedat_file file;
	struct kernel_names names;
	struct raw_events *raw;
	struct lane *lanes;
	size_t lane_count;
	struct heap heap; /* of lanes that have something */
};

static int out_of_memory(const struct tracedat_reader *dat, struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "%s: no memory", dat->reader.source.file);
}

static struct tracedat_reader *of_handler(struct tracedat_handler *handler)
{
	return (struct tracedat_reader *)((char *)handler -
					  offsetof(struct tracedat_reader, handler));
}

/* How wide the kernel's long is stands in the layout of its pages, before all formats. */
static int make_raw(struct tracedat_reader *dat)
{
	const struct tracedat_file *file = &dat->file;

	if (dat->raw)
		return 0;
	dat->names.names = dat->reader.names;
	return raw_events_create(&dat->raw, &dat->names, file->big_endian,
		file->has_layout ? file->layout.long_bytes : sizeof(uint64_t));
}

static int take_format(struct tracedat_handler *handler, const char *system, const char *text,
	size_t bytes, struct diag *diag)
{
	struct tracedat_reader *dat = of_handler(handler);
	int error = make_raw(dat);

	return error ? error : raw_events_add(dat->raw, system, text, bytes, diag);
}

static int take_task(struct tracedat_handler *handler, int pid, const char *comm, size_t bytes)
{
	struct tracedat_reader *dat = of_handler(handler);
	int error = make_raw(dat);

	return error ? error : raw_events_task(dat->raw, pid, comm, bytes);
}

/*
 * What the recorder counted and no page told of: with gaps whose size isn't known it fills them;
 * else nobody knows where it belongs, and it stands at the end.
 */
static void count_rest(struct tracedat_reader *dat, struct lane *lane)
{
	const struct tracedat_stream *stream = &lane->stream;
	const struct tracedat_place *place = stream->place;
	uint64_t rest = place->overwritten > stream->lost ? place->overwritten - stream->lost : 0;

	if (stream->gaps) {
		reader_lost(&dat->reader, rest, false);
		rest = 0;
	}
	lane->gap.any = lane->gap.any || rest || place->dropped;
	lane->gap.lost += rest + place->dropped;
}

/* Moves a lane on. Returns 1; 0 if it is used up, with its gaps; or a negative errno. */
static int advance(struct tracedat_reader *dat, struct lane *lane, struct diag *diag)
{
	int status;

	if (lane->ended)
		return 0;
	status = tracedat_stream_next(&lane->stream, &lane->entry, &lane->gap, diag);
	if (status)
		return status;
	lane->ended = true;
	lane->entry.time = lane->stream.time;
	count_rest(dat, lane);
	return lane->gap.any;
}

/* As trace-cmd report: the calibration's offset, which is between two machines, isn't added. */
static uint64_t time_of(const struct tracedat_file *file, uint64_t stamp)
{
	cycles_product ns;

	if (!file->tsc_mult)
		return stamp;
	ns = (cycles_product)stamp * file->tsc_mult >> file->tsc_shift;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static void make_lost(struct tracedat_reader *dat, struct lane *lane, struct event *event)
{
	struct tracedat_gap *gap = &lane->gap;
	uint64_t at_least = gap->lost ? gap->lost : 1;

	*event = event_lost(time_of(&dat->file, lane->entry.time), at_least, gap->unknown);
	/* the statistics know, of all gaps together */
	reader_lost(&dat->reader, at_least, gap->unknown && !lane->stream.place->overwritten);
	gap->any = false;
}

/* Returns 1 if *event was filled, 0 if the record is of no use here, or a negative errno. */
static int take_record(struct tracedat_reader *dat, const struct lane *lane, struct event *event,
	struct diag *diag)
{
	struct raw_record record = {
		.time = time_of(&dat->file, lane->entry.time),
		.pid = RAW_PID_UNKNOWN,
		.data = lane->entry.data,
		.bytes = lane->entry.bytes,
	};
	int status = raw_event_parse(dat->raw, record, event);

	reader_saw(&dat->reader, record.time);
	dat->reader.counts.read++;
	dat->reader.counts.unparsed += status == RAW_EVENT_UNPARSED;
	if (status == -EOVERFLOW)
		return diag_set(diag, status, "%s: has more names of a kind than fit (%" PRIu32 ")",
			dat->reader.source.file, names_room(dat->names.used_up));
	if (status < 0)
		return out_of_memory(dat, diag);
	return status == RAW_EVENT_USED;
}

static struct heap_entry entry_of(const struct tracedat_reader *dat, uint32_t lane)
{
	return (struct heap_entry){ .time = dat->lanes[lane].entry.time, .item = lane };
}

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	struct tracedat_reader *dat = (struct tracedat_reader *)reader;

	while (dat->heap.count) {
		uint32_t number = dat->heap.entries[0].item;
		struct lane *lane = &dat->lanes[number];
		int found, status;

		*cpu = lane->stream.place->cpu;
		if (lane->gap.any) {
			make_lost(dat, lane, event);
			return 1;
		}
		found = lane->ended ? 0 : take_record(dat, lane, event, diag);
		if (found < 0)
			return found;
		status = advance(dat, lane, diag);
		if (status < 0)
			return status;
		if (status)
			heap_replace_top(&dat->heap, entry_of(dat, number));
		else
			heap_pop(&dat->heap);
		if (found)
			return 1;
	}
	if (dat->file.trouble[0] && !reader->counts.truncated)
		reader_truncated(reader, dat->file.trouble);
	return 0;
}

static void close_tracedat(struct reader *reader)
{
	struct tracedat_reader *dat = (struct tracedat_reader *)reader;

	for (size_t i = 0; i < dat->lane_count; i++)
		tracedat_stream_close(&dat->lanes[i].stream);
	free(dat->lanes);
	heap_free(&dat->heap);
	raw_events_destroy(dat->raw);
	tracedat_file_close(&dat->file);
	reader_release(reader);
	free(dat);
}

static const struct reader_format tracedat_format = { .next = next, .close = close_tracedat };

static int open_lanes(struct tracedat_reader *dat, struct diag *diag)
{
	size_t count = dat->file.place_count;

	dat->lanes = calloc(count ? count : 1, sizeof(*dat->lanes));
	if (!dat->lanes || heap_create(&dat->heap, count))
		return out_of_memory(dat, diag);
	for (size_t i = 0; i < count; i++) {
		int status;

		tracedat_stream_open(&dat->lanes[i].stream, &dat->file, &dat->file.places[i]);
		dat->lane_count++;
		status = advance(dat, &dat->lanes[i], diag);
		if (status < 0)
			return status;
		if (status)
			heap_push(&dat->heap, entry_of(dat, (uint32_t)i));
	}
	return 0;
}

/*
 * Clocks whose frequency is known without the file (Documentation/trace/ftrace.rst, trace_clock;
 * uptime counts user space's ticks). A file that doesn't name its clock has the kernel's default,
 * local. The counter of events is no time at all.
 */
static const struct {
	const char *name;
	uint64_t hz;
	bool no_time;
} clocks[] = {
	{ "", CYCLES_NS_PER_S, false },
	{ "local", CYCLES_NS_PER_S, false },
	{ "global", CYCLES_NS_PER_S, false },
	{ "mono", CYCLES_NS_PER_S, false },
	{ "mono_raw", CYCLES_NS_PER_S, false },
	{ "boot", CYCLES_NS_PER_S, false },
	{ "tai", CYCLES_NS_PER_S, false },
	{ "perf", CYCLES_NS_PER_S, false },
	{ "uptime", 100, false },
	{ "counter", 0, true },
};

static int set_clock(
	struct tracedat_reader *dat, const struct reader_options *options, struct diag *diag)
{
	const char *clock = dat->file.clock;
	uint64_t hz = 0;
	bool cycles = true;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(clocks[i].name, clock) != 0)
			continue;
		if (clocks[i].no_time && options && options->hz)
			return diag_set(diag, -EINVAL,
				"%s: its clock %s counts events, which no frequency turns into "
				"time",
				dat->reader.source.file, clock);
		hz = clocks[i].hz;
		cycles = false;
	}
	if (!cycles)
		dat->file.tsc_mult = 0; /* the calibration is of another clock */
	else if (dat->file.tsc_mult)
		hz = CYCLES_NS_PER_S;
	dat->reader.source.clock = clock[0] ? clock : NULL;
	reader_kernel(&dat->reader, dat->file.kernel, sizeof(dat->file.kernel));
	return reader_set_hz(&dat->reader, hz, options, diag);
}

/* Writes what a latency tracer printed to a file, and gives it to the text reader. */
static int open_text(struct tracedat_reader *dat, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag)
{
	const char *name = dat->reader.source.file;
	struct tracedat_stream stream;
	struct input *input;
	const uint8_t *data;
	size_t bytes;
	int fd = temporary_open(), status;

	if (fd < 0)
		return diag_set(diag, fd, "%s: no temporary file: %s", name, strerror(-fd));
	tracedat_stream_open(&stream, &dat->file, &dat->file.text);
	while ((status = tracedat_stream_bytes(&stream, &data, &bytes, diag)) == 1) {
		if (write(fd, data, bytes) == (ssize_t)bytes)
			continue;
		status = diag_set(diag, -EIO, "%s: the temporary file can't be written", name);
		break;
	}
	tracedat_stream_close(&stream);
	if (status < 0) {
		close(fd);
		return status;
	}
	status = input_open_descriptor(fd, &input);
	if (status)
		return diag_set(diag, status, "%s: %s", name, strerror(-status));
	status = text_reader_open(input, name, options, records, reader, diag);
	if (!status && dat->file.trouble[0])
		reader_truncated(*reader, dat->file.trouble);
	return status;
}

int tracedat_reader_open(struct input *input, const char *file,
	const struct reader_options *options, size_t records, struct reader **reader,
	struct diag *diag)
{
	struct tracedat_reader *dat = calloc(1, sizeof(*dat));
	int error = dat ? reader_prepare(&dat->reader, &tracedat_format, file) : -ENOMEM;

	*reader = NULL;
	if (error) {
		input_close(input);
		if (dat)
			reader_release(&dat->reader);
		free(dat);
		return diag_set(diag, error, "%s: no memory", file);
	}
	dat->reader.source.format = "trace.dat";
	dat->handler = (struct tracedat_handler){ .format = take_format, .task = take_task };
	error = tracedat_file_open(&dat->file, input, dat->reader.source.file, &dat->handler, diag);
	if (!error && !dat->file.place_count && dat->file.text.bytes) {
		error = open_text(dat, options, records, reader, diag);
		close_tracedat(&dat->reader);
		return error;
	}
	if (!error && make_raw(dat))
		error = out_of_memory(dat, diag);
	if (!error)
		error = set_clock(dat, options, diag);
	if (!error)
		error = open_lanes(dat, diag);
	if (error)
		close_tracedat(&dat->reader);
	else
		*reader = &dat->reader;
	return error;
}
