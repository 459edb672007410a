/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata of our own CTF traces. The layout of their streams is fixed (trace_writer.h), so the
 * metadata is checked rather than followed: it must say that this is such a trace (`tracer_name =
 * "ringside"`, `layout = 1` in its env block), hold what struct trace_info does, and describe the
 * streams as the writer does. Its event classes are for other readers.
 */
#ifndef ANALYZER_READ_CTF_METADATA_H
#define ANALYZER_READ_CTF_METADATA_H

#include "diag.h"
#include "trace_metadata.h"
#include <stdbool.h>

struct ctf_metadata {
	struct trace_info info;
	unsigned streams; /* 1 to TRACE_STREAMS_MOST: files stream_0, stream_1, … */
	bool whole;       /* its last line is there */
};

/* Whether the metadata is of a trace of ours, of whatever layout; also if it is empty. */
bool ctf_metadata_is_ours(const char *text);

/*
 * `text` is the whole metadata, terminated; `path` is its file, for messages. Returns 0, or -EINVAL
 * with a message: another tracer's trace, another layout, or a value that is missing or damaged.
 * -ENOMEM.
 */
int ctf_metadata_parse(
	const char *text, const char *path, struct ctf_metadata *metadata, struct diag *diag);

#endif
