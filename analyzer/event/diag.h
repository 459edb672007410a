/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diagnostics: libraries don't print. A function that can fail for a reason that the user must
 * know takes a struct diag and leaves one line in it: the file, the place, the reason.
 */
#ifndef ANALYZER_EVENT_DIAG_H
#define ANALYZER_EVENT_DIAG_H

struct diag {
	char text[512];
};

/*
 * Writes the line (without a newline; cut at the size above, control characters of the input
 * replaced by '?') and returns `error`, so that a caller can `return diag_set(...)`. `diag` may be
 * NULL.
 */
int diag_set(struct diag *diag, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
