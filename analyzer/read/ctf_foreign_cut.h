/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Foreign traces that babeltrace2 takes only when something is put right. It refuses a trace as a
 * whole if a stream of it ends within a packet, as the last one of a copy that wasn't finished
 * does: here such streams end where that packet begins. And of clocks it wants a frequency.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_CUT_H
#define ANALYZER_READ_CTF_FOREIGN_CUT_H

#include <stdbool.h>

/* A temporary folder with a trace's metadata and streams: links, and copies of what was changed. */
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

/*
 * Makes such a folder of a trace whose metadata don't tell a clock's frequency, with the default.
 * False, and no folder, if they do, or if that fails.
 */
bool foreign_complete(struct foreign_mended *mended, const char *trace);

/* Removes the folder, if there is one. */
void foreign_mended_remove(struct foreign_mended *mended);

#endif
