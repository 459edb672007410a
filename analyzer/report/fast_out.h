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
#define FAST_OUT_SLACK 64 /* behind it, and behind a piece: up to there anything may be written */

struct fast_out {
	FILE *out;
	size_t used; /* at most FAST_OUT_BYTES + FAST_OUT_SLACK */
	char text[FAST_OUT_BYTES + 2 * FAST_OUT_SLACK];
};

#define FAST_WORD_BYTES 32

/* A text of known length, of which FAST_WORD_BYTES can be read in any case. */
struct fast_word {
	const char *text;
	size_t bytes;
};

/* The word of a literal of less than that, for tables outside of functions. */
#define FAST_WORD(literal)                                                    \
	{                                                                     \
		(const char[FAST_WORD_BYTES]){ literal }, sizeof(literal) - 1 \
	}

/* What is in the buffer goes to the stream. */
void fast_flush(struct fast_out *out);

/* Where the next piece goes: there is room for FAST_OUT_SLACK bytes. */
static inline char *fast_room(struct fast_out *out)
{
	if (out->used > FAST_OUT_BYTES)
		fast_flush(out);
	return out->text + out->used;
}

/* As fast_bytes, of more bytes than a piece has. */
void fast_long(struct fast_out *out, const char *text, size_t bytes);

static inline void fast_bytes(struct fast_out *out, const char *text, size_t bytes)
{
	if (bytes > FAST_OUT_SLACK) {
		fast_long(out, text, bytes);
		return;
	}
	memcpy(fast_room(out), text, bytes);
	out->used += bytes;
}

/* Of a text that is written here as it is, the compiler knows the length. */
static inline void fast_text(struct fast_out *out, const char *text)
{
	fast_bytes(out, text, strlen(text));
}

static inline void fast_word(struct fast_out *out, const struct fast_word *word)
{
	if (word->bytes > FAST_WORD_BYTES) {
		fast_bytes(out, word->text, word->bytes);
		return;
	}
	memcpy(fast_room(out), word->text, FAST_WORD_BYTES);
	out->used += word->bytes;
}

/* A word in at least `width` columns, blanks before it or, where that is negative, behind it. */
void fast_column(struct fast_out *out, const struct fast_word *word, int width);

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
	struct fast_word **pages[NAME_KINDS]; /* as in names.c: an index can be any number */
	uint32_t room[NAME_KINDS];            /* pages */
};

enum clean_style {
	CLEAN_TERMINAL,
	CLEAN_JSON, /* without the quotes around it */
};

#define CLEAN_PAGE_NAMES 64 /* are allocated together */

/* clean_name, of one that wasn't asked for before. */
const struct fast_word *clean_new_name(struct clean_names *cleaned, const struct names *names,
	enum name_kind kind, uint32_t index, enum clean_style style);

/*
 * The name with this index, NULL if it has none; without memory it is "?". One style for all calls.
 * Its text ends with a NUL, too. Valid until clean_names_clear.
 */
static inline const struct fast_word *clean_name(struct clean_names *cleaned,
	const struct names *names, enum name_kind kind, uint32_t index, enum clean_style style)
{
	uint32_t page = index / CLEAN_PAGE_NAMES;

	if (page < cleaned->room[kind] && cleaned->pages[kind][page]) {
		const struct fast_word *word =
			&cleaned->pages[kind][page][index % CLEAN_PAGE_NAMES];

		if (word->text)
			return word;
	}
	return clean_new_name(cleaned, names, kind, index, style);
}

void clean_names_clear(struct clean_names *cleaned);

#endif
