/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which task runs: the one that has had the least, as CFS has it (kernel/sched/fair.c). A task that
 * has slept comes in at most half a latency ahead of the others, and takes over at once if that is
 * ahead enough; tasks that only run take turns at the timer tick. All have the same weight.
 */
#include "world.h"

/* The scheduler's defaults for one CPU, and how they grow with more. */
#define LATENCY_NS            UINT64_C(6000000) /* sysctl_sched_latency */
#define WAKEUP_GRANULARITY_NS UINT64_C(1000000) /* sysctl_sched_wakeup_granularity */
#define MIN_GRANULARITY_NS    UINT64_C(750000)  /* sysctl_sched_min_granularity */

/* 1 + log2(CPUs), of at most 8 (get_update_sysctl_factor). */
static uint64_t scaled(const struct cpu *cpu, uint64_t ns)
{
	unsigned cpus = cpu->host->config.cpus < 8 ? cpu->host->config.cpus : 8;

	return ns * (32u - (unsigned)__builtin_clz(cpus));
}

/* Books what the running task has had so far. Interrupts in between count as its own. */
static void update(struct cpu *cpu, uint64_t now)
{
	uint64_t least;

	if (!cpu->current)
		return;
	cpu->current->had += now - cpu->booked_at;
	cpu->booked_at = now;
	least = cpu->current->had;
	if (cpu->queue && cpu->queue->had < least)
		least = cpu->queue->had;
	if (least > cpu->least_had)
		cpu->least_had = least;
}

/* It has been at work before the world began: those that sleep come in ahead of it. */
void task_has_run(struct task *task)
{
	task->had = cycles_of_ns(scaled(task->cpu, LATENCY_NS), CLOCK_VIRTUAL_HZ);
}

/* Behind those that have had as little. */
static void queue_task(struct task *task)
{
	struct task **place = &task->cpu->queue;

	while (*place && (*place)->had <= task->had)
		place = &(*place)->next;
	task->next = *place;
	*place = task;
	task->cpu->waiting++;
}

void task_schedule(struct cpu *cpu, uint64_t now)
{
	struct task *task = cpu->queue;

	cpu->need_resched = false;
	cpu->current = task;
	if (!task)
		return;
	cpu->queue = task->next;
	cpu->waiting--;
	cpu_enter(cpu, HOST_TASK, now);
	cpu->slice_began = cpu->booked_at = now;
	cpu->tick_seen = now / cpu->host->tick;
	cpu->due[HOST_TASK] = now + host_cost(cpu->host, HOST_COST_schedule);
}

void task_wake(struct task *task, uint64_t now)
{
	struct cpu *cpu = task->cpu;
	uint64_t ahead = scaled(cpu, LATENCY_NS) / 2, least;

	if (!task->asleep)
		return;
	update(cpu, now);
	least = cpu->least_had > ahead ? cpu->least_had - ahead : 0;
	if (task->had < least)
		task->had = least;
	task->asleep = false;
	queue_task(task);
	if (cpu->level < 0)
		task_schedule(cpu, now);
	else if (!cpu->current ||
		 cpu->current->had > task->had + scaled(cpu, WAKEUP_GRANULARITY_NS))
		cpu->need_resched = true;
}

void task_sleep(struct task *task, uint64_t now)
{
	update(task->cpu, now);
	task->asleep = true;
	task->cpu->current = NULL;
	cpu_leave(task->cpu, now);
}

/* At a tick: has the task had its share of the latency, or more than one that waits? */
static bool slice_over(struct cpu *cpu, uint64_t now)
{
	const uint64_t tick = now / cpu->host->tick, least = scaled(cpu, MIN_GRANULARITY_NS);
	uint64_t share;

	if (!cpu->queue || tick == cpu->tick_seen)
		return false;
	cpu->tick_seen = tick;
	update(cpu, now);
	share = scaled(cpu, LATENCY_NS) / (cpu->waiting + 1);
	share = share < least ? least : share;
	if (now - cpu->slice_began > share)
		return true;
	return now - cpu->slice_began >= least && cpu->current->had > cpu->queue->had + share;
}

bool task_need_resched(struct cpu *cpu, uint64_t now)
{
	if (slice_over(cpu, now))
		cpu->need_resched = true;
	else if (!cpu->queue) /* whoever was waiting has gone */
		cpu->need_resched = false;
	return cpu->need_resched;
}

/* Between two steps the running task may have to make room. Returns true if it did. */
bool task_preempted(struct cpu *cpu, uint64_t now)
{
	struct task *task = cpu->current;

	if (task->bh_off || task->in_call || !task_need_resched(cpu, now))
		return false;
	update(cpu, now);
	cpu->current = NULL;
	queue_task(task);
	cpu_leave(cpu, now);
	return true;
}
