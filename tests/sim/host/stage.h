/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world on a stage: one CPU, one sender, costs in round numbers, and a record of all events. A
 * cycle is a nanosecond.
 *
 * A message that meets nothing takes 4000 ns: 2000 in the socket (send), then the queue event; 500
 * to the driver (qdisc), then start_xmit; 1500 in it (xmit), then the xmit event. Its packet of 43
 * bytes (1 of message, 42 of headers) takes 672 ns on the wire of 1 Gbit/s.
 */
#ifndef TESTS_SIM_HOST_STAGE_H
#define TESTS_SIM_HOST_STAGE_H

#include "harness.h"
#include "host.h"
#include <rte_eal.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define STAGE_EVENTS_MOST 100000
#define STAGE_STOP        UINT64_C(100000000) /* 100 ms: later than all that these tests send */

enum { STAGE_NET_TX = 2, STAGE_NET_RX = 3 }; /* linux/interrupt.h */

struct stage {
	struct event_sink sink;
	struct event events[STAGE_EVENTS_MOST];
	uint8_t cpus[STAGE_EVENTS_MOST];
	unsigned count;
	struct host_stats stats;
	uint64_t stride;
};

static struct stage stage;

static inline void stage_emit(struct event_sink *sink, unsigned cpu, uint64_t time, uint64_t what,
	uint64_t packet, uint64_t arg)
{
	(void)sink;
	CU_ASSERT_FATAL(stage.count < STAGE_EVENTS_MOST);
	stage.cpus[stage.count] = (uint8_t)cpu;
	stage.events[stage.count++] = event_of(time, what, packet, arg);
}

/* DPDK without privileges, on a CPU that this process may use. The setup of each suite. */
static inline int stage_setup(void)
{
	static bool up;
	char lcore[24];
	cpu_set_t allowed;
	int cpu = 0;
	char *arguments[] = { "test", "--no-huge", "--no-pci", "--no-shconf", "--no-telemetry",
		"--iova-mode=va", "--log-level=error", lcore, "-m", "64" };

	if (up)
		return 0;
	if (!sched_getaffinity(0, sizeof(allowed), &allowed)) {
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &allowed))
			cpu++;
	}
	snprintf(lcore, sizeof(lcore), "--lcores=0@%d", cpu);
	if (rte_eal_init(sizeof(arguments) / sizeof(*arguments), arguments) < 0)
		return -1;
	up = true;
	return 0;
}

/* A CPU whose costs are easy to add up; a device that interrupts at once; the profile's ring. */
static inline struct host_config stage_config(const char *kernel)
{
	const struct e1000e_profile *profile = e1000e_profile_find(kernel);

	CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
	return (struct host_config){
		.kernel = host_kernel_find(kernel),
		.cpus = 1,
		.cost_ns = { [HOST_COST_send] = 2000,
			[HOST_COST_enqueue] = 300,
			[HOST_COST_qdisc] = 500,
			[HOST_COST_xmit] = 1500,
			[HOST_COST_clean] = 100,
			[HOST_COST_hard_irq] = 1000,
			[HOST_COST_softirq] = 400,
			[HOST_COST_poll] = 200,
			[HOST_COST_schedule] = 700 },
		.qdisc_limit = 1000,
		.dev_tx_weight = 64,
		.dev_weight = 64,
		.netdev_budget = 300,
		.netdev_budget_cycles = 2000000,
		.tick_hz = 250,
		.senders = { {
			.message_bytes = 1,
			.segments = 1,
			.checksum = true,
			.send_buffer_bytes = 1000000,
			.truesize_bytes = 500,
			.start = 10000,
			.stop = STAGE_STOP,
			.messages = 1,
		} },
		.sender_count = 1,
		.stop = STAGE_STOP,
		.drain = STAGE_STOP,
		.nic = { .line_rate_mbps = 1000 },
		.driver = { .ring_size = 256,
			.reserve = profile->reserve,
			.wake_threshold = profile->wake_threshold,
			.link_speed_mbps = 1000 },
		.sink = &stage.sink,
		.drop_reason = 7,
	};
}

/*
 * Devices that get so many packets each, all at 10,000 and without a wire's pace; 0: without end.
 * The interrupt for them all comes at 11,024. A packet takes the stack 10,000.
 */
