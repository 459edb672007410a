/* SPDX-License-Identifier: BSD-3-Clause */
/* The world as a whole: one message from end to end, who is refused, repeatability, the end. */
#include "stage.h"

#include <errno.h>

#define KERNEL "linux-6.1"

/*
 * The sender is woken at 10,000 and runs at 10,700 (schedule). Its packet is queued at 12,700,
 * started at 13,200, on the wire until 13,872. TIDV of 8 is 8192 ns: interrupt at 22,064. The
 * handler takes 1000, the softirq 400; one packet is cleaned, 100, and the poll ends, 200.
 */
static void one_message_from_end_to_end(void)
{
	static const struct stage_event expected[] = {
		{ EVENT_QUEUE, 12700, 0 },
		{ EVENT_START_XMIT, 13200, 0 },
		{ EVENT_DONE, 13872, 1 }, /* the device's stream comes after those of the CPUs */
		{ EVENT_XMIT, 14700, 0 },
		{ EVENT_IRQ_ENTRY, 22064, 0 },
		{ EVENT_SOFTIRQ_RAISE, 22064, 0 },
		{ EVENT_IRQ_EXIT, 23064, 0 },
		{ EVENT_SOFTIRQ_ENTRY, 23064, 0 },
		{ EVENT_FREE, 23464, 0 },
		{ EVENT_NAPI_POLL, 23564, 0 },
		{ EVENT_SOFTIRQ_EXIT, 23764, 0 },
	};
	static const char *const kernels[] = { "linux-2.6.35", "linux-6.1" };

	for (int i = 0; i < 2; i++) {
		struct host_config config = stage_config(kernels[i]);

		stage_delay_interrupts(&config, 8);
		stage_run(&config);
		stage_assert_events(expected, sizeof(expected) / sizeof(*expected));
		CU_ASSERT_EQUAL(stage.stats.end, 23764);
	}
}

/* 1 byte and 42 of headers; work 0 of 64, since NAPI doesn't count what it cleans. */
static void events_say_what_they_should(void)
{
	static const enum event_id of_packet[] = { EVENT_QUEUE, EVENT_START_XMIT, EVENT_DONE,
		EVENT_XMIT, EVENT_FREE };
	struct host_config config = stage_config(KERNEL);
	const struct event *poll;

	config.driver.device = 4;
	stage_run(&config);
	for (size_t i = 0; i < sizeof(of_packet) / sizeof(*of_packet); i++) {
		const struct event *event = &stage.events[stage_find(of_packet[i], 0)];

		CU_ASSERT_EQUAL(event->device, 4);
		CU_ASSERT_EQUAL(event->len, 43);
		CU_ASSERT_EQUAL(event->packet, stage.events[stage_find(EVENT_QUEUE, 0)].packet);
		CU_ASSERT_EQUAL(event->packet % stage.stride, 0);
	}
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_FREE, 0)].arg, 0);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_XMIT, 0)].arg, 0);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_IRQ_ENTRY, 0)].device, EVENT_NO_DEVICE);
	poll = &stage.events[stage_find(EVENT_NAPI_POLL, 0)];
	CU_ASSERT_EQUAL(poll->device, 4);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, poll->arg), 0);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, poll->arg), 64);
	CU_ASSERT_EQUAL(
		EVENT_GET(SOFTIRQ_RAISE, vec, stage.events[stage_find(EVENT_SOFTIRQ_RAISE, 0)].arg),
		STAGE_NET_RX);
	CU_ASSERT_EQUAL(stage_softirqs(STAGE_NET_RX), 1);
}

/* Task: 700 + 4000. Hard interrupt: 1000. Softirq: 400 + 100 + 200. */
static void a_cpu_s_time_is_booked_by_level(void)
{
	struct host_config config = stage_config(KERNEL);

	stage_delay_interrupts(&config, 8);
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_TASK], 4700);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_HARDIRQ], 1000);
	CU_ASSERT_EQUAL(stage.stats.cpus[0].busy[HOST_SOFTIRQ], 700);
}

static void the_parts_report_their_figures(void)
{
	struct host_config config = stage_config(KERNEL);

	config.senders[0].messages = 3;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.senders[0].messages, 3);
	CU_ASSERT_EQUAL(stage.stats.driver.packets, 3);
	CU_ASSERT_EQUAL(stage.stats.driver.bytes, 129);
	CU_ASSERT_EQUAL(stage.stats.nic.packets, 3);
	CU_ASSERT_EQUAL(stage.stats.nic.interrupts, 3);
	CU_ASSERT_EQUAL(stage.stats.tdh, 6); /* two descriptors each */
	CU_ASSERT_EQUAL(stage.stats.tdt, 6);
	CU_ASSERT_EQUAL(stage.stats.next_to_use, 6);
	CU_ASSERT_EQUAL(stage.stats.next_to_clean, 6);
	CU_ASSERT_FALSE(stage.stats.hang.found);
}

