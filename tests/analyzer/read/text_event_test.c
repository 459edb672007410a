/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_event.h"

#include "harness.h"
#include "input.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct kernel_names events;

/* Runs a case with names of its own. */
static void with_names(void (*body)(void))
{
	events = (struct kernel_names){ .names = names_create() };
	CU_ASSERT_PTR_NOT_NULL_FATAL(events.names);
	body();
	names_destroy(events.names);
}

#define CASE(name)                   \
	static void name(void);      \
	static void run_##name(void) \
	{                            \
		with_names(name);    \
	}                            \
	static void name(void)

/* Parses "event: fields" as it stands behind a head. */
static int parse(const char *text, struct event *event)
{
	static char line[2000 + INPUT_SLACK_BYTES];
	struct text_head head;
	int bytes = snprintf(line, 2000, "  iperf3-w  3100 [001]     1.000000123: %s", text);

	line[bytes] = '\n';
	*event = (struct event){ 0 };
	CU_ASSERT_FATAL(text_head_parse(line, (size_t)bytes, &head));
	return text_event_parse(&events, &head, event);
}

static struct event used(const char *text)
{
	struct event event;
	int status = parse(text, &event);

	if (status != TEXT_EVENT_USED)
		printf("%d: %s\n", status, text);
	CU_ASSERT_EQUAL(status, TEXT_EVENT_USED);
	CU_ASSERT_EQUAL(event.time, 1000000123);
	return event;
}

static void expect_device(const struct event *event, const char *name)
{
	const char *device = names_get(events.names, NAME_DEVICE, event->device);

	CU_ASSERT_PTR_NOT_NULL_FATAL(device);
	CU_ASSERT_STRING_EQUAL(device, name);
}

static const char start_6_1[] =
	"net:net_dev_start_xmit: dev=eth1 queue_mapping=3 skbaddr=0xff1100016213d700 vlan_tagged=0 "
	"vlan_proto=0x0000 vlan_tci=0x0000 protocol=0x0800 ip_summed=3 len=13199 data_len=13145 "
	"network_offset=14 transport_offset_valid=1 transport_offset=34 tx_flags=0 gso_size=1448 "
	"gso_segs=9 gso_type=0x1";

CASE(start_xmit_has_all_that_the_kernel_prints)
{
	struct event event = used(start_6_1);

	CU_ASSERT_EQUAL(event.id, EVENT_START_XMIT);
	CU_ASSERT_EQUAL(event.packet, 0xff1100016213d700);
	CU_ASSERT_EQUAL(event.len, 13199);
	CU_ASSERT_EQUAL(event.queue, 3);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, event.arg), 1448);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, event.arg), 9);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, queue_high, event.arg), 0);
	expect_device(&event, "eth1");
}

/* The same without what older kernels lack, in another order, with what a newer one may add. */
CASE(fields_are_bound_by_name)
{
	struct event event = used("net_dev_start_xmit: new=1 gso_size=1448 len=98 tx_len=5 "
				  "skbaddr=ffff88003b0d2200 odd dev=eth1 =x queue_mapping_old=7");

	CU_ASSERT_EQUAL(event.packet, 0xffff88003b0d2200);
	CU_ASSERT_EQUAL(event.len, 98);
	CU_ASSERT_EQUAL(event_queue(&event), EVENT_QUEUE_UNKNOWN);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, event.arg), 1448);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, event.arg), 0);
	/* trace-cmd report -R */
	event = used("net_dev_start_xmit:    name=eth1 queue_mapping=0 skbaddr=0xff110001009678e8 "
		     "vlan_tagged=0 protocol=0x0800 len=74 gso_size=0 gso_segs=1 gso_type=0x1");
	CU_ASSERT_EQUAL(event.packet, 0xff110001009678e8);
	expect_device(&event, "eth1");
}

CASE(fields_may_be_parted_by_tabs)
{
	struct event event = used("net_dev_xmit: unknown=1\tdev=eth0\tskbaddr=0x20\tlen=9\trc=0");

	CU_ASSERT_EQUAL(event.packet, 0x20);
	CU_ASSERT_EQUAL(event.len, 9);
	expect_device(&event, "eth0");
}

