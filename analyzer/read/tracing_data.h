/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The descriptions of a kernel's tracepoints as perf.data has them: a block that begins as a
 * trace.dat does, with the formats of all events that were recorded.
 */
#ifndef ANALYZER_READ_TRACING_DATA_H
#define ANALYZER_READ_TRACING_DATA_H

#include "raw_event.h"

/* Of the block. perf's has 30 KiB to 1 MiB; where it holds the kernel's symbols, some 10 MiB. */
#define TRACING_DATA_BYTES ((size_t)16 * 1024 * 1024)

/*
 * Makes *raw, or adds to it if it is there already. 0; -ENOMEM; -EINVAL with a message ("… at N in
 * them", without the file's name).
 */
int tracing_data_parse(const uint8_t *data, size_t bytes, struct kernel_names *names,
	struct raw_events **raw, struct diag *diag);

#endif
