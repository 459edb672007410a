/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool report_complete(const struct report *report)
{
	return trace_counts_complete(report->counts);
}

/* Begins the text of a large number. No other text has a zero byte: all are made of C strings. */
#define LARGE_BYTES 1

json_t *report_number(uint64_t value)
{
	char text[24] = { '\0' };
	int digits;

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	digits = snprintf(text + LARGE_BYTES, sizeof(text) - LARGE_BYTES, "%" PRIu64, value);
	return json_stringn(text, (size_t)digits + LARGE_BYTES);
}

/* Large numbers have come out as "\u000018446744073709551615": without quotes and mark. */
static bool write_text(const char *text, FILE *out)
{
	static const char mark[] = "\"\\u0000";
	const char *large;

	while ((large = strstr(text, mark))) {
		size_t digits = strcspn(large + sizeof(mark) - 1, "\"");

		fwrite(text, 1, (size_t)(large - text), out);
		fwrite(large + sizeof(mark) - 1, 1, digits, out);
		text = large + sizeof(mark) + digits;
	}
	return fputs(text, out) != EOF && fputc('\n', out) != EOF && !ferror(out);
}

static int write_json(const json_t *object, size_t flags, FILE *out)
{
	/* 12 digits: more than any average deserves, and the same on every machine. */
	char *text = json_dumps(object, flags | JSON_REAL_PRECISION(12));
	bool written = text && write_text(text, out);

	free(text);
	if (!text)
		return -ENOMEM;
	return written ? 0 : -EIO;
}

int report_write_json(const json_t *object, FILE *out)
{
	return write_json(object, JSON_INDENT(2), out);
}

int report_write_line(const json_t *object, FILE *out)
{
	return write_json(object, JSON_COMPACT, out);
}
