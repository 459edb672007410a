/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptions of a kernel's tracepoints. perf.data has a block of them that begins as a
 * trace.dat does, with the formats of all events that were recorded.
 */
#ifndef ANALYZER_READ_TRACING_DATA_H
#define ANALYZER_READ_TRACING_DATA_H

#include "cursor.h"
#include "raw_event.h"

/* Of the block. perf's has 30 KiB to 1 MiB; where it holds the kernel's symbols, some 10 MiB. */
#define TRACING_DATA_BYTES ((size_t)16 * 1024 * 1024)

/* Longer formats are damage. The largest of Linux 6.18 has 8 kB. */
#define TRACING_DATA_FORMAT_BYTES ((uint64_t)1024 * 1024)

/* What is done with the format of an event of a system. 0 or a negative errno. */
typedef int tracing_data_take_fn(
	void *context, const char *system, const struct cursor_block *format);

/*
 * Hands out the formats of all systems, as trace.dat and perf.data list them; `block` is used for
 * each. Returns 0, and the cursor may have met its end or an error; or what `take` returned.
 */
int tracing_data_formats(struct cursor *cursor, struct cursor_block *block,
	tracing_data_take_fn *take, void *context);

/*
 * Makes *raw, which holds tasks (raw_event.h), or adds to it if it is there already. 0; -ENOMEM;
 * -EINVAL with a message ("… at N in them", without the file's name).
 */
int tracing_data_parse(const uint8_t *data, size_t bytes, struct kernel_names *names,
	struct raw_events **raw, struct diag *diag);

#endif
