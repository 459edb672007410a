/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "clean.h"
#include <stdlib.h>
#include <string.h>

const char fast_pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
			  "31323334353637383940414243444546474849505152535455565758596061"
			  "62636465666768697071727374757677787980818283848586878889909192"
			  "93949596979899";

void fast_flush(struct fast_out *out)
{
	fwrite(out->text, 1, out->used, out->out);
	out->used = 0;
}

char *fast_long(struct fast_out *out, char *to, const char *text, size_t bytes)
{
	fast_end(out, to);
	if (out->used + bytes > FAST_OUT_BYTES)
		fast_flush(out);
	if (bytes > FAST_OUT_BYTES) {
		fwrite(text, 1, bytes, out->out);
	} else {
		memcpy(out->text + out->used, text, bytes);
		out->used += bytes;
	}
	return out->text + out->used;
}

static char *fill(char *to, unsigned columns)
{
	memset(to, ' ', columns);
	return to + columns;
}

char *fast_column(struct fast_out *out, char *to, const struct fast_word *word, int width)
{
	unsigned columns = (unsigned)(width < 0 ? -width : width);
	unsigned rest = word->bytes < columns ? columns - (unsigned)word->bytes : 0;

	if (width > 0)
		to = fill(to, rest);
	to = fast_word(out, to, word);
	return width < 0 ? fill(to, rest) : to;
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
	for (; digits >= 8; digits -= 8, number /= FAST_EIGHT_DIGITS) {
		end -= 8;
		fast_put_eight(end, fast_eight_digits(number % FAST_EIGHT_DIGITS) + FAST_AS_TEXT);
	}
	for (; digits > 1; digits -= 2, number /= 100) {
		end -= 2;
		memcpy(end, fast_pairs + 2 * (number % 100), 2);
	}
	if (digits) {
		*--end = (char)('0' + number % 10);
		number /= 10;
	}
	return number;
}

/* The end of so many characters, behind blanks up to the width. */
static char *take(char *to, unsigned characters, unsigned width)
{
	return fill(to, characters < width ? width - characters : 0) + characters;
}

/*
 * A text of eight at most, behind a sign. Where the next piece goes mustn't wait for the digits: so
 * the width is branched upon, which is foreseen, and not computed.
 */
static inline char *put_short(
	char *to, uint64_t text, unsigned characters, bool negative, unsigned width)
{
	unsigned with_sign = characters + negative;
	char *end = to + with_sign;

	if (__builtin_expect(with_sign < width, 1)) {
		memset(to, ' ', FAST_PIECE_BYTES);
		end = to + width;
	}
	to = end - with_sign;
	*to = '-'; /* of a positive number the text goes over it */
	fast_put_eight(to + negative, text);
	return end;
}

/* Of eight digits, those from the first on that isn't 0; 1 if all are. */
static unsigned count_eight(uint64_t digits)
{
	return digits ? 8 - (unsigned)__builtin_ctzll(digits) / 8 : 1;
}

char *fast_any_number(char *to, uint64_t number, unsigned width)
{
	unsigned count;
	uint64_t digits;
	char *end;

	if (number >= FAST_EIGHT_DIGITS || width > FAST_PIECE_BYTES) {
		count = count_digits(number);
		end = take(to, count, width);
		put_digits(end, number, count);
		return end;
	}
	digits = fast_eight_digits(number);
	count = count_eight(digits);
	return put_short(to, (digits + FAST_AS_TEXT) >> 8 * (8 - count), count, false, width);
}

/* Eight hexadecimal digits, as fast_eight_digits has them: each half apart, and half of that. */
static uint64_t eight_hex(uint64_t number)
{
	uint64_t letters;

	number = (number << 16 | number) & UINT64_C(0x0000ffff0000ffff);
	number = (number << 8 | number) & UINT64_C(0x00ff00ff00ff00ff);
	number = (number << 4 | number) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (number + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	return __builtin_bswap64(number + FAST_AS_TEXT + letters * ('a' - '0' - 10));
}

char *fast_hex(char *to, uint64_t number)
{
	unsigned count = (67 - (unsigned)__builtin_clzll(number | 1)) / 4;
	unsigned high = count > 8 ? count - 8 : 0;

	if (high)
		fast_put_eight(to, eight_hex(number >> 32) >> 8 * (8 - high));
	fast_put_eight(to + high, eight_hex(number & UINT32_MAX) >> 8 * (8 - (count - high)));
	return to + count;
}

/* With three digits behind the point; those before it that are zeros and aren't needed are left
 * out. */
static char *put_short_fixed(char *to, uint64_t number, bool negative, unsigned width)
{
	const unsigned digits = 3;
	uint64_t text = fast_eight_digits(number), behind = UINT64_MAX << 8 * (8 - digits);
	unsigned count = count_eight(text), before = count > digits ? count - digits : 1;

	text += FAST_AS_TEXT;
	text = (text & behind) | (text >> 8 & (behind >> 8 ^ UINT64_MAX >> 8)) |
	       (uint64_t)'.' << 8 * (7 - digits);
	return put_short(
		to, text >> 8 * (7 - digits - before), before + 1 + digits, negative, width);
}

char *fast_any_fixed(char *to, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	unsigned all, whole;
	char *end;

	if (width <= FAST_PIECE_BYTES && number < FAST_EIGHT_DIGITS / 10 && digits == 3)
		return put_short_fixed(to, number, negative, width);
	all = count_digits(number);
	whole = all > digits ? all - digits : 1;
	end = to = take(to, negative + whole + (digits > 0) + digits, width);
	number = put_digits(end, number, digits);
	end -= digits;
	if (digits)
		*--end = '.';
	put_digits(end, number, whole);
	if (negative)
		end[-(ptrdiff_t)whole - 1] = '-';
	return to;
}

char *fast_new_second(struct fast_second *second, char *to, uint64_t ns, unsigned width)
{
	char *end = fast_any_number(second->text, ns / CYCLES_NS_PER_S, 0);

	*end = '.';
	second->begin = ns - ns % CYCLES_NS_PER_S;
	second->bytes = (unsigned)(end + 1 - second->text);
	if (second->begin > UINT64_MAX - (CYCLES_NS_PER_S - 1))
		second->bytes = 0; /* it isn't whole: times from 0 on would seem to be in it */
	return fast_any_fixed(to, ns, false, 9, width);
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
		padded = calloc(1, *bytes < FAST_PIECE_BYTES ? FAST_PIECE_BYTES : *bytes + 1);
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
