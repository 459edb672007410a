/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver by the rules of DPDK's em: batches, reused contexts, a queue that never stops. */
#include "bench.h"

static struct bench bench;

/* A batch is of `rs` descriptors; xmit cleans for itself, as with clean=threshold. */
static void start(uint16_t ring_size, uint16_t rs)
{
	struct e1000e_config config = bench_config(&bench);

	config.ring_size = ring_size;
	config.reserve = 0;
	config.wake_threshold = 0;
	config.context_reused = true;
	config.never_stops = true;
	config.cleans_itself = true;
	config.rs_threshold = rs;
	bench_open(&bench, &config);
}

/* Sends the packet until it is refused. Returns how often it was taken. */
static unsigned fill(struct rte_mbuf *packet)
{
	unsigned sent = 0;

	while (sent < 1000 && e1000e_xmit(bench.port, 0, packet, 0) == E1000E_TX_OK)
		sent++;
	return sent;
}

static void send(struct rte_mbuf *packet)
{
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, packet, 0), E1000E_TX_OK);
}

static bool asks_for_report(uint16_t index)
{
	return bench.port->tx.desc[index].data.cmd_length & TXD_CMD_RS;
}

/* One descriptor always stays empty: nb_tx_free begins at 256 - 1. */
static void the_ring_takes_all_but_one(void)
{
	start(256, 32);
	CU_ASSERT_EQUAL(fill(bench_packet(&bench, 0, 60)), 255);
	CU_ASSERT_FALSE(bench.port->tx.stopped);
	CU_ASSERT_EQUAL(bench.port->stats.stops, 0);
	CU_ASSERT_EQUAL(bench.port->stats.busy, 1);
	CU_ASSERT_EQUAL(
		bench.event_count, 255); /* starts only: what is refused was never started */
	bench_close(&bench);
}

/* 255 = 1 context + 254 packets of one descriptor. */
static void one_context_serves_equal_packets(void)
{
	start(256, 32);
	CU_ASSERT_EQUAL(fill(bench_udp(&bench, 0, 60)), 254);
	bench_close(&bench);
}

static void checksum_always_makes_all_packets_ask(void)
{
	struct e1000e_config config;

	start(256, 32);
	config = bench.port->config;
	bench_close(&bench);
	config.context_always = true;
	bench_open(&bench, &config);
	CU_ASSERT_EQUAL(fill(bench_packet(&bench, 0, 60)), 254);
	CU_ASSERT_EQUAL(bench.port->tx.desc[1].data.status, 0x200);
	bench_close(&bench);
}

/* Alternating, each takes a context and itself: floor(255 / 2) = 127. */
static void each_change_takes_a_context(void)
{
	struct rte_mbuf *udp = bench_udp(&bench, 0, 60), *tcp = bench_udp(&bench, 1, 60);
	unsigned sent = 0;

	tcp->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM;
	start(256, 32);
	while (e1000e_xmit(bench.port, 0, sent % 2 ? tcp : udp, 0) == E1000E_TX_OK)
		sent++;
	CU_ASSERT_EQUAL(sent, 127);
	bench_close(&bench);
}

/* em_rxtx.c, what_ctx_update: flags, l2_len and l3_len are compared, l4_len is not. */
static void a_context_holds_until_the_offload_changes(void)
{
	struct rte_mbuf *udp = bench_udp(&bench, 0, 60), *plain = bench_packet(&bench, 1, 60);
	struct rte_mbuf *other = bench_udp(&bench, 2, 60);
	const struct e1000e_tx_ring *ring;

	start(256, 32);
	ring = &bench.port->tx;
	send(udp);
	CU_ASSERT_EQUAL(ring->next_to_use, 2);
	send(udp);
	CU_ASSERT_EQUAL(ring->next_to_use, 3);
	send(plain); /* asks for nothing: the device keeps the context */
	CU_ASSERT_EQUAL(ring->next_to_use, 4);
	other->l4_len = 8;
	send(other);
	CU_ASSERT_EQUAL(ring->next_to_use, 5);
	other->l3_len = 24;
	send(other);
	CU_ASSERT_EQUAL(ring->next_to_use, 7);
	other->l2_len = 18;
	send(other);
	CU_ASSERT_EQUAL(ring->next_to_use, 9);
	other->ol_flags |= RTE_MBUF_F_TX_IP_CKSUM;
	send(other);
	CU_ASSERT_EQUAL(ring->next_to_use, 11);
	send(udp);
	CU_ASSERT_EQUAL(ring->next_to_use, 13);
	bench_close(&bench);
}

/*
 * 82574 datasheet, 7.2.11: the IP header is at 14 (0x0e), its checksum at 14 + 10 = 24 (0x18), its
 * end at 14 + 20 - 1 = 33 (0x21); UDP as in tx_test.c. TUCMD has IP in bit 25. POPTS: TXSM and
 * IXSM.
 */
