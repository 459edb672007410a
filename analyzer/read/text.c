/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts: what perf script, trace-cmd report and tracefs' trace file print. A line is an event, a
 * note on lost events, or nothing (a comment, a blank line, a call frame); what is none of these is
 * counted. All lines are read before the first event is handed out, since the last one may be the
 * earliest.
 */
#include "cycles.h"
#include "order.h"
#include "reader_impl.h"
#include "text_end.h"
#include "text_event.h"
#include "text_head.h"
#include "text_notes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lost events of a CPU, noted before the line whose time tells when the gap ended. */
struct gap {
	bool any_cpu; /* the note doesn't say: the next event's, whichever it is */
	unsigned cpu;
	uint64_t count;
	bool unknown;
};

struct text_reader {
	struct reader reader;
	struct input *input;
	struct order *order;
	struct kernel_names names;
	bool any_line;
	bool any_event; /* and with it, what kind of text this is */
	bool cycles;
	bool at_end;

	struct gap *gaps; /* not yet ended */
	size_t gap_count, gap_room;
	struct event lost_at_begin; /* LOST: what was overwritten before the trace was read */
	bool begun;        /* the first event was handed out, after what was lost before it */
	struct event held; /* the first event, while its LOST is handed out */
	unsigned held_cpu;
	bool is_held;
};

static int add_lost(
	struct text_reader *text, unsigned cpu, uint64_t time, uint64_t count, bool unknown)
{
	struct event event = event_lost(time, count, unknown);

	return order_add(text->order, cpu, &event);
}

/* An event of this CPU and time ends the gaps that were noted before it. */
static int end_gaps(struct text_reader *text, unsigned cpu, uint64_t time)
{
	for (size_t i = 0; i < text->gap_count;) {
		struct gap gap = text->gaps[i];
		int error;

		if (!gap.any_cpu && gap.cpu != cpu) {
			i++;
			continue;
		}
		text->gaps[i] = text->gaps[--text->gap_count];
		error = add_lost(text, cpu, time, gap.count, gap.unknown);
		if (error)
			return error;
	}
	return 0;
}

static int add_gap(struct text_reader *text, const struct text_note *note)
{
	if (text->gap_count == text->gap_room) {
		size_t room = text->gap_room ? 2 * text->gap_room : 8;
		struct gap *gaps = realloc(text->gaps, room * sizeof(*gaps));

		if (!gaps)
			return -ENOMEM;
		text->gaps = gaps;
		text->gap_room = room;
	}
	text->gaps[text->gap_count++] = (struct gap){
		.any_cpu = note->any_cpu,
		.cpu = note->cpu,
		.count = note->count,
		.unknown = note->unknown,
	};
	return 0;
}

/* A line that is no event. */
static int take_note(struct text_reader *text, const struct input_line *line)
{
	struct text_note note = { 0 };
	uint64_t lost;

	switch (text_note_parse(line->text, line->bytes, &note)) {
	case TEXT_NOTE_LOST:
		reader_lost(&text->reader, note.count, note.unknown);
		return add_gap(text, &note);
	case TEXT_NOTE_LOST_AT_BEGIN:
		reader_lost(&text->reader, note.count, note.unknown);
		lost = text->lost_at_begin.arg;
		text->lost_at_begin = event_lost(0, EVENT_GET(LOST, count, lost) + note.count,
			EVENT_GET(LOST, unknown, lost) || note.unknown);
		return 0;
	case TEXT_NOTE_CPU_BEGINS:
		/*
		 * The buffers of CPUs go back to different times. What this one lost is in the
		 * trace's head (if any is): counted there, but its gap ends here.
		 */
		return text->lost_at_begin.arg ? add_gap(text, &note) : 0;
	case TEXT_NOTE_NOTHING:
		return 0;
	case TEXT_NOTE_NONE:
		break;
	}
	text->reader.counts.unparsed++;
	return 0;
}

/* The first event tells what all must be like. */
static bool same_clock(struct text_reader *text, const struct text_head *head)
{
	if (!text->any_event) {
		text->any_event = true;
		text->cycles = head->cycles;
		text->reader.source.format = head->perf ? "perf-script" : "ftrace";
	}
	return text->cycles == head->cycles;
}

static int take_event(struct text_reader *text, const struct text_head *head,
	const struct event *event, int status)
{
	int error = 0;

	if (status == TEXT_EVENT_LOST && !event->arg)
		return 0; /* none was lost */
	reader_saw(&text->reader, head->time);
	if (text->gap_count)
		error = end_gaps(text, head->cpu, head->time);
	if (status == TEXT_EVENT_LOST)
		reader_lost(&text->reader, EVENT_GET(LOST, count, event->arg),
			EVENT_GET(LOST, unknown, event->arg));
	else
		text->reader.counts.read++;
	if (!error && status != TEXT_EVENT_SKIP)
		error = order_add(text->order, head->cpu, event);
	return error;
}

static int take_line(struct text_reader *text, const struct input_line *line)
{
	struct text_head head;
	struct event event;
	int status;

	if (!text_head_parse(line->text, line->bytes, &head))
		return take_note(text, line);
	status = text_event_parse(&text->names, &head, &event);
	if (status < 0)
		return status;
	if (status == TEXT_EVENT_UNPARSED || !same_clock(text, &head)) {
		text->reader.counts.unparsed++;
		return 0;
	}
	return take_event(text, &head, &event, status);
}

/*
 * Whether the event is the same without the line's last word, so that the word may be cut. The
 * line without it is parsed first, so that no cut name is entered.
 */
