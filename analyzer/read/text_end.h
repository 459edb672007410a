/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a text that has no newline behind its last line. All tools write one, so the text may
 * have been cut, and then a "len=13" may have been a "len=1319 rc=0". But some texts only lost
 * their last newline on their way, and a lap shouldn't be lost with it.
 *
 * The line is whole if it ends as an earlier line of the same event does: with as many words, the
 * last one for the same field, with a value that can't go on.
 */
#ifndef ANALYZER_READ_TEXT_END_H
#define ANALYZER_READ_TEXT_END_H

#include "input.h"
#include "text_head.h"

enum text_end {
	TEXT_END_CUT,  /* what it says can't be trusted */
	TEXT_END_LAST, /* only its last word may be cut */
	TEXT_END_WHOLE,
};

/* Judges the last line of an input, which is an event with this head. */
enum text_end text_end_judge(const struct input *input, const struct text_head *head);

/* Where the last word of an event's fields begins; blanks behind it don't count. */
const char *text_end_last_word(const struct text_head *head);

#endif
