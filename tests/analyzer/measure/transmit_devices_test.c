/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that pass several devices, devices that deliver, and queues. */
#include "transmit.h"

#include "scene.h"

static void stacked_devices_count_a_packet_once_in_the_total(void)
{
	/* The same packet goes through a VLAN, a bond and an Ethernet device; another over eth1. */
	const struct transmit_report *report = PLAY(NULL, START(0, 0, VLAN, 1),
		START(0, 10, BOND0, 1), START(0, 20, ETH0, 1), XMIT(0, 30, ETH0, 1, 0),
		XMIT(0, 40, BOND0, 1, 0), XMIT(0, 50, VLAN, 1, 0), START(1, 60, ETH1, 2),
		XMIT(1, 65, ETH1, 2, 0), FREE(1, 100, 1), FREE(1, 110, 2));

	CU_ASSERT_EQUAL(scene_device(report, VLAN)->lap.max, 100);
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->lap.max, 90);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 80);
	CU_ASSERT_EQUAL(report->total_tx_packets, 2);
	CU_ASSERT_EQUAL(report->total_in_device_max, 2);
	CU_ASSERT_EQUAL(report->device_count, 4);
	CU_ASSERT_STRING_EQUAL(report->devices[0].name, "bond0");
	CU_ASSERT_STRING_EQUAL(report->devices[1].name, "eth0");
	CU_ASSERT_STRING_EQUAL(report->devices[2].name, "eth0.7");
	CU_ASSERT_STRING_EQUAL(report->devices[3].name, "eth1");
	scene_end();
}

static void a_busy_lower_device_is_tried_again_under_the_same_bond(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, BOND0, 1),
		START(0, 10, ETH0, 1), XMIT(0, 20, ETH0, 1, BUSY), XMIT(0, 30, BOND0, 1, 0),
		START(1, 50, ETH0, 1), XMIT(1, 60, ETH0, 1, 0), FREE(1, 90, 1));

	CU_ASSERT_EQUAL(scene_device(report, BOND0)->lap.max, 90);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 40);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->retries, 1);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	scene_end();
}

static void the_older_packet_closes_at_all_its_devices(void)
{
	/* The free of the first packet is lost. The second is freed before it gets to eth0. */
	const struct transmit_report *report = PLAY(NULL, START(0, 0, BOND0, 1),
		START(0, 10, ETH0, 1), XMIT(0, 20, ETH0, 1, 0), XMIT(0, 30, BOND0, 1, 0),
		START(0, 100, BOND0, 1), FREE(0, 120, 1), XMIT(0, 130, BOND0, 1, 0));

	CU_ASSERT_EQUAL(scene_device(report, BOND0)->unresolved, 1);
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->lap.max, 20);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->unresolved, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->tx_packets, 0);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	scene_end();
}

static void a_veth_packet_leaves_when_it_is_received(void)
{
	/* Laps of 1, 3 and 6 us; the late free of packet 1 is neither a lap nor an anomaly. */
	const struct transmit_report *report = PLAY(NULL, START(1, 0, VETH0, 1),
		RECEIVE(1000, ETH1, 1), XMIT(1, 2000, VETH0, 1, 0), RECEIVE(10000, ETH1, 1),
		START(1, 20000, VETH0, 2), RECEIVE(23000, ETH1, 2), XMIT(1, 24000, VETH0, 2, 0),
		RECEIVE(30000, ETH1, 2), FREE(1, 40000, 1), START(1, 50000, VETH0, 2),
		RECEIVE(56000, ETH1, 2), XMIT(1, 57000, VETH0, 2, 0));
	const struct transmit_table *veth0 = scene_device(report, VETH0);

	CU_ASSERT_EQUAL(veth0->tx_packets, 3);
	CU_ASSERT_EQUAL(veth0->delivered, 3);
	CU_ASSERT_EQUAL(veth0->lap.min, 1000);
	CU_ASSERT_EQUAL(veth0->lap.max, 6000);
	CU_ASSERT_DOUBLE_EQUAL(veth0->lap.avg, 10000.0 / 3, 1e-9);
	CU_ASSERT_EQUAL(veth0->in_device_max, 1);
	CU_ASSERT_EQUAL(veth0->free_before_xmit_return, 0);
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(report->total_tx_packets, 3);
	CU_ASSERT(scene_reconciles(veth0));
	scene_end();
}

