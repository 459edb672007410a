/* SPDX-License-Identifier: BSD-3-Clause */
/* The reports of napi, sock and rxcost: keys, units, and what is said where something isn't known.
 */
#include "report_napi.h"
#include "report_rxcost.h"
#include "report_sock.h"

#include "scene_report.h"
#include <errno.h>

static struct report_input input_of(uint64_t hz)
{
	source = (struct trace_source){ "trace.txt", "ftrace", NULL, hz };
	counts = (struct trace_counts){ .read = 9 };
	return (struct report_input){ &source, &counts, NULL };
}

/* Runs the statement with an open stream `out`; the text is the caller's. */
static char *text;

#define PRINT(statement)                                    \
	do {                                                \
		size_t bytes_;                              \
		FILE *out = open_memstream(&text, &bytes_); \
                                                            \
		CU_ASSERT_PTR_NOT_NULL_FATAL(out);          \
		statement;                                  \
		CU_ASSERT_EQUAL(fclose(out), 0);            \
	} while (0)

/* "found" may be broken by line ends. */
static bool says(const char *found)
{
	for (const char *p = text; *p; p++) {
		const char *a = p, *b = found;

		while (*a && *b) {
			if (*b == ' ' && (*a == ' ' || *a == '\n')) {
				a += strspn(a, " \n");
				b++;
			} else if (*a++ != *b++) {
				break;
			}
		}
		if (!*b && a[-1] == b[-1])
			return true;
	}
	return false;
}

static const struct napi_device eth0 = {
	.name = "eth0",
	.polls = 5,
	.known = 4,
	.working = 3,
	.full = 1,
	.work = 96,
	.budget = 256,
	.time = { .count = 4, .min = 1000, .avg = 4800, .max = 9000 },
	.time_sum = 19200,
	.time_work = 96,
	.interrupts = 5,
	.interrupt_span = 4000000,
	.received = 96,
	.acks = 48,
};

static void napi_has_the_keys_of_the_contract(void)
{
	struct napi_report napi = { .devices = &eth0,
		.device_count = 1,
		.budget = 300,
		.budget_usecs = 2000,
		.softirqs = 4,
		.squeezed_by_packets = 2,
		.squeezed_by_time = 1,
		.repolls = 3 };
	struct report_input input = input_of(SECONDS);
	json_t *json = report_napi_json(&input, &napi);

	CU_ASSERT(is_text(json, "schema", "ringside.napi/1"));
	CU_ASSERT(is_integer(json, "squeezes.packets", 2));
	CU_ASSERT(is_integer(json, "squeezes.time", 1));
	CU_ASSERT(is_integer(json, "repolls", 3));
	CU_ASSERT(is_text(json, "devices.0.name", "eth0"));
	CU_ASSERT(is_integer(json, "devices.0.polls", 5));
	CU_ASSERT(is_integer(json, "devices.0.work.known", 4));
	CU_ASSERT(is_integer(json, "devices.0.work.sum", 96));
	CU_ASSERT(is_real(json, "devices.0.work.avg", 24));
	CU_ASSERT(is_real(json, "devices.0.work.avg_with_work", 32));
	CU_ASSERT(is_integer(json, "devices.0.work.polls_without", 1));
	CU_ASSERT(is_real(json, "devices.0.budget.share", 96.0 / 256));
	CU_ASSERT(is_integer(json, "devices.0.budget.polls_full", 1));
	CU_ASSERT(is_integer(json, "devices.0.poll_ns.max", 9000));
	CU_ASSERT(is_real(json, "devices.0.packet_ns", 200));
	CU_ASSERT(is_integer(json, "devices.0.interrupts.count", 5));
	CU_ASSERT(is_real(json, "devices.0.interrupts.per_s", 1000)); /* 4 gaps in 4 ms */
	CU_ASSERT(is_real(json, "devices.0.interrupts.packets_each", 19.2));
	CU_ASSERT(is_real(json, "devices.0.received_per_ack", 2));
	json_decref(json);
	PRINT(report_napi_text(&input, &napi, out));
	CU_ASSERT(says("96 packets, 24.00 a poll (of 4 polls it is known)"));
	CU_ASSERT(says("5, 1000.0 a second; 19.20 packets, 1.00 polls each"));
	CU_ASSERT(says("1 poll outside of a NET_RX softirq: the time is not known"));
	CU_ASSERT(says("2 squeezed by packets (300 of budget), 1 by time (2000 us), 3 repolls"));
	free(text);
}

