/* SPDX-License-Identifier: BSD-3-Clause */
/* Every key of a scenario file. Names are the kernel's or the module parameter's own, if it has
 * one. */
#include "setting.h"

#include "dql.h"
#include <stddef.h>
#include <string.h>

#define AT(member)          offsetof(struct scenario, member)
#define IN_FAULT(member)    offsetof(struct scenario_fault, member)
#define IN_WORKLOAD(member) offsetof(struct scenario_workload, member)
#define UDP_FLOOD           "udp_flood"
#define TCP_RECEIVE         "tcp_receive"
#define RECEIVED            TCP_RECEIVE "|udp_receive"
#define TCP_STREAM          "tcp_stream"
#define PACED               UDP_FLOOD "|" RECEIVED
#define VIRTUAL             PACED "|" TCP_STREAM
#define LWIP_RECEIVE        "lwip_receive"
#define IN_DEVICE(member)   offsetof(struct scenario_device, member)
#define PROFILES            "linux-2.6.35|linux-6.1"

/* As choices of a setting, which stand between bars. */
#define FAULT_CHOICE(type, name, loses) "|" #name
#define FAULTS                          (&(NIC_FAULTS(FAULT_CHOICE))[1])

static const char *check_throttle(uint64_t rate)
{
	return e1000e_throttle_kind(rate) != E1000E_THROTTLE_INVALID
		       ? NULL
		       : "the driver takes 0 (off), 1, 3, 4 (modes) and 100 to 100000 interrupts a "
			 "second";
}

static const char *check_line_rate(uint64_t mbps)
{
	return mbps && mbps < 10 ? "neither 0 (unlimited) nor 10 to 100000" : NULL;
}

/* clang-format off */
static const struct setting fault_items[] = {
	{ .key = "type", .type = SETTING_CHOICE, .offset = IN_FAULT(type),
	  .default_value = "tx_stop", .choices = FAULTS,
	  .help = "the transmitter stops; write-backs or interrupts get lost; we are paused" },
	{ .key = "at_s", .type = SETTING_NUMBER, .offset = IN_FAULT(at_s), .finest = 1e-9,
	  .most = 86400, .default_value = "0", .unit = "s", .help = "when it begins" },
	{ .key = "duration_s", .type = SETTING_NUMBER, .offset = IN_FAULT(duration_s),
	  .finest = 1e-9, .most = 86400, .default_value = "0", .unit = "s",
	  .help = "how long tx_stop and link_pause last; 0: for ever" },
	{ .key = "count", .type = SETTING_COUNT, .offset = IN_FAULT(count), .most = 1e9,
	  .least = 1, .unset = "1", .help = "how many write-backs or interrupts get lost" },
	{ 0 },
};

