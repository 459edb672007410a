/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One stream of our own CTF traces (trace_writer.h has the layout), mapped into memory and walked
 * record by record. Nothing in it is trusted: each packet's header is checked before its records
 * are read, and no length that it claims is used before it was compared with the file's size.
 */
#ifndef ANALYZER_READ_CTF_STREAM_H
#define ANALYZER_READ_CTF_STREAM_H

#include "diag.h"
#include "event.h"
#include <stdbool.h>
#include <stddef.h>

struct ctf_stream {
	char *path;
	const uint8_t *map; /* NULL: an empty file */
	size_t bytes;

	size_t packet;     /* offset of the current packet */
	size_t packet_end; /* of the next one, or the end of the file */
	size_t at;         /* the next record */
	size_t records_end;
	unsigned cpu;
	bool any_packet;
	uint64_t discarded; /* up to the end of the current packet */
	bool lossy;         /* the current packet has lost events, somewhere */
	uint64_t time;      /* of the last record */
	bool last;          /* the current packet is marked as the last one */
	bool truncated;     /* the file ends inside a packet, or before the last one */
};

/*
 * What a call to ctf_stream_next found. A packet only says how many events were lost up to its end,
 * so there is a CTF_LOST before its first record, with the number, and one behind its last, with 0.
 */
enum ctf_step { CTF_END, CTF_RECORD, CTF_LOST };

/*
 * Maps a stream and checks the headers of all its packets. Returns 0, or a negative errno with a
 * message in diag; ctf_stream_close is due in any case.
 */
int ctf_stream_open(
	struct ctf_stream *stream, const char *path, const uint8_t uuid[16], struct diag *diag);

/*
 * The next record, which stays in the mapping. Returns an enum ctf_step, or -EINVAL with a message
 * that names file and offset.
 */
int ctf_stream_next(struct ctf_stream *stream, const uint8_t uuid[16], const struct event **record,
	uint64_t *lost, struct diag *diag);

/* When the next record was, or the last one if there is no next one in this packet. */
uint64_t ctf_stream_time(const struct ctf_stream *stream);

/* Says that the record handed out last can't be. Returns -EINVAL. */
int ctf_stream_refuse(const struct ctf_stream *stream, const char *what, struct diag *diag);

void ctf_stream_close(struct ctf_stream *stream);

#endif
