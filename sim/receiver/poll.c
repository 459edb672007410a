/* SPDX-License-Identifier: BSD-3-Clause */
/* The NIC with its driver between the line and lwIP, and the poll with its stamps. */
#include "receiver.h"

#include "cycles.h"
#include <errno.h>
#include <lwip/prot/ip.h>
#include <rte_cycles.h>
#include <stdlib.h>
#include <string.h>

#define CACHE           32 /* packets that a pool keeps at hand */
#define NET_RX          3  /* the softirq's vector */
#define ETHER_BYTES     14
#define TYPE_AT         12
#define IP_LENGTH_AT    (ETHER_BYTES + 2)
#define IP_PROTOCOL_AT  (ETHER_BYTES + 9)
#define TCP_OFFSET_AT   12
#define LEAST_TCP_BYTES (ETHER_BYTES + 20 + 20)
#define STAMP_PAIRS     10001
#define NOTES_A_PACKET  64

/* Around a buffer: what lwIP calls it. */
struct buffer {
	struct pbuf_custom pbuf;
	struct rte_mbuf *packet;
};

/* What the headers of an IPv4 TCP frame say; `tcp` is false of any other. */
struct headers {
	bool tcp;
	unsigned ip_bytes, tcp_bytes, payload;
};

static struct headers headers_of(const uint8_t *frame, unsigned bytes)
{
	struct headers h = { 0 };
	unsigned length;

	if (bytes < LEAST_TCP_BYTES || frame[TYPE_AT] != 8 || frame[TYPE_AT + 1] != 0 ||
		frame[IP_PROTOCOL_AT] != IP_PROTO_TCP)
		return h;
	h.ip_bytes = (frame[ETHER_BYTES] & 15u) * 4;
	length = (unsigned)frame[IP_LENGTH_AT] << 8 | frame[IP_LENGTH_AT + 1];
	if (ETHER_BYTES + h.ip_bytes + 20 > bytes)
		return h;
	h.tcp_bytes = (frame[ETHER_BYTES + h.ip_bytes + TCP_OFFSET_AT] >> 4) * 4u;
	h.tcp = length >= h.ip_bytes + h.tcp_bytes;
	h.payload = h.tcp ? length - h.ip_bytes - h.tcp_bytes : 0;
	return h;
}

static inline uint64_t forward(struct receiver *receiver, uint64_t now)
{
	if (now > receiver->now)
		receiver->now = now;
	return receiver->now;
}

uint64_t receiver_present(struct receiver *receiver)
{
	return forward(receiver, rte_rdtsc());
}

/* The same, when all before it is done, and before anything behind it begins. */
static inline uint64_t stamp(struct receiver *receiver)
{
	uint64_t now;

	rte_rmb(); /* on x86 an lfence: rdtsc itself waits for nothing */
	now = rte_rdtsc();
	rte_rmb();
	return forward(receiver, now);
}

static void deliver_posted(struct receiver *receiver)
{
	struct receiver_posted *posted = &receiver->posted;

	for (unsigned i = 0; i < posted->count; i++) {
		receiver_advance(receiver, posted->write[i].now);
		nic_write(receiver->nic, REG_TDT, posted->write[i].tail, posted->write[i].now);
	}
	posted->count = 0;
}

/* A write of the tail out of the receive path: the device hears of it when that is over. */
static void write_register(void *context, uint32_t offset, uint32_t value, uint64_t now)
{
	struct receiver *receiver = context;
	struct receiver_posted *posted = &receiver->posted;

	if (posted->count == RECEIVER_POSTED)
		deliver_posted(receiver);
	if (posted->posting && offset == REG_TDT) {
		posted->write[posted->count].now = now;
		posted->write[posted->count++].tail = value;
		return;
	}
	receiver_advance(receiver, now);
	nic_write(receiver->nic, offset, value, now);
}

static uint32_t read_register(void *context, uint32_t offset, uint64_t now)
{
	struct receiver *receiver = context;

	receiver_advance(receiver, now);
	return nic_read(receiver->nic, offset, now);
}

