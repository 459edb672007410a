/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpus.h"

#include <stdlib.h>
#include <string.h>

static int grow(struct cpus *cpus, unsigned cpu)
{
	unsigned room = cpus->room ? cpus->room : 8;
	void **states;

	while (room <= cpu)
		room *= 2;
	states = realloc(cpus->states, room * sizeof(*states));
	if (!states)
		return -1;
	memset(states + cpus->room, 0, (room - cpus->room) * sizeof(*states));
	cpus->states = states;
	cpus->room = room;
	return 0;
}

void *cpus_get(struct cpus *cpus, unsigned cpu)
{
	cpu %= CPUS_MOST;
	if (cpu >= cpus->room && grow(cpus, cpu))
		return NULL;
	if (!cpus->states[cpu])
		cpus->states[cpu] = calloc(1, cpus->bytes);
	return cpus->states[cpu];
}

void cpus_forget(struct cpus *cpus)
{
	for (unsigned cpu = 0; cpu < cpus->room; cpu++) {
		if (cpus->states[cpu])
			memset(cpus->states[cpu], 0, cpus->bytes);
	}
}

void cpus_clear(struct cpus *cpus)
{
	for (unsigned cpu = 0; cpu < cpus->room; cpu++)
		free(cpus->states[cpu]);
	free(cpus->states);
	cpus->states = NULL;
	cpus->room = 0;
}
