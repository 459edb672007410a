/* SPDX-License-Identifier: BSD-3-Clause */
/* The world: made, run from one due time to the next, and taken down. */
#include "world.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_CACHE 32

static const struct host_kernel kernels[] = {
	{ .name = "linux-2.6.35", .qdisc_yields = true, .skb_bytes = 240 },
	{ .name = "linux-6.1",
		.softirq_yields = true,
		.repolls = true,
		.threads = true,
		.busy_polls = true,
		.defers_irqs = true,
		.ksoftirqd_owns = true,
		.bql = true,
		.bulk_dequeue = true,
		.skb_bytes = 256,
		.shared_info_bytes = 320 },
};

const struct host_kernel *host_kernel_find(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
	}
	return NULL;
}

/*
 * The data area holds the message, IP and UDP headers (28), room for the link header (16) and 15
 * for its alignment, in cache lines; since 3.2 the whole piece of slab that it takes is counted.
 */
uint32_t host_truesize(const struct host_kernel *kernel, uint32_t message_bytes)
{
	uint32_t data = (uint32_t)RTE_ALIGN_CEIL(message_bytes + 28 + 16 + 15, 64);

	if (kernel->shared_info_bytes)
		data = rte_align32pow2(
			data + kernel->shared_info_bytes); /* kmalloc's sizes from 512 on */
	return data + kernel->skb_bytes;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static double random_unit(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)(*state * UINT64_C(0x2545f4914f6cdd1d) >> 11) * 0x1p-53;
}

uint64_t host_cost(struct host *host, enum host_cost what)
{
	double factor;

	if (host->config.jitter <= 0)
		return host->cost[what];
	factor = 1 + host->config.jitter * (2 * random_unit(&host->random) - 1);
	return (uint64_t)((double)host->cost[what] * factor + 0.5);
}

void host_changed(struct host_changes *changes, uint64_t value, uint64_t now)
{
	if (changes->count && value == changes->last)
		return;
	if (changes->count < HOST_CHANGES_MOST) {
		changes->first[changes->count].at = now;
		changes->first[changes->count].value = value;
	}
	changes->count++;
	changes->last = value;
	if (value > changes->most)
		changes->most = value;
}

/* The driver has let a packet go: its socket gets the memory back, the pool the packet. */
static void free_packet(void *context, struct rte_mbuf *packet, uint64_t now)
{
	struct host *host = context;
	const struct packet *private = rte_mbuf_to_priv(packet);

	host->outstanding--;
	if (!host->ended && private->owner)
		sender_packet_freed(private->owner, now);
	rte_pktmbuf_free(packet);
}

static unsigned alloc_buffers(void *context, struct rte_mbuf **buffers, unsigned count)
{
	struct host *host = context;

	return rte_mempool_get_bulk(host->pool, (void **)buffers, count) ? 0 : count;
}

static void first_address(struct rte_mempool *pool, void *context, void *object, unsigned index)
{
	uintptr_t *address = context;

	(void)pool;
	if (!index || (uintptr_t)object < *address)
		*address = (uintptr_t)object;
}

/* How many objects the pool needs, and how large a buffer. */
struct pool_size {
	uint64_t packets;
	uint32_t data_room;
};

#define PRIVATE_BYTES ((unsigned)RTE_ALIGN_CEIL(sizeof(struct packet), RTE_MBUF_PRIV_ALIGN))

/* Packets that a process has not read yet: each takes a buffer's worth of memory at least. */
static uint64_t unread_most(const struct host_receiver *receiver)
{
	uint64_t bytes = receiver->buffer_bytes ? receiver->buffer_bytes : WINDOW_BUFFER_MOST;

	return receiver->read ? 2 * bytes / RX_BUFFER_BYTES + 2u : 0;
}

/*
 * Room for all packets that can be under way: what send buffers allow, but no more than queue and
 * ring hold and each sender has in its hands. A buffer takes the largest piece of a packet.
 */
static struct pool_size pool_size(const struct host_config *config)
{
	uint64_t held = config->qdisc_limit + config->driver.ring_size + 2, allowed = 0;
	uint32_t room = 0, segments = 1;
	struct pool_size size;

	for (unsigned i = 0; i < config->more_count; i++)
		held += config->qdisc_limit + config->more[i].driver.ring_size + 2;
	for (unsigned i = 0; i < config->sender_count; i++) {
		const struct host_sender *sender = &config->senders[i];
		uint32_t bytes = sender->message_bytes / sender->segments + 64;

		allowed += sender->send_buffer_bytes / sender->truesize_bytes + 1;
		held++;
		room = bytes > room ? bytes : room;
		segments = sender->segments > segments ? sender->segments : segments;
	}
	held = allowed < held ? allowed : held;
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct e1000e_config *driver =
			host_driver_of(config, config->receivers[i].device);

