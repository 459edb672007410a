/* SPDX-License-Identifier: BSD-3-Clause */
/* Softirqs: rounds over the raised vectors, NAPI in NET_RX, queue runs in NET_TX, ksoftirqd. */
#include "world.h"

#define RESTARTS       10                /* MAX_SOFTIRQ_RESTART */
#define ROUNDS_MOST_NS UINT64_C(2000000) /* MAX_SOFTIRQ_TIME, since 3.9; counted in ticks */

static void emit(struct cpu *cpu, enum event_id id, unsigned vector, uint64_t now)
{
	struct event event = { .time = now,
		.id = (uint16_t)id,
		.device = EVENT_NO_DEVICE,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(SOFTIRQ_ENTRY, vec, vector) };

	host_emit(cpu->host, cpu->index, &event);
}

void softirq_raise(struct cpu *cpu, unsigned vector, uint64_t now)
{
	emit(cpu, EVENT_SOFTIRQ_RAISE, vector, now);
	cpu->pending |= 1u << vector;
}

static void take_batch(struct cpu *cpu)
{
	cpu->softirq.batch = cpu->pending;
	cpu->pending = 0;
}

/*
 * Where the CPU is in a hard interrupt that has just ended, the softirq level takes its place;
 * otherwise it preempts the task that has enabled bottom halves again.
 */
void softirq_begin(struct cpu *cpu, uint64_t now)
{
	if (cpu->level == HOST_HARDIRQ) {
		cpu->level = HOST_SOFTIRQ;
		cpu->active[HOST_SOFTIRQ] = true;
	} else {
		cpu_enter(cpu, HOST_SOFTIRQ, now);
	}
	cpu->softirq.state = SOFTIRQ_NEXT;
	cpu->softirq.restarts = RESTARTS;
	cpu->softirq.began = now;
	cpu->due[HOST_SOFTIRQ] = now;
	take_batch(cpu);
}

/* May a round over what was raised meanwhile follow at once? Else it is for ksoftirqd. */
static bool may_restart(struct cpu *cpu, uint64_t now)
{
	const struct host *host = cpu->host;
	uint64_t rounds_most = cycles_of_ns(ROUNDS_MOST_NS, host->config.driver.hz);
	uint64_t ticks_most = (rounds_most + host->tick - 1) / host->tick;

	if (--cpu->softirq.restarts == 0)
		return false;
	return !host->config.kernel->softirq_yields ||
	       (!cpu->need_resched &&
		       now / host->tick < cpu->softirq.began / host->tick + ticks_most);
}

static void next_vector(struct cpu *cpu, uint64_t now)
{
	struct softirq *softirq = &cpu->softirq;

	if (!softirq->batch && cpu->pending && may_restart(cpu, now))
		take_batch(cpu);
	if (!softirq->batch) {
		if (cpu->pending) {
			cpu->host->ksoftirqd_wakes += cpu->ksoftirqd.asleep;
			task_wake(&cpu->ksoftirqd, now);
		}
		cpu_leave(cpu, now);
		return;
	}
	softirq->vector = (unsigned)__builtin_ctz(softirq->batch);
	softirq->batch &= softirq->batch - 1;
	softirq->state = SOFTIRQ_RUN;
	softirq->polled = false;
	if (softirq->vector == NET_TX) {
		cpu->host->netdev.scheduled = false;
		netdev_run_begin(cpu->host, &softirq->run, now);
	}
	emit(cpu, EVENT_SOFTIRQ_ENTRY, softirq->vector, now);
	cpu->due[HOST_SOFTIRQ] = now + host_cost(cpu->host, HOST_COST_softirq);
}

/* One packet of the poll, or its end. Returns false if NET_RX is over. */
static bool poll_step(struct cpu *cpu, uint64_t now)
{
	struct host *host = cpu->host;
	struct event event = { .time = now,
		.id = EVENT_NAPI_POLL,
		.device = host->config.driver.device,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(NAPI_POLL, budget, host->config.dev_weight) };

	if (cpu->softirq.polled || !cpu->napi_scheduled)
		return false;
	if (e1000e_clean_packet(host->port, cpu->index, now)) {
		cpu->due[HOST_SOFTIRQ] = now + host_cost(host, HOST_COST_clean);
		return true;
	}
	netdev_cleaned(cpu, now);
	if (e1000e_clean_done(host->port, cpu->index, now))
		netdev_schedule(cpu, now);
	host_emit(host, cpu->index, &event); /* transmit clean-up is no work in NAPI's count */
	cpu->napi_scheduled = false;
	e1000e_poll_done(host->port, now);
	netdev_throttled(host, now);
	cpu->softirq.polled = true;
	cpu->due[HOST_SOFTIRQ] = now + host_cost(host, HOST_COST_poll);
	return true;
}

/* One packet of the queue run. Returns false if NET_TX is over. */
static bool run_step(struct cpu *cpu, uint64_t now)
{
	struct queue_run *run = &cpu->softirq.run;
	uint64_t took;

	if (run->state == RUN_OVER)
		return false;
	took = netdev_run_step(cpu, run, now);
	if (run->state == RUN_OVER)
		return false;
	cpu->due[HOST_SOFTIRQ] = now + took;
	return true;
}

void softirq_step(struct cpu *cpu, uint64_t now)
{
	struct softirq *softirq = &cpu->softirq;

	if (softirq->state == SOFTIRQ_RUN) {
		if (softirq->vector == NET_RX ? poll_step(cpu, now) : run_step(cpu, now))
			return;
		emit(cpu, EVENT_SOFTIRQ_EXIT, softirq->vector, now);
		softirq->state = SOFTIRQ_NEXT;
	}
	next_vector(cpu, now);
}

/* The task that does what softirqs have left over. */
static void ksoftirqd_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	if (!cpu->pending) {
		task_sleep(task, now);
		return;
	}
	cpu->due[HOST_TASK] = now;
	softirq_begin(cpu, now);
}

void ksoftirqd_init(struct cpu *cpu)
{
	cpu->ksoftirqd = (struct task){ .step = ksoftirqd_step, .cpu = cpu, .asleep = true };
}
