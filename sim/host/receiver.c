/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other end of a wire that sends, and the TCP receiver in the stack.
 *
 * Segments come at their interval, but no faster than the wire takes them. One that the device
 * misses is counted and comes again: recovery from loss is not modelled.
 *
 * Linux acknowledges (__tcp_ack_snd_check, RFC 5681 4.2) when more than one full segment is
 * outstanding, which is every second one; at once while it owes quick ACKs, of which a connection
 * begins with up to 16, and so again after a pause; and else when the delayed-ACK timer runs out.
 * Where a process reads what has come, the window has a say in that (window.h).
 */
#include "world.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define ETHER_HEADER_BYTES 14
#define IP_HEADER_BYTES    20
#define TCP_HEADER_BYTES   32 /* with time stamps */
#define UDP_HEADER_BYTES   8
#define ACK_BYTES          (ETHER_HEADER_BYTES + IP_HEADER_BYTES + TCP_HEADER_BYTES)

#define OPENING_BYTES 8 /* more options in the packets that open a connection */

uint32_t host_frame_bytes(const struct host_receiver *config)
{
	return config->segment_bytes + ETHER_HEADER_BYTES + IP_HEADER_BYTES +
	       (config->tcp ? TCP_HEADER_BYTES : UDP_HEADER_BYTES);
}

/* A circle for what comes by this device. */
static bool expect_arrivals(struct netdev *netdev)
{
	if (netdev->arrivals)
		return true;
	netdev->arrivals_count = netdev->port->rx.count;
	netdev->arrivals = calloc(netdev->arrivals_count, sizeof(struct arrival));
	return netdev->arrivals != NULL;
}

int receiver_init(struct receiver *receiver, struct host *host, const struct host_receiver *config)
{
	receiver->config = config;
	receiver->netdev = &host->netdevs[config->device];
	receiver->bytes = host_frame_bytes(config);
	receiver->quick_acks_left = config->quick_acks;
	receiver->delayed_at = CYCLES_NEVER;
	receiver->echoed = UINT32_MAX;
	receiver->wanted = config->start;
	/* what the frame says is never looked at */
	receiver->frame.segment[0].data = receiver->data = calloc(1, receiver->bytes);
	receiver->frame.segment[0].bytes = receiver->frame.bytes = receiver->bytes;
	receiver->frame.count = 1;
	receiver->wire_cycles = nic_wire_cycles(receiver->netdev->nic_config, receiver->bytes);
	if (!receiver->data || !expect_arrivals(receiver->netdev))
		return -ENOMEM;
	if (config->read)
		reader_init(&receiver->reader, receiver, host);
	if (!config->stream)
		return 0;
	stream_init(&receiver->stream, receiver, host);
	return expect_arrivals(receiver->stream.netdev) ? 0 : -ENOMEM;
}

void receiver_free(struct receiver *receiver)
{
	free(receiver->data);
	rte_pktmbuf_free(receiver->held);
	reader_free(&receiver->reader);
}

