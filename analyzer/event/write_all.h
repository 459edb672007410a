/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ANALYZER_EVENT_WRITE_ALL_H
#define ANALYZER_EVENT_WRITE_ALL_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* write(2), until all is written. 0 or a negative errno; what was written until then stays. */
static inline int write_all(int fd, const void *data, size_t bytes)
{
	const char *p = data;

	while (bytes) {
		ssize_t n = write(fd, p, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		bytes -= (size_t)n;
	}
	return 0;
}

#endif
