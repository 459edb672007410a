/* SPDX-License-Identifier: BSD-3-Clause */
/* The port as a DPDK program sees it, through ethdev, in one process. */
#include "ports.h"

/* How many packets go in from one interrupt to the next, 10 ms later (itr=100). */
static unsigned packets_in_a_gap(const char *arguments, uint16_t ring)
{
	uint16_t port = probe(NAME, arguments);
	struct rte_mbuf *none[1];
	unsigned sent;

	start(port, 1, ring, pool);
	/* the first packet's interrupt opens a gap */
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	rte_delay_us_block(200);
	rte_eth_rx_burst(port, 0, none, 1);
	sent = fill(port);
	end(NAME, port);
	return sent;
}

static void the_ring_packs_where_the_driver_stops(void)
{
	static const struct {
		const char *arguments;
		uint16_t ring;
		unsigned packets; /* floor((ring - 1 - reserve) / descriptors) + 1 */
	} rows[] = {
		{ "profile=linux-2.6.35,itr=100,speed=0", 256, 236 },
		{ "profile=linux-2.6.35,itr=100,speed=0,checksum=always", 256, 118 },
		{ "profile=linux-2.6.35,itr=100,speed=0,checksum=always", 512, 246 },
		{ "profile=linux-6.1,itr=100,speed=0", 256, 234 },
		{ "profile=linux-6.1,itr=100,speed=0,checksum=always", 256, 117 },
		{ "profile=linux-6.1,itr=100,speed=0,reserve=100", 256, 156 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CU_ASSERT_EQUAL(packets_in_a_gap(rows[i].arguments, rows[i].ring), rows[i].packets);
}

static void what_is_looped_comes_back_in_order(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct rte_mbuf *packets[20];

	start(port, 1, 256, pool);
	for (uint8_t i = 0; i < 20; i++)
		CU_ASSERT_TRUE(send_one(port, 0, packet((uint16_t)(60 + i), i)));
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, packets, 20), 20);
	for (uint8_t i = 0; i < 20; i++) {
		const uint8_t *data = rte_pktmbuf_mtod(packets[i], const uint8_t *);

		CU_ASSERT_EQUAL(packets[i]->pkt_len, 60u + i);
		CU_ASSERT_EQUAL(packets[i]->port, port);
		CU_ASSERT_EQUAL(data[0], i);
		CU_ASSERT_EQUAL(data[59 + i], i);
		rte_pktmbuf_free(packets[i]);
	}
	end(NAME, port);
}

/* 64, 0 and 128 bytes, as testpmd's --txpkts=64,0,128 sends them. */
static void a_chain_is_one_packet(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct rte_mbuf *m = packet(64, 1), *got[1];

	start(port, 1, 256, pool);
	rte_pktmbuf_chain(m, packet(0, 0));
	rte_pktmbuf_chain(m, packet(128, 2));
	CU_ASSERT_TRUE(send_one(port, 0, m));
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1);
	CU_ASSERT_EQUAL(got[0]->pkt_len, 192);
	CU_ASSERT_EQUAL(rte_pktmbuf_mtod(got[0], uint8_t *)[63], 1);
	CU_ASSERT_EQUAL(rte_pktmbuf_mtod(got[0], uint8_t *)[64], 2);
	rte_pktmbuf_free(got[0]);
	end(NAME, port);
}

/* 5000 bytes need three buffers of 2048. */
static void a_large_frame_takes_several_buffers(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct rte_mbuf *m = packet(1500, 1), *got[1];

	start(port, 1, 256, pool);
	rte_pktmbuf_chain(m, packet(2000, 2));
	rte_pktmbuf_chain(m, packet(1500, 3));
	CU_ASSERT_TRUE(send_one(port, 0, m));
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1);
	CU_ASSERT_EQUAL(got[0]->pkt_len, 5000);
	CU_ASSERT_EQUAL(got[0]->nb_segs, 3);
	CU_ASSERT_EQUAL(got[0]->data_len, 2048);
	rte_pktmbuf_free(got[0]);
	end(NAME, port);
}

