/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "name=value" fields of an event's line, in one pass over it. Only what some event needs is kept;
 * the first of two fields with one name counts.
 */
#ifndef ANALYZER_READ_TEXT_FIELDS_H
#define ANALYZER_READ_TEXT_FIELDS_H

#include "kernel_event.h"

/* A part of the line, not terminated. */
struct text_word {
	const char *text;
	size_t bytes;
};

/* Names stand as words, to be looked up when the line is known to be good. */
struct text_fields {
	struct kernel_fields fields;
	struct text_word name, reason; /* empty if the kernel blanked it */
	bool bad;                      /* a field has a value that it can't have */
};

/*
 * Decimal digits without end: of a number that 64 bits can't hold, the largest that they can.
 * Returns what follows, or NULL if there is no digit.
 */
const char *text_parse_count(const char *text, uint64_t *value);

/* "name=value" words, separated by blanks; "reason: VALUE" too. `text` ends with '\n'. */
void text_fields_words(const char *text, struct text_fields *fields);

/* "napi poll on napi struct ADDRESS for device NAME", and on newer kernels "work N budget N". */
void text_fields_napi(const char *text, struct text_fields *fields);

/* "sk address = ADDRESS, family = NAME protocol = NAME, length = N, error = N, flags = 0xN". */
void text_fields_sock(const char *text, struct text_fields *fields);

#endif
