/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver posts, and when it has no room. clean_test.c has the way back. */
#include "bench.h"

static struct bench bench, other;

static void start(uint16_t ring_size, uint16_t reserve)
{
	struct e1000e_config config = bench_config(&bench);

	config.ring_size = ring_size;
	config.reserve = reserve;
	bench_open(&bench, &config);
}

/* Packets of a single descriptor. */
static void send_small(unsigned count)
{
	struct rte_mbuf *packet = bench_packet(&bench, 0, 60);

	for (unsigned i = 0; i < count; i++)
		CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 0), E1000E_TX_OK);
}

static void assert_bytes(const union tx_desc *desc, const uint8_t expected[16])
{
	CU_ASSERT_EQUAL(memcmp(desc, expected, 16), 0);
}

/*
 * Context, 82574 datasheet 7.2.11: the UDP header starts at 14 + 20 = 34 (0x22), its checksum is at
 * 34 + 6 = 40 (0x28); DEXT is bit 29. The Linux driver leaves the IP part 0 as well.
 * Data, 7.2.12: 43 bytes (0x2b), DTYP 1 in bits 23:20, and EOP 0x01, IFCS 0x02, RS 0x08, DEXT
 * 0x20, IDE 0x80 above; TXSM is bit 1 of POPTS.
 */
static void udp_takes_a_context_and_a_data_descriptor(void)
{
	static const uint8_t context[16] = { 0, 0, 0, 0, 0x22, 0x28, 0, 0, 0, 0, 0, 0x20, 0, 0, 0,
		0 };
	uint8_t data[16] = { [8] = 0x2b, 0, 0x10, 0xab, 0, 0x02, 0, 0 };
	uint64_t address = (uintptr_t)bench.data[0] + 64;

	start(256, 20);
	for (int i = 0; i < 8; i++)
		data[i] = (uint8_t)(address >> 8 * i);
	memset(bench.port->tx.desc, 0xee, 256 * sizeof(union tx_desc));
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 1000), E1000E_TX_OK);
	assert_bytes(&bench.port->tx.desc[0], context);
	assert_bytes(&bench.port->tx.desc[1], data);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_use, 2);
	bench_close(&bench);
}

/* The TCP checksum is at 34 + 16 = 50 (0x32), and TUCMD has TCP in bit 24. */
static void tcp_says_so_in_its_context(void)
{
	static const uint8_t context[16] = { 0, 0, 0, 0, 0x22, 0x32, 0, 0, 0, 0, 0, 0x21, 0, 0, 0,
		0 };
	struct rte_mbuf *packet = bench_udp(&bench, 0, 1514 - 1460);

	start(256, 20);
	packet->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM;
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 1000), E1000E_TX_OK);
	assert_bytes(&bench.port->tx.desc[0], context);
	CU_ASSERT_EQUAL(bench.port->tx.desc[1].data.status, 0x200);
	bench_close(&bench);
}

/* A VLAN tag of 4 bytes and an IPv6 header of 40: 58 (0x3a), and 64 (0x40) for the checksum. */
static void offsets_follow_the_headers(void)
{
	static const uint8_t context[16] = { 0, 0, 0, 0, 0x3a, 0x40, 0, 0, 0, 0, 0, 0x20, 0, 0, 0,
		0 };
	struct rte_mbuf *packet = bench_udp(&bench, 0, 80);

	start(256, 20);
	packet->ol_flags = RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_UDP_CKSUM;
	packet->l2_len = 18;
	packet->l3_len = 40;
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 1000), E1000E_TX_OK);
	assert_bytes(&bench.port->tx.desc[0], context);
	bench_close(&bench);
}

static void without_checksum_there_is_no_context(void)
{
	const struct e1000e_tx_ring *ring;

	start(256, 20);
	ring = &bench.port->tx;
	send_small(1);
	CU_ASSERT_EQUAL(ring->next_to_use, 1);
	CU_ASSERT_EQUAL(ring->desc[0].data.buffer_addr, (uintptr_t)bench.data[0] + 64);
	/* as Linux has it: legacy; IDE, RS, IFCS, EOP, and 60 bytes */
	CU_ASSERT_EQUAL(ring->desc[0].data.cmd_length, 0x8b00003c);
	CU_ASSERT_EQUAL(ring->desc[0].data.status, 0);
	bench_close(&bench);
}

