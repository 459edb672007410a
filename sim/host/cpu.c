/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU: levels that preempt each other, and under them the task that runs. */
#include "world.h"

void cpu_init(struct cpu *cpu, struct host *host, unsigned index)
{
	cpu->host = host;
	cpu->index = index;
	cpu->level = -1;
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
		task_schedule(cpu, now);
}

/* In 6.1 nobody else runs softirqs while ksoftirqd has something to do. */
static bool softirqs_wait(const struct cpu *cpu)
{
	return cpu->active[HOST_SOFTIRQ] || (cpu->current && cpu->current->bh_off) ||
	       (cpu->host->config.kernel->ksoftirqd_owns && !cpu->ksoftirqd.asleep);
}

void task_bh_enable(struct task *task, uint64_t now)
{
	task->bh_off = false;
	if (task->cpu->pending && !softirqs_wait(task->cpu))
		softirq_begin(task->cpu, now);
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

	host_emit(cpu->host, cpu->index, &event);
	if (cpu->pending && !softirqs_wait(cpu)) {
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
		if (!task_preempted(cpu, now))
			cpu->current->step(cpu->current, cpu, now);
	}
}
