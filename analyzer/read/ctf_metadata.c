/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctf_metadata.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "NAME = VALUE;" in a block of the metadata. */
struct entry {
	const char *value; /* without quotes, not terminated; NULL: there is none */
	size_t bytes;
};

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* What is between the braces of "NAME {" at the begin of a line. */
static bool find_block(const char *text, const char *name, const char **begin, const char **end)
{
	size_t bytes = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p += bytes) {
		const char *brace;

		if (p > text && p[-1] != '\n')
			continue;
		brace = skip_space(p + bytes, p + strlen(p));
		if (*brace != '{')
			continue;
		*begin = brace + 1;
		*end = strchr(brace, '}');
		return *end != NULL;
	}
	return false;
}

static struct entry find_entry(const char *text, const char *block, const char *name)
{
	struct entry entry = { 0 };
	const char *p, *end, *stop;

	if (!find_block(text, block, &p, &end))
		return entry;
	for (; p < end; p = stop + 1) {
		size_t bytes = strlen(name);

		p = skip_space(p, end);
		stop = memchr(p, ';', (size_t)(end - p));
		if (!stop)
			break;
		if ((size_t)(stop - p) <= bytes || memcmp(p, name, bytes) != 0)
			continue;
		p = skip_space(p + bytes, stop);
		if (*p != '=')
			continue;
		p = skip_space(p + 1, stop);
		if (*p == '"' && stop - p >= 2 && stop[-1] == '"') {
			entry.value = p + 1;
			entry.bytes = (size_t)(stop - p) - 2;
		} else {
			entry.value = p;
			entry.bytes = (size_t)(stop - p);
		}
		break;
	}
	return entry;
}

static bool is_text(const struct entry *entry, const char *text)
{
	return entry->value && entry->bytes == strlen(text) &&
	       !memcmp(entry->value, text, entry->bytes);
}

/* Decimal digits and nothing else. */
static bool parse_number(const struct entry *entry, uint64_t max, uint64_t *number)
{
	uint64_t value = 0;

	if (!entry->value || !entry->bytes)
		return false;
	for (size_t i = 0; i < entry->bytes; i++) {
		unsigned digit = (unsigned)(entry->value[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return false;
	}
	*number = value;
	return value <= max;
}

static unsigned hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (unsigned)(found - digits) : 16;
}

/* "01234567-89ab-cdef-0123-456789abcdef" */
static bool parse_uuid(const struct entry *entry, uint8_t uuid[16])
{
	size_t digits = 0;

	if (!entry->value)
		return false;
	memset(uuid, 0, 16);
	for (size_t i = 0; i < entry->bytes; i++) {
		unsigned digit = hex_digit(entry->value[i]);

		if (entry->value[i] == '-')
			continue;
		if (digit > 15 || digits == 32)
			return false;
		uuid[digits / 2] = (uint8_t)((unsigned)uuid[digits / 2] << 4 | digit);
		digits++;
	}
	return digits == 32;
}

/* Declarations whose value is a part of the layout; they are in its blocks as well. */
static const struct {
	const char *block, *name, *value;
} fixed[] = {
	{ "trace", "major", "1" },
	{ "trace", "minor", "8" },
	{ "trace", "byte_order", "le" },
};

static int check_fixed(const char *text, const char *path, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		struct entry entry = find_entry(text, fixed[i].block, fixed[i].name);

		if (!is_text(&entry, fixed[i].value))
			return diag_set(diag, -EINVAL, "%s: %s is '%.*s', but %s in layout %d",
				path, fixed[i].name, entry.value ? (int)entry.bytes : 0,
				entry.value ? entry.value : "", fixed[i].value, TRACE_LAYOUT);
	}
	return 0;
}

/* All blocks that the writer would write must be there, but env, which may hold more. */
static int check_blocks(const char *text, const char *path, char *expected, struct diag *diag)
{
	char *next = strstr(expected, "\n\nevent {");

	if (next)
		*next = '\0';
	for (char *block = expected; block; block = next) {
		next = strstr(block, "\n\n");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (!strncmp(block, "env {", 5) || strstr(text, block))
			continue;
		return diag_set(diag, -EINVAL,
			"%s: damaged, or of an unknown layout: '%.*s' doesn't go on as in layout "
			"%d",
			path, (int)strcspn(block, "\n"), block, TRACE_LAYOUT);
	}
	return 0;
}