CASE(no_number_is_made_narrower)
{
	struct event event;

	event = used("net_dev_start_xmit: dev=e queue_mapping=65534 skbaddr=1 len=4294967295");
	CU_ASSERT_EQUAL(event.len, UINT32_MAX);
	CU_ASSERT_EQUAL(event.queue, 0xfe);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, queue_high, event.arg), 0xff);
	event = used("net_dev_start_xmit: dev=e queue_mapping=255 skbaddr=1 len=1");
	CU_ASSERT_EQUAL(event_queue(&event), 255);
	event = used("net_dev_start_xmit: dev=e queue_mapping=511 skbaddr=1 len=1");
	CU_ASSERT_EQUAL(event_queue(&event), 511);
	event = used("net_dev_start_xmit: dev=e skbaddr=1 len=1 gso_size=65535 gso_segs=65535");
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_size, event.arg), 65535);
	CU_ASSERT_EQUAL(EVENT_GET(START_XMIT, gso_segs, event.arg), 65535);
	CU_ASSERT_EQUAL(parse("net_dev_xmit: dev=e skbaddr=1 len=4294967296 rc=0", &event),
		TEXT_EVENT_UNPARSED);
	CU_ASSERT_EQUAL(parse("net_dev_start_xmit: dev=e skbaddr=1 len=1 gso_size=65536", &event),
		TEXT_EVENT_UNPARSED);
	CU_ASSERT_EQUAL(parse("net_dev_xmit: dev=e skbaddr=11112222333344445 len=1 rc=0", &event),
		TEXT_EVENT_UNPARSED);
}

static uint64_t header_bytes(const char *rest)
{
	char text[300];
	struct event event;

	snprintf(text, sizeof(text), "net_dev_start_xmit: dev=e skbaddr=1 %s", rest);
	event = used(text);
	return EVENT_GET(START_XMIT, header_bytes, event.arg);
}

/*
 * 66 bytes of headers and 9 segments of 1448: ending before the options would make a tenth segment
 * of 12 bytes. 113 bytes over are a segment, not options.
 */
CASE(headers_are_told_from_what_is_left_over)
{
	CU_ASSERT_EQUAL(header_bytes("len=13098 transport_offset_valid=1 transport_offset=34 "
				     "gso_size=1448 gso_type=0x1"),
		66);
	CU_ASSERT_EQUAL(header_bytes("len=13199 transport_offset_valid=1 transport_offset=34 "
				     "gso_size=1448 gso_type=0x1"),
		54);
	/* IPv6: 14 + 40 + 32, and ten segments of 1428 */
	CU_ASSERT_EQUAL(header_bytes("len=14366 transport_offset_valid=1 transport_offset=54 "
				     "gso_size=1428 gso_type=0x10"),
		86);
	CU_ASSERT_EQUAL(header_bytes("len=14442 transport_offset_valid=1 transport_offset=34 "
				     "gso_size=1472 gso_type=0x20000"),
		42);
	/* not told, or told to be nonsense: Ethernet, IPv4 and TCP */
	CU_ASSERT_EQUAL(header_bytes("len=98 gso_size=0"), 54);
	CU_ASSERT_EQUAL(header_bytes("len=98 transport_offset_valid=0 transport_offset=65501"), 54);
}

CASE(xmit_has_its_return_code)
{
	struct event event =
		used("net:net_dev_xmit: dev=eth0 skbaddr=0xffff888104a1c100 len=98 rc=16");

	CU_ASSERT_EQUAL(event.id, EVENT_XMIT);
	CU_ASSERT_EQUAL(event.len, 98);
	CU_ASSERT_EQUAL(EVENT_GET(XMIT, rc, event.arg), 0x10);
	event = used("net_dev_xmit: dev=eth0 skbaddr=0xffff888104a1c100 len=98 rc=-12");
	CU_ASSERT_EQUAL((int32_t)EVENT_GET(XMIT, rc, event.arg), -12);
	/* without it nobody knows where the packet is */
	CU_ASSERT_EQUAL(parse("net_dev_xmit: dev=eth0 skbaddr=0xffff888104a1c100 len=98", &event),
		TEXT_EVENT_UNPARSED);
}

static const char *reason_of(const char *text)
{
	struct event event = used(text);
	uint64_t reason = EVENT_GET(FREE, reason, event.arg);

	CU_ASSERT_EQUAL(event.id, EVENT_FREE);
	CU_ASSERT_EQUAL(event.packet, 0xffff888104a1c000);
	CU_ASSERT_EQUAL(event.device, EVENT_NO_DEVICE);
	return reason ? names_get(events.names, NAME_REASON, (uint32_t)reason) : "";
}

