/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU: levels that preempt each other, and the tasks of the lowest one. */
#include "world.h"

void cpu_init(struct cpu *cpu, struct host *host, unsigned index)
{
	cpu->host = host;
	cpu->index = index;
	cpu->level = -1;
	cpu->queue_tail = &cpu->queue_head;
}

/* Books the time since the last change of level. */
void cpu_account(struct cpu *cpu, uint64_t now)
{
	if (cpu->level >= 0)
		cpu->stats.busy[cpu->level] += now - cpu->level_since;
	cpu->level_since = now;
}

void cpu_enter(struct cpu *cpu, enum host_level level, uint64_t now)
{
	cpu_account(cpu, now);
	if (cpu->level >= 0)
		cpu->preempted_at[cpu->level] = now;
	cpu->level = (int)level;
	cpu->active[level] = true;
}

/* The next task, if there is one. */
static void schedule(struct cpu *cpu, uint64_t now)
{
	struct task *task = cpu->queue_head;

	cpu->need_resched = false;
	cpu->current = task;
	if (!task)
		return;
	cpu->queue_head = task->next;
	if (!cpu->queue_head)
		cpu->queue_tail = &cpu->queue_head;
	cpu_enter(cpu, HOST_TASK, now);
	cpu->slice_began = now;
	cpu->due[HOST_TASK] = now + host_cost(cpu->host, HOST_COST_schedule) + task->remaining;
	task->remaining = 0;
}

/* What was preempted goes on where it was; its next step is late by what came in between. */
void cpu_leave(struct cpu *cpu, uint64_t now)
{
	cpu_account(cpu, now);
	cpu->active[cpu->level] = false;
	while (--cpu->level >= 0 && !cpu->active[cpu->level])
		;
	if (cpu->level >= 0)
		cpu->due[cpu->level] += now - cpu->preempted_at[cpu->level];
	else
		schedule(cpu, now);
}

static void queue_task(struct task *task)
{
	struct cpu *cpu = task->cpu;

	task->next = NULL;
	*cpu->queue_tail = task;
	cpu->queue_tail = &task->next;
}

void task_wake(struct task *task, uint64_t now)
{
	struct cpu *cpu = task->cpu;

	if (!task->asleep)
		return;
	task->asleep = false;
	queue_task(task);
	if (cpu->level < 0)
		schedule(cpu, now);
	else if (!cpu->current)
		cpu->need_resched = true;
}

void task_sleep(struct task *task, uint64_t now)
{
	task->asleep = true;
	task->cpu->current = NULL;
	cpu_leave(task->cpu, now);
}

void task_bh_enable(struct task *task, uint64_t now)
{
	struct cpu *cpu = task->cpu;

	task->bh_off = false;
	if (cpu->pending && !cpu->active[HOST_SOFTIRQ])
		softirq_begin(cpu, now);
}

/* A task that waits takes over at the next timer tick. */
static bool slice_over(const struct cpu *cpu, uint64_t now)
{
	uint64_t tick = cpu->host->tick;

	return cpu->queue_head && !cpu->current->bh_off && now / tick != cpu->slice_began / tick;
}

void cpu_interrupt(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct event event = { .time = now,
		.id = EVENT_IRQ_ENTRY,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE };

	cpu_enter(cpu, HOST_HARDIRQ, now);
	host_emit(host, cpu->index, &event);
	if (e1000e_interrupt(host->port, now)) {
		cpu->napi_scheduled = true;
		softirq_raise(cpu, NET_RX, now);
	}
	cpu->due[HOST_HARDIRQ] = now + host_cost(host, HOST_COST_hard_irq);
}

static void interrupt_exit(struct cpu *cpu, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_IRQ_EXIT,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE };
	bool softirqs_wait = cpu->active[HOST_SOFTIRQ] || (cpu->current && cpu->current->bh_off);

	host_emit(cpu->host, cpu->index, &event);
	if (cpu->pending && !softirqs_wait) {
		/* no task may slip in between: the softirq takes the place of the interrupt */
		cpu_account(cpu, now);
		cpu->active[HOST_HARDIRQ] = false;
		softirq_begin(cpu, now);
		return;
	}
	cpu_leave(cpu, now);
}

void cpu_step(struct cpu *cpu, uint64_t now)
{
	switch (cpu->level) {
	case HOST_HARDIRQ:
		interrupt_exit(cpu, now);
		break;
	case HOST_SOFTIRQ:
		softirq_step(cpu, now);
		break;
	default:
		if (slice_over(cpu, now)) {
			queue_task(cpu->current);
			cpu->current = NULL;
			cpu_leave(cpu, now);
		} else {
			cpu->current->step(cpu->current, cpu, now);
		}
	}
}
