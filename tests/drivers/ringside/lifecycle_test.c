/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How ports end, and begin again: with packets under way, while a peer sends, by hot-unplug. Each
 * case ends with a full pool: whatever happened to a packet, it was freed, and once.
 */
#include "ports.h"
#include "reader.h"

#include <limits.h>
#include <pthread.h>
#include <rte_dev.h>
#include <rte_lcore.h>

static unsigned in_pool(void)
{
	return rte_mempool_avail_count(pool);
}

/* Polls the receive side only, until the pool has so many, for a second at most. */
static bool pool_reaches(uint16_t port, unsigned packets)
{
	uint64_t until = rte_get_timer_cycles() + rte_get_timer_hz();
	struct rte_mbuf *none[1];

	while (in_pool() != packets && rte_get_timer_cycles() < until)
		rte_eth_rx_burst(port, 0, none, 1);
	return in_pool() == packets;
}

/* Nothing more is sent, and yet the last packets come back: their interrupt does it. */
static void an_idle_port_gives_back_what_it_sent(void)
{
	uint16_t port = probe(NAME, "itr=1000");
	unsigned before;

	start(port, 1, 64, pool);
	before = in_pool();
	for (int i = 0; i < 10; i++)
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	CU_ASSERT(in_pool() <= before - 9); /* the first one's interrupt may have come */
	CU_ASSERT_TRUE(pool_reaches(port, before));
	end(NAME, port);
}

/* Where no interrupt does it, rte_eth_tx_done_cleanup takes back as many as it is asked for. */
static void an_idle_ring_can_be_cleaned(void)
{
	uint16_t port = probe(NAME, "itr=1000,clean=lazy");
	unsigned before;

	start(port, 1, 64, pool);
	before = in_pool();
	for (int i = 0; i < 10; i++)
		CU_ASSERT_TRUE(send_one(port, 0, packet(60, 0)));
	rte_delay_us_block(2000);
	CU_ASSERT_FALSE(pool_reaches(port, before));
	CU_ASSERT_EQUAL(in_pool(), before - 10);
	CU_ASSERT_EQUAL(rte_eth_tx_done_cleanup(port, 0, 3), 3);
	CU_ASSERT_EQUAL(in_pool(), before - 7);
	CU_ASSERT_EQUAL(rte_eth_tx_done_cleanup(port, 0, 0), 7);
	CU_ASSERT_EQUAL(in_pool(), before);
	CU_ASSERT_EQUAL(rte_eth_tx_done_cleanup(port, 0, 0), 0);
	end(NAME, port);
}

/* All buffers are in the program's hands when the port starts; it works once some are free. */
static void an_empty_pool_is_no_end(void)
{
	struct rte_mempool *small = rte_pktmbuf_pool_create(
		"small", 20, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	uint16_t port = probe(NAME, "wire=loop,itr=0,speed=0");
	struct rte_mbuf *held[20], *got[1];

	CU_ASSERT_EQUAL_FATAL(rte_pktmbuf_alloc_bulk(small, held, 20), 0);
	start(port, 1, 64, small);
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 1)));
	CU_ASSERT_TRUE(reaches(port, "rx0_missed", 1));
	CU_ASSERT_EQUAL(rte_eth_rx_burst(port, 0, got, 1), 0);
	rte_pktmbuf_free_bulk(held, 20);
	CU_ASSERT_EQUAL(rte_eth_rx_burst(port, 0, got, 1), 0); /* posts them */
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 2)));
	CU_ASSERT_EQUAL_FATAL(receive(port, 0, got, 1), 1);
	CU_ASSERT_EQUAL(*rte_pktmbuf_mtod(got[0], uint8_t *), 2);
	rte_pktmbuf_free(got[0]);
	end(NAME, port);
	CU_ASSERT_EQUAL(rte_mempool_avail_count(small), 20);
	rte_mempool_free(small);
}

struct account {
	unsigned started, freed, aborted, done;
	bool complete;
};

static struct account account_of(const char *folder)
{
	const struct reader_options options = { 0 };
	struct account account = { 0 };
	struct reader *reader;
	struct event event;
	struct diag diag;
	unsigned cpu;
	int more;

