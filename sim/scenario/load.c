/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The YAML side, by libfyaml: it refuses duplicate keys by itself, and each of its nodes knows its
 * line, so that a refusal names the place.
 */
#include "setting.h"

#include <errno.h>
#include <inttypes.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BYTES 4200 /* a path as long as the kernel takes, and a line number */

struct loader {
	struct scenario *scenario;
	const char *file;
	struct diag *diag;
	char place[PLACE_BYTES]; /* file:line of the node that is looked at */
};

/* Only scalars know their line; a list or a mapping stands where its key does, seen just before. */
static const char *place_of(struct loader *loader, struct fy_node *node)
{
	const struct fy_mark *mark = NULL;
	struct fy_token *token = node ? fy_node_get_scalar_token(node) : NULL;

	if (token)
		mark = fy_token_start_mark(token);
	if (mark)
		snprintf(loader->place, sizeof(loader->place), "%s:%d", loader->file,
			mark->line + 1);
	return loader->place;
}

static bool copy_scalar(struct fy_node *node, char *text, size_t bytes)
{
	size_t length = 0;
	const char *scalar = fy_node_get_scalar(node, &length);

	if (!scalar || length >= bytes || memchr(scalar, '\0', length))
		return false;
	memcpy(text, scalar, length);
	text[length] = '\0';
	return true;
}

/* Anchors could make a small file a huge one, and a tag promises another type than the table's. */
static int refuse_extras(struct loader *loader, struct fy_node *node)
{
	size_t bytes;

	if (fy_node_is_alias(node))
		return diag_set(
			loader->diag, -EINVAL, "%s: aliases (*) aren't taken", loader->place);
	if (fy_node_get_tag(node, &bytes))
		return diag_set(loader->diag, -EINVAL, "%s: tags (!) aren't taken", loader->place);
	return 0;
}

/* "key:" with nothing behind it. */
static bool is_nothing(struct fy_node *node)
{
	size_t bytes = 0;
	const char *text;

	if (!node)
		return true;
	if (!fy_node_is_scalar(node) || fy_node_is_alias(node) ||
		fy_node_get_style(node) != FYNS_PLAIN)
		return false;
	text = fy_node_get_scalar(node, &bytes);
	return !bytes || (bytes == 1 && *text == '~') || (bytes == 4 && !memcmp(text, "null", 4));
}

static int load_value(
	struct loader *loader, const struct setting *setting, void *base, struct fy_node *node)
{
	const char *place = place_of(loader, node);
	bool text = setting->type == SETTING_TEXT || setting->type == SETTING_CHOICE;
	char value[SCENARIO_TEXT_BYTES];

	if (!fy_node_is_scalar(node))
		return diag_set(loader->diag, -EINVAL,
			"%s: %s: takes one value, not a list or a mapping", place, setting->key);
	if (!text && fy_node_get_style(node) != FYNS_PLAIN)
		return diag_set(loader->diag, -EINVAL, "%s: %s: a quoted text where a %s belongs",
			place, setting->key, setting->type == SETTING_SWITCH ? "switch" : "number");
	if (!copy_scalar(node, value, sizeof(value)))
		return diag_set(loader->diag, -EINVAL, "%s: %s: the value is longer than %zu bytes",
			place, setting->key, sizeof(value) - 1);
	return setting_store(setting, base, value, place, loader->diag);
}

static bool is_item_group(const struct setting_list *list, const char *path)
{
	size_t bytes = strlen(path);

	for (const struct setting *s = list->items; s->key; s++) {
		if (!strncmp(s->key, path, bytes) && s->key[bytes] == '.')
			return true;
	}
	return false;
}

static int load_list(
	struct loader *loader, const struct setting_list *list, void *base, struct fy_node *node);

/* An item's key that is a list itself. Returns 1 if `key` is none, else 0 or a negative errno. */
static int load_inner_list(struct loader *loader, const struct setting_list *list, void *base,
	const char *key, struct fy_node *node)
{
	for (const struct setting_list *inner = list->lists; inner && inner->key; inner++) {
		if (strcmp(inner->key, key))
			continue;
		setting_give_list(list, base, inner);
		return load_list(loader, inner, base, node);
	}
	return 1;
}

/* A key of a list's item that has one value. */
static int load_item_value(struct loader *loader, const struct setting_list *list, void *base,
	const struct setting *setting, struct fy_node *node)
{
	setting_give(list, base, setting);
	return load_value(loader, setting, base, node);
}

