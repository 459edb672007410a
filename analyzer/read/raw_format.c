/* SPDX-License-Identifier: BSD-3-Clause */
#include "raw_format.h"

#include "raw_event.h"
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

/* Adds a step for a number, unless no number can lie so. */
static void bind_number(struct raw_plan *plan, enum kernel_field field, uint32_t offset,
	uint32_t bytes, bool is_signed)
{
	const struct kernel_range *range = &kernel_ranges[field];
	unsigned bits = 8 * bytes;
	uint64_t all;
	bool any;

	if (bytes > 8 || offset + bytes < 8 || offset + bytes > UINT16_MAX)
		return;
	all = UINT64_MAX >> (64 - bits);
	plan->steps[plan->step_count++] = (struct raw_step){
		.end = (uint16_t)(offset + bytes),
		.shift = (uint8_t)(64 - bits),
		.field = (uint8_t)field,
		.mask = is_signed ? UINT64_MAX : all,
	};
	if (is_signed || bits == 64)
		any = range->low <= -(int64_t)(all >> 1) - 1 && range->high >= (int64_t)(all >> 1);
	else
		any = range->low <= 0 && range->high >= (int64_t)all;
	if (!any)
		plan->checks[plan->check_count++] = (uint8_t)field;
	plan->fields.present |= UINT32_C(1) << field;
}

static void bind_text(
	struct raw_plan *plan, enum kernel_field field, const struct tep_format_field *f)
{
	plan->name = (struct raw_text){
		.form = RAW_TEXT_ARRAY,
		.kind = field == FIELD_DEVICE ? NAME_DEVICE : NAME_IRQ,
		.field = field,
		.offset = (uint32_t)f->offset,
		.bytes = (uint32_t)f->size,
	};
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		plan->name.form =
			f->flags & TEP_FIELD_IS_RELATIVE ? RAW_TEXT_RELATIVE : RAW_TEXT_LOCATED;
	plan->fields.present |= UINT32_C(1) << field;
}

/* The first of two fields with one name counts. */
static void bind_field(
	struct raw_plan *plan, enum kernel_field field, const struct tep_format_field *f)
{
	bool text = field == FIELD_DEVICE || field == FIELD_HANDLER;
	bool array = f->flags & TEP_FIELD_IS_ARRAY;
	uint32_t bit = UINT32_C(1) << field;

	if (plan->fields.present & bit || text != array)
		return;
	if (f->offset < 0 || f->offset > UINT16_MAX || f->size <= 0 || f->size > UINT16_MAX ||
		(f->flags & TEP_FIELD_IS_DYNAMIC && f->size != 4))
		return;
	if (text)
		bind_text(plan, field, f);
	else
		bind_number(plan, field, (uint32_t)f->offset, (uint32_t)f->size,
			f->flags & TEP_FIELD_IS_SIGNED);
	if (plan->fields.present & bit && plan->bytes < (size_t)f->offset + (size_t)f->size)
		plan->bytes = (size_t)f->offset + (size_t)f->size;
}

static void bind_fields(struct raw_plan *plan, const struct tep_format_field *f)
{
	for (; f; f = f->next) {
		int field = f->name ? kernel_field_find(plan->kind, f->name) : -1;

		if (field >= 0)
			bind_field(plan, (enum kernel_field)field, f);
	}
}

static int compare_symbols(const void *a, const void *b)
{
	const struct raw_symbol *one = a, *other = b;

	return one->value < other->value ? -1 : one->value > other->value;
}

/* Takes one `{ 12, "NAME" }`. Returns what follows, or NULL. */
static const char *take_symbol(const char *p, struct raw_symbol *symbol)
{
	char *end;

	symbol->value = strtoull(p, &end, 0);
	if (end == p || strncmp(end, ", \"", 3) != 0)
		return NULL;
	symbol->text = end + 3;
	end = strchr(symbol->text, '"');
	if (!end)
		return NULL;
	symbol->bytes = (size_t)(end - symbol->text);
	end = strchr(end, '}');
	return end ? end + 1 : NULL;
}

/*
 * How the kernel prints the reason: __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, …). Only
 * this is taken from the format's code for printing, so only this is read.
 */
static int take_symbols(struct raw_plan *plan, const char *print)
{
	static const char call[] = "__print_symbolic(REC->reason";
	const char *p = strstr(print, call);
	size_t room = 0;

	for (p = p ? strstr(p, ", { ") : NULL; p && !strncmp(p, ", { ", 4);) {
		if (plan->symbol_count == room) {
			struct raw_symbol *symbols;

			room = room ? 2 * room : 128;
			symbols = realloc(plan->symbols, room * sizeof(*symbols));
			if (!symbols)
				return -ENOMEM;
			plan->symbols = symbols;
		}
		p = take_symbol(p + 4, &plan->symbols[plan->symbol_count]);
		plan->symbol_count += p != NULL;
	}
	if (plan->symbol_count)
		qsort(plan->symbols, plan->symbol_count, sizeof(*plan->symbols), compare_symbols);
	return 0;
}

