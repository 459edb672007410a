/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format text of a tracepoint becomes a plan for reading its records.
 */
#ifndef ANALYZER_READ_RAW_FORMAT_H
#define ANALYZER_READ_RAW_FORMAT_H

#include "diag.h"
#include "kernel_event.h"

/*
 * A number. Whatever its size, 8 bytes are loaded of which it is the last (its end is 8 at least);
 * in a little-endian record it is in their upper bits.
 *
 * It becomes a field, from which the event is made, or in a direct plan at once a part of the
 * event.
 */
struct raw_step {
	uint16_t end;
	uint8_t shift; /* 64 less the bits it has */
	uint8_t field; /* enum kernel_field */
	uint64_t mask; /* of a number without sign: the bits it has; else all */
};

/* A number that is at once put where it belongs in a word of the event. */
struct raw_number {
	uint16_t end; /* as in raw_step; 8, with a mask of 0, where there is none */
	uint8_t shift;
	uint8_t to; /* to the left, after the mask */
	uint64_t mask;
	uint64_t excess; /* bits that must be 0 */
};

/*
 * Most kinds of events are little more than their numbers, which at most need a check of their
 * upper bits. Of a little-endian record they are put together without taking them through fields.
 */
struct raw_direct {
	bool possible;
	uint64_t what, arg; /* words of the event, without numbers and names */
	struct raw_number len, parts[2];
	uint16_t packet;      /* where its 8 bytes begin */
	uint64_t packet_mask; /* 0: there is none */
	bool reason;          /* parts[0] is one, which becomes the index of its name */
	struct kernel_place name;
	struct kernel_place task; /* where one more than the index of the task's name goes, */
	struct raw_number pid;    /* which the record tells so */
};

enum raw_text_form {
	RAW_TEXT_NONE,
	RAW_TEXT_ARRAY,    /* of `bytes` bytes, here */
	RAW_TEXT_LOCATED,  /* 32 bits here: its length, and its offset (lower half) in the record */
	RAW_TEXT_RELATIVE, /* the same, but the offset is from the end of these */
};

struct raw_text {
	enum raw_text_form form;
	enum name_kind kind;
	enum kernel_field field;
	uint32_t offset, bytes;
};

#define RAW_NAMES 4 /* that are kept, of each kind of event */

/*
 * A short name as it lies in a record, and its index. It is compared as two words: the 8 bytes that
 * end with it and, of a longer one, the 8 that begin it.
 */
struct raw_name {
	uint32_t location;        /* as in the record, of RAW_TEXT_LOCATED and _RELATIVE */
	uint32_t end;             /* bytes up to its end; UINT32_MAX: there is no name */
	uint32_t low_at, high_at; /* where the words begin in the record */
	uint64_t low, high;
	uint64_t low_mask, high_mask; /* what is compared of them; 0: nothing */
	int index;
};

/* The name of a reason's number. */
struct raw_symbol {
	uint64_t value;
	const char *text; /* not terminated */
	size_t bytes;
};

struct raw_plan {
	const struct kernel_kind *kind;
	unsigned type; /* the event's id in this trace */
	size_t bytes; /* that a record has at least; SIZE_MAX: the format lacks what it must have */
	struct raw_step steps[FIELD_COUNT];
	unsigned step_count;
	uint8_t checks[FIELD_COUNT]; /* fields whose bits can hold more than may be */
	unsigned check_count;
	struct raw_text name; /* of the device, or of the interrupt's handler */

	struct raw_direct direct;

	/* Filled anew by each record. What the format doesn't have stays as it is here. */
	struct kernel_fields fields;

	struct raw_symbol *symbols; /* in the order of their values */
	size_t symbol_count;
	char *text; /* the format, which holds the symbols' texts */

	struct raw_name names[RAW_NAMES]; /* that were looked up last */
	unsigned next_name;
	bool reason_named; /* the last reason that was looked up, and its index */
	uint64_t reason_value;
	int reason_index;
};

/*
 * Makes the plan of an event; *plan is NULL if it is of no use here. 0; -EINVAL with a message if
 * the text can't be read, -ENOMEM.
 */
int raw_format_compile(const char *system, const char *format, size_t bytes, bool big_endian,
	unsigned long_bytes, struct raw_plan **plan, struct diag *diag);

/* The symbol of a value, or NULL. */
const struct raw_symbol *raw_plan_symbol(const struct raw_plan *plan, uint64_t value);

void raw_plan_destroy(struct raw_plan *plan);

#endif
