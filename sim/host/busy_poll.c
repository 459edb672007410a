/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Busy polling (SO_BUSY_POLL, net.core.busy_read): a process that finds its socket empty polls the
 * device that feeds it, for some time, before it sleeps (napi_busy_loop and busy_poll_stop of
 * net/core/dev.c).
 *
 * While it has the device nobody else polls it; an interrupt that comes is taken, but only noted,
 * and stays masked then. At the end one more poll enables interrupts again, or hands what is left
 * to softirq or thread. With SO_PREFER_BUSY_POLL, and a timer that polls in place of interrupts
 * (napi_defer_hard_irqs), it leaves that to the timer, and interrupts off. It doesn't give the CPU
 * away but when another task should have it; softirqs have their turn between two rounds.
 */
#include "world.h"

#define BUDGET 8 /* BUSY_POLL_BUDGET */

/* The kernel's clock for it is in units of 1024 ns, called microseconds. */
static uint64_t busy_time(uint64_t now)
{
	return now >> 10;
}

static bool is_time_over(const struct busy_poll *busy, uint64_t now)
{
	return busy_time(now) > busy->began + busy->usecs;
}

/* A round takes the device if nobody has it, and polls it once. */
static void begin_round(struct busy_poll *busy, struct cpu *cpu, uint64_t now)
{
	struct netdev *netdev = busy->netdev;

	busy->task->bh_off = busy->task->in_call = true;
	if (!netdev->polled)
		busy->has_device = netdev->polled = netdev->busy = true;
	else if (!busy->has_device)
		netdev->preferred |= busy->prefers;
	cpu->due[HOST_TASK] = now;
	if (busy->has_device) {
		poll_begin_busy(&busy->poll, netdev, BUDGET, busy->number, now);
		busy->state = BUSY_POLL;
	} else {
		busy->state = BUSY_POLLED;
		cpu->due[HOST_TASK] += host_cost(cpu->host, HOST_COST_busy_poll);
	}
}

void busy_poll_begin(struct busy_poll *busy, struct cpu *cpu, uint64_t now)
{
	busy->began = busy_time(now);
	busy->has_device = busy->over = false;
	begin_round(busy, cpu, now);
}

/* Gives the device back, with a last poll that enables interrupts at its end. */
static void stop(struct busy_poll *busy, struct cpu *cpu, uint64_t now)
{
	struct netdev *netdev = busy->netdev;

	busy->state = BUSY_STOPPED;
	cpu->due[HOST_TASK] = now;
	if (!busy->has_device)
		return;
	busy->has_device = netdev->busy = netdev->missed = false;
	busy->deferred = busy->prefers && poll_leave_to_timer(cpu, netdev, now);
	busy->task->bh_off = true;
	poll_begin_busy(&busy->poll, netdev, BUDGET, busy->number, now);
	busy->state = BUSY_STOP;
}

/* One thing of a poll. Returns false if it is over. */
static bool round_step(struct busy_poll *busy, struct cpu *cpu, uint64_t now)
{
	if (poll_step(cpu, &busy->poll, now))
		return true;
	busy->netdev->stats.busy_polls++;
	return false;
}

bool busy_poll_step(struct busy_poll *busy, struct cpu *cpu, bool has_data, uint64_t now)
{
	bool over = has_data || is_time_over(busy, now);

	switch (busy->state) {
	case BUSY_POLL:
		if (round_step(busy, cpu, now))
			break;
		busy->state = BUSY_POLLED;
		cpu->due[HOST_TASK] = now + host_cost(cpu->host, HOST_COST_busy_poll);
		break;
	case BUSY_POLLED:
		busy->state = BUSY_ROUND;
		cpu->due[HOST_TASK] = now;
		task_bh_enable(busy->task, now);
		break;
	case BUSY_ROUND:
		busy->over = over;
		if (over || task_need_resched(cpu, now))
			stop(busy, cpu, now);
		else
			begin_round(busy, cpu, now);
		break;
	case BUSY_STOP:
		if (round_step(busy, cpu, now))
			break;
		busy->state = BUSY_STOPPED;
		if (busy->poll.full && busy->deferred)
			busy->netdev->polled = false; /* the timer comes */
		else if (busy->poll.full)
			poll_hand_over(cpu, busy->netdev, now);
		break;
	case BUSY_STOPPED: /* another task may take the CPU now */
		busy->task->in_call = false;
		busy->state = BUSY_GAVE_WAY;
		cpu->due[HOST_TASK] = now;
		task_bh_enable(busy->task, now);
		return !busy->over;
	case BUSY_GAVE_WAY:
		cpu->due[HOST_TASK] = now;
		if (over)
			return false;
		begin_round(busy, cpu, now);
	}
	return true;
}
