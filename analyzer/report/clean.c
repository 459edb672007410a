/* SPDX-License-Identifier: BSD-3-Clause */
#include "clean.h"

#include "names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Bytes of the UTF-8 character at `p`, or 0 if there is none (Unicode 15, table 3-7: neither
 * overlong forms nor surrogates nor what is beyond U+10FFFF).
 */
static size_t character_bytes(const unsigned char *p)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t bytes;

	if (*p < 0x80)
		return 1;
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	bytes = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (*p == 0xe0)
		low = 0xa0;
	else if (*p == 0xed)
		high = 0x9f;
	else if (*p == 0xf0)
		low = 0x90;
	else if (*p == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < bytes; i++) {
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	}
	return bytes;
}

char *clean_utf8(const char *text)
{
	char *copy = strdup(text);
	size_t bytes;

	for (char *p = copy; p && *p; p += bytes ? bytes : 1) {
		bytes = character_bytes((const unsigned char *)p);
		if (!bytes)
			*p = '?';
	}
	return copy;
}

char *clean_terminal(const char *text)
{
	char *copy = clean_utf8(text);

	for (char *p = copy; p && *p; p++) {
		if (*p == NAME_CGROUP_MARK)
			*p = ' ';
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
		else if ((unsigned char)*p == 0xc2 && (unsigned char)p[1] < 0xa0)
			p[1] = (char)0xbf; /* U+0080 to U+009F: inverted question mark instead */
	}
	return copy;
}

char *clean_json(const char *text)
{
	char *clean = clean_utf8(text);
	char *escaped = clean ? malloc(6 * strlen(clean) + 1) : NULL, *to = escaped;

	for (const char *p = clean; escaped && *p; p++) {
		if ((unsigned char)*p < ' ') {
			to += sprintf(to, "\\u%04x", (unsigned char)*p);
			continue;
		}
		if (*p == '"' || *p == '\\')
			*to++ = '\\';
		*to++ = *p;
	}
	if (escaped)
		*to = '\0';
	free(clean);
	return escaped;
}
