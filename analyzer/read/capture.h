/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures: pcap of either byte order, in micro- or nanoseconds, and pcapng, by libpcap; from a
 * file, a pipe, and through gzip. A capture is no trace of events, so reader_open refuses one
 * unless it is told where captures may go (reader_options.capture).
 *
 * Limits of libpcap: all interfaces of a pcapng file must have one link type and one snapshot
 * length, its sections one byte order, and an if_tsresol finer than 2^-34 s isn't converted right.
 */
#ifndef ANALYZER_READ_CAPTURE_H
#define ANALYZER_READ_CAPTURE_H

#include "capture_frame.h"
#include "input.h"
#include "reader.h"

struct capture;

/* Whether an input that begins so is a capture: by its magic number. */
bool capture_is(const char *data, size_t bytes);

/*
 * Opens a capture. `input` is the capture's from now on, also on failure. 0, or a negative errno
 * with a message in diag: the file's header is cut, damaged or of an unknown version.
 */
int capture_open_input(
	struct input *input, const char *file, struct capture **capture, struct diag *diag);

/*
 * The next frame. Returns 1, or 0 at the end, which is also where the capture can't be read
 * further: then counts tell that it is truncated, and why.
 */
int capture_next(struct capture *capture, struct capture_frame *frame);

/* format: "pcap" or "pcapng"; the clock isn't told, its times are ns. */
const struct trace_source *capture_source(const struct capture *capture);
/* read: frames; truncated and trouble. */
const struct trace_counts *capture_counts(const struct capture *capture);
/* libpcap's name of the link type, as tcpdump prints it ("EN10MB"); a number if it has none. */
const char *capture_link(const struct capture *capture);

/* `capture` may be NULL. */
void capture_close(struct capture *capture);

#endif
