/* SPDX-License-Identifier: BSD-3-Clause */
#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}