void receiver_advance(struct receiver *receiver, uint64_t now)
{
	const struct line_frame *arrived;

	while ((arrived = line_arrived(&receiver->to_nic, now))) {
		struct nic_frame frame = { .segment = { { arrived->data, arrived->bytes } },
			.count = 1,
			.bytes = arrived->bytes };

		nic_receive(receiver->nic, &frame, arrived->at);
		line_take(&receiver->to_nic);
	}
	nic_advance(receiver->nic, now);
}

/* The wire's end: the sender gets the frame when it has its turn. */
static void deliver(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct receiver *receiver = context;
	uint8_t *data = line_put(&receiver->from_nic, frame->bytes, 0, now);

	for (unsigned i = 0; data && i < frame->count; i++) {
		memcpy(data, frame->segment[i].data, frame->segment[i].bytes);
		data += frame->segment[i].bytes;
	}
}

/* The sender's interface: its frames go on the line. */
static bool send_frame(void *context, const struct pbuf *frame)
{
	struct receiver *receiver = context;
	uint64_t cycles = nic_wire_cycles(&receiver->nic_config, frame->tot_len);
	uint8_t *data =
		line_put(&receiver->to_nic, frame->tot_len, cycles, receiver_present(receiver));

	if (!data)
		return false;
	pbuf_copy_partial(frame, data, frame->tot_len, 0);
	receiver->counts.segments += headers_of(data, frame->tot_len).payload > 0;
	return true;
}

/* The receiver's interface: the driver's xmit. */
static bool xmit_frame(void *context, const struct pbuf *frame)
{
	struct receiver *receiver = context;
	struct rte_mbuf *packet = rte_pktmbuf_alloc(receiver->tx_pool);
	uint32_t bytes = frame->tot_len;
	struct headers headers;
	uint8_t *data;
	int rc;

	if (!packet || !(data = (uint8_t *)rte_pktmbuf_append(packet, frame->tot_len))) {
		rte_pktmbuf_free(packet);
		return false;
	}
	pbuf_copy_partial(frame, data, frame->tot_len, 0);
	headers = headers_of(data, bytes);
	if (headers.tcp) {
		packet->l2_len = ETHER_BYTES;
		packet->l3_len = headers.ip_bytes & 0x1ff;
		packet->l4_len = headers.tcp_bytes & 0xff;
		if (receiver->scenario->driver.checksum)
			packet->ol_flags |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM;
	}
	rc = e1000e_xmit(receiver->driver, RECEIVER_CPU, packet, receiver_present(receiver));
	e1000e_xmit_returned(
		receiver->driver, RECEIVER_CPU, packet, bytes, rc, receiver_present(receiver));
	if (rc == E1000E_TX_BUSY) {
		receiver->counts.busy++;
		rte_pktmbuf_free(packet);
	}
	return rc == E1000E_TX_OK;
}

static void free_packet(void *context, struct rte_mbuf *packet, uint64_t now)
{
	(void)context;
	(void)now;
	rte_pktmbuf_free(packet);
}

/* All or none. */
static unsigned alloc_buffers(void *context, struct rte_mbuf **buffers, unsigned count)
{
	struct receiver *receiver = context;

	return rte_mempool_get_bulk(receiver->rx_pool, (void **)buffers, count) ? 0 : count;
}

static void free_buffer(struct pbuf *pbuf)
{
	rte_pktmbuf_free(((struct buffer *)pbuf)->packet);
}

/*
 * The device checks TCP's checksum if it computes those of what is sent, too, and the wire damages
 * nothing. As the driver's eth_type_trans this is the first to look into the frame.
 */
static bool is_checked(const struct receiver *receiver, const struct rte_mbuf *packet)
{
	return receiver->scenario->driver.checksum &&
	       headers_of(rte_pktmbuf_mtod(packet, const uint8_t *), packet->data_len).tcp;
}

/* lwIP's name for a received packet, whose data stays where it is. */
static struct pbuf *pbuf_of(struct rte_mbuf *packet, bool checked)
{
	struct buffer *buffer = rte_mbuf_to_priv(packet);
	struct pbuf *pbuf;

