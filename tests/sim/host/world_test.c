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

static const struct test_case any[] = {
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
