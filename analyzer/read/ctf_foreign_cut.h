/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Foreign traces with streams that are cut. babeltrace2 refuses a trace as a whole if a stream of
 * it ends within a packet, as the last one of a copy that wasn't finished does. Here such streams
 * end where that packet begins.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_CUT_H
#define ANALYZER_READ_CTF_FOREIGN_CUT_H

#include <stdbool.h>

/* A temporary folder with a trace's metadata and streams: links, and copies of what was cut. */
struct foreign_mended {
	char folder[64];    /* "": there is none */
	char trouble[4200]; /* the last stream that was cut, or "" */
};

/*
 * Makes such a folder of a trace; `fits` says of a folder whether babeltrace2 takes it. False, and
 * no folder, if the trace would be refused nevertheless.
 */
bool foreign_mend(struct foreign_mended *mended, const char *trace,
	bool (*fits)(void *data, const char *folder), void *data);

/* Removes the folder. */
void foreign_mended_remove(struct foreign_mended *mended);

#endif
