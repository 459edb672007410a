/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive interrupts for programs that sleep. Each queue has an event file descriptor, which ethdev
 * hands out, and a timer: while the interrupt is enabled nobody may be polling, so the timer stands
 * at the next deadline of device and wire, and EAL's interrupt thread then does what a poll does.
 * It does the same when the wire's descriptor becomes readable. That is watched through an epoll of
 * its own, edge-triggered: what isn't read for lack of buffers must not keep EAL's thread busy, and
 * is read by the poll that an enable makes.
 */
#include "ringside.h"

#include "cycles.h"
#include <errno.h>
#include <rte_cycles.h>
#include <rte_interrupts.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ns 0: off. */
static void set_timer(const struct ringside_queue *queue, uint64_t ns)
{
	struct itimerspec at = { .it_value = { .tv_sec = (time_t)(ns / CYCLES_NS_PER_S),
					 .tv_nsec = (long)(ns % CYCLES_NS_PER_S) } };

	timerfd_settime(queue->timer_fd, 0, &at, NULL);
}

void ringside_rx_interrupt_rearm(struct ringside_queue *queue, uint64_t now)
{
	uint64_t deadline;

	if (likely(!queue->armed))
		return;
	deadline = RTE_MIN(nic_deadline(queue->nic), ringside_wire_deadline(queue, now));
	if (deadline != queue->timer_at) {
		queue->timer_at = deadline;
		set_timer(queue, deadline == CYCLES_NEVER ? 0
				 : deadline <= now
					 ? 1
					 : 1 + cycles_to_ns(deadline - now, rte_get_tsc_hz()));
	}
	/* a peer's kick may have been overwritten; what it has put in before is visible by now */
	rte_smp_mb();
	if (queue->inbox && !rte_ring_empty(queue->inbox))
		set_timer(queue, 1);
}

void ringside_rx_interrupt_kick(struct ringside_queue *queue)
{
	rte_smp_mb(); /* the frame is in the inbox before `armed` is looked at */
	if (__atomic_load_n(&queue->armed, __ATOMIC_RELAXED))
		set_timer(queue, 1);
}

/* The program may be asleep: the counter makes the descriptor readable. */
static void signal_program(struct ringside_queue *queue)
{
	if (eventfd_write(queue->event_fd, 1)) /* it is full, hence readable */
		return;
}

void ringside_rx_interrupt(struct ringside_queue *queue)
{
	if (queue->armed)
		signal_program(queue);
	else
		queue->rx_cause = true;
}

/* In the place of a program that sleeps. */
static void poll_if_armed(struct ringside_queue *queue)
{
	uint64_t now;

	if (!queue->armed)
		return;
	now = rte_get_tsc_cycles();
	ringside_poll(queue, now);
	ringside_rx_interrupt_rearm(queue, now);
}

static void timer_over(void *context)
{
	struct ringside_queue *queue = context;
	uint64_t expirations;

	if (read(queue->timer_fd, &expirations, sizeof(expirations)) < 0)
		return; /* it was set anew in the meantime */
	rte_spinlock_lock(&queue->lock);
	queue->timer_at = CYCLES_NEVER;
	poll_if_armed(queue);
	ringside_unlock(queue);
}

/* What comes from a wire's descriptor comes to queue 0. */
static void wire_readable(void *context)
{
	struct ringside_port *port = context;
	struct epoll_event event;

	if (epoll_wait(port->wire_epoll, &event, 1, 0) != 1)
		return;
	rte_spinlock_lock(&port->queue[0].lock);
	poll_if_armed(&port->queue[0]);
	ringside_unlock(&port->queue[0]);
}

int ringside_rx_interrupt_enable(struct rte_eth_dev *dev, uint16_t index)
{
	struct ringside_queue *queue =
		&((struct ringside_port *)dev->data->dev_private)->queue[index];
	uint64_t now;

	if (!queue->timer)
		return -ENOTSUP;
	rte_spinlock_lock(&queue->lock);
	__atomic_store_n(&queue->armed, true, __ATOMIC_RELAXED);
	rte_smp_mb(); /* from here on peers kick; the poll takes what they put in before */
	now = rte_get_tsc_cycles();
	ringside_poll(queue, now);
	if (queue->rx_cause) { /* a poll took the interrupt, but nobody has fetched the frames */
		queue->rx_cause = false;
		signal_program(queue);
	}
	ringside_rx_interrupt_rearm(queue, now);
	ringside_unlock(queue);
	return 0;
}

static void disarm(struct ringside_queue *queue)
{
	rte_spinlock_lock(&queue->lock);
	__atomic_store_n(&queue->armed, false, __ATOMIC_RELAXED);
	queue->timer_at = CYCLES_NEVER;
	set_timer(queue, 0);
	ringside_unlock(queue);
}

