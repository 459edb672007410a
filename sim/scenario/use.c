/* SPDX-License-Identifier: BSD-3-Clause */
/* Which keys mean something where: in virtual time, in real time, between two kernels. */
#include "setting.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LWIP_RECEIVE "lwip_receive"

/* The beginnings of keys that a use knows nothing to do with, less those of `but`. */
static const struct {
	const char *name;
	const char *others[11];
	const char *but;
} uses[] = {
	[SCENARIO_RUN] = { "run in virtual time", { NULL } },
	[SCENARIO_RECEIVE] = { "run with the clock tsc",
		{ "driver.bql", "driver.thread", "driver.napi_", "driver.gro_", "host.",
			"published.", "nics" },
		"host.dev_weight" },
	[SCENARIO_LIVE] = { "live",
		{ "duration_s", "clock", "driver.bql", "driver.thread", "driver.napi_",
			"driver.gro_", "host.", "workload", "published.", "nics" } },
};

enum scenario_use scenario_use_of(const struct scenario *scenario)
{
	return strcmp(scenario->clock, "tsc") ? SCENARIO_RUN : SCENARIO_RECEIVE;
}

bool setting_applies(const char *key, enum scenario_use use)
{
	if (uses[use].but && !strcmp(key, uses[use].but))
		return true;
	for (const char *const *others = uses[use].others; *others; others++) {
		if (!strncmp(key, *others, strlen(*others)))
			return false;
	}
	return true;
}

bool setting_item_applies(const struct setting *setting, const void *item)
{
	const struct scenario_workload *workload = item;

	/* no type's name is a part of another's */
	return !setting->only || strstr(setting->only, workload->type);
}

/* As it is without being given; a key that the profile decides must not be decided yet. */
static bool is_default(const struct setting *setting, const void *base)
{
	const char *value = (const char *)base + setting->offset;
	char text[SCENARIO_TEXT_BYTES];

	if (!setting->default_value)
		return setting->type == SETTING_NUMBER ? isnan(*(const double *)value)
						       : *(const uint64_t *)value == SCENARIO_UNSET;
	setting_print(setting, base, text, sizeof(text));
	return !strcmp(text, setting->default_value);
}

/* Refuses what is another use's and was given all the same. */
static int check_keys(const struct scenario *scenario, enum scenario_use use, const char *place,
	struct diag *diag)
{
	for (const struct setting *s = settings; s->key; s++) {
		if (!setting_applies(s->key, use) && !is_default(s, scenario))
			return diag_set(diag, -EINVAL, "%s: %s: ringside %s has no use for it",
				place, s->key, uses[use].name);
	}
	return 0;
}

static int check_items(
	const struct scenario_workload *workload, const char *place, struct diag *diag)
{
	for (const struct setting *s = setting_list_find("workload")->items; s->key; s++) {
		if (!setting_item_applies(s, workload) && !is_default(s, workload))
			return diag_set(diag, -EINVAL, "%s: workload: %s: of %s; %s has none",
				place, s->key, s->only, workload->type);
	}
	return 0;
}

int scenario_check_clock(const struct scenario *scenario, const char *place, struct diag *diag)
{
	bool real = scenario_use_of(scenario) == SCENARIO_RECEIVE;

	for (unsigned i = 0; i < scenario->workload_count; i++) {
		const struct scenario_workload *workload = &scenario->workloads[i];

		if (real != !strcmp(workload->type, LWIP_RECEIVE))
			return diag_set(diag, -EINVAL,
				"%s: workload: type: %s: not with the clock %s; %s", place,
				workload->type, scenario->clock,
				real ? "that takes " LWIP_RECEIVE : "that takes tsc");
		if (check_items(workload, place, diag))
			return -EINVAL;
	}
	if (real && scenario->workload_count != 1)
		return diag_set(diag, -EINVAL,
			"%s: workload: the clock tsc takes one " LWIP_RECEIVE, place);
	return real ? check_keys(scenario, SCENARIO_RECEIVE, place, diag) : 0;
}

int scenario_check_use(const struct scenario *scenario, enum scenario_use use,
	const char *const *set, unsigned count, struct diag *diag)
{
	for (unsigned i = 0; i < count; i++) {
		if (!setting_applies(setting_assigned(set[i]), use))
			return diag_set(diag, -EINVAL,
				"--set: %.80s: ringside %s has no use for it", set[i],
				uses[use].name);
	}
	if (scenario->device_count && !setting_applies("nics", use))
		return diag_set(diag, -EINVAL, "%s: nics: ringside %s has no use for it",
			scenario->file, uses[use].name);
	return use == SCENARIO_RUN ? check_keys(scenario, use, scenario->file, diag) : 0;
}
