/* SPDX-License-Identifier: BSD-3-Clause */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int refuse(const char **what, const char *text, int error)
{
	*what = text;
	return -error;
}

int tap_open(const char *name, const char **what)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd, error;

	/* the kernel makes a number of %d, and then nobody knows the name */
	if (!*name || strlen(name) >= IFNAMSIZ || strchr(name, '%'))
		return refuse(what, "an interface name has 1 to 15 characters and no %", EINVAL);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return refuse(what, "/dev/net/tun", errno);
	strcpy(request.ifr_name, name);
	if (ioctl(fd, TUNSETIFF, &request)) {
		error = errno;
		close(fd);
		return refuse(what, "it can't be made or taken as a TAP interface", error);
	}
	return fd;
}
