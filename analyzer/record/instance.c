/* SPDX-License-Identifier: BSD-3-Clause */
#include "instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#define NAME_FORMAT "ringstat-%d-%d" /* the process, and a number where that is in use */
#define NAMES_MOST  100

struct instance {
	struct tracefs_instance *tracefs;
	const char *folder; /* libtracefs's */
	unsigned cpus;
	int *fds; /* -1: this CPU has no buffer */
};

/* What a person can do about it. */
static int refuse(int error, const char *folder, struct diag *diag)
{
	if (error == EACCES || error == EPERM)
		return diag_set(diag, -error,
			"%s: no permission to record: run as root (sudo ringstat record ...)",
			folder);
	if (error == ENOENT || error == ENOTDIR)
		return diag_set(diag, -error,
			"%s: no tracefs there: run as root 'mount -t tracefs nodev "
			"/sys/kernel/tracing'",
			folder);
	return diag_set(diag, -error, "%s: no instance of tracing can be made there: %s", folder,
		strerror(error));
}

/* Finds tracefs. 0 or a negative errno with a message. */
static int find_tracefs(const char *given, const char **folder, struct diag *diag)
{
	static const char usual[] = "/sys/kernel/tracing";
	char path[4096];

	tracefs_set_loglevel(TEP_LOG_NONE);
	if (given && tracefs_set_tracing_dir((char *)given))
		return diag_set(diag, -ENOMEM, "no memory");
	*folder = tracefs_tracing_dir();
	if (!*folder)
		return refuse(geteuid() ? EACCES : ENOENT, usual, diag);
	if (snprintf(path, sizeof(path), "%s/instances", *folder) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "%s: name too long", *folder);
	return access(path, F_OK) ? refuse(errno, *folder, diag) : 0;
}

/* Of a recorder that doesn't live any more. What is being read the kernel doesn't remove. */
static int remove_leftover(const char *name, void *context)
{
	const char *folder = context;
	char path[4096], exact[64];
	int pid, number;

	if (sscanf(name, NAME_FORMAT, &pid, &number) != 2 || pid <= 0)
		return 0;
	snprintf(exact, sizeof(exact), NAME_FORMAT, pid, number);
	if (strcmp(exact, name) != 0 || (pid != getpid() && (!kill(pid, 0) || errno != ESRCH)))
		return 0;
	if (snprintf(path, sizeof(path), "%s/instances/%s", folder, name) < (int)sizeof(path))
		rmdir(path);
	return 0;
}

static int open_cpus(struct instance *instance, struct diag *diag)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;

	instance->fds = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*instance->fds));
	if (!instance->fds)
		return diag_set(diag, -ENOMEM, "no memory");
	for (long cpu = 0; cpu < cpus; cpu++) {
		char file[64];
		int fd;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/trace_pipe_raw", cpu);
		fd = tracefs_instance_file_open(
			instance->tracefs, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		instance->fds[instance->cpus++] = fd;
		any = any || fd >= 0;
	}
	return any ? 0 : refuse(errno, instance->folder, diag);
}

/*
 * Of another process namespace a recorder may have the same number. 0 or a negative errno with a
 * message.
 */
static int make(struct instance *instance, struct diag *diag)
{
	char name[64];

	for (int number = 0; number < NAMES_MOST; number++) {
		snprintf(name, sizeof(name), NAME_FORMAT, getpid(), number);
		instance->tracefs = tracefs_instance_create(name);
		if (!instance->tracefs)
			return refuse(errno, instance->folder, diag);
		if (tracefs_instance_is_new(instance->tracefs))
			return 0;
		tracefs_instance_free(instance->tracefs);
		instance->tracefs = NULL;
	}
	return refuse(EEXIST, instance->folder, diag);
}

static int set_up(struct instance *instance, unsigned buffer_kib, struct diag *diag)
{
	if (instance_switch(instance, false, diag))
		return -EIO;
	if (tracefs_instance_file_write(instance->tracefs, "trace_clock", INSTANCE_CLOCK) < 0)
		return diag_set(diag, -ENOTSUP, "this kernel has no trace clock " INSTANCE_CLOCK);
	if (tracefs_instance_set_buffer_size(instance->tracefs, buffer_kib, -1))
		return diag_set(diag, -ENOMEM,
			"the kernel has no memory for buffers of %u KiB a CPU: ask for less with "
			"--buffer-kib",
			buffer_kib);
	return open_cpus(instance, diag);
}

