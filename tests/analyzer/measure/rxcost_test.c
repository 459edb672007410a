/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of receive_begin and receive_end, and what follows from their times. Times in ns. */
#include "rxcost.h"

#include "scene.h"
#include <stdlib.h>

#define NO                              EVENT_NO_DEVICE
#define IN(cpu, time, dev, packet, len) AT(cpu, time, RECEIVE_BEGIN, dev, NO_QUEUE, packet, len, 0)
#define OUT(cpu, time)                  AT(cpu, time, RECEIVE_END, NO, NO_QUEUE, 0, 0, 0)
#define UP(cpu, time, dev, packet, len) AT(cpu, time, RECEIVE, dev, NO_QUEUE, packet, len, 0)
#define SENT(cpu, time, dev, packet, len) \
	AT(cpu, time, START_XMIT, dev, 0, packet, len, EVENT_PUT(START_XMIT, header_bytes, 54))
#define BARE(id, cpu, time) AT(cpu, time, id, NO, NO_QUEUE, 0, 0, 3)

/* A data segment with nothing else inside, and one with an ACK. */
#define DATA(time, packet, cost)                                                \
	IN(0, time, ETH0, packet, 1500), UP(0, (time) + 1, ETH0, packet, 1500), \
		OUT(0, (time) + (cost))
#define ACKED(time, packet, cost)                                               \
	IN(0, time, ETH0, packet, 1500), UP(0, (time) + 1, ETH0, packet, 1500), \
		SENT(0, (time) + 2, ETH0, (packet) + 64, 66), OUT(0, (time) + (cost))

static struct rxcost *rxcost;

static void begin(const char *device)
{
	struct rxcost_options options = { .hz = SECONDS, .device = device };

	scene_names = names_create();
	CU_ASSERT_PTR_NOT_NULL_FATAL(scene_names);
	for (uint32_t i = 0; i < SCENE_DEVICES; i++)
		names_set(scene_names, NAME_DEVICE, i, scene_device_names[i],
			strlen(scene_device_names[i]));
	CU_ASSERT_EQUAL_FATAL(rxcost_create(&rxcost, &options, scene_names), 0);
}

static void feed(const struct scene_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL_FATAL(rxcost_event(rxcost, events[i].cpu, &events[i].event), 0);
}

#define FEED(...)                                         \
	feed((const struct scene_event[]){ __VA_ARGS__ }, \
		sizeof((const struct scene_event[]){ __VA_ARGS__ }) / sizeof(struct scene_event))

static const struct rxcost_report *finish(void)
{
	const struct rxcost_report *report = NULL;

	CU_ASSERT_EQUAL_FATAL(rxcost_finish(rxcost, &report), 0);
	return report;
}

static void end(void)
{
	rxcost_destroy(rxcost);
	names_destroy(scene_names);
}

static void a_pair_with_a_packet_is_a_cost(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 1500), IN(1, 110, ETH1, 128, 1500), UP(1, 115, ETH1, 128, 1500),
		UP(0, 120, ETH0, 64, 1500), OUT(1, 150), OUT(0, 400));
	report = finish();
	CU_ASSERT_EQUAL_FATAL(report->device_count, 2);
	CU_ASSERT_STRING_EQUAL(report->devices[0].name, "eth0");
	CU_ASSERT_EQUAL(report->devices[0].packets, 1);
	CU_ASSERT_EQUAL(report->devices[0].cost.max, 300);
	CU_ASSERT_EQUAL(report->devices[1].cost.max, 40);
	CU_ASSERT_EQUAL(report->all.packets, 2);
	CU_ASSERT_EQUAL(report->all.cluster_count, 1);
	CU_ASSERT_EQUAL(report->all.ratio, 0);
	CU_ASSERT_EQUAL(report->unpaired, 0);
	end();
}

