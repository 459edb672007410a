/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording that is a folder (perf record --threads): the file `data` has the header and what
 * perf itself wrote, data.0, data.1 and so on have the records of a CPU each, without a header.
 * Those are nearly in the order of time, so merging them gives one stream that is, too; marks of
 * finished rounds, which these files don't have, are put in.
 */
#ifndef ANALYZER_READ_PERF_FOLDER_H
#define ANALYZER_READ_PERF_FOLDER_H

#include "perf_attrs.h"
#include "perf_stream.h"

#define PERF_FOLDER_DATA       "data"
#define PERF_FOLDER_VERSION    1    /* of the layout, in the section HEADER_DIR_FORMAT */
#define PERF_FOLDER_PARTS_MOST 8192 /* CPUs that Linux can have (x86: NR_CPUS) */

struct perf_folder;

/* Whether a folder is one: there is a perf.data named `data` in it. */
bool perf_folder_is(const char *path);

/*
 * Opens the parts; there may be none, as where perf record --kcore made the folder. `data` is the
 * stream of that file's records, and is the folder's from now on, also on failure. 0; -ENOMEM; or
 * another negative errno with a message (without the folder's name).
 */
int perf_folder_open(struct perf_folder **folder, const char *path, struct perf_stream *data,
	const struct perf_attrs *attrs, struct diag *diag);

/*
 * The next record, and the stream that it is of (for what follows it); both valid until the next
 * call. Returns as perf_stream_next does; a message names the file.
 */
int perf_folder_next(struct perf_folder *folder, struct perf_record *record,
	struct perf_stream **stream, struct diag *diag);

/* What is wrong with the ends of the parts, or with their number, or NULL; after the last record.
 */
const char *perf_folder_trouble(const struct perf_folder *folder);

void perf_folder_close(struct perf_folder *folder);

#endif
