/* SPDX-License-Identifier: BSD-3-Clause */
/* A TCP stream from one device of the machine to another: what leaves when, and that it arrives. */
#include "stage.h"

#include <errno.h>

#define MS UINT64_C(1000000)

static struct host_config streaming(uint64_t bytes)
{
	struct host_config config = stage_config("linux-6.1");

	config.sender_count = 0;
	config.cost_ns[HOST_COST_receive] = 3000;
	config.cost_ns[HOST_COST_ack] = 1000;
	config.cost_ns[HOST_COST_read] = 1500;
	config.cost_ns[HOST_COST_write] = 2000;
	config.cost_ns[HOST_COST_copy] = 1024;
	config.cost_ns[HOST_COST_segment] = 500;
	config.cost_ns[HOST_COST_acked] = 2000;
	config.cost_ns[HOST_COST_backlog] = 600;
	config.driver.rx_ring_size = 256;
	config.nic.line_rate_mbps = 0;
	config.more_count = 1;
	config.more[0] = (struct host_device){ .nic = config.nic, .driver = config.driver };
	config.more[0].driver.device = 1;
	config.receivers[0] = (struct host_receiver){ .tcp = true,
		.stream = true,
		.read = true,
		.from = 1,
		.segment_bytes = 1448,
		.stream_bytes = bytes,
		.write_bytes = 65536,
		.burst = 1,
		.quick_acks = 16,
		.start = 10000,
		.stop = STAGE_STOP,
		.delayed_ack = 40 * MS,
		.checksum = true,
		.stream_checksum = true };
	config.receiver_count = 1;
	return config;
}

/* The index of the nth event of this kind and length. */
static unsigned find(enum event_id id, uint32_t bytes, unsigned nth)
{
	for (unsigned i = 0;; i++) {
		unsigned at = stage_find(id, i);

		if (stage.events[at].len == bytes && !nth--)
			return at;
	}
}

/* SYN, SYN-ACK and ACK: with more options, 74 bytes, in the first two. */
static void the_connection_is_opened_first(void)
{
	static const struct {
		uint32_t bytes;
		uint8_t device;
	} expected[] = { { 74, 1 }, { 74, 0 }, { 66, 1 } };
	struct host_config config = streaming(1000);

	stage_run(&config);
	for (unsigned i = 0; i < 3; i++) {
		const struct event *start = &stage.events[stage_find(EVENT_START_XMIT, i)];

		CU_ASSERT_EQUAL(start->len, expected[i].bytes);
		CU_ASSERT_EQUAL(start->device, expected[i].device);
	}
	CU_ASSERT_EQUAL(stage_time(EVENT_QUEUE, 0), 10000 + 700);
	CU_ASSERT_EQUAL(stage.events[stage_find(EVENT_START_XMIT, 3)].len, 1066);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_bytes, 1000);
}

/*
 * Half of the congestion window of 10 segments goes first: when a packet is full, which half of the
 * window of 64,240 makes: 22 segments. 5 x 500 to cut it, and 500 to the driver, without which BQL
 * would stop it after the first: a bulk isn't stopped.
 */
static void five_segments_go_first(void)
{
	struct host_config config = streaming(65536);
	unsigned first, sent = 0;

	config.bql = config.more[0].bql = (struct host_bql){ .on = true, .limit_max = 1000000 };
	stage_run(&config);
	first = find(EVENT_QUEUE, 1514, 0);
	CU_ASSERT_EQUAL(stage.events[find(EVENT_START_XMIT, 1514, 0)].time,
		stage.events[first].time + 5 * 500 + 500);
	for (unsigned i = first; i < find(EVENT_RECEIVE, 1500, 0); i++)
		sent += stage.events[i].id == EVENT_START_XMIT && stage.events[i].len == 1514;
	CU_ASSERT_EQUAL(sent, 5);
}

/*
 * Since 3.18 the device hears of a train with its last segment; before, of each. Then it is done
 * with the first, which leaves at once, while the driver has four more to come, of 2000 ns each.
 */
static void old_kernels_hand_over_each_segment(void)
{
	static const char *const kernels[] = { "linux-2.6.35", "linux-6.1" };

	for (unsigned i = 0; i < 2; i++) {
		struct host_config config = streaming(65536);
		unsigned first, done;

		config.kernel = host_kernel_find(kernels[i]);
		stage_run(&config);
		first = done = find(EVENT_START_XMIT, 1514, 0);
		while (stage.events[done].id != EVENT_DONE ||
			stage.events[done].packet != stage.events[first].packet)
			CU_ASSERT_FATAL(++done < stage.count);
		CU_ASSERT_EQUAL(stage.events[done].time <
					stage.events[find(EVENT_START_XMIT, 1514, 4)].time,
			i == 0);
	}
}

