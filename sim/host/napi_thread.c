/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threaded NAPI (/sys/class/net/DEV/threaded, since Linux 5.12): a device's own kernel thread,
 * napi/DEV-ID, polls it, and the scheduler decides when. The NET_RX softirq, its limits and its
 * squeezes have no part in it.
 */
#include "world.h"

/*
 * napi_threaded_poll: each poll is one of the whole weight with bottom halves off. In between the
 * softirqs that were raised in it have their turn, and so has a task that should take over.
 */
static void thread_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	struct napi_thread *thread = (struct napi_thread *)task;
	struct poll *poll = &thread->poll;

	switch (thread->state) {
	case THREAD_WAIT:
		if (!thread->scheduled) {
			task_sleep(task, now);
			return;
		}
		thread->scheduled = false;
		task->bh_off = true;
		poll_begin(poll, thread->netdev, HOST_TASK, now);
		poll->task = thread->number;
		thread->state = THREAD_POLL;
		/* fall through */
	case THREAD_POLL:
		if (poll_step(cpu, poll, now))
			return;
		thread->netdev->stats.thread_polls++;
		thread->scheduled |= poll->full;
		thread->state = THREAD_POLLED;
		return;
	case THREAD_POLLED:
		thread->state = THREAD_WAIT;
		cpu->due[HOST_TASK] = now;
		task_bh_enable(task, now);
	}
}

void napi_thread_init(struct netdev *netdev, const struct host_napi *config)
{
	netdev->thread = (struct napi_thread){ .netdev = netdev, .number = config->task };
	netdev->thread.task.step = thread_step;
	netdev->thread.task.cpu = &netdev->host->cpus[config->cpu];
	netdev->thread.task.asleep = true;
}

void napi_thread_wake(struct napi_thread *thread, uint64_t now)
{
	thread->scheduled = true;
	task_wake(&thread->task, now);
}
