/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's events that can be recorded, in groups: one for each question that ringstat answers.
 */
#ifndef ANALYZER_RECORD_GROUPS_H
#define ANALYZER_RECORD_GROUPS_H

#include <stddef.h>

enum record_group {
	RECORD_TX = 1,      /* report: what devices own, for how long */
	RECORD_RX = 2,      /* timeline: interrupts, softirqs, polls, who receives */
	RECORD_NAPI = 4,    /* napi: polls, budgets, squeezes */
	RECORD_SOCK = 8,    /* sock: calls and bytes of processes */
	RECORD_RXCOST = 16, /* rxcost: what a received packet costs */
	RECORD_ALL = 31,
};

struct record_event {
	const char *system, *name;
	unsigned groups;    /* enum record_group: bits */
	const char *filter; /* in the kernel's words; NULL: none */
};

/* Ended by a row whose system is NULL. */
extern const struct record_event record_events[];

/* The bits of a group's name, or 0. */
unsigned record_group_find(const char *name);

/* "tx, rx, ...": all names. */
extern const char record_group_names[];

#endif