/* 20 packets, every second with an ACK: 100, 250, 100, 250... */
static void acks_belong_to_the_pair_that_they_leave_in(void)
{
	const struct rxcost_table *table;

	begin(NULL);
	for (uint64_t i = 0; i < 20; i += 2)
		FEED(DATA(1000 * i, 64 * i, 100), ACKED(1000 * i + 1000, 64 * i, 250));
	/* outside: in a softirq, and by a process */
	FEED(BARE(SOFTIRQ_ENTRY, 0, 30000), SENT(0, 30100, ETH0, 4096, 66),
		BARE(SOFTIRQ_EXIT, 0, 30200), SENT(0, 30300, ETH0, 8192, 66),
		SENT(0, 30400, ETH0, 8256, 1514));
	table = &finish()->devices[0];
	CU_ASSERT_EQUAL_FATAL(table->cluster_count, 2);
	CU_ASSERT_EQUAL(table->clusters[0].count, 10);
	CU_ASSERT_EQUAL(table->clusters[0].median, 100);
	CU_ASSERT_EQUAL(table->clusters[0].acks, 0);
	CU_ASSERT_EQUAL(table->clusters[1].count, 10);
	CU_ASSERT_EQUAL(table->clusters[1].median, 250);
	CU_ASSERT_EQUAL(table->clusters[1].acks, 10);
	CU_ASSERT_EQUAL(table->clusters[1].senders, 10);
	CU_ASSERT_DOUBLE_EQUAL(table->clusters[1].time_share, 2500.0 / 3500, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(table->ratio, 2.5, 1e-9);
	CU_ASSERT_EQUAL(table->every, 2);
	CU_ASSERT_DOUBLE_EQUAL(table->every_share, 1, 1e-9);
	CU_ASSERT_EQUAL(table->with_ack.count, 10);
	CU_ASSERT_EQUAL(table->with_ack.median, 250);
	CU_ASSERT_EQUAL(table->without_ack.count, 10);
	CU_ASSERT_EQUAL(table->acks_inside, 10);
	CU_ASSERT_EQUAL(table->acks_in_softirq, 1);
	CU_ASSERT_EQUAL(table->acks_elsewhere, 1);
	CU_ASSERT_EQUAL(table->outliers, 0);
	CU_ASSERT_EQUAL(table->newest_count, 20);
	CU_ASSERT_TRUE(table->newest[1].sent_ack);
	CU_ASSERT_EQUAL(table->newest[19].cost, 250);
	end();
}

static void a_packet_passes_several_devices_once(void)
{
	const struct rxcost_table *table;

	begin(NULL);
	/* an ACK over a bond; and then one of the same address, the first having been freed */
	FEED(IN(0, 100, ETH0, 64, 1500), UP(0, 110, ETH0, 64, 1500), SENT(0, 120, BOND0, 640, 66),
		SENT(0, 130, ETH0, 640, 66), FREE(0, 140, 640), SENT(0, 150, BOND0, 640, 66),
		OUT(0, 200));
	/* a bridge hands the packet up again */
	FEED(IN(0, 300, ETH0, 64, 1500), UP(0, 310, ETH0, 64, 1500), IN(0, 320, VLAN, 64, 1500),
		UP(0, 330, VLAN, 64, 1500), OUT(0, 340), OUT(0, 400));
	/* a router passes an ACK on: 52 bytes and Ethernet's header; then it sends one of its own
	 */
	FEED(IN(0, 500, ETH0, 64, 52), UP(0, 510, ETH0, 64, 52), SENT(0, 520, ETH1, 64, 66),
		OUT(0, 600), IN(0, 700, ETH0, 64, 1500), UP(0, 710, ETH0, 64, 1500),
		SENT(0, 720, ETH0, 64, 66), OUT(0, 800));
	table = &finish()->devices[0];
	CU_ASSERT_EQUAL(table->packets, 4);
	CU_ASSERT_EQUAL(table->several, 0);
	CU_ASSERT_EQUAL(table->acks_inside, 3);
	CU_ASSERT_EQUAL(table->with_ack.count, 2); /* two in one of them */
	end();
}

/* A trace need not have frees, and the memory of an ACK that was sent is soon another's. */
static void an_address_that_starts_at_the_top_again_is_another_ack(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(SENT(0, 100, ETH0, 640, 66), SENT(0, 200, ETH0, 640, 66), SENT(0, 300, ETH0, 640, 78));
	FEED(SENT(1, 110, BOND0, 64, 66), SENT(1, 120, ETH0, 64, 66), SENT(1, 210, BOND0, 64, 66),
		SENT(1, 220, ETH0, 64, 66));
	/* the sender's on another device, and then an ACK of the receiver */
	FEED(SENT(2, 100, ETH1, 640, 1514), SENT(2, 200, ETH0, 640, 66));
	FEED(IN(0, 400, ETH1, 64, 1500), UP(0, 410, ETH1, 64, 1500), SENT(0, 420, ETH1, 640, 66),
		SENT(0, 430, ETH1, 640, 66), OUT(0, 500));
	report = finish();
	CU_ASSERT_EQUAL(report->all.acks_inside, 2);
	CU_ASSERT_EQUAL(report->all.acks_elsewhere, 3 + 2 + 1);
	CU_ASSERT_EQUAL(report->all.acks_in_softirq, 0);
	CU_ASSERT_FALSE(report->softirqs_seen);
	end();
}

static void acks_of_a_pair_without_an_end_are_outside(void)
{
	const struct rxcost_report *report;

	begin("eth0");
	FEED(IN(0, 100, ETH0, 64, 1500), SENT(0, 110, ETH0, 640, 66), BARE(SOFTIRQ_ENTRY, 0, 200),
		IN(0, 300, ETH0, 64, 1500), SENT(0, 310, ETH0, 640, 66),
		SENT(0, 320, ETH0, 704, 66), BARE(SOFTIRQ_EXIT, 0, 400));
	/* the ninth in one another shows that the first has no end */
	FEED(IN(1, 500, ETH0, 64, 1500), SENT(1, 510, ETH0, 640, 66));
	for (uint64_t i = 0; i < 8; i++)
		FEED(IN(1, 600 + i, ETH0, 64, 1500));
	FEED(UP(1, 610, ETH0, 64, 1500), SENT(1, 620, ETH0, 640, 66)); /* and the trace ends */
	report = finish();
	CU_ASSERT_EQUAL(report->unpaired, 1 + 1 + 8 + 1);
	CU_ASSERT_EQUAL(report->all.pairs, 0);
	CU_ASSERT_EQUAL(report->all.acks_inside, 0);
	CU_ASSERT_EQUAL(report->all.acks_in_softirq, 2);
	CU_ASSERT_EQUAL(report->all.acks_elsewhere, 1 + 1 + 1);
	CU_ASSERT_TRUE(report->softirqs_seen);
	end();
}

/* Inside of the outermost pair, of its first packet: 20, 30 and 40. */
static void what_writing_an_event_takes_is_measured(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 1500), UP(0, 120, ETH0, 64, 1500), UP(0, 190, ETH0, 128, 60),
		OUT(0, 200), IN(0, 300, ETH0, 64, 1500), UP(0, 330, ETH0, 64, 1500), OUT(0, 400),
		UP(0, 450, ETH0, 64, 60), IN(0, 500, ETH0, 64, 1500), UP(0, 540, ETH0, 64, 1500),
		IN(0, 600, VLAN, 64, 1500), UP(0, 690, VLAN, 64, 1500), OUT(0, 695), OUT(0, 700));
	report = finish();
	CU_ASSERT_EQUAL(report->writing, 30);
	end();
	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 1500), OUT(0, 200));
	CU_ASSERT_EQUAL(finish()->writing, 0);
	end();
}

