/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata of our own CTF traces. The layout of their streams is fixed (trace_writer.h); the
 * metadata only needs to say that this is such a trace (`tracer_name = "ringside"`, `layout = 1` in
 * its env block), and what struct trace_info holds. Everything else in it is for other readers.
 */
#ifndef ANALYZER_READ_CTF_METADATA_H
#define ANALYZER_READ_CTF_METADATA_H

#include "diag.h"
#include "trace_writer.h"

#define CTF_LAYOUT 1

/*
 * `text` is the whole metadata, terminated; `path` is its file, for messages. Returns 0, or -EINVAL
 * with a message: another tracer's trace, another layout, or a value that is missing or damaged.
 */
int ctf_metadata_parse(
	const char *text, const char *path, struct trace_info *info, struct diag *diag);

#endif
