/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "clean.h"
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_WIDTH 16 /* columns that are filled at once */

static const char blanks[FAST_OUT_SLACK + 1] =
	"                                                                ";

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
			    "31323334353637383940414243444546474849505152535455565758596061"
			    "62636465666768697071727374757677787980818283848586878889909192"
			    "93949596979899";

void fast_flush(struct fast_out *out)
{
	fwrite(out->text, 1, out->used, out->out);
	out->used = 0;
}

void fast_long(struct fast_out *out, const char *text, size_t bytes)
{
	if (out->used + bytes > FAST_OUT_BYTES)
		fast_flush(out);
	if (bytes > FAST_OUT_BYTES) {
		fwrite(text, 1, bytes, out->out);
		return;
	}
	memcpy(out->text + out->used, text, bytes);
	out->used += bytes;
}

static void fill(struct fast_out *out, size_t columns)
{
	while (columns) {
		size_t some = columns < FAST_OUT_SLACK ? columns : FAST_OUT_SLACK;

		memcpy(fast_room(out), blanks, FAST_OUT_SLACK);
		out->used += some;
		columns -= some;
	}
}

void fast_column(struct fast_out *out, const struct fast_word *word, int width)
{
	size_t columns = (size_t)(width < 0 ? -width : width);
	size_t rest = word->bytes < columns ? columns - word->bytes : 0;

	if (width > 0)
		fill(out, rest);
	fast_word(out, word);
	if (width < 0)
		fill(out, rest);
}

/*
 * Eight digits at once: the first is in the lowest byte. A number of less than 10^8 is cut into two
 * of four digits, these into two of two, and so on, all halves of a step in one multiplication.
 */
static uint64_t eight_digits(uint64_t number)
{
	uint64_t fours = number / 10000 | number % 10000 << 32;
	uint64_t tens = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f); /* 10486 / 2^20: 1 / 100 */
	uint64_t twos = tens | (fours - 100 * tens) << 16;

	tens = (twos * 103 >> 10) & UINT64_C(0xf000f000f000f); /* 103 / 2^10: 1 / 10 */
	return tens | (twos - 10 * tens) << 8;
}

#define EIGHT_DIGITS UINT64_C(100000000)          /* so many numbers have eight digits or fewer */
#define AS_TEXT      UINT64_C(0x3030303030303030) /* added to digits */

/* The first byte in memory is the lowest. */
static void put_eight(char *to, uint64_t text)
{
	text = htole64(text);
	memcpy(to, &text, sizeof(text));
}

/* How many digits a number has, at least 1. */
static unsigned count_digits(uint64_t number)
{
	static const uint64_t powers[] = { 0, UINT64_C(10), UINT64_C(100), UINT64_C(1000),
		UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000),
		UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000),
		UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000),
		UINT64_C(100000000000000), UINT64_C(1000000000000000), UINT64_C(10000000000000000),
		UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
		UINT64_C(10000000000000000000) };
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
	unsigned less = bits * 1233 >> 12; /* log10(2) is 1233 / 4096, or a little less */

	return less + (number >= powers[less]);
}

/* The last digits of a number, so many, ending at `end`. Returns the number without them. */
static uint64_t put_digits(char *end, uint64_t number, unsigned digits)
{
	for (; digits >= 8; digits -= 8, number /= EIGHT_DIGITS) {
		end -= 8;
		put_eight(end, eight_digits(number % EIGHT_DIGITS) + AS_TEXT);
	}
	for (; digits > 1; digits -= 2, number /= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (number % 100), 2);
	}
	if (digits) {
		*--end = (char)('0' + number % 10);
		number /= 10;
	}
	return number;
}

/*
 * Room for so many characters (32 at most), filled up to the width with blanks before. Returns
 * their end: digits are written in place, since a copy of what was just written byte by byte would
 * have to wait for it.
 */