static const struct setting workload_items[] = {
	{ .key = "type", .type = SETTING_CHOICE, .offset = IN_WORKLOAD(type),
	  .default_value = "udp_flood",
	  .choices = "udp_flood|tcp_receive|udp_receive|tcp_stream|lwip_receive",
	  .help = "a process that sends; what comes from the wire; TCP from one of nics "
		  "to another; lwIP that gets TCP" },
	{ .key = "device", .only = VIRTUAL, .type = SETTING_TEXT,
	  .offset = IN_WORKLOAD(nic), .default_value = "",
	  .help = "the one of nics that it goes or comes by; else the first" },
	{ .key = "from", .only = TCP_STREAM, .type = SETTING_TEXT,
	  .offset = IN_WORKLOAD(from), .default_value = "",
	  .help = "the one of nics that it is sent by, at the other end of device's wire" },
	{ .key = "cpu", .only = VIRTUAL, .type = SETTING_COUNT, .offset = IN_WORKLOAD(cpu),
	  .most = HOST_CPUS_MOST - 1, .default_value = "0",
	  .help = "the CPU that its processes run on" },
	{ .key = "message_bytes", .only = VIRTUAL, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(message_bytes),
	  .least = 1, .most = 1472, .unit = "bytes",
	  .unset = "1; of received ones 1448 (TCP) or 1472",
	  .help = "payload; the frame has 42 more, with TCP 66" },
	{ .key = "segments", .only = UDP_FLOOD, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(segments), .least = 1,
	  .most = 17, .default_value = "1",
	  .help = "buffers a packet is in: a data descriptor each" },
	{ .key = "messages", .only = PACED, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(messages), .most = 1e15,
	  .default_value = "0", .help = "how many it sends; 0: as many as it can" },
	{ .key = "start_s", .only = VIRTUAL, .type = SETTING_NUMBER,
	  .offset = IN_WORKLOAD(start_s),
	  .finest = 1e-9, .most = 86400, .default_value = "0", .unit = "s",
	  .help = "when it begins" },
	{ .key = "interval_us", .only = PACED, .type = SETTING_NUMBER,
	  .offset = IN_WORKLOAD(interval_us),
	  .finest = 1e-3, .most = 1e9, .default_value = "0", .unit = "us",
	  .help = "sleep after each message; received: from burst to burst, 0: the wire's pace" },
	{ .key = "burst", .only = RECEIVED, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(burst), .least = 1,
	  .most = 1e9, .unset = "1", .unit = "packets",
	  .help = "received: so many follow each other at the wire's pace" },
	{ .key = "quick_acks", .only = TCP_RECEIVE "|" TCP_STREAM, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(quick_acks),
	  .most = 1e18, .unset = "16",
	  .help = "TCP: ACKs that wait for nothing, at the start and after a pause of 200 ms" },
	{ .key = "delayed_ack_ms", .only = TCP_RECEIVE "|" TCP_STREAM, .type = SETTING_NUMBER,
	  .offset = IN_WORKLOAD(delayed_ack_ms),
	  .least = 1e-3, .most = 500, .default_value = "40", .unit = "ms",
	  .help = "TCP: how long an ACK may wait" },
	{ .key = "gro", .only = RECEIVED, .type = SETTING_SWITCH, .offset = IN_WORKLOAD(gro),
	  .default_value = "false",
	  .help = "received segments are merged before the stack gets them" },
	{ .key = "reads", .only = RECEIVED, .type = SETTING_SWITCH,
	  .offset = IN_WORKLOAD(reads), .default_value = "false",
	  .help = "a process reads it (always so with tcp_stream); else it is gone at once" },
	{ .key = "busy_poll_us", .only = RECEIVED "|" TCP_STREAM, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(busy_poll_us), .most = 1e6, .default_value = "0",
	  .unit = "1.024 us",
	  .help = "how long that polls before it sleeps (SO_BUSY_POLL); 0: not at all" },
	{ .key = "prefer_busy_poll", .only = RECEIVED "|" TCP_STREAM, .type = SETTING_SWITCH,
	  .offset = IN_WORKLOAD(prefer_busy_poll), .default_value = "false",
	  .help = "and others leave the device to it and to the timer (SO_PREFER_BUSY_POLL)" },
	{ .key = "receive_buffer_bytes", .only = RECEIVED "|" TCP_STREAM, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(receive_buffer_bytes), .least = 8192, .most = 1e8, .unit = "bytes",
	  .unset = "TCP: 131072, and it grows; UDP: 212992",
	  .help = "of the socket that is read, as the kernel prints it" },
	{ .key = "write_bytes", .only = TCP_STREAM, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(write_bytes), .least = 1, .most = 1e8, .default_value = "65536",
	  .unit = "bytes", .help = "what the sending process writes at a time" },
	{ .key = "stream_bytes", .only = LWIP_RECEIVE "|" TCP_STREAM, .type = SETTING_COUNT,
	  .offset = IN_WORKLOAD(stream_bytes), .most = 1e15, .default_value = "0", .unit = "bytes",
	  .help = "length of the TCP stream; 0: as long as duration_s" },
	{ 0 },
};

/* What each of several devices may have of its own. Rows stand in two tables. */
#define NIC_ROWS(at) \
	{ .key = "nic.ring_size", .type = SETTING_COUNT, .offset = at(nic.ring_size), \
	  .least = RING_LEAST, .most = RING_MOST, .multiple = RING_MULTIPLE, \
	  .default_value = "256", .unit = "descriptors", \
	  .help = "transmit ring (ethtool -G tx)" }, \
	{ .key = "nic.rx_ring_size", .type = SETTING_COUNT, .offset = at(nic.rx_ring_size), \
	  .least = RING_LEAST, .most = RING_MOST, .multiple = RING_MULTIPLE, \
	  .default_value = "256", .unit = "descriptors", \
	  .help = "receive ring (ethtool -G rx)" }, \
	{ .key = "nic.line_rate_mbps", .type = SETTING_COUNT, .offset = at(nic.line_rate_mbps), \
	  .most = 100000, .default_value = "1000", .unit = "Mbit/s", .check = check_line_rate, \
	  .range = "0, or 10 to 100000", .help = "of the wire; 0: frames take no time" }, \
	{ .key = "nic.fetch_ns", .type = SETTING_COUNT, .offset = at(nic.fetch_ns), .most = 1e9, \
	  .default_value = "500", .unit = "ns", \
	  .help = "from the tail write to the descriptor in the device" }, \
	{ .key = "nic.dma_rate_mbps", .type = SETTING_COUNT, .offset = at(nic.dma_rate_mbps), \
	  .most = 1e6, .default_value = "8000", .unit = "Mbit/s", \
	  .help = "of reading packet data; 0: it takes no time" },

