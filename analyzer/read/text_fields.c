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
	while (*p != ' ' && *p != '\t' && *p != '\n')
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
static bool first(struct text_fields *f, enum kernel_field field)
{
	uint32_t bit = UINT32_C(1) << field;
	bool is_first = !(f->fields.present & bit);

	f->fields.present |= bit;
	return is_first;
}

/* An integer as %d, %u, %x or %#x print it, in the field's range. Returns the end of the word. */
static const char *take_number(struct text_fields *f, enum kernel_field field, const char *p)
{
	const struct kernel_range *range = &kernel_ranges[field];
	bool negative = *p == '-';
	const char *end;
	uint64_t number = 0;
	int64_t value;

	if (!first(f, field))
		return skip_word(p);
	end = parse_either(p + negative, &number);
	if (end && ends_word(*end) && number <= INT64_MAX) {
		value = negative ? -(int64_t)number : (int64_t)number;
		if (value >= range->low && value <= range->high) {
			f->fields.number[field] = value;
			return end;
		}
	}
	f->bad = true;
	return skip_word(p);
}

/* A pointer: %p prints it hashed and without 0x, %px and the tools' own printing with it. */
static const char *take_address(struct text_fields *f, const char *p)
{
	const char *end;
	uint64_t address;

	if (!first(f, FIELD_ADDRESS))
		return skip_word(p);
	if (*p == '(') /* "(____ptrval____)" before the hash has its key, "(nil)", "(null)" */
		return skip_word(p);
	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	end = parse_hex(p, &address);
	f->fields.number[FIELD_ADDRESS] = (int64_t)address;
	if (end && ends_word(*end))
		return end;
	f->bad = true;
	return skip_word(p);
}

static const char *take_word(
	struct text_fields *f, enum kernel_field field, const char *p, struct text_word *word)
{
	const char *end = p;

	while (!ends_word(*end))
		end++;
	if (first(f, field))
		*word = (struct text_word){ p, (size_t)(end - p) };
	return end;
}

/* A symbol of the kernel's tables, or the number that is printed where it has none; 0: neither. */
static uint64_t symbol_value(const char *text, size_t bytes)
{
	static const struct {
		const char *name;
		uint64_t value;
	} symbols[] = {
		/* linux/socket.h, linux/in.h; include/trace/events/sock.h names all but UDP */
		{ "AF_INET", 2 },
		{ "AF_INET6", 10 },
		{ "IPPROTO_TCP", 6 },
		{ "IPPROTO_UDP", 17 },
		{ "IPPROTO_DCCP", 33 },
		{ "IPPROTO_SCTP", 132 },
		{ "IPPROTO_MPTCP", 262 },
	};
	uint64_t value = 0;

	if (bytes && text[0] >= '0' && text[0] <= '9')
		return parse_either(text, &value) ? value : 0;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (strlen(symbols[i].name) == bytes && !memcmp(symbols[i].name, text, bytes))
			return symbols[i].value;
	}
	return 0;
}

static const char *take_symbol(struct text_fields *f, enum kernel_field field, const char *p)
{
	struct text_word word = { 0 };
	const char *end = take_word(f, field, p, &word);

	if (word.bytes)
		f->fields.number[field] = (int64_t)symbol_value(word.text, word.bytes);
	return end;
}

/* Fields whose name begins with g. */
static const char *take_gso(struct text_fields *f, const char *p)
{
	if (STARTS(p, "gso_size="))
		return take_number(f, FIELD_GSO_SIZE, p + 9);
	if (STARTS(p, "gso_segs="))
		return take_number(f, FIELD_GSO_SEGS, p + 9);
	if (STARTS(p, "gso_type="))
		return take_number(f, FIELD_GSO_TYPE, p + 9);
	return p;
}

static const char *take_transport(struct text_fields *f, const char *p)
{
	if (STARTS(p, "transport_offset="))
		return take_number(f, FIELD_TRANSPORT, p + 17);
	if (STARTS(p, "transport_offset_valid="))
		return take_number(f, FIELD_TRANSPORT_VALID, p + 23);
	return p;
}

