/* SPDX-License-Identifier: BSD-3-Clause */
#include "setting.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct setting *setting_find(const struct setting *table, const char *key)
{
	for (; table->key; table++) {
		if (!strcmp(table->key, key))
			return table;
	}
	return NULL;
}

const struct setting_list *setting_list_find(const char *key)
{
	for (const struct setting_list *list = setting_lists; list->key; list++) {
		if (!strcmp(list->key, key))
			return list;
	}
	return NULL;
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

/* Levenshtein's distance, of keys of at most KEY_MOST bytes. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[KEY_MOST + 1];
	size_t length = strlen(b);

	if (strlen(a) > KEY_MOST || length > KEY_MOST)
		return UINT32_MAX;
	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= length; j++) {
			unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
			unsigned other = (row[j - 1] < row[j] ? row[j - 1] : row[j]) + 1;

			diagonal = row[j];
			row[j] = replace < other ? replace : other;
		}
	}
	return row[length];
}

/* A key of the table is as near as its nearest form: the whole path, or its last part. */
static void nearer(const char *key, const char *candidate, const char **best, unsigned *least)
{
	unsigned whole = distance(key, candidate);
	unsigned last = distance(last_part(key), last_part(candidate));
	unsigned here = whole < last ? whole : last;

	if (here < *least) {
		*least = here;
		*best = candidate;
	}
}

int setting_unknown(const char *key, const char *place, struct diag *diag)
{
	const struct setting_list *list = setting_list_find(key);
	unsigned least = UINT32_MAX;
	const char *best = "";
	size_t bytes = strlen(key);

	if (list)
		return diag_set(diag, -EINVAL, "%s: %s is a list; its items have keys, as %s.%s",
			place, key, key, list->items->key);
	for (const struct setting *s = settings; s->key; s++) {
		if (!strncmp(s->key, key, bytes) && s->key[bytes] == '.')
			return diag_set(
				diag, -EINVAL, "%s: %s has keys in it, as %s", place, key, s->key);
	}
	for (const struct setting *s = settings; s->key; s++)
		nearer(key, s->key, &best, &least);
	for (const struct setting_list *l = setting_lists; l->key; l++)
		nearer(key, l->key, &best, &least);
	return diag_set(
		diag, -EINVAL, "%s: unknown key %.80s; the nearest is %s", place, key, best);
}

int setting_unknown_item(
	const struct setting_list *list, const char *key, const char *place, struct diag *diag)
{
	unsigned least = UINT32_MAX;
	const char *best = "";

	for (const struct setting *s = list->items; s->key; s++)
		nearer(key, s->key, &best, &least);
	return diag_set(diag, -EINVAL, "%s: unknown key %.80s of %s; the nearest is %s", place, key,
		list->key, best);
}

static int refuse(const struct setting *setting, const char *value, const char *place,
	struct diag *diag, const char *reason)
{
	return diag_set(diag, -EINVAL, "%s: %s: %.80s: %s", place, setting->key, value, reason);
}

/* "64 to 4096, a multiple of 8, descriptors" */
static void range_text(const struct setting *setting, char *text, size_t bytes)
{
	char multiple[48] = "";

	if (setting->multiple)
		snprintf(multiple, sizeof(multiple), ", a multiple of %" PRIu64, setting->multiple);
	if (setting->range)
		snprintf(text, bytes, "%s%s%s", setting->range, setting->unit ? ", " : "",
			setting->unit ? setting->unit : "");
	else
		snprintf(text, bytes, "%.15g to %.15g%s%s%s", setting->least, setting->most,
			multiple, setting->unit ? ", " : "", setting->unit ? setting->unit : "");
}

static int store_count(const struct setting *setting, uint64_t *out, const char *value,
	const char *place, struct diag *diag)
{
	char reason[160], range[120];
	const char *wrong;
	uint64_t count;
	char *end;

	if (!*value || strspn(value, "0123456789") != strlen(value)) {
		snprintf(reason, sizeof(reason), "not a whole number%s%s",
			setting->unit ? "; the unit is " : "", setting->unit ? setting->unit : "");
		return refuse(setting, value, place, diag, reason);
	}
	errno = 0;
	count = strtoull(value, &end, 10);
	wrong = errno ? "too large" : setting->check ? setting->check(count) : NULL;
	if (wrong)
		return refuse(setting, value, place, diag, wrong);
	if (count < (uint64_t)setting->least || count > (uint64_t)setting->most ||
		(setting->multiple && count % setting->multiple)) {
		range_text(setting, range, sizeof(range));
		snprintf(reason, sizeof(reason), "out of range (%s)", range);
		return refuse(setting, value, place, diag, reason);
	}
	*out = count;
	return 0;
}

static int store_number(const struct setting *setting, double *out, const char *value,
	const char *place, struct diag *diag)
{
	char reason[160], range[120];
	double number;
	char *end;

	/* strtod takes more than YAML does: hexadecimal, infinity, blanks */
	number = strtod(value, &end);
	if (!*value || *end || strspn(value, "0123456789.eE+-") != strlen(value)) {
		snprintf(reason, sizeof(reason), "not a number%s%s",
			setting->unit ? "; the unit is " : "", setting->unit ? setting->unit : "");
		return refuse(setting, value, place, diag, reason);
	}
	if (!(number >= setting->least && number <= setting->most)) {
		range_text(setting, range, sizeof(range));
		snprintf(reason, sizeof(reason), "out of range (%s)", range);
		return refuse(setting, value, place, diag, reason);
	}
	if (number > 0 && number < setting->finest) {
		snprintf(reason, sizeof(reason), "finer than %.15g, which is a nanosecond",
			setting->finest);
		return refuse(setting, value, place, diag, reason);
	}
	*out = number;
	return 0;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t bytes = strlen(value);

	while (*choices) {
		size_t n = strcspn(choices, "|");

		if (n == bytes && !memcmp(choices, value, n))
			return true;
		choices += n + (choices[n] == '|');
	}
	return false;
}

/* What a terminal can print and JSON can hold. */
static bool is_plain(const char *text)
{
	json_t *string = json_string(text);

	if (!string)
		return false;
	json_decref(string);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

static int store_text(const struct setting *setting, char *out, const char *value,
	const char *place, struct diag *diag)
{
	char reason[160];

	if (setting->choices && !is_choice(setting->choices, value)) {
		snprintf(reason, sizeof(reason), "not one of %s", setting->choices);
		return refuse(setting, value, place, diag, reason);
	}
	if (!is_plain(value))
		return refuse(
			setting, value, place, diag, "has control characters, or isn't UTF-8");
	if (strlen(value) >= SCENARIO_TEXT_BYTES)
		return refuse(setting, value, place, diag, "longer than 159 bytes");
	strcpy(out, value);
	return 0;
}

int setting_store(const struct setting *setting, void *base, const char *value, const char *place,
	struct diag *diag)
{
	void *out = (char *)base + setting->offset;

	switch (setting->type) {
	case SETTING_COUNT:
		return store_count(setting, out, value, place, diag);
	case SETTING_NUMBER:
		return store_number(setting, out, value, place, diag);
	case SETTING_SWITCH:
		if (strcmp(value, "true") && strcmp(value, "false"))
			return refuse(setting, value, place, diag, "neither true nor false");
		*(bool *)out = !strcmp(value, "true");
		return 0;
	default:
		return store_text(setting, out, value, place, diag);
	}
}

void setting_defaults(const struct setting *table, void *base)
{
	for (; table->key; table++) {
		void *out = (char *)base + table->offset;

		if (table->default_value)
			setting_store(table, base, table->default_value, "default", NULL);
		else if (table->type == SETTING_COUNT)
			*(uint64_t *)out = SCENARIO_UNSET;
		else
			*(double *)out = NAN;
	}
}

static unsigned rows_of(const struct setting *table)
{
	unsigned rows = 0;

	while (table[rows].key)
		rows++;
	return rows;
}

static uint64_t *given_of(const struct setting_list *list, void *item)
{
	return (uint64_t *)((char *)item + list->given_offset);
}

void setting_give(const struct setting_list *list, void *item, const struct setting *setting)
{
	if (list->overrides)
		*given_of(list, item) |= UINT64_C(1) << (setting - list->items);
}

void setting_give_list(
	const struct setting_list *list, void *item, const struct setting_list *inner)
{
	if (list->overrides)
		*given_of(list, item) |=
			UINT64_C(1) << (rows_of(list->items) + (unsigned)(inner - list->lists));
}

static size_t bytes_of(const struct setting *setting)
{
	static const size_t bytes[] = {
		[SETTING_COUNT] = sizeof(uint64_t),
		[SETTING_NUMBER] = sizeof(double),
		[SETTING_SWITCH] = sizeof(bool),
		[SETTING_CHOICE] = SCENARIO_TEXT_BYTES,
		[SETTING_TEXT] = SCENARIO_TEXT_BYTES,
	};

	return bytes[setting->type];
}

void setting_inherit(const struct setting_list *list, void *item, const struct scenario *scenario)
{
	const char *base = (const char *)scenario;
	uint64_t given = *given_of(list, item);

	for (const struct setting *s = list->items; s->key; s++, given >>= 1) {
		const struct setting *from = setting_find(settings, s->key);

		if (from && !(given & 1))
			memcpy((char *)item + s->offset, base + from->offset, bytes_of(s));
	}
	for (const struct setting_list *l = list->lists; l && l->key; l++, given >>= 1) {
		const struct setting_list *from = setting_list_find(l->key);

		if (given & 1)
			continue;
		memcpy((char *)item + l->offset, base + from->offset, l->most * l->item_bytes);
		memcpy((char *)item + l->count_offset, base + from->count_offset, sizeof(unsigned));
	}
}

/* Where a key of --set stands: in a list, it is meant for each of its items. */
struct target {
	const struct setting *setting;
	const struct setting_list *list;
	unsigned found;
};

static bool names_key(const char *wanted, const char *path, const char *last)
{
	return !strcmp(wanted, path) || !strcmp(wanted, last);
}

static struct target find_target(const char *key)
{
	struct target target = { 0 };
	char path[2 * KEY_MOST];

	for (const struct setting *s = settings; s->key; s++) {
		if (!strcmp(key, s->key))
			return (struct target){ .setting = s, .found = 1 };
		if (names_key(key, s->key, last_part(s->key))) {
			target.setting = s;
			target.found++;
		}
	}
	for (const struct setting_list *list = setting_lists; list->key; list++) {
		for (const struct setting *s = list->items; s->key; s++) {
			snprintf(path, sizeof(path), "%s.%s", list->key, s->key);
			if (!strcmp(key, path))
				return (struct target){ s, list, 1 };
			if (!list->overrides && names_key(key, path, s->key)) {
				target.setting = s;
				target.list = list;
				target.found++;
			}
		}
	}
	return target;
}

static int find_assigned(
	const char *assignment, struct target *target, char *key, struct diag *diag)
{
	const char *equals = strchr(assignment, '=');

	if (!equals || equals == assignment)
		return diag_set(diag, -EINVAL, "--set %.80s: it takes key=value", assignment);
	if (equals - assignment >= KEY_MOST)
		return diag_set(diag, -EINVAL, "--set %.80s: no key is so long", assignment);
	memcpy(key, assignment, (size_t)(equals - assignment));
	key[equals - assignment] = '\0';
	*target = find_target(key);
	if (!target->found)
		return setting_unknown(key, "--set", diag);
	if (target->found > 1)
		return diag_set(diag, -EINVAL,
			"--set: %u keys end with %s; name one with its whole path", target->found,
			key);
	return 0;
}

/* A key of a list's items is set in each of them. */
static int assign(struct scenario *scenario, const struct target *target, const char *key,
	const char *value, struct diag *diag)
{
	const struct setting_list *list = target->list;
	unsigned count;
	int error = 0;

	if (!list)
		return setting_store(target->setting, scenario, value, "--set", diag);
	count = *(unsigned *)((char *)scenario + list->count_offset);
	if (!count)
		return diag_set(diag, -EINVAL, "--set: %s: the list %s is empty", key, list->key);
	for (unsigned i = 0; i < count && !error; i++) {
		void *item = (char *)scenario + list->offset + i * list->item_bytes;

		setting_give(list, item, target->setting);
		error = setting_store(target->setting, item, value, "--set", diag);
	}
	return error;
}

int setting_set(
	struct scenario *scenario, const char *const *set, unsigned count, struct diag *diag)
{
	struct target target = { 0 }, earlier = { 0 };
	char key[KEY_MOST], other[KEY_MOST];

	for (unsigned i = 0; i < count; i++) {
		int error = find_assigned(set[i], &target, key, diag);

		for (unsigned j = 0; j < i && !error; j++) {
			if (!find_assigned(set[j], &earlier, other, NULL) &&
				earlier.setting == target.setting)
				error = diag_set(
					diag, -EINVAL, "--set: %s: given more than once", key);
		}
		if (!error)
			error = assign(scenario, &target, key, strchr(set[i], '=') + 1, diag);
		if (error)
			return error;
	}
	return 0;
}

const char *setting_assigned(const char *assignment)
{
	struct target target;
	char key[KEY_MOST];

	if (find_assigned(assignment, &target, key, NULL))
		return "";
	return target.list ? target.list->key : target.setting->key;
}

void setting_print(const struct setting *setting, const void *base, char *text, size_t bytes)
{
	const void *value = (const char *)base + setting->offset;

	switch (setting->type) {
	case SETTING_COUNT:
		snprintf(text, bytes, "%" PRIu64, *(const uint64_t *)value);
		break;
	case SETTING_NUMBER:
		snprintf(text, bytes, "%.15g", *(const double *)value);
		break;
	case SETTING_SWITCH:
		snprintf(text, bytes, "%s", *(const bool *)value ? "true" : "false");
		break;
	default:
		snprintf(text, bytes, "%s", (const char *)value);
	}
}

static void help_row(FILE *out, const char *prefix, const struct setting *setting, bool overrides)
{
	char range[120] = "", key[2 * KEY_MOST];
	const char *default_value = "none";

	snprintf(key, sizeof(key), "%s%s", prefix, setting->key);
	if (setting->choices)
		snprintf(range, sizeof(range), "%s", setting->choices);
	else if (setting->type == SETTING_SWITCH)
		snprintf(range, sizeof(range), "true|false");
	else if (setting->type == SETTING_TEXT)
		snprintf(range, sizeof(range), "text");
	else
		range_text(setting, range, sizeof(range));
	if (overrides && setting->type != SETTING_TEXT)
		default_value = "the scenario's";
	else if (setting->default_value)
		default_value = setting->default_value;
	else if (setting->unset)
		default_value = setting->unset;
	fprintf(out, "%-30s %s [%s]\n%-30s %s\n", key, range, default_value, "", setting->help);
}

void scenario_help(FILE *out)
{
	fputs("Keys of a scenario file: range and unit [default], and what it is.\n\n", out);
	for (const struct setting *s = settings; s->key; s++)
		help_row(out, "", s, false);
	for (const struct setting_list *list = setting_lists; list->key; list++) {
		fprintf(out, "\n%s: a list of up to %u: %s\n", list->key, list->most, list->help);
		for (const struct setting *s = list->items; s->key; s++)
			help_row(out, "  - ", s, list->overrides);
		for (const struct setting_list *l = list->lists; l && l->key; l++)
			fprintf(out, "  - %-26s as above [the scenario's]\n", l->key);
	}
}
