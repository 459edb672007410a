/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tracing instance of the kernel that is ours alone: its own buffers, events and clock, so that
 * whoever else traces isn't disturbed (Documentation/trace/ftrace.rst, Instances). Its name is
 * ringstat-PID-NUMBER. Instances of recorders that were killed are removed when the next one is
 * made; the kernel itself sees to it that none is removed which is being read.
 *
 * Messages are one line, with the remedy where there is one.
 */
#ifndef ANALYZER_RECORD_INSTANCE_H
#define ANALYZER_RECORD_INSTANCE_H

#include "diag.h"
#include "groups.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * ktime's: the same for all CPUs, in nanoseconds, as CLOCK_MONOTONIC. `local`, the kernel's
 * default, is each CPU's own. `x86-tsc` is no finer: measured on an AMD EPYC of 2.6 GHz it goes by
 * steps of 26 cycles, mono by the same 10 ns, and an event takes as long to write with either.
 */
#define INSTANCE_CLOCK "mono"

struct instance;

/*
 * Makes the instance, with its tracing off. `folder` is where tracefs is mounted (NULL: where
 * libtracefs finds it); buffer_kib is of each CPU. 0 or a negative errno with a message.
 */
int instance_create(
	struct instance **instance, const char *folder, unsigned buffer_kib, struct diag *diag);

/*
 * Enables an event; *format is the text of its layout (to be freed), *bytes its length. 0; -ENOENT
 * without a message if this kernel doesn't have it; or a negative errno with one.
 */
int instance_enable(struct instance *instance, const struct record_event *event, char **format,
	size_t *bytes, struct diag *diag);

/* Tracing on, or off. 0 or a negative errno with a message. */
int instance_switch(struct instance *instance, bool on, struct diag *diag);

/* A file of the instance, to be freed; NULL if it can't be read. */
char *instance_text(struct instance *instance, const char *file, size_t *bytes);

/* CPUs, also those that are missing or off line. */
unsigned instance_cpus(const struct instance *instance);

/*
 * A page of a CPU's buffer that hasn't been read yet, full or not. Returns its bytes, at most
 * `room`; 0 if there is nothing; or a negative errno.
 */
ssize_t instance_read(struct instance *instance, unsigned cpu, void *page, size_t room);

/* Events of a CPU that were overwritten before they were read, or found no room. */
uint64_t instance_lost(struct instance *instance, unsigned cpu);

/* Removes the instance. */
void instance_destroy(struct instance *instance);

#endif