/* The keys of a list's item, from `path` on. */
static int load_item_keys(struct loader *loader, const struct setting_list *list, void *base,
	const char *path, struct fy_node *node)
{
	struct fy_node_pair *pair;
	void *state = NULL;
	int error = 0;

	if (!fy_node_is_mapping(node))
		return diag_set(loader->diag, -EINVAL, "%s: %s: %s is a mapping of keys",
			place_of(loader, node), list->key, *path ? path : "each item");
	while (!error && (pair = fy_node_mapping_iterate(node, &state))) {
		struct fy_node *key_node = fy_node_pair_key(pair);
		const struct setting *setting;
		char key[SCENARIO_TEXT_BYTES], inner[2 * SCENARIO_TEXT_BYTES];

		if (!key_node || !copy_scalar(key_node, key, sizeof(key)))
			return diag_set(loader->diag, -EINVAL,
				"%s: %s: a key that is no plain text", place_of(loader, key_node),
				list->key);
		place_of(loader, key_node);
		if (refuse_extras(loader, fy_node_pair_value(pair)))
			return -EINVAL;
		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "", key);
		setting = strchr(key, '.') ? NULL : setting_find(list->items, inner);
		if (setting)
			error = load_item_value(
				loader, list, base, setting, fy_node_pair_value(pair));
		else if (!*path && is_item_group(list, key))
			error = load_item_keys(loader, list, base, key, fy_node_pair_value(pair));
		else
			error = load_inner_list(
				loader, list, base, inner, fy_node_pair_value(pair));
		if (error > 0)
			error = setting_unknown_item(list, inner, loader->place, loader->diag);
	}
	return error;
}

static int load_item(
	struct loader *loader, const struct setting_list *list, void *base, struct fy_node *node)
{
	setting_defaults(list->items, base);
	return load_item_keys(loader, list, base, "", node);
}

static int load_list(
	struct loader *loader, const struct setting_list *list, void *base, struct fy_node *node)
{
	unsigned *count = (unsigned *)((char *)base + list->count_offset);
	struct fy_node *item;
	void *state = NULL;

	if (!fy_node_is_sequence(node))
		return diag_set(loader->diag, -EINVAL, "%s: %s: takes a list",
			place_of(loader, node), list->key);
	*count = 0;
	while ((item = fy_node_sequence_iterate(node, &state))) {
		int error;

		if (*count == list->most)
			return diag_set(loader->diag, -EINVAL, "%s: %s: more than %u items",
				place_of(loader, item), list->key, list->most);
		error = load_item(loader, list,
			(char *)base + list->offset + *count * list->item_bytes, item);
		if (error)
			return error;
		++*count;
	}
	return 0;
}

/* Is there a key below this path? */
static bool is_group(const char *path)
{
	size_t bytes = strlen(path);

	for (const struct setting *s = settings; s->key; s++) {
		if (!strncmp(s->key, path, bytes) && s->key[bytes] == '.')
			return true;
	}
	return false;
}

static int load_mapping(struct loader *loader, const char *path, struct fy_node *node);

static int load_pair(struct loader *loader, const char *path, struct fy_node_pair *pair)
{
	struct fy_node *key_node = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
	char key[SCENARIO_TEXT_BYTES], inner[2 * SCENARIO_TEXT_BYTES];
	const struct setting *setting;
	const struct setting_list *list;

	if (!key_node || !copy_scalar(key_node, key, sizeof(key)))
		return diag_set(loader->diag, -EINVAL, "%s: a key that is no plain text",
			place_of(loader, key_node));
	place_of(loader, key_node);
	snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "", key);
	if (strchr(key, '.'))
		return diag_set(loader->diag, -EINVAL,
			"%s: %.80s: a file has mappings, one in the other, where --set has dots",
			loader->place, key);
	if (refuse_extras(loader, value))
		return -EINVAL;
	setting = setting_find(settings, inner);
	list = setting_list_find(inner);
	if (setting)
		return load_value(loader, setting, loader->scenario, value);
	if (list)
		return load_list(loader, list, loader->scenario, value);
	if (!is_group(inner))
		return setting_unknown(inner, place_of(loader, key_node), loader->diag);
	if (is_nothing(value))
		return 0;
	if (!fy_node_is_mapping(value))
		return diag_set(loader->diag, -EINVAL, "%s: %s: takes a mapping of keys",
			place_of(loader, key_node), inner);
	return load_mapping(loader, inner, value);
}

static int load_mapping(struct loader *loader, const char *path, struct fy_node *node)
{
	struct fy_node_pair *pair;
	void *state = NULL;
	int error = 0;

	while (!error && (pair = fy_node_mapping_iterate(node, &state)))
		error = load_pair(loader, path, pair);
	return error;
}

/* The first of the library's complaints, with its place. */
static int syntax_error(struct loader *loader, struct fy_diag *complaints)
{
	void *state = NULL;
	struct fy_diag_error *first = fy_diag_errors_iterate(complaints, &state);

	const char *text = "";
	size_t bytes = 0;

	if (!first)
		return diag_set(loader->diag, -EINVAL, "%s: not YAML", loader->file);
	if (first->fyt) /* of a duplicate key this is the key */
		text = fy_token_get_text(first->fyt, &bytes);
	return diag_set(loader->diag, -EINVAL, "%s:%d: %s%s%.*s", loader->file, first->line,
		first->msg, bytes ? ": " : "", bytes < 80 ? (int)bytes : 80, text ? text : "");
}