CASE(frees_have_a_reason_unless_they_consume)
{
#define ADDRESS "skbaddr=0xffff888104a1c000"
	CU_ASSERT_STRING_EQUAL(reason_of("skb:consume_skb: " ADDRESS), "");
	CU_ASSERT_STRING_EQUAL(
		reason_of("skb:consume_skb: " ADDRESS " location=napi_consume_skb+0x4f"), "");
	CU_ASSERT_STRING_EQUAL(reason_of("dev_kfree_skb_irq: " ADDRESS), "");
	/* kernels 5.10, 5.17, 6.0, 6.11, 6.18; trace-cmd report -R */
	CU_ASSERT_STRING_EQUAL(
		reason_of("kfree_skb: " ADDRESS " protocol=2048 location=ffffffff9a63b0a4"),
		"unknown");
	CU_ASSERT_STRING_EQUAL(
		reason_of("skb:kfree_skb: " ADDRESS
			  " protocol=2048 location=0xffffffff9a63b0a4 reason: NO_SOCKET"),
		"NO_SOCKET");
	CU_ASSERT_STRING_EQUAL(reason_of("skb:kfree_skb: " ADDRESS " rx_sk=(nil) protocol=2048 "
					 "location=tcp_v4_rcv+0x63 reason: NOT_SPECIFIED"),
		"NOT_SPECIFIED");
	CU_ASSERT_STRING_EQUAL(
		reason_of("kfree_skb:  " ADDRESS " location=0x1 protocol=2048 reason=2"), "2");
	CU_ASSERT_STRING_EQUAL(
		reason_of("kfree_skb: " ADDRESS " protocol=2048 reason: CONSUMED"), "");
#undef ADDRESS
}

CASE(addresses_can_be_hashed_or_hidden)
{
	CU_ASSERT_EQUAL(used("consume_skb: skbaddr=00000000c436cd53").packet, 0xc436cd53);
	CU_ASSERT_EQUAL(used("consume_skb: skbaddr=(____ptrval____)").packet, 0);
	CU_ASSERT_EQUAL(used("consume_skb: skbaddr=(nil)").packet, 0);
	CU_ASSERT_EQUAL(used("consume_skb: skbaddr=0xFFFF888104A1C000").packet, 0xffff888104a1c000);
}

CASE(a_blanked_device_is_unknown)
{
	CU_ASSERT_EQUAL(used("net_dev_queue: dev= skbaddr=1 len=98").device, EVENT_NO_DEVICE);
}

CASE(receive_events_are_told_apart)
{
	struct event event = used("net:netif_receive_skb: dev=eth0 skbaddr=0x10 len=84");

	CU_ASSERT_EQUAL(event.id, EVENT_RECEIVE);
	CU_ASSERT_EQUAL(event.len, 84);
	CU_ASSERT_EQUAL(EVENT_GET(RECEIVE, netif_rx, event.arg), 0);
	expect_device(&event, "eth0");
	event = used("net:netif_rx: dev=veth1 skbaddr=0x10 len=84");
	CU_ASSERT_EQUAL(event.id, EVENT_RECEIVE);
	CU_ASSERT_EQUAL(EVENT_GET(RECEIVE, netif_rx, event.arg), 1);
	event = used(
		"napi_gro_receive_entry: dev=eth0 napi_id=0x2001 queue_mapping=0 "
		"skbaddr=0000000094df497b vlan_tagged=0 hash=0x00000000 l4_hash=0 len=60 "
		"data_len=0 truesize=1280 mac_header_valid=1 mac_header=-14 nr_frags=0 gso_size=0");
	CU_ASSERT_EQUAL(event.id, EVENT_RECEIVE_BEGIN);
	CU_ASSERT_EQUAL(event.packet, 0x94df497b);
	CU_ASSERT_EQUAL(event.len, 60);
	CU_ASSERT_EQUAL(used("napi_gro_receive_exit: ret=3").id, EVENT_RECEIVE_END);
	event = used("skb:skb_copy_datagram_iovec: skbaddr=0xff11000104b57c00 len=1448");
	CU_ASSERT_EQUAL(event.id, EVENT_COPY);
	CU_ASSERT_EQUAL(event.len, 1448);
}

/* The task of the line: one more than its index, so that 0 can be "not told". */
CASE(a_copy_a_softirq_and_a_poll_have_their_task)
{
	struct event event =
		used("skb:skb_copy_datagram_iovec: skbaddr=0xff11000104b57c00 len=1448");
	uint32_t task = (uint32_t)EVENT_GET(COPY, task, event.arg);

	CU_ASSERT_FATAL(task > 0);
	CU_ASSERT_STRING_EQUAL(names_get(events.names, NAME_TASK, task - 1), "3100 iperf3-w");
	event = used("irq:softirq_entry: vec=3 [action=NET_RX]");
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_ENTRY, vec, event.arg), 3);
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_ENTRY, task, event.arg), task);
	event = used("napi_poll: napi poll on napi struct 0x1 for device eth0 work 2 budget 64");
	CU_ASSERT_EQUAL(event_task(&event), task);
	event = used("irq:softirq_exit: vec=3 [action=NET_RX]");
	CU_ASSERT_EQUAL(event.arg, 3);
}