static char *take(struct fast_out *out, unsigned characters, unsigned width)
{
	char *room;

	if (characters < width)
		fill(out, width - characters);
	room = fast_room(out);
	out->used += characters;
	return room + characters;
}

/*
 * The same of a text of eight at most, behind a sign, in a width of SHORT_WIDTH at most. Where the
 * next piece goes mustn't wait for the digits: so the width is branched upon, which is foreseen,
 * and not computed.
 */
static inline void put_short(
	struct fast_out *out, uint64_t text, unsigned characters, bool negative, unsigned width)
{
	unsigned with_sign = characters + negative;
	char *room = fast_room(out);

	if (__builtin_expect(with_sign < width, 1)) {
		memcpy(room, blanks, SHORT_WIDTH);
		out->used += width;
		room += width - with_sign;
	} else {
		out->used += with_sign;
	}
	*room = '-'; /* of a positive number the text goes over it */
	put_eight(room + negative, text);
}

/* Of eight digits, those from the first on that isn't 0; 1 if all are. */
static unsigned count_eight(uint64_t digits)
{
	return digits ? 8 - (unsigned)__builtin_ctzll(digits) / 8 : 1;
}

static __attribute__((noinline)) void put_number(
	struct fast_out *out, uint64_t number, unsigned width)
{
	unsigned count = count_digits(number);

	put_digits(take(out, count, width), number, count);
}

void fast_number(struct fast_out *out, uint64_t number, unsigned width)
{
	unsigned count;
	uint64_t digits;

	if (number >= EIGHT_DIGITS || width > SHORT_WIDTH) {
		put_number(out, number, width);
	} else if (number < 10) {
		put_short(out, number + '0', 1, false, width);
	} else {
		digits = eight_digits(number);
		count = count_eight(digits);
		put_short(out, (digits + AS_TEXT) >> 8 * (8 - count), count, false, width);
	}
}

/* Eight hexadecimal digits, as eight_digits has them: each half apart, and half of that, and so on.
 */
static uint64_t eight_hex(uint64_t number)
{
	uint64_t letters;

	number = (number << 16 | number) & UINT64_C(0x0000ffff0000ffff);
	number = (number << 8 | number) & UINT64_C(0x00ff00ff00ff00ff);
	number = (number << 4 | number) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (number + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	return __builtin_bswap64(number + AS_TEXT + letters * ('a' - '0' - 10));
}

void fast_hex(struct fast_out *out, uint64_t number)
{
	unsigned count = (67 - (unsigned)__builtin_clzll(number | 1)) / 4;
	unsigned high = count > 8 ? count - 8 : 0;
	char *room = fast_room(out);

	if (high)
		put_eight(room, eight_hex(number >> 32) >> 8 * (8 - high));
	put_eight(room + high, eight_hex(number & UINT32_MAX) >> 8 * (8 - (count - high)));
	out->used += count;
}

/* The point, with the digits before it but zeros that aren't needed, and those behind it. */
static inline void put_short_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	uint64_t text = eight_digits(number), behind = UINT64_MAX << 8 * (8 - digits);
	unsigned count = count_eight(text), before = count > digits ? count - digits : 1;

	text += AS_TEXT;
	text = (text & behind) | (text >> 8 & (behind >> 8 ^ UINT64_MAX >> 8)) |
	       (uint64_t)'.' << 8 * (7 - digits);
	put_short(out, text >> 8 * (7 - digits - before), before + 1 + digits, negative, width);
}

/* Seconds of 7 digits at most, to a nanosecond: as 8 digits, of which one is behind the point,
 * and 8. */
static __attribute__((noinline)) void put_seconds(
	struct fast_out *out, uint64_t number, unsigned width)
{
	uint64_t first = eight_digits(number / EIGHT_DIGITS);
	uint64_t text = first + AS_TEXT;
	unsigned count = count_eight(first), before = count > 1 ? count - 1 : 1;
	unsigned all = before + 10 > width ? before + 10 : width;
	char *to = fast_room(out);