static void of_nested_pairs_the_outermost_counts(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 60), UP(0, 105, ETH0, 64, 60), IN(0, 110, VLAN, 64, 60),
		IN(0, 120, BOND0, 64, 60), OUT(0, 130), OUT(0, 140), OUT(0, 150));
	report = finish();
	CU_ASSERT_EQUAL(report->nested, 2);
	CU_ASSERT_EQUAL(report->device_count, 1);
	CU_ASSERT_EQUAL(report->all.pairs, 1);
	CU_ASSERT_EQUAL(report->all.cost.max, 50);
	CU_ASSERT_EQUAL(report->all.with_ack.count + report->all.without_ack.count, 0);
	end();
}

/* gro_normal_batch 8: seven pairs are empty, the eighth hands eight packets up. */
static void gathered_packets_have_no_cost_each(void)
{
	const struct rxcost_table *table;

	begin(NULL);
	FEED(UP(1, 1, ETH0, 64000, 60));
	for (uint64_t i = 0; i < 16; i++) {
		FEED(IN(0, 1000 * i, ETH0, 64 * i, 1500));
		for (uint64_t k = 0; k < 8 && i % 8 == 7; k++)
			FEED(UP(0, 1000 * i + k, ETH0, 64 * (i - 7 + k), 1500));
		FEED(OUT(0, 1000 * i + 500));
	}
	table = &finish()->devices[0];
	CU_ASSERT_EQUAL(table->pairs, 16);
	CU_ASSERT_EQUAL(table->empty, 14);
	CU_ASSERT_EQUAL(table->several, 2);
	CU_ASSERT_EQUAL(table->packets, 0);
	CU_ASSERT_FALSE(table->per_packet);
	CU_ASSERT_EQUAL(table->cluster_count, 0);
	end();
}

