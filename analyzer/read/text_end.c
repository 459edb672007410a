/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_end.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The end of the fields, without blanks. */
static const char *fields_end(const struct text_head *head)
{
	const char *end = head->end;

	while (end > head->fields && is_blank(end[-1]))
		end--;
	return end;
}

const char *text_end_last_word(const struct text_head *head)
{
	const char *word = fields_end(head);

	while (word > head->fields && !is_blank(word[-1]))
		word--;
	return word;
}

static size_t count_words(const struct text_head *head)
{
	size_t words = 0;

	for (const char *p = head->fields; p < head->end; p++)
		words += !is_blank(*p) && (p == head->fields || is_blank(p[-1]));
	return words;
}

/* "rc=" of "rc=0"; of a sentence's last word nothing. */
static size_t key_bytes(const char *word, const char *end)
{
	const char *equals = memchr(word, '=', (size_t)(end - word));

	return equals ? (size_t)(equals - word) + 1 : 0;
}

/* An address of 64 bits with all its digits. */
static bool is_whole_address(const char *word, const char *end)
{
	const char *digits = end;

	while (digits > word && digits[-1] && strchr("0123456789abcdef", digits[-1]))
		digits--;
	return end - digits == 16;
}

/* A decimal 0: no number goes on behind it. ("0" of other fields may become "0x1".) */
static bool is_zero(const char *word, const char *end)
{
	return (end - word == 4 && !memcmp(word, "rc=0", 4)) ||
	       (end - word == 5 && !memcmp(word, "len=0", 5));
}

/* Compares the ends of two lines of the same event. */
static enum text_end compare(const struct text_head *last, const struct text_head *before)
{
	const char *word = text_end_last_word(last), *end = fields_end(last);
	const char *model = text_end_last_word(before), *model_end = fields_end(before);
	size_t key = key_bytes(model, model_end);

	if (count_words(last) != count_words(before) || key_bytes(word, end) != key ||
		memcmp(word, model, key) != 0)
		return TEXT_END_CUT;
	if ((end - word == model_end - model && !memcmp(word, model, (size_t)(end - word))) ||
		end < last->end || is_zero(word, end) || is_whole_address(word, end))
		return TEXT_END_WHOLE;
	return TEXT_END_LAST;
}

static bool is_event(const struct text_head *head, const char *name)
{
	return head->name_bytes == strlen(name) && !memcmp(head->name, name, head->name_bytes);
}

/* Without an earlier line to compare with, two events that have little to say can be judged. */
static enum text_end judge_alone(const struct text_head *head)
{
	const char *word = text_end_last_word(head), *end = fields_end(head);

	if (is_event(head, "net_dev_xmit") && is_zero(word, end) && *word == 'r')
		return TEXT_END_WHOLE;
	if (!is_event(head, "consume_skb"))
		return TEXT_END_CUT;
	/* before 6.3 the address was all that it said */
	if (word == head->fields && end == head->end && is_whole_address(word, end))
		return TEXT_END_WHOLE;
	return TEXT_END_LAST;
}

enum text_end text_end_judge(const struct input *input, const struct text_head *head)
{
	enum text_end best = TEXT_END_CUT;
	bool any = false;
	const char *begin, *line;
	size_t count = input_history(input, &begin);

	for (line = begin + count; line > begin && best != TEXT_END_WHOLE;) {
		const char *line_end = --line; /* a '\n' */
		struct text_head before;
		enum text_end end;

		while (line > begin && line[-1] != '\n')
			line--;
		if (!text_head_parse(line, (size_t)(line_end - line), &before) ||
			before.name_bytes != head->name_bytes ||
			memcmp(before.name, head->name, head->name_bytes) != 0)
			continue;
		any = true;
		end = compare(head, &before);
		best = end > best ? end : best;
	}
	return any ? best : judge_alone(head);
}