static void napi_tells_who_polled_in_no_softirq(void)
{
	struct napi_device device = eth0;
	struct napi_report napi = { .devices = &device, .device_count = 1, .softirqs = 4 };
	struct report_input input = input_of(SECONDS);
	json_t *json;

	device.polls = 9; /* of them 4 in a softirq */
	device.by_thread = 3;
	device.by_process = 2;
	json = report_napi_json(&input, &napi);
	CU_ASSERT(is_integer(json, "devices.0.polls_timed", 4));
	CU_ASSERT(is_integer(json, "devices.0.polls_by_thread", 3));
	CU_ASSERT(is_integer(json, "devices.0.polls_by_process", 2));
	json_decref(json);
	PRINT(report_napi_text(&input, &napi, out));
	CU_ASSERT(says("5 polls outside of a NET_RX softirq, 3 by the device's thread (threaded"));
	CU_ASSERT(says("2 by processes (busy polling)"));
	free(text);
}

static void napi_tells_what_is_not_known(void)
{
	struct napi_device old = { .name = "eth0", .polls = 2 };
	struct napi_report napi = {
		.devices = &old, .device_count = 1, .repolls = 1, .doubtful = 1
	};
	struct report_input input = input_of(0);
	json_t *json = report_napi_json(&input, &napi);

	CU_ASSERT(is_null(json, "squeezes.time"));
	CU_ASSERT(is_integer(json, "repolls_doubtful", 1));
	CU_ASSERT(is_null(json, "devices.0.work.avg"));
	CU_ASSERT(is_null(json, "devices.0.budget.share"));
	CU_ASSERT(is_null(json, "devices.0.poll_cycles.avg"));
	CU_ASSERT(is_null(json, "devices.0.packet_cycles"));
	CU_ASSERT(is_null(json, "devices.0.interrupts"));
	json_decref(json);
	PRINT(report_napi_text(&input, &napi, out));
	CU_ASSERT(says("this kernel doesn't tell"));
	CU_ASSERT(says("which takes a calibrated clock to tell"));
	CU_ASSERT_FALSE(says("nan"));
	free(text);
	napi.device_count = 0;
	PRINT(report_napi_text(&input, &napi, out));
	CU_ASSERT(says("Nothing was polled"));
	free(text);
}