static void without_receive_events_a_pair_is_a_packet(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 1500), OUT(0, 150), IN(0, 200, ETH0, 64, 1500), OUT(0, 260));
	report = finish();
	CU_ASSERT_FALSE(report->receives_seen);
	CU_ASSERT_TRUE(report->all.per_packet);
	CU_ASSERT_EQUAL(report->all.packets, 2);
	end();
	/* but once there is one the pairs before it were empty */
	begin(NULL);
	FEED(IN(0, 100, ETH0, 64, 1500), OUT(0, 150), DATA(200, 64, 30));
	report = finish();
	CU_ASSERT_TRUE(report->receives_seen);
	CU_ASSERT_EQUAL(report->all.empty, 1);
	CU_ASSERT_EQUAL(report->all.packets, 1);
	CU_ASSERT_EQUAL(report->all.cost.max, 30);
	CU_ASSERT_EQUAL(report->all.newest_count, 1);
	end();
}

static void what_has_no_end_has_no_cost(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(OUT(0, 10), /* its begin was before the trace */
		IN(0, 100, ETH0, 64, 1500), BARE(NAPI_POLL, 0, 200), OUT(0, 300),
		IN(0, 400, ETH0, 64, 1500), BARE(SOFTIRQ_EXIT, 0, 500), DATA(600, 64, 30),
		IN(0, 700, ETH0, 64, 1500), LOST(0, 750), OUT(0, 800));
	for (uint64_t i = 0; i < 9; i++)
		FEED(IN(1, 1000 + i, ETH0, 64, 1500)); /* the ninth is no pair inside of eight */
	FEED(UP(1, 1020, ETH0, 64, 1500), OUT(1, 1108));
	report = finish();
	CU_ASSERT_EQUAL(report->all.packets, 2);
	CU_ASSERT_EQUAL(report->all.cost.min, 30);
	CU_ASSERT_EQUAL(report->all.cost.max, 100);
	CU_ASSERT_EQUAL(report->unpaired, 1 + 1 + 1 + 1 + 1 + 8);
	CU_ASSERT_FALSE(report->softirqs_seen); /* an entry was not */
	end();
}

static void hard_interrupts_inside_are_counted(void)
{
	const struct rxcost_report *report;

	begin(NULL);
	FEED(OTHER(50), DATA(100, 64, 30), IN(0, 200, ETH0, 64, 1500), UP(0, 210, ETH0, 64, 1500),
		OTHER(220), OTHER(230), OUT(0, 240), IN(1, 300, ETH0, 64, 1500),
		UP(1, 310, ETH0, 64, 1500), OTHER(320), OUT(1, 340));
	report = finish();
	CU_ASSERT_EQUAL(report->all.held_irq, 1); /* the last was on another CPU */
	CU_ASSERT_EQUAL(report->all.packets, 3);
	end();
}

static void one_device_can_be_asked_for(void)
{
	const struct rxcost_report *report;

	begin("eth1");
	FEED(DATA(100, 64, 30), IN(0, 200, ETH1, 64, 1500), UP(0, 210, ETH1, 64, 1500), OUT(0, 250),
		SENT(0, 300, ETH0, 640, 66));
	report = finish();
	CU_ASSERT_EQUAL(report->device_count, 1);
	CU_ASSERT_EQUAL(report->all.packets, 1);
	CU_ASSERT_EQUAL(report->all.cost.max, 50);
	CU_ASSERT_EQUAL(report->all.acks_elsewhere, 0);
	end();
}

