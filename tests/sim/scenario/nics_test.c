/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios of several NICs: what each may have of its own, and what goes between them. */
#include "loading.h"

/* What an item of nics doesn't say is the scenario's, with --set, too; names must differ. */
static void several_nics_override_what_they_name(void)
{
	static const char *const set[] = { "nic.ring_size=512" };

	CU_ASSERT_EQUAL_FATAL(load("nics:\n"
				   "  - {name: a, nic: {ring_size: 1024}}\n"
				   "  - driver: {InterruptThrottleRate: 3}\n"
				   "driver: {reserve: 30}\n"
				   "workload:\n"
				   "  - {type: tcp_receive, device: eth1}\n"
				   "  - {type: udp_flood}\n"
				   "  - {type: udp_receive, burst: 4}\n",
				      set, 1),
		0);
	CU_ASSERT_EQUAL(scenario_devices(&scenario), 2);
	CU_ASSERT_STRING_EQUAL(scenario.devices[0].name, "a");
	CU_ASSERT_STRING_EQUAL(scenario.devices[1].name, "eth1");
	CU_ASSERT_EQUAL(scenario.devices[0].nic.ring_size, 1024);
	CU_ASSERT_EQUAL(scenario.devices[1].nic.ring_size, 512);
	CU_ASSERT_EQUAL(scenario.devices[0].driver.throttle_rate, 8000);
	CU_ASSERT_EQUAL(scenario.devices[1].driver.throttle_rate, 3);
	CU_ASSERT_EQUAL(scenario.devices[0].driver.reserve, 30);
	CU_ASSERT_EQUAL(scenario.devices[1].driver.reserve, 30);
	/* senders come first */
	CU_ASSERT_EQUAL(scenario.sender_count, 1);
	CU_ASSERT_STRING_EQUAL(scenario.workloads[0].type, "udp_flood");
	CU_ASSERT_STRING_EQUAL(scenario.workloads[1].type, "tcp_receive");
	CU_ASSERT_EQUAL(scenario_device_of(&scenario, &scenario.workloads[1]), 1);
	CU_ASSERT_EQUAL(scenario_device_of(&scenario, &scenario.workloads[2]), 0);
	CU_ASSERT_EQUAL(scenario.workloads[0].message_bytes, 1);
	CU_ASSERT_EQUAL(scenario.workloads[1].message_bytes, 1448);
	CU_ASSERT_EQUAL(scenario.workloads[1].quick_acks, 16);
	CU_ASSERT_EQUAL(scenario.workloads[2].message_bytes, 1472);
	CU_ASSERT_EQUAL(scenario.workloads[2].burst, 4);
	refused("nics:\n  - {nic: {ring_sise: 64}}\n", 2, "nic.ring_sise", "nic.ring_size");
	refused("nics:\n  - {nic: {ring_size: 100}}\n", 2, "ring_size", "multiple of 8");
	refused("nics:\n  - {nic: 3}\n", 2, "nics", "mapping");
	refused("nics: [{name: a}, {name: a}]\n", 0, "name: a", "two have it");
	refused("nics: [{driver: {reserve: 255}}]\n", 0, "driver.reserve", "256");
	refused("workload: [{device: eth7}]\n", 0, "eth7", "none of nics");
}

/* A stream needs two devices that nothing else uses; a receive buffer somebody who reads. */
static void a_stream_goes_from_one_nic_to_another(void)
{
	CU_ASSERT_EQUAL_FATAL(load("nics: [{name: a}, {name: b}, {name: c}]\n"
				   "workload:\n"
				   "  - {type: tcp_stream, device: c, from: b, stream_bytes: 9}\n"
				   "  - {type: udp_receive, reads: true}\n",
				      NULL, 0),
		0);
	CU_ASSERT_EQUAL(scenario_device_of(&scenario, &scenario.workloads[0]), 2);
	CU_ASSERT_EQUAL(scenario_from_of(&scenario, &scenario.workloads[0]), 1);
	CU_ASSERT_EQUAL(scenario.workloads[0].message_bytes, 1448);
	CU_ASSERT_EQUAL(scenario.workloads[0].write_bytes, 65536);
	CU_ASSERT_EQUAL(scenario.workloads[0].receive_buffer_bytes, 0);
	CU_ASSERT(scenario.workloads[0].reads && scenario.workloads[1].reads);
	refused("workload: [{type: tcp_stream}]\n", 0, "from: eth0", "from one of nics to another");
	refused("nics: [{}, {}]\nworkload: [{type: tcp_stream, from: x}]\n", 0, "from: x",
		"none of nics");
	refused("nics: [{}, {}]\nworkload: [{type: tcp_stream, from: eth1}, {device: eth1}]\n", 0,
		"tcp_stream", "eth1 and eth0");
	refused("host: {qdisc_limit: 63}\nnics: [{}, {}]\n"
		"workload: [{type: tcp_stream, from: eth1}]\n",
		0, "qdisc_limit: 63", "64 segments");
	refused("workload: [{type: udp_receive, receive_buffer_bytes: 9000}]\n", 0,
		"receive_buffer_bytes: 9000", "nobody reads");
	says("nics: [{}, {}]\nworkload: [{type: tcp_stream, from: eth1, burst: 2}]\n",
		"workload: burst: of tcp_receive|udp_receive; tcp_stream has none");
}

