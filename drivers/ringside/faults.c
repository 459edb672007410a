/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault=tx_stop@1.5;irq_loss@2x3: what a scenario's nic.faults can do, in one line. Seconds count
 * from the start of the port, and each of its queues has the faults for itself.
 */
#include "ringside.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_MOST 86400
#define COUNT_MOST   1000000000
#define DECIMALS     9 /* a nanosecond */

/* Digits, up to `most`. */
static int take_count(const char **text, uint64_t most, uint64_t *value)
{
	const char *first = *text;

	*value = 0;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		*value = *value * 10 + (uint64_t)(**text - '0');
		if (*value > most)
			return -1;
	}
	return *text == first ? -1 : 0;
}

/* 0 to SECONDS_MOST with up to DECIMALS decimals, in ns. */
static int take_seconds(const char **text, uint64_t *ns)
{
	uint64_t whole, unit = CYCLES_NS_PER_S;

	if (take_count(text, SECONDS_MOST, &whole))
		return -1;
	*ns = whole * CYCLES_NS_PER_S;
	if (**text != '.')
		return 0;
	(*text)++;
	for (int i = 0; i < DECIMALS && **text >= '0' && **text <= '9'; i++) {
		unit /= 10;
		*ns += (uint64_t)(*(*text)++ - '0') * unit;
	}
	return unit == CYCLES_NS_PER_S || *ns > SECONDS_MOST * CYCLES_NS_PER_S ? -1 : 0;
}

static int take_fault(const char **text, struct nic_fault *fault)
{
	size_t name = strcspn(*text, "@");
	enum nic_fault_type type = nic_fault_find(*text, name);
	bool loses;

	*text += name;
	if (type == NIC_FAULT_TYPES || !**text)
		return -1;
	(*text)++;
	loses = nic_fault_loses(type);
	*fault = (struct nic_fault){ .type = type, .count = loses };
	if (take_seconds(text, &fault->at))
		return -1;
	if (**text == '+' && !loses) {
		(*text)++;
		return take_seconds(text, &fault->duration);
	}
	if (**text == 'x' && loses) {
		(*text)++;
		return take_count(text, COUNT_MOST, &fault->count) || !fault->count ? -1 : 0;
	}
	return 0;
}

int ringside_faults_parse(struct ringside_args *args, const char *value)
{
	for (args->fault_count = 0; args->fault_count < NIC_FAULTS_MOST; value++) {
		if (take_fault(&value, &args->faults[args->fault_count++]))
			return -1;
		if (!*value)
			return 0;
		if (*value != ';')
			return -1;
	}
	return -1;
}

void ringside_faults_fill(struct nic_config *config, const struct ringside_args *args, uint64_t now)
{
	config->fault_count = args->fault_count;
	for (unsigned i = 0; i < args->fault_count; i++) {
		config->faults[i] = args->faults[i];
		config->faults[i].at = now + cycles_of_ns(args->faults[i].at, config->hz);
		config->faults[i].duration = cycles_of_ns(args->faults[i].duration, config->hz);
	}
}
