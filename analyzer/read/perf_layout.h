/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the samples of a perf event are laid out: its struct perf_event_attr says which fields they
 * have (linux/perf_event.h, PERF_RECORD_SAMPLE). Most fields have a fixed size; of those behind the
 * first that hasn't, only the raw data are of interest, and they come early.
 */
#ifndef ANALYZER_READ_PERF_LAYOUT_H
#define ANALYZER_READ_PERF_LAYOUT_H

#include "bytes.h"
#include "raw_event.h"
#include <stddef.h>

#define PERF_SAMPLE         9  /* linux/perf_event.h: PERF_RECORD_SAMPLE */
#define PERF_HEAD_BYTES     8  /* of each record: type 32 bits, misc 16, size 16 */
#define PERF_ATTR_BYTES_MIN 64 /* PERF_ATTR_SIZE_VER0; what newer kernels added may be absent */

struct perf_layout {
	bool tracepoint;  /* the raw data are a tracepoint's record */
	bool counts_lost; /* the event itself counts what it lost */
	bool callchain, raw;
	bool simple; /* raw data, with pid, time and CPU, and nothing of variable size before them
		      */
	bool plain;  /* the same of a tracepoint, and nothing of interest behind them */
	/* Offsets in the record of a sample; 0: it doesn't have the field. */
	uint16_t id, pid, time, cpu;
	uint16_t fixed;         /* what is of variable size begins here, */
	uint16_t counters;      /* first a group of counters: bytes of each, 0: none; */
	uint16_t counters_head; /* and bytes before them, with their number */
	/* Other records end with some of the fields: how far before the end; 0: they don't. */
	uint16_t end_id, end_time, end_cpu;
	uint16_t end_cgroup; /* the same of samples: the id of the cgroup */
};

struct perf_sample {
	struct raw_record raw; /* its data are NULL if there are none */
	uint32_t cpu;
};

/* `attr` has PERF_ATTR_BYTES_MIN at least. */
void perf_layout_make(struct perf_layout *layout, const uint8_t *attr, bool big_endian);

/* The clock that an event's times are of: as perf record -k names it; NULL: perf's own. */
const char *perf_attr_clock(const uint8_t *attr, size_t bytes, bool big_endian);

/* perf_layout_sample of any layout. */
bool perf_layout_sample_any(const struct perf_layout *layout, const uint8_t *record, size_t bytes,
	bool big_endian, struct perf_sample *sample);

/* perf_layout_sample of a simple one, of a little-endian record. */
static inline bool perf_layout_sample_simple(const struct perf_layout *layout,
	const uint8_t *record, size_t bytes, struct perf_sample *sample)
{
	size_t at = layout->fixed;

	if (bytes < at + 4)
		return false;
	sample->cpu = bytes_32(record + layout->cpu, false);
	sample->raw.time = bytes_64(record + layout->time, false);
	sample->raw.pid = (int32_t)bytes_32(record + layout->pid, false);
	sample->raw.data = record + at + 4;
	sample->raw.bytes = bytes_32(record + at, false);
	return sample->raw.bytes <= bytes - at - 4;
}

/* Takes a sample apart. False if a field goes beyond the record, which has PERF_HEAD_BYTES. */
static inline bool perf_layout_sample(const struct perf_layout *layout, const uint8_t *record,
	size_t bytes, bool big_endian, struct perf_sample *sample)
{
	return layout->simple && !big_endian
		       ? perf_layout_sample_simple(layout, record, bytes, sample)
		       : perf_layout_sample_any(layout, record, bytes, big_endian, sample);
}

#endif
