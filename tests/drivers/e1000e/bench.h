/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver on a bench, without a device: a register window that only remembers, and descriptors
 * that the test completes itself. Packets are static, so no EAL is needed.
 */
#ifndef TESTS_DRIVERS_E1000E_BENCH_H
#define TESTS_DRIVERS_E1000E_BENCH_H

#include "e1000e.h"
#include "harness.h"
#include <string.h>

#define BENCH_PACKETS      8
#define BENCH_RECORDS_MOST 512
#define BENCH_HZ           UINT64_C(1000000000)

struct bench_write {
	uint32_t offset, value;
	uint64_t now;
};

struct bench {
	struct event_sink sink;
	struct e1000e_port *port;
	uint32_t registers[REG_WINDOW_BYTES / 4];
	struct bench_write writes[BENCH_RECORDS_MOST];
	struct event events[BENCH_RECORDS_MOST];
	unsigned event_cpus[BENCH_RECORDS_MOST];
	const struct rte_mbuf *freed[BENCH_RECORDS_MOST]; /* in this order */
	unsigned write_count, event_count, freed_count;
	struct rte_mbuf packets[BENCH_PACKETS];
	uint8_t data[BENCH_PACKETS][256];
};

static inline uint32_t bench_read(void *device, uint32_t offset, uint64_t now)
{
	struct bench *bench = device;
	uint32_t value = bench->registers[offset / 4];

	(void)now;
	if (offset == REG_ICR)
		bench->registers[offset / 4] = 0;
	return value;
}

static inline void bench_write(void *device, uint32_t offset, uint32_t value, uint64_t now)
{
	struct bench *bench = device;

	bench->registers[offset / 4] = value;
	if (bench->write_count < BENCH_RECORDS_MOST)
		bench->writes[bench->write_count++] = (struct bench_write){ offset, value, now };
}

static inline void bench_emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	struct bench *bench = (struct bench *)sink;

	if (bench->event_count == BENCH_RECORDS_MOST)
		return;
	bench->event_cpus[bench->event_count] = cpu;
	bench->events[bench->event_count++] = event_of(time, what, packet, arg);
}

static inline void bench_free(void *context, struct rte_mbuf *packet, uint64_t now)
{
	struct bench *bench = context;

	(void)now;
	if (bench->freed_count < BENCH_RECORDS_MOST)
		bench->freed[bench->freed_count++] = packet;
}

/* Linux 2.6.35's driver with a ring of 256, traced, at 1 GHz. */
static inline struct e1000e_config bench_config(struct bench *bench)
{
	bench->sink.emit = bench_emit;
	return (struct e1000e_config){
		.hz = BENCH_HZ,
		.ring_size = 256,
		.reserve = 20,
		.wake_threshold = 32,
		.interrupt_throttle_rate = 1000,
		.tidv = 8,
		.tadv = 32,
		.link_speed_mbps = 1000,
		.registers = { .device = bench, .read = bench_read, .write = bench_write },
		.stack = { .context = bench, .free = bench_free },
		.sink = &bench->sink,
		.device = 5,
		.packet_base = (uintptr_t)bench->packets,
	};
}

/* Opens the port, and forgets what that wrote. */
static inline void bench_open(struct bench *bench, const struct e1000e_config *config)
{
	CU_ASSERT_EQUAL_FATAL(e1000e_open(&bench->port, config, 0), 0);
	bench->write_count = bench->event_count = bench->freed_count = 0;
}

static inline void bench_close(struct bench *bench)
{
	e1000e_close(bench->port, 0, 0);
	bench->port = NULL;
}

/* Makes packet `index` one of a single segment that asks for nothing. */
static inline struct rte_mbuf *bench_packet(struct bench *bench, unsigned index, uint16_t bytes)
{
	struct rte_mbuf *packet = &bench->packets[index];

	memset(packet, 0, sizeof(*packet));
	packet->buf_addr = bench->data[index];
	packet->data_off = 64;
	packet->nb_segs = 1;
	packet->data_len = bytes;
	packet->pkt_len = bytes;
	return packet;
}

/* The same with UDP over IPv4, whose checksum the device has to insert. */
static inline struct rte_mbuf *bench_udp(struct bench *bench, unsigned index, uint16_t bytes)
{
	struct rte_mbuf *packet = bench_packet(bench, index, bytes);

	packet->l2_len = 14;
	packet->l3_len = 20;
	packet->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_UDP_CKSUM;
	return packet;
}

/* Puts packet `segment` behind `packet`. */
static inline void bench_append(struct rte_mbuf *packet, struct rte_mbuf *segment)
{
	struct rte_mbuf *last = packet;

	while (last->next)
		last = last->next;
	last->next = segment;
	packet->nb_segs++;
	packet->pkt_len += segment->data_len;
}

/* The device has done this descriptor. */
static inline void bench_complete(struct bench *bench, uint16_t index)
{
	bench->port->tx.desc[index].data.status |= TXD_STAT_DD;
}

/* One pass of the clean-up, without its end: how many packets it freed. */
static inline unsigned bench_clean(struct bench *bench, uint64_t now)
{
	unsigned packets = 0;

	while (e1000e_clean_packet(bench->port, 0, now))
		packets++;
	return packets;
}

#endif
