/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_notes.h"

#include "event.h"
#include "text_fields.h"
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

/* Takes a decimal number if it is next; one that is too large becomes UINT64_MAX. */
static bool take_number(const char **text, uint64_t *value)
{
	const char *end = text_parse_count(*text, value);

	if (end)
		*text = end;
	return end;
}

/* The CPU of a line that tells a loss, which is one whatever the number. */
static bool take_cpu(const char **text, struct text_note *note)
{
	uint64_t value;

	if (!take_number(text, &value))
		return false;
	note->any_cpu = note->unknown = value > UINT16_MAX;
	note->cpu = note->any_cpu ? 0 : (unsigned)value;
	return true;
}

static void set_count(struct text_note *note, uint64_t count)
{
	note->unknown |= count > EVENT_LOST_MOST;
	note->count = count > EVENT_LOST_MOST ? EVENT_LOST_MOST : count;
}

/* "LOST 40 EVENTS]", "LOST EVENTS]", "40 EVENTS DROPPED]", "EVENTS DROPPED]". */
static bool parse_lost(const char *p, struct text_note *note)
{
	bool lost = take(&p, "LOST ");
	uint64_t count;

	if (take_number(&p, &count)) {
		set_count(note, count);
		if (!take(&p, " "))
			return false;
	} else {
		note->unknown = true;
		note->count = 1;
	}
	return take(&p, lost ? "EVENTS]" : "EVENTS DROPPED]");
}

/* "6/10": how many were overwritten. */
static bool parse_overwritten(const char *p, struct text_note *note)
{
	uint64_t kept, written;
	const char *end = p;

	if (!take_number(&end, &kept) || *end != '/')
		return false;
	p = end + 1;
	if (!take_number(&p, &written) || written < kept)
		return false;
	if (kept == UINT64_MAX) { /* nobody can subtract them */
		note->unknown = true;
		set_count(note, 1);
	} else {
		set_count(note, written - kept);
	}
	return note->count;
}

static enum text_note_kind parse_comment(const char *p, size_t bytes, struct text_note *note)
{
	const char *entries;

	if (take(&p, "##### CPU ")) {
		if (take_cpu(&p, note) && take(&p, " buffer started") && !note->any_cpu)
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
		if (take_cpu(&p, note) && take(&p, " [") && parse_lost(p, note))
			return note->count ? TEXT_NOTE_LOST : TEXT_NOTE_NOTHING;
	} else if (take(&p, "LOST ")) {
		uint64_t count;

		note->any_cpu = true;
		if (take_number(&p, &count) && take(&p, " events!")) {
			set_count(note, count);
			return count ? TEXT_NOTE_LOST : TEXT_NOTE_NOTHING;
		}
	}
	return TEXT_NOTE_NONE;
}
