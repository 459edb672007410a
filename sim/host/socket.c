/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task that sends UDP messages through a blocking socket. Each packet is charged to the socket
 * with its truesize until the driver frees it; a full send buffer puts the task to sleep, and it
 * is woken when half of the buffer is free (sock_alloc_send_pskb, sock_def_write_space).
 */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>

#define ETHER_HEADER_BYTES 14
#define IP_HEADER_BYTES    20
#define UDP_HEADER_BYTES   8
#define HEADERS_BYTES      (ETHER_HEADER_BYTES + IP_HEADER_BYTES + UDP_HEADER_BYTES)

/* The bytes of the message are spread over the segments; the headers are in the first. */
static struct rte_mbuf *make_packet(struct host *host, struct sender *sender)
{
	const struct host_sender *config = sender->config;
	uint32_t left = config->message_bytes;
	struct rte_mbuf *first = rte_pktmbuf_alloc(host->pool), *last = first;

	if (!first)
		return NULL;
	for (uint32_t i = 0; i < config->segments; i++) {
		uint32_t bytes = left / (config->segments - i);

		if (i) {
			last->next = rte_pktmbuf_alloc(host->pool);
			if (!last->next) {
				rte_pktmbuf_free(first);
				return NULL;
			}
			last = last->next;
		}
		last->data_len = (uint16_t)(bytes + (i ? 0 : HEADERS_BYTES));
		left -= bytes;
	}
	first->nb_segs = (uint16_t)config->segments;
	first->pkt_len = config->message_bytes + HEADERS_BYTES;
	first->l2_len = ETHER_HEADER_BYTES;
	first->l3_len = IP_HEADER_BYTES;
	first->ol_flags = config->checksum ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_UDP_CKSUM : 0;
	*(struct packet *)rte_mbuf_to_priv(first) = (struct packet){ .owner = sender };
	return first;
}

/* The system call begins: wait for room in the send buffer, then make the packet. */
static void begin_message(struct sender *sender, struct cpu *cpu, uint64_t now)
{
	struct host *host = sender->host;

	if (now >= sender->config->stop ||
		(sender->config->messages && sender->stats.messages == sender->config->messages)) {
		task_sleep(&sender->task, now);
		return;
	}
	if (sender->charged >= sender->config->send_buffer_bytes) {
		sender->stats.blocks++;
		sender->slept_at = now;
		task_sleep(&sender->task, now);
		return;
	}
	sender->packet = make_packet(host, sender);
	if (!sender->packet) {
		host->error = -ENOMEM;
		task_sleep(&sender->task, now);
		return;
	}
	host->outstanding++;
	sender->charged += sender->config->truesize_bytes;
	if (++sender->outstanding > sender->stats.outstanding_most)
		sender->stats.outstanding_most = sender->outstanding;
	sender->stats.messages++;
	sender->state = SENDER_QUEUE;
	cpu->due[HOST_TASK] = now + host_cost(host, HOST_COST_send);
}

/* The queue run that the message began, if any, is over: bottom halves on, next message. */
static void end_message(struct sender *sender, struct cpu *cpu, uint64_t now)
{
	sender->state = SENDER_ALLOC;
	cpu->due[HOST_TASK] = now;
	task_bh_enable(&sender->task, now);
	sender->pause = sender->config->pause_cycles;
}

/* Between two messages the task may sleep for a while, as a sender at a low rate does. */
static bool pause_message(struct sender *sender, uint64_t now)
{
	if (!sender->pause)
		return false;
	sender->wake_at = now + sender->pause;
	sender->pause = 0;
	host_set_timer(sender->host, sender->wake_at);
	task_sleep(&sender->task, now);
	return true;
}

static void sender_step(struct task *task, struct cpu *cpu, uint64_t now)
{
	struct sender *sender = (struct sender *)task;
	uint64_t took;

	switch (sender->state) {
	case SENDER_ALLOC:
		if (!pause_message(sender, now))
			begin_message(sender, cpu, now);
		break;
	case SENDER_QUEUE:
		task->bh_off = true;
		sender->state = SENDER_XMIT;
		took = netdev_queue_xmit(cpu, sender->netdev, &sender->run, sender->packet, now);
		cpu->due[HOST_TASK] = now + took;
		break;
	case SENDER_XMIT:
		if (sender->run.state != RUN_OVER) {
			took = netdev_run_step(cpu, &sender->run, now);
			if (sender->run.state != RUN_OVER) {
				cpu->due[HOST_TASK] = now + took;
				break;
			}
		}
		end_message(sender, cpu, now);
		break;
	}
}

void sender_init(struct sender *sender, struct host *host, const struct host_sender *config)
{
	sender->host = host;
	sender->netdev = &host->netdevs[config->device];
	sender->config = config;
	sender->task.step = sender_step;
	sender->task.cpu = &host->cpus[config->cpu];
	sender->task.asleep = true;
	sender->wake_at = config->start;
	sender->slept_at = CYCLES_NEVER;
}

void sender_timer(struct sender *sender, uint64_t now)
{
	if (sender->wake_at > now)
		return;
	sender->wake_at = CYCLES_NEVER;
	task_wake(&sender->task, now);
}

/* Books the sleep for send buffer until `now`; what lies beyond its stop is no loss. */
void sender_account(struct sender *sender, uint64_t now)
{
	uint64_t until = now < sender->config->stop ? now : sender->config->stop;

	if (sender->slept_at < until)
		sender->stats.blocked += until - sender->slept_at;
}

void sender_packet_freed(struct sender *sender, uint64_t now)
{
	bool blocked = sender->slept_at != CYCLES_NEVER;

	sender->outstanding--;
	sender->charged -= sender->config->truesize_bytes;
	/* sk_wmem_alloc has two bytes more at that moment: its own first, and the last of the
	 * packet */
	if (blocked && (!sender->charged ||
			       2 * (sender->charged + 2) <= sender->config->send_buffer_bytes)) {
		sender_account(sender, now);
		sender->slept_at = CYCLES_NEVER;
		task_wake(&sender->task, now);
	}
}