static int read_file(const char *path, char **text, size_t *bytes, struct diag *diag)
{
	enum { MOST = 64 << 10 }; /* libfyaml's time grows with the square of the keys */
	FILE *in = fopen(path, "r");
	int error = 0;

	if (!in)
		return diag_set(diag, -errno, "%s: %s", path, strerror(errno));
	*text = malloc(MOST);
	if (!*text) {
		fclose(in);
		return diag_set(diag, -ENOMEM, "%s: no memory", path);
	}
	*bytes = fread(*text, 1, MOST, in);
	if (ferror(in))
		error = diag_set(diag, -EIO, "%s: can't be read: %s", path, strerror(errno));
	else if (*bytes == MOST)
		error = diag_set(diag, -EFBIG, "%s: larger than 64 KiB: no scenario", path);
	else if (memchr(*text, '\0', *bytes))
		error = diag_set(diag, -EINVAL, "%s: binary, not YAML", path);
	fclose(in);
	if (error)
		free(*text);
	return error;
}

/* libfyaml takes a byte that isn't UTF-8 for the end of the file, and what follows would be lost.
 */
static int check_encoding(const char *file, const char *text, size_t bytes, struct diag *diag)
{
	const char *end = text + bytes;

	for (int line = 1; text < end; line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		json_t *string = json_stringn(text, length);

		if (!string)
			return diag_set(diag, -EINVAL, "%s:%d: not UTF-8", file, line);
		json_decref(string);
		text += length + 1;
	}
	return 0;
}

/* Nothing but blanks and comments: libfyaml has no document for that, and it is valid. */
static bool is_blank(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '#') {
			while (i < bytes && text[i] != '\n')
				i++;
		} else if (!strchr(" \t\r\n", text[i])) {
			return false;
		}
	}
	return true;
}

/* A second document would be dropped, keys and all. */
static int refuse_another(
	struct loader *loader, struct fy_parser *parser, struct fy_diag *complaints)
{
	struct fy_document *document = fy_parse_load_document(parser);

	if (document) {
		fy_document_destroy(document);
		return diag_set(loader->diag, -EINVAL,
			"%s: more than one YAML document; a scenario is one", loader->file);
	}
	return fy_diag_got_error(complaints) ? syntax_error(loader, complaints) : 0;
}

static int load_text(struct loader *loader, const char *text, size_t bytes)
{
	struct fy_diag_cfg diag_config;
	struct fy_diag *complaints;
	struct fy_parse_cfg config = { .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 };
	struct fy_document *document;
	struct fy_parser *parser;
	struct fy_node *root;
	int error;

	fy_diag_cfg_default(&diag_config);
	diag_config.fp = NULL;
	complaints = fy_diag_create(&diag_config);
	if (!complaints)
		return diag_set(loader->diag, -ENOMEM, "%s: no memory", loader->file);
	fy_diag_set_collect_errors(complaints, true);
	config.diag = complaints;
	parser = fy_parser_create(&config);
	if (!parser || fy_parser_set_string(parser, text, bytes)) {
		fy_parser_destroy(parser);
		fy_diag_destroy(complaints);
		return diag_set(loader->diag, -ENOMEM, "%s: no memory", loader->file);
	}
	document = fy_parse_load_document(parser);
	root = document ? fy_document_root(document) : NULL;
	if (!document && fy_diag_got_error(complaints))
		error = syntax_error(loader, complaints);
	else if (is_nothing(root))
		error = 0; /* an empty document: every key has a default */
	else if (refuse_extras(loader, root))
		error = -EINVAL;
	else if (!fy_node_is_mapping(root))
		error = diag_set(loader->diag, -EINVAL, "%s: a scenario is a mapping of keys",
			place_of(loader, root));
	else
		error = load_mapping(loader, "", root);
	if (!error)
		error = refuse_another(loader, parser, complaints);
	fy_document_destroy(document);
	fy_parser_destroy(parser);
	fy_diag_destroy(complaints);
	return error;
}

int scenario_load(struct scenario *scenario, const char *file, const char *const *set,
	unsigned count, struct diag *diag)
{
	const char *name = file ? file : "(no file)";
	struct loader loader = { .scenario = scenario, .file = name, .diag = diag };
	char *text = NULL;
	size_t bytes = 0;
	int error = 0;

	memset(scenario, 0, sizeof(*scenario));
	setting_defaults(settings, scenario);
	setting_defaults(setting_list_find("workload")->items, &scenario->workloads[0]);
	scenario->workload_count = 1;
	scenario->file = name;
	snprintf(loader.place, sizeof(loader.place), "%s", name);
	if (file) {
		error = read_file(file, &text, &bytes, diag);
		if (error)
			return error;
		error = check_encoding(name, text, bytes, diag);
		if (!error && !is_blank(text, bytes))
			error = load_text(&loader, text, bytes);
		free(text);
	}
	if (!error)
		error = setting_set(scenario, set, count, diag);
	if (error)
		return error;
	if (count)
		snprintf(loader.place, sizeof(loader.place), "%s with --set", name);
	else
		snprintf(loader.place, sizeof(loader.place), "%s", name);
	return scenario_settle(scenario, loader.place, diag);
}