static void an_ip_checksum_is_in_the_context_too(void)
{
	static const uint8_t context[16] = { 0x0e, 0x18, 0x21, 0, 0x22, 0x28, 0, 0, 0, 0, 0, 0x22 };
	struct rte_mbuf *packet = bench_udp(&bench, 0, 60);

	start(256, 32);
	packet->ol_flags |= RTE_MBUF_F_TX_IP_CKSUM;
	send(packet);
	CU_ASSERT_EQUAL(memcmp(&bench.port->tx.desc[0], context, 16), 0);
	CU_ASSERT_EQUAL(bench.port->tx.desc[1].data.status, 0x300);
	/* only the IP header's: no place for another checksum */
	packet->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
	send(packet);
	CU_ASSERT_EQUAL(bench.port->tx.desc[2].context.tucso, 0);
	CU_ASSERT_EQUAL(bench.port->tx.desc[3].data.status, 0x100);
	bench_close(&bench);
}

/* 255 used, so no room for the new context, and the old one still holds. */
static void a_refused_packet_changes_no_context(void)
{
	struct rte_mbuf *udp = bench_udp(&bench, 0, 60), *other = bench_udp(&bench, 1, 60);
	uint64_t context;

	start(256, 32);
	send(udp);
	context = bench.port->tx.context;
	for (int i = 0; i < 252; i++) /* 254 used */
		send(udp);
	other->l3_len = 24;
	CU_ASSERT_EQUAL(e1000e_xmit(bench.port, 0, other, 0), E1000E_TX_BUSY);
	CU_ASSERT_EQUAL(bench.port->tx.context, context);
	send(udp);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_use, 255);
	bench_close(&bench);
}

/* Descriptors 31, 63, ... 223: seven batches of 32, and 31 descriptors behind them. */
static void one_in_each_batch_asks_for_a_report(void)
{
	start(256, 32);
	fill(bench_packet(&bench, 0, 60));
	for (uint16_t i = 0; i < 255; i++)
		CU_ASSERT_EQUAL(asks_for_report(i), i % 32 == 31);
	CU_ASSERT_EQUAL(bench.port->tx.unreported, 224);
	CU_ASSERT_EQUAL(bench.port->tx.unreported_count, 31);
	bench_close(&bench);
}

/* Packets of three end at 2, 5, 8: the third makes 9, which is 8 or more. Then again from 9 on. */
static void a_report_is_asked_for_at_the_end_of_a_packet(void)
{
	struct rte_mbuf *packet = bench_packet(&bench, 0, 60);

	bench_append(packet, bench_packet(&bench, 1, 60));
	bench_append(packet, bench_packet(&bench, 2, 60));
	start(64, 8);
	for (int i = 0; i < 6; i++)
		send(packet);
	for (uint16_t i = 0; i < 18; i++)
		CU_ASSERT_EQUAL(asks_for_report(i), i == 8 || i == 17);
	bench_complete(&bench, 8);
	CU_ASSERT_EQUAL(e1000e_clean_batch(bench.port, 0, 0), 3);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 9);
	bench_close(&bench);
}

static void a_batch_is_freed_with_its_report(void)
{
	start(256, 32);
	for (unsigned i = 0; i < 64; i++)
		send(bench_packet(&bench, i % BENCH_PACKETS, 60));
	for (uint16_t i = 0; i < 31; i++) /* done, but nobody was told so */
		bench_complete(&bench, i);
	CU_ASSERT_EQUAL(e1000e_clean_batch(bench.port, 0, 0), 0);
	bench_complete(&bench, 31);
	bench_complete(&bench, 63);
	CU_ASSERT_EQUAL(e1000e_clean_batch(bench.port, 0, 0), 32);
	CU_ASSERT_EQUAL(bench.port->tx.next_to_clean, 32);
	CU_ASSERT_EQUAL(bench.freed_count, 32);
	for (unsigned i = 0; i < 32; i++)
		CU_ASSERT_PTR_EQUAL(bench.freed[i], &bench.packets[i % BENCH_PACKETS]);
	/* one by one, as tx_done_cleanup does it; then the rest of that batch */
	for (int i = 0; i < 10; i++)
		CU_ASSERT_TRUE(e1000e_clean_packet(bench.port, 0, 0));
	CU_ASSERT_EQUAL(e1000e_clean_batch(bench.port, 0, 0), 22);
	CU_ASSERT_EQUAL(e1000e_clean_batch(bench.port, 0, 0), 0);
	bench_close(&bench);
}

