/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder.h"

#include "cycles.h"
#include "instance.h"
#include "merge.h"
#include "raw_event.h"
#include "reader_impl.h"
#include "ring_page.h"
#include "tasks.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define PAUSE_NS       10000000            /* between looks at buffers with little in them */
#define SLACK_NS       100000000           /* see recorder.h */
#define PAGES_A_LOOK   128                 /* of a CPU: others must not wait for long */
#define WAITING_MOST   ((size_t)1 << 17)   /* events of a CPU that are ahead of the others */
#define PAGE_BYTES     ((size_t)64 * 1024) /* the largest that the kernel can be told to use */
#define TYPES          65536               /* of records: 16 bits */
#define COMMON_PID_END 8 /* the thread of a record is in its bytes 4 to 7, in all formats */

struct cpu {
	uint64_t time; /* of its last event */
	uint64_t lost; /* told by its pages, at least */
	bool gaps;     /* there were some */
};

struct recorder {
	struct reader reader;
	struct recorder_watch *watch;
	struct instance *instance; /* NULL when the recording is over */
	struct ring_layout layout;
	struct kernel_names names;
	struct raw_events *raw;
	struct merge *merge;
	struct tasks *tasks;
	bool has_process[TYPES]; /* records of this type are of use only with their process */
	struct cpu *cpus;
	unsigned cpu_count;
	bool stopped;
	char missing[1024];
	uint8_t page[PAGE_BYTES];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CYCLES_NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_ns(long ns)
{
	/* a signal ends it early, which is what is wanted */
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static int no_memory(struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "no memory");
}

static int add_lost(
	struct recorder *recorder, unsigned cpu, uint64_t time, uint64_t count, bool unknown)
{
	struct event event = event_lost(time, count, unknown);

	reader_lost(&recorder->reader, count, false);
	return merge_add(recorder->merge, cpu, &event);
}

/* The number of a record's process; RAW_PID_UNKNOWN where nobody asks; -ENOMEM. */
static int process_of(struct recorder *recorder, const struct ring_entry *entry)
{
	uint16_t type;
	int32_t thread;

	if (entry->bytes < COMMON_PID_END)
		return RAW_PID_UNKNOWN;
	memcpy(&type, entry->data, sizeof(type));
	if (!recorder->has_process[type])
		return RAW_PID_UNKNOWN;
	memcpy(&thread, entry->data + COMMON_PID_END - sizeof(thread), sizeof(thread));
	return tasks_process(recorder->tasks, recorder->raw, thread, entry->time);
}

static int take_entry(
	struct recorder *recorder, unsigned cpu, const struct ring_entry *entry, struct diag *diag)
{
	struct raw_record record = {
		.time = entry->time,
		.pid = process_of(recorder, entry),
		.data = entry->data,
		.bytes = entry->bytes,
	};
	struct event event;
	int status =
		record.pid == -ENOMEM ? -ENOMEM : raw_event_parse(recorder->raw, record, &event);

