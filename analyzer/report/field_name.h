/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields of events that stand for a name: which name that is.
 */
#ifndef ANALYZER_REPORT_FIELD_NAME_H
#define ANALYZER_REPORT_FIELD_NAME_H

#include "event.h"
#include "names.h"
#include <stdbool.h>

/* The name that the field's bits stand for; NULL if the field is a number, or has no name. */
const char *field_name(const struct names *names, const struct event_field *field, uint64_t bits);

/*
 * The kind of name that the field stands for, or NAME_KINDS; *from is what its bits are for the
 * name with index 0.
 */
enum name_kind field_kind(const struct event_field *field, unsigned *from);

/* The field stands for a name, and the trace doesn't tell it. */
bool field_is_untold(const struct event_field *field, uint64_t bits);

#endif
