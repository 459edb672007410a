/* SPDX-License-Identifier: BSD-3-Clause */
/* The queueing discipline: straight through, queued, dropped, put back, and who runs it. */
#include "stage.h"

/* A transmitter that never works, and a ring of 64 with a reserve of 20: 22 packets fill it. */
static struct host_config stuck(unsigned messages)
{
	struct host_config config = stage_config("linux-6.1");

	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP };
	config.driver.ring_size = 64;
	config.driver.reserve = 20;
	config.senders[0].messages = messages;
	return config;
}

/* Where nothing is queued a packet takes 500 to the driver; to a stopped queue, 300 and no more. */
static void a_stopped_queue_only_takes_packets_in(void)
{
	struct host_config config = stuck(30);

	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 22);
	for (unsigned i = 0; i < 22; i++) {
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, i), 12700 + 4000 * i);
		CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, i), 13200 + 4000 * i);
	}
	CU_ASSERT_EQUAL(stage_time(EVENT_STOP, 0), 97200);
	for (unsigned i = 22; i < 30; i++)
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, i), 100700 + 2300 * (i - 22));
	CU_ASSERT_EQUAL(stage.stats.qdisc_most, 8);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 0);
}

/* 22 in the ring, 5 queued; the other 13 are dropped where they come, with the given reason. */
static void beyond_the_limit_packets_are_dropped(void)
{
	struct host_config config = stuck(40);

	config.qdisc_limit = 5;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), 40);
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 22);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 13);
	CU_ASSERT_EQUAL(stage.stats.senders[0].messages, 40);
	CU_ASSERT_EQUAL(stage.stats.senders[0].dropped, 13);
	CU_ASSERT_EQUAL(stage.stats.qdisc_most, 5);
	for (unsigned i = 0; i < 13; i++) {
		unsigned free = stage_find(EVENT_FREE, i), queue = stage_find(EVENT_QUEUE, 27 + i);

		CU_ASSERT_EQUAL(free, queue + 1);
		CU_ASSERT_EQUAL(stage.events[free].time, stage.events[queue].time);
		CU_ASSERT_EQUAL(stage.events[free].packet, stage.events[queue].packet);
		CU_ASSERT_EQUAL(EVENT_GET(FREE, reason, stage.events[free].arg), 7);
		CU_ASSERT_EQUAL(EVENT_GET(FREE, aborted, stage.events[free].arg), 0);
	}
	for (unsigned i = 23; i < 40; i++) /* a drop costs what an enqueue costs */
		CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, i) - stage_time(EVENT_QUEUE, i - 1), 2300);
}

static void a_limit_of_0_queues_nothing(void)
{
	struct host_config config = stuck(30);

	config.qdisc_limit = 0;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 22);
	CU_ASSERT_EQUAL(stage.stats.senders[0].dropped, 8);
	CU_ASSERT_EQUAL(stage.stats.qdisc_most, 0);
}

/* The packets of these events, in their order, are the same. */
static void assert_same_order(enum event_id a, enum event_id b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CU_ASSERT_EQUAL(stage.events[stage_find(a, i)].packet,
			stage.events[stage_find(b, i)].packet);
}

/* Through ring and queue, again and again: the throttle packs the ring. */
static void packets_keep_their_order(void)
{
	struct host_config config = stuck(400);

	config.nic.fault_count = 0;
	config.driver.interrupt_throttle_rate = 8000;
	config.qdisc_limit = 70;                     /* a circle of 71 */
	config.senders[0].send_buffer_bytes = 40000; /* 80 packets */
	stage_run(&config);
	CU_ASSERT(stage.stats.qdisc_most > 50);
	CU_ASSERT(stage.stats.driver.stops > 5);
	CU_ASSERT_EQUAL(stage.stats.senders[0].dropped, 0);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 400);
	assert_same_order(EVENT_QUEUE, EVENT_START_XMIT, 400);
	assert_same_order(EVENT_QUEUE, EVENT_DONE, 400);
	assert_same_order(EVENT_QUEUE, EVENT_FREE, 400);
}

/*
 * Without a reserve the queue doesn't stop in time: of 63 descriptors 30 packets take 60, and for
 * the next there is no room. The driver refuses it (NETDEV_TX_BUSY, 0x10), and it goes back to the
 * front of the queue. When the queue wakes it is the first to go.
 */