static void each_segment_has_a_data_descriptor(void)
{
	struct rte_mbuf *packet = bench_udp(&bench, 0, 50);
	const struct e1000e_tx_ring *ring;

	start(256, 20);
	ring = &bench.port->tx;
	bench_append(packet, bench_packet(&bench, 1, 60));
	bench_append(packet, bench_packet(&bench, 2, 70));
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 1000), E1000E_TX_OK);
	CU_ASSERT_EQUAL(ring->next_to_use, 4);
	for (unsigned i = 0; i < 3; i++) {
		const union tx_desc *desc = &ring->desc[i + 1];
		/* DEXT, IFCS, type 1; the last also IDE, RS and EOP (what Linux writes) */
		uint32_t command = i == 2 ? 0xab100000 : 0x22100000;

		CU_ASSERT_EQUAL(desc->data.buffer_addr, (uintptr_t)bench.data[i] + 64);
		CU_ASSERT_EQUAL(desc->data.cmd_length, command | (50 + 10 * i));
		CU_ASSERT_EQUAL(desc->data.status, 0x200); /* each says that TXSM is wanted */
	}
	bench_close(&bench);
}

/* Of the kernel's e1000_buffer: next_to_watch and time in the first, the packet in the last. */
static void the_first_and_the_last_descriptor_know_the_packet(void)
{
	struct rte_mbuf *packet = bench_udp(&bench, 0, 50);
	const struct e1000e_buffer *buffer;

	start(256, 20);
	buffer = bench.port->tx.buffer;
	bench_append(packet, bench_packet(&bench, 1, 60));
	for (unsigned i = 0; i < 3; i++) /* what an earlier round has left */
		bench.port->tx.buffer[i].packet = &bench.packets[7];
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 1234), E1000E_TX_OK);
	CU_ASSERT_EQUAL(buffer[0].next_to_watch, 2);
	CU_ASSERT_EQUAL(buffer[0].time_stamp, 1234);
	CU_ASSERT_PTR_NULL(buffer[0].packet);
	CU_ASSERT_PTR_NULL(buffer[1].packet);
	CU_ASSERT_PTR_EQUAL(buffer[2].packet, packet);
	bench_close(&bench);
}

/* 62 small ones, then context 62 and data 63, 0: tail 1. */
static void a_packet_may_wrap_around(void)
{
	struct rte_mbuf *packet;
	const struct e1000e_tx_ring *ring;

	start(64, 0);
	ring = &bench.port->tx;
	for (uint16_t i = 0; i < 62; i++) {
		send_small(1);
		bench_complete(&bench, i);
		CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
		e1000e_clean_done(bench.port, 0, 0);
	}
	packet = bench_udp(&bench, 0, 50);
	bench_append(packet, bench_packet(&bench, 1, 60));
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 0), E1000E_TX_OK);
	CU_ASSERT_EQUAL(ring->desc[62].context.tucso, 40);
	CU_ASSERT_EQUAL(ring->desc[63].data.buffer_addr, (uintptr_t)bench.data[0] + 64);
	CU_ASSERT_EQUAL(ring->desc[0].data.buffer_addr, (uintptr_t)bench.data[1] + 64);
	CU_ASSERT_EQUAL(ring->buffer[62].next_to_watch, 0);
	CU_ASSERT_EQUAL(ring->next_to_use, 1);
	bench_close(&bench);
}

static uint32_t at_the_tail_write;

static void write_and_look(void *device, uint32_t offset, uint32_t value, uint64_t now)
{
	if (offset == REG_TDT)
		at_the_tail_write = bench.port->tx.desc[value - 1].data.cmd_length;
	bench_write(device, offset, value, now);
}

/* A device may fetch at once: what the tail passes must be in memory. */
static void each_packet_writes_the_tail_once_and_last(void)
{
	struct e1000e_config config = bench_config(&bench);

	config.registers.write = write_and_look;
	bench_open(&bench, &config);
	for (unsigned i = 0; i < 3; i++) {
		at_the_tail_write = 0;
		e1000e_xmit(bench.port, 0, bench_udp(&bench, 0, 43), 1000 + i);
		CU_ASSERT_EQUAL(at_the_tail_write, UINT32_C(0xab10002b));
	}
	CU_ASSERT_EQUAL_FATAL(bench.write_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(bench.writes[i].offset, REG_TDT);
		CU_ASSERT_EQUAL(bench.writes[i].value, 2 * (i + 1));
		CU_ASSERT_EQUAL(bench.writes[i].now, 1000 + i);
	}
	bench_close(&bench);
}

