/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input: the bytes of a file, a pipe, standard input ("-") or a block of memory, as lines. gzip is
 * recognised by its magic number and looked through, with any number of members (RFC 1952, 2.2).
 *
 * Everything is read in blocks into one buffer, regular files too: a block stays in the cache while
 * its lines are parsed, and a file that shrinks meanwhile is a short read instead of a SIGBUS.
 * Memory is bounded: of a line longer than INPUT_LINE_BYTES only the part up to the last blank
 * before that is handed out, the rest is skipped.
 */
#ifndef ANALYZER_READ_INPUT_H
#define ANALYZER_READ_INPUT_H

#include "diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define INPUT_LINE_BYTES    (1024 * 1024)
#define INPUT_PEEK_BYTES    512
#define INPUT_HISTORY_BYTES (16 * 1024)

/* Bytes behind a line that may be read (not used), so that a parser can compare words at once. */
#define INPUT_SLACK_BYTES 64

struct input;

/* A line without its end (LF or CRLF). text[bytes] is always '\n', so scanning needs no limit. */
struct input_line {
	const char *text;
	size_t bytes;
	bool ended; /* false for a last line that the input doesn't end with a newline */
};

/*
 * Opens a file for reading. Returns 0, or a negative errno (a folder: -EISDIR) with a message in
 * diag.
 */
int input_open(const char *path, struct input **input, struct diag *diag);

/* The same for a block of memory, which must stay as it is until input_close. 0 or -ENOMEM. */
int input_open_memory(const void *data, size_t bytes, struct input **input);

/*
 * The same for a file that is open, from its begin on; the descriptor is the input's from now on,
 * also on failure. 0 or a negative errno.
 */
int input_open_descriptor(int fd, struct input **input);

/*
 * Looks at the first bytes (behind gzip) without taking them: up to INPUT_PEEK_BYTES, fewer if the
 * input is shorter. Must precede the first input_line. Returns 0 or a negative errno.
 */
int input_peek(struct input *input, const char **data, size_t *bytes);

/*
 * The next line. Returns 1; 0 at the end; a negative errno if reading fails. The line is valid
 * until the next call.
 */
int input_line(struct input *input, struct input_line *line);

/*
 * The next bytes as they are, for formats that aren't lines; not to be mixed with input_line.
 * Returns how many, at least 1 and at most `bytes`; 0 at the end; a negative errno if reading
 * fails.
 */
ssize_t input_read(struct input *input, void *data, size_t bytes);

/*
 * The file that the input is, for readers that jump about in it: a descriptor that stays the
 * input's, to be read at offsets (pread). -1 if it is no regular file, or is read through gzip, or
 * from its middle.
 */
int input_descriptor(const struct input *input);

/* What is still in memory before the line handed out last, up to INPUT_HISTORY_BYTES. */
size_t input_history(const struct input *input, const char **data);

/*
 * Why the data ends before it should, or NULL: a gzip stream that is cut or damaged (what came
 * before it was handed out). Meaningful after input_line or input_read has returned 0.
 */
const char *input_trouble(const struct input *input);

void input_close(struct input *input);

#endif
