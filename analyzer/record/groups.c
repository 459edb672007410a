/* SPDX-License-Identifier: BSD-3-Clause */
#include "groups.h"

#include <string.h>

/* linux/interrupt.h: NET_TX and NET_RX. Others, timers above all, would be most of a trace. */
#define NET_SOFTIRQS "vec==2||vec==3"

#define TX     RECORD_TX
#define RX     RECORD_RX
#define NAPI   RECORD_NAPI
#define SOCK   RECORD_SOCK
#define RXCOST RECORD_RXCOST

const struct record_event record_events[] = {
	{ "net", "net_dev_queue", TX, NULL },
	{ "net", "net_dev_start_xmit", TX | NAPI | RXCOST, NULL },
	{ "net", "net_dev_xmit", TX, NULL },
	{ "skb", "consume_skb", TX | RX, NULL },
	{ "skb", "kfree_skb", TX | RX, NULL },
	{ "net", "netif_rx", TX | RX, NULL },
	{ "net", "netif_receive_skb", TX | RX | NAPI | RXCOST, NULL },
	{ "skb", "skb_copy_datagram_iovec", RX, NULL },
	{ "irq", "irq_handler_entry", RX | NAPI | RXCOST, NULL },
	{ "irq", "irq_handler_exit", RX | NAPI, NULL },
	{ "irq", "softirq_raise", RX | NAPI, NET_SOFTIRQS },
	{ "irq", "softirq_entry", RX | NAPI | RXCOST, NET_SOFTIRQS },
	{ "irq", "softirq_exit", RX | NAPI | RXCOST, NET_SOFTIRQS },
	{ "napi", "napi_poll", RX | NAPI, NULL },
	{ "sock", "sock_send_length", SOCK, NULL },
	{ "sock", "sock_recv_length", SOCK, NULL },
	{ "net", "netif_receive_skb_entry", RXCOST, NULL },
	{ "net", "netif_receive_skb_exit", RXCOST, NULL },
	{ "net", "napi_gro_receive_entry", RXCOST, NULL },
	{ "net", "napi_gro_receive_exit", RXCOST, NULL },
	{ NULL, NULL, 0, NULL },
};

const char record_group_names[] = "tx, rx, napi, sock, rxcost, all";

static const struct {
	const char *name;
	unsigned bits;
} groups[] = {
	{ "tx", TX },
	{ "rx", RX },
	{ "napi", NAPI },
	{ "sock", SOCK },
	{ "rxcost", RXCOST },
	{ "all", RECORD_ALL },
};

unsigned record_group_find(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (!strcmp(groups[i].name, name))
			return groups[i].bits;
	}
	return 0;
}
