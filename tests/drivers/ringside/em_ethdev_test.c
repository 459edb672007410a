/* SPDX-License-Identifier: BSD-3-Clause */
/* profile=dpdk-em through ethdev: its room, its thresholds, when it cleans. */
#include "ports.h"

/* A frame of 1514 bytes takes 1.2 ms at 10 Mbit/s, a batch of 32 is done after 39 ms. */
static unsigned packets_that_fit(const char *arguments)
{
	uint16_t port = probe(NAME, arguments);
	unsigned sent = 0;

	start(port, 1, 256, pool);
	while (sent < POOL && send_one(port, 0, packet(1514, 0)))
		sent++;
	end(NAME, port);
	return sent;
}

/* All but one of 256; with a checksum on each one context less, that of the first. */
static void the_ring_takes_all_but_one(void)
{
	CU_ASSERT_EQUAL(packets_that_fit("profile=dpdk-em,speed=10"), 255);
	CU_ASSERT_EQUAL(packets_that_fit("profile=dpdk-em,speed=10,checksum=always"), 254);
}

static uint64_t cleaned(uint16_t port)
{
	uint64_t id, value = 0;

	CU_ASSERT_EQUAL(rte_eth_xstats_get_id_by_name(port, "tx0_cleaned_packets", &id), 0);
	CU_ASSERT_EQUAL(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

/* Sends so many more, each in a burst of its own. Returns how many have been cleaned by then. */
static uint64_t cleaned_after(uint16_t port, unsigned packets)
{
	for (unsigned i = 0; i < packets; i++)
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	return cleaned(port);
}

/* 224 used leave 31, which is less than 32: the next burst takes a batch back, and no more. */
static void it_cleans_a_batch_below_the_threshold(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,speed=0");

	start(port, 1, 256, pool);
	CU_ASSERT_EQUAL(cleaned_after(port, 224), 0);
	CU_ASSERT_EQUAL(cleaned_after(port, 1), 32);
	CU_ASSERT_EQUAL(cleaned_after(port, 31), 32);
	CU_ASSERT_EQUAL(cleaned_after(port, 1), 64);
	end(NAME, port);
}

static void lazy_it_cleans_a_batch_when_it_is_full(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,speed=0,clean=lazy");

	start(port, 1, 256, pool);
	CU_ASSERT_EQUAL(cleaned_after(port, 255), 0);
	CU_ASSERT_EQUAL(cleaned_after(port, 1), 32);
	CU_ASSERT_EQUAL(cleaned_after(port, 31), 32);
	CU_ASSERT_EQUAL(cleaned_after(port, 1), 64);
	end(NAME, port);
}

/* The report of the first batch makes an interrupt, and nothing is throttled. */
static void by_interrupt_it_cleans_what_is_reported(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,speed=0,clean=irq,itr=0");
	struct rte_mbuf *none[1];

	start(port, 1, 256, pool);
	CU_ASSERT_EQUAL(cleaned_after(port, 32), 0);
	rte_delay_us_block(20);
	rte_eth_rx_burst(port, 0, none, 1);
	CU_ASSERT_EQUAL(cleaned(port), 32);
	CU_ASSERT_EQUAL(cleaned_after(port, 31), 32);
	end(NAME, port);
}

static int set_up(uint16_t port, uint16_t rs, uint16_t free_threshold, uint8_t wthresh)
{
	struct rte_eth_txconf config = {
		.tx_rs_thresh = rs, .tx_free_thresh = free_threshold, .tx_thresh.wthresh = wthresh
	};

	return rte_eth_tx_queue_setup(port, 0, 256, 0, &config);
}

/* em_test.c has each rule. */
static void thresholds_keep_intel_s_rules(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em");
	struct rte_eth_conf config = { 0 };
	struct rte_eth_txq_info info;

	CU_ASSERT_EQUAL(rte_eth_dev_configure(port, 1, 1, &config), 0);
	CU_ASSERT_EQUAL(set_up(port, 64, 32, 0), -EINVAL);
	CU_ASSERT_EQUAL(set_up(port, 24, 32, 0), -EINVAL);
	CU_ASSERT_EQUAL(set_up(port, 32, 253, 0), -EINVAL);
	CU_ASSERT_EQUAL(set_up(port, 32, 32, 1), -EINVAL);
	CU_ASSERT_EQUAL(set_up(port, 1, 32, 1), 0);
	CU_ASSERT_EQUAL(rte_eth_tx_queue_setup(port, 0, 256, 0, NULL), 0);
	CU_ASSERT_EQUAL(rte_eth_tx_queue_info_get(port, 0, &info), 0);
	CU_ASSERT_EQUAL(info.conf.tx_rs_thresh, 32);
	CU_ASSERT_EQUAL(info.conf.tx_free_thresh, 32);
	CU_ASSERT_EQUAL(set_up(port, 16, 64, 0), 0);
	CU_ASSERT_EQUAL(rte_eth_tx_queue_info_get(port, 0, &info), 0);
	CU_ASSERT_EQUAL(info.conf.tx_rs_thresh, 16);
	CU_ASSERT_EQUAL(info.conf.tx_free_thresh, 64);
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
}

static void a_queue_that_never_stops_has_no_reserve(void)
{
	test_leaks_allow();
	CU_ASSERT(rte_vdev_init(NAME, "profile=dpdk-em,reserve=20") < 0);
	CU_ASSERT(rte_vdev_init(NAME, "reserve=0,profile=dpdk-em") < 0);
}

/* Of 40 packets the first 32 are reported. Offset 256 - 40 is the oldest. */
static void descriptors_are_done_with_their_report(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,speed=0");

	start(port, 1, 256, pool);
	cleaned_after(port, 40);
	rte_delay_us_block(20);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 256 - 40), RTE_ETH_TX_DESC_DONE);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 256 - 9), RTE_ETH_TX_DESC_DONE);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 256 - 8), RTE_ETH_TX_DESC_FULL);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 255), RTE_ETH_TX_DESC_FULL);
	CU_ASSERT_EQUAL(rte_eth_tx_done_cleanup(port, 0, 10), 10);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 256 - 30), RTE_ETH_TX_DESC_DONE);
	CU_ASSERT_EQUAL(rte_eth_tx_done_cleanup(port, 0, 0), 22);
	end(NAME, port);
}

