/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_diff.h"

#include "diff_figures.h"
#include "object.h"
#include "print.h"
#include "words.h"
#include <inttypes.h>
#include <stdlib.h>

static const char *verdict_of(const struct transmit_table *table)
{
	return table ? words_verdict_name(table->verdict) : NULL;
}

static json_t *value_json(const struct figure *figure, struct figure_value value)
{
	if (!value.known)
		return json_null();
	if (figure->unit == FIGURE_COUNT)
		return report_number((uint64_t)value.value);
	return json_real(value.value);
}

static json_t *compared_json(
	const struct figure *figure, struct figure_value a, struct figure_value b)
{
	struct object object = object_begin();

	object_put(&object, "a", value_json(figure, a));
	object_put(&object, "b", value_json(figure, b));
	object_put(&object, "ratio",
		a.known && b.known ? object_ratio(b.value, a.value) : json_null());
	return object_end(&object);
}

static json_t *device_json(
	const struct report *a, const struct report *b, const struct diff_pair *pair)
{
	struct object object = object_begin(), packed = object_begin();
	bool ns = diff_in_ns(a, b);

	object_put(&object, "name", object_text(pair->name));
	object_put(&object, "in_a", json_boolean(pair->a));
	object_put(&object, "in_b", json_boolean(pair->b));
	for (unsigned i = 0; i < diff_figure_count; i++) {
		const struct figure *figure = &diff_figures[i];
		json_t *json = compared_json(figure, figure_value(figure, pair->a, a, ns),
			figure_value(figure, pair->b, b, ns));

		if (figure->unit == FIGURE_TIME)
			object_put_time(&object, figure->key, ns, json);
		else
			object_put(&object, figure->key, json);
	}
	object_put(&packed, "a", object_text(verdict_of(pair->a)));
	object_put(&packed, "b", object_text(verdict_of(pair->b)));
	object_put(&object, "packed", object_end(&packed));
	return object_end(&object);
}

/* All devices together, each packet once. */
static json_t *total_json(const struct report *a, const struct report *b)
{
	static const struct figure whole = { .unit = FIGURE_COUNT };
	const struct transmit_report *from = a->transmit, *to = b->transmit;
	struct object object = object_begin();

	object_put(&object, "packets",
		compared_json(&whole, (struct figure_value){ true, (double)from->total_tx_packets },
			(struct figure_value){ true, (double)to->total_tx_packets }));
	object_put(&object, "in_device_max",
		compared_json(&whole,
			(struct figure_value){ true, (double)from->total_in_device_max },
			(struct figure_value){ true, (double)to->total_in_device_max }));
	return object_end(&object);
}

json_t *report_diff_json(const struct report *a, const struct report *b)
{
	struct object object = object_begin(), devices = object_begin_array();
	unsigned at[2] = { 0 };
	struct diff_pair pair;

	while (diff_next(a, b, at, &pair))
		object_append(&devices, device_json(a, b, &pair));
	object_put(&object, "schema", json_string("ringside.diff/1"));
	object_put(&object, "complete", json_boolean(report_complete(a) && report_complete(b)));
	object_put(&object, "a", report_json(a));
	object_put(&object, "b", report_json(b));
	object_put(&object, "devices", object_end(&devices));
	object_put(&object, "total", total_json(a, b));
	return object_end(&object);
}

/* "-" where nobody knows. */
static void print_value(FILE *out, const struct figure *figure, struct figure_value value, bool ns)
{
	char text[32] = "-";

	if (!value.known)
		;
	else if (figure->unit == FIGURE_COUNT)
		snprintf(text, sizeof(text), "%.0f", value.value);
	else if (figure->unit == FIGURE_SHARE)
		snprintf(text, sizeof(text), "%.1f %%", 100 * value.value);
	else if (figure->unit == FIGURE_TIME && ns)
		snprintf(text, sizeof(text), "%.6f", value.value / 1e6);
	else
		snprintf(text, sizeof(text), "%.*f", figure->unit == FIGURE_NUMBER ? 2 : 1,
			value.value);
	fprintf(out, " %14s", text);
}

static void print_figure(const struct report *a, const struct report *b,
	const struct diff_pair *pair, const struct figure *figure, FILE *out)
{
	bool ns = diff_in_ns(a, b);
	struct figure_value from = figure_value(figure, pair->a, a, ns);
	struct figure_value to = figure_value(figure, pair->b, b, ns);
	char label[64];

	if (from.value == 0 && to.value == 0)
		return; /* nothing to compare */
	snprintf(label, sizeof(label), "%s%s", figure->label,
		figure->unit != FIGURE_TIME ? ""
		: ns                        ? " (msec)"
					    : " (cycles)");
	fprintf(out, PRINT_INDENT "%-26s", label);
	print_value(out, figure, from, ns);
	print_value(out, figure, to, ns);
	if (from.known && to.known && from.value > 0)
		fprintf(out, " %8.3f\n", to.value / from.value);
	else
		fprintf(out, " %8s\n", "-");
}

static void print_device(
	const struct report *a, const struct report *b, const struct diff_pair *pair, FILE *out)
{
	const char *from = verdict_of(pair->a), *to = verdict_of(pair->b);
	const char *where = pair->a && pair->b ? "" : pair->a ? "is only in A" : "is only in B";

	print_name(out, "\n%-7s", pair->name);
	fprintf(out, " %-26s %14s %14s %8s\n", where, "A", "B", "B/A");
	for (unsigned i = 0; i < diff_figure_count; i++)
		print_figure(a, b, pair, &diff_figures[i], out);
	fprintf(out, PRINT_INDENT "%-26s %14s %14s\n", "ring", from ? from : "-", to ? to : "-");
}

static void print_side(const char *which, const struct report *report, FILE *out)
{
	struct print_line line;
	FILE *to;

	print_incomplete(out, report->counts);
	to = print_begin_line(&line, out);
	fprintf(to, "%s: ", which);
	print_name(to, "%s: ", report->source->file);
	print_events(to, report->counts, report->transmit->used);
	print_source(to, report->source);
	print_end_line(&line, "", out);
}

void report_diff_text(const struct report *a, const struct report *b, FILE *out)
{
	unsigned at[2] = { 0 };
	struct diff_pair pair;

	print_side("A", a, out);
	print_side("B", b, out);
	while (diff_next(a, b, at, &pair))
		print_device(a, b, &pair, out);
	if (!at[0] && !at[1])
		fputs("Nothing was transmitted in either trace.\n", out);
}