#define DRIVER_ROWS(at) \
	{ .key = "driver.profile", .type = SETTING_CHOICE, .offset = at(driver.profile), \
	  .default_value = "linux-6.1", .choices = PROFILES, \
	  .help = "the kernel whose driver this is, and the stack; of nics: the driver alone" }, \
	{ .key = "driver.checksum", .type = SETTING_SWITCH, .offset = at(driver.checksum), \
	  .default_value = "true", \
	  .help = "the device computes it: a context descriptor before each packet" }, \
	{ .key = "driver.bql", .type = SETTING_CHOICE, .offset = at(driver.bql), \
	  .default_value = "auto", .choices = "auto|on|off", \
	  .help = "byte queue limits; auto: on where the profile's kernel has them" }, \
	{ .key = "driver.bql_limit_min", .type = SETTING_COUNT, \
	  .offset = at(driver.bql_limit_min), .most = (double)DQL_LIMIT_MOST, \
	  .default_value = "0", .unit = "bytes", \
	  .help = "least limit (byte_queue_limits/limit_min)" }, \
	{ .key = "driver.bql_limit_max", .type = SETTING_COUNT, \
	  .offset = at(driver.bql_limit_max), .most = (double)DQL_LIMIT_MOST, \
	  .default_value = "1879048192", .unit = "bytes", \
	  .help = "greatest limit (byte_queue_limits/limit_max)" }, \
	{ .key = "driver.reserve", .type = SETTING_COUNT, .offset = at(driver.reserve), \
	  .most = 1000, .unit = "descriptors", .unset = "the profile's", \
	  .help = "fewer free than this after a packet, and the queue stops" }, \
	{ .key = "driver.wake_threshold", .type = SETTING_COUNT, \
	  .offset = at(driver.wake_threshold), .least = 1, .most = 4000, .unit = "descriptors", \
	  .unset = "the profile's", .help = "so many free after a clean-up, and it wakes" }, \
	{ .key = "driver.InterruptThrottleRate", .type = SETTING_COUNT, \
	  .offset = at(driver.throttle_rate), .most = 1e18, .default_value = "8000", \
	  .unit = "1/s", .check = check_throttle, .range = "0, 1, 3, 4, or 100 to 100000", \
	  .help = "at most so many interrupts; 0: no limit; 1, 3, 4: it follows the load" }, \
	{ .key = "driver.TxIntDelay", .type = SETTING_COUNT, .offset = at(driver.tidv), \
	  .most = 65535, .unit = "1.024 us", .unset = "the profile's", \
	  .help = "an interrupt waits so long after the last packet; 0: not at all" }, \
	{ .key = "driver.TxAbsIntDelay", .type = SETTING_COUNT, .offset = at(driver.tadv), \
	  .most = 65535, .unit = "1.024 us", .unset = "the profile's", \
	  .help = "but no longer than this after the first; 0: no such bound" }, \
	{ .key = "driver.RxIntDelay", .type = SETTING_COUNT, .offset = at(driver.rdtr), \
	  .most = 65535, .default_value = "0", .unit = "1.024 us", \
	  .help = "as TxIntDelay, for received packets" }, \
	{ .key = "driver.RxAbsIntDelay", .type = SETTING_COUNT, .offset = at(driver.radv), \
	  .most = 65535, .default_value = "8", .unit = "1.024 us", \
	  .help = "as TxAbsIntDelay, for received packets" }, \
	{ .key = "driver.threaded", .type = SETTING_COUNT, .offset = at(driver.threaded), \
	  .most = 1, .default_value = "0", \
	  .help = "1: a thread of its own polls the device (/sys/class/net/DEV/threaded)" }, \
	{ .key = "driver.thread_cpu", .type = SETTING_COUNT, .offset = at(driver.thread_cpu), \
	  .most = HOST_CPUS_MOST - 1, .unset = "irq_cpu", \
	  .help = "the CPU that this thread runs on" }, \
	{ .key = "driver.napi_defer_hard_irqs", .type = SETTING_COUNT, \
	  .offset = at(driver.defer_hard_irqs), .most = 1e6, .default_value = "0", \
	  .unit = "polls", \
	  .help = "a timer polls, and interrupts stay off until so many polls find nothing" }, \
	{ .key = "driver.gro_flush_timeout", .type = SETTING_COUNT, \
	  .offset = at(driver.flush_timeout), .most = 1e9, .default_value = "0", .unit = "ns", \
	  .help = "how long after a poll that timer comes" },

