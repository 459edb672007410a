/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_bounds.h"

#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_FOLDERS_MOST 16
#define LOG_BYTES         (UINT64_C(1024) * 1024)
#define BYTES_MOST        (UINT64_C(1) << 48) /* of a trace: so that sums don't overflow */

/* nftw takes no context */
static uint64_t found_bytes;
static unsigned found_folders;

/* A stream may be a link; one to a folder isn't followed. */
static int add_file(const char *path, const struct stat *status, int type, struct FTW *at)
{
	struct stat target;

	(void)at;
	if (type == FTW_SL && !stat(path, &target))
		status = &target;
	if ((type == FTW_F || type == FTW_SL) && S_ISREG(status->st_mode))
		found_bytes += (uint64_t)status->st_size;
	found_folders += type == FTW_D;
	return found_bytes >= BYTES_MOST || found_folders > FOREIGN_FOLDERS_MOST;
}

void foreign_bounds_make(struct foreign_bounds *bounds, const char *folder)
{
	uint64_t bytes;

	found_bytes = 0;
	found_folders = 0;
	nftw(folder, add_file, OPEN_FOLDERS_MOST, FTW_PHYS);
	bytes = found_bytes < BYTES_MOST ? found_bytes : BYTES_MOST;
	*bounds = (struct foreign_bounds){
		.memory_bytes = FOREIGN_MEMORY_BYTES + 2 * bytes,
		.cpu_ms = FOREIGN_CPU_MS + bytes / FOREIGN_BYTES_PER_S * 1000 +
			  bytes % FOREIGN_BYTES_PER_S * 1000 / FOREIGN_BYTES_PER_S,
		.file_bytes = LOG_BYTES + bytes,
	};
}

static int limit(int resource, uint64_t most)
{
	struct rlimit limits;

	if (getrlimit((__rlimit_resource_t)resource, &limits))
		return -1;
	if (limits.rlim_max == RLIM_INFINITY || most < limits.rlim_max)
		limits.rlim_cur = most;
	else
		limits.rlim_cur = limits.rlim_max;
	return setrlimit((__rlimit_resource_t)resource, &limits);
}

/* The memory for data that the process has already: with a sanitizer that is a lot. */
static uint64_t data_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	/* the sixth number */
	if (file && fscanf(file, "%*u %*u %*u %*u %*u %" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int foreign_bounds_set(const struct foreign_bounds *bounds)
{
	const struct itimerval timer = {
		.it_value = { (time_t)(bounds->cpu_ms / 1000),
			(suseconds_t)(bounds->cpu_ms % 1000 * 1000) },
	};
	sigset_t profiling;

	sigemptyset(&profiling);
	sigaddset(&profiling, SIGPROF);
	signal(SIGXFSZ, SIG_IGN); /* writing fails instead */
	if (signal(SIGPROF, SIG_DFL) == SIG_ERR || sigprocmask(SIG_UNBLOCK, &profiling, NULL) ||
		limit(RLIMIT_CORE, 0) || limit(RLIMIT_FSIZE, bounds->file_bytes) ||
		limit(RLIMIT_DATA, data_bytes() + bounds->memory_bytes))
		return -1;
	return setitimer(ITIMER_PROF, &timer, NULL);
}

const char *foreign_bounds_met(
	const struct foreign_bounds *bounds, int status, const char *log, char text[80])
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
		snprintf(text, 80, "it takes more than %" PRIu64 ".%" PRIu64 " s of a CPU",
			bounds->cpu_ms / 1000, bounds->cpu_ms % 1000 / 100);
		return text;
	}
	if (strstr(log, "to allocate ")) { /* GLib has "failed", a sanitizer "trying" */
		snprintf(text, 80, "it takes more than %" PRIu64 " MiB of memory",
			bounds->memory_bytes >> 20);
		return text;
	}
	return NULL;
}
