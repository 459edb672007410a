/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of --vdev=net_ringside0,key=value: one row each, all that is said of a bad one. */
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <rte_kvargs.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define UNSET UINT64_MAX /* the profile decides */

/* Takes a value that is no plain number. Returns 0, or -1: it is not one of those. */
typedef int (*take_fn)(struct ringside_args *args, const char *value);

struct argument {
	const char *key;
	size_t offset; /* of a number in struct ringside_args */
	uint64_t least, most, default_value;
	take_fn take;       /* NULL: a number */
	const char *limits; /* as the log has it */
};

static int take_profile(struct ringside_args *args, const char *value)
{
	args->profile = e1000e_profile_find(value);
	return args->profile ? 0 : -1;
}

static int take_checksum(struct ringside_args *args, const char *value)
{
	args->checksum_always = !strcmp(value, "always");
	return args->checksum_always || !strcmp(value, "offload") ? 0 : -1;
}

static int take_clean(struct ringside_args *args, const char *value)
{
	static const char *const names[] = { "irq", "threshold", "lazy" };

	for (size_t i = 0; i < RTE_DIM(names); i++) {
		if (!strcmp(value, names[i])) {
			args->clean = (enum ringside_clean)i;
			return 0;
		}
	}
	return -1;
}

/* Of RINGSIDE_PATH_BYTES. */
static int take_text(char *text, const char *value)
{
	if (strlen(value) >= RINGSIDE_PATH_BYTES)
		return -1;
	strcpy(text, value);
	return 0;
}

static int take_wire(struct ringside_args *args, const char *value)
{
	const char *argument;

	args->wire = ringside_wire_find(value, &argument);
	return args->wire ? take_text(args->wire_argument, argument) : -1;
}

static int take_pace(struct ringside_args *args, const char *value)
{
	args->pace = !strcmp(value, "line") ? RINGSIDE_PACE_LINE : RINGSIDE_PACE_STAMPS;
	return args->pace == RINGSIDE_PACE_LINE || !strcmp(value, "stamps") ? 0 : -1;
}

static int take_trace(struct ringside_args *args, const char *value)
{
	return *value ? take_text(args->trace, value) : -1;
}

static int take_itr(struct ringside_args *args, const char *value)
{
	char *end;
	uint64_t rate = strtoull(value, &end, 10);

	if (!*value || *end || strspn(value, "0123456789") != strlen(value))
		return -1;
	args->itr = rate;
	return e1000e_throttle_kind(rate) != E1000E_THROTTLE_INVALID ? 0 : -1;
}

static int take_speed(struct ringside_args *args, const char *value)
{
	char *end;

	args->speed = strtoull(value, &end, 10);
	if (!*value || *end || strspn(value, "0123456789") != strlen(value))
		return -1;
	return args->speed == 0 || (args->speed >= 10 && args->speed <= 100000) ? 0 : -1;
}

#define AT(member) offsetof(struct ringside_args, member)

static const struct argument arguments[] = {
	{ .key = "profile", .take = take_profile, .limits = "linux-2.6.35, linux-6.1 or dpdk-em" },
	{ .key = "itr",
		.take = take_itr,
		.limits = "0, the modes 1, 3 and 4, or 100 to 100000 interrupts a second" },
	{ "tidv", AT(tidv), 0, 65535, UNSET, NULL, "0 to 65535, of 1.024 us" },
	{ "tadv", AT(tadv), 0, 65535, UNSET, NULL, "0 to 65535, of 1.024 us" },
	{ "rdtr", AT(rdtr), 0, 65535, 0, NULL, "0 to 65535, of 1.024 us" },
	{ "radv", AT(radv), 0, 65535, 8, NULL, "0 to 65535, of 1.024 us" },
	{ .key = "speed", .take = take_speed, .limits = "0 (unlimited) or 10 to 100000 Mbit/s" },
	{ "reserve", AT(reserve), 0, 1000, UNSET, NULL, "0 to 1000 descriptors" },
	{ .key = "checksum", .take = take_checksum, .limits = "offload or always" },
	{ .key = "clean", .take = take_clean, .limits = "irq, threshold or lazy" },
	{ .key = "wire",
		.take = take_wire,
		.limits = "sink, loop, peer:NAME, pcap:IN,OUT or tap:IFNAME" },
	{ .key = "pace", .take = take_pace, .limits = "stamps or line" },
	{ .key = "fault", .take = ringside_faults_parse, .limits = RINGSIDE_FAULT_LIMITS },
	{ .key = "trace", .take = take_trace, .limits = "a folder" },
	{ "seed", AT(seed), 0, INT64_MAX, 1, NULL, "a whole number" },
	{ 0 },
};

