/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: events carry small numbers for devices, tasks, drop reasons and interrupt lines; here the
 * numbers get their names. A trace holds each name as NAME records before its first use.
 *
 * Lookup is by hash, so a trace with many tasks costs O(1) a line.
 */
#ifndef ANALYZER_EVENT_NAMES_H
#define ANALYZER_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum name_kind {
	NAME_DEVICE, /* index from 0 to 254: event.device */
	NAME_TASK,   /* "PID COMM", index from 0 to 2^24 - 1 (see NAME_CGROUP_MARK) */
	NAME_REASON, /* index from 1 to 65535; 0 is "consumed" */
	NAME_IRQ,    /* name of an interrupt line's handler, index from 1 to 65535; 0 is unknown */
	NAME_KINDS
};

/*
 * Where it is known which cgroup a task is in, this (which no COMM has) and the cgroup's path
 * follow: a task is another one in another cgroup.
 */
#define NAME_CGROUP_MARK '\x1f'

struct names;

/* Returns NULL only if there is no memory. */
struct names *names_create(void);
void names_destroy(struct names *names);

/*
 * The index of a name, which is entered if it is new. `text` needs no terminator; it may hold any
 * bytes but NUL. Returns the index, -ENOSPC if the kind has no number left, or -ENOMEM.
 */
int names_intern(struct names *names, enum name_kind kind, const char *text, size_t bytes);

/* Enters a name under a given index (a trace's NAME record). 0, -ERANGE or -ENOMEM. */
int names_set(
	struct names *names, enum name_kind kind, uint32_t index, const char *text, size_t bytes);

/* The index of a name that was entered, or -ENOENT. */
int names_find(const struct names *names, enum name_kind kind, const char *text, size_t bytes);

/* The name, or NULL if the index has none. Valid until names_destroy. */
const char *names_get(const struct names *names, enum name_kind kind, uint32_t index);

/* How many names a kind has room for. */
uint32_t names_room(enum name_kind kind);

/* One more than the largest index in use. */
uint32_t names_count(const struct names *names, enum name_kind kind);

#endif