CASE(interrupts_have_number_and_name)
{
	struct event event = used("irq_handler_entry: irq=23 name=virtio1-req.0 of two words");
	const char *name =
		names_get(events.names, NAME_IRQ, (uint32_t)EVENT_GET(IRQ_ENTRY, name, event.arg));

	CU_ASSERT_EQUAL(event.id, EVENT_IRQ_ENTRY);
	CU_ASSERT_EQUAL(EVENT_GET(IRQ_ENTRY, irq, event.arg), 23);
	CU_ASSERT_PTR_NOT_NULL_FATAL(name);
	CU_ASSERT_STRING_EQUAL(name, "virtio1-req.0 of two words");
	event = used("irq:irq_handler_exit: irq=23 ret=handled");
	CU_ASSERT_EQUAL(event.id, EVENT_IRQ_EXIT);
	CU_ASSERT_EQUAL(EVENT_GET(IRQ_EXIT, irq, event.arg), 23);
	event = used("softirq_raise: vec=3 [action=NET_RX]");
	CU_ASSERT_EQUAL(event.id, EVENT_SOFTIRQ_RAISE);
	CU_ASSERT_EQUAL(EVENT_GET(SOFTIRQ_RAISE, vec, event.arg), 3);
	CU_ASSERT_EQUAL(used("softirq_entry: vec=2 [action=NET_TX]").id, EVENT_SOFTIRQ_ENTRY);
	CU_ASSERT_EQUAL(used("irq:softirq_exit: vec=2").id, EVENT_SOFTIRQ_EXIT);
}

CASE(polls_have_work_where_the_kernel_says_it)
{
	struct event event = used("napi:napi_poll: napi poll on napi struct 0xff110001f9a32f50 for "
				  "device (no_device) work 2 budget 64");

	CU_ASSERT_EQUAL(event.id, EVENT_NAPI_POLL);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event.arg), 2);
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, budget, event.arg), 64);
	expect_device(&event, "(no_device)");
	event = used("napi_poll: napi poll on napi struct 00000000a9ba2b27 for device eth0");
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event.arg), EVENT_WORK_UNKNOWN);
	expect_device(&event, "eth0");
	event = used("napi_poll:  napi=0xff110001050bcc90 dev_name=eth1 work=7 budget=64");
	CU_ASSERT_EQUAL(EVENT_GET(NAPI_POLL, work, event.arg), 7);
	expect_device(&event, "eth1");
}

CASE(sockets_have_process_and_result)
{
	struct event event =
		used("sock:sock_recv_length: sk address = 0xffff888102e6b780, family = "
		     "AF_INET6 protocol = IPPROTO_TCP, length = 1500, error = 0, "
		     "flags = 0x2");
	const char *task = names_get(
		events.names, NAME_TASK, (uint32_t)EVENT_GET(SOCK_RECV, process, event.arg));

	CU_ASSERT_EQUAL(event.id, EVENT_SOCK_RECV);
	CU_ASSERT_EQUAL(event.packet, 0xffff888102e6b780);
	CU_ASSERT_EQUAL(event.len, 1500);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_RECV, family, event.arg), 10);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_RECV, protocol, event.arg), 6);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_RECV, flags, event.arg), 2);
	CU_ASSERT_PTR_NOT_NULL_FATAL(task);
	CU_ASSERT_STRING_EQUAL(task, "3100 iperf3-w");
	/* a failure, as the kernel prints it and as some versions of perf do */
	event = used("sock_send_length: sk address = 0x1, family = AF_INET protocol = 0x11, "
		     "length = 0, error = -11, flags = 0x40");
	CU_ASSERT_EQUAL((int32_t)event.len, -11);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, protocol, event.arg), 17);
	event = used("sock_send_length: sk address = 0x1, family = AF_INET protocol = 0x11, "
		     "length = -11, error = 0, flags = 0x40");
	CU_ASSERT_EQUAL((int32_t)event.len, -11);
	event = used("sock_send_length: sk address = 0x1, famimily = AF_INET, length = 7");
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, family, event.arg), 0);
	event = used("sock_send_length:  sk=0x1 family=0x2 protocol=0x6 ret=5 flags=0x0");
	CU_ASSERT_EQUAL(event.len, 5);
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, protocol, event.arg), 6);
	event = used("sock_send_length: sk address = 0x1, family = AF_INET protocol = IPPROTO_UDP, "
		     "length = 9, error = 0, flags = 0x0");
	CU_ASSERT_EQUAL(EVENT_GET(SOCK_SEND, protocol, event.arg), 17);
}