static bool has_more(const struct receiver *receiver)
{
	const struct host_receiver *config = receiver->config;

	return !config->stream && receiver->wanted < config->stop &&
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

/* A frame is at the device: in its ring, or missed. */
void receiver_arrived(struct netdev *netdev, const struct nic_frame *frame,
	const struct arrival *arrival, uint64_t now)
{
	struct host_receiver_stats *stats = &arrival->receiver->stats;
	uint64_t missed = nic_stats(netdev->nic)->rx_missed;

	bool counts = netdev == arrival->receiver->netdev; /* else it is an ACK of a stream's */

	nic_receive(netdev->nic, frame, now);
	missed = nic_stats(netdev->nic)->rx_missed - missed;
	stats->frames += counts;
	stats->missed += counts && missed;
	stats->sent += counts && !missed;
	if (missed)
		return;
	netdev->arrivals[netdev->arrived++ % netdev->arrivals_count] = *arrival;
}

/* The frame is there. The next of a burst follows at the wire's pace. */
void receiver_arrive(struct netdev *netdev, uint64_t now)
{
	struct receiver *receiver = netdev->next_arrival;
	struct arrival arrival = { .receiver = receiver, .at = now, .bytes = receiver->bytes };

	receiver_arrived(netdev, &receiver->frame, &arrival, now);
	netdev->wire_free_at = now;
	if (++receiver->of_burst >= receiver->config->burst) {
		receiver->of_burst = 0;
		receiver->wanted += receiver->config->interval;
	}
	receiver_schedule(netdev);
}

static uint32_t milliseconds(uint64_t now)
{
	return (uint32_t)(now / (CLOCK_VIRTUAL_HZ / 1000));
}

/* Our own time stamp comes back: a round trip, in whole milliseconds, at least one. */
static void hear_echo(struct receiver *receiver, const struct segment *segment, uint64_t now)
{
	uint32_t took = milliseconds(now) - segment->echo;

	if (segment->echo == receiver->echoed)
		return;
	receiver->echoed = segment->echo;
	if (segment->bytes >= receiver->window.seen_segment)
		window_round_trip(&receiver->window, (took ? took : 1) * UINT64_C(1000000));
}

/* Is it for the other end of the connection, the sender of a stream? */
static bool at_sender(const struct poll *poll)
{
	return poll->netdev != poll->receiver->netdev;
}

/* What the stack needs for the packet that the poll has. */
uint64_t receiver_cost(const struct cpu *cpu, const struct poll *poll)
{
	const struct receiver *receiver = poll->receiver;
	bool ack = at_sender(poll);
	bool owned = ack ? receiver->stream.owns : receiver->reader.owns;

	return host_cost(cpu->host, owned ? HOST_COST_backlog
				    : ack ? HOST_COST_acked
					  : HOST_COST_receive);
}

/* Without an ACK at once the timer runs. */
bool receiver_acks(struct receiver *receiver, bool at_once, uint64_t now)
{
	if (!at_once && receiver->delayed_at == CYCLES_NEVER) {
		receiver->delayed_at = now + receiver->config->delayed_ack;
		receiver->netdev->host->delayed++;
		host_set_timer(receiver->netdev->host, receiver->delayed_at);
	}
	return at_once;
}

/* Data has come up, and nobody reads it: has it to be acknowledged now? */
static bool receive_data(struct receiver *receiver, uint32_t segments, uint64_t now)
{
	const struct host_receiver *config = receiver->config;

	if (!config->tcp)
		return false;
	if (receiver->stats.deliveries > 1 &&
		now - receiver->heard_at > cycles_of_ns(TCP_RTO_MIN_NS, CLOCK_VIRTUAL_HZ))
		receiver->quick_acks_left = config->quick_acks;
	receiver->heard_at = now;
	receiver->outstanding += segments;
	return receiver_acks(receiver, receiver->quick_acks_left || receiver->outstanding > 1, now);
}

/* The sender opens the connection, or answers to our answer. Does that want one? */
static bool shake_hands(struct receiver *receiver, const struct segment *segment, uint64_t now)
{
	receiver->answers = segment->opens;
	if (!segment->opens)
		window_open(&receiver->window, now);
	receiver->echo = segment->stamp;
	return segment->opens;
}

/* The stack has the packet that was polled: does something have to be sent now? */
bool receiver_take(struct poll *poll, uint64_t now)
{
	struct receiver *receiver = poll->receiver;
	const struct segment *segment = &poll->segment;

	poll->reply.data = at_sender(poll);
	if (poll->reply.data)
		return stream_acked(&receiver->stream, segment, now);
	if (receiver->config->stream && !segment->bytes)
		return shake_hands(receiver, segment, now);
	if (receiver->config->stream && segment->from != receiver->expected) {
		receiver->stats.disordered++; /* an ACK says what is missing */
		return !receiver->reader.owns;
	}
	receiver->expected += segment->bytes;
	receiver->stats.received += poll->segments;
	receiver->stats.deliveries++;
	if (!receiver->config->read)
		return receive_data(receiver, poll->segments, now);
	if (receiver->config->stream) {
		receiver->echo = segment->stamp;
		hear_echo(receiver, segment, now);
	}
	return reader_take(receiver, poll, now);
}

static void stop_timer(struct receiver *receiver)
{
	if (receiver->delayed_at != CYCLES_NEVER)
		receiver->netdev->host->delayed--;
	receiver->delayed_at = CYCLES_NEVER;
}

/* A packet without data that says this; NULL and an error in the host if there is no memory. */
struct rte_mbuf *receiver_packet(struct host *host, const struct segment *segment, bool checksum)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(host->pool);
	uint16_t options = segment->opens ? OPENING_BYTES : 0;

	if (!packet) {
		host->error = -ENOMEM;
		return NULL;
	}
	host->outstanding++;
	packet->data_len = (uint16_t)(ACK_BYTES + options);
	packet->pkt_len = packet->data_len;
	packet->l2_len = ETHER_HEADER_BYTES;
	packet->l3_len = IP_HEADER_BYTES;
	packet->l4_len = (uint8_t)(TCP_HEADER_BYTES + options);
	packet->ol_flags = checksum ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM : 0;
	*(struct packet *)rte_mbuf_to_priv(packet) = (struct packet){ 0 };
	memcpy(rte_pktmbuf_mtod(packet, void *), segment, sizeof(*segment));
	return packet;
}

