/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worlds drawn at random: whatever the costs, rings, senders and CPUs, every packet passes through
 * queue, driver and device in order, and none is lost or freed twice.
 */
#include "stage.h"

#define WORLDS 300

/* Numerical Recipes' quick generator: good enough to make worlds, and the same everywhere. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return (uint32_t)((uint64_t)*state * below >> 32);
}

#define DRAW_OF(state, ...)                      \
	((const uint32_t[]){ __VA_ARGS__ }[draw( \
		state, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))])

static void draw_machine(uint32_t *state, struct host_config *config)
{
	config->cpus = 1 + draw(state, 3);
	config->irq_cpu = draw(state, config->cpus);
	for (int i = 0; i < HOST_COST_COUNT; i++)
		config->cost_ns[i] = draw(state, 4) ? 1 + draw(state, 4000) : 1;
	config->jitter = draw(state, 3) ? 0 : 0.3;
	config->seed = draw(state, 1000);
	config->qdisc_limit = draw(state, 3) ? 1000 : draw(state, 30);
	config->dev_tx_weight = DRAW_OF(state, 1, 4, 64);
	config->tick_hz = DRAW_OF(state, 100, 250, 1000);
	config->driver.ring_size = (uint16_t)DRAW_OF(state, 64, 80, 128, 256, 512);
	config->driver.reserve = (uint16_t)DRAW_OF(state, 0, 19, 20, 22);
	config->driver.interrupt_throttle_rate = DRAW_OF(state, 0, 500, 1000, 8000, 100000);
	config->driver.tidv = (uint16_t)DRAW_OF(state, 0, 1, 8, 100);
	config->driver.tadv = (uint16_t)DRAW_OF(state, 0, 4, 32);
	config->nic.line_rate_mbps = DRAW_OF(state, 0, 10, 100, 1000);
	config->nic.fetch_ns = DRAW_OF(state, 0, 500);
	config->nic.dma_rate_mbps = DRAW_OF(state, 0, 2000);
}

static void draw_sender(uint32_t *state, struct host_config *config, struct host_sender *sender)
{
	*sender = (struct host_sender){
		.cpu = draw(state, config->cpus),
		.message_bytes = draw(state, 1400),
		.segments = 1 + draw(state, 3),
		.checksum = draw(state, 2),
		.send_buffer_bytes =
			draw(state, 4) ? 1000 + draw(state, 100000) : 1 + draw(state, 1000),
		.truesize_bytes = 100 + draw(state, 1000),
		.start = draw(state, 2) ? 0 : draw(state, 1000000),
		.stop = config->stop,
		.messages = 1 + draw(state, 300),
		.pause_cycles = draw(state, 3) ? 0 : draw(state, 50000),
	};
}

static unsigned draw_world(uint32_t seed, struct host_config *config)
{
	uint32_t state = seed * 7919;
	unsigned messages = 0;

	*config = stage_config(draw(&state, 2) ? "linux-6.1" : "linux-2.6.35");
	draw_machine(&state, config);
	config->stop = config->drain = UINT64_C(20000000000);
	config->sender_count = 1 + draw(&state, 3);
	for (unsigned i = 0; i < config->sender_count; i++) {
		draw_sender(&state, config, &config->senders[i]);
		messages += (unsigned)config->senders[i].messages;
	}
	return messages;
}

/* Where each packet is, by its number, and the order in which they were queued. */
static struct {
	enum { AT_HOME, QUEUED, STARTED, DONE } place[UINT16_MAX];
	uint64_t order[STAGE_EVENTS_MOST];
	unsigned queued, freed, dropped;
} passage;

/* A packet's next event; false if it can't be here. */
static bool pass(const struct event *event)
{
	uint64_t number = event->packet / stage.stride;
	bool right = number < UINT16_MAX && event->packet % stage.stride == 0;

	if (!right)
		return false;
	switch (event->id) {
	case EVENT_QUEUE:
		right = passage.place[number] == AT_HOME;
		passage.place[number] = QUEUED;
		passage.order[passage.queued++] = number;
		return right;
	case EVENT_START_XMIT:
		right = passage.place[number] == QUEUED;
		passage.place[number] = STARTED;
		return right;
	case EVENT_XMIT:
		if (EVENT_GET(XMIT, rc, event->arg) == E1000E_TX_BUSY)
			passage.place[number] = QUEUED;
		return true;
	case EVENT_DONE:
		right = passage.place[number] == STARTED;
		passage.place[number] = DONE;
		return right;
	case EVENT_FREE:
		if (EVENT_GET(FREE, reason, event->arg)) { /* dropped: it came last */
			right = passage.place[number] == QUEUED &&
				passage.order[--passage.queued] == number;
			passage.dropped++;
		} else {
			right = passage.place[number] == DONE &&
				passage.order[passage.freed++] == number;
		}
		passage.place[number] = AT_HOME;
		return right;
	default:
		return true;
	}
}