	buffer->packet = packet;
	buffer->pbuf.custom_free_function = free_buffer;
	pbuf = pbuf_alloced_custom(PBUF_RAW, packet->data_len, PBUF_REF, &buffer->pbuf,
		rte_pktmbuf_mtod(packet, void *), packet->data_len);
	pbuf->flags = (uint8_t)(pbuf->flags | (checked ? STACK_CHECKED : 0));
	return pbuf;
}

static int open_pools(struct receiver *receiver)
{
	const struct scenario *scenario = receiver->scenario;
	unsigned tx = (unsigned)scenario->nic.ring_size + 2 * CACHE;
	/* posted, taken by a poll, and not read yet */
	unsigned rx = 2 * (unsigned)scenario->nic.rx_ring_size + STACK_UNREAD_MOST + 2 * CACHE;

	receiver->tx_pool = rte_pktmbuf_pool_create("receiver tx", tx, CACHE, 0,
		RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(LINE_FRAME_MOST, RTE_CACHE_LINE_SIZE),
		SOCKET_ID_ANY);
	receiver->rx_pool = rte_pktmbuf_pool_create("receiver rx", rx, CACHE,
		RTE_ALIGN_CEIL(sizeof(struct buffer), RTE_CACHE_LINE_SIZE),
		RTE_PKTMBUF_HEADROOM + RX_BUFFER_BYTES, SOCKET_ID_ANY);
	return receiver->tx_pool && receiver->rx_pool ? 0 : -ENOMEM;
}

int receiver_open(struct receiver *receiver, uint64_t now)
{
	const struct scenario *scenario = receiver->scenario;
	struct nic_config *nic = &receiver->nic_config;
	struct e1000e_config driver = {
		.hz = receiver->hz,
		.rx_ring_size = (uint16_t)scenario->nic.rx_ring_size,
		.rdtr = (uint16_t)scenario->driver.rdtr,
		.radv = (uint16_t)scenario->driver.radv,
		.context_always = scenario->driver.checksum,
		.registers = { receiver, read_register, write_register },
		.stack = { .context = receiver, .free = free_packet, .alloc = alloc_buffers },
		.sink = &receiver->sink.sink,
	};
	int error = open_pools(receiver);

	if (error)
		return error;
	receiver->now = now;
	receiver->weight = (unsigned)scenario->host.dev_weight;
	*nic = (struct nic_config){ .wire = { .context = receiver, .transmit = deliver },
		.sink = &receiver->sink.device_sink,
		.sink_cpu = RECEIVER_DEVICE_CPU };
	scenario_fill_nic(nic, scenario, receiver->hz, now);
	receiver->nic = nic_create(nic);
	if (!receiver->nic)
		return -ENOMEM;
	scenario_fill_driver(&driver, scenario);
	error = e1000e_open(&receiver->driver, &driver, now);
	receiver->stack.sender.context = receiver->stack.receiver.context = receiver;
	receiver->stack.sender.transmit = send_frame;
	receiver->stack.receiver.transmit = xmit_frame;
	return error ? error : stack_open(&receiver->stack, scenario->seed);
}

void receiver_close(struct receiver *receiver)
{
	stack_close(&receiver->stack);
	if (receiver->driver)
		e1000e_close(receiver->driver, RECEIVER_CPU, receiver_present(receiver));
	receiver_file(&receiver->sink);
	nic_destroy(receiver->nic);
	rte_mempool_free(receiver->tx_pool);
	rte_mempool_free(receiver->rx_pool);
}

/*
 * The measurement: nothing but lwIP is between the stamps. The two notes before it get their time
 * when it is known.
 */