int ringside_rx_interrupt_disable(struct rte_eth_dev *dev, uint16_t index)
{
	struct ringside_queue *queue =
		&((struct ringside_port *)dev->data->dev_private)->queue[index];

	if (!queue->timer)
		return -ENOTSUP;
	disarm(queue);
	return 0;
}

static void stop_queue(struct ringside_queue *queue)
{
	disarm(queue);
	/* not under the lock: it waits for a callback that may be running */
	rte_intr_callback_unregister_sync(queue->timer, timer_over, queue);
	rte_intr_instance_free(queue->timer);
	queue->timer = NULL;
	close(queue->timer_fd);
	close(queue->event_fd);
}

/* Has EAL's thread call the function when the descriptor, which is closed on failure, is readable.
 */
static struct rte_intr_handle *watch(int fd, rte_intr_callback_fn call, void *context, int *error)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);

	*error = -EIO;
	if (!handle)
		*error = -ENOMEM;
	else if (fd < 0)
		*error = -EMFILE;
	else if (!rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) && !rte_intr_fd_set(handle, fd))
		*error = rte_intr_callback_register(handle, call, context);
	if (!*error)
		return handle;
	rte_intr_instance_free(handle);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Returns 0, or a negative errno and nothing is left open. */
static int start_queue(struct ringside_queue *queue)
{
	int error;

	queue->rx_cause = false;
	queue->timer_at = CYCLES_NEVER;
	queue->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (queue->event_fd < 0)
		return -errno;
	queue->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	queue->timer = watch(queue->timer_fd, timer_over, queue, &error);
	if (queue->timer)
		return 0;
	close(queue->event_fd);
	return error;
}

static void stop_wire(struct ringside_port *port)
{
	if (!port->wire_readable)
		return;
	rte_intr_callback_unregister_sync(port->wire_readable, wire_readable, port);
	rte_intr_instance_free(port->wire_readable);
	port->wire_readable = NULL;
	close(port->wire_epoll);
}

static int start_wire(struct ringside_port *port)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = ringside_wire_descriptor(port), error;

	if (fd < 0)
		return 0;
	port->wire_epoll = epoll_create1(EPOLL_CLOEXEC);
	port->wire_readable = watch(port->wire_epoll, wire_readable, port, &error);
	if (!port->wire_readable)
		return error;
	return epoll_ctl(port->wire_epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* What ethdev looks into: queue i is vector i, whose descriptor is the queue's. */
static int make_handle(struct ringside_port *port, int queues)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);

	port->dev->intr_handle = handle;
	if (!handle)
		return -ENOMEM;
	if (rte_intr_type_set(handle, RTE_INTR_HANDLE_VDEV) || rte_intr_fd_set(handle, -1) ||
		rte_intr_efd_counter_size_set(handle, sizeof(uint64_t)) ||
		rte_intr_vec_list_alloc(handle, NULL, queues) ||
		rte_intr_nb_efd_set(handle, queues))
		return -ENOMEM;
	for (int i = 0; i < queues; i++) {
		if (rte_intr_vec_list_index_set(handle, i, RTE_INTR_VEC_RXTX_OFFSET + i) ||
			rte_intr_efds_index_set(handle, i, port->queue[i].event_fd))
			return -ENOMEM;
	}
	return 0;
}

void ringside_rx_interrupts_stop(struct ringside_port *port)
{
	struct rte_intr_handle *handle = port->dev->intr_handle;

	if (handle) {
		rte_intr_free_epoll_fd(handle);
		rte_intr_vec_list_free(handle);
		rte_intr_instance_free(handle);
		port->dev->intr_handle = NULL;
	}
	stop_wire(port);
	for (unsigned i = 0; i < RINGSIDE_QUEUES_MOST; i++) {
		if (port->queue[i].timer)
			stop_queue(&port->queue[i]);
	}
}

int ringside_rx_interrupts_start(struct ringside_port *port)
{
	const struct rte_eth_dev_data *data = port->dev->data;
	int error = 0;

	if (!data->dev_conf.intr_conf.rxq || !data->nb_rx_queues)
		return 0;
	for (unsigned i = 0; i < data->nb_rx_queues && !error; i++)
		error = start_queue(&port->queue[i]);
	if (!error)
		error = start_wire(port);
	if (!error)
		error = make_handle(port, data->nb_rx_queues);
	if (error) {
		RINGSIDE_LOG(ERR, "no receive interrupts: %s\n", strerror(-error));
		ringside_rx_interrupts_stop(port);
	}
	return error;
}
