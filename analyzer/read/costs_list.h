/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plain list of receive costs: numbers of clock ticks, a packet each, oldest first, with blanks
 * or line ends between them. Brackets and commas are blanks here, so that the rows that a driver's
 * log prints ("[ 52 73 41 ]") can be given as they are.
 *
 * Nobody takes it for a trace without having asked for it (reader_options.costs). It becomes a
 * trace in which packet follows packet: receive_begin, receive, and receive_end after the cost.
 */
#ifndef ANALYZER_READ_COSTS_LIST_H
#define ANALYZER_READ_COSTS_LIST_H

#include "reader_impl.h"

/* Whether an input that begins with these bytes is such a list, as far as can be seen. */
bool costs_list_recognised(const char *data, size_t bytes);

/* As reader_open_input. */
int costs_list_open(struct input *input, const char *file, const struct reader_options *options,
	struct reader **reader, struct diag *diag);

#endif