/* All are sent; nothing says so before more are. */
static void what_has_no_report_stays(void)
{
	start(64, 32);
	for (uint16_t i = 0; i < 31; i++) {
		send(bench_packet(&bench, 0, 60));
		bench_complete(&bench, i);
	}
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 0);
	send(bench_packet(&bench, 0, 60));
	bench_complete(&bench, 31);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 32);
	bench_close(&bench);
}

static void xmit_takes_back_as_many_batches_as_it_needs(void)
{
	struct rte_mbuf *packet = bench_packet(&bench, 0, 60);

	start(256, 32);
	CU_ASSERT_EQUAL(fill(packet), 255);
	bench_complete(&bench, 31);
	bench_complete(&bench, 63);
	send(packet);
	CU_ASSERT_EQUAL(bench.freed_count, 32);
	CU_ASSERT_EQUAL(e1000e_desc_unused(&bench.port->tx), 31);
	CU_ASSERT_EQUAL(fill(packet), 31 + 32);
	CU_ASSERT_EQUAL(bench.freed_count, 64);
	bench_close(&bench);
}

/* Where somebody else cleans (clean=irq), a full ring refuses whatever is done. */
static void without_cleans_itself_xmit_takes_nothing_back(void)
{
	struct rte_mbuf *packet = bench_packet(&bench, 0, 60);

	start(256, 32);
	bench.port->config.cleans_itself = false;
	fill(packet);
	bench_complete(&bench, 31);
	CU_ASSERT_EQUAL(fill(packet), 0);
	CU_ASSERT_EQUAL(bench_clean(&bench, 0), 32);
	CU_ASSERT_EQUAL(fill(packet), 32);
	bench_close(&bench);
}

/* 3000 packets of 1 to 3 descriptors around a ring of 64: each is freed, in order. */
static void batches_go_around_the_ring(void)
{
	unsigned sent = 0, freed = 0;

	start(64, 16);
	while (sent < 3000) {
		struct rte_mbuf *packet = bench_packet(&bench, sent % 3, 60);

		for (unsigned i = 0; i < sent % 3; i++)
			bench_append(packet, bench_packet(&bench, 3 + i, 60));
		for (uint16_t i = 0; i < 64; i++) {
			if (asks_for_report(i))
				bench_complete(&bench, i);
		}
		send(packet);
		sent++;
		for (unsigned i = 0; i < bench.freed_count; i++)
			CU_ASSERT_PTR_EQUAL(bench.freed[i], &bench.packets[(freed + i) % 3]);
		freed += bench.freed_count;
		bench.freed_count = 0;
	}
	CU_ASSERT_EQUAL(freed, bench.port->stats.packets);
	CU_ASSERT(sent - freed <= 63);
	bench_close(&bench);
	CU_ASSERT_EQUAL(freed + bench.freed_count, sent);
}

/* 20 packets without RS, in a ring of 64 with batches of 32: 63 - 20 = 43 is the most. */
static void what_could_never_fit_is_known(void)
{
	struct rte_mbuf *packet = bench_packet(&bench, 0, 60);

	start(64, 32);
	for (int i = 0; i < 20; i++)
		send(packet);
	packet->nb_segs = 43;
	CU_ASSERT_FALSE(e1000e_never_fits(bench.port, packet));
	packet->nb_segs = 44;
	CU_ASSERT_TRUE(e1000e_never_fits(bench.port, packet));
	packet->nb_segs = 43;
	packet->ol_flags = RTE_MBUF_F_TX_UDP_CKSUM; /* and a context */
	CU_ASSERT_TRUE(e1000e_never_fits(bench.port, packet));
	packet->nb_segs = 1;
	bench_close(&bench);
}

static void the_device_is_told(void)
{
	struct e1000e_config config;

	start(256, 32);
	CU_ASSERT_EQUAL(bench.registers[REG_IMS / 4] & ICR_TXDW, 0);
	config = bench.port->config;
	bench_close(&bench);
	config.rs_threshold = 1;
	config.wthresh = 5;
	bench_open(&bench, &config);
	CU_ASSERT_EQUAL(bench.registers[REG_TXDCTL / 4], 5u << 16);
	bench_close(&bench);
}