const struct raw_symbol *raw_plan_symbol(const struct raw_plan *plan, uint64_t value)
{
	struct raw_symbol key = { .value = value };

	if (!plan->symbol_count)
		return NULL;
	return bsearch(&key, plan->symbols, plan->symbol_count, sizeof(key), compare_symbols);
}

/* The kind of event that a format is of: its first line is "name: net_dev_xmit". */
static const struct kernel_kind *find_kind(const char *system, const char *format, size_t bytes)
{
	const char *end = memchr(format, '\n', bytes);

	if (!end || end - format < 6 || memcmp(format, "name: ", 6) != 0)
		return NULL;
	return kernel_kind_find(system, strlen(system), format + 6, (size_t)(end - format) - 6);
}

#define WORD "[A-Za-z0-9_]+"

/* "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;" and the like. */
static const char field_line[] =
	"^\tfield:" WORD "([ *]+" WORD ")+(\\[[A-Za-z0-9_]*\\]( " WORD ")?)?;"
	"\toffset:[0-9]{1,5};\tsize:[0-9]{1,5};(\tsigned:[01];)?$";

/* The text up to the first line of fields, with the id. */
static bool begins_well(const char *text, const char **fields, unsigned *id)
{
	int begin = 0, end = 0;

	if (sscanf(text, "name: %*s\nID: %n%5u\n%n", &begin, id, &end) != 1 || !end)
		return false;
	*fields = text + end;
	if (text[begin] < '0' || text[begin] > '9' || strncmp(*fields, "format:\n", 8) != 0)
		return false;
	*fields += 8;
	return true;
}

/*
 * The library trusts the text: it reads on for ever where a quote isn't closed, and behind the end
 * where a bracket isn't. So it gets a copy of what it needs, the lines of fields (the common ones,
 * an empty line, the event's own), each of which was looked at; and nothing to print.
 */
static int copy_fields(const char *fields, const char *print, FILE *out)
{
	bool common = true;
	regex_t regex;
	int error = 0;

	if (regcomp(&regex, field_line, REG_EXTENDED | REG_NOSUB))
		return -ENOMEM;
	while (fields < print && !error) {
		const char *end = memchr(fields, '\n', (size_t)(print - fields));
		char line[256];

		if (!end || end - fields >= (int)sizeof(line)) {
			error = -EINVAL;
			break;
		}
		memcpy(line, fields, (size_t)(end - fields));
		line[end - fields] = '\0';
		fields = end + 1;
		/* the library has a use of its own for that word, and loses memory over it */
		if (line[0] && (regexec(&regex, line, 0, NULL, 0) || strstr(line, "LOCAL_PR_FMT")))
			error = -EINVAL;
		else if (line[0] || common)
			fprintf(out, "%s\n", line);
		common = common && line[0];
	}
	fprintf(out, "%s\nprint fmt: \"x\"\n", common ? "\n" : "");
	regfree(&regex);
	return error;
}

/* Reads the part before `print` with the library. */
static int parse(struct raw_plan *plan, const char *system, const char *print, bool big_endian,
	unsigned long_bytes)
{
	struct tep_handle *tep = NULL;
	const struct tep_event *event;
	const char *fields;
	char *text = NULL;
	size_t bytes;
	FILE *out;
	int error;

	if (!begins_well(plan->text, &fields, &plan->type) || fields > print)
		return -EINVAL;
	out = open_memstream(&text, &bytes);
	if (!out)
		return -ENOMEM;
	fprintf(out, "name: %s\nID: %u\nformat:\n", plan->kind->name, plan->type);
	error = copy_fields(fields, print, out);
	if (fclose(out) || (!error && !(tep = tep_alloc())))
		error = -ENOMEM;
	if (!error) {
		tep_set_loglevel(TEP_LOG_NONE); /* messages are ours to give */
		tep_set_file_bigendian(tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		tep_set_long_size(tep, (int)long_bytes);
		error = tep_parse_event(tep, text, bytes, system) ? -EINVAL : 0;
	}
	event = error ? NULL : tep_get_first_event(tep);
	if (event && !((unsigned)event->flags & TEP_EVENT_FL_FAILED)) {
		bind_fields(plan, event->format.common_fields);
		bind_fields(plan, event->format.fields);
	} else if (!error) {
		error = -EINVAL;
	}
	tep_free(tep);
	free(text);
	return error;
}

/* The event where no field has a number, but those that are absent. */
static struct event bare_event(const struct raw_plan *plan)
{
	struct kernel_fields fields = KERNEL_FIELDS_NONE;
	struct event event = { 0 };

	for (unsigned field = 0; field < FIELD_COUNT; field++) {
		if (plan->fields.present & UINT32_C(1) << field)
			fields.number[field] = 0; /* and no task is present */
	}
	kernel_event_make(plan->kind, &fields, &event);
	return event;
}

static bool is_checked(const struct raw_plan *plan, unsigned field)
{
	return memchr(plan->checks, (int)field, plan->check_count);
}

/*
 * Addresses have 64 bits, and all that needs a check is a number of no sign that fills its place in
 * arg.
 */
static bool can_be_direct(const struct raw_plan *plan)
{
	for (unsigned i = 0; i < plan->check_count; i++) {
		enum kernel_field field = (enum kernel_field)plan->checks[i];
		struct kernel_place place = kernel_field_place(plan->kind, field);
		const struct kernel_range *range = &kernel_ranges[field];

		if (place.word != WORD_ARG || range->low != 0 ||
			(uint64_t)range->high != place.mask)
			return false;
	}
	for (unsigned i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].field == FIELD_ADDRESS && plan->steps[i].shift)
			return false;
	}
	return plan->bytes >= 8 && !plan->kind->special;
}