/* A ring of 64 has 63 to give; a reserve of 20 is broken when 44 are used: 63 - 44 = 19. */
static void the_queue_stops_below_the_reserve(void)
{
	start(64, 20);
	send_small(43);
	CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 20);
	CU_ASSERT_FALSE(bench.port->tx.stopped);
	send_small(1);
	CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 19);
	CU_ASSERT_TRUE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL(bench.port->stats.stops, 1);
	bench_close(&bench);
}

/* The packet that breaks the reserve is in the ring all the same. */
static void the_packet_that_stops_the_queue_is_sent(void)
{
	start(64, 20);
	send_small(44);
	CU_ASSERT_EQUAL(bench.registers[REG_TDT / 4], 44);
	CU_ASSERT_EQUAL(bench.freed_count, 0);
	bench_close(&bench);
	CU_ASSERT_EQUAL(bench.freed_count, 44);
}

/*
 * e1000_xmit_frame counts context and data, one more, and wants two besides: 5 of 63 for UDP. When
 * 59 are used, 4 are left.
 */
static void without_room_the_packet_stays_the_caller_s(void)
{
	struct rte_mbuf *packet;

	start(64, 0);
	send_small(59);
	packet = bench_udp(&bench, 1, 43);
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 0), E1000E_TX_BUSY);
	CU_ASSERT_TRUE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL(bench.port->stats.busy, 1);
	CU_ASSERT_EQUAL(bench.port->stats.stops, 1);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_use, 59);
	CU_ASSERT_EQUAL(bench.registers[REG_TDT / 4], 59);
	bench_close(&bench);
	for (unsigned i = 0; i < bench.freed_count; i++)
		CU_ASSERT_PTR_NOT_EQUAL(bench.freed[i], packet);
}

static void with_just_enough_room_it_goes(void)
{
	start(64, 0);
	send_small(58);
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_udp(&bench, 1, 43), 0), E1000E_TX_OK);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_use, 60);
	bench_close(&bench);
}

/* A small one needs 4: the 60th leaves 3. */
static void the_smallest_packet_needs_four(void)
{
	start(64, 0);
	send_small(60);
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, bench_packet(&bench, 0, 60), 0), E1000E_TX_BUSY);
	bench_close(&bench);
}

/* How many packets of d descriptors go before the queue stops. */
static unsigned capacity(uint16_t ring_size, uint16_t reserve, unsigned d)
{
	struct e1000e_config config = bench_config(&bench);
	struct rte_mbuf *packet = d > 1 ? bench_udp(&bench, 0, 50) : bench_packet(&bench, 0, 50);
	unsigned packets = 0;

	config.ring_size = ring_size;
	config.reserve = reserve;
	config.sink = NULL;
	bench_open(&bench, &config);
	if (d > 2)
		bench_append(packet, bench_packet(&bench, 1, 60));
	while (!bench.port->tx.stopped) {
		if (e1000e_xmit(bench.port, 0, packet, 0) != E1000E_TX_OK)
			break;
		packets++;
	}
	CU_ASSERT_EQUAL(bench.port->stats.busy, 0);
	bench_close(&bench);
	return packets;
}

static void capacity_has_its_known_values(void)
{
	CU_ASSERT_EQUAL(capacity(256, 20, 2), 118);
	CU_ASSERT_EQUAL(capacity(256, 19, 2), 119);
	CU_ASSERT_EQUAL(capacity(256, 22, 2), 117);
	CU_ASSERT_EQUAL(capacity(512, 20, 2), 246);
	CU_ASSERT_EQUAL(capacity(512, 19, 2), 247);
	CU_ASSERT_EQUAL(capacity(512, 22, 2), 245);
	CU_ASSERT_EQUAL(capacity(80, 22, 2), 29);
	CU_ASSERT_EQUAL(capacity(128, 22, 2), 53);
	CU_ASSERT_EQUAL(capacity(256, 22, 1), 234);
	CU_ASSERT_EQUAL(capacity(256, 20, 3), 79);
}

