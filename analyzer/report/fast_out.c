/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "clean.h"
#include <stdlib.h>
#include <string.h>

#define PAGE_NAMES 64 /* are allocated together */

void fast_flush(struct fast_out *out)
{
	fwrite(out->text, 1, out->used, out->out);
	out->used = 0;
}

void fast_overflow(struct fast_out *out, const char *text, size_t bytes)
{
	fast_flush(out);
	if (bytes > FAST_OUT_BYTES)
		fwrite(text, 1, bytes, out->out);
	else
		fast_bytes(out, text, bytes);
}

/* At most FAST_OUT_SLACK bytes, of a text of which so many can be read. */
static void put_short(struct fast_out *out, const char *text, size_t bytes)
{
	if (bytes > FAST_OUT_BYTES - out->used)
		fast_flush(out);
	memcpy(out->text + out->used, text, FAST_OUT_SLACK);
	out->used += bytes;
}

static void fill(struct fast_out *out, size_t columns)
{
	static const char blanks[] = "                                ";

	for (; columns > FAST_OUT_SLACK; columns -= FAST_OUT_SLACK)
		put_short(out, blanks, FAST_OUT_SLACK);
	put_short(out, blanks, columns);
}

void fast_column(struct fast_out *out, const char *text, int width)
{
	size_t bytes = strlen(text), columns = (size_t)(width < 0 ? -width : width);
	size_t blanks = bytes < columns ? columns - bytes : 0;

	if (width > 0)
		fill(out, blanks);
	fast_bytes(out, text, bytes);
	if (width < 0)
		fill(out, blanks);
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
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
				    "31323334353637383940414243444546474849505152535455565758596061"
				    "62636465666768697071727374757677787980818283848586878889909192"
				    "93949596979899";

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
	if (characters < width)
		fill(out, width - characters);
	if (characters > FAST_OUT_BYTES - out->used)
		fast_flush(out);
	out->used += characters;
	return out->text + out->used;
}

void fast_number(struct fast_out *out, uint64_t number, unsigned width)
{
	unsigned digits = count_digits(number);

	put_digits(take(out, digits, width), number, digits);
}

void fast_hex(struct fast_out *out, uint64_t number)
{
	unsigned digits = (67 - (unsigned)__builtin_clzll(number | 1)) / 4;
	char *p = take(out, digits, 0);

	for (; digits; digits--, number >>= 4)
		*--p = "0123456789abcdef"[number & 15];
}

void fast_fixed(
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

/* The place of the index, or NULL without memory. */
static char **make_place(struct clean_names *cleaned, enum name_kind kind, uint32_t index)
{
	uint32_t page = index / PAGE_NAMES, room = cleaned->room[kind] ? cleaned->room[kind] : 1;
	char ***pages;

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
		*pages = calloc(PAGE_NAMES, sizeof(**pages));
	return *pages ? *pages + index % PAGE_NAMES : NULL;
}

const char *clean_name(struct clean_names *cleaned, const struct names *names, enum name_kind kind,
	uint32_t index, enum clean_style style)
{
	const char *text;
	char **place;

	if (index / PAGE_NAMES < cleaned->room[kind]) {
		char **page = cleaned->pages[kind][index / PAGE_NAMES];

		if (page && page[index % PAGE_NAMES])
			return page[index % PAGE_NAMES];
	}
	text = names_get(names, kind, index);
	if (!text)
		return NULL;
	place = make_place(cleaned, kind, index);
	if (!place)
		return "?";
	*place = style == CLEAN_JSON ? clean_json(text) : clean_terminal(text);
	return *place ? *place : "?";
}

void clean_names_clear(struct clean_names *cleaned)
{
	for (int kind = 0; kind < NAME_KINDS; kind++) {
		for (uint32_t i = 0; i < cleaned->room[kind]; i++) {
			for (int j = 0; cleaned->pages[kind][i] && j < PAGE_NAMES; j++)
				free(cleaned->pages[kind][i][j]);
			free(cleaned->pages[kind][i]);
		}
		free(cleaned->pages[kind]);
	}
	*cleaned = (struct clean_names){ 0 };
}