int instance_create(
	struct instance **created, const char *folder, unsigned buffer_kib, struct diag *diag)
{
	struct instance *instance = calloc(1, sizeof(*instance));
	int error;

	*created = NULL;
	if (!instance)
		return diag_set(diag, -ENOMEM, "no memory");
	error = find_tracefs(folder, &instance->folder, diag);
	if (!error) {
		tracefs_instances_walk(remove_leftover, (void *)instance->folder);
		error = make(instance, diag);
	}
	if (!error)
		error = set_up(instance, buffer_kib, diag);
	if (error)
		instance_destroy(instance);
	else
		*created = instance;
	return error;
}

int instance_enable(struct instance *instance, const struct record_event *event, char **format,
	size_t *bytes, struct diag *diag)
{
	int length = 0;

	*format = NULL;
	if (!tracefs_event_file_exists(instance->tracefs, event->system, event->name, "enable"))
		return -ENOENT;
	if (event->filter && tracefs_event_file_write(instance->tracefs, event->system, event->name,
				     "filter", event->filter) < 0)
		return diag_set(diag, -EIO, "%s:%s: the kernel refuses the filter '%s'",
			event->system, event->name, event->filter);
	*format = tracefs_event_file_read(
		instance->tracefs, event->system, event->name, "format", &length);
	if (!*format || tracefs_event_enable(instance->tracefs, event->system, event->name)) {
		free(*format);
		*format = NULL;
		return diag_set(diag, -EIO, "%s:%s: the kernel doesn't enable this event",
			event->system, event->name);
	}
	*bytes = (size_t)length;
	return 0;
}

int instance_switch(struct instance *instance, bool on, struct diag *diag)
{
	int failed =
		on ? tracefs_trace_on(instance->tracefs) : tracefs_trace_off(instance->tracefs);

	return failed ? diag_set(diag, -EIO, "%s: tracing can't be switched %s", instance->folder,
				on ? "on" : "off")
		      : 0;
}

char *instance_text(struct instance *instance, const char *file, size_t *bytes)
{
	int length = 0;
	char *text = tracefs_instance_file_read(instance->tracefs, file, &length);

	*bytes = text ? (size_t)length : 0;
	return text;
}

unsigned instance_cpus(const struct instance *instance)
{
	return instance->cpus;
}

ssize_t instance_read(struct instance *instance, unsigned cpu, void *page, size_t room)
{
	ssize_t bytes;

	if (instance->fds[cpu] < 0)
		return 0;
	bytes = read(instance->fds[cpu], page, room);
	if (bytes >= 0)
		return bytes;
	return errno == EAGAIN || errno == EINTR || errno == ENODEV ? 0 : -errno;
}

/* "overrun: 12", at the beginning of a line; 0 if there is none. */
static uint64_t statistic(const char *text, const char *name)
{
	size_t bytes = strlen(name);

	while (text) {
		if (!strncmp(text, name, bytes) && text[bytes] == ':')
			return strtoull(text + bytes + 1, NULL, 10);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return 0;
}

uint64_t instance_lost(struct instance *instance, unsigned cpu)
{
	char file[64], *text;
	uint64_t lost;
	size_t bytes;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	text = instance_text(instance, file, &bytes);
	if (!text)
		return 0;
	lost = statistic(text, "overrun") + statistic(text, "commit overrun") +
	       statistic(text, "dropped events");
	free(text);
	return lost;
}

void instance_destroy(struct instance *instance)
{
	if (!instance)
		return;
	for (unsigned i = 0; i < instance->cpus; i++) {
		if (instance->fds[i] >= 0)
			close(instance->fds[i]);
	}
	free(instance->fds);
	if (instance->tracefs) {
		tracefs_instance_destroy(instance->tracefs);
		tracefs_instance_free(instance->tracefs);
	}
	free(instance);
}