static bool consistent(const struct host_config *config, unsigned messages)
{
	uint64_t last = 0;

	memset(&passage, 0, sizeof(passage));
	for (unsigned i = 0; i < stage.count; i++) {
		if (stage.events[i].time < last || !pass(&stage.events[i]))
			return false;
		last = stage.events[i].time;
	}
	for (unsigned i = 0; i < config->cpus; i++) {
		const uint64_t *busy = stage.stats.cpus[i].busy;

		if (busy[HOST_TASK] + busy[HOST_SOFTIRQ] + busy[HOST_HARDIRQ] > stage.stats.end)
			return false;
	}
	return passage.freed + passage.dropped == messages && passage.freed == passage.queued;
}

static void no_packet_is_lost_in_any_world(void)
{
	for (uint32_t seed = 1; seed <= WORLDS; seed++) {
		struct host_config config;
		unsigned messages = draw_world(seed, &config);

		stage_run(&config);
		if (consistent(&config, messages))
			continue;
		printf("seed %u ", seed);
		CU_FAIL("packets went astray");
	}
}

/* One to four devices, each with up to two streams; sometimes a sender on the first. */
static void draw_streams(uint32_t seed, struct host_config *config)
{
	uint32_t state = seed * 104729;

	*config = stage_config(draw(&state, 2) ? "linux-6.1" : "linux-2.6.35");
	draw_machine(&state, config);
	config->stop = config->drain = UINT64_C(20000000000);
	config->qdisc_limit = 1000;
	config->sender_count = draw(&state, 2);
	config->dev_weight = DRAW_OF(&state, 1, 16, 64);
	config->netdev_budget = DRAW_OF(&state, 1, 64, 300);
	config->netdev_budget_cycles = DRAW_OF(&state, 20000, 2000000);
	config->weight_policy = (enum host_weight_policy)draw(&state, 3);
	config->weight_cycles = draw(&state, 200000);
	config->driver.rx_ring_size = (uint16_t)DRAW_OF(&state, 64, 256);
	config->driver.rdtr = (uint16_t)DRAW_OF(&state, 0, 0, 50);
	config->driver.radv = (uint16_t)DRAW_OF(&state, 0, 8);
	config->more_count = draw(&state, 4);
	for (unsigned i = 0; i < config->more_count; i++) {
		config->more[i] = (struct host_device){ config->nic, config->driver };
		config->more[i].driver.device = (uint8_t)(i + 1);
	}
	config->receiver_count = 1 + draw(&state, 2 * (config->more_count + 1));
	for (unsigned i = 0; i < config->receiver_count; i++)
		config->receivers[i] = (struct host_receiver){
			.device = i % (config->more_count + 1),
			.tcp = draw(&state, 3),
			.segment_bytes = 1 + draw(&state, 1448),
			.segments = 1 + draw(&state, 300),
			.burst = 1 + draw(&state, 20),
			.interval = 1 + draw(&state, 50000),
			.start = draw(&state, 100000),
			.stop = config->stop,
			.quick_acks = DRAW_OF(&state, 0, 16),
			.delayed_ack = UINT64_C(40000000),
			.gro = draw(&state, 2),
			.checksum = draw(&state, 2),
		};
}

/* Packets that the driver has taken: it may have refused them before. */
static unsigned taken(void)
{
	unsigned refused = 0;

	for (unsigned i = 0; i < stage.count; i++)
		refused += stage.events[i].id == EVENT_XMIT &&
			   EVENT_GET(XMIT, rc, stage.events[i].arg) == E1000E_TX_BUSY;
	return stage_count(EVENT_START_XMIT) - refused;
}

/* All that was sent was received and acknowledged, and every ACK has left and was freed. */
static bool all_came_through(const struct host_config *config)
{
	uint64_t acks = config->sender_count, work = 0, received = 0;

	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct host_receiver_stats *s = &stage.stats.receivers[i];
		uint64_t segments = config->receivers[i].segments;
		uint64_t quick = s->quick_acks, ordinary = s->acks - quick;

		acks += s->acks;
		received += segments;
		if (s->received != segments || s->sent != segments ||
			s->frames != segments + s->missed || s->deliveries > segments)
			return false;
		if (!config->receivers[i].tcp && s->acks)
			return false;
		/* the timer may send for one segment, else an ACK is for two or more */
		if (config->receivers[i].tcp &&
			(!s->acks || quick > segments ||
				2 * ordinary > segments - quick + s->delayed_acks))
			return false;
	}
	for (unsigned i = 0; i <= config->more_count; i++)
		work += stage.stats.napi[i].work;
	return work == received && stage_count(EVENT_RECEIVE_BEGIN) == received &&
	       stage_count(EVENT_RECEIVE_END) == received && taken() == stage_count(EVENT_FREE) &&
	       stage_count(EVENT_FREE) == acks;
}

static void no_segment_is_lost_in_any_world(void)
{
	for (uint32_t seed = 1; seed <= WORLDS; seed++) {
		struct host_config config;

		draw_streams(seed, &config);
		stage_run(&config);
		if (all_came_through(&config))
			continue;
		printf("seed %u ", seed);
		CU_FAIL("segments or ACKs went astray");
	}
}

static const struct test_case any[] = {
	{ "no segment is lost in any world", no_segment_is_lost_in_any_world },
	{ "no packet is lost in any world", no_packet_is_lost_in_any_world },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "any world", any, stage_setup, NULL },
		{ 0 },
	};
	int status = test_main(argc, argv, suites);

	rte_eal_cleanup();
	return status;
}