static void place_number(
	struct raw_plan *plan, const struct raw_step *step, const struct kernel_place *place)
{
	struct raw_direct *direct = &plan->direct;
	/* of a reason's number all is needed to find its name */
	uint64_t mask = step->field == FIELD_REASON ? UINT64_MAX : place->mask;
	struct raw_number number = { step->end, step->shift, place->shift, step->mask & mask,
		is_checked(plan, step->field) ? step->mask & ~mask : 0 };

	if (step->field == FIELD_PROCESS) {
		direct->pid = (struct raw_number){ step->end, step->shift, 0, step->mask, 0 };
	} else if (place->word == WORD_WHAT) {
		direct->len = number;
	} else if (place->word == WORD_PACKET) {
		direct->packet = (uint16_t)(step->end - 8);
		direct->packet_mask = UINT64_MAX;
	} else if (place->word == WORD_ARG) {
		direct->parts[direct->parts[0].mask != 0] = number;
	}
}

static void make_direct(struct raw_plan *plan)
{
	const struct raw_number none = { .end = 8 };
	struct event bare = bare_event(plan);
	struct raw_direct *direct = &plan->direct;

	*direct = (struct raw_direct){
		.possible = true,
		.what = event_what(bare),
		.arg = bare.arg,
		.len = none,
		.parts = { none, none },
		.pid = none,
	};
	for (unsigned i = 0; i < plan->step_count; i++) {
		struct kernel_place place =
			kernel_field_place(plan->kind, (enum kernel_field)plan->steps[i].field);

		place_number(plan, &plan->steps[i], &place);
	}
	if (plan->name.form != RAW_TEXT_NONE)
		direct->name = kernel_field_place(plan->kind, plan->name.field);
	direct->reason = plan->kind->uses & FIELD_BIT(REASON);
	if (plan->fields.present & FIELD_BIT(PROCESS))
		direct->task = plan->kind->task;
}

static int compile(struct raw_plan *plan, const char *system, const char *format, size_t bytes,
	bool big_endian, unsigned long_bytes)
{
	const char *print;
	int error;

	plan->text = strndup(format, bytes);
	if (!plan->text)
		return -ENOMEM;
	print = strstr(plan->text, "print fmt:");
	if (!print)
		print = plan->text + strlen(plan->text);
	error = parse(plan, system, print, big_endian, long_bytes);
	if (!error && plan->kind->uses & FIELD_BIT(REASON))
		error = take_symbols(plan, print);
	if ((plan->fields.present & plan->kind->needs) != plan->kind->needs)
		plan->bytes = SIZE_MAX;
	if (!big_endian && can_be_direct(plan))
		make_direct(plan);
	return error;
}

int raw_format_compile(const char *system, const char *format, size_t bytes, bool big_endian,
	unsigned long_bytes, struct raw_plan **plan, struct diag *diag)
{
	const struct kernel_kind *kind = find_kind(system, format, bytes);
	struct raw_plan *p;
	int error = -EINVAL;

	*plan = NULL;
	if (!kind)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return diag_set(diag, -ENOMEM, "no memory");
	p->kind = kind;
	p->fields = (struct kernel_fields)KERNEL_FIELDS_NONE;
	for (unsigned i = 0; i < RAW_NAMES; i++)
		p->names[i].end = UINT32_MAX;
	if (bytes <= RAW_FORMAT_BYTES)
		error = compile(p, system, format, bytes, big_endian, long_bytes);
	if (error) {
		raw_plan_destroy(p);
		return diag_set(
			diag, error, "the format of %s:%s can't be read", system, kind->name);
	}
	*plan = p;
	return 0;
}

void raw_plan_destroy(struct raw_plan *plan)
{
	if (!plan)
		return;
	free(plan->symbols);
	free(plan->text);
	free(plan);
}