	reader_saw(&recorder->reader, record.time);
	recorder->reader.counts.read++;
	recorder->reader.counts.unparsed += status == RAW_EVENT_UNPARSED;
	if (status == -EOVERFLOW)
		return diag_set(diag, status, "more names of a kind than fit (%" PRIu32 ")",
			names_room(recorder->names.used_up));
	if (status == RAW_EVENT_USED)
		status = merge_add(recorder->merge, cpu, &event);
	return status < 0 ? no_memory(diag) : 0;
}

static int take_page(struct recorder *recorder, unsigned number, size_t bytes, struct diag *diag)
{
	struct cpu *cpu = &recorder->cpus[number];
	struct ring_page page;
	struct ring_entry entry;
	int status = ring_page_open(&page, &recorder->layout, recorder->page, bytes, bytes);
	bool missed = !status && page.missed;

	while (!status && (status = ring_page_next(&page, &entry)) == 1) {
		/* events that were discarded may have gone a little ahead: see tracedat_stream.c */
		entry.time = entry.time > cpu->time ? entry.time : cpu->time;
		cpu->time = entry.time;
		if (missed) {
			uint64_t lost = page.lost ? page.lost : 1;

			missed = false;
			cpu->gaps = true;
			cpu->lost += lost;
			if (add_lost(recorder, number, entry.time, lost, !page.lost))
				return no_memory(diag);
		}
		status = take_entry(recorder, number, &entry, diag);
		if (status)
			return status;
	}
	if (status < 0)
		return diag_set(
			diag, status, "the kernel's buffer of CPU %u: %s", number, page.why);
	return 0;
}

/* A look at all CPUs. */
struct look {
	uint64_t begun;
	unsigned pages; /* that there were */
	bool all;       /* there are no more */
};

/* Reads what a CPU has, up to a limit. */
static int look_at(struct recorder *recorder, unsigned cpu, struct look *look, struct diag *diag)
{
	uint64_t slack = recorder->stopped ? 0 : SLACK_NS;

	for (unsigned i = 0; i < PAGES_A_LOOK; i++, look->pages++) {
		ssize_t bytes = instance_read(
			recorder->instance, cpu, recorder->page, sizeof(recorder->page));
		int error;

		if (bytes < 0)
			return diag_set(diag, (int)bytes, "the kernel's buffer of CPU %u: %s", cpu,
				strerror((int)-bytes));
		if (!bytes) {
			merge_promise(recorder->merge, cpu,
				look->begun > slack ? look->begun - slack : 0);
			return 0;
		}
		error = take_page(recorder, cpu, (size_t)bytes, diag);
		if (error)
			return error;
	}
	look->all = false;
	return 0;
}

/*
 * What the kernel counted and no page told of: with gaps whose size wasn't known it fills them;
 * else nobody knows where it belongs, and it stands at the end.
 */
static int count_rest(struct recorder *recorder, struct diag *diag)
{
	for (unsigned i = 0; i < recorder->cpu_count; i++) {
		const struct cpu *cpu = &recorder->cpus[i];
		uint64_t lost = instance_lost(recorder->instance, i);

		if (lost <= cpu->lost)
			continue;
		if (cpu->gaps)
			reader_lost(&recorder->reader, lost - cpu->lost, false);
		else if (add_lost(recorder, i, now_ns(), lost, false))
			return no_memory(diag);
	}
	return 0;
}

/* Nothing is left in the kernel. */
static int finish(struct recorder *recorder, struct diag *diag)
{
	int error = count_rest(recorder, diag);

	merge_end(recorder->merge);
	instance_destroy(recorder->instance);
	recorder->instance = NULL;
	return error;
}

static int stop(struct recorder *recorder, struct diag *diag)
{
	int error = instance_switch(recorder->instance, false, diag);

	recorder->stopped = true;
	reader_saw(&recorder->reader, now_ns()); /* the recording, quiet or not, goes on to here */
	sleep_ns(PAUSE_NS);                      /* events that are being written get finished */
	return error;
}

static int look(struct recorder *recorder, struct diag *diag)
{
	struct look look = { .begun = now_ns(), .all = true };
	int error = 0;

	for (unsigned i = 0; i < recorder->cpu_count && !error; i++) {
		if (merge_waiting(recorder->merge, i) < WAITING_MOST)
			error = look_at(recorder, i, &look, diag);
		else
			look.all = false;
	}
	if (error)
		return error;
	if (recorder->stopped)
		return look.all && !look.pages ? finish(recorder, diag) : 0;
	if (!recorder->watch->go_on(recorder->watch))
		return stop(recorder, diag);
	if (look.pages < PAGES_A_LOOK)
		sleep_ns(PAUSE_NS);
	return 0;
}

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	struct recorder *recorder = (struct recorder *)reader;

	for (;;) {
		int error;

		if (merge_next(recorder->merge, cpu, event))
			return 1;
		if (!recorder->instance)
			return 0;
		error = look(recorder, diag);
		if (error)
			return error;
	}
}

static void note_kernel(struct reader *reader)
{
	struct utsname name;

	if (!uname(&name))
		reader_kernel(reader, name.release, sizeof(name.release));
}

static void close_recorder(struct reader *reader)
{
	struct recorder *recorder = (struct recorder *)reader;

	instance_destroy(recorder->instance);
	merge_destroy(recorder->merge);
	raw_events_destroy(recorder->raw);
	free(recorder->tasks);
	free(recorder->cpus);
	reader_release(reader);
	free(recorder);
}

static const struct reader_format recorder_format = { .next = next, .close = close_recorder };

