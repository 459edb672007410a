/* SPDX-License-Identifier: BSD-3-Clause */
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int temporary_open(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!folder || !folder[0])
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* not every file system has O_TMPFILE */
	if (snprintf(path, sizeof(path), "%s/ringside-XXXXXX", folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}