/* Three segments and the context: 4 descriptors; 10 bytes of message are 3 + 3 + 4. */
static void a_message_may_be_in_segments(void)
{
	struct host_config config = stage_config(KERNEL);

	config.senders[0].segments = 3;
	config.senders[0].message_bytes = 10;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.next_to_use, 4);
	CU_ASSERT_EQUAL(stage.stats.nic.bytes, 52);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_START_XMIT, 0)].len, 52);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_DONE, 0)].packet,
		stage.events[stage_find(EVENT_START_XMIT, 0)].packet);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 1);
}

static void without_checksum_a_packet_is_one_descriptor(void)
{
	struct host_config config = stage_config(KERNEL);

	config.senders[0].checksum = false;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.stats.next_to_use, 1);
}

static void without_a_sink_it_runs_the_same(void)
{
	struct host_config config = stage_config(KERNEL);
	struct host_stats traced;

	config.senders[0].messages = 500;
	stage_run(&config);
	traced = stage.stats;
	config.sink = NULL;
	stage_run(&config);
	CU_ASSERT_EQUAL(stage.count, 0);
	CU_ASSERT_EQUAL(memcmp(&stage.stats, &traced, sizeof(traced)), 0);
}

static struct stage earlier;

/* A flood of 2000 packets, whose costs vary by a tenth. */
static void flood(double jitter, uint64_t seed)
{
	struct host_config config = stage_config(KERNEL);

	config.senders[0].messages = 2000;
	config.driver.interrupt_throttle_rate = 8000;
	config.jitter = jitter;
	config.seed = seed;
	stage_run(&config);
}

static bool as_earlier(void)
{
	return stage.count == earlier.count &&
	       !memcmp(stage.events, earlier.events, stage.count * sizeof(*stage.events)) &&
	       !memcmp(stage.cpus, earlier.cpus, stage.count) &&
	       !memcmp(&stage.stats, &earlier.stats, sizeof(stage.stats));
}

static void the_seed_decides_the_jitter(void)
{
	flood(0.1, 42);
	earlier = stage;
	flood(0.1, 42);
	CU_ASSERT_TRUE(as_earlier());
	flood(0.1, 43);
	CU_ASSERT_FALSE(as_earlier());
	flood(0.1, 0);
	CU_ASSERT_FALSE(as_earlier());
}

static void without_jitter_the_seed_does_not_matter(void)
{
	flood(0, 1);
	earlier = stage;
	flood(0, 2);
	CU_ASSERT_TRUE(as_earlier());
}

/* Each cost is from 0.9 to 1.1 of the configured, and they don't all err to one side. */
static void jitter_stays_within_its_bounds(void)
{
	uint64_t sum = 0;
	unsigned count = 0;

	flood(0.1, 7);
	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *event = &stage.events[i];
		uint64_t took;

		if (event->id != EVENT_SOFTIRQ_ENTRY || i + 1 == stage.count ||
			stage.events[i + 1].id != EVENT_FREE)
			continue;
		took = stage.events[i + 1].time - event->time; /* 400, give or take 40 */
		CU_ASSERT(took >= 360 && took <= 440);
		sum += took;
		count++;
	}
	CU_ASSERT_FATAL(count > 20);
	CU_ASSERT(sum / count > 380 && sum / count < 420);
}

static void refused(struct host_config *config)
{
	struct host *host = (struct host *)&stage;

	CU_ASSERT_EQUAL(host_create(&host, config), -EINVAL);
	CU_ASSERT_PTR_NULL(host);
	*config = stage_config(KERNEL);
}

static void what_can_not_work_is_refused(void)
{
	struct host_config config = stage_config(KERNEL);

	config.cpus = 0;
	refused(&config);
	config.cpus = HOST_CPUS_MOST + 1;
	refused(&config);
	config.irq_cpu = 1;
	refused(&config);
	config.kernel = NULL;
	refused(&config);
	config.tick_hz = 0;
	refused(&config);
	config.sender_count = HOST_SENDERS_MOST + 1;
	refused(&config);
	config.senders[0].cpu = 1;
	refused(&config);
	config.senders[0].segments = 0;
	refused(&config);
	config.senders[0].truesize_bytes = 0;
	refused(&config);
	config.senders[0].message_bytes = 70000; /* more than a buffer holds */
	refused(&config);
	config.driver.ring_size = 100;
	refused(&config);
	config.driver.interrupt_throttle_rate = 2;
	refused(&config);
	stage_run(&config); /* nothing has stayed behind that is in the way */
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 1);
	host_destroy(NULL);
}

