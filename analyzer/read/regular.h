/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace that is a folder: regular ones. Anything else of such a name isn't waited
 * for, as a pipe would be that nobody writes into.
 */
#ifndef ANALYZER_READ_REGULAR_H
#define ANALYZER_READ_REGULAR_H

/* Opens a file for reading. A descriptor, or a negative errno: -EINVAL if it is no regular file. */
int regular_open(const char *path);

#endif
