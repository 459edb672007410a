/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other end of a wire that sends, and the TCP receiver in the stack.
 *
 * Segments come at their interval, but no faster than the wire takes them. One that the device
 * misses is counted and comes again: recovery from loss is not modelled.
 *
 * Linux acknowledges (__tcp_ack_snd_check, RFC 5681 4.2) when more than one full segment is
 * outstanding, which is every second one; at once while it owes quick ACKs, of which a connection
 * begins with up to 16; and else when the delayed-ACK timer runs out.
 */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>

#define ETHER_HEADER_BYTES 14
#define IP_HEADER_BYTES    20
#define TCP_HEADER_BYTES   32 /* with time stamps */
#define UDP_HEADER_BYTES   8
#define ACK_BYTES          (ETHER_HEADER_BYTES + IP_HEADER_BYTES + TCP_HEADER_BYTES)

uint32_t host_frame_bytes(const struct host_receiver *config)
{
	return config->segment_bytes + ETHER_HEADER_BYTES + IP_HEADER_BYTES +
	       (config->tcp ? TCP_HEADER_BYTES : UDP_HEADER_BYTES);
}

int receiver_init(struct receiver *receiver, struct host *host, const struct host_receiver *config)
{
	receiver->config = config;
	receiver->netdev = &host->netdevs[config->device];
	receiver->bytes = host_frame_bytes(config);
	receiver->quick_acks_left = config->quick_acks;
	receiver->delayed_at = CYCLES_NEVER;
	receiver->wanted = config->start;
	/* what the frame says is never looked at */
	receiver->frame.segment[0].data = receiver->data = calloc(1, receiver->bytes);
	receiver->frame.segment[0].bytes = receiver->frame.bytes = receiver->bytes;
	receiver->frame.count = 1;
	receiver->wire_cycles = nic_wire_cycles(receiver->netdev->nic_config, receiver->bytes);
	if (!receiver->netdev->arrivals) {
		receiver->netdev->arrivals_count = receiver->netdev->port->rx.count;
		receiver->netdev->arrivals =
			calloc(receiver->netdev->arrivals_count, sizeof(struct arrival));
	}
	return receiver->data && receiver->netdev->arrivals ? 0 : -ENOMEM;
}

void receiver_free(struct receiver *receiver)
{
	free(receiver->data);
	rte_pktmbuf_free(receiver->held);
}

static bool has_more(const struct receiver *receiver)
{
	const struct host_receiver *config = receiver->config;

	return receiver->wanted < config->stop &&
	       (!config->segments || receiver->stats.sent < config->segments);
}

/* Whose frame is next on this wire, and when its last bit arrives: first come, first served. */
void receiver_schedule(struct netdev *netdev)
{
	struct receiver *next = NULL;
	uint64_t from;

	for (unsigned i = 0; i < netdev->host->config.receiver_count; i++) {
		struct receiver *receiver = &netdev->host->receivers[i];

		if (receiver->netdev == netdev && has_more(receiver) &&
			(!next || receiver->wanted < next->wanted))
			next = receiver;
	}
	netdev->next_arrival = next;
	netdev->arrives_at = CYCLES_NEVER;
	if (!next)
		return;
	from = next->wanted > netdev->wire_free_at ? next->wanted : netdev->wire_free_at;
	if (from < next->config->stop)
		netdev->arrives_at = from + next->wire_cycles;
}

/* The frame is there. The next of a burst follows at the wire's pace. */
void receiver_arrive(struct netdev *netdev, uint64_t now)
{
	struct receiver *receiver = netdev->next_arrival;
	uint64_t missed = nic_stats(netdev->nic)->rx_missed;

	nic_receive(netdev->nic, &receiver->frame, now);
	receiver->stats.frames++;
	if (nic_stats(netdev->nic)->rx_missed != missed) {
		receiver->stats.missed++;
	} else {
		receiver->stats.sent++;
		netdev->arrivals[netdev->arrived++ % netdev->arrivals_count] =
			(struct arrival){ .receiver = receiver, .at = now };
	}
	netdev->wire_free_at = now;
	if (++receiver->of_burst >= receiver->config->burst) {
		receiver->of_burst = 0;
		receiver->wanted += receiver->config->interval;
	}
	receiver_schedule(netdev);
}