/*
 * The names that only one kind of event has, or that only trace-cmd report -R prints. "ret" is the
 * length of a socket's event; others have words there ("ret=handled").
 */
static const char *take_rare(struct text_fields *f, const char *p)
{
	if (STARTS(p, "vec="))
		return take_number(f, FIELD_VEC, p + 4);
	if (STARTS(p, "irq="))
		return take_number(f, FIELD_IRQ, p + 4);
	if (STARTS(p, "work="))
		return take_number(f, FIELD_WORK, p + 5);
	if (STARTS(p, "budget="))
		return take_number(f, FIELD_BUDGET, p + 7);
	if (STARTS(p, "napi="))
		return take_address(f, p + 5);
	if (STARTS(p, "sk="))
		return take_address(f, p + 3);
	if (STARTS(p, "dev_name="))
		return take_word(f, FIELD_DEVICE, p + 9, &f->name);
	if (STARTS(p, "device="))
		return take_word(f, FIELD_DEVICE, p + 7, &f->name);
	if (STARTS(p, "name="))
		return take_word(f, FIELD_DEVICE, p + 5, &f->name);
	if (STARTS(p, "family="))
		return take_symbol(f, FIELD_FAMILY, p + 7);
	if (STARTS(p, "protocol="))
		return take_symbol(f, FIELD_PROTOCOL, p + 9);
	if (STARTS(p, "ret=") && (hex_digit(p[4]) < 10 || p[4] == '-'))
		return take_number(f, FIELD_RESULT, p + 4);
	if (STARTS(p, "flags="))
		return take_number(f, FIELD_FLAGS, p + 6);
	return p;
}

/*
 * The names that most lines have, told apart by their first letter. Returns what follows the field,
 * or `p` if it is none that an event needs.
 */
static const char *take_field(struct text_fields *f, const char *p)
{
	switch (*p) {
	case 's':
		return STARTS(p, "skbaddr=") ? take_address(f, p + 8) : take_rare(f, p);
	case 'l': /* not "location=" */
		return STARTS(p, "len=") ? take_number(f, FIELD_LEN, p + 4) : p;
	case 'q':
		return STARTS(p, "queue_mapping=") ? take_number(f, FIELD_QUEUE, p + 14) : p;
	case 'g':
		return take_gso(f, p);
	case 't':
		return take_transport(f, p);
	case 'r':
		if (STARTS(p, "rc="))
			return take_number(f, FIELD_RC, p + 3);
		if (STARTS(p, "reason: "))
			return take_word(f, FIELD_REASON, skip_blanks(p + 8), &f->reason);
		if (STARTS(p, "reason="))
			return take_word(f, FIELD_REASON, p + 7, &f->reason);
		return take_rare(f, p);
	case 'd':
		return STARTS(p, "dev=") ? take_word(f, FIELD_DEVICE, p + 4, &f->name)
					 : take_rare(f, p);
	case 'v':
	case 'i':
	case 'w':
	case 'b':
	case 'n':
	case 'f':
	case 'p':
		return take_rare(f, p);
	default:
		return p;
	}
}

void text_fields_words(const char *text, struct text_fields *f)
{
	const char *p = text;

	while (*p != '\n')
		p = skip_blanks(skip_word(take_field(f, p)));
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
	p = skip_blanks(take_word(f, FIELD_DEVICE, p, &f->name));
	if (!expect(p, "work "))
		return;
	p = skip_blanks(take_number(f, FIELD_WORK, p + 5));
	if (expect(p, "budget "))
		take_number(f, FIELD_BUDGET, p + 7);
}

/* One "name = value" of the sentence. Returns what follows. */
static const char *take_sock(struct text_fields *f, const char *p)
{
	if (STARTS(p, "family = "))
		return take_symbol(f, FIELD_FAMILY, p + 9);
	if (STARTS(p, "protocol = "))
		return take_symbol(f, FIELD_PROTOCOL, p + 11);
	if (STARTS(p, "length = "))
		return take_number(f, FIELD_RESULT, p + 9);
	if (STARTS(p, "error = "))
		return take_number(f, FIELD_ERROR, p + 8);
	if (STARTS(p, "flags = "))
		return take_number(f, FIELD_FLAGS, p + 8);
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