	CU_ASSERT_EQUAL_FATAL(reader_open(folder, &options, &reader, &diag), 0);
	while ((more = reader_next(reader, &event, &cpu, &diag)) == 1) {
		account.started += event.id == EVENT_START_XMIT;
		account.done += event.id == EVENT_DONE;
		if (event.id != EVENT_FREE)
			continue;
		if (EVENT_GET(FREE, aborted, event.arg))
			account.aborted++;
		else
			account.freed++;
	}
	account.complete = !more && trace_counts_complete(reader_counts(reader));
	reader_close(reader);
	return account;
}

/* A folder for the traces of both starts: FOLDER/t and FOLDER/t.1. */
static void remove_folder(const char *folder)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/*
 * At 10 Mbit/s a frame takes 67 us; the transmitter stops a millisecond after the start, so most of
 * the 44 packets (64 - 1 - 20, and one) never leave. What the stop takes back is marked.
 */
static void what_a_stop_takes_back_is_marked(void)
{
	char folder[] = "/tmp/ringside-life-XXXXXX", arguments[PATH_MAX], path[PATH_MAX];
	struct account account;
	unsigned sent[2];
	uint16_t port;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(arguments, sizeof(arguments),
		"profile=linux-2.6.35,itr=0,speed=10,fault=tx_stop@0.001,trace=%s/t", folder);
	port = probe(NAME, arguments);
	for (int i = 0; i < 2; i++) {
		start(port, 1, 64, pool);
		sent[i] = fill(port);
		rte_delay_us_block(3000);
		CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
		CU_ASSERT_EQUAL(in_pool(), POOL);
	}
	CU_ASSERT_EQUAL(rte_vdev_uninit(NAME), 0);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), i ? "%s/t.%d" : "%s/t", folder, i);
		account = account_of(path);
		CU_ASSERT_TRUE(account.complete);
		CU_ASSERT(sent[i] >= 44);
		CU_ASSERT_EQUAL(account.started, sent[i]);
		CU_ASSERT_EQUAL(account.freed + account.aborted, sent[i]);
		/* at most 15 can have left in a millisecond */
		CU_ASSERT(account.aborted >= 44 - 15);
		CU_ASSERT(account.freed <= account.done);
	}
	remove_folder(folder);
}

static void unplugged(int (*remove)(uint16_t port))
{
	uint16_t port = probe(NAME, "wire=loop,itr=100,speed=10"), found;

	start(port, 2, 64, pool);
	CU_ASSERT(fill(port) >= 44);
	CU_ASSERT_EQUAL(remove(port), 0);
	CU_ASSERT_EQUAL(in_pool(), POOL);
	CU_ASSERT_EQUAL(rte_eth_dev_get_port_by_name(NAME, &found), -ENODEV);
	CU_ASSERT_FALSE(rte_eth_dev_is_valid_port(port));
	/* and plugged in again */
	port = probe(NAME, "wire=loop,itr=0");
	start(port, 1, 64, pool);
	CU_ASSERT_TRUE(send_one(port, 0, packet(60, 1)));
	CU_ASSERT_TRUE(reaches(port, "tx0_wire_packets", 1));
	end(NAME, port);
}

static int by_device(uint16_t port)
{
	struct rte_eth_dev_info info;

	CU_ASSERT_EQUAL_FATAL(rte_eth_dev_info_get(port, &info), 0);
	return rte_dev_remove(info.device);
}

static int by_bus(uint16_t port)
{
	(void)port;
	return rte_eal_hotplug_remove("vdev", NAME);
}

static int by_vdev(uint16_t port)
{
	(void)port;
	return rte_vdev_uninit(NAME);
}

static void a_port_can_be_unplugged_while_it_is_started(void)
{
	unplugged(by_device);
	unplugged(by_bus);
	unplugged(by_vdev);
}

/* Frames are in the wire, in the inbox and in both rings when the two stop, in either order. */
static void peers_stop_in_either_order(void)
{
	for (int first = 0; first < 2; first++) {
		static const char *const names[] = { NAME, OTHER };
		uint16_t ports[2] = { probe(NAME, "wire=peer:" OTHER ",itr=1000"),
			probe(OTHER, "wire=peer:" NAME ",itr=1000") };

		start(ports[0], 1, 64, pool);
		start(ports[1], 1, 64, pool);
		CU_ASSERT(fill(ports[0]) >= 44);
		CU_ASSERT(fill(ports[1]) >= 44);
		rte_delay_us_block(20);
		fill(ports[0]);
		CU_ASSERT_EQUAL(rte_eth_dev_stop(ports[first]), 0);
		fill(ports[!first]); /* to a peer that is stopped */
		CU_ASSERT_EQUAL(rte_vdev_uninit(names[first]), 0);
		rte_delay_us_block(100);
		fill(ports[!first]); /* and to one that is gone */
		CU_ASSERT(counter(ports[!first], "tx0_peer_lost") > 0);
		end(names[!first], ports[!first]);
	}
}

