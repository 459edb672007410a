/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What babeltrace2 may take for a foreign trace. A few bytes of damage make it loop (events without
 * a size never end) or allocate what a length says, so that the process it works in has bounds that
 * grow with the size of the trace. They are several times what whole traces take.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_BOUNDS_H
#define ANALYZER_READ_CTF_FOREIGN_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/* Memory: so much, and twice the size of the trace. */
#define FOREIGN_MEMORY_BYTES (UINT64_C(256) * 1024 * 1024)

/* Time of the CPU: so much, and a second for each so many bytes of the trace. */
#define FOREIGN_CPU_MS      400
#define FOREIGN_BYTES_PER_S (UINT64_C(8) * 1024 * 1024)

#define FOREIGN_FOLDERS_MOST 1024 /* looked into for traces */

struct foreign_bounds {
	uint64_t memory_bytes, cpu_ms;
	uint64_t file_bytes; /* of a file that it writes: its log, copies of streams */
};

/*
 * The bounds for the trace, or the traces, in a folder and below it, where no more than
 * FOREIGN_FOLDERS_MOST are looked into here either.
 */
void foreign_bounds_make(struct foreign_bounds *bounds, const char *folder);

/* Sets the bounds for this process, from now on. 0 or -1. */
int foreign_bounds_set(const struct foreign_bounds *bounds);

/*
 * Says which bound a process with that status (of waitpid) has met, for a message ("it takes more
 * than …"); `log` is what it has written to standard error. NULL: none.
 */
const char *foreign_bounds_met(
	const struct foreign_bounds *bounds, int status, const char *log, char text[80]);

#endif
