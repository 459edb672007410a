/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "clean.h"
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES FAST_OUT_SLACK /* more than any number takes */

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

/* The digits of a number, two at a time, ending at `end`. Returns where they begin. */
static char *digits_before(char *end, uint64_t number)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
				    "31323334353637383940414243444546474849505152535455565758596061"
				    "62636465666768697071727374757677787980818283848586878889909192"
				    "93949596979899";

	for (; number >= 100; number /= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (number % 100), 2);
	}
	if (number < 10) {
		*--end = (char)('0' + number);
		return end;
	}
	end -= 2;
	memcpy(end, pairs + 2 * number, 2);
	return end;
}

static void fast_filled(struct fast_out *out, const char *first, const char *end, unsigned width)
{
	size_t bytes = (size_t)(end - first);

	if (bytes < width)
		fill(out, width - bytes);
	put_short(out, first, bytes);
}

void fast_number(struct fast_out *out, uint64_t number, unsigned width)
{
	char text[NUMBER_BYTES + FAST_OUT_SLACK], *end = text + NUMBER_BYTES;

	fast_filled(out, digits_before(end, number), end, width);
}

void fast_hex(struct fast_out *out, uint64_t number)
{
	char text[NUMBER_BYTES + FAST_OUT_SLACK], *end = text + NUMBER_BYTES, *p = end;

	do
		*--p = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	fast_bytes(out, p, (size_t)(end - p));
}

void fast_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	char text[NUMBER_BYTES + FAST_OUT_SLACK], *end = text + NUMBER_BYTES,
						  *p = digits_before(end, number);

	while (end - p <= (ptrdiff_t)digits) /* at least one before the point */
		*--p = '0';
	if (digits) {
		size_t whole = (size_t)(end - p) - digits;

		memmove(p - 1, p, whole);
		p--;
		p[whole] = '.';
	}
	if (negative)
		*--p = '-';
	fast_filled(out, p, end, width);
}

static bool make_room(struct clean_names *cleaned, enum name_kind kind, uint32_t index)
{
	uint32_t room = cleaned->room[kind] ? cleaned->room[kind] : 64;
	char **texts;

	if (index < cleaned->room[kind])
		return true;
	while (room <= index)
		room *= 2;
	texts = realloc(cleaned->texts[kind], room * sizeof(char *));
	if (!texts)
		return false;
	memset(texts + cleaned->room[kind], 0, (room - cleaned->room[kind]) * sizeof(char *));
	cleaned->texts[kind] = texts;
	cleaned->room[kind] = room;
	return true;
}

const char *clean_name(struct clean_names *cleaned, const struct names *names, enum name_kind kind,
	uint32_t index, enum clean_style style)
{
	const char *text;

	if (index < cleaned->room[kind] && cleaned->texts[kind][index])
		return cleaned->texts[kind][index];
	text = names_get(names, kind, index);
	if (!text)
		return NULL;
	if (!make_room(cleaned, kind, index))
		return "?";
	cleaned->texts[kind][index] = style == CLEAN_JSON ? clean_json(text) : clean_terminal(text);
	return cleaned->texts[kind][index] ? cleaned->texts[kind][index] : "?";
}

void clean_names_clear(struct clean_names *cleaned)
{
	for (int kind = 0; kind < NAME_KINDS; kind++) {
		for (uint32_t i = 0; i < cleaned->room[kind]; i++)
			free(cleaned->texts[kind][i]);
		free(cleaned->texts[kind]);
	}
	*cleaned = (struct clean_names){ 0 };
}