CASE(other_events_are_skipped)
{
	struct event event;

	CU_ASSERT_EQUAL(parse("sched:sched_switch: prev_comm=x", &event), TEXT_EVENT_SKIP);
	CU_ASSERT_EQUAL(parse("probe:consume_skb: (ffffffff81e6547b)", &event), TEXT_EVENT_SKIP);
	CU_ASSERT_EQUAL(
		parse("net:netif_rx_entry: dev=lo skbaddr=0x1 len=1", &event), TEXT_EVENT_SKIP);
	CU_ASSERT_EQUAL(parse("PERF_RECORD_COMM exec: sh:3100/3100", &event), TEXT_EVENT_SKIP);
	CU_ASSERT_EQUAL(parse("PERF_RECORD_LOST lost 20", &event), TEXT_EVENT_LOST);
	CU_ASSERT_EQUAL(event.id, EVENT_LOST);
	CU_ASSERT_EQUAL(EVENT_GET(LOST, count, event.arg), 20);
}

CASE(events_without_what_they_need_are_unparsed)
{
	static const char *const texts[] = { "consume_skb:", "consume_skb: skbaddr",
		"consume_skb: skbaddr=", "consume_skb: skbaddr=0x", "consume_skb: skbaddr=xyz",
		"net_dev_queue: skbaddr=1 len=9", "net_dev_queue: dev=e len=9",
		"net_dev_queue: dev=e skbaddr=1 len=", "net_dev_queue: dev=e skbaddr=1 len=9x",
		"net_dev_queue: dev=e skbaddr=1 len=-9", "softirq_raise: vec=", "softirq_raise: 3",
		"softirq_raise: vec=256", "irq_handler_entry: name=x", "irq_handler_exit: irq=x",
		"napi_poll: napi poll on napi struct 1", "napi_poll: nothing",
		"napi_poll: napi poll on napi struct 1 for device eth0 work x budget 64",
		"sock_send_length: sk address = 0x1, family = AF_INET protocol = 0x11",
		"PERF_RECORD_LOST lost", "PERF_RECORD_LOST" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct event event;

		if (parse(texts[i], &event) != TEXT_EVENT_UNPARSED) {
			printf("%s\n", texts[i]);
			CU_FAIL("parsed");
		}
	}
}

CASE(more_devices_than_the_record_can_tell_apart_are_refused)
{
	struct event event;
	int status = 0;

	for (int i = 0; i < 300 && status >= 0; i++) {
		char text[100];

		snprintf(text, sizeof(text), "net_dev_queue: dev=many%d skbaddr=1 len=9", i);
		status = parse(text, &event);
	}
	CU_ASSERT_EQUAL(status, -EOVERFLOW);
}

static const struct test_case transmit[] = {
	{ "start_xmit has all that the kernel prints",
		run_start_xmit_has_all_that_the_kernel_prints },
	{ "fields are bound by name", run_fields_are_bound_by_name },
	{ "fields may be parted by tabs", run_fields_may_be_parted_by_tabs },
	{ "no number is made narrower", run_no_number_is_made_narrower },
	{ "headers are told from what is left over", run_headers_are_told_from_what_is_left_over },
	{ "xmit has its return code", run_xmit_has_its_return_code },
	{ "frees have a reason unless they consume", run_frees_have_a_reason_unless_they_consume },
	{ "addresses can be hashed or hidden", run_addresses_can_be_hashed_or_hidden },
	{ "a blanked device is unknown", run_a_blanked_device_is_unknown },
	{ 0 },
};

static const struct test_case others[] = {
	{ "receive events are told apart", run_receive_events_are_told_apart },
	{ "a copy, a softirq and a poll have their task",
		run_a_copy_a_softirq_and_a_poll_have_their_task },
	{ "interrupts have number and name", run_interrupts_have_number_and_name },
	{ "polls have work where the kernel says it",
		run_polls_have_work_where_the_kernel_says_it },
	{ "sockets have process and result", run_sockets_have_process_and_result },
	{ "other events are skipped", run_other_events_are_skipped },
	{ "events without what they need are unparsed",
		run_events_without_what_they_need_are_unparsed },
	{ "more devices than the record can tell apart are refused",
		run_more_devices_than_the_record_can_tell_apart_are_refused },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct test_suite suites[] = {
		{ "transmit", transmit, NULL, NULL },
		{ "others", others, NULL, NULL },
		{ 0 },
	};

	return test_main(argc, argv, suites);
}
