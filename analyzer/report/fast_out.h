/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines by the million: printf takes longer to read its format than a trace's reader takes for an
 * event. These put texts and numbers one behind the other and return where the next one goes, so
 * that this stays in a register:
 *
 *	char *to = fast_begin(out);
 *
 *	to = fast_text(to, "len ");
 *	to = fast_number(to, len, 0);
 *	fast_end(out, to);
 *
 * From begin to end there is room for FAST_LINE_BYTES: that is for all literals, numbers in their
 * columns and words of FAST_PIECE_BYTES in between. Loops call fast_next. A longer word makes room
 * for another line, so `out` is passed with words. The buffer goes to a stream when it is full;
 * write errors are the stream's (ferror).
 */
#ifndef ANALYZER_REPORT_FAST_OUT_H
#define ANALYZER_REPORT_FAST_OUT_H

#include "cycles.h"
#include "names.h"
#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FAST_OUT_BYTES  65536
#define FAST_LINE_BYTES 4096 /* a line, but for what is longer than a piece: 128 pieces */
#define FAST_PIECE_BYTES \
	32 /* are written of a short piece, whatever its length; behind the end, too */

struct fast_out {
	FILE *out;
	size_t used; /* FAST_OUT_BYTES at most when a line begins */
	char text[FAST_OUT_BYTES + FAST_LINE_BYTES + FAST_PIECE_BYTES];
};

/* A text of known length, of which FAST_PIECE_BYTES can be read in any case. */
struct fast_word {
	const char *text;
	size_t bytes;
};

/* The word of a literal of less than that, for tables outside of functions. */
#define FAST_WORD(literal)                                                     \
	{                                                                      \
		(const char[FAST_PIECE_BYTES]){ literal }, sizeof(literal) - 1 \
	}

/* What is in the buffer goes to the stream. */
void fast_flush(struct fast_out *out);

static inline char *fast_begin(struct fast_out *out)
{
	if (out->used > FAST_OUT_BYTES)
		fast_flush(out);
	return out->text + out->used;
}

static inline void fast_end(struct fast_out *out, const char *to)
{
	assert(to <= out->text + FAST_OUT_BYTES + FAST_LINE_BYTES);
	out->used = (size_t)(to - out->text);
}

/* Where one line ends and the next begins. */
static inline char *fast_next(struct fast_out *out, char *to)
{
	fast_end(out, to);
	return fast_begin(out);
}

/* Of a text that is written here as it is, the compiler knows the length. */
static inline __attribute__((always_inline)) char *fast_text(char *to, const char *literal)
{
	size_t bytes = strlen(literal);

	memcpy(to, literal, bytes);
	return to + bytes;
}

/* fast_bytes of any number. */
char *fast_long(struct fast_out *out, char *to, const char *text, size_t bytes);

static inline char *fast_bytes(struct fast_out *out, char *to, const char *text, size_t bytes)
{
	if (bytes > FAST_PIECE_BYTES)
		return fast_long(out, to, text, bytes);
	memcpy(to, text, bytes);
	return to + bytes;
}

static inline char *fast_string(struct fast_out *out, char *to, const char *text)
{
	return fast_bytes(out, to, text, strlen(text));
}

static inline char *fast_word(struct fast_out *out, char *to, const struct fast_word *word)
{
	if (word->bytes > FAST_PIECE_BYTES)
		return fast_long(out, to, word->text, word->bytes);
	memcpy(to, word->text, FAST_PIECE_BYTES);
	return to + word->bytes;
}

/* A word in at least `width` columns, blanks before it or, where that is negative, behind it. */
char *fast_column(struct fast_out *out, char *to, const struct fast_word *word, int width);

/* "00", "01", … "99" */
extern const char fast_pairs[];

/* fast_number and fast_fixed of any number and width. */
char *fast_any_number(char *to, uint64_t number, unsigned width);
char *fast_any_fixed(char *to, uint64_t number, bool negative, unsigned digits, unsigned width);

