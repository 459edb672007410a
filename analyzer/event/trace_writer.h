/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a CTF 1.8 trace: a folder with the text file `metadata` and one file per stream
 * (`stream_0`, `stream_1`, …), a stream for each CPU. Any CTF reader (babeltrace2, Trace Compass)
 * reads it; ours maps it and walks it as an array of struct event.
 *
 * Layout, fixed and little-endian. A stream is a sequence of packets of at most TRACE_PACKET_BYTES,
 * as many records as fit; it begins with struct trace_packet_header, which says its size, and goes
 * on with records of 32 bytes. Records of a stream are in time order. Every stream has a packet
 * that is marked as its last, with no records if there are none to write: so a stream that is cut,
 * or whose writer was killed, is known by its lack.
 *
 * Streams are independent of each other: each may have a thread of its own that emits. Full packets
 * are written by whoever emits; or, after trace_writer_buffer, by one more thread, so that nobody
 * waits for a disk.
 */
#ifndef ANALYZER_EVENT_TRACE_WRITER_H
#define ANALYZER_EVENT_TRACE_WRITER_H

#include "diag.h"
#include "event.h"
#include "names.h"
#include "trace_metadata.h"
#include <semaphore.h>
#include <stdatomic.h>

#define TRACE_MAGIC        UINT32_C(0xc1fc1fc1) /* CTF 1.8.2, 5.1 */
#define TRACE_PACKET_BYTES (128 * 1024)

/* CTF's packet header and packet context, together. Sizes are in bits, as CTF has them. */
struct trace_packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id; /* class of the stream: always 0 */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size; /* bits */
	uint64_t packet_size;  /* bits */
	uint64_t
		events_discarded; /* of this stream, from its beginning to the end of this packet */
	uint32_t cpu_id;
	uint32_t last; /* 1: the stream ends with this packet; else 0 */
};
static_assert(sizeof(struct trace_packet_header) == 72, "no padding; records stay aligned");

struct trace_writer {
	struct event_sink sink; /* emit appends to the stream of that CPU */
	struct trace_stream *streams;
	unsigned stream_count;
	unsigned waiting_most; /* see trace_writer_buffer; 0: packets are written at once */
	sem_t waiting;         /* a packet waits, or the end has come */
	atomic_bool dismissed;
	atomic_int error; /* the first write error, a negative errno: later events are lost */
	uint64_t lost;    /* events that are not in the trace; set by trace_writer_close */
	struct trace_info info;
	bool restate; /* info has changed since open: close writes the metadata once more */
	char *path;
};

/*
 * Makes the folder (it may exist if it is empty) and writes the metadata. `streams` is the number
 * of CPUs, 1 to TRACE_STREAMS_MOST. Returns 0 or a negative errno with a message in diag.
 */
int trace_writer_open(struct trace_writer *writer, const char *folder,
	const struct trace_info *info, unsigned streams, struct diag *diag);

/*
 * Makes streams for CPUs up to this number of them, where it isn't known before how many there are;
 * before trace_writer_buffer. 0 or a negative errno with a message in diag.
 */
int trace_writer_reach(struct trace_writer *writer, unsigned streams, struct diag *diag);

/*
 * From here on full packets wait in memory, up to `packets` (1 to 4096) a stream, for a thread that
 * calls trace_writer_serve. Events that find no room are lost and counted. To be called before the
 * first event. 0 or -ENOMEM.
 */
int trace_writer_buffer(struct trace_writer *writer, unsigned packets);

/* Writes packets as they come, until trace_writer_dismiss is called by another thread. */
void trace_writer_serve(struct trace_writer *writer);
void trace_writer_dismiss(struct trace_writer *writer);

/* Writes a name into the stream of that CPU, as NAME records of that time. */
void trace_writer_name(struct trace_writer *writer, unsigned cpu, uint64_t time,
	enum name_kind kind, uint32_t index, const char *text);

/*
 * Writes what is still in memory and closes; nobody emits or serves any more. Returns 0, or a
 * negative errno with a message in diag that says how many events were lost.
 */
int trace_writer_close(struct trace_writer *writer, struct diag *diag);

/* A NAME record: 16 bytes of the text at `chunk` x 16. Returns the number of chunks it takes. */
unsigned trace_name_record(
	struct event *event, enum name_kind kind, uint32_t index, const char *text, unsigned chunk);

#endif
