/* SPDX-License-Identifier: BSD-3-Clause */
/* Softirqs: rounds over the raised vectors, queue runs in NET_TX, ksoftirqd. */
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

/* Begins the queue run of the next device that NET_TX was raised for. Returns false if none is left
 * that has something to send. */
static bool next_output(struct cpu *cpu, uint64_t now)
{
	struct softirq *softirq = &cpu->softirq;

	softirq->run.state = RUN_OVER;
	while (softirq->run.state == RUN_OVER && softirq->outputs) {
		struct netdev *netdev = &cpu->host->netdevs[__builtin_ctz(softirq->outputs)];

		softirq->outputs &= softirq->outputs - 1;
		netdev->scheduled = false;
		netdev_run_begin(netdev, &softirq->run, now);
	}
	return softirq->run.state != RUN_OVER;
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
	if (softirq->vector == NET_TX) {
		softirq->outputs = cpu->outputs;
		cpu->outputs = 0;
		next_output(cpu, now);
	} else if (softirq->vector == NET_RX) {
		net_rx_begin(cpu, now);
	} else {
		softirq->reply.receiver = NULL;
	}
	emit(cpu, EVENT_SOFTIRQ_ENTRY, softirq->vector, now);
	cpu->due[HOST_SOFTIRQ] = now + host_cost(cpu->host, HOST_COST_softirq);
}

/* One packet of the queue run. Returns false if NET_TX is over. */
static bool run_step(struct cpu *cpu, uint64_t now)
{
	struct queue_run *run = &cpu->softirq.run;
	uint64_t took = 0;

	if (run->state == RUN_OVER)
		return false;
	do
		took = netdev_run_step(cpu, run, now);
	while (run->state == RUN_OVER && next_output(cpu, now));
	if (run->state == RUN_OVER)
		return false;
	cpu->due[HOST_SOFTIRQ] = now + took;
	return true;
}

/* One thing of the ACKs whose timer ran out. Returns false if TIMER is over. */
static bool timer_step(struct cpu *cpu, uint64_t now)
{
	struct reply *reply = &cpu->softirq.reply;
	uint64_t took = 0;

	if (!reply->receiver || !reply_step(cpu, reply, now, &took)) {
		struct receiver *receiver = receiver_due(cpu->host);

		if (!receiver)
			return false;
		took = reply_begin(reply, receiver);
	}
	cpu->due[HOST_SOFTIRQ] = now + took;
	return true;
}

static bool vector_step(struct cpu *cpu, uint64_t now)
{
	switch (cpu->softirq.vector) {
	case NET_RX:
		return net_rx_step(cpu, now);
	case NET_TX:
		return run_step(cpu, now);
	default:
		return timer_step(cpu, now);
	}
}

void softirq_step(struct cpu *cpu, uint64_t now)
{
	struct softirq *softirq = &cpu->softirq;

	if (softirq->state == SOFTIRQ_RUN) {
		if (vector_step(cpu, now))
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
