/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of a text that are no events: comments, blank lines, call frames, heads, and what the
 * tools say of lost events:
 *
 *     CPU:2 [LOST 40 EVENTS]                             ftrace (without number: some)
 *     CPU:2 [40 EVENTS DROPPED]                          trace-cmd report
 *     # entries-in-buffer/entries-written: 6/10   #P:4   ftrace: 4 were overwritten
 *     # latency: 0 us, #111/112, CPU#0 | …               the same in latency-format
 *     ##### CPU 2 buffer started ####                    ftrace, where some were overwritten
 *     LOST 40 events!                                    perf
 *
 * (perf script --show-lost-events prints a line with a head: text_event.h.) Numbers have any
 * length. A loss stays one where its numbers can't be: then it isn't known how many, or of which
 * CPU.
 */
#ifndef ANALYZER_READ_TEXT_NOTES_H
#define ANALYZER_READ_TEXT_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_note_kind {
	TEXT_NOTE_NONE,          /* not a line that is known */
	TEXT_NOTE_NOTHING,       /* known, and of no importance; "LOST 0 EVENTS" too */
	TEXT_NOTE_LOST,          /* before the next event of `cpu` */
	TEXT_NOTE_LOST_AT_BEGIN, /* before the first event */
	TEXT_NOTE_CPU_BEGINS,    /* there was nothing of `cpu` before; count is 0 */
};

struct text_note {
	bool any_cpu; /* the line names no CPU, or none that there can be */
	unsigned cpu;
	uint64_t count; /* at most EVENT_LOST_MOST */
	bool unknown;   /* nobody knows how many: count is what there were at least */
};

/* text[bytes] must be '\n'. *note is filled for the last three kinds. */
enum text_note_kind text_note_parse(const char *text, size_t bytes, struct text_note *note);

#endif