/* Over a peer it is copied twice: 9000 bytes, of which each has the number of its place. */
static void a_large_frame_reaches_a_peer(void)
{
	uint16_t a = probe(NAME, "wire=peer:" OTHER ",itr=0"), b = probe(OTHER, "itr=0");
	struct rte_mbuf *m = packet(1800, 0), *got[1], *none[1];
	uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz();
	uint8_t copy[9000];
	const uint8_t *data;

	for (int i = 1; i < 5; i++)
		rte_pktmbuf_chain(m, packet(1800, 0));
	for (uint32_t i = 0; i < 9000; i++) {
		struct rte_mbuf *segment = m;

		for (uint32_t before = i / 1800; before; before--)
			segment = segment->next;
		*rte_pktmbuf_mtod_offset(segment, uint8_t *, i % 1800) = (uint8_t)(i * 7);
	}
	start(a, 1, 256, pool);
	start(b, 1, 256, pool);
	CU_ASSERT_TRUE(send_one(a, 0, m));
	got[0] = NULL;
	while (!got[0] && rte_get_timer_cycles() < until) {
		CU_ASSERT_EQUAL(rte_eth_rx_burst(a, 0, none, 1), 0);
		rte_eth_rx_burst(b, 0, got, 1);
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(got[0]);
	CU_ASSERT_EQUAL(got[0]->nb_segs, 5); /* of 2048 */
	CU_ASSERT_EQUAL_FATAL(got[0]->pkt_len, 9000);
	data = rte_pktmbuf_read(got[0], 0, 9000, copy);
	for (uint32_t i = 0; i < 9000; i++)
		CU_ASSERT_EQUAL_FATAL(data[i], (uint8_t)(i * 7));
	rte_pktmbuf_free(got[0]);
	CU_ASSERT_EQUAL(rte_eth_dev_stop(b), 0);
	CU_ASSERT_EQUAL(rte_vdev_uninit(OTHER), 0);
	end(NAME, a);
}

/* 41 buffers are more than dev_info promises; the packet is taken and counted, not kept for ever.
 */
static void a_chain_that_never_fits_is_refused(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct rte_mbuf *m = packet(60, 1), *got[1];
	struct rte_eth_stats stats;

	start(port, 1, 64, pool);
	for (int i = 0; i < 40; i++)
		rte_pktmbuf_chain(m, packet(1, 2));
	CU_ASSERT_TRUE(send_one(port, 0, m));
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 3)));
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1);
	CU_ASSERT_EQUAL(rte_pktmbuf_mtod(got[0], uint8_t *)[0], 3);
	rte_pktmbuf_free(got[0]);
	CU_ASSERT_EQUAL(rte_eth_stats_get(port, &stats), 0);
	CU_ASSERT_EQUAL(stats.oerrors, 1);
	CU_ASSERT_EQUAL(stats.opackets, 1);
	end(NAME, port);
}

static void peers_reach_each_other(void)
{
	uint16_t a = probe(NAME, "wire=peer:" OTHER ",itr=0"),
		 b = probe(OTHER, "wire=peer:" NAME ",itr=0");
	struct rte_mbuf *got[1];

	start(a, 1, 256, pool);
	start(b, 1, 256, pool);
	for (uint8_t i = 1; i < 10; i++) {
		uint16_t from = i % 2 ? a : b, to = i % 2 ? b : a;
		struct rte_mbuf *none[1];
		uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz();
		unsigned received = 0;

		CU_ASSERT_TRUE(send_one(from, 0, packet(100, i)));
		while (!received && rte_get_timer_cycles() < until) {
			CU_ASSERT_EQUAL(rte_eth_rx_burst(from, 0, none, 1),
				0); /* the sender's clock goes on */
			received = rte_eth_rx_burst(to, 0, got, 1);
		}
		CU_ASSERT_EQUAL_FATAL(received, 1);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(got[0], uint8_t *)[99], i);
		rte_pktmbuf_free(got[0]);
	}
	CU_ASSERT_EQUAL(rte_eth_dev_stop(b), 0);
	CU_ASSERT_EQUAL(rte_vdev_uninit(OTHER), 0);
	end(NAME, a);
}

static void what_is_in_flight_at_a_stop_is_freed_once(void)
{
	uint16_t port = probe(NAME, "itr=100,speed=10");

	start(port, 1, 256, pool);
	CU_ASSERT(fill(port) > 100);
	CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(pool), POOL);
	/* and again, with the same rings */
	CU_ASSERT_EQUAL(rte_eth_dev_start(port), 0);
	CU_ASSERT(fill(port) > 100);
	end(NAME, port);
	/* the name is free again */
	port = probe(NAME, "wire=loop");
	start(port, 2, 64, pool);
	end(NAME, port);
}

/* 64 descriptors want 63 buffers; with 20 the port works, and says how often it lacked some. */
static void a_pool_smaller_than_the_ring_will_do(void)
{
	struct rte_mempool *small = rte_pktmbuf_pool_create(
		"small", 20, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	uint16_t port = probe(NAME, "wire=loop,itr=0");
	struct rte_mbuf *got[1];
	struct rte_eth_stats stats;

	start(port, 1, 64, small);
	for (uint8_t i = 0; i < 100; i++) {
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, i)));
		CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1);
		CU_ASSERT_EQUAL(rte_pktmbuf_mtod(got[0], uint8_t *)[0], i);
		rte_pktmbuf_free(got[0]);
	}
	CU_ASSERT_EQUAL(rte_eth_stats_get(port, &stats), 0);
	CU_ASSERT_EQUAL(stats.ipackets, 100);
	CU_ASSERT(stats.rx_nombuf > 0);
	end(NAME, port);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(small), 20);
	rte_mempool_free(small);
}

