/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of settings: one row a key, with all that is needed to check a value, store it, print it
 * and explain it. settings.c holds the rows, setting.c what is done with them.
 */
#ifndef SIM_SCENARIO_SETTING_H
#define SIM_SCENARIO_SETTING_H

#include "scenario.h"

#define KEY_MOST 64 /* bytes of a dotted path */

enum setting_type {
	SETTING_COUNT,  /* uint64_t, a whole number */
	SETTING_NUMBER, /* double */
	SETTING_SWITCH, /* bool: true or false */
	SETTING_CHOICE, /* char[SCENARIO_TEXT_BYTES], one of `choices` */
	SETTING_TEXT,   /* the same, any text */
};

struct setting {
	const char *key;  /* dotted path; in the table of a list's items the last part alone */
	const char *only; /* of a workload: the types that have it, "a|b"; NULL: all have */
	enum setting_type type;
	size_t offset; /* in struct scenario, or in the struct of the list's items */
	double least, most;
	double finest;             /* of a number: smaller ones that aren't 0 would become 0 */
	uint64_t multiple;         /* a count must be a multiple of this; 0: any */
	const char *default_value; /* as it would be written; NULL: unset */
	const char *choices;       /* "a|b" */
	const char *unit;
	const char *help;
	const char *range; /* in words, where `least` and `most` don't say it */
	const char *unset; /* what an unset value means */
	/* says what is wrong with a value in range, or NULL */
	const char *(*check)(uint64_t value);
};

/*
 * A key whose value is a list of mappings, each of the keys in `items`.
 *
 * Where it overrides, a key that an item doesn't give is the scenario's of the same name. Which
 * ones it gives, a bit mask in the item says: one bit a row of `items`, then one a list of `lists`.
 */
struct setting_list {
	const char *key;
	const struct setting *items;
	const struct setting_list *lists; /* keys of an item that are lists themselves; NULL: none
					   */
	size_t offset, item_bytes, count_offset; /* in struct scenario, or in the outer item */
	size_t given_offset;                     /* where it overrides: of the mask in the item */
	unsigned most;
	bool overrides; /* and --set takes whole paths */
	const char *help;
};

extern const struct setting settings[]; /* ended by a row without key */
extern const struct setting_list setting_lists[];

/* The row of a key, or NULL. */
const struct setting *setting_find(const struct setting *table, const char *key);
const struct setting_list *setting_list_find(const char *key);

/* Notes that an item has a key of its own, by its row or its inner list; nothing where it doesn't
 * override. */
void setting_give(const struct setting_list *list, void *item, const struct setting *setting);
void setting_give_list(
	const struct setting_list *list, void *item, const struct setting_list *inner);

/* What an item doesn't give becomes the scenario's. */
void setting_inherit(const struct setting_list *list, void *item, const struct scenario *scenario);

/*
 * Stores a value that stands at `place` ("file:line" or "--set"). `base` is the scenario or the
 * list's item. Returns 0 or -EINVAL.
 */
int setting_store(const struct setting *setting, void *base, const char *value, const char *place,
	struct diag *diag);

/* Refuses an unknown key: names the place and the nearest known one. Returns -EINVAL. */
int setting_unknown(const char *key, const char *place, struct diag *diag);
int setting_unknown_item(
	const struct setting_list *list, const char *key, const char *place, struct diag *diag);

/* Every key to its default, or unset. */
void setting_defaults(const struct setting *table, void *base);

/*
 * --set: "key=value", the key a dotted path, or its last part where only one key ends so. A key
 * given twice is refused.
 */
int setting_set(
	struct scenario *scenario, const char *const *set, unsigned count, struct diag *diag);

/* driver.bql becomes on or off: auto is on where profile and kernel have them. 0, or -EINVAL. */
int setting_settle_bql(struct scenario_driver *driver, const struct host_kernel *kernel,
	const char *place, struct diag *diag);

/* A value as text, as it would be written in a file. */
void setting_print(const struct setting *setting, const void *base, char *text, size_t bytes);

/* All settings as an object, nested as in a file. */
json_t *setting_json(const struct scenario *scenario, enum scenario_use use);

/* Does the key mean anything there? Keys of lists begin with the list's. */
bool setting_applies(const char *key, enum scenario_use use);

/* Does this item of a list have such a key? */
bool setting_item_applies(const struct setting *setting, const void *item);

/*
 * What the clock and everything else have to do with each other, before the profile has decided
 * what it decides. 0 or -EINVAL.
 */
int scenario_check_clock(const struct scenario *scenario, const char *place, struct diag *diag);

/*
 * When all keys are read: what was left to profile and kernel is filled in, and what one row can't
 * know is checked. Returns 0, or -EINVAL with a message that begins with `place`.
 */
int scenario_settle(struct scenario *scenario, const char *place, struct diag *diag);

/* The whole key of an assignment "key=value" that setting_set has taken. */
const char *setting_assigned(const char *assignment);

#endif