static void thresholds_have_defaults(void)
{
	static const struct {
		uint16_t ring, rs, free, is_rs, is_free;
	} rows[] = {
		{ 256, 0, 0, 32, 32 },
		{ 64, 0, 0, 16, 16 }, /* a quarter of 64 */
		{ 72, 0, 0, 18, 18 }, /* a quarter of 72, a divisor */
		{ 104, 0, 0, 26, 26 },
		{ 200, 0, 0, 25, 32 }, /* 26 to 32 are no divisors */
		{ 256, 0, 5, 4, 5 },
		{ 256, 64, 64, 64, 64 },
		{ 256, 1, 252, 1, 252 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct e1000e_thresholds t = { rows[i].rs, rows[i].free, 0 };

		CU_ASSERT_PTR_NULL(
			e1000e_thresholds_set(&t, e1000e_profile_find("dpdk-em"), rows[i].ring));
		CU_ASSERT_EQUAL(t.rs, rows[i].is_rs);
		CU_ASSERT_EQUAL(t.free, rows[i].is_free);
	}
}

static void thresholds_that_break_a_rule_are_refused(void)
{
	static const struct {
		struct e1000e_thresholds thresholds; /* rs, free, wthresh; of a ring of 256 */
		const char *rule;
	} rows[] = {
		{ { 32, 253, 0 }, "tx_free_thresh must be less than the number of descriptors" },
		{ { 254, 32, 0 }, "tx_rs_thresh must be less than the number of descriptors" },
		{ { 64, 32, 0 }, "tx_rs_thresh must be less than or equal to tx_free_thresh" },
		{ { 24, 32, 0 }, "tx_rs_thresh must be a divisor" },
		{ { 32, 32, 1 }, "wthresh must be 0" },
		{ { 1, 32, 64 }, "wthresh must be less than 64" },
	};
	struct e1000e_thresholds allowed = { 1, 32, 63 };
	const struct e1000e_profile *em = e1000e_profile_find("dpdk-em");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct e1000e_thresholds t = rows[i].thresholds;
		const char *rule = e1000e_thresholds_set(&t, em, 256);

		CU_ASSERT_PTR_NOT_NULL_FATAL(rule);
		CU_ASSERT_EQUAL(strncmp(rule, rows[i].rule, strlen(rows[i].rule)), 0);
	}
	CU_ASSERT_PTR_NULL(e1000e_thresholds_set(&allowed, em, 256));
}

/* Linux's driver has each packet reported: another threshold has no meaning there. */
static void where_each_packet_is_reported_rs_is_1(void)
{
	static const char *const names[] = { "linux-2.6.35", "linux-6.1" };

	for (size_t i = 0; i < 2; i++) {
		const struct e1000e_profile *profile = e1000e_profile_find(names[i]);
		struct e1000e_thresholds t = { 0, 0, 63 }, one = { 1, 100, 0 }, two = { 2, 32, 0 };
		const char *rule = e1000e_thresholds_set(&two, profile, 256);

		CU_ASSERT_PTR_NULL(e1000e_thresholds_set(&t, profile, 256));
		CU_ASSERT_EQUAL(t.rs, 1);
		CU_ASSERT_EQUAL(t.free, 32);
		CU_ASSERT_PTR_NULL(e1000e_thresholds_set(&one, profile, 256));
		CU_ASSERT_EQUAL(one.free, 100);
		CU_ASSERT_PTR_NOT_NULL_FATAL(rule);
		CU_ASSERT_PTR_NOT_NULL(strstr(rule, "tx_rs_thresh must be 0 or 1"));
	}
}

static const struct test_case post[] = {
	{ "the ring takes all but one", the_ring_takes_all_but_one },
	{ "one context serves equal packets", one_context_serves_equal_packets },
	{ "checksum=always makes all packets ask", checksum_always_makes_all_packets_ask },
	{ "each change takes a context", each_change_takes_a_context },
	{ "a context holds until the offload changes", a_context_holds_until_the_offload_changes },
	{ "an IP checksum is in the context too", an_ip_checksum_is_in_the_context_too },
	{ "a refused packet changes no context", a_refused_packet_changes_no_context },
	{ "one in each batch asks for a report", one_in_each_batch_asks_for_a_report },
	{ "a report is asked for at the end of a packet",
		a_report_is_asked_for_at_the_end_of_a_packet },
	{ "what could never fit is known", what_could_never_fit_is_known },
	{ 0 },
};

static const struct test_case batches[] = {
	{ "a batch is freed with its report", a_batch_is_freed_with_its_report },
	{ "what has no report stays", what_has_no_report_stays },
	{ "xmit takes back as many batches as it needs",
		xmit_takes_back_as_many_batches_as_it_needs },
	{ "without cleans_itself xmit takes nothing back",
		without_cleans_itself_xmit_takes_nothing_back },
	{ "batches go around the ring", batches_go_around_the_ring },
	{ 0 },
};

static const struct test_case settings[] = {
	{ "the device is told", the_device_is_told },
	{ "thresholds have defaults", thresholds_have_defaults },
	{ "thresholds that break a rule are refused", thresholds_that_break_a_rule_are_refused },
	{ "where each packet is reported rs is 1", where_each_packet_is_reported_rs_is_1 },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "post", post, NULL, NULL },
		{ "batches", batches, NULL, NULL },
		{ "settings", settings, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
