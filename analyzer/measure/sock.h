/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The socket measure: what each process sends and receives by TCP and UDP, over IPv4 and IPv6, from
 * the events sock_send_length and sock_recv_length, which carry a call's return value. Where the
 * trace tells cgroups, a process that moves to another one begins anew there.
 *
 * A failed call counts an error and no bytes. A receive with MSG_PEEK takes nothing out of the
 * socket: it is counted as a peek, not as a receive, and its bytes are not counted, as they come
 * again. Other protocols are ignored, and counted as such.
 *
 * O(1) an event. Memory is bounded by the number of processes (in a cgroup), each of which is a
 * line of the report, and SOCK_ERRNOS error numbers for each.
 */
#ifndef ANALYZER_MEASURE_SOCK_H
#define ANALYZER_MEASURE_SOCK_H

#include "event.h"
#include "names.h"
#include <stdint.h>

/* Kinds of errors that are told apart for a process: more than any real one has. */
#define SOCK_ERRNOS 32

struct sock_error {
	uint32_t number; /* errno, positive */
	uint64_t calls;
};

struct sock_traffic {
	uint64_t sends, sent_bytes;
	uint64_t receives, received_bytes;
	uint64_t peeks;
	uint64_t errors;          /* failed calls of both kinds */
	struct sock_error *kinds; /* commonest first; NULL if there are none */
	unsigned kind_count;
	uint64_t other_errors; /* of more than SOCK_ERRNOS kinds */
};

enum sock_protocol { SOCK_TCP, SOCK_UDP, SOCK_PROTOCOLS };

struct sock_process {
	char *comm;         /* the last one of this process; "" if it isn't known */
	int64_t pid;        /* -1: not known */
	const char *cgroup; /* its path; NULL: not known */
	struct sock_traffic traffic[SOCK_PROTOCOLS];
};

struct sock_report {
	/* each in each cgroup that it was in; most bytes first, then by comm, pid and cgroup */
	const struct sock_process *processes;
	size_t process_count;
	struct sock_traffic total[SOCK_PROTOCOLS]; /* without kinds of errors */
	uint64_t ignored;                          /* of other protocols and families */
	uint64_t used;
};

struct sock;

/* `names` may grow while events come. 0 or -ENOMEM. */
int sock_create(struct sock **sock, const struct names *names);

/* 0 or -ENOMEM. */
int sock_event(struct sock *sock, const struct event *event);

/* Ends the measurement. The report lives until sock_destroy. */
void sock_finish(struct sock *sock, const struct sock_report **report);

void sock_destroy(struct sock *sock);

#endif