static void kernels_are_found_by_name(void)
{
	CU_ASSERT_PTR_NULL(host_kernel_find(""));
	CU_ASSERT_PTR_NULL(host_kernel_find("dpdk-em"));
	for (const struct e1000e_profile *p = e1000e_profiles; p->name; p++) {
		if (!strcmp(p->name, "dpdk-em")) /* no kernel above it */
			continue;
		CU_ASSERT_PTR_NOT_NULL_FATAL(host_kernel_find(p->name));
		CU_ASSERT_STRING_EQUAL(host_kernel_find(p->name)->name, p->name);
	}
}

/* Senders end at `stop`; what they have sent by then is drained. */
static void the_end_waits_for_what_is_under_way(void)
{
	struct host_config config = stage_config(KERNEL);

	config.senders[0].messages = 0;
	config.senders[0].stop = config.stop = 1000000;
	config.driver.interrupt_throttle_rate = 500; /* 7812 x 256 = 1,999,872 ns */
	stage_run(&config);
	CU_ASSERT(stage_time(EVENT_QUEUE, stage_count(EVENT_QUEUE) - 1) < 1000000 + 4000);
	CU_ASSERT_EQUAL(stage_count(EVENT_QUEUE), stage_count(EVENT_FREE));
	CU_ASSERT(stage.stats.end > 1999872);
	CU_ASSERT_EQUAL(stage.events[stage.count - 1].id, EVENT_SOFTIRQ_EXIT);
	CU_ASSERT_EQUAL(stage.stats.end, stage.events[stage.count - 1].time);
}

/* The transmitter stops at 1 ms. The watchdog comes at 2 s, and its interrupt finds the hang. */
static void a_stuck_device_is_found_by_the_watchdog(void)
{
	struct host_config config = stage_config(KERNEL);
	const struct e1000e_hang *hang = &stage.stats.hang;

	config.senders[0].pause_cycles = 96000; /* a message each 100.7 us: 10 before the stop */
	config.senders[0].messages = 20;
	config.nic.fault_count = 1;
	config.nic.faults[0] = (struct nic_fault){ .type = NIC_FAULT_TX_STOP, .at = 1000000 };
	config.drain = UINT64_C(3000000000);
	stage_run(&config);
	CU_ASSERT_TRUE_FATAL(hang->found);
	CU_ASSERT_EQUAL(hang->at, UINT64_C(2000001400)); /* 1000 in the handler, 400 to the poll */
	CU_ASSERT_EQUAL(hang->tdh, 20);
	CU_ASSERT_EQUAL(hang->tdt, 40);
	CU_ASSERT_EQUAL(hang->next_to_use, 40);
	CU_ASSERT_EQUAL(hang->next_to_clean, 20);
	CU_ASSERT_EQUAL(hang->next_to_watch, 21);
	CU_ASSERT_EQUAL(hang->time_stamp, stage_time(EVENT_START_XMIT, 10));
	CU_ASSERT_EQUAL(stage_count(EVENT_START_XMIT), 20);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), 10);
	CU_ASSERT_EQUAL(stage.stats.tdh, 20);
	CU_ASSERT_EQUAL(stage.stats.next_to_clean, 20);
}

static const struct test_case message[] = {
	{ "one message from end to end", one_message_from_end_to_end },
	{ "events say what they should", events_say_what_they_should },
	{ "a CPU's time is booked by level", a_cpu_s_time_is_booked_by_level },
	{ "the parts report their figures", the_parts_report_their_figures },
	{ "a message may be in segments", a_message_may_be_in_segments },
	{ "without checksum a packet is one descriptor",
		without_checksum_a_packet_is_one_descriptor },
	{ "without a sink it runs the same", without_a_sink_it_runs_the_same },
	{ 0 },
};

static const struct test_case repeatable[] = {
	{ "the seed decides the jitter", the_seed_decides_the_jitter },
	{ "without jitter the seed does not matter", without_jitter_the_seed_does_not_matter },
	{ "jitter stays within its bounds", jitter_stays_within_its_bounds },
	{ 0 },
};

static const struct test_case limits[] = {
	{ "what can't work is refused", what_can_not_work_is_refused },
	{ "kernels are found by name", kernels_are_found_by_name },
	{ "the end waits for what is under way", the_end_waits_for_what_is_under_way },
	{ "a stuck device is found by the watchdog", a_stuck_device_is_found_by_the_watchdog },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "one message", message, stage_setup, NULL },
		{ "repeatable", repeatable, stage_setup, NULL },
		{ "limits", limits, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
