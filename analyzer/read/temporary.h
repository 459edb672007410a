/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A temporary file that has no name, in $TMPDIR or /tmp: it is gone when it is closed.
 */
#ifndef ANALYZER_READ_TEMPORARY_H
#define ANALYZER_READ_TEMPORARY_H

/* Returns a descriptor for reading and writing, or a negative errno. */
int temporary_open(void);

#endif
