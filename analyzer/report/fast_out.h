/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines by the million: printf takes longer to read its format than a trace's reader takes for an
 * event. These write numbers and texts into a buffer, which goes to a stream when it is full. Write
 * errors are the stream's (ferror).
 */
#ifndef ANALYZER_REPORT_FAST_OUT_H
#define ANALYZER_REPORT_FAST_OUT_H

#include "names.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FAST_OUT_BYTES 65536
#define FAST_OUT_SLACK \
	32 /* behind it: short pieces are copied as so many bytes, whatever they have */

struct fast_out {
	FILE *out;
	size_t used;
	char text[FAST_OUT_BYTES + FAST_OUT_SLACK];
};

/* What is in the buffer goes to the stream. */
void fast_flush(struct fast_out *out);

/* As fast_bytes, where the buffer has no room for them. */
void fast_overflow(struct fast_out *out, const char *text, size_t bytes);

static inline void fast_bytes(struct fast_out *out, const char *text, size_t bytes)
{
	if (bytes > FAST_OUT_BYTES - out->used) {
		fast_overflow(out, text, bytes);
		return;
	}
	memcpy(out->text + out->used, text, bytes);
	out->used += bytes;
}

/* Of a text that is written here as it is, the compiler knows the length. */
static inline void fast_text(struct fast_out *out, const char *text)
{
	fast_bytes(out, text, strlen(text));
}

/* A text in at least `width` columns, blanks before it or, where that is negative, behind it. */
void fast_column(struct fast_out *out, const char *text, int width);

/* In decimal, at least `width` columns, filled with blanks. */
void fast_number(struct fast_out *out, uint64_t number, unsigned width);

/* In hexadecimal, without 0x. */
void fast_hex(struct fast_out *out, uint64_t number);

/*
 * number / 10^digits: 1234 with 3 digits is 1.234. At least `width` columns in all, the sign
 * included.
 */
void fast_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width);

/* Names as they may go out, each cleaned once. All zero is empty. */
struct clean_names {
	char ***pages[NAME_KINDS]; /* of texts, as in names.c: an index can be any number */
	uint32_t room[NAME_KINDS]; /* pages */
};

enum clean_style {
	CLEAN_TERMINAL,
	CLEAN_JSON, /* without the quotes around it */
};

/*
 * The name with this index, NULL if it has none; without memory it is "?". One style for all calls.
 * Valid until clean_names_clear.
 */
const char *clean_name(struct clean_names *cleaned, const struct names *names, enum name_kind kind,
	uint32_t index, enum clean_style style);

void clean_names_clear(struct clean_names *cleaned);

#endif
