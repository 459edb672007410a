/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names come from traces, so they may hold anything: bytes that are no UTF-8, or a terminal's
 * escape sequences. What goes out is cleaned here.
 */
#ifndef ANALYZER_REPORT_CLEAN_H
#define ANALYZER_REPORT_CLEAN_H

/* A copy with '?' for each byte that isn't part of valid UTF-8. NULL only if there is no memory. */
char *clean_utf8(const char *text);

/* The same, and '?' for each control character too, but a blank before a task's cgroup. */
char *clean_terminal(const char *text);

/* clean_utf8, escaped as between the quotes of a JSON string. */
char *clean_json(const char *text);

#endif
