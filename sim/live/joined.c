/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sides: made, advanced in the order of their time, and closed. */
#include "joined.h"
#include "tap.h"

#include "cycles.h"
#include <errno.h>
#include <string.h>

#define CACHE 32 /* packets that a pool keeps at hand */

static unsigned tx_packets(const struct scenario *scenario)
{
	return (unsigned)(LIVE_SIDES * (scenario->nic.ring_size + 1) + 2 * CACHE);
}

/* Posted, and taken by a poll. */
static unsigned rx_packets(const struct scenario *scenario)
{
	return (unsigned)(LIVE_SIDES * scenario->nic.rx_ring_size + 2 * CACHE) +
	       LIVE_WEIGHT * (TAP_FRAME_MOST / RX_BUFFER_BYTES + 1);
}

#define TX_ROOM RTE_ALIGN_CEIL(RTE_PKTMBUF_HEADROOM + TAP_FRAME_MOST + 1, RTE_CACHE_LINE_SIZE)
#define RX_ROOM (RTE_PKTMBUF_HEADROOM + RX_BUFFER_BYTES)

uint64_t joined_mib(const struct scenario *scenario)
{
	/* each object has a header, and an entry in the pool's ring */
	uint64_t each = sizeof(struct rte_mbuf) + 2 * RTE_CACHE_LINE_SIZE;

	return (tx_packets(scenario) * (each + TX_ROOM) +
		       rx_packets(scenario) * (each + RX_ROOM)) >>
	       20;
}

static void free_packet(void *context, struct rte_mbuf *packet, uint64_t now)
{
	(void)context;
	(void)now;
	rte_pktmbuf_free(packet);
}

/* All or none: the pool has as many as can be under way. */
static unsigned alloc_buffers(void *context, struct rte_mbuf **buffers, unsigned count)
{
	struct joined *joined = context;

	return rte_mempool_get_bulk(joined->rx_pool, (void **)buffers, count) ? 0 : count;
}

/* The wire ends in the other device's receive ring. */
static void deliver(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct side *side = context;

	nic_receive(side->other->nic, frame, now);
}

static int open_side(struct side *side, const struct scenario *scenario, uint8_t number,
	uint64_t hz, uint64_t now)
{
	struct nic_config nic = { .sink = side->joined->sink,
		.device = number,
		.wire = { .context = side, .transmit = deliver } };
	struct e1000e_config driver = {
		.hz = hz,
		.rx_ring_size = (uint16_t)scenario->nic.rx_ring_size,
		.rdtr = (uint16_t)scenario->driver.rdtr,
		.radv = (uint16_t)scenario->driver.radv,
		.context_always = scenario->driver.checksum,
		.stack = { .context = side->joined, .free = free_packet, .alloc = alloc_buffers },
		.sink = side->joined->sink,
		.device = number,
	};

	scenario_fill_nic(&nic, scenario, hz, now);
	side->nic = nic_create(&nic);
	if (!side->nic)
		return -ENOMEM;
	scenario_fill_driver(&driver, scenario);
	driver.registers = (struct e1000e_registers){
		.device = side->nic, .read = nic_read, .write = nic_write
	};
	return e1000e_open(&side->driver, &driver, now);
}

int joined_open(struct joined *joined, const struct scenario *scenario, const int fd[LIVE_SIDES],
	uint64_t hz, struct event_sink *sink, uint64_t now)
{
	int error = 0;

	memset(joined, 0, sizeof(*joined));
	joined->sink = sink;
	joined->tx_pool = rte_pktmbuf_pool_create(
		"live tx", tx_packets(scenario), CACHE, 0, TX_ROOM, SOCKET_ID_ANY);
	joined->rx_pool = rte_pktmbuf_pool_create(
		"live rx", rx_packets(scenario), CACHE, 0, RX_ROOM, SOCKET_ID_ANY);
	if (!joined->tx_pool || !joined->rx_pool)
		return -ENOMEM;
	for (unsigned i = 0; i < LIVE_SIDES && !error; i++) {
		struct side *side = &joined->side[i];

		side->fd = fd[i];
		side->other = &joined->side[1 - i];
		side->joined = joined;
		side->least_gap = CYCLES_NEVER;
		error = open_side(side, scenario, (uint8_t)i, hz, now);
	}
	return error;
}

/* The accounts' parts that drivers and devices keep. */
static void complete_account(struct side *side)
{
	struct live_account *account = &side->account;
	const struct side *other = side->other;

	account->sent = nic_stats(side->nic)->packets;
	account->unsent = side->driver->stats.queued - account->sent;
	account->missed = nic_stats(other->nic)->rx_missed;
	account->received = other->driver->stats.rx_packets;
	account->unfetched = account->sent - account->missed - account->received;
}

void joined_close(struct joined *joined, uint64_t now)
{
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		if (joined->side[i].driver && joined->side[i].other->driver)
			complete_account(&joined->side[i]);
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		struct side *side = &joined->side[i];

		side->account.read -= side->held != NULL; /* it was never the driver's */
		rte_pktmbuf_free(side->held);
		side->held = NULL;
		e1000e_close(side->driver, 0, now);
		side->driver = NULL;
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		nic_destroy(joined->side[i].nic);
		joined->side[i].nic = NULL;
	}
	rte_mempool_free(joined->tx_pool);
	rte_mempool_free(joined->rx_pool);
	joined->tx_pool = joined->rx_pool = NULL;
}

static void take_interrupt(struct side *side, uint64_t now)
{
	uint64_t raised;

	if (!nic_take_interrupt(side->nic, &raised))
		return;
	if (side->interrupts++ && raised - side->raised_at < side->least_gap)
		side->least_gap = raised - side->raised_at;
	side->raised_at = raised;
	if (e1000e_interrupt(side->driver, now))
		side->scheduled = true;
}

uint64_t joined_deadline(const struct joined *joined)
{
	uint64_t a = nic_deadline(joined->side[0].nic), b = nic_deadline(joined->side[1].nic);

	return a < b ? a : b;
}

/* A frame reaches the other device when it leaves this one, so neither may run ahead. */
void joined_advance(struct joined *joined, uint64_t now)
{
	uint64_t at;

	while ((at = joined_deadline(joined)) <= now) {
		bool second = nic_deadline(joined->side[1].nic) == at;

		nic_advance(joined->side[second].nic, at);
	}
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		nic_advance(joined->side[i].nic, now);
		take_interrupt(&joined->side[i], now);
	}
}

bool joined_is_idle(const struct joined *joined)
{
	for (unsigned i = 0; i < LIVE_SIDES; i++) {
		const struct side *side = &joined->side[i];

		if (side->scheduled || side_in_device(side) || e1000e_rx_waiting(side->driver))
			return false;
	}
	return true;
}

bool live_account_reconciles(const struct live_account *a)
{
	return a->read == a->too_long + a->sent + a->unsent &&
	       a->sent == a->missed + a->received + a->unfetched &&
	       a->received == a->written + a->write_full + a->write_errors;
}