static void sock_has_the_keys_of_the_contract(void)
{
	struct sock_error kinds[] = { { EAGAIN, 2 }, { 512, 1 }, { 4000, 1 } };
	struct sock_process reader = { .comm = "my\treader", .pid = 7 };
	struct sock_report sock = { .processes = &reader, .process_count = 1, .ignored = 3 };
	struct report_input input = input_of(SECONDS);
	json_t *json;

	reader.traffic[SOCK_TCP] = (struct sock_traffic){ .receives = 4,
		.received_bytes = 6000,
		.peeks = 1,
		.errors = 9,
		.kinds = kinds,
		.kind_count = 3,
		.other_errors = 5 };
	json = report_sock_json(&input, &sock);
	CU_ASSERT(is_text(json, "schema", "ringside.sock/1"));
	CU_ASSERT(is_integer(json, "events.other_protocols", 3));
	CU_ASSERT(is_text(json, "processes.0.comm", "my\treader"));
	CU_ASSERT(is_integer(json, "processes.0.pid", 7));
	CU_ASSERT(is_null(json, "processes.0.cgroup"));
	CU_ASSERT(is_integer(json, "processes.0.tcp.receives", 4));
	CU_ASSERT(is_integer(json, "processes.0.tcp.received_bytes", 6000));
	CU_ASSERT(is_integer(json, "processes.0.tcp.peeks", 1));
	CU_ASSERT(is_integer(json, "processes.0.tcp.errors", 9));
	CU_ASSERT(is_integer(json, "processes.0.tcp.errno.EAGAIN", 2));
	CU_ASSERT(is_integer(json, "processes.0.tcp.errno.ERESTARTSYS", 1));
	CU_ASSERT(is_integer(json, "processes.0.tcp.errno.4000", 1));
	CU_ASSERT(is_integer(json, "processes.0.tcp.errno.others", 5));
	CU_ASSERT(is_integer(json, "processes.0.udp.sent_bytes", 0));
	json_decref(json);
	PRINT(report_sock_text(&input, &sock, out));
	CU_ASSERT(says("my?reader 7\n"));
	CU_ASSERT_FALSE(says(" in /"));
	CU_ASSERT(says("received 6000 bytes in 4 calls, 1 peek, 9 errors: EAGAIN=2 ERESTARTSYS=1"));
	CU_ASSERT_FALSE(says("udp:"));
	free(text);
	reader.cgroup = "/my\tslice";
	json = report_sock_json(&input, &sock);
	CU_ASSERT(is_text(json, "processes.0.cgroup", "/my\tslice"));
	json_decref(json);
	PRINT(report_sock_text(&input, &sock, out));
	CU_ASSERT(says("my?reader 7 in /my?slice\n"));
	free(text);
}

static void rxcost_has_the_keys_of_the_contract(void)
{
	struct rxcost_sample newest[18] = { { 37, false }, { 63, true } };
	struct rxcost_table table = { .name = "eth0",
		.pairs = 20,
		.several = 2,
		.held_irq = 1,
		.per_packet = true,
		.packets = 18,
		.cost = { .count = 18, .max = 737 },
		.clusters = { { 9, 37, 0, 0, 0.37 }, { 9, 63, 10, 9, 0.63 } },
		.cluster_count = 2,
		.ratio = 63.0 / 37,
		.outliers = 1,
		.outlier_above = 82,
		.every = 2,
		.every_share = 0.75,
		.acks_inside = 10,
		.acks_in_softirq = 2,
		.acks_elsewhere = 3,
		.newest = newest,
		.newest_count = 18 };
	struct rxcost_report rxcost = { .all = table,
		.devices = &table,
		.device_count = 1,
		.writing = 3,
		.receives_seen = true,
		.acks_seen = true,
		.softirqs_seen = true };
	struct report_input input = input_of(12000000);
	json_t *json = report_rxcost_json(&input, &rxcost, 17);

	CU_ASSERT(is_text(json, "schema", "ringside.rxcost/1"));
	CU_ASSERT(is_integer(json, "hz", 12000000));
	CU_ASSERT(is_integer(json, "packets", 18));
	CU_ASSERT(is_integer(json, "clusters.0.median", 37));
	CU_ASSERT(is_integer(json, "clusters.1.median", 63));
	CU_ASSERT(is_integer(json, "clusters.1.median_ns", 5250));
	CU_ASSERT(is_integer(json, "clusters.1.count", 9));
	CU_ASSERT(is_integer(json, "clusters.1.acks", 10));
	CU_ASSERT(is_real(json, "ratio", 1.7027027027));
	CU_ASSERT(is_integer(json, "outliers", 1));
	CU_ASSERT(is_integer(json, "pattern.every", 2));
	CU_ASSERT(is_integer(json, "pairs.several_packets", 2));
	CU_ASSERT(is_text(json, "devices.0.name", "eth0"));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "newest")), 17);
	CU_ASSERT(is_integer(json, "newest.0", 63));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "newest_sent_ack")), 17);
	CU_ASSERT(json_is_true(look_up(json, "newest_sent_ack.0")));
	CU_ASSERT(json_is_false(look_up(json, "devices.0.newest_sent_ack.1")));
	CU_ASSERT(is_integer(json, "acks.inside", 10));
	CU_ASSERT(is_integer(json, "acks.in_softirq", 2));
	CU_ASSERT(is_integer(json, "devices.0.acks.elsewhere", 3));
	CU_ASSERT(is_integer(json, "event_writing_ns", 250));
	json_decref(json);
	PRINT(report_rxcost_text(&input, &rxcost, 18, out));
	CU_ASSERT(says("ACKs: 15 = 10 inside of pairs + 5 outside any pair: 2 in a softirq, 3 by"));
	CU_ASSERT(says("to netif_receive_skb it is 3 ticks (0.25 us)"));
	CU_ASSERT_FALSE(says("What is missing"));
	CU_ASSERT(says("cheap: median 37 ticks (3.08 us), 9 packets"));
	CU_ASSERT(says("Mostly every second one is dear"));
	/* 16 to a row, ACK senders marked */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n[ 37 63* 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ]\n[ 0 0 ]\n"));
	free(text);
}