static int read_layout(struct recorder *recorder, struct diag *diag)
{
	size_t bytes;
	char *text = instance_text(recorder->instance, "events/header_page", &bytes);
	int error = text ? ring_layout_parse(&recorder->layout, text, bytes,
				   __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			 : -EINVAL;

	free(text);
	return error ? diag_set(diag, error,
			       "the kernel's events/header_page describes pages of no known kind")
		     : 0;
}

static void note_missing(struct recorder *recorder, const struct record_event *event)
{
	size_t used = strlen(recorder->missing);

	snprintf(recorder->missing + used, sizeof(recorder->missing) - used, "%s%s:%s",
		used ? ", " : "", event->system, event->name);
}

/* Enables an event and learns how its records look. -ENOENT, noted, if the kernel lacks it. */
static int add_event(struct recorder *recorder, const struct record_event *event, struct diag *diag)
{
	const struct kernel_kind *kind = kernel_kind_find(
		event->system, strlen(event->system), event->name, strlen(event->name));
	const char *id;
	char *format;
	size_t bytes;
	unsigned type;
	int error = instance_enable(recorder->instance, event, &format, &bytes, diag);

	if (error == -ENOENT)
		note_missing(recorder, event);
	if (error)
		return error;
	error = raw_events_add(recorder->raw, event->system, format, bytes, diag);
	id = strstr(format, "ID: ");
	if (kind && kind->uses & FIELD_BIT(PROCESS) && id && sscanf(id, "ID: %u", &type) == 1 &&
		type < TYPES)
		recorder->has_process[type] = true;
	free(format);
	return error;
}

static int add_events(struct recorder *recorder, unsigned groups, struct diag *diag)
{
	unsigned added = 0;

	for (const struct record_event *event = record_events; event->system; event++) {
		int error = event->groups & groups ? add_event(recorder, event, diag) : -ENOENT;

		if (error && error != -ENOENT)
			return error;
		added += !error;
	}
	if (!added)
		return diag_set(
			diag, -ENOENT, "this kernel has none of the events: %s", recorder->missing);
	return 0;
}

static int prepare(
	struct recorder *recorder, const struct recorder_options *options, struct diag *diag)
{
	int error =
		instance_create(&recorder->instance, options->tracefs, options->buffer_kib, diag);

	if (!error)
		error = read_layout(recorder, diag);
	if (error)
		return error;
	recorder->names.names = recorder->reader.names;
	recorder->cpu_count = instance_cpus(recorder->instance);
	recorder->cpus = calloc(recorder->cpu_count, sizeof(*recorder->cpus));
	recorder->tasks = calloc(1, sizeof(*recorder->tasks));
	if (!recorder->cpus || !recorder->tasks ||
		merge_create(&recorder->merge, recorder->cpu_count) ||
		raw_events_create(&recorder->raw, &recorder->names, recorder->layout.big_endian,
			recorder->layout.long_bytes))
		return no_memory(diag);
	if (raw_events_task(recorder->raw, 0, "<idle>", strlen("<idle>"))) /* as ftrace has it */
		return no_memory(diag);
	return add_events(recorder, options->groups, diag);
}

int recorder_open(struct reader **reader, const struct recorder_options *options,
	struct recorder_watch *watch, struct diag *diag)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int error;

	*reader = NULL;
	if (!recorder)
		return no_memory(diag);
	recorder->watch = watch;
	recorder->reader.source = (struct trace_source){
		.format = "tracefs",
		.clock = INSTANCE_CLOCK,
		.hz = CYCLES_NS_PER_S,
	};
	note_kernel(&recorder->reader);
	error = reader_prepare(&recorder->reader, &recorder_format, "live");
	if (error)
		no_memory(diag);
	else
		error = prepare(recorder, options, diag);
	if (error)
		close_recorder(&recorder->reader);
	else
		*reader = &recorder->reader;
	return error;
}

int recorder_start(struct reader *reader, struct diag *diag)
{
	return instance_switch(((struct recorder *)reader)->instance, true, diag);
}

const char *recorder_missing(const struct reader *reader)
{
	return ((const struct recorder *)reader)->missing;
}

uint64_t recorder_late(const struct reader *reader)
{
	return merge_late(((const struct recorder *)reader)->merge);
}