static bool same_without(struct text_reader *text, const struct input_line *line, const char *word)
{
	size_t bytes = (size_t)(word - line->text) - 1;
	char *copy = calloc(1, bytes + 1 + INPUT_SLACK_BYTES);
	struct text_head head;
	struct event without, with;
	bool same;

	if (!copy)
		return false;
	memcpy(copy, line->text, bytes);
	copy[bytes] = '\n';
	same = text_head_parse(copy, bytes, &head) &&
	       text_event_parse(&text->names, &head, &without) == TEXT_EVENT_USED &&
	       text_head_parse(line->text, line->bytes, &head) &&
	       text_event_parse(&text->names, &head, &with) == TEXT_EVENT_USED &&
	       !memcmp(&without, &with, sizeof(with));
	free(copy);
	return same;
}

/* A last line without a newline (text_end.h). */
static int take_open_line(struct text_reader *text, const struct input_line *line)
{
	enum text_end end = TEXT_END_CUT;
	struct text_head head;
	const char *word;

	if (input_trouble(text->input))
		return 0; /* certainly cut, and that will be said */
	if (text_head_parse(line->text, line->bytes, &head))
		end = text_end_judge(text->input, &head);
	if (end == TEXT_END_WHOLE)
		return take_line(text, line);
	reader_truncated(&text->reader, "the last line has no end: the text may be cut");
	if (end == TEXT_END_CUT)
		return 0;
	word = text_end_last_word(&head);
	if (word == head.fields || !same_without(text, line, word))
		return 0;
	return take_line(text, line);
}

static int failed(struct text_reader *text, int error, struct diag *diag)
{
	return reader_failed(&text->reader, &text->names, error, diag);
}

/* Reads lines: up to the first event, or to the end. */
static int read_lines(struct text_reader *text, bool to_end, struct diag *diag)
{
	int error = 0;

	while (!error && !text->at_end && (to_end || !text->any_event)) {
		struct input_line line;
		int status = input_line(text->input, &line);

		text->any_line = text->any_line || status == 1;
		if (status < 0)
			error = status;
		else if (!status)
			text->at_end = true;
		else
			error = line.ended ? take_line(text, &line) : take_open_line(text, &line);
	}
	return error ? failed(text, error, diag) : 0;
}

/* After the last line: gaps that no event ended end with the trace. */
static int finish(struct text_reader *text, struct diag *diag)
{
	const char *trouble = input_trouble(text->input);
	int error = 0;

	for (size_t i = 0; i < text->gap_count && !error; i++)
		error = add_lost(text, text->gaps[i].cpu, text->reader.counts.last,
			text->gaps[i].count, text->gaps[i].unknown);
	text->gap_count = 0;
	if (trouble)
		reader_truncated(&text->reader, trouble);
	input_close(text->input);
	text->input = NULL;
	return error ? failed(text, error, diag) : 0;
}

/* What was overwritten before the trace was read comes before the earliest event. */
static int begin(struct text_reader *text, struct event *event, unsigned *cpu)
{
	int status = order_next(text->order, cpu, event);

	text->begun = true;
	if (status <= 0 || !text->lost_at_begin.arg)
		return status;
	text->held = *event;
	text->held_cpu = *cpu;
	text->is_held = true;
	text->lost_at_begin.time = event->time;
	*event = text->lost_at_begin;
	return 1;
}

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	struct text_reader *text = (struct text_reader *)reader;
	int status;

	if (text->is_held) {
		text->is_held = false;
		*event = text->held;
		*cpu = text->held_cpu;
		return 1;
	}
	if (text->input) {
		int error = read_lines(text, true, diag);

		if (!error)
			error = finish(text, diag);
		if (error)
			return error;
	}
	status = text->begun ? order_next(text->order, cpu, event) : begin(text, event, cpu);
	return status < 0 ? failed(text, status, diag) : status;
}

static void close_text(struct reader *reader)
{
	struct text_reader *text = (struct text_reader *)reader;

	input_close(text->input);
	order_destroy(text->order);
	free(text->gaps);
	reader_release(reader);
	free(text);
}

static const struct reader_format text_format = { .next = next, .close = close_text };

/* Nothing was read that is an event. */
static int refuse(const struct text_reader *text, struct diag *diag)
{
	const char *file = text->reader.source.file, *trouble = input_trouble(text->input);

	if (trouble)
		return diag_set(diag, -EINVAL, "%s: no event in it, and %s", file, trouble);
	if (!text->any_line)
		return diag_set(diag, -EINVAL, "%s: it is empty", file);
	return diag_set(
		diag, -EINVAL, "%s: not a trace in a known format: no line is an event", file);
}

int text_reader_open(struct input *input, const char *file, const struct reader_options *options,
	size_t records, struct reader **reader, struct diag *diag)
{
	struct text_reader *text = calloc(1, sizeof(*text));
	int error = -ENOMEM;

	*reader = NULL;
	if (!text) {
		input_close(input);
		return diag_set(diag, error, "%s: no memory", file);
	}
	text->input = input;
	if (!reader_prepare(&text->reader, &text_format, file))
		error = order_create(&text->order, records);
	if (error) {
		diag_set(diag, error, "%s: no memory", file);
	} else {
		text->names.names = text->reader.names;
		error = read_lines(text, false, diag);
	}
	if (!error && !text->any_event)
		error = refuse(text, diag);
	if (!error)
		error = reader_set_hz(
			&text->reader, text->cycles ? 0 : CYCLES_NS_PER_S, options, diag);
	if (error)
		close_text(&text->reader);
	else
		*reader = &text->reader;
	return error;
}