/* Chains of 1 to 3 through a ring of 64, whose batches are of 16, and none is lost. */
static void it_never_wedges(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,wire=loop,itr=0");
	uint64_t until = rte_get_timer_cycles() + 10 * rte_get_timer_hz();
	unsigned sent = 0, received = 0;

	start(port, 1, 64, pool);
	while (received < 5000 && rte_get_timer_cycles() < until) {
		struct rte_mbuf *m = packet(60, 0), *got[32];
		unsigned count;

		for (unsigned i = 0; i < sent % 3; i++)
			rte_pktmbuf_chain(m, packet(10, 0));
		if (sent == 5000)
			rte_pktmbuf_free(m);
		else if (send_one(port, 0, m))
			sent++;
		count = rte_eth_rx_burst(port, 0, got, 32);
		received += count;
		rte_pktmbuf_free_bulk(got, count);
	}
	CU_ASSERT_EQUAL(sent, 5000);
	CU_ASSERT_EQUAL(received, 5000);
	end(NAME, port);
}

/* 31 packets without a report leave 63 - 31 = 32 descriptors: a chain of 33 is one too many. */
static void a_chain_that_could_never_fit_is_refused(void)
{
	uint16_t port = probe(NAME, "profile=dpdk-em,speed=0");
	struct rte_eth_txconf thresholds = { .tx_rs_thresh = 32, .tx_free_thresh = 32 };
	struct rte_mbuf *chain = packet(60, 0);
	struct rte_eth_stats stats;

	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	CU_ASSERT_EQUAL(rte_eth_tx_queue_setup(port, 0, 64, 0, &thresholds), 0);
	CU_ASSERT_EQUAL(rte_eth_dev_start(port), 0);
	cleaned_after(port, 31);
	for (int i = 0; i < 32; i++)
		rte_pktmbuf_chain(chain, packet(1, 0));
	CU_ASSERT_TRUE(send_one(port, 0, chain));
	CU_ASSERT_EQUAL(rte_eth_stats_get(port, &stats), 0);
	CU_ASSERT_EQUAL(stats.oerrors, 1);
	CU_ASSERT_EQUAL(stats.opackets, 31);
	end(NAME, port);
}

static const struct test_case cases[] = {
	{ "the ring takes all but one", the_ring_takes_all_but_one },
	{ "it cleans a batch below the threshold", it_cleans_a_batch_below_the_threshold },
	{ "lazy, it cleans a batch when it is full", lazy_it_cleans_a_batch_when_it_is_full },
	{ "by interrupt it cleans what is reported", by_interrupt_it_cleans_what_is_reported },
	{ "thresholds keep Intel's rules", thresholds_keep_intel_s_rules },
	{ "a queue that never stops has no reserve", a_queue_that_never_stops_has_no_reserve },
	{ "descriptors are done with their report", descriptors_are_done_with_their_report },
	{ "it never wedges", it_never_wedges },
	{ "a chain that could never fit is refused", a_chain_that_could_never_fit_is_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "em", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
