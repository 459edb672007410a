/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration breaks: work that is held back for a time, and things that get lost. */
#include "device.h"

#include <string.h>

static const struct {
	const char *name;
	bool loses;
} types[] = {
#define X(type, name, loses) [NIC_FAULT_##type] = { #name, loses },
	NIC_FAULTS(X)
#undef X
};

enum nic_fault_type nic_fault_find(const char *name, size_t bytes)
{
	unsigned type = 0;

	while (type < NIC_FAULT_TYPES &&
		(strlen(types[type].name) != bytes || memcmp(types[type].name, name, bytes) != 0))
		type++;
	return type;
}

bool nic_fault_loses(enum nic_fault_type type)
{
	return types[type].loses;
}

/* When the first such fault that holds at `at` lets go; 0 if none does. */
static uint64_t one_holds_until(const struct nic *nic, enum nic_fault_type type, uint64_t at)
{
	for (unsigned i = 0; i < nic->config.fault_count; i++) {
		const struct nic_fault *fault = &nic->config.faults[i];

		if (fault->type != type || at < fault->at)
			continue;
		if (!fault->duration)
			return CYCLES_NEVER;
		if (at < fault->at + fault->duration)
			return fault->at + fault->duration;
	}
	return 0;
}

/* Faults may follow or overlap each other. */
uint64_t fault_held_until(const struct nic *nic, enum nic_fault_type type, uint64_t at)
{
	uint64_t until = 0, next = one_holds_until(nic, type, at);

	while (next) {
		until = next;
		if (until == CYCLES_NEVER)
			break;
		next = one_holds_until(nic, type, until);
	}
	return until;
}

uint64_t fault_cuts_off(const struct nic *nic, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < nic->config.fault_count; i++) {
		const struct nic_fault *fault = &nic->config.faults[i];

		if (fault->type == NIC_FAULT_TX_STOP && fault->at > from && fault->at < to)
			return fault->duration ? fault->at + fault->duration : CYCLES_NEVER;
	}
	return 0;
}

bool fault_loses(struct nic *nic, enum nic_fault_type type, uint64_t now)
{
	for (unsigned i = 0; i < nic->config.fault_count; i++) {
		struct nic_fault *fault = &nic->config.faults[i];

		if (fault->type == type && fault->at <= now && fault->count) {
			fault->count--;
			return true;
		}
	}
	return false;
}