static const struct setting device_items[] = {
	{ .key = "name", .type = SETTING_TEXT, .offset = IN_DEVICE(name), .default_value = "",
	  .help = "eth0 and so on, unless it is given" },
	NIC_ROWS(IN_DEVICE)
	DRIVER_ROWS(IN_DEVICE)
	{ 0 },
};

#define FAULTS_LIST(at) \
	{ .key = "nic.faults", .items = fault_items, .offset = at(nic.faults), \
	  .item_bytes = sizeof(struct scenario_fault), .count_offset = at(nic.fault_count), \
	  .most = NIC_FAULTS_MOST, .help = "what breaks" },

static const struct setting_list device_lists[] = {
	FAULTS_LIST(IN_DEVICE)
	{ 0 },
};

const struct setting_list setting_lists[] = {
	FAULTS_LIST(AT)
	{ .key = "workload", .items = workload_items, .offset = AT(workloads),
	  .item_bytes = sizeof(struct scenario_workload), .count_offset = AT(workload_count),
	  .most = SCENARIO_WORKLOADS_MOST,
	  .help = "who sends; without it, one udp_flood at its defaults" },
	{ .key = "nics", .items = device_items, .offset = AT(devices),
	  .item_bytes = sizeof(struct scenario_device), .count_offset = AT(device_count),
	  .most = HOST_DEVICES_MOST, .overrides = true, .given_offset = IN_DEVICE(given),
	  .lists = device_lists,
	  .help = "where there are several: what differs from nic and driver" },
	{ 0 },
};

/* A message must take time: else a sender would never let any pass. So must a softirq, as with
 * netdev_budget 0 there may be no end of them, and a round of busy polling. */
