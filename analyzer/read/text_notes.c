/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_notes.h"

#include "text_head.h"
#include <string.h>

/* Takes the literal if it is next. */
static bool take(const char **text, const char *literal)
{
	size_t bytes = strlen(literal);

	if (strncmp(*text, literal, bytes) != 0)
		return false;
	*text += bytes;
	return true;
}

/* Takes a decimal number of at most 18 digits if it is next. */
static bool take_number(const char **text, uint64_t *value)
{
	const char *p = *text;

	for (*value = 0; *p >= '0' && *p <= '9' && p - *text < 18; p++)
		*value = 10 * *value + (unsigned)(*p - '0');
	if (p == *text || (*p >= '0' && *p <= '9'))
		return false;
	*text = p;
	return true;
}

static bool take_cpu(const char **text, unsigned *cpu)
{
	uint64_t value;

	if (!take_number(text, &value) || value > UINT16_MAX)
		return false;
	*cpu = (unsigned)value;
	return true;
}

/* "LOST 40 EVENTS]", "LOST EVENTS]", "40 EVENTS DROPPED]", "EVENTS DROPPED]". */
static bool parse_lost(const char *p, struct text_note *note)
{
	bool lost = take(&p, "LOST ");

	note->unknown = !take_number(&p, &note->count);
	if (note->unknown)
		note->count = 1;
	else if (!take(&p, " "))
		return false;
	return take(&p, lost ? "EVENTS]" : "EVENTS DROPPED]");
}

/* "6/10": how many were overwritten. */
static bool parse_overwritten(const char *p, struct text_note *note)
{
	uint64_t kept, written;

	if (!take_number(&p, &kept) || !take(&p, "/") || !take_number(&p, &written) ||
		written <= kept)
		return false;
	note->count = written - kept;
	return true;
}

static enum text_note_kind parse_comment(const char *p, size_t bytes, struct text_note *note)
{
	const char *entries;

	if (take(&p, "##### CPU ")) {
		if (take_cpu(&p, &note->cpu) && take(&p, " buffer started"))
			return TEXT_NOTE_CPU_BEGINS;
	} else if (take(&p, "# entries-in-buffer/entries-written: ")) {
		if (parse_overwritten(p, note))
			return TEXT_NOTE_LOST_AT_BEGIN;
	} else if (take(&p, "# latency: ")) {
		entries = memchr(p, '#', bytes - 11);
		if (entries && parse_overwritten(entries + 1, note))
			return TEXT_NOTE_LOST_AT_BEGIN;
	}
	return TEXT_NOTE_NOTHING;
}

/* What trace-cmd report prints before the events. */
static bool is_head(const char *p)
{
	uint64_t number;

	if (take(&p, "cpus="))
		return take_number(&p, &number);
	if (take(&p, "CPU "))
		return take_number(&p, &number) && take(&p, " is empty");
	return take(&p, "version = ");
}

enum text_note_kind text_note_parse(const char *text, size_t bytes, struct text_note *note)
{
	const char *p = text;

	*note = (struct text_note){ 0 };
	if (text_is_frame(text))
		return TEXT_NOTE_NOTHING;
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p == '\n')
		return TEXT_NOTE_NOTHING;
	if (*p == '#')
		return parse_comment(p, bytes - (size_t)(p - text), note);
	if (is_head(p))
		return TEXT_NOTE_NOTHING;
	if (take(&p, "CPU:")) {
		if (take_cpu(&p, &note->cpu) && take(&p, " [") && parse_lost(p, note))
			return TEXT_NOTE_LOST;
	} else if (take(&p, "LOST ")) {
		note->any_cpu = true;
		if (take_number(&p, &note->count) && take(&p, " events!"))
			return TEXT_NOTE_LOST;
	}
	return TEXT_NOTE_NONE;
}