static void a_refused_packet_goes_back_to_the_front(void)
{
	struct host_config config = stage_config("linux-6.1");
	unsigned refused = 0, at = 0;
	uint64_t packet;

	stage_delay_interrupts(&config, 1000);
	config.driver.ring_size = 64;
	config.driver.reserve = 0;
	config.senders[0].messages = 50;
	stage_run(&config);
	for (unsigned i = 0; i < stage.count; i++) {
		if (stage.events[i].id == EVENT_XMIT && stage.events[i].arg) {
			CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, stage.events[i].arg), 0x10);
			refused++;
			at = i;
		}
	}
	CU_ASSERT_EQUAL_FATAL(refused, 1);
	packet = stage.events[at].packet;
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 51);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 50);
	CU_ASSERT_EQUAL(stage.stats.driver.busy, 1);
	while (stage.events[++at].id != EVENT_START_XMIT)
		;
	CU_ASSERT_EQUAL(stage.events[at].packet, packet);
	assert_same_order(EVENT_QUEUE, EVENT_FREE, 50);
}

/*
 * CPU 1 has the queue (__QDISC_RUNNING) from 12,700 on. The packet that CPU 2 queues at 13,100
 * costs it 300; CPU 1, back from the driver at 14,700, takes it along: 15,200.
 */
static void one_cpu_runs_the_queue_at_a_time(void)
{
	struct host_config config = stage_config("linux-6.1");
	unsigned second;

	stage_delay_interrupts(&config, 100);
	config.cpus = 3;
	config.senders[0].cpu = 1;
	config.senders[1] = config.senders[0];
	config.senders[1].cpu = 2;
	config.senders[1].start = 10400;
	config.senders[1].messages = 2;
	config.sender_count = 2;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 1), 13100);
	CU_ASSERT_EQUAL(stage.cpus[stage_find(EVENT_QUEUE, 1)], 2);
	second = stage_find(EVENT_START_XMIT, 1);
	CU_ASSERT_EQUAL(stage.events[second].time, 15200);
	CU_ASSERT_EQUAL(stage.cpus[second], 1);
	CU_ASSERT_EQUAL(
		stage.events[second].packet, stage.events[stage_find(EVENT_QUEUE, 1)].packet);
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 2), 13400 + 2000); /* CPU 2 goes on */
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 2), 16700 + 500);
	CU_ASSERT_EQUAL(stage.cpus[stage_find(EVENT_START_XMIT, 2)], 1);
}

/*
 * In 6.1 a sender that runs the queue for others has a quota as well: CPU 2 queues faster than CPU
 * 1 sends, and after 4 packets besides its own, which went without the queue, CPU 1's NET_TX goes
 * on as soon as bottom halves are on again.
 */
static void a_sender_s_run_has_a_quota_too(void)
{
	struct host_config config = stage_config("linux-6.1");
	unsigned entry;

	stage_delay_interrupts(&config, 1000);
	config.cpus = 3;
	config.dev_tx_weight = 4;
	config.senders[0].cpu = 1;
	config.senders[1] = config.senders[0];
	config.senders[1].cpu = 2;
	config.senders[1].start = 10400;
	config.senders[1].messages = 20;
	config.cost_ns[HOST_COST_xmit] = 5500;
	config.sender_count = 2;
	stage_run(&config);
	entry = stage_find_softirq(STAGE_NET_TX, 0);
	CU_ASSERT_EQUAL(stage.events[entry].time, 12700 + 5 * 6000);
	CU_ASSERT_EQUAL(stage.cpus[entry], 1);
	CU_ASSERT_EQUAL(stage_time(EVENT_XMIT, 4), 12700 + 5 * 6000);
	CU_ASSERT_EQUAL(stage_time(EVENT_START_XMIT, 5), 12700 + 5 * 6000 + 400 + 500);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 21);
}

/*
 * 22 in the ring and 100 queued when the first interrupt comes. NET_TX fills the ring again with
 * 22, and then has nothing to do before the next wake: each interrupt brings one NET_TX.
 */
static void a_run_that_fills_the_ring_waits_for_the_wake(void)
{
	struct host_config config = stuck(122);
	unsigned left = 100;

	config.nic.fault_count = 0;
	stage_delay_interrupts(&config, 1000);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_TX), 5);
	for (unsigned i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(stage_started_in_net_tx(i), left > 22 ? 22 : left);
		left -= 22;
	}
	CU_ASSERT_EQUAL(stage_count(EVENT_WAKE), 5);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 122);
}

static const struct test_case queue[] = {
	{ "a stopped queue only takes packets in", a_stopped_queue_only_takes_packets_in },
	{ "beyond the limit packets are dropped", beyond_the_limit_packets_are_dropped },
	{ "a limit of 0 queues nothing", a_limit_of_0_queues_nothing },
	{ "packets keep their order", packets_keep_their_order },
	{ "a refused packet goes back to the front", a_refused_packet_goes_back_to_the_front },
	{ 0 },
};

static const struct test_case run[] = {
	{ "one CPU runs the queue at a time", one_cpu_runs_the_queue_at_a_time },
	{ "a sender's run has a quota too", a_sender_s_run_has_a_quota_too },
	{ "a run that fills the ring waits for the wake",
		a_run_that_fills_the_ring_waits_for_the_wake },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "queue", queue, stage_setup, NULL },
		{ "run", run, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
