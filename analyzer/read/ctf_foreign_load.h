/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a foreign CTF trace is loaded: in a process of its own (ctf_foreign.c says why), which sends
 * what it finds through a pipe, as the records below.
 */
#ifndef ANALYZER_READ_CTF_FOREIGN_LOAD_H
#define ANALYZER_READ_CTF_FOREIGN_LOAD_H

#include "ctf_foreign_cut.h"
#include "ctf_foreign_event.h"
#include "reader_impl.h"
#include <stdio.h>

#define FOREIGN_SOURCES_MOST 256 /* traces below one folder: LTTng makes one for each user */
#define FOREIGN_MENDED_MOST  16  /* temporary folders for those that must be put right */

enum foreign_record_type {
	FOREIGN_EVENT, /* `event`, of CPU `number` */
	FOREIGN_NAME, /* of kind `number`; event.len is its index, event.arg bytes of text follow */
	FOREIGN_END,  /* a struct foreign_result follows, and then nothing */
};

struct foreign_record {
	uint32_t type;
	uint32_t number;
	struct event event;
};

struct foreign_result {
	int error; /* with a message in diag */
	struct diag diag;
	struct trace_counts counts;
	uint64_t hz;
	char clock[64]; /* "" if it has no name */
};

/* One of the streams. */
struct foreign_lane {
	bt_message_iterator *messages;
	int64_t ahead; /* cycles that its clock's zero is behind that of the trace's */
	unsigned cpu;
	uint64_t last; /* time of its last event */
};

struct foreign_loader {
	struct reader reader; /* of this process: for what the readers share */
	const struct reader_options *options;
	struct diag *diag;
	int error; /* of ours; its message is in diag */
	char clock[64];
	FILE *out;

	struct kernel_names names;
	uint32_t names_sent[NAME_KINDS];
	struct foreign_events events;

	const bt_plugin *plugin;
	bt_graph *graph;
	const bt_component_source *sources[FOREIGN_SOURCES_MOST];
	char *folders[FOREIGN_SOURCES_MOST]; /* the sources' */
	unsigned source_count, folder_count, mended_count;
	struct foreign_mended *mended; /* FOREIGN_MENDED_MOST: both processes see them */

	bool clock_known; /* the first one's */
	int64_t offset_s;
	uint64_t offset_cycles;
	struct foreign_lane *lanes;
	uint64_t lane_count, lane; /* lane: the one that is being read */
};

/* Notes an error of ours, with the trace's name before its message. Returns it. */
int foreign_fail(struct foreign_loader *loader, int error, const char *what);

/* Takes a message of a stream and sends what it says. 0, or loader->error. */
int foreign_take(
	struct foreign_loader *loader, struct foreign_lane *lane, const bt_message *message);

/*
 * Loads the traces in a folder or below it. 0, or a negative errno with a message in loader->diag.
 * Standard error must be a file, of which the begin is read. What it allocates ends with the
 * process.
 */
int foreign_load(struct foreign_loader *loader, const char *folder);

#endif
