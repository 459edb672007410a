/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Standard input, output and error may be closed when a program is started ("2>&-"). The next files
 * that it opens would get their numbers, and its messages would go into its temporary file.
 */
#ifndef ANALYZER_EVENT_DESCRIPTORS_H
#define ANALYZER_EVENT_DESCRIPTORS_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * The first thing in main: opens /dev/null for those that are missing, the wrong way round, so that
 * reading or writing them fails as before. 0 or a negative errno.
 */
static inline int descriptors_open_missing(void)
{
	for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
		int flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		/* a new file gets the lowest number that is free: this one */
		if (fcntl(number, F_GETFD) < 0 && open("/dev/null", flags) < 0)
			return -errno;
	}
	return 0;
}

#endif
