/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of foreign traces that don't say their frequency: it is 1 GHz then (CTF 1.8.3, 8).
 * babeltrace2 2.0.4 divides by zero there, so the metadata are given to it with the default.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_CLOCK_H
#define ANALYZER_READ_CTF_FOREIGN_CLOCK_H

#include <stddef.h>

#define FOREIGN_METADATA_BYTES ((size_t)4 * 1024 * 1024) /* larger ones are left as they are */

/*
 * The metadata, a text, with a frequency in each clock that has none. The caller frees it. NULL if
 * all have one, there is nothing that looks like metadata, or no memory.
 */
char *foreign_clock_complete(const char *text, size_t bytes, size_t *completed_bytes);

#endif
