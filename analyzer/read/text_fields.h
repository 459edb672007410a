/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "name=value" fields of an event's line, in one pass over it. Only what some event needs is kept;
 * the first of two fields with one name counts.
 */
#ifndef ANALYZER_READ_TEXT_FIELDS_H
#define ANALYZER_READ_TEXT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of text_fields.present. */
enum {
	FIELD_ADDRESS = 1 << 0,
	FIELD_DEVICE = 1 << 1,
	FIELD_LEN = 1 << 2,
	FIELD_RC = 1 << 3,
	FIELD_QUEUE = 1 << 4,
	FIELD_TRANSPORT = 1 << 5,
	FIELD_TRANSPORT_VALID = 1 << 6,
	FIELD_GSO_SIZE = 1 << 7,
	FIELD_GSO_SEGS = 1 << 8,
	FIELD_GSO_TYPE = 1 << 9,
	FIELD_REASON = 1 << 10,
	FIELD_IRQ = 1 << 11,
	FIELD_VEC = 1 << 12,
	FIELD_WORK = 1 << 13,
	FIELD_BUDGET = 1 << 14,
	FIELD_FAMILY = 1 << 15,
	FIELD_PROTOCOL = 1 << 16,
	FIELD_ERROR = 1 << 17,
	FIELD_FLAGS = 1 << 18,
};

/* A part of the line, not terminated. */
struct text_word {
	const char *text;
	size_t bytes;
};

struct text_fields {
	uint32_t present;
	bool bad;         /* a field has a value that it can't have */
	uint64_t address; /* skbaddr, napi; 0 if the kernel hides it: "(____ptrval____)", "(nil)" */
	struct text_word device; /* dev, dev_name, device, name; empty if the kernel blanked it */
	struct text_word reason, family, protocol;
	int64_t len, rc, queue, transport_offset, transport_valid, gso_size, gso_segs, gso_type;
	int64_t irq, vec, work, budget, error, flags;
};

/* A number without sign as %u, %x or %#x print it. False if there is none, or it is too large. */
bool text_parse_number(const char *text, uint64_t *value);

/*
 * Decimal digits without end: of a number that 64 bits can't hold, the largest that they can.
 * Returns what follows, or NULL if there is no digit.
 */
const char *text_parse_count(const char *text, uint64_t *value);

/* "name=value" words, separated by blanks; "reason: VALUE" too. `text` ends with '\n'. */
void text_fields_words(const char *text, struct text_fields *fields);

/* "napi poll on napi struct ADDRESS for device NAME", and on newer kernels "work N budget N". */
void text_fields_napi(const char *text, struct text_fields *fields);

/* "sk address = ADDRESS, family = NAME protocol = NAME, length = N, error = N, flags = 0xN". */
void text_fields_sock(const char *text, struct text_fields *fields);

#endif