		/* the ring, what the stack has in its hands, and ACKs */
		held += driver->rx_ring_size + 2u + config->qdisc_limit + driver->ring_size + 2u;
		held += unread_most(&config->receivers[i]);
		if (config->receivers[i].stream) {
			driver = host_driver_of(config, config->receivers[i].from);
			held += driver->rx_ring_size + 2u;
			segments = segments < 2 ? 2 : segments;
		}
		room = RX_BUFFER_BYTES;
	}
	size.packets = 2 * POOL_CACHE + held * segments;
	size.data_room = RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(room, 64);
	return size;
}

static unsigned object_bytes(const struct pool_size *size)
{
	return (unsigned)sizeof(struct rte_mbuf) + PRIVATE_BYTES + size->data_room;
}

uint64_t host_pool_bytes(const struct host_config *config)
{
	struct pool_size size = pool_size(config);

	/* each object has a header, and an entry in the pool's ring */
	return size.packets * (object_bytes(&size) + 2 * RTE_CACHE_LINE_SIZE);
}

static int make_pool(struct host *host)
{
	struct pool_size size = pool_size(&host->config);
	struct rte_pktmbuf_pool_private sizes = { .mbuf_priv_size = PRIVATE_BYTES };
	static unsigned pools;
	char name[RTE_MEMPOOL_NAMESIZE];

	if (size.packets > UINT32_MAX / 2 || size.data_room > UINT16_MAX)
		return -EINVAL;
	sizes.mbuf_data_room_size = (uint16_t)size.data_room;
	/* Without the flag, objects keep off page borders, and their distances differ. */
	snprintf(name, sizeof(name), "ringside%u", pools++); /* there may be several worlds */
	host->pool = rte_mempool_create_empty(name, (unsigned)size.packets, object_bytes(&size),
		POOL_CACHE, sizeof(sizes), SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	if (!host->pool)
		return rte_errno == EINVAL ? -EINVAL : -ENOMEM;
	rte_pktmbuf_pool_init(host->pool, &sizes);
	if (rte_mempool_populate_default(host->pool) < 0)
		return -ENOMEM;
	rte_mempool_obj_iter(host->pool, rte_pktmbuf_init, NULL);
	host->packet_stride =
		(uint64_t)host->pool->header_size + host->pool->elt_size + host->pool->trailer_size;
	rte_mempool_obj_iter(host->pool, first_address, &host->packet_base);
	/* in several chunks, addresses would depend on where the system put them */
	return host->pool->nb_mem_chunks == 1 ? 0 : -ENOMEM;
}

/* Does a stream of this machine go or come by this device? */
static bool has_stream(const struct host_config *config, unsigned device)
{
	for (unsigned i = 0; i < config->receiver_count; i++) {
		const struct host_receiver *receiver = &config->receivers[i];

		if (receiver->stream && (receiver->device == device || receiver->from == device))
			return true;
	}
	return false;
}

/* A frame has left a device whose wire ends at another one. */
static void cross_wire(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct netdev *netdev = context;
	struct arrival arrival = { .receiver = netdev->wired, .at = now, .bytes = frame->bytes };

	memcpy(&arrival.segment, frame->segment[0].data, sizeof(arrival.segment));
	receiver_arrived(netdev->peer, frame, &arrival, now);
}

static int make_device(struct host *host, unsigned index)
{
	struct netdev *netdev = &host->netdevs[index];
	struct host_device *more = &host->config.more[index - (index > 0)];
	struct nic_config *nic = index ? &more->nic : &host->config.nic;
	struct e1000e_config *driver = index ? &more->driver : &host->config.driver;

	nic->hz = driver->hz = CLOCK_VIRTUAL_HZ;
	nic->sink = driver->sink = host->config.sink;
	nic->sink_cpu = host->config.cpus;
	nic->device = driver->device;
	nic->packet_base = host->packet_base;
	nic->packet_stride = host->packet_stride;
	netdev->host = host;
	netdev->index = index;
	netdev->nic_config = nic;
	netdev->arrives_at = netdev->timer_at = CYCLES_NEVER;
	if (host->config.napi[index].threaded)
		napi_thread_init(netdev, &host->config.napi[index]);
	nic->wire = (struct nic_wire){ .context = netdev, .transmit = cross_wire };
	if (!has_stream(&host->config, index))
		nic->wire.transmit = NULL;
	netdev->nic = nic_create(nic);
	if (!netdev->nic || netdev_init(netdev))
		return -ENOMEM;
	driver->packet_base = host->packet_base;
	driver->receive_untraced = true;
	driver->stack = (struct e1000e_stack){
		.context = host, .free = free_packet, .alloc = alloc_buffers
	};
	driver->registers = (struct e1000e_registers){
		.device = netdev->nic, .read = nic_read, .write = nic_write
	};
	return e1000e_open(&netdev->port, driver, 0);
}

int host_create(struct host **out, const struct host_config *config)
{
	struct host *host;
	int error;

	*out = NULL;
	if (!host_config_valid(config))
		return -EINVAL;
	host = calloc(1, sizeof(*host));
	if (!host)
		return -ENOMEM;
	host->config = *config;
	host->random = config->seed * 2 + 1; /* the generator must not start at 0 */
	host->tick = CLOCK_VIRTUAL_HZ / config->tick_hz;
	for (int i = 0; i < HOST_COST_COUNT; i++)
		host->cost[i] = cycles_of_ns(config->cost_ns[i], CLOCK_VIRTUAL_HZ);
	for (unsigned i = 0; i < config->cpus; i++) {
		cpu_init(&host->cpus[i], host, i);
		ksoftirqd_init(&host->cpus[i]);
	}
	for (unsigned i = 0; i < config->sender_count; i++)
		sender_init(&host->senders[i], host, &host->config.senders[i]);
	error = make_pool(host);
	host->netdev_count = config->more_count + 1;
	for (unsigned i = 0; i < host->netdev_count && !error; i++)
		error = make_device(host, i);
	for (unsigned i = 0; i < config->receiver_count && !error; i++)
		error = receiver_init(&host->receivers[i], host, &host->config.receivers[i]);
	if (error) {
		host_destroy(host);
		return error;
	}
	*out = host;
	return 0;
}

uint64_t host_packet_stride(const struct host *host)
{
	return host->packet_stride;
}

static void run_timers(struct host *host, uint64_t now)
{
	if (host->watchdog_at <= now) {
		host->watchdog_at +=
			cycles_of_ns(E1000E_WATCHDOG_S * CYCLES_NS_PER_S, CLOCK_VIRTUAL_HZ);
		for (unsigned i = 0; i < host->netdev_count; i++) {
			e1000e_watchdog(host->netdevs[i].port, now);
			netdev_throttled(&host->netdevs[i], now);
		}
	}
	host->timer_at = host->watchdog_at;
	for (unsigned i = 0; i < host->netdev_count; i++) {
		poll_timer(&host->netdevs[i], now);
		host_set_timer(host, host->netdevs[i].timer_at);
	}
	for (unsigned i = 0; i < host->config.receiver_count; i++) {
		receiver_timer(&host->receivers[i], now);
		host_set_timer(host, host->receivers[i].delayed_at);
		if (host->receivers[i].config->stream) {
			stream_timer(&host->receivers[i].stream, now);
			host_set_timer(host, stream_timer_at(&host->receivers[i].stream));
		}
	}
	for (unsigned i = 0; i < host->config.sender_count; i++) {
		sender_timer(&host->senders[i], now);
		host_set_timer(host, host->senders[i].wake_at);
	}
}

static void collect(struct host *host, struct host_stats *stats, uint64_t end)
{
	const struct netdev *first = &host->netdevs[0];
	const struct e1000e_tx_ring *ring = &first->port->tx;

	*stats = (struct host_stats){ .end = end };
	for (unsigned i = 0; i < host->config.sender_count; i++) {
		sender_account(&host->senders[i], CYCLES_NEVER);
		stats->senders[i] = host->senders[i].stats;
	}
	for (unsigned i = 0; i < host->config.cpus; i++) {
		cpu_account(&host->cpus[i], end);
		stats->cpus[i] = host->cpus[i].stats;
	}
	for (unsigned i = 0; i < host->config.receiver_count; i++)
		stats->receivers[i] = receiver_stats(&host->receivers[i]);
	for (unsigned i = 0; i < host->netdev_count; i++) {
		stats->napi[i] = host->netdevs[i].stats;
		stats->napi[i].rx_missed = nic_stats(host->netdevs[i].nic)->rx_missed;
		stats->napi[i].interrupts = nic_stats(host->netdevs[i].nic)->interrupts;
	}
	stats->squeezes = host->squeezes;
	stats->qdisc_most = first->most;
	stats->qdisc_at_end = first->count;
	stats->ksoftirqd_wakes = host->ksoftirqd_wakes;
	stats->limits = first->limits;
	stats->limit_stops = first->holds;
	stats->limit_stopped = first->held_for + (first->held ? end - first->held_at : 0);
	stats->rates = first->rates;
	stats->nic = *nic_stats(first->nic);
	stats->driver = first->port->stats;
	stats->hang = ring->hang;
	stats->tdh = nic_read(first->nic, REG_TDH, end);
	stats->tdt = nic_read(first->nic, REG_TDT, end);
	stats->next_to_use = ring->next_to_use;
	stats->next_to_clean = ring->next_to_clean;
}

/* The device that does something next. */
static struct netdev *next_device(struct host *host)
{
	struct netdev *next = &host->netdevs[0];

	for (unsigned i = 1; i < host->netdev_count; i++) {
		if (nic_deadline(host->netdevs[i].nic) < nic_deadline(next->nic))
			next = &host->netdevs[i];
	}
	return next;
}

/* The one that a frame comes to next. */
static struct netdev *next_arrival(struct host *host)
{
	struct netdev *next = &host->netdevs[0];

	for (unsigned i = 1; i < host->netdev_count; i++) {
		if (host->netdevs[i].arrives_at < next->arrives_at)
			next = &host->netdevs[i];
	}
	return next;
}

static void take_interrupts(struct host *host, uint64_t now)
{
	uint64_t raised;

	for (unsigned i = 0; i < host->netdev_count; i++) {
		if (nic_take_interrupt(host->netdevs[i].nic, &raised))
			cpu_interrupt(&host->cpus[host->config.irq_cpu], &host->netdevs[i], now);
	}
}

int host_run(struct host *host, struct host_stats *stats)
{
	const uint64_t last = host->config.stop + host->config.drain;

	host->watchdog_at = cycles_of_ns(E1000E_WATCHDOG_S * CYCLES_NS_PER_S, CLOCK_VIRTUAL_HZ);
	for (unsigned i = 0; i < host->netdev_count; i++)
		netdev_throttled(&host->netdevs[i], 0);
	run_timers(host, 0);
	for (unsigned i = 0; i < host->netdev_count; i++)
		receiver_schedule(&host->netdevs[i]);
	while (!host->error) {
		struct netdev *device = next_device(host);
		uint64_t device_at = nic_deadline(device->nic), at = device_at;
		struct netdev *receives = next_arrival(host);
		struct cpu *cpu = NULL;

		if (receives->arrives_at < at)
			at = receives->arrives_at;
		if (host->timer_at < at)
			at = host->timer_at;
		for (unsigned i = 0; i < host->config.cpus; i++) {
			uint64_t due = cpu_due(&host->cpus[i]);

			if (due < at) {
				at = due;
				cpu = &host->cpus[i];
			}
		}
		if (at > last)
			break;
		if (!cpu && at != device_at && at > host->config.stop && !host->outstanding &&
			!host->delayed && at != receives->arrives_at)
			break; /* only timers are left, and nothing for them to do */
		host->now = at;
		if (cpu)
			cpu_step(cpu, at);
		else if (at == device_at)
			nic_advance(device->nic, at);
		else if (at == receives->arrives_at)
			receiver_arrive(receives, at);
		else
			run_timers(host, at);
		take_interrupts(host, at);
	}
	collect(host, stats, host->now);
	return host->error;
}

static void discard_queued(struct netdev *netdev)
{
	for (uint32_t i = 0; i < netdev->count; i++) {
		uint32_t at = (netdev->head + i) % (netdev->limit + 1);

		rte_pktmbuf_free(netdev->slot[at]);
	}
}

void host_destroy(struct host *host)
{
	if (!host)
		return;
	host->ended = true;
	for (unsigned i = 0; i < host->netdev_count; i++) {
		struct netdev *netdev = &host->netdevs[i];

		if (netdev->port)
			e1000e_set_sink(netdev->port, NULL); /* nobody lets these packets go */
		e1000e_close(netdev->port, 0, host->now);
		discard_queued(netdev);
		nic_destroy(netdev->nic);
		free(netdev->slot);
		free(netdev->arrivals);
	}
	for (unsigned i = 0; i < host->config.receiver_count; i++)
		receiver_free(&host->receivers[i]);
	rte_mempool_free(host->pool);
	free(host);
}