static inline struct host_config stage_backlogged(
	const char *kernel, unsigned devices, uint64_t packets)
{
	struct host_config config = stage_config(kernel);

	config.sender_count = 0;
	config.cost_ns[HOST_COST_receive] = 10000;
	config.cost_ns[HOST_COST_softirq] = 1;
	config.nic.line_rate_mbps = 0;
	config.driver.rx_ring_size = 1024;
	config.driver.rdtr = 1; /* 1024 ns: one interrupt for all that come at once */
	config.more_count = devices - 1;
	for (unsigned i = 0; i < config.more_count; i++) {
		config.more[i] = (struct host_device){ config.nic, config.driver };
		config.more[i].driver.device = (uint8_t)(i + 1);
	}
	for (unsigned i = 0; i < devices; i++)
		config.receivers[i] = (struct host_receiver){ .device = i,
			.segment_bytes = 100,
			.segments = packets,
			.burst = 1,
			.start = 10000,
			.stop = STAGE_STOP };
	config.receiver_count = devices;
	return config;
}

/* TIDV in units of 1.024 us; TADV and the throttle stay off. */
static inline void stage_delay_interrupts(struct host_config *config, uint16_t tidv)
{
	config->driver.tidv = tidv;
}

static inline void stage_run(const struct host_config *config)
{
	struct host *host;

	stage.sink.emit = stage_emit;
	stage.count = 0;
	CU_ASSERT_EQUAL_FATAL(host_create(&host, config), 0);
	stage.stride = host_packet_stride(host);
	CU_ASSERT_EQUAL(host_run(host, &stage.stats), 0);
	host_destroy(host);
}

static inline unsigned stage_count(enum event_id id)
{
	unsigned count = 0;

	for (unsigned i = 0; i < stage.count; i++)
		count += stage.events[i].id == id;
	return count;
}

/* The index of the nth event (from 0) of this kind; it must be there. */
static inline unsigned stage_find(enum event_id id, unsigned nth)
{
	unsigned found = 0;

	for (unsigned i = 0; i < stage.count; i++) {
		if (stage.events[i].id == id && found++ == nth)
			return i;
	}
	CU_FAIL_FATAL("there is no such event");
	return 0;
}

static inline uint64_t stage_time(enum event_id id, unsigned nth)
{
	return stage.events[stage_find(id, nth)].time;
}

/* The same for the entries of a softirq vector. */
static inline unsigned stage_find_softirq(unsigned vector, unsigned nth)
{
	unsigned found = 0;

	for (unsigned i = 0; i < stage.count; i++) {
		if (stage.events[i].id == EVENT_SOFTIRQ_ENTRY &&
			EVENT_GET(SOFTIRQ_ENTRY, vec, stage.events[i].arg) == vector &&
			found++ == nth)
			return i;
	}
	CU_FAIL_FATAL("there is no such softirq");
	return 0;
}

static inline uint64_t stage_softirq_time(unsigned vector, unsigned nth)
{
	return stage.events[stage_find_softirq(vector, nth)].time;
}

static inline unsigned stage_softirqs(unsigned vector)
{
	unsigned count = 0;

	for (unsigned i = 0; i < stage.count; i++)
		count += stage.events[i].id == EVENT_SOFTIRQ_ENTRY &&
			 EVENT_GET(SOFTIRQ_ENTRY, vec, stage.events[i].arg) == vector;
	return count;
}

/* Packets that the nth NET_TX softirq starts; nobody else does while it runs on the only CPU. */
static inline unsigned stage_started_in_net_tx(unsigned nth)
{
	unsigned started = 0;

	for (unsigned i = stage_find_softirq(STAGE_NET_TX, nth);
		stage.events[i].id != EVENT_SOFTIRQ_EXIT; i++)
		started += stage.events[i].id == EVENT_START_XMIT;
	return started;
}

struct stage_event {
	enum event_id id;
	uint64_t time;
	unsigned cpu;
};

/* All events, in their order. */
static inline void stage_assert_events(const struct stage_event *expected, unsigned count)
{
	CU_ASSERT_EQUAL_FATAL(stage.count, count);
	for (unsigned i = 0; i < count; i++) {
		CU_ASSERT_EQUAL(stage.events[i].id, expected[i].id);
		CU_ASSERT_EQUAL(stage.events[i].time, expected[i].time);
		CU_ASSERT_EQUAL(stage.cpus[i], expected[i].cpu);
	}
}

#endif
