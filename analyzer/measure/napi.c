/* SPDX-License-Identifier: BSD-3-Clause */
#include "napi.h"

#include "ack.h"
#include "cpus.h"
#include "cycles.h"
#include "devices.h"
#include "histogram.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NET_RX 3 /* linux/interrupt.h */

struct cpu {
	unsigned hard_irqs; /* handlers that it is in */
	bool in_softirq;    /* of NET_RX, whose begin was seen */
	bool polled;        /* there was a poll in it */
	bool squeezed;      /* by packets, which is counted already */
	bool unknown_work;  /* in one of its polls */
	bool raised;        /* NET_RX again, since its last poll */
	uint64_t began, raised_at;
	uint64_t mark; /* where the next poll begins */
	uint64_t work; /* of its polls */
};

struct device {
	struct napi_device sums;
	struct histogram time;
};

/* An interrupt line, by the number of its name. */
struct line {
	uint64_t interrupts, first, last;
};

struct napi {
	struct napi_options options;
	const struct names *names;
	uint64_t budget_cycles; /* UINT64_MAX if it isn't known */
	struct cpus cpus;
	struct devices devices;
	struct line *lines;
	uint32_t line_room;
	struct napi_report report;
	struct napi_device *tables;
};

int napi_create(
	struct napi **created, const struct napi_options *options, const struct names *names)
{
	struct napi *napi = calloc(1, sizeof(*napi));

	*created = napi;
	if (!napi)
		return -ENOMEM;
	napi->options = *options;
	napi->names = names;
	napi->budget_cycles =
		options->hz ? cycles_of_ns(UINT64_C(1000) * options->budget_usecs, options->hz)
			    : UINT64_MAX;
	napi->cpus.bytes = sizeof(struct cpu);
	napi->devices = (struct devices){
		.bytes = sizeof(struct device), .names = names, .only = options->device
	};
	napi->report.budget = options->budget;
	napi->report.budget_usecs = options->budget_usecs;
	return 0;
}

/* The softirq has ended; why, if it wanted to go on? */
static void end_softirq(struct napi *napi, struct cpu *cpu)
{
	bool late = cpu->raised_at - cpu->began >= napi->budget_cycles;

	if (cpu->in_softirq && cpu->raised && !cpu->squeezed) {
		if (late) {
			napi->report.squeezed_by_time++;
		} else {
			napi->report.repolls++;
			napi->report.doubtful += cpu->unknown_work || !napi->options.hz;
		}
	}
	cpu->in_softirq = false;
}

static void on_softirq_entry(struct napi *napi, struct cpu *cpu, const struct event *event)
{
	end_softirq(napi, cpu); /* where the trace has no exits */
	*cpu = (struct cpu){ .began = event->time, .mark = event->time };
	cpu->in_softirq = EVENT_GET(SOFTIRQ_ENTRY, vec, event->arg) == NET_RX;
	napi->report.softirqs += cpu->in_softirq;
}

static void on_raise(struct cpu *cpu, const struct event *event)
{
	if (!cpu->in_softirq || !cpu->polled || cpu->hard_irqs)
		return;
	cpu->raised = true;
	cpu->raised_at = event->time;
}

static void count_work(struct napi *napi, struct cpu *cpu, uint64_t work, bool known)
{
	cpu->polled = true;
	cpu->raised = false;
	cpu->hard_irqs = 0; /* where the trace has no exits; a poll is in no hard interrupt */
	cpu->unknown_work |= !known;
	cpu->work += known ? work : 0;
	if (!cpu->in_softirq || cpu->squeezed || cpu->work < napi->options.budget)
		return;
	cpu->squeezed = true;
	napi->report.squeezed_by_packets++;
}

/* "PID COMM", or NULL. */
static const char *task_name(const struct names *names, uint32_t task)
{
	return task ? names_get(names, NAME_TASK, task - 1) : NULL;
}

bool napi_is_thread(const struct names *names, uint32_t task)
{
	const char *name = task_name(names, task), *comm = name ? strchr(name, ' ') : NULL;

	return comm && !strncmp(comm + 1, "napi/", 5);
}

/* By its id: its name is swapper/0, swapper or <idle>, as who recorded it has it. */
static bool is_idle(const struct names *names, uint32_t task)
{
	const char *name = task_name(names, task);

	return name && !strncmp(name, "0 ", 2);
}

/* A poll that no softirq did. What the idle task is said to do, somebody else did. */
static void count_poller(struct napi *napi, struct napi_device *sums, const struct event *event)
{
	uint32_t task = event_task(event);
	bool thread = napi_is_thread(napi->names, task);

	sums->by_thread += thread;
	sums->by_process += !thread && task && !is_idle(napi->names, task);
}

static int on_poll(struct napi *napi, struct cpu *cpu, const struct event *event)
{
	uint64_t work = EVENT_GET(NAPI_POLL, work, event->arg);
	uint64_t budget = EVENT_GET(NAPI_POLL, budget, event->arg);
	bool known = work != EVENT_WORK_UNKNOWN;
	uint64_t time = event->time - cpu->mark;
	struct device *device;
	void *state;

	count_work(napi, cpu, work, known);
	if (devices_get(&napi->devices, event->device, &state))
		return -ENOMEM;
	cpu->mark = event->time;
	device = state;
	if (!device)
		return 0;
	device->sums.polls++;
	if (known) {
		device->sums.known++;
		device->sums.working += work > 0;
		device->sums.full += budget && work >= budget;
		device->sums.work += work;
		device->sums.budget += budget;
	}
	if (!cpu->in_softirq) {
		count_poller(napi, &device->sums, event);
		return 0;
	}
	if (known) {
		device->sums.time_sum += (double)time;
		device->sums.time_work += work;
	}
	return histogram_add(&device->time, time);
}