static void rxcost_of_gathered_packets_is_not_called_a_cost(void)
{
	struct rxcost_table table = { .name = "eth0", .pairs = 16, .empty = 14, .several = 2 };
	struct rxcost_report rxcost = {
		.all = table, .devices = &table, .device_count = 1, .receives_seen = true
	};
	struct report_input input = input_of(0);
	json_t *json = report_rxcost_json(&input, &rxcost, 0);

	CU_ASSERT(json_is_false(look_up(json, "per_packet")));
	CU_ASSERT(is_null(json, "hz"));
	CU_ASSERT(is_null(json, "ratio"));
	CU_ASSERT(is_null(json, "segments.with_ack.median"));
	CU_ASSERT_EQUAL(json_array_size(look_up(json, "clusters")), 0);
	CU_ASSERT_PTR_NULL(look_up(json, "newest"));
	json_decref(json);
	PRINT(report_rxcost_text(&input, &rxcost, 512, out));
	CU_ASSERT(says("This is no cost per packet"));
	CU_ASSERT_FALSE(says("median"));
	free(text);
}

static void rxcost_tells_what_is_not_known(void)
{
	struct rxcost_table table = { .name = "eth0", .acks_inside = 1, .acks_elsewhere = 2 };
	struct rxcost_report rxcost = {
		.all = table, .devices = &table, .device_count = 1, .acks_seen = true
	};
	struct report_input input = input_of(SECONDS);
	json_t *json;

	counts.lost = 7;
	json = report_rxcost_json(&input, &rxcost, 0);
	CU_ASSERT(json_is_false(look_up(json, "complete")));
	CU_ASSERT(is_null(json, "acks.in_softirq"));
	CU_ASSERT(is_integer(json, "acks.elsewhere", 2));
	CU_ASSERT(is_null(json, "event_writing_ns"));
	json_decref(json);
	PRINT(report_rxcost_text(&input, &rxcost, 512, out));
	CU_ASSERT(says("ACKs: 3 = 1 inside of pairs + 2 outside any pair\n"));
	CU_ASSERT(says("these counts can't agree with a capture's"));
	free(text);
}

static const struct test_case cases[] = {
	{ "napi has the keys of the contract", napi_has_the_keys_of_the_contract },
	{ "napi tells who polled in no softirq", napi_tells_who_polled_in_no_softirq },
	{ "napi tells what isn't known", napi_tells_what_is_not_known },
	{ "sock has the keys of the contract", sock_has_the_keys_of_the_contract },
	{ "rxcost has the keys of the contract", rxcost_has_the_keys_of_the_contract },
	{ "rxcost of gathered packets isn't called a cost",
		rxcost_of_gathered_packets_is_not_called_a_cost },
	{ "rxcost tells what isn't known", rxcost_tells_what_is_not_known },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = { { "measures", cases, NULL, NULL }, { 0 } };

	return test_main(argc, argv, suites);
}
