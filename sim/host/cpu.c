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

/* The line of a device is up. One that comes in the handler of another waits for its end. */
void cpu_interrupt(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	struct host *host = cpu->host;
	struct event event = { .time = now,
		.id = EVENT_IRQ_ENTRY,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(IRQ_ENTRY, irq, netdev->index) |
		       EVENT_PUT(IRQ_ENTRY, name, netdev->index + 1) };

	if (cpu->active[HOST_HARDIRQ]) {
		cpu->irqs |= 1u << netdev->index;
		return;
	}
	cpu->irq = netdev->index;
	netdev->first_interrupt = netdev->first_interrupt ? netdev->first_interrupt : now;
	netdev->stats.interrupt_span = now - netdev->first_interrupt;
	cpu_enter(cpu, HOST_HARDIRQ, now);
	host_emit(host, cpu->index, &event);
	if (e1000e_interrupt(netdev->port, now))
		poll_schedule(cpu, netdev, now);
	cpu->due[HOST_HARDIRQ] = now + host_cost(host, HOST_COST_hard_irq);
}

/* The local timer's, which has no irq_entry of its own. */
static void enter_timer_interrupt(struct cpu *cpu, uint64_t now)
{
	if (cpu->active[HOST_HARDIRQ])
		return; /* it goes on with the softirqs anyway */
	cpu->irq = HOST_DEVICES_MOST;
	cpu_enter(cpu, HOST_HARDIRQ, now);
	cpu->due[HOST_HARDIRQ] = now + host_cost(cpu->host, HOST_COST_hard_irq);
}

/* A timer of the stack is due. */
void cpu_timer_interrupt(struct cpu *cpu, uint64_t now)
{
	softirq_raise(cpu, TIMER, now);
	enter_timer_interrupt(cpu, now);
}

/* The one that polls a device in place of interrupts (napi_watchdog). */
void cpu_poll_timer_interrupt(struct cpu *cpu, struct netdev *netdev, uint64_t now)
{
	enter_timer_interrupt(cpu, now);
	netdev->preferred = netdev->preferred && netdev->polled;
	if (!netdev->polled)
		poll_schedule(cpu, netdev, now);
}

static void interrupt_exit(struct cpu *cpu, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_IRQ_EXIT,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(IRQ_EXIT, irq, cpu->irq) };

	if (cpu->irq < HOST_DEVICES_MOST)
		host_emit(cpu->host, cpu->index, &event);
	if (cpu->irqs) {
		unsigned next = (unsigned)__builtin_ctz(cpu->irqs);

		cpu->irqs &= cpu->irqs - 1;
		cpu->active[HOST_HARDIRQ] = false;
		cpu_interrupt(cpu, &cpu->host->netdevs[next], now);
		return;
	}
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
