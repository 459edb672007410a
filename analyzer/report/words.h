/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the numbers mean, in sentences for a person. A tab in them is a blank at which a line must
 * not be broken.
 */
#ifndef ANALYZER_REPORT_WORDS_H
#define ANALYZER_REPORT_WORDS_H

#include "report.h"

/* "packed", "not packed" or "unknown". */
const char *words_verdict_name(enum verdict verdict);

/* Does the ring pack, how is that known, and what follows. A line of at most 400 characters. */
void words_verdict(const struct transmit_table *table, char *text, size_t bytes);

/* Packets that should have left the device by the end of the trace; "" if there are none. */
void words_inside(const struct transmit_table *table, uint64_t hz, char *text, size_t bytes);

/* What limits the trust in the device's figures; "" if nothing does. */
void words_doubts(const struct transmit_table *table, char *text, size_t bytes);

/* Why the input isn't whole; "" if it is. */
void words_incomplete(const struct trace_counts *counts, char *text, size_t bytes);

#endif
