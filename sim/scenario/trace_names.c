/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DROP_REASON   "QDISC_DROP" /* as skb:kfree_skb prints it */
#define TASKS_MOST    SCENARIO_THREAD_TASK(HOST_DEVICES_MOST)
#define FIRST_PID     1000 /* any will do */
#define FIRST_NAPI_ID 8193 /* above all CPUs' numbers, of which Debian's kernel has 8192 */
#define COMM_BYTES    16   /* TASK_COMM_LEN */

/* "PID COMM", with no more of the name than a kernel keeps. */
static int name_task(struct names *names, unsigned task, const char *format, ...)
{
	char comm[COMM_BYTES], name[COMM_BYTES + 16];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(comm, sizeof(comm), format, arguments);
	va_end(arguments);
	snprintf(name, sizeof(name), "%u %s", FIRST_PID + task, comm);
	return names_set(names, NAME_TASK, task, name, strlen(name));
}

static int name_tasks(struct names *names, const struct scenario *scenario)
{
	unsigned receivers = scenario->workload_count - scenario->sender_count;
	int error = 0;

	for (unsigned i = 0; i < receivers && !error; i++) {
		if (scenario->workloads[scenario->sender_count + i].reads)
			error = name_task(names, SCENARIO_READER_TASK(i), "reader");
	}
	for (unsigned i = 0; i < scenario_devices(scenario) && !error; i++) {
		if (scenario->devices[i].driver.threaded)
			error = name_task(names, SCENARIO_THREAD_TASK(i), "napi/%s-%u",
				scenario->devices[i].name, FIRST_NAPI_ID + i);
	}
	return error;
}

int scenario_names(struct names **names, const struct scenario *scenario)
{
	*names = names_create();
	if (!*names || names_set(*names, NAME_REASON, SCENARIO_DROP_REASON, DROP_REASON,
			       strlen(DROP_REASON)))
		return -ENOMEM;
	for (unsigned i = 0; i < scenario_devices(scenario); i++) {
		const char *name = scenario->devices[i].name;

		if (names_set(*names, NAME_DEVICE, i, name, strlen(name)) ||
			names_set(*names, NAME_IRQ, i + 1, name, strlen(name)))
			return -ENOMEM;
	}
	return name_tasks(*names, scenario);
}

static void write_kind(
	const struct names *names, struct trace_writer *writer, enum name_kind kind, unsigned most)
{
	for (unsigned i = 0; i < most; i++) {
		const char *name = names_get(names, kind, i);

		if (name)
			trace_writer_name(writer, 0, 0, kind, i, name);
	}
}

void scenario_names_write(const struct names *names, struct trace_writer *writer)
{
	write_kind(names, writer, NAME_DEVICE, HOST_DEVICES_MOST);
	write_kind(names, writer, NAME_IRQ, HOST_DEVICES_MOST + 1);
	write_kind(names, writer, NAME_TASK, TASKS_MOST);
	write_kind(names, writer, NAME_REASON, SCENARIO_DROP_REASON + 1);
}
