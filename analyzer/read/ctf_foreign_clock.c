/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_foreign_clock.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FREQUENCY " freq = 1000000000;"

/* A word, or a single character of any other kind; bytes is 0 at the end. */
struct token {
	const char *text;
	size_t bytes;
};

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment or a string literal that begins at `p`, else `p`. */
static const char *skip_quoted(const char *p, const char *end)
{
	const char *stop = NULL;

	if (end - p >= 2 && !memcmp(p, "/*", 2)) {
		stop = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);
		return stop ? stop + 2 : end;
	}
	if (end - p >= 2 && !memcmp(p, "//", 2)) {
		stop = memchr(p, '\n', (size_t)(end - p));
		return stop ? stop : end;
	}
	if (*p != '"' && *p != '\'')
		return p;
	for (stop = p + 1; stop < end && *stop != *p; stop++) {
		if (*stop == '\\' && stop + 1 < end)
			stop++;
	}
	return stop < end ? stop + 1 : end;
}

static struct token next_token(const char *p, const char *end)
{
	struct token token = { .text = p };

	while (p < end) {
		const char *behind = isspace((unsigned char)*p) ? p + 1 : skip_quoted(p, end);

		if (behind == p)
			break;
		p = behind;
	}
	token.text = p;
	while (p < end && is_in_word(*p))
		p++;
	token.bytes = p > token.text ? (size_t)(p - token.text) : p < end ? 1 : 0;
	return token;
}

static bool is(const struct token *token, const char *text)
{
	return token->bytes == strlen(text) && !memcmp(token->text, text, token->bytes);
}

/*
 * Where the next block of a clock begins in which no frequency is given: behind its brace. *p is
 * where to go on. NULL: there is none.
 */
static const char *next_without(const char **p, const char *end)
{
	const char *inside = NULL; /* a clock's block */
	bool clock = false, told = false;
	unsigned depth = 0;

	for (;;) {
		struct token token = next_token(*p, end);

		if (!token.bytes)
			return NULL;
		*p = token.text + token.bytes;
		if (is(&token, "{")) {
			if (!depth++ && clock) {
				inside = *p;
				told = false;
			}
		} else if (is(&token, "}") && depth) {
			if (!--depth && inside && !told)
				return inside;
			if (!depth)
				inside = NULL;
		} else if (inside && depth == 1 && is(&token, "freq")) {
			told = true;
		}
		clock = is(&token, "clock");
	}
}

char *foreign_clock_complete(const char *text, size_t bytes, size_t *completed_bytes)
{
	const char *end = text + bytes, *from = text, *p = text, *at;
	char *completed = NULL;
	FILE *out = NULL;

	while ((at = next_without(&p, end))) {
		if (!out)
			out = open_memstream(&completed, completed_bytes);
		if (!out)
			return NULL;
		fwrite(from, 1, (size_t)(at - from), out);
		fputs(FREQUENCY, out);
		from = at;
	}
	if (!out)
		return NULL;
	fwrite(from, 1, (size_t)(end - from), out);
	if (fclose(out)) {
		free(completed);
		return NULL;
	}
	return completed;
}
