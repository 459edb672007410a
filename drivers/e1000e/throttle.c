/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupt throttling that follows the load. Modes 1 and 3 sort each interval between two
 * interrupts by its packets and bytes, transmitted and received apart; the calmer of the two
 * classes decides. Mode 4 looks at what the device has counted since the last watchdog.
 *
 * Source: what Linux's e1000e does (e1000_update_itr, e1000_set_itr and e1000_watchdog_task of
 * netdev.c, 2.6.35 to 6.1); the classes are tables here.
 */
#include "port.h"

#define RATE_AT_FIRST    20000
#define RATE_OTHER_SPEED 4000 /* where the link isn't at 1 Gbit/s nothing is adapted */
#define SIMPLE_LEAST     2000 /* mode 4: as much in as out */
#define SIMPLE_MOST      8000 /* one way only */

/* Interrupts a second of each class. */
static const uint32_t rates[] = {
	[E1000E_LATENCY_LOWEST] = 70000,
	[E1000E_LATENCY_LOW] = 20000,
	[E1000E_LATENCY_BULK] = 4000,
};

/*
 * When a class gives way to another: the first row of the class that an interval meets. Each bound
 * is an inclusive one; 0 as `most` is none. bytes_each is of a packet, on average.
 */
static const struct rule {
	enum e1000e_latency from, to;
	uint64_t packets_least, packets_most;
	uint64_t bytes_least, bytes_most;
	uint64_t bytes_each_least;
} rules[] = {
	/* segments of TSO and jumbo frames are bulk */
	{ E1000E_LATENCY_LOWEST, E1000E_LATENCY_BULK, .bytes_each_least = 8001 },
	{ E1000E_LATENCY_LOWEST, E1000E_LATENCY_LOW, .packets_most = 4, .bytes_least = 513 },

	{ E1000E_LATENCY_LOW, E1000E_LATENCY_BULK, .bytes_least = 10001, .bytes_each_least = 1201 },
	{ E1000E_LATENCY_LOW, E1000E_LATENCY_BULK, .bytes_least = 10001, .packets_most = 9 },
	{ E1000E_LATENCY_LOW, E1000E_LATENCY_LOWEST, .bytes_least = 10001, .packets_least = 36 },
	{ E1000E_LATENCY_LOW, E1000E_LATENCY_BULK, .bytes_most = 10000, .bytes_each_least = 2001 },
	{ E1000E_LATENCY_LOW, E1000E_LATENCY_LOWEST, .bytes_most = 511, .packets_most = 2 },

	{ E1000E_LATENCY_BULK, E1000E_LATENCY_LOW, .bytes_least = 25001, .packets_least = 36 },
	{ E1000E_LATENCY_BULK, E1000E_LATENCY_LOW, .bytes_most = 5999 },
};

static bool meets(const struct rule *rule, uint64_t packets, uint64_t bytes)
{
	return packets >= rule->packets_least && bytes >= rule->bytes_least &&
	       (!rule->packets_most || packets <= rule->packets_most) &&
	       (!rule->bytes_most || bytes <= rule->bytes_most) &&
	       bytes / packets >= rule->bytes_each_least;
}

enum e1000e_latency e1000e_latency_next(
	enum e1000e_latency latency, uint64_t packets, uint64_t bytes)
{
	for (size_t i = 0; packets && i < RTE_DIM(rules); i++) {
		if (rules[i].from == latency && meets(&rules[i], packets, bytes))
			return rules[i].to;
	}
	return latency;
}

static void set_rate(struct e1000e_port *port, uint32_t rate, uint64_t now)
{
	port->throttle.rate = rate;
	port->config.registers.write(
		port->config.registers.device, REG_ITR, e1000e_throttle_register(rate), now);
}

void throttle_start(struct e1000e_port *port, uint64_t now)
{
	uint32_t mode = port->config.interrupt_throttle_rate;

	set_rate(port, mode == 1 || mode == 3 ? RATE_AT_FIRST : mode, now);
}

void throttle_interval(struct e1000e_port *port)
{
	port->throttle.since = port->stats;
}

static enum e1000e_latency adapt(const struct e1000e_port *port, enum e1000e_latency latency,
	uint64_t packets, uint64_t bytes)
{
	latency = e1000e_latency_next(latency, packets, bytes);
	if (port->config.interrupt_throttle_rate == 3 && latency == E1000E_LATENCY_LOWEST)
		latency = E1000E_LATENCY_LOW;
	return latency;
}

/* Upwards a rate moves by a quarter of its aim at a time, downwards at once. */
static uint32_t slew(uint32_t rate, uint32_t aim)
{
	uint32_t step = rate + aim / 4;

	return aim > rate && step < aim ? step : aim;
}

void throttle_adapt(struct e1000e_port *port, uint64_t now)
{
	struct e1000e_adaptive *throttle = &port->throttle;
	const struct e1000e_stats *stats = &port->stats, *since = &throttle->since;
	uint32_t aim = RATE_OTHER_SPEED, speed = port->config.link_speed_mbps;

	if (port->config.interrupt_throttle_rate != 1 && port->config.interrupt_throttle_rate != 3)
		return;
	if (speed == 0 || speed == 1000) {
		throttle->tx = adapt(port, throttle->tx, stats->packets - since->packets,
			stats->bytes - since->bytes);
		throttle->rx = adapt(port, throttle->rx, stats->rx_packets - since->rx_packets,
			stats->rx_bytes - since->rx_bytes);
		aim = rates[throttle->tx > throttle->rx ? throttle->tx : throttle->rx];
	}
	aim = slew(throttle->rate, aim);
	if (aim != throttle->rate)
		set_rate(port, aim, now);
}

/* The device's 64-bit counter of good octets; reading the high half clears it. */
static uint64_t octets(struct e1000e_port *port, uint32_t low, uint64_t now)
{
	const struct e1000e_registers *registers = &port->config.registers;
	uint64_t value = registers->read(registers->device, low, now);

	return value | (uint64_t)registers->read(registers->device, low + 4, now) << 32;
}

void throttle_watchdog(struct e1000e_port *port, uint64_t now)
{
	uint64_t in, out, both, apart;

	if (port->config.interrupt_throttle_rate != 4)
		return;
	in = octets(port, REG_GORCL, now);
	out = octets(port, REG_GOTCL, now);
	both = (in + out) / 10000;
	apart = (in > out ? in - out : out - in) / 10000;
	set_rate(port,
		both ? (uint32_t)(apart * (SIMPLE_MOST - SIMPLE_LEAST) / both) + SIMPLE_LEAST
		     : SIMPLE_MOST,
		now);
}
