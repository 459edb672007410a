/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that ringstat record runs: it is there before the recording, and begins in it. */
#ifndef ANALYZER_RINGSTAT_COMMAND_H
#define ANALYZER_RINGSTAT_COMMAND_H

#include "diag.h"
#include <stdbool.h>
#include <sys/types.h>

struct ringstat_child {
	const char *name;
	pid_t pid;  /* 0: there is no command, or it hasn't begun */
	int go;     /* a pipe to it until it begins; -1: it has */
	int failed; /* a pipe from it, which tells why it couldn't; -1: it has begun */
	bool ended;
	int status; /* then: as waitpid has it */
	int signal; /* that it is to end by; 0: none */
};

/* Makes the process, which waits. `count` 0: there is none. 0 or a negative errno with a message.
 */
int ringstat_child_prepare(
	struct ringstat_child *child, char **words, int count, struct diag *diag);

/* The command begins. 0, or a negative errno with a message if it can't. */
int ringstat_child_go(struct ringstat_child *child, struct diag *diag);

/* It has ended. */
bool ringstat_child_ended(struct ringstat_child *child);

/* It is to end by this signal, which it gets from here, unless it has it already. */
void ringstat_child_signal(struct ringstat_child *child, int number, bool has_it);

/* Says on standard error how it ended, if that wasn't with 0; one that never began is ended. */
void ringstat_child_end(struct ringstat_child *child);

#endif