/* The oldest are forgotten, but they stay in the histogram. */
static void the_newest_are_kept(void)
{
	const struct rxcost_table *table;
	unsigned wrong = 0;

	begin(NULL);
	for (uint64_t i = 0; i < RXCOST_NEWEST + 1000; i++)
		FEED(IN(0, 100000 * i, ETH0, 64, 60), UP(0, 100000 * i, ETH0, 64, 60),
			OUT(0, 100001 * i));
	table = &finish()->devices[0];
	CU_ASSERT_EQUAL(table->packets, RXCOST_NEWEST + 1000);
	CU_ASSERT_EQUAL(table->cost.min, 0);
	CU_ASSERT_EQUAL_FATAL(table->newest_count, RXCOST_NEWEST);
	for (unsigned i = 0; i < RXCOST_NEWEST; i++)
		wrong += table->newest[i].cost != 1000 + i;
	CU_ASSERT_EQUAL(wrong, 0);
	end();
}

/* Whatever comes, pairs add up, and packets that have a cost are in a cluster. */
static void nonsense_adds_up(void)
{
	static const uint16_t ids[] = { EVENT_RECEIVE_BEGIN, EVENT_RECEIVE_END, EVENT_RECEIVE,
		EVENT_START_XMIT, EVENT_FREE, EVENT_IRQ_ENTRY, EVENT_SOFTIRQ_ENTRY,
		EVENT_SOFTIRQ_EXIT, EVENT_NAPI_POLL, EVENT_LOST };

	for (unsigned seed = 1; seed <= 300; seed++) {
		const struct rxcost_report *report;
		uint64_t now = 0, pairs = 0, packets = 0;

		begin(NULL);
		srand(seed);
		for (unsigned i = 0; i < 500; i++) {
			int kind = rand() % 30;
			struct scene_event one = { (unsigned)rand() % 3,
				{ .time = now += (uint64_t)(rand() % 100),
					.id = ids[kind < 10 ? kind : kind % 3],
					.device = (uint8_t)(rand() % 3),
					.packet = (uint64_t)(rand() % 5),
					.len = (uint32_t)(rand() % 2000) } };

			feed(&one, 1);
		}
		report = finish();
		for (unsigned i = 0; i < report->device_count; i++) {
			const struct rxcost_table *table = &report->devices[i];

			pairs += table->pairs;
			packets += table->packets;
			CU_ASSERT_EQUAL(
				table->pairs, table->packets + table->empty + table->several);
			CU_ASSERT(!table->per_packet ||
				  table->clusters[0].count + table->clusters[1].count ==
					  table->packets);
		}
		CU_ASSERT_EQUAL(report->all.pairs, pairs);
		CU_ASSERT_EQUAL(report->all.packets, packets);
		end();
	}
}

static const struct test_case cases[] = {
	{ "a pair with a packet is a cost", a_pair_with_a_packet_is_a_cost },
	{ "ACKs belong to the pair that they leave in",
		acks_belong_to_the_pair_that_they_leave_in },
	{ "a packet passes several devices once", a_packet_passes_several_devices_once },
	{ "an address that starts at the top again is another ACK",
		an_address_that_starts_at_the_top_again_is_another_ack },
	{ "ACKs of a pair without an end are outside", acks_of_a_pair_without_an_end_are_outside },
	{ "what writing an event takes is measured", what_writing_an_event_takes_is_measured },
	{ "of nested pairs the outermost counts", of_nested_pairs_the_outermost_counts },
	{ "gathered packets have no cost each", gathered_packets_have_no_cost_each },
	{ "without receive events a pair is a packet", without_receive_events_a_pair_is_a_packet },
	{ "what has no end has no cost", what_has_no_end_has_no_cost },
	{ "hard interrupts inside are counted", hard_interrupts_inside_are_counted },
	{ "one device can be asked for", one_device_can_be_asked_for },
	{ "the newest are kept", the_newest_are_kept },
	{ "nonsense adds up", nonsense_adds_up },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "rxcost", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