static void a_delivered_packets_free_is_no_clock_anomaly(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, VETH0, 1), RECEIVE(10, VETH0, 1), XMIT(0, 20, VETH0, 1, 0),
			FREE(1, 1000, 1), START(0, 1005, VETH0, 1), XMIT(0, 1010, VETH0, 1, 0));

	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(scene_device(report, VETH0)->at_end, 1);
	scene_end();
}

static void a_forwarded_packet_counts_once_at_its_last_device(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, VETH0, 1), RECEIVE(10, VETH0, 1), XMIT(0, 20, VETH0, 1, 0),
			START(0, 30, ETH0, 1), XMIT(0, 40, ETH0, 1, 0), FREE(0, 100, 1),
			START(0, 200, ETH0, 1), XMIT(0, 210, ETH0, 1, 0), FREE(0, 220, 1));

	CU_ASSERT_EQUAL(scene_device(report, VETH0)->tx_packets, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->tx_packets, 2);
	CU_ASSERT_EQUAL(report->total_tx_packets, 2);
	scene_end();
}

/* In a container a veth is called eth0: netif_rx comes before its driver returns. */
static void a_packet_received_in_its_drivers_call_is_delivered(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 1),
		RECEIVE(1000, ETH1, 1), XMIT(0, 2000, ETH0, 1, 0), FREE(1, 5000, 1),
		START(0, 10000, ETH0, 2), RECEIVE(13000, ETH1, 2), XMIT(0, 14000, ETH0, 2, 0),
		START(0, 20000, ETH0, 2), RECEIVE(26000, ETH1, 2), XMIT(0, 27000, ETH0, 2, 0));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->delivered, 3);
	CU_ASSERT_EQUAL(eth0->freed, 0);
	CU_ASSERT_EQUAL(eth0->unresolved, 0);
	CU_ASSERT_EQUAL(eth0->lap.min, 2000); /* the first, up to its call's return */
	CU_ASSERT_EQUAL(eth0->lap.max, 6000);
	CU_ASSERT_EQUAL(eth0->capacity, 0);
	CU_ASSERT_EQUAL(report->clock_anomalies, 0);
	CU_ASSERT_EQUAL(report->total_tx_packets, 3);
	CU_ASSERT(scene_reconciles(eth0));
	scene_end();
}

/* The same packet, handed down: it leaves both. */
static void what_a_bond_hands_to_a_veth_is_delivered_once(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH1, 9),
		XMIT(0, 5, ETH1, 9, 0), START(0, 10, BOND0, 1), START(0, 20, ETH0, 1),
		RECEIVE(30, ETH1, 1), XMIT(0, 40, ETH0, 1, 0), XMIT(0, 50, BOND0, 1, 0));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->delivered, 1);
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->delivered, 1);
	CU_ASSERT_EQUAL(scene_device(report, BOND0)->lap.max, 20);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	scene_end();
}

/* Memory that was freed without an event is received into: on another CPU, or after the call. */
static void a_reused_address_is_not_delivered(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(1, 0, ETH0, 1), RECEIVE(10, ETH1, 1), XMIT(1, 20, ETH0, 1, 0),
			RECEIVE(30, ETH1, 1), FREE(1, 100, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->freed, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->delivered, 0);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 100);
	scene_end();
}

/* Without net_dev_xmit nobody knows how long a call goes on: the first one may have returned. */
static void without_returns_nobody_knows_what_a_call_delivers(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START(0, 0, ETH0, 1), RECEIVE(200, ETH1, 1), FREE(0, 300, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->freed, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->delivered, 0);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 300);
	scene_end();
	report = PLAY(NULL, START(0, 0, ETH0, 1), START(0, 100, ETH0, 2), RECEIVE(200, ETH1, 2),
		FREE(0, 300, 1), FREE(0, 400, 2));
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->freed, 2);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->delivered, 0);
	scene_end();
}

static void an_ethernet_device_does_not_deliver(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 1),
		XMIT(0, 20, ETH0, 1, 0), RECEIVE(50, ETH0, 1), FREE(0, 100, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->freed, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH0)->lap.max, 100);
	scene_end();
}