#define LEAST_COST(name) \
	(HOST_COST_##name == HOST_COST_send || HOST_COST_##name == HOST_COST_softirq || \
		HOST_COST_##name == HOST_COST_busy_poll)
#define COST_ROW(name, default_ns, text) \
	{ .key = "host.cost_ns." #name, .type = SETTING_COUNT, \
	  .offset = AT(host.cost_ns[HOST_COST_##name]), .least = LEAST_COST(name), .most = 1e9, \
	  .default_value = #default_ns, .unit = "ns", .help = text },

const struct setting settings[] = {
	{ .key = "title", .type = SETTING_TEXT, .offset = AT(title), .default_value = "",
	  .help = "what it is about" },
	{ .key = "seed", .type = SETTING_COUNT, .offset = AT(seed), .most = 1e18,
	  .default_value = "1", .help = "of the jitter and of a trace's UUID" },
	{ .key = "duration_s", .type = SETTING_NUMBER, .offset = AT(duration_s), .least = 1e-6,
	  .most = 86400, .default_value = "1", .unit = "s",
	  .help = "how long the senders send; then what is under way is drained" },
	{ .key = "clock", .type = SETTING_CHOICE, .offset = AT(clock), .default_value = "virtual",
	  .choices = "virtual|tsc",
	  .help = "time: as fast as the computer can; the processor's, for lwip_receive" },

	NIC_ROWS(AT)

	DRIVER_ROWS(AT)

	{ .key = "host.cpus", .type = SETTING_COUNT, .offset = AT(host.cpus), .least = 1,
	  .most = HOST_CPUS_MOST, .default_value = "1", .help = "how many there are" },
	{ .key = "host.irq_cpu", .type = SETTING_COUNT, .offset = AT(host.irq_cpu),
	  .most = HOST_CPUS_MOST - 1, .default_value = "0",
	  .help = "the CPU that gets the device's interrupts" },
	{ .key = "host.qdisc_limit", .type = SETTING_COUNT, .offset = AT(host.qdisc_limit),
	  .least = 1, .most = 1e6, .default_value = "1000", .unit = "packets",
	  .help = "length of the pfifo (txqueuelen)" },
	{ .key = "host.dev_weight", .type = SETTING_COUNT, .offset = AT(host.dev_weight),
	  .least = 1, .most = 65535, .default_value = "64", .unit = "packets",
	  .help = "budget of one NAPI poll" },
	{ .key = "host.weight_policy", .type = SETTING_CHOICE, .offset = AT(host.weight_policy),
	  .default_value = "packets", .choices = "packets|time|cost",
	  .help = "a poll ends after dev_weight packets, after weight_us, or packets worth that" },
	{ .key = "host.weight_us", .type = SETTING_NUMBER, .offset = AT(host.weight_us),
	  .least = 1e-3, .most = 1e6, .default_value = "200", .unit = "us",
	  .help = "of policies time and cost" },
	{ .key = "host.netdev_budget", .type = SETTING_COUNT, .offset = AT(host.netdev_budget),
	  .most = 1e6, .default_value = "300", .unit = "packets",
	  .help = "of one NET_RX softirq" },
	{ .key = "host.netdev_budget_usecs", .type = SETTING_COUNT,
	  .offset = AT(host.netdev_budget_usecs), .most = 1e9, .unit = "us",
	  .unset = "two ticks", .help = "the same, as time" },
	{ .key = "host.dev_tx_weight", .type = SETTING_COUNT, .offset = AT(host.dev_tx_weight),
	  .least = 1, .most = 65535, .unit = "packets", .unset = "64, in linux-6.1",
	  .help = "sent in one run over the qdisc" },
	{ .key = "host.send_buffer_bytes", .type = SETTING_COUNT,
	  .offset = AT(host.send_buffer_bytes), .least = 2048, .most = 1e9,
	  .default_value = "212992", .unit = "bytes",
	  .help = "a socket's send buffer, as the kernel prints it" },
	{ .key = "host.truesize_bytes", .type = SETTING_COUNT, .offset = AT(host.truesize_bytes),
	  .least = 64, .most = 1e6, .unit = "bytes", .unset = "the kernel's for that message",
	  .help = "memory charged to it for a packet" },
	{ .key = "host.tick_hz", .type = SETTING_COUNT, .offset = AT(host.tick_hz), .least = 100,
	  .most = 1000, .default_value = "250", .unit = "1/s",
	  .help = "CONFIG_HZ: when a task that waits takes over" },
	{ .key = "host.jitter", .type = SETTING_NUMBER, .offset = AT(host.jitter), .most = 0.9,
	  .default_value = "0",
	  .help = "each cost is multiplied by a random 1 - jitter to 1 + jitter" },
	HOST_COSTS(COST_ROW)

	{ .key = "published.source", .type = SETTING_TEXT, .offset = AT(published.source),
	  .default_value = "", .help = "where the figures to compare with come from" },
	{ .key = "published.tx_packets", .type = SETTING_NUMBER,
	  .offset = AT(published.tx_packets), .most = 1e15, .help = "packets sent" },
	{ .key = "published.packets_per_s", .type = SETTING_NUMBER,
	  .offset = AT(published.packets_per_s), .most = 1e12, .unit = "1/s",
	  .help = "while the load ran" },
	{ .key = "published.lap_avg_ms", .type = SETTING_NUMBER,
	  .offset = AT(published.lap_avg_ms), .most = 1e9, .unit = "ms",
	  .help = "average time in the device" },
	{ .key = "published.lap_max_ms", .type = SETTING_NUMBER,
	  .offset = AT(published.lap_max_ms), .most = 1e9, .unit = "ms",
	  .help = "longest time in the device" },
	{ .key = "published.in_device_avg", .type = SETTING_NUMBER,
	  .offset = AT(published.in_device_avg), .most = 1e9, .unit = "packets",
	  .help = "average number in the device while the load ran" },
	{ .key = "published.in_device_max", .type = SETTING_NUMBER,
	  .offset = AT(published.in_device_max), .most = 1e9, .unit = "packets",
	  .help = "most in the device" },
	{ .key = "published.packets_per_poll", .type = SETTING_NUMBER,
	  .offset = AT(published.packets_per_poll), .most = 65535, .unit = "packets",
	  .help = "received in a poll of the first device, on average" },
	{ .key = "published.packets_per_working_poll", .type = SETTING_NUMBER,
	  .offset = AT(published.packets_per_working_poll), .most = 65535, .unit = "packets",
	  .help = "the same, polls left out that found none" },
	{ .key = "published.segments_per_ack", .type = SETTING_NUMBER,
	  .offset = AT(published.segments_per_ack), .most = 1e9, .unit = "segments",
	  .help = "received by the first receiver for each ACK that it sent" },
	{ .key = "published.interrupts_per_s", .type = SETTING_NUMBER,
	  .offset = AT(published.interrupts_per_s), .most = 1e9, .unit = "1/s",
	  .help = "of the first device, from the first to the last" },
	{ 0 },
};
/* clang-format on */