static void capacity_follows_from_ring_reserve_and_descriptors(void)
{
	static const uint16_t reserves[] = { 19, 20, 22 };

	for (unsigned n = 64; n <= 4096; n += 8) {
		for (unsigned d = 1; d <= 3; d++) {
			for (int i = 0; i < 3; i++) {
				unsigned expected = (n - 1 - reserves[i]) / d + 1;

				CU_ASSERT_EQUAL(capacity((uint16_t)n, reserves[i], d), expected);
			}
		}
	}
}

/* Runs the same on two ports: three sorts of packets round the ring, cleaned as they fill it. */
static void run_mixed(struct bench *of)
{
	struct e1000e_tx_ring *ring = &of->port->tx;

	for (unsigned i = 0; i < 300; i++) {
		struct rte_mbuf *packet = i % 3 ? bench_udp(of, 0, (uint16_t)(50 + i % 100))
						: bench_packet(of, 0, 60);

		if (i % 3 == 2)
			bench_append(packet, bench_packet(of, 1, 70));
		if (e1000e_xmit(of->port, 0, packet, i) != E1000E_TX_OK)
			CU_FAIL("no room");
		if (!ring->stopped)
			continue;
		for (uint16_t k = 0; k < ring->count; k++)
			bench_complete(of, k);
		while (e1000e_clean_packet(of->port, 0, i))
			;
		CU_ASSERT_TRUE(e1000e_clean_done(of->port, 0, i));
	}
}

/* Descriptors hold addresses of the packets' data, which differ: compared is what they are of. */
static void untraced_it_does_the_same_and_says_nothing(void)
{
	struct e1000e_config config = bench_config(&bench), untraced = bench_config(&other);

	config.ring_size = untraced.ring_size = 64;
	untraced.sink = NULL;
	bench_open(&bench, &config);
	bench_open(&other, &untraced);
	run_mixed(&bench);
	run_mixed(&other);
	CU_ASSERT(bench.event_count > 300);
	CU_ASSERT_EQUAL(other.event_count, 0);
	for (unsigned i = 0; i < 64; i++) {
		const union tx_desc *a = &bench.port->tx.desc[i], *b = &other.port->tx.desc[i];
		bool data =
			!(a->data.cmd_length & TXD_CMD_DEXT) || a->data.cmd_length & TXD_DTYP_MASK;
		uint64_t base_a = data ? (uintptr_t)bench.data : 0;
		uint64_t base_b = data ? (uintptr_t)other.data : 0;

		CU_ASSERT_EQUAL(a->data.cmd_length, b->data.cmd_length);
		CU_ASSERT_EQUAL(a->data.status, b->data.status);
		CU_ASSERT_EQUAL(a->data.buffer_addr - base_a, b->data.buffer_addr - base_b);
	}
	CU_ASSERT_EQUAL(bench.write_count, other.write_count);
	CU_ASSERT_EQUAL(
		memcmp(bench.writes, other.writes, bench.write_count * sizeof(*bench.writes)), 0);
	CU_ASSERT_EQUAL(
		memcmp(&bench.port->stats, &other.port->stats, sizeof(struct e1000e_stats)), 0);
	CU_ASSERT_EQUAL(bench.freed_count, other.freed_count);
	bench_close(&bench);
	bench_close(&other);
	CU_ASSERT_EQUAL(other.event_count, 0);
}

/* Switched off and on again between two packets. */
static void events_can_be_switched(void)
{
	start(64, 20);
	send_small(1);
	e1000e_set_sink(bench.port, NULL);
	send_small(1);
	bench_complete(&bench, 0);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_EQUAL(bench.event_count, 1);
	e1000e_set_sink(bench.port, &bench.sink);
	send_small(1);
	bench_complete(&bench, 1);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 1);
	CU_ASSERT_EQUAL(bench.event_count, 3);
	bench_close(&bench);
}