static void each_queue_has_its_own_table(void)
{
	const struct transmit_report *report =
		PLAY(NULL, START_ON(3, 0, ETH0, 1), START_ON(0, 10, ETH0, 2),
			START_ON(3, 20, ETH0, 3), FREE(0, 30, 1), FREE(0, 100, 2), FREE(0, 120, 3));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL_FATAL(eth0->queue_count, 2);
	CU_ASSERT_EQUAL(eth0->queues[0].queue, 0);
	CU_ASSERT_EQUAL(eth0->queues[0].tx_packets, 1);
	CU_ASSERT_EQUAL(eth0->queues[0].lap.max, 90);
	CU_ASSERT_EQUAL(eth0->queues[1].queue, 3);
	CU_ASSERT_EQUAL(eth0->queues[1].tx_packets, 2);
	CU_ASSERT_EQUAL(eth0->queues[1].in_device_max, 2);
	CU_ASSERT_DOUBLE_EQUAL(eth0->queues[1].in_device_avg, 130.0 / 120, 1e-12);
	CU_ASSERT(scene_reconciles(&eth0->queues[0]));
	CU_ASSERT(scene_reconciles(&eth0->queues[1]));
	CU_ASSERT_EQUAL(eth0->in_device_max, 3);
	scene_end();
}

static void no_queue_known_means_no_queue_tables(void)
{
	const struct transmit_report *report = PLAY(NULL, START(0, 0, ETH0, 1), FREE(0, 10, 1));

	CU_ASSERT_EQUAL(scene_device(report, ETH0)->queue_count, 0);
	scene_end();
}

/* Their low bits are those of "not known". */
static void queues_255_and_511_are_queues_like_others(void)
{
	const struct transmit_report *report = PLAY(NULL, START_ON(255, 0, ETH0, 1), FREE(0, 10, 1),
		AT(0, 20, START_XMIT, ETH0, 255, 2, 60, UINT64_C(1) << 48), FREE(0, 35, 2),
		START(0, 40, ETH0, 3), FREE(0, 60, 3));
	const struct transmit_table *eth0 = scene_device(report, ETH0);

	CU_ASSERT_EQUAL(eth0->tx_packets, 3);
	CU_ASSERT_EQUAL_FATAL(eth0->queue_count, 2);
	CU_ASSERT_EQUAL(eth0->queues[0].queue, 255);
	CU_ASSERT_EQUAL(eth0->queues[0].lap.max, 10);
	CU_ASSERT_EQUAL(eth0->queues[1].queue, 511);
	CU_ASSERT_EQUAL(eth0->queues[1].lap.max, 15);
	scene_end();
}

static void one_device_can_be_asked_for(void)
{
	struct transmit_options options = scene_options();
	const struct transmit_report *report;

	options.device = "eth1";
	report = PLAY(&options, START(0, 0, ETH0, 1), START(0, 10, ETH1, 2), START(0, 12, ETH0, 3),
		FREE(0, 20, 1), FREE(0, 25, 2));
	CU_ASSERT_EQUAL(report->device_count, 1);
	CU_ASSERT_EQUAL(scene_device(report, ETH1)->lap.max, 15);
	CU_ASSERT_EQUAL(report->total_tx_packets, 1);
	CU_ASSERT_EQUAL(report->total_in_device_max, 1);
	scene_end();

	options.device = "eth";
	report = PLAY(&options, START(0, 0, ETH0, 1), FREE(0, 20, 1));
	CU_ASSERT_EQUAL(report->device_count, 0);
	CU_ASSERT_EQUAL(report->total_tx_packets, 0);
	scene_end();
}

#define CASE(name)          \
	{                   \
#name, name \
	}

static const struct test_case devices[] = {
	CASE(stacked_devices_count_a_packet_once_in_the_total),
	CASE(a_busy_lower_device_is_tried_again_under_the_same_bond),
	CASE(the_older_packet_closes_at_all_its_devices),
	CASE(a_veth_packet_leaves_when_it_is_received),
	CASE(a_packet_received_in_its_drivers_call_is_delivered),
	CASE(what_a_bond_hands_to_a_veth_is_delivered_once),
	CASE(a_reused_address_is_not_delivered),
	CASE(without_returns_nobody_knows_what_a_call_delivers),
	CASE(a_delivered_packets_free_is_no_clock_anomaly),
	CASE(a_forwarded_packet_counts_once_at_its_last_device),
	CASE(an_ethernet_device_does_not_deliver),
	CASE(each_queue_has_its_own_table),
	CASE(no_queue_known_means_no_queue_tables),
	CASE(queues_255_and_511_are_queues_like_others),
	CASE(one_device_can_be_asked_for),
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "devices", devices, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
