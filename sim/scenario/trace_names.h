/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run's events call things: devices, their interrupts, tasks, and why a packet was dropped.
 */
#ifndef SIM_SCENARIO_TRACE_NAMES_H
#define SIM_SCENARIO_TRACE_NAMES_H

#include "scenario.h"

#define SCENARIO_DROP_REASON 1 /* by the queueing discipline */

/* Tasks: first the processes that read what is received, then the devices' NAPI threads. */
#define SCENARIO_READER_TASK(receiver) (receiver)
#define SCENARIO_THREAD_TASK(device)   (HOST_RECEIVERS_MOST + (device))

/* New names, which are the caller's whatever is returned (NULL if there is no memory). 0 or a
 * negative errno. */
int scenario_names(struct names **names, const struct scenario *scenario);

/* Writes them into a trace. */
void scenario_names_write(const struct names *names, struct trace_writer *writer);

#endif
