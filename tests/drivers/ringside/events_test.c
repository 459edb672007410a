/* SPDX-License-Identifier: BSD-3-Clause */
/* Who listens to a port's events. check_trace_points has what DPDK records. */
#include "ports.h"

#include <rte_trace.h>
#include <rte_trace_point.h>

static bool traced(const char *arguments)
{
	uint16_t port = probe(NAME, arguments);
	struct rte_eth_burst_mode mode;

	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL(rte_eth_tx_burst_mode_get(port, 0, &mode), 0);
	end(NAME, port);
	return strstr(mode.info, "untraced") == NULL;
}

static void the_points_are_registered(void)
{
	static const char *const names[] = { "start_xmit", "xmit", "done", "free", "receive",
		"stop", "wake", "irq" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char name[64];

		snprintf(name, sizeof(name), "pmd.net.ringside.%s", names[i]);
		CU_ASSERT_PTR_NOT_NULL(rte_trace_point_lookup(name));
	}
}

/* No packet is sent: this EAL has no memory for a trace. */
static void an_enabled_point_makes_the_port_traced(void)
{
	CU_ASSERT_FALSE(traced(""));
	CU_ASSERT(rte_trace_pattern("pmd.net.ringside.free", true) > 0);
	CU_ASSERT_TRUE(traced(""));
	CU_ASSERT(rte_trace_pattern("pmd.net.ringside.free", false) > 0);
	CU_ASSERT_FALSE(traced(""));
}

static const struct test_case cases[] = {
	{ "the points are registered", the_points_are_registered },
	{ "an enabled point makes the port traced", an_enabled_point_makes_the_port_traced },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "events", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
