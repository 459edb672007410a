/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ringstat: what was asked for, and the subcommands. Only this program's files print or exit.
 */
#ifndef ANALYZER_RINGSTAT_H
#define ANALYZER_RINGSTAT_H

#include "diag.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct capture;

enum ringstat_status {
	STATUS_COMPLETE = 0,
	STATUS_USAGE = 1,
	STATUS_REFUSED = 2, /* nothing on standard output */
	STATUS_PARTIAL = 3, /* events were lost or the input is cut; the result says so */
	STATUS_HELP = -1,   /* of ringstat_options: --help was given */
};

struct ringstat_options {
	bool json;
	bool compat;            /* the classic layout */
	bool receive, transmit; /* the words rx and tx; both where neither was given */
	const char *device;     /* NULL: all */
	const char *convert_to; /* a format's name */
	const char *output;     /* file or folder; NULL or "-": standard output */
	bool from_given, to_given, stall_given;
	uint64_t from_ns, to_ns; /* as the trace prints its times */
	uint64_t expire_ns;      /* 0: never */
	uint64_t stall_ns;       /* 0: none */
	uint64_t hz;             /* of a clock that the trace doesn't calibrate; 0: not given */
	uint32_t capacity;       /* 0: not known */
	bool costs;              /* FILE may be a plain list of receive costs */
	uint32_t newest;         /* receive costs to print; 0: not given */
	uint32_t budget;         /* of a NET_RX softirq, packets; 0: the default */
	uint32_t budget_usecs;   /* and time */
	unsigned groups;         /* of events to record: enum record_group */
	const char *tracefs;     /* where it is mounted; NULL: it is found */
	uint32_t buffer_kib;     /* of each CPU */
	uint64_t duration_ns;    /* of a recording; 0: not limited */
	bool follow;             /* show what is in the devices while recording */
	char **files;
	int file_count;
};

struct ringstat_command {
	const char *name;
	const char *does;     /* a line for the overview */
	int files;            /* how many FILEs it takes; 0: any number but none */
	const char *takes;    /* what --help says of that; NULL: FILE... */
	const char *options;  /* letters of the options it takes: see ringstat_options.c */
	const char *explains; /* paragraphs for --help, and EXAMPLES */
	bool directions;      /* it takes the words tx and rx before the files */
	bool prints_last; /* it prints when all input has been read, so that can go out at once */
	bool records;     /* what follows the options is a command to run, not FILEs */
	/*
	 * Reads all files and writes the result. Returns a status; for STATUS_REFUSED, and for
	 * STATUS_USAGE where options don't go together, diag tells why, and what has been
	 * written must not be seen.
	 */
	int (*run)(const struct ringstat_options *options, FILE *out, struct diag *diag);
};

/*
 * Parses what follows the subcommand (argv[0] is its name). Returns STATUS_COMPLETE, STATUS_USAGE
 * with a message in diag, or STATUS_HELP.
 */
int ringstat_options(int argc, char **argv, const struct ringstat_command *command,
	struct ringstat_options *options, struct diag *diag);

/* Prints the options that a subcommand takes, a line each. */
void ringstat_print_options(const struct ringstat_command *command, FILE *out);

int ringstat_report(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_napi(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_diff(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_rxcost(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_sock(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_record(const struct ringstat_options *options, FILE *out, struct diag *diag);
/* The capture's report. As ringstat_command.run, of one open capture, which it closes. */
int ringstat_capture(struct capture *capture, const struct ringstat_options *options, FILE *out,
	struct diag *diag);
int ringstat_dump(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_convert(const struct ringstat_options *options, FILE *out, struct diag *diag);
int ringstat_timeline(const struct ringstat_options *options, FILE *out, struct diag *diag);

#endif