static void missed_frames_are_counted(void)
{
	uint16_t port = probe(NAME, "wire=loop,itr=0,speed=0");
	struct rte_mbuf *got[128];
	struct rte_eth_stats stats;

	start(port, 1, 64, pool); /* 63 buffers, nobody takes them out */
	for (int i = 0; i < 100; i++) {
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
		rte_delay_us_block(20);
		CU_ASSERT(rte_eth_tx_done_cleanup(port, 0, 0) >= 0);
	}
	CU_ASSERT_EQUAL(rte_eth_rx_queue_count(port, 0), 63);
	CU_ASSERT_EQUAL(rte_eth_stats_get(port, &stats), 0);
	CU_ASSERT_EQUAL(stats.imissed, 37);
	CU_ASSERT_EQUAL(receive(port, 0, got, 63), 63);
	rte_pktmbuf_free_bulk(got, 63);
	CU_ASSERT_EQUAL(rte_eth_stats_reset(port), 0);
	CU_ASSERT_EQUAL(rte_eth_stats_get(port, &stats), 0);
	CU_ASSERT_EQUAL(stats.imissed, 0);
	CU_ASSERT_EQUAL(stats.opackets, 0);
	end(NAME, port);
}

static void limits_are_those_of_the_driver(void)
{
	uint16_t port = probe(NAME, "");
	struct rte_eth_conf config = { 0 };
	struct rte_eth_dev_info info;

	CU_ASSERT_EQUAL(rte_eth_dev_info_get(port, &info), 0);
	CU_ASSERT_EQUAL(info.tx_desc_lim.nb_min, 64);
	CU_ASSERT_EQUAL(info.tx_desc_lim.nb_max, 4096);
	CU_ASSERT_EQUAL(info.tx_desc_lim.nb_align, 8);
	CU_ASSERT_EQUAL(info.max_tx_queues, 4);
	CU_ASSERT(rte_eth_dev_configure(port, 5, 5, &config) < 0);
	CU_ASSERT_EQUAL(rte_eth_dev_configure(port, 1, 1, &config), 0);
	CU_ASSERT(rte_eth_tx_queue_setup(port, 0, 100, 0, NULL) < 0);
	CU_ASSERT(rte_eth_tx_queue_setup(port, 0, 56, 0, NULL) < 0);
	CU_ASSERT(rte_eth_tx_queue_setup(port, 0, 4104, 0, NULL) < 0);
	info.default_txconf.tx_rs_thresh = 32; /* this profile has no such threshold */
	CU_ASSERT(rte_eth_tx_queue_setup(port, 0, 256, 0, &info.default_txconf) < 0);
	info.default_txconf.tx_rs_thresh = 1;
	CU_ASSERT_EQUAL(rte_eth_tx_queue_setup(port, 0, 256, 0, &info.default_txconf), 0);
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
}

static void bad_arguments_are_refused(void)
{
	static const char *const arguments[] = { "itr=2", "itr=5", "itr=99", "itr=100001",
		"itr=fast", "itr=", "speed=9", "speed=100001", "profile=linux-1.0", "tidv=65536",
		"tidv=-1", "clean=often", "wire=rope", "wire=peer:", "checksum=maybe", "no_such=1",
		"itr=1000,itr=500", "seed=x", "reserve=1001" };

	test_leaks_allow();
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		uint16_t port;

		CU_ASSERT(rte_vdev_init(NAME, arguments[i]) < 0);
		CU_ASSERT(rte_eth_dev_get_port_by_name(NAME, &port) < 0);
	}
}

static void transmit_descriptors_tell_their_state(void)
{
	uint16_t port = probe(NAME, "itr=100,speed=10,clean=lazy");

	start(port, 1, 64, pool);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 63), RTE_ETH_TX_DESC_DONE);
	for (int i = 0; i < 3; i++) /* 67 us on the wire each */
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 63), RTE_ETH_TX_DESC_FULL);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 0), RTE_ETH_TX_DESC_DONE);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 60), RTE_ETH_TX_DESC_DONE);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 64), -EINVAL);
	rte_delay_us_block(1000);
	CU_ASSERT_EQUAL(rte_eth_tx_descriptor_status(port, 0, 63), RTE_ETH_TX_DESC_DONE);
	end(NAME, port);
}

static const struct test_case cases[] = {
	{ "limits are those of the driver", limits_are_those_of_the_driver },
	{ "bad arguments are refused", bad_arguments_are_refused },
	{ "the ring packs where the driver stops", the_ring_packs_where_the_driver_stops },
	{ "what is looped comes back in order", what_is_looped_comes_back_in_order },
	{ "a chain is one packet", a_chain_is_one_packet },
	{ "a large frame takes several buffers", a_large_frame_takes_several_buffers },
	{ "a large frame reaches a peer", a_large_frame_reaches_a_peer },
	{ "a chain that never fits is refused", a_chain_that_never_fits_is_refused },
	{ "peers reach each other", peers_reach_each_other },
	{ "what is in flight at a stop is freed once", what_is_in_flight_at_a_stop_is_freed_once },
	{ "a pool smaller than the ring will do", a_pool_smaller_than_the_ring_will_do },
	{ "missed frames are counted", missed_frames_are_counted },
	{ "transmit descriptors tell their state", transmit_descriptors_tell_their_state },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "ethdev", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