static void a_packet_starts_and_returns(void)
{
	struct rte_mbuf *packet = bench_udp(&bench, 2, 43);
	uint64_t number = 2 * sizeof(struct rte_mbuf); /* its address less packet_base */

	start(256, 20);
	e1000e_xmit(bench.port, 3, packet, 1000);
	e1000e_xmit_returned(bench.port, 3, packet, packet->pkt_len, E1000E_TX_OK, 2500);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 2);
	CU_ASSERT_EQUAL(bench.events[0].id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(bench.events[0].time, 1000);
	CU_ASSERT_EQUAL(bench.events[0].packet, number);
	CU_ASSERT_EQUAL(bench.events[0].len, 43);
	CU_ASSERT_EQUAL(bench.events[0].device, 5);
	CU_ASSERT_EQUAL(bench.events[0].queue, 0);
	CU_ASSERT_EQUAL(bench.events[0].arg, 0);
	CU_ASSERT_EQUAL(bench.event_cpus[0], 3);
	CU_ASSERT_EQUAL(bench.events[1].id, EVENT_XMIT);
	CU_ASSERT_EQUAL(bench.events[1].time, 2500);
	CU_ASSERT_EQUAL(bench.events[1].packet, number);
	CU_ASSERT_EQUAL(bench.events[1].len, 43);
	CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, bench.events[1].arg), 0);
	/* 14 + 20 + 8; without l4_len, as above, it isn't known where the payload begins */
	packet->l4_len = 8;
	e1000e_xmit(bench.port, 3, packet, 3000);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, header_bytes, bench.events[2].arg), 42);
	bench_close(&bench);
}

static void a_stop_follows_the_start(void)
{
	start(64, 20);
	send_small(43);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 43);
	e1000e_xmit(bench.port, 1, bench_packet(&bench, 0, 60), 7000);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 45);
	CU_ASSERT_EQUAL(bench.events[43].id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(bench.events[44].id, EVENT_STOP);
	CU_ASSERT_EQUAL(bench.events[44].time, 7000);
	CU_ASSERT_EQUAL(bench.events[44].device, 5);
	CU_ASSERT_EQUAL(bench.events[44].packet, 0);
	CU_ASSERT_EQUAL(bench.event_cpus[44], 1);
	bench_close(&bench);
}

/* NETDEV_TX_BUSY is 0x10. */
static void a_refusal_is_a_start_a_stop_and_a_return(void)
{
	struct rte_mbuf *packet = bench_udp(&bench, 1, 43);
	int rc;

	start(64, 0);
	send_small(60);
	rc = e1000e_xmit(bench.port, 0, packet, 9000);
	e1000e_xmit_returned(bench.port, 0, packet, packet->pkt_len, rc, 9500);
	CU_ASSERT_EQUAL_FATAL(bench.event_count, 63);
	CU_ASSERT_EQUAL(bench.events[60].id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(bench.events[61].id, EVENT_STOP);
	CU_ASSERT_EQUAL(bench.events[62].id, EVENT_XMIT);
	CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, bench.events[62].arg), 0x10);
	bench_close(&bench);
}

static const struct test_case descriptors[] = {
	{ "UDP takes a context and a data descriptor", udp_takes_a_context_and_a_data_descriptor },
	{ "TCP says so in its context", tcp_says_so_in_its_context },
	{ "offsets follow the headers", offsets_follow_the_headers },
	{ "without checksum there is no context", without_checksum_there_is_no_context },
	{ "each segment has a data descriptor", each_segment_has_a_data_descriptor },
	{ "the first and the last descriptor know the packet",
		the_first_and_the_last_descriptor_know_the_packet },
	{ "a packet may wrap around", a_packet_may_wrap_around },
	{ "each packet writes the tail once, and last", each_packet_writes_the_tail_once_and_last },
	{ 0 },
};

static const struct test_case room[] = {
	{ "the queue stops below the reserve", the_queue_stops_below_the_reserve },
	{ "the packet that stops the queue is sent", the_packet_that_stops_the_queue_is_sent },
	{ "without room the packet stays the caller's",
		without_room_the_packet_stays_the_caller_s },
	{ "with just enough room it goes", with_just_enough_room_it_goes },
	{ "the smallest packet needs four", the_smallest_packet_needs_four },
	{ "capacity has its known values", capacity_has_its_known_values },
	{ "capacity follows from ring, reserve and descriptors",
		capacity_follows_from_ring_reserve_and_descriptors },
	{ 0 },
};

static const struct test_case events[] = {
	{ "a packet starts and returns", a_packet_starts_and_returns },
	{ "a stop follows the start", a_stop_follows_the_start },
	{ "a refusal is a start, a stop and a return", a_refusal_is_a_start_a_stop_and_a_return },
	{ "events can be switched", events_can_be_switched },
	{ "untraced it does the same and says nothing",
		untraced_it_does_the_same_and_says_nothing },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "descriptors", descriptors },
		{ "room", room },
		{ "events", events },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