/* In decimal, at least `width` columns, filled with blanks. */
static inline char *fast_number(char *to, uint64_t number, unsigned width)
{
	if (number >= 100 || width)
		return fast_any_number(to, number, width);
	if (number < 10) {
		*to = (char)('0' + number);
		return to + 1;
	}
	memcpy(to, fast_pairs + 2 * number, 2);
	return to + 2;
}

/* In hexadecimal, without 0x. */
char *fast_hex(char *to, uint64_t number);

#define FAST_EIGHT_DIGITS UINT64_C(100000000)          /* so many numbers have eight or fewer */
#define FAST_AS_TEXT      UINT64_C(0x3030303030303030) /* added to eight digits */

/* Eight characters, of which the first is the lowest byte. */
static inline void fast_put_eight(char *to, uint64_t text)
{
	text = htole64(text);
	memcpy(to, &text, sizeof(text));
}

/*
 * Eight digits at once: the first is in the lowest byte. A number of less than 10^8 is cut into two
 * of four digits, these into two of two, and so on, all halves of a step in one multiplication.
 */
static inline uint64_t fast_eight_digits(uint64_t number)
{
	uint64_t fours = number / 10000 | number % 10000 << 32;
	uint64_t tens = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f); /* 10486 / 2^20: 1 / 100 */
	uint64_t twos = tens | (fours - 100 * tens) << 16;

	tens = (twos * 103 >> 10) & UINT64_C(0xf000f000f000f); /* 103 / 2^10: 1 / 10 */
	return tens | (twos - 10 * tens) << 8;
}

/*
 * number / 10^digits: 1234 with 3 digits is 1.234. At least `width` columns in all, the sign
 * included. Most times are milliseconds with one digit before the point and six behind it.
 */
static inline char *fast_fixed(
	char *to, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	unsigned least = negative ? 9 : 8;
	uint32_t first = (uint32_t)number / 10000, last = (uint32_t)number % 10000;

	if (digits != 6 || number >= 10000000 || width > FAST_PIECE_BYTES)
		return fast_any_fixed(to, number, negative, digits, width);
	memset(to, ' ', FAST_PIECE_BYTES);
	to += width < least ? least : width;
	if (negative)
		to[-9] = '-';
	to[-8] = (char)('0' + first / 100);
	to[-7] = '.';
	memcpy(to - 6, fast_pairs + (size_t)2 * (first % 100), 2);
	memcpy(to - 4, fast_pairs + (size_t)2 * (last / 100), 2);
	memcpy(to - 2, fast_pairs + (size_t)2 * (last % 100), 2);
	return to;
}

/* A whole second, as text: most times are in the same one as the time before. All zero is none. */
struct fast_second {
	uint64_t begin; /* nanoseconds */
	char text[FAST_PIECE_BYTES];
	unsigned bytes; /* of the digits and the point; 0: there is none */
};

/* fast_seconds of another second, or of any width. */
char *fast_new_second(struct fast_second *second, char *to, uint64_t ns, unsigned width);

/* Seconds to a nanosecond, as fast_fixed with 9 digits has them. */
static inline char *fast_seconds(struct fast_second *second, char *to, uint64_t ns, unsigned width)
{
	uint64_t behind = ns - second->begin;

	if (!second->bytes || behind >= CYCLES_NS_PER_S || width > FAST_PIECE_BYTES)
		return fast_new_second(second, to, ns, width);
	memset(to, ' ', FAST_PIECE_BYTES);
	if (second->bytes + 9 < width)
		to += width - (second->bytes + 9);
	memcpy(to, second->text, FAST_PIECE_BYTES);
	to += second->bytes;
	*to = (char)('0' + behind / FAST_EIGHT_DIGITS);
	fast_put_eight(to + 1, fast_eight_digits(behind % FAST_EIGHT_DIGITS) + FAST_AS_TEXT);
	return to + 9;
}

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