static int on_irq_entry(struct napi *napi, struct cpu *cpu, const struct event *event)
{
	uint32_t name = (uint32_t)EVENT_GET(IRQ_ENTRY, name, event->arg);
	struct line *line;

	cpu->hard_irqs++;
	napi->report.interrupts_seen = true;
	if (name >= napi->line_room) {
		uint32_t room = 2 * name + 16;
		struct line *lines = realloc(napi->lines, room * sizeof(*lines));

		if (!lines)
			return -ENOMEM;
		memset(lines + napi->line_room, 0, (room - napi->line_room) * sizeof(*lines));
		napi->lines = lines;
		napi->line_room = room;
	}
	line = &napi->lines[name];
	if (!line->interrupts++)
		line->first = event->time;
	line->last = event->time;
	return 0;
}

/* A packet that a device hands up, or an ACK that leaves by it. */
static int on_packet(struct napi *napi, const struct event *event)
{
	bool receive = event->id == EVENT_RECEIVE;
	struct device *device;
	void *state;

	if (receive ? EVENT_GET(RECEIVE, netif_rx, event->arg) : !is_ack(event))
		return 0;
	if (devices_get(&napi->devices, event->device, &state))
		return -ENOMEM;
	device = state;
	if (device) {
		device->sums.received += receive;
		device->sums.acks += !receive;
	}
	return 0;
}

static int on_cpu(struct napi *napi, struct cpu *cpu, const struct event *event)
{
	switch (event->id) {
	case EVENT_IRQ_ENTRY:
		return on_irq_entry(napi, cpu, event);
	case EVENT_IRQ_EXIT:
		cpu->hard_irqs -= cpu->hard_irqs > 0;
		return 0;
	case EVENT_SOFTIRQ_ENTRY:
		on_softirq_entry(napi, cpu, event);
		return 0;
	case EVENT_SOFTIRQ_EXIT:
		end_softirq(napi, cpu);
		return 0;
	case EVENT_SOFTIRQ_RAISE:
		if (EVENT_GET(SOFTIRQ_RAISE, vec, event->arg) == NET_RX)
			on_raise(cpu, event);
		return 0;
	case EVENT_NAPI_POLL:
		return on_poll(napi, cpu, event);
	default:
		return on_packet(napi, event);
	}
}

int napi_event(struct napi *napi, unsigned cpu, const struct event *event)
{
	struct cpu *state;

	switch (event->id) {
	case EVENT_IRQ_ENTRY:
	case EVENT_IRQ_EXIT:
	case EVENT_SOFTIRQ_ENTRY:
	case EVENT_SOFTIRQ_EXIT:
	case EVENT_SOFTIRQ_RAISE:
	case EVENT_NAPI_POLL:
	case EVENT_RECEIVE:
	case EVENT_START_XMIT:
		napi->report.used++;
		state = cpus_get(&napi->cpus, cpu);
		return state ? on_cpu(napi, state, event) : -ENOMEM;
	case EVENT_LOST:
		napi->report.used++;
		cpus_forget(&napi->cpus);
		return 0;
	default:
		return 0;
	}
}

/*
 * Drivers name their handlers "eth0", "eth0-rx-1", "eth0:tx" or "i40e-eth0-TxRx-1": the device's
 * name is in it as a word. "eth01" isn't of eth0.
 */
static bool is_line_of(const char *line, const char *device)
{
	size_t bytes = strlen(device);

	for (const char *at = line; (at = strstr(at, device)); at++) {
		if ((at == line || !isalnum((unsigned char)at[-1])) &&
			!isalnum((unsigned char)at[bytes]))
			return true;
	}
	return false;
}

static void add_interrupts(const struct napi *napi, struct napi_device *device)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < napi->line_room; i++) {
		const struct line *line = &napi->lines[i];
		const char *name = names_get(napi->names, NAME_IRQ, i);

		if (!line->interrupts || !name || !is_line_of(name, device->name))
			continue;
		device->interrupts += line->interrupts;
		first = line->first < first ? line->first : first;
		last = line->last > last ? line->last : last;
	}
	device->interrupt_span = device->interrupts ? last - first : 0;
}

int napi_finish(struct napi *napi, const struct napi_report **report)
{
	struct devices *devices = &napi->devices;

	*report = &napi->report;
	devices_sort(devices);
	napi->tables = calloc(devices->count + 1, sizeof(*napi->tables));
	if (!napi->tables)
		return -ENOMEM;
	for (unsigned i = 0; i < devices->count; i++) {
		const struct device *device = devices->entries[i].state;
		struct napi_device *table = &napi->tables[napi->report.device_count];

		if (!device->sums.polls)
			continue; /* lo receives, but nobody polls it */
		*table = device->sums;
		table->name = devices->entries[i].name;
		table->time = histogram_spread(&device->time);
		table->by_process = napi->report.softirqs ? table->by_process : 0;
		add_interrupts(napi, table);
		napi->report.device_count++;
	}
	napi->report.devices = napi->tables;
	return 0;
}

void napi_destroy(struct napi *napi)
{
	if (!napi)
		return;
	for (unsigned i = 0; i < napi->devices.count; i++)
		histogram_clear(&((struct device *)napi->devices.entries[i].state)->time);
	devices_clear(&napi->devices);
	cpus_clear(&napi->cpus);
	free(napi->lines);
	free(napi->tables);
	free(napi);
}