/*
 * Profile, checksum, byte queue limits and faults, too. What follows from a profile follows from
 * the device's own: of 2.6.35 a reserve of 20 and a wake-up at 32, and no BQL; of 6.1 22 and 32.
 */
static void several_nics_may_differ_in_everything(void)
{
	static const char *const set[] = { "nics.driver.checksum=false" };
	const struct scenario_device *a = &scenario.devices[0], *b = &scenario.devices[1];
	const char *yaml =
		"nic: {faults: [{type: irq_loss, at_s: 0.1}]}\n"
		"driver: {bql_limit_max: 9000}\n"
		"nics:\n"
		"  - nic: {faults: [{at_s: 0.2, duration_s: 3}, {type: writeback_loss}]}\n"
		"    driver: {profile: linux-2.6.35, checksum: false,\n"
		"             bql_limit_max: 1879048192}\n"
		"  - driver: {bql_limit_min: 3000}\n"
		"  - nic: {faults: []}\n";

	CU_ASSERT_EQUAL_FATAL(load(yaml, NULL, 0), 0);
	CU_ASSERT_STRING_EQUAL(a->driver.profile, "linux-2.6.35");
	CU_ASSERT_STRING_EQUAL(b->driver.profile, "linux-6.1");
	CU_ASSERT_EQUAL(a->driver.reserve, 20);
	CU_ASSERT_EQUAL(b->driver.reserve, 22);
	CU_ASSERT_FALSE(a->driver.checksum);
	CU_ASSERT(b->driver.checksum);
	CU_ASSERT_STRING_EQUAL(a->driver.bql, "off");
	CU_ASSERT_STRING_EQUAL(b->driver.bql, "on");
	CU_ASSERT_EQUAL(b->driver.bql_limit_min, 3000);
	CU_ASSERT_EQUAL(b->driver.bql_limit_max, 9000);
	CU_ASSERT_EQUAL_FATAL(a->nic.fault_count, 2);
	CU_ASSERT_STRING_EQUAL(a->nic.faults[0].type, "tx_stop");
	CU_ASSERT_EQUAL(a->nic.faults[0].duration_s, 3);
	CU_ASSERT_EQUAL(a->nic.faults[1].count, 1);
	CU_ASSERT_EQUAL_FATAL(b->nic.fault_count, 1);
	CU_ASSERT_STRING_EQUAL(b->nic.faults[0].type, "irq_loss");
	CU_ASSERT_EQUAL(b->nic.faults[0].count, 1);
	CU_ASSERT_EQUAL(scenario.devices[2].nic.fault_count, 0);

	/* --set of an item's key is for all of them, and they have it then */
	CU_ASSERT_EQUAL_FATAL(load("driver: {checksum: true}\nnics: [{}, {}]\n", set, 1), 0);
	CU_ASSERT_FALSE(a->driver.checksum || b->driver.checksum);
	CU_ASSERT(scenario.driver.checksum);

	refused("nics:\n  - nic: {faults: [{typ: x}]}\n", 2, "typ", "nearest is type");
	refused("nics:\n  - nic: {faults: 3}\n", 2, "nic.faults", "list");
	refused("nics:\n  - nic:\n      faults: [{duration_s: 1, type: irq_loss}]\n", 0,
		"duration_s", "irq_loss has none");
	refused("nics:\n  - driver: {bql: off, bql_limit_min: 1}\n", 0, "bql_limit_min", "off");
}

static const struct test_case cases[] = {
	{ "several NICs override what they name", several_nics_override_what_they_name },
	{ "several NICs may differ in everything", several_nics_may_differ_in_everything },
	{ "a stream goes from one NIC to another", a_stream_goes_from_one_nic_to_another },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "nics", cases, setup, teardown }, { 0 } };

	return test_main(argc, argv, suites);
}