static void hand_up(struct receiver *receiver, struct rte_mbuf *packet)
{
	struct receiver_sink *sink = &receiver->sink;
	struct pbuf *pbuf = pbuf_of(packet, is_checked(receiver, packet));
	uint64_t number = (uintptr_t)packet, queued = receiver->driver->stats.queued, begin, end;
	uint32_t bytes = packet->pkt_len - ETHER_BYTES; /* as netif_receive_skb has it */
	struct receiver_note *note;

	if (sink->count + NOTES_A_PACKET > RECEIVER_NOTES)
		receiver_file(sink);
	note = receiver_note(sink, 0, EVENT_RECEIVE_BEGIN, bytes, number, 0);
	receiver_note(sink, 0, EVENT_RECEIVE, bytes, number, 0);

	begin = stamp(receiver);
	stack_input(&receiver->stack.receiver, pbuf);
	end = stamp(receiver);

	note[0].time = note[1].time = begin;
	receiver_note(sink, end, EVENT_RECEIVE_END, bytes, number, 0);
	receive_log_add(&receiver->log, end - begin, receiver->driver->stats.queued != queued);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t receiver_stamp_cycles(struct receiver *receiver)
{
	static uint64_t costs[STAMP_PAIRS];

	for (unsigned i = 0; i < STAMP_PAIRS; i++) {
		uint64_t begin = stamp(receiver);

		costs[i] = stamp(receiver) - begin;
	}
	qsort(costs, STAMP_PAIRS, sizeof(*costs), by_size);
	return costs[STAMP_PAIRS / 2];
}

static void note_softirq(struct receiver *receiver, enum event_id id, uint64_t now)
{
	receiver_note(&receiver->sink, now, id, 0, 0, EVENT_PUT(SOFTIRQ_ENTRY, vec, NET_RX));
}

static void run_poll(struct receiver *receiver)
{
	uint64_t now = receiver_present(receiver);
	unsigned received;

	note_softirq(receiver, EVENT_SOFTIRQ_ENTRY, now);
	while (e1000e_clean_packet(receiver->driver, RECEIVER_CPU, now))
		;
	e1000e_clean_done(receiver->driver, RECEIVER_CPU, now);
	received = e1000e_receive(receiver->driver, RECEIVER_CPU, receiver->packets,
		receiver->weight < RING_MOST ? receiver->weight : RING_MOST, now);

	receiver->posted.posting = true;
	for (unsigned i = 0; i < received; i++)
		hand_up(receiver, receiver->packets[i]);
	receiver->posted.posting = false;
	deliver_posted(receiver);

	receiver_note(&receiver->sink, receiver_present(receiver), EVENT_NAPI_POLL, 0, 0,
		EVENT_PUT(NAPI_POLL, work, received) |
			EVENT_PUT(NAPI_POLL, budget, receiver->weight));
	if (received < receiver->weight) {
		receiver->scheduled = false;
		e1000e_poll_done(receiver->driver, receiver_present(receiver));
	}
	note_softirq(receiver, EVENT_SOFTIRQ_EXIT, receiver_present(receiver));
	receiver_file(&receiver->sink);
	receiver->counts.polls++;
	receiver->counts.handed_up += received;
}

static void take_interrupt(struct receiver *receiver)
{
	uint64_t raised, now;

	if (!nic_take_interrupt(receiver->nic, &raised))
		return;
	now = receiver_present(receiver);
	receiver->counts.interrupts++;
	receiver_note(&receiver->sink, now, EVENT_IRQ_ENTRY, 0, 0, 0);
	if (e1000e_interrupt(receiver->driver, now)) {
		receiver->scheduled = true;
		note_softirq(receiver, EVENT_SOFTIRQ_RAISE, now);
	}
	receiver_note(&receiver->sink, receiver_present(receiver), EVENT_IRQ_EXIT, 0, 0, 0);
}

/* What has come from the wire goes up on the sender's side. */
static void serve_sender(struct receiver *receiver)
{
	const struct line_frame *frame;

	while ((frame = line_arrived(&receiver->from_nic, receiver->now))) {
		struct headers headers = headers_of(frame->data, frame->bytes);
		struct pbuf *pbuf = pbuf_alloc(PBUF_RAW, (u16_t)frame->bytes, PBUF_RAM);

		receiver->counts.acks += headers.tcp && !headers.payload;
		receiver->counts.others += !headers.tcp;
		if (pbuf) {
			pbuf_take(pbuf, frame->data, (u16_t)frame->bytes);
			stack_input(&receiver->stack.sender, pbuf);
		}
		line_take(&receiver->from_nic);
	}
}

void receiver_turn(struct receiver *receiver, uint64_t length)
{
	receiver_advance(receiver, receiver_present(receiver));
	take_interrupt(receiver);
	if (receiver->scheduled) {
		run_poll(receiver);
		stack_read(&receiver->stack);
	}
	serve_sender(receiver);
	stack_write(&receiver->stack, length);
}
