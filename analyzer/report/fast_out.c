/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast_out.h"

#include "clean.h"
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 64 /* more than any number with its fill takes */

void fast_flush(struct fast_out *out)
{
	fwrite(out->text, 1, out->used, out->out);
	out->used = 0;
}

void fast_bytes(struct fast_out *out, const char *text, size_t bytes)
{
	if (bytes > FAST_OUT_BYTES - out->used) {
		fast_flush(out);
		if (bytes > FAST_OUT_BYTES) {
			fwrite(text, 1, bytes, out->out);
			return;
		}
	}
	memcpy(out->text + out->used, text, bytes);
	out->used += bytes;
}

void fast_text(struct fast_out *out, const char *text)
{
	fast_bytes(out, text, strlen(text));
}

static void fill(struct fast_out *out, size_t columns)
{
	while (columns--)
		fast_bytes(out, " ", 1);
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

/* The digits of a number, at least `least` of them, ending at `end`. Returns where they begin. */
static char *digits_before(char *end, uint64_t number, unsigned least)
{
	char *p = end;

	while (number || least) {
		*--p = (char)('0' + number % 10);
		number /= 10;
		least -= least > 0;
	}
	return p;
}

static void fast_filled(struct fast_out *out, char *first, char *end, unsigned width)
{
	while (end - first < (ptrdiff_t)width)
		*--first = ' ';
	fast_bytes(out, first, (size_t)(end - first));
}

void fast_number(struct fast_out *out, uint64_t number, unsigned width)
{
	char text[NUMBER_BYTES], *end = text + sizeof(text);

	fast_filled(out, digits_before(end, number, 1), end, width);
}

void fast_hex(struct fast_out *out, uint64_t number)
{
	char text[NUMBER_BYTES], *end = text + sizeof(text), *p = end;

	do
		*--p = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	fast_bytes(out, p, (size_t)(end - p));
}

void fast_fixed(
	struct fast_out *out, uint64_t number, bool negative, unsigned digits, unsigned width)
{
	char text[NUMBER_BYTES], *end = text + sizeof(text), *p = end;
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	p = digits_before(p, number % unit, digits);
	*--p = '.';
	p = digits_before(p, number / unit, 1);
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