/* Data has come up: has it to be acknowledged now? */
bool receiver_data(struct receiver *receiver, uint32_t segments, uint64_t now)
{
	const struct host_receiver *config = receiver->config;

	receiver->stats.received += segments;
	receiver->stats.deliveries++;
	if (!config->tcp)
		return false;
	receiver->outstanding += segments;
	if (receiver->quick_acks_left || receiver->outstanding > 1)
		return true;
	if (receiver->delayed_at == CYCLES_NEVER) {
		receiver->delayed_at = now + config->delayed_ack;
		receiver->netdev->host->delayed++;
		host_set_timer(receiver->netdev->host, receiver->delayed_at);
	}
	return false;
}

static void stop_timer(struct receiver *receiver)
{
	if (receiver->delayed_at != CYCLES_NEVER)
		receiver->netdev->host->delayed--;
	receiver->delayed_at = CYCLES_NEVER;
}

/* An ACK of all that is outstanding; NULL and an error in the host if there is no memory. */
static struct rte_mbuf *receiver_ack(struct receiver *receiver)
{
	struct host *host = receiver->netdev->host;
	struct rte_mbuf *packet = rte_pktmbuf_alloc(host->pool);

	stop_timer(receiver);
	receiver->outstanding = 0;
	receiver->stats.acks++;
	if (receiver->quick_acks_left) {
		receiver->quick_acks_left--;
		receiver->stats.quick_acks++;
	}
	if (!packet) {
		host->error = -ENOMEM;
		return NULL;
	}
	host->outstanding++;
	packet->data_len = ACK_BYTES;
	packet->pkt_len = ACK_BYTES;
	packet->l2_len = ETHER_HEADER_BYTES;
	packet->l3_len = IP_HEADER_BYTES;
	packet->l4_len = TCP_HEADER_BYTES;
	packet->ol_flags =
		receiver->config->checksum ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM : 0;
	((struct packet *)rte_mbuf_to_priv(packet))->owner = NULL;
	return packet;
}

/* The delayed-ACK timer: its softirq sends the ACK. */
void receiver_timer(struct receiver *receiver, uint64_t now)
{
	struct host *host = receiver->netdev->host;

	if (receiver->delayed_at > now)
		return;
	receiver->delayed_at = CYCLES_NEVER; /* but `delayed` counts it until the ACK is made */
	receiver->ack_due = true;
	cpu_timer_interrupt(&host->cpus[host->config.irq_cpu], now);
}

/* One for which an ACK is due, or NULL. Data may have come since the timer, and an ACK gone. */
struct receiver *receiver_due(struct host *host)
{
	for (unsigned i = 0; i < host->config.receiver_count; i++) {
		struct receiver *receiver = &host->receivers[i];

		if (!receiver->ack_due)
			continue;
		receiver->ack_due = false;
		host->delayed--;
		if (receiver->outstanding) {
			receiver->stats.delayed_acks++;
			return receiver;
		}
	}
	return NULL;
}

/* Begins an ACK: what it takes until reply_step. */
uint64_t reply_begin(struct reply *reply, struct receiver *receiver)
{
	*reply = (struct reply){ .receiver = receiver, .state = REPLY_MAKE };
	return host_cost(receiver->netdev->host, HOST_COST_ack);
}

/* Returns false if the ACK has gone its way; else what the next step takes is in `took`. */
bool reply_step(struct cpu *cpu, struct reply *reply, uint64_t now, uint64_t *took)
{
	struct rte_mbuf *packet;

	if (reply->state == REPLY_MAKE) {
		packet = receiver_ack(reply->receiver);
		if (!packet)
			return false;
		reply->state = REPLY_SENT;
		*took = netdev_queue_xmit(cpu, reply->receiver->netdev, &reply->run, packet, now);
		return true;
	}
	if (reply->run.state == RUN_OVER)
		return false;
	*took = netdev_run_step(cpu, &reply->run, now);
	return reply->run.state != RUN_OVER;
}
