/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_fields.h"

#include <string.h>

/*
 * The comparisons below may read behind the end of the line (input.h allows it), but never match
 * there, since no name has a '\n' in it. Their length is constant: they become a load or two.
 */
#define STARTS(p, literal) (!memcmp(p, literal, sizeof(literal) - 1))

static bool ends_word(char c)
{
	return c == ' ' || c == '\n' || c == ',' || c == '\t';
}

static const char *skip_word(const char *p)
{
	while (*p != ' ' && *p != '\n')
		p++;
	return p;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static unsigned hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

/* Hexadecimal digits, at least one and at most 16. Returns what follows, or NULL. */
static const char *parse_hex(const char *p, uint64_t *value)
{
	const char *begin = p;

	*value = 0;
	for (unsigned digit; (digit = hex_digit(*p)) < 16; p++)
		*value = *value << 4 | digit;
	return p > begin && p - begin <= 16 ? p : NULL;
}

/* Decimal digits, at least one and at most 18, which 64 bits hold. What follows, or NULL. */
static const char *parse_decimal(const char *p, uint64_t *value)
{
	const char *begin = p;

	for (*value = 0; *p >= '0' && *p <= '9' && p - begin < 19; p++)
		*value = 10 * *value + (unsigned)(*p - '0');
	return p > begin && p - begin <= 18 ? p : NULL;
}

static const char *parse_either(const char *p, uint64_t *value)
{
	return p[0] == '0' && p[1] == 'x' ? parse_hex(p + 2, value) : parse_decimal(p, value);
}

bool text_parse_number(const char *text, uint64_t *value)
{
	return parse_either(text, value) != NULL;
}

const char *text_parse_count(const char *text, uint64_t *value)
{
	const char *p = text;
	bool too_large = false;

	for (*value = 0; *p >= '0' && *p <= '9'; p++)
		too_large = too_large || __builtin_mul_overflow(*value, 10, value) ||
			    __builtin_add_overflow(*value, (unsigned)(*p - '0'), value);
	if (too_large)
		*value = UINT64_MAX;
	return p > text ? p : NULL;
}

/* Whether this is the first field of its name; a second one is skipped. */
static bool first(struct text_fields *f, uint32_t bit)
{
	bool is_first = !(f->present & bit);

	f->present |= bit;
	return is_first;
}

/* An integer as %d, %u, %x or %#x print it, in [low, high]. Returns the end of the word. */
static const char *take_number(struct text_fields *f, uint32_t bit, const char *p, int64_t low,
	int64_t high, int64_t *value)
{
	bool negative = *p == '-';
	const char *end;
	uint64_t number = 0;

	if (!first(f, bit))
		return skip_word(p);
	end = parse_either(p + negative, &number);
	if (end && ends_word(*end) && number <= INT64_MAX) {
		*value = negative ? -(int64_t)number : (int64_t)number;
		if (*value >= low && *value <= high)
			return end;
		*value = 0;
	}
	f->bad = true;
	return skip_word(p);
}

/* A pointer: %p prints it hashed and without 0x, %px and the tools' own printing with it. */
static const char *take_address(struct text_fields *f, const char *p)
{
	const char *end;

	if (!first(f, FIELD_ADDRESS))
		return skip_word(p);
	if (*p == '(') /* "(____ptrval____)" before the hash has its key, "(nil)", "(null)" */
		return skip_word(p);
	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	end = parse_hex(p, &f->address);
	if (end && ends_word(*end))
		return end;
	f->bad = true;
	return skip_word(p);
}

static const char *take_word(
	struct text_fields *f, uint32_t bit, const char *p, struct text_word *word)
{
	const char *end = p;

	while (!ends_word(*end))
		end++;
	if (first(f, bit))
		*word = (struct text_word){ p, (size_t)(end - p) };
	return end;
}

/* Fields whose name begins with g; false if it is none of them. */
static bool take_gso(struct text_fields *f, const char **p)
{
	if (STARTS(*p, "gso_size="))
		*p = take_number(f, FIELD_GSO_SIZE, *p + 9, 0, UINT16_MAX, &f->gso_size);
	else if (STARTS(*p, "gso_segs="))
		*p = take_number(f, FIELD_GSO_SEGS, *p + 9, 0, UINT16_MAX, &f->gso_segs);
	else if (STARTS(*p, "gso_type="))
		*p = take_number(f, FIELD_GSO_TYPE, *p + 9, 0, UINT32_MAX, &f->gso_type);
	else
		return false;
	return true;
}

static bool take_transport(struct text_fields *f, const char **p)
{
	if (STARTS(*p, "transport_offset="))
		*p = take_number(
			f, FIELD_TRANSPORT, *p + 17, INT32_MIN, INT32_MAX, &f->transport_offset);
	else if (STARTS(*p, "transport_offset_valid="))
		*p = take_number(f, FIELD_TRANSPORT_VALID, *p + 23, 0, 1, &f->transport_valid);
	else
		return false;
	return true;
}

/*
 * The names that only one kind of event has, or that only trace-cmd report -R prints. "ret" is the
 * length of a socket's event; others have words there ("ret=handled").
 */
static bool take_rare(struct text_fields *f, const char **p)
{
	if (STARTS(*p, "vec="))
		*p = take_number(f, FIELD_VEC, *p + 4, 0, UINT8_MAX, &f->vec);
	else if (STARTS(*p, "irq="))
		*p = take_number(f, FIELD_IRQ, *p + 4, INT32_MIN, INT32_MAX, &f->irq);
	else if (STARTS(*p, "work="))
		*p = take_number(f, FIELD_WORK, *p + 5, INT32_MIN, INT32_MAX, &f->work);
	else if (STARTS(*p, "budget="))
		*p = take_number(f, FIELD_BUDGET, *p + 7, INT32_MIN, INT32_MAX, &f->budget);
	else if (STARTS(*p, "napi="))
		*p = take_address(f, *p + 5);
	else if (STARTS(*p, "sk="))
		*p = take_address(f, *p + 3);
	else if (STARTS(*p, "dev_name="))
		*p = take_word(f, FIELD_DEVICE, *p + 9, &f->device);
	else if (STARTS(*p, "device="))
		*p = take_word(f, FIELD_DEVICE, *p + 7, &f->device);
	else if (STARTS(*p, "name="))
		*p = take_word(f, FIELD_DEVICE, *p + 5, &f->device);
	else if (STARTS(*p, "family="))
		*p = take_word(f, FIELD_FAMILY, *p + 7, &f->family);
	else if (STARTS(*p, "protocol="))
		*p = take_word(f, FIELD_PROTOCOL, *p + 9, &f->protocol);
	else if (STARTS(*p, "ret=") && (hex_digit((*p)[4]) < 10 || (*p)[4] == '-'))
		*p = take_number(f, FIELD_LEN, *p + 4, INT32_MIN, UINT32_MAX, &f->len);
	else if (STARTS(*p, "flags="))
		*p = take_number(f, FIELD_FLAGS, *p + 6, INT32_MIN, UINT32_MAX, &f->flags);
	else
		return false;
	return true;
}

/* The names that most lines have, told apart by their first letter. */
static bool take_field(struct text_fields *f, const char **p)
{
	switch (**p) {
	case 's':
		if (!STARTS(*p, "skbaddr="))
			return take_rare(f, p);
		*p = take_address(f, *p + 8);
		return true;
	case 'l':
		if (!STARTS(*p, "len="))
			return false; /* "location=" */
		*p = take_number(f, FIELD_LEN, *p + 4, 0, UINT32_MAX, &f->len);
		return true;
	case 'q':
		if (!STARTS(*p, "queue_mapping="))
			return false;
		*p = take_number(f, FIELD_QUEUE, *p + 14, 0, UINT16_MAX, &f->queue);
		return true;
	case 'g':
		return take_gso(f, p);
	case 't':
		return take_transport(f, p);
	case 'r':
		if (STARTS(*p, "rc="))
			*p = take_number(f, FIELD_RC, *p + 3, INT32_MIN, INT32_MAX, &f->rc);
		else if (STARTS(*p, "reason: "))
			*p = take_word(f, FIELD_REASON, skip_blanks(*p + 8), &f->reason);
		else if (STARTS(*p, "reason="))
			*p = take_word(f, FIELD_REASON, *p + 7, &f->reason);
		else
			return take_rare(f, p);
		return true;
	case 'd':
		if (!STARTS(*p, "dev="))
			return take_rare(f, p);
		*p = take_word(f, FIELD_DEVICE, *p + 4, &f->device);
		return true;
	case 'v':
	case 'i':
	case 'w':
	case 'b':
	case 'n':
	case 'f':
	case 'p':
		return take_rare(f, p);
	default:
		return false;
	}
}

void text_fields_words(const char *text, struct text_fields *f)
{
	const char *p = text;

	while (*p != '\n') {
		take_field(f, &p);
		p = skip_blanks(skip_word(p));
	}
}

/* The next word of a sentence if it is this one, else NULL. */
static const char *expect(const char *p, const char *words)
{
	size_t bytes = strlen(words);

	return p && !strncmp(p, words, bytes) ? p + bytes : NULL;
}

void text_fields_napi(const char *text, struct text_fields *f)
{
	const char *p = expect(text, "napi poll on napi struct ");

	if (!p) {
		text_fields_words(text, f);
		return;
	}
	p = expect(skip_blanks(take_address(f, p)), "for device ");
	if (!p) {
		f->bad = true;
		return;
	}
	p = skip_blanks(take_word(f, FIELD_DEVICE, p, &f->device));
	if (!expect(p, "work "))
		return;
	p = skip_blanks(take_number(f, FIELD_WORK, p + 5, INT32_MIN, INT32_MAX, &f->work));
	if (expect(p, "budget "))
		take_number(f, FIELD_BUDGET, p + 7, INT32_MIN, INT32_MAX, &f->budget);
}

/* One "name = value" of the sentence. Returns what follows. */
static const char *take_sock(struct text_fields *f, const char *p)
{
	if (STARTS(p, "family = "))
		return take_word(f, FIELD_FAMILY, p + 9, &f->family);
	if (STARTS(p, "protocol = "))
		return take_word(f, FIELD_PROTOCOL, p + 11, &f->protocol);
	if (STARTS(p, "length = "))
		return take_number(f, FIELD_LEN, p + 9, INT32_MIN, UINT32_MAX, &f->len);
	if (STARTS(p, "error = "))
		return take_number(f, FIELD_ERROR, p + 8, INT32_MIN, INT32_MAX, &f->error);
	if (STARTS(p, "flags = "))
		return take_number(f, FIELD_FLAGS, p + 8, INT32_MIN, UINT32_MAX, &f->flags);
	return skip_word(p);
}

void text_fields_sock(const char *text, struct text_fields *f)
{
	const char *p = expect(text, "sk address = ");

	if (!p) {
		text_fields_words(text, f);
		return;
	}
	for (p = take_address(f, p); *p != '\n'; p = take_sock(f, p)) {
		while (*p == ' ' || *p == ',' || *p == '\t')
			p++;
		if (*p == '\n')
			break;
	}
}