	memcpy(to, blanks, SHORT_WIDTH);
	to += all - (before + 10);
	put_eight(to, text >> 8 * (7 - before));
	to[before] = '.';
	to[before + 1] = (char)(text >> 56);
	put_eight(to + before + 2, eight_digits(number % EIGHT_DIGITS) + AS_TEXT);
	out->used += all;
}

/* Of any size. */
static __attribute__((noinline)) void put_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	unsigned all = count_digits(number), whole = all > digits ? all - digits : 1;
	char *end = take(out, negative + whole + (digits > 0) + digits, width);

	number = put_digits(end, number, digits);
	end -= digits;
	if (digits)
		*--end = '.';
	put_digits(end, number, whole);
	if (negative)
		end[-(ptrdiff_t)whole - 1] = '-';
}

void fast_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	if (digits == 6 && number < EIGHT_DIGITS / 10 && width <= SHORT_WIDTH)
		put_short_fixed(out, number, negative, 6, width);
	else if (digits == 3 && number < EIGHT_DIGITS / 10 && width <= SHORT_WIDTH)
		put_short_fixed(out, number, negative, 3, width);
	else if (digits == 9 && number < EIGHT_DIGITS * EIGHT_DIGITS && !negative &&
		 width <= SHORT_WIDTH)
		put_seconds(out, number, width);
	else
		put_fixed(out, number, negative, digits, width);
}

/* The place of the index, or NULL without memory. */
static struct fast_word *make_place(
	struct clean_names *cleaned, enum name_kind kind, uint32_t index)
{
	uint32_t page = index / CLEAN_PAGE_NAMES,
		 room = cleaned->room[kind] ? cleaned->room[kind] : 1;
	struct fast_word **pages;

	while (room <= page)
		room *= 2;
	if (room != cleaned->room[kind]) {
		pages = realloc(cleaned->pages[kind], room * sizeof(*pages));
		if (!pages)
			return NULL;
		memset(pages + cleaned->room[kind], 0,
			(room - cleaned->room[kind]) * sizeof(*pages));
		cleaned->pages[kind] = pages;
		cleaned->room[kind] = room;
	}
	pages = &cleaned->pages[kind][page];
	if (!*pages)
		*pages = calloc(CLEAN_PAGE_NAMES, sizeof(**pages));
	return *pages ? *pages + index % CLEAN_PAGE_NAMES : NULL;
}

/* A copy that can be read for the length of a short word. NULL without memory, or of NULL. */
static char *pad(char *text, size_t *bytes)
{
	char *padded = NULL;

	if (text) {
		*bytes = strlen(text);
		padded = calloc(1, *bytes < FAST_WORD_BYTES ? FAST_WORD_BYTES : *bytes + 1);
		if (padded)
			memcpy(padded, text, *bytes);
	}
	free(text);
	return padded;
}

static const struct fast_word question_mark = FAST_WORD("?");

const struct fast_word *clean_new_name(struct clean_names *cleaned, const struct names *names,
	enum name_kind kind, uint32_t index, enum clean_style style)
{
	const char *text = names_get(names, kind, index);
	struct fast_word *place;

	if (!text)
		return NULL;
	place = make_place(cleaned, kind, index);
	if (!place)
		return &question_mark;
	place->text =
		pad(style == CLEAN_JSON ? clean_json(text) : clean_terminal(text), &place->bytes);
	return place->text ? place : &question_mark;
}

void clean_names_clear(struct clean_names *cleaned)
{
	for (int kind = 0; kind < NAME_KINDS; kind++) {
		for (uint32_t i = 0; i < cleaned->room[kind]; i++) {
			for (int j = 0; cleaned->pages[kind][i] && j < CLEAN_PAGE_NAMES; j++)
				free((char *)cleaned->pages[kind][i][j].text);
			free(cleaned->pages[kind][i]);
		}
		free(cleaned->pages[kind]);
	}
	*cleaned = (struct clean_names){ 0 };
}