/* An ACK of all that is outstanding, or of the connection. */
static struct rte_mbuf *receiver_ack(struct receiver *receiver, uint64_t now)
{
	struct segment segment = { .stamp = milliseconds(now),
		.echo = receiver->echo,
		.opens = receiver->answers,
		.window = receiver->window.offered };

	if (!receiver->answers) {
		stop_timer(receiver);
		receiver->outstanding = 0;
		receiver->stats.acks++;
		if (receiver->config->read)
			segment.window = window_acknowledge(&receiver->window);
		segment.ack = receiver->window.next;
		if (receiver->quick_acks_left) {
			receiver->quick_acks_left--;
			receiver->stats.quick_acks++;
		}
	}
	receiver->answers = false;
	return receiver_packet(receiver->netdev->host, &segment, receiver->config->checksum);
}

struct host_receiver_stats receiver_stats(const struct receiver *receiver)
{
	struct host_receiver_stats stats = receiver->stats;

	stats.buffer = receiver->window.buffer;
	stats.quick_acks += receiver->window.quick_sent;
	return stats;
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
		if (receiver->outstanding || receiver->window.scheduled) {
			receiver->stats.delayed_acks++;
			return receiver;
		}
	}
	return NULL;
}

/* Begins an ACK: what it takes until reply_step. Data that an ACK has let go waits for nothing. */
uint64_t reply_begin(struct reply *reply, struct receiver *receiver)
{
	reply->receiver = receiver;
	reply->state = REPLY_MAKE;
	return reply->data ? 0 : host_cost(receiver->netdev->host, HOST_COST_ack);
}

/* Returns false if all has gone its way; else what the next step takes is in `took`. */
bool reply_step(struct cpu *cpu, struct reply *reply, uint64_t now, uint64_t *took)
{
	struct receiver *receiver = reply->receiver;
	struct netdev *netdev = reply->data ? receiver->stream.netdev : receiver->netdev;
	struct rte_mbuf *packet;

	if (reply->state == REPLY_SENT && reply->run.state != RUN_OVER) {
		*took = netdev_run_step(cpu, &reply->run, now);
		if (reply->run.state != RUN_OVER)
			return true;
		*took = 0;
	}
	if (reply->state == REPLY_SENT && !reply->data)
		return false;
	packet = reply->data ? stream_next(&receiver->stream, now) : receiver_ack(receiver, now);
	if (!packet)
		return false;
	reply->state = REPLY_SENT;
	*took = netdev_queue_xmit(cpu, netdev, &reply->run, packet, now);
	return true;
}