/* A thread that sends and receives on its port until it is told to stop. */
struct traffic {
	pthread_t thread;
	uint16_t port;
	bool stop;
	uint64_t sent, received;
};

static void *run_traffic(void *context)
{
	struct traffic *traffic = context;
	cpu_set_t all; /* EAL has pinned the first thread, from which this one has its CPU */

	memset(&all, 0xff, sizeof(all));
	pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
	rte_thread_register();
	while (!__atomic_load_n(&traffic->stop, __ATOMIC_ACQUIRE)) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *got[32];
		uint16_t count;

		if (m) {
			rte_pktmbuf_append(m, 60);
			if (rte_eth_tx_burst(traffic->port, 0, &m, 1))
				__atomic_add_fetch(&traffic->sent, 1, __ATOMIC_RELAXED);
			else
				rte_pktmbuf_free(m);
		}
		count = rte_eth_rx_burst(traffic->port, 0, got, 32);
		traffic->received += count;
		rte_pktmbuf_free_bulk(got, count);
	}
	rte_thread_unregister();
	return NULL;
}

/* A peer that comes and goes 60 times, in several ways, while the other one is sending to it. */
static void come_and_go(const char *steady, const char *passing)
{
	struct traffic traffic = { 0 };
	char to_steady[64], to_passing[64];

	snprintf(to_steady, sizeof(to_steady), "wire=peer:%s,itr=0,speed=0", steady);
	snprintf(to_passing, sizeof(to_passing), "wire=peer:%s,itr=0,speed=0", passing);
	traffic.port = probe(steady, to_passing);
	start(traffic.port, 1, 64, pool);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&traffic.thread, NULL, run_traffic, &traffic), 0);
	for (int i = 0; i < 60; i++) {
		uint16_t port = probe(passing, to_steady);
		struct rte_mbuf *got[4];
		uint64_t sent;
		uint16_t queues = i % 2 ? 1 : 2;

		start(port, queues, 64, pool);
		sent = __atomic_load_n(&traffic.sent, __ATOMIC_RELAXED);
		while (__atomic_load_n(&traffic.sent, __ATOMIC_RELAXED) < sent + 10) {
			struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

			rte_pktmbuf_free_bulk(got, rte_eth_rx_burst(port, 0, got, 4));
			if (m && rte_pktmbuf_append(m, 60))
				send_one(port, queues - 1, m);
		}
		if (i % 3)
			CU_ASSERT_EQUAL(rte_eth_dev_stop(port), 0);
		if (i % 3 == 1) /* else unplugged, of which a third are still started */
			CU_ASSERT_EQUAL(rte_eth_dev_close(port), 0);
		CU_ASSERT_EQUAL(rte_vdev_uninit(passing), 0);
	}
	__atomic_store_n(&traffic.stop, true, __ATOMIC_RELEASE);
	CU_ASSERT_EQUAL(pthread_join(traffic.thread, NULL), 0);
	CU_ASSERT(traffic.sent > 0);
	CU_ASSERT(traffic.received > 0);
	CU_ASSERT(counter(traffic.port, "tx0_peer_lost") > 0);
	CU_ASSERT(
		counter(traffic.port, "tx0_peer_lost") < counter(traffic.port, "tx0_wire_packets"));
	end(steady, traffic.port);
}

static void a_peer_comes_and_goes_while_the_other_sends(void)
{
	come_and_go(NAME, OTHER);
	come_and_go(OTHER, NAME);
}

static const struct test_case cases[] = {
	{ "an idle port gives back what it sent", an_idle_port_gives_back_what_it_sent },
	{ "an idle ring can be cleaned", an_idle_ring_can_be_cleaned },
	{ "an empty pool is no end", an_empty_pool_is_no_end },
	{ "what a stop takes back is marked", what_a_stop_takes_back_is_marked },
	{ "a port can be unplugged while it is started",
		a_port_can_be_unplugged_while_it_is_started },
	{ "peers stop in either order", peers_stop_in_either_order },
	{ "a peer comes and goes while the other sends",
		a_peer_comes_and_goes_while_the_other_sends },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "lifecycle", cases, setup, teardown },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
