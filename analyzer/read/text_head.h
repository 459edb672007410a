/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of an event's line, in all dialects: who, where, when, and which event.
 *
 *     perf script          sender   812 [001]     2.000009:        skb:consume_skb: skbaddr=0x…
 *     ftrace            sender-812     [002] b....     1.000000: net_dev_start_xmit: dev=eth0 …
 *       with TGID       sender-812     (    812) [000] d.h..    42.308002: softirq_raise: vec=9 …
 *     trace-cmd report  sender-812   [001]    10.000000: consume_skb:          skbaddr=0x…
 *       with -l         sender-812     0d.h..    10.000000: consume_skb:       skbaddr=0x…
 *     latency-format    sender-812     0d.h.. 1385us : consume_skb: skbaddr=…
 *
 * A task can call itself anything: its name may hold blanks, brackets, and even what looks like a
 * head. What decides is that it has at most 15 bytes (linux/sched.h, TASK_COMM_LEN). Every tool
 * prints more than 15 bytes between the begin of a line and its event's fields, so of all places
 * where a head could be, the last one that leaves the task 15 bytes or fewer is the head: an
 * earlier one is inside the task's name, a later one inside the event's text.
 */
#ifndef ANALYZER_READ_TEXT_HEAD_H
#define ANALYZER_READ_TEXT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far from the begin of the task "[cpu]" or time can be, with room for names over 15 bytes. */
#define HEAD_REACH 256

struct text_head {
	uint64_t time; /* ns, or cycles */
	bool cycles;   /* the time has no fraction: a counter that counts something else */
	bool perf;     /* printed by perf script (else ftrace or trace-cmd) */
	unsigned cpu;  /* 0 if the line doesn't say */

	const char *task; /* name as far as it can be told from padding, not terminated */
	size_t task_bytes;
	const char *pid; /* digits of the process id (the thread's where that is all there is) */
	size_t pid_bytes;

	const char *system;  /* "net" of "net:net_dev_xmit", not terminated */
	size_t system_bytes; /* 0 if the line has none */
	const char *name;
	size_t name_bytes;
	const char *fields; /* what follows */
	const char *end;    /* of the line: a '\n' */
};

/*
 * Finds the head of a line. text[bytes] must be '\n', and some bytes behind it readable (input.h).
 * Returns false if the line is no event's.
 */
bool text_head_parse(const char *text, size_t bytes, struct text_head *head);

/*
 * Parses digits, with a fraction of at most 9 or without, and the ':' behind them: "2.000009:" is
 * 2000009000 ns, "31820785552:" a count. Returns what follows, or NULL if it is no time or has
 * more than 64 bits.
 */
const char *text_time_parse(const char *text, uint64_t *time, bool *cycles);

/* A call frame, as perf script and ftrace's stack traces print them. */
bool text_is_frame(const char *text);

#endif