/* 1,000,000 bytes: every one is read, none is lost or sent again, and all ends acknowledged. */
static void a_stream_arrives_whole(void)
{
	struct host_config config = streaming(1000000);
	const struct host_receiver_stats *stats = &stage.stats.receivers[0];

	stage_run(&config);
	CU_ASSERT_EQUAL(stats->read_bytes, 1000000);
	CU_ASSERT_EQUAL(stats->timeouts, 0);
	CU_ASSERT_EQUAL(stats->disordered, 0);
	/* 690 full segments and 880 bytes would be the fewest; 16 writes end in at most one small
	 * segment each */
	CU_ASSERT(stats->received >= 691 && stats->received <= 690 + 16);
	CU_ASSERT_EQUAL(stage_count(EVENT_FREE), stats->received + stats->acks + 3);
	CU_ASSERT_EQUAL(stage.stats.napi[0].work, stats->received + 2); /* SYN and ACK */
	CU_ASSERT_EQUAL(stage.stats.napi[1].work, stats->acks + 1);     /* SYN-ACK */
}

/* The same bytes come out of any costs and sizes of writes, and where the process is never asked.
 */
static void writes_of_any_size_arrive(void)
{
	static const uint32_t sizes[] = { 1, 700, 1448, 1449, 10000, 300000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct host_config config = streaming(20 * (uint64_t)sizes[i] + 3);

		config.receivers[0].write_bytes = sizes[i];
		config.driver.interrupt_throttle_rate = 8000;
		stage_run(&config);
		CU_ASSERT_EQUAL(stage.stats.receivers[0].read_bytes, 20 * (uint64_t)sizes[i] + 3);
		CU_ASSERT_EQUAL(stage.stats.receivers[0].timeouts, 0);
	}
}

/* 63 buffers are posted, and the trains become longer: what is missed is sent again after 200 ms.
 */
static void what_is_lost_is_sent_again(void)
{
	struct host_config config = streaming(3000000);
	const struct host_receiver_stats *stats = &stage.stats.receivers[0];

	config.driver.rx_ring_size = 64;
	config.driver.interrupt_throttle_rate = 1000;
	config.more[0].driver.interrupt_throttle_rate = 1000;
	config.receivers[0].stop = config.stop = 10000 * MS;
	stage_run(&config);
	CU_ASSERT(stats->missed > 0);
	CU_ASSERT(stats->timeouts > 0);
	CU_ASSERT(stats->disordered > 0);
	CU_ASSERT_EQUAL(stats->read_bytes, 3000000);
}

/* The longest that a packet of that device was in it. */
static uint64_t longest_lap(uint8_t device)
{
	uint64_t longest = 0;

	for (unsigned i = 0; i < stage.count; i++) {
		const struct event *start = &stage.events[i], *end = start;

		if (start->id != EVENT_START_XMIT || start->device != device)
			continue;
		while (end < stage.events + stage.count &&
			(end->id != EVENT_FREE || end->packet != start->packet))
			end++;
		if (end < stage.events + stage.count && end->time - start->time > longest)
			longest = end->time - start->time;
	}
	return longest;
}

/*
 * The queue has room for 64, so of the stream's last train some are dropped. Those before them end
 * the bulk, and the device must hear of them: a full ring is empty after 1 ms, while the sender
 * comes again after 200.
 */
static void a_train_that_was_cut_leaves_the_ring(void)
{
	static const uint32_t costs[HOST_COST_COUNT] = {
#define X(name, default_ns, help) [HOST_COST_##name] = (default_ns),
		HOST_COSTS(X)
#undef X
	};
	struct host_config config = streaming(1014000);

	memcpy(config.cost_ns, costs, sizeof(costs));
	config.qdisc_limit = HOST_TRAIN_MOST;
	config.nic.line_rate_mbps = config.more[0].nic.line_rate_mbps = 1000;
	config.driver.interrupt_throttle_rate = 8000;
	config.more[0].driver.interrupt_throttle_rate = 8000;
	config.receivers[0].stop = config.stop = 1000 * MS;
	stage_run(&config);
	CU_ASSERT(stage.stats.receivers[0].timeouts > 0);
	CU_ASSERT_EQUAL(stage.stats.receivers[0].read_bytes, 1014000);
	CU_ASSERT(longest_lap(1) < 20 * MS);
}

static void a_stream_has_its_devices_for_itself(void)
{
	struct host_config config = streaming(1000);
	struct host *host;

	config.receivers[0].from = 0;
	CU_ASSERT_EQUAL(host_create(&host, &config), -EINVAL);
	config = streaming(1000);
	config.receivers[1] = config.receivers[0];
	config.receivers[1].stream = false;
	config.receiver_count = 2;
	CU_ASSERT_EQUAL(host_create(&host, &config), -EINVAL);
	config = streaming(1000);
	config.sender_count = 1;
	CU_ASSERT_EQUAL(host_create(&host, &config), -EINVAL);
}

static const struct test_case cases[] = {
	{ "the connection is opened first", the_connection_is_opened_first },
	{ "five segments go first", five_segments_go_first },
	{ "old kernels hand over each segment", old_kernels_hand_over_each_segment },
	{ "a stream arrives whole", a_stream_arrives_whole },
	{ "writes of any size arrive", writes_of_any_size_arrive },
	{ "what is lost is sent again", what_is_lost_is_sent_again },
	{ "a train that was cut leaves the ring", a_train_that_was_cut_leaves_the_ring },
	{ "a stream has its devices for itself", a_stream_has_its_devices_for_itself },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "stream", cases, stage_setup, NULL }, { 0 } };
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
