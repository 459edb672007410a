/* SPDX-License-Identifier: BSD-3-Clause */
#include "costs_list.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line that is about as long as input.h allows may have been cut, between two numbers. */
#define LINE_BYTES_MOST (INPUT_LINE_BYTES - 32)

struct costs_list {
	struct reader reader;
	struct input *input;
	const char *text; /* what is left of the line; NULL: none */
	uint64_t line;    /* its number */
	uint64_t begun;   /* the packet's receive_begin */
	uint64_t ended;
	unsigned next; /* of the packet's events; 0: a packet is to be read */
};

static bool is_blank(char c)
{
	return c && strchr(" \t\r\n[],", c);
}

bool costs_list_recognised(const char *data, size_t bytes)
{
	size_t digits = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (isdigit((unsigned char)data[i]))
			digits++;
		else if (!is_blank(data[i]))
			return false;
	}
	return digits;
}

/* The next line to look at: 1, 0 at the end, or a negative errno with a message. */
static int read_line(struct costs_list *list, struct diag *diag)
{
	struct input_line line;
	int found = input_line(list->input, &line);
	const char *trouble;

	list->text = NULL;
	if (found < 0)
		return diag_set(diag, found, "%s: %s", list->reader.source.file, strerror(-found));
	if (!found) {
		trouble = input_trouble(list->input);
		if (trouble)
			reader_truncated(&list->reader, trouble);
		return 0;
	}
	list->line++;
	if (line.bytes >= LINE_BYTES_MOST)
		return diag_set(diag, -EINVAL, "%s: line %" PRIu64 " is too long: break it",
			list->reader.source.file, list->line);
	list->text = line.text;
	return 1;
}

/*
 * The next cost of the line: 1, or 0 if there is none. What is no number ends the line, which then
 * counts as unparsed.
 */
static int read_cost(struct costs_list *list, uint64_t *cost)
{
	const char *text = list->text;
	char *end;

	while (*text != '\n' && is_blank(*text))
		text++;
	if (*text == '\n')
		return 0;
	errno = 0;
	*cost = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno || !is_blank(*end)) {
		list->reader.counts.unparsed++;
		return 0;
	}
	list->text = end;
	return 1;
}

/* 1, 0 at the end, or a negative errno with a message. */
static int read_packet(struct costs_list *list, struct diag *diag)
{
	uint64_t cost;
	int found;

	while (!list->text || !read_cost(list, &cost)) {
		found = read_line(list, diag);
		if (found <= 0)
			return found;
	}
	if (cost > UINT64_MAX - list->ended)
		return diag_set(diag, -EOVERFLOW,
			"%s: line %" PRIu64 ": the sum of all costs is more than 64 bits hold",
			list->reader.source.file, list->line);
	list->begun = list->ended;
	list->ended += cost;
	list->reader.counts.read++;
	reader_saw(&list->reader, list->ended);
	return 1;
}

static int next(struct reader *reader, struct event *event, unsigned *cpu, struct diag *diag)
{
	static const uint16_t ids[] = { EVENT_RECEIVE_BEGIN, EVENT_RECEIVE, EVENT_RECEIVE_END };
	struct costs_list *list = (struct costs_list *)reader;
	int found = list->next ? 1 : read_packet(list, diag);

	if (found <= 0)
		return found;
	*cpu = 0;
	*event = (struct event){
		.time = ids[list->next] == EVENT_RECEIVE_END ? list->ended : list->begun,
		.id = ids[list->next],
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
	};
	list->next = (list->next + 1) % (sizeof(ids) / sizeof(*ids));
	return 1;
}

static void close_list(struct reader *reader)
{
	struct costs_list *list = (struct costs_list *)reader;

	input_close(list->input);
	reader_release(reader);
	free(list);
}

int costs_list_open(struct input *input, const char *file, const struct reader_options *options,
	struct reader **reader, struct diag *diag)
{
	static const struct reader_format format = { .next = next, .close = close_list };
	struct costs_list *list = calloc(1, sizeof(*list));
	int error;

	*reader = NULL;
	if (!list) {
		input_close(input);
		return diag_set(diag, -ENOMEM, "%s: no memory", file);
	}
	list->input = input;
	error = reader_prepare(&list->reader, &format, file);
	if (error) {
		diag_set(diag, error, "%s: no memory", file);
		close_list(&list->reader);
		return error;
	}
	list->reader.source.format = "costs";
	list->reader.source.hz = options->hz;
	*reader = &list->reader;
	return 0;
}