static int check_layout(
	const char *text, const char *path, const struct ctf_metadata *metadata, struct diag *diag)
{
	char *expected = NULL;
	size_t bytes;
	FILE *out = open_memstream(&expected, &bytes);
	int error = check_fixed(text, path, diag), failed;

	if (!out)
		return diag_set(diag, -ENOMEM, "%s: no memory", path);
	trace_metadata_write(out, &metadata->info, metadata->streams);
	failed = ferror(out);
	if (fclose(out) || failed)
		error = diag_set(diag, -ENOMEM, "%s: no memory", path);
	if (!error)
		error = check_blocks(text, path, expected, diag);
	free(expected);
	return error;
}

static bool ends_with(const char *text, const char *end)
{
	size_t bytes = strlen(text);

	return bytes >= strlen(end) && !strcmp(text + bytes - strlen(end), end);
}

bool ctf_metadata_is_ours(const char *text)
{
	struct entry tracer = find_entry(text, "env", "tracer_name");

	return !*text || is_text(&tracer, "ringside");
}

/* Whose trace it is, and of which version. */
static int check_tracer(const char *text, const char *path, struct diag *diag)
{
	struct entry layout = find_entry(text, "env", "layout");
	uint64_t number = 0;

	if (!*text)
		return diag_set(diag, -EINVAL, "%s: it is empty", path);
	if (!ctf_metadata_is_ours(text))
		return diag_set(diag, -EINVAL, "%s: of another tracer than ringside", path);
	if (!parse_number(&layout, UINT32_MAX, &number))
		return diag_set(diag, -EINVAL, "%s: it doesn't tell its layout", path);
	if (number != TRACE_LAYOUT)
		return diag_set(diag, -EINVAL,
			"%s: layout version %" PRIu64 " is unknown (this program reads version %d)",
			path, number, TRACE_LAYOUT);
	return 0;
}

/* "" if there is none, or one that the writer wouldn't write: then the layout doesn't fit either.
 */
static void take_text(
	const char *text, const char *block, const char *name, char taken[TRACE_INFO_BYTES])
{
	struct entry entry = find_entry(text, block, name);
	bool fits = entry.value && entry.bytes < TRACE_INFO_BYTES;

	taken[0] = '\0';
	if (fits)
		memcpy(taken, entry.value, entry.bytes);
	if (fits)
		taken[entry.bytes] = '\0';
}

static int take_info(const char *text, const char *path, struct trace_info *info, struct diag *diag)
{
	struct entry uuid = find_entry(text, "trace", "uuid");
	struct entry hz = find_entry(text, "clock", "freq");
	struct entry offset = find_entry(text, "clock", "offset_s");
	uint64_t capacity = 0, cut = 0;
	const struct {
		const char *name;
		uint64_t most, *number;
	} optional[] = {
		{ "capacity", UINT32_MAX, &capacity },
		{ "unused", INT64_MAX, &info->unused },
		{ "unparsed", INT64_MAX, &info->unparsed },
		{ "last", UINT64_MAX, &info->last },
		{ "cut", 1, &cut },
	};

	if (!parse_uuid(&uuid, info->uuid))
		return diag_set(diag, -EINVAL, "%s: no uuid, or a damaged one", path);
	if (!parse_number(&hz, UINT64_MAX, &info->hz) || !info->hz)
		return diag_set(diag, -EINVAL, "%s: no frequency (freq), or a damaged one", path);
	if (!parse_number(&offset, UINT64_MAX, &info->offset_s))
		return diag_set(diag, -EINVAL, "%s: no clock offset, or a damaged one", path);
	for (size_t i = 0; i < sizeof(optional) / sizeof(*optional); i++) {
		struct entry entry = find_entry(text, "env", optional[i].name);

		if (entry.value && !parse_number(&entry, optional[i].most, optional[i].number))
			return diag_set(diag, -EINVAL, "%s: a damaged %s", path, optional[i].name);
	}
	take_text(text, "clock", "description", info->clock);
	take_text(text, "env", "kernel_release", info->kernel);
	info->capacity = (uint32_t)capacity;
	info->cut = cut;
	return 0;
}

int ctf_metadata_parse(
	const char *text, const char *path, struct ctf_metadata *metadata, struct diag *diag)
{
	struct entry streams = find_entry(text, "env", "streams");
	uint64_t number = 0;
	int error = check_tracer(text, path, diag);

	*metadata = (struct ctf_metadata){ .whole = ends_with(text, TRACE_METADATA_END) };
	if (!error)
		error = take_info(text, path, &metadata->info, diag);
	if (error)
		return error;
	if (!parse_number(&streams, TRACE_STREAMS_MOST, &number) || !number)
		return diag_set(diag, -EINVAL,
			"%s: it doesn't tell the number of its streams, 1 to %d", path,
			TRACE_STREAMS_MOST);
	metadata->streams = (unsigned)number;
	return check_layout(text, path, metadata, diag);
}