static const struct argument *find(const char *key)
{
	for (const struct argument *a = arguments; a->key; a++) {
		if (!strcmp(a->key, key))
			return a;
	}
	return NULL;
}

static int take(const char *key, const char *value, void *opaque)
{
	struct ringside_args *args = opaque;
	const struct argument *argument = find(key);
	uint64_t number;
	char *end;

	if (!argument) {
		RINGSIDE_LOG(ERR, "%s=%s: no such argument; there are " RINGSIDE_ARGUMENTS "\n",
			key, value ? value : "");
		return -EINVAL;
	}
	if (value && argument->take && !argument->take(args, value))
		return 0;
	if (value && !argument->take && *value && strspn(value, "0123456789") == strlen(value)) {
		errno = 0;
		number = strtoull(value, &end, 10);
		if (!errno && number >= argument->least && number <= argument->most) {
			*(uint64_t *)((char *)args + argument->offset) = number;
			return 0;
		}
	}
	RINGSIDE_LOG(ERR, "%s=%s: it takes %s\n", key, value ? value : "", argument->limits);
	return -EINVAL;
}

static void set_defaults(struct ringside_args *args)
{
	*args = (struct ringside_args){ .profile = &e1000e_profiles[0],
		.itr = 1000,
		.speed = 1000,
		.clean = RINGSIDE_CLEAN_UNSET };
	take_wire(args, "sink");
	for (const struct argument *a = arguments; a->key; a++) {
		if (!a->take)
			*(uint64_t *)((char *)args + a->offset) = a->default_value;
	}
}

static void from_profile(uint64_t *value, uint64_t profile)
{
	if (*value == UNSET)
		*value = profile;
}

/* wire=pcap:IN,OUT is split at its comma: OUT looks like a key without a value. */
static bool is_capture(
	const struct ringside_args *args, const struct rte_kvargs *pairs, unsigned index)
{
	return index && args->wire == &ringside_wire_pcap &&
	       !strcmp(pairs->pairs[index - 1].key, "wire") && !pairs->pairs[index].value &&
	       !find(pairs->pairs[index].key);
}

static int take_pair(struct ringside_args *args, const struct rte_kvargs *pairs, unsigned index)
{
	const char *key = pairs->pairs[index].key, *value = pairs->pairs[index].value;

	if (is_capture(args, pairs, index) && !take_text(args->capture, key))
		return 0;
	if (rte_kvargs_count(pairs, key) == 1)
		return take(key, value, args);
	RINGSIDE_LOG(ERR, "%s=%s: given more than once\n", key, value ? value : "");
	return -EINVAL;
}

/* Nothing is ignored: there must be a replay that it paces. */
static int check_pace(const struct ringside_args *args)
{
	if (args->pace == RINGSIDE_PACE_UNSET ||
		(args->wire == &ringside_wire_pcap && *args->wire_argument))
		return 0;
	RINGSIDE_LOG(ERR, "pace=%s: it takes a replay, wire=pcap:IN,OUT\n",
		args->pace == RINGSIDE_PACE_LINE ? "line" : "stamps");
	return -EINVAL;
}

static int complete(struct ringside_args *args)
{
	const struct e1000e_profile *profile = args->profile;

	if (profile->never_stops && args->reserve != UNSET) {
		RINGSIDE_LOG(ERR, "reserve=%" PRIu64 ": the queue of profile=%s never stops\n",
			args->reserve, profile->name);
		return -EINVAL;
	}
	from_profile(&args->tidv, profile->tidv);
	from_profile(&args->tadv, profile->tadv);
	from_profile(&args->reserve, profile->reserve);
	if (args->clean == RINGSIDE_CLEAN_UNSET)
		args->clean = profile->never_stops ? RINGSIDE_CLEAN_THRESHOLD : RINGSIDE_CLEAN_IRQ;
	return 0;
}

int ringside_args_parse(struct ringside_args *args, const char *parameters)
{
	struct rte_kvargs *pairs;
	int error = 0;

	set_defaults(args);
	if (parameters && *parameters) {
		pairs = rte_kvargs_parse(parameters, NULL);
		if (!pairs) {
			RINGSIDE_LOG(ERR, "%s: arguments are key=value, separated by commas\n",
				parameters);
			return -EINVAL;
		}
		for (unsigned i = 0; i < pairs->count && !error; i++)
			error = take_pair(args, pairs, i);
		rte_kvargs_free(pairs);
	}
	if (!error)
		error = check_pace(args);
	return error ? error : complete(args);
}
