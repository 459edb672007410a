/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"

#include <errno.h>
#include <lwip/etharp.h>
#include <lwip/inet_chksum.h>
#include <lwip/init.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>
#include <stdlib.h>
#include <string.h>

#define PORT      5001
#define MTU       1500
#define MOST      UINT16_MAX /* bytes of one tcp_write */
#define FIRST_MAC 0x02       /* administered locally */

/*
 * lwIP's own, which its library calls through the program's symbol: so what the NIC has checked
 * needn't be checked again. The library is built without its switch for that.
 */
u16_t ip_chksum_pseudo(
	struct pbuf *p, u8_t proto, u16_t proto_len, const ip_addr_t *src, const ip_addr_t *dest)
{
	if (p->flags & STACK_CHECKED)
		return 0;
	return inet_chksum_pseudo(p, proto, proto_len, ip_2_ip4(src), ip_2_ip4(dest));
}

static err_t transmit(struct netif *netif, struct pbuf *frame)
{
	struct stack_end *end = netif->state;

	return end->transmit && end->transmit(end->context, frame) ? ERR_OK : ERR_IF;
}

static err_t init_netif(struct netif *netif)
{
	netif->name[0] = 'r';
	netif->name[1] = 's';
	netif->output = etharp_output;
	netif->linkoutput = transmit;
	netif->mtu = MTU;
	netif->hwaddr_len = ETH_HWADDR_LEN;
	memset(netif->hwaddr, 0, sizeof(netif->hwaddr));
	netif->hwaddr[0] = FIRST_MAC;
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
	return ERR_OK;
}

static bool open_end(struct stack_end *end, uint8_t host)
{
	ip4_addr_t address, mask, gateway = { 0 };

	IP4_ADDR(&address, 10, 0, 0, host);
	IP4_ADDR(&mask, 255, 255, 255, 0);
	if (!netif_add(&end->netif, &address, &mask, &gateway, end, init_netif, ethernet_input))
		return false;
	end->netif.hwaddr[ETH_HWADDR_LEN - 1] = host;
	netif_set_link_up(&end->netif);
	netif_set_up(&end->netif);
	return true;
}

/* lwIP has freed the connection already. */
static void on_sender_error(void *context, err_t error)
{
	struct stack *stack = context;

	(void)error;
	stack->from = NULL;
	stack->broken = true;
}

static void on_receiver_error(void *context, err_t error)
{
	struct stack *stack = context;

	(void)error;
	stack->to = NULL;
	stack->broken = true;
}

static err_t on_received(void *context, struct tcp_pcb *connection, struct pbuf *data, err_t error)
{
	struct stack *stack = context;

	(void)connection;
	(void)error;
	if (!data) /* nobody closes before the end */
		stack->broken = true;
	else if (stack->unread_count == STACK_UNREAD_MOST)
		return ERR_MEM; /* lwIP keeps it and tries again */
	else
		stack->unread[stack->unread_count++] = data;
	return ERR_OK;
}

static err_t on_accept(void *context, struct tcp_pcb *connection, err_t error)
{
	struct stack *stack = context;

	if (error != ERR_OK || !connection || stack->to)
		return ERR_VAL;
	stack->to = connection;
	tcp_err(connection, on_receiver_error);
	tcp_recv(connection, on_received);
	return ERR_OK;
}

static err_t on_sent(void *context, struct tcp_pcb *connection, u16_t bytes)
{
	struct stack *stack = context;

	(void)connection;
	stack->acked += bytes;
	return ERR_OK;
}

static err_t on_connected(void *context, struct tcp_pcb *connection, err_t error)
{
	struct stack *stack = context;

	(void)connection;
	stack->connected = error == ERR_OK;
	return ERR_OK;
}

static bool listen_at(struct stack *stack)
{
	struct netif *netif = &stack->receiver.netif;
	struct tcp_pcb *connection = tcp_new(), *listener;

	if (!connection)
		return false;
	tcp_bind_netif(connection, netif);
	if (tcp_bind(connection, &netif->ip_addr, PORT) != ERR_OK ||
		!(listener = tcp_listen_with_backlog(connection, 1))) {
		tcp_abort(connection);
		return false;
	}
	stack->listener = listener;
	tcp_arg(listener, stack);
	tcp_accept(listener, on_accept);
	return true;
}

/* Both interfaces are in one network, so the route alone doesn't tell whose packets are whose. */
static bool connect_to(struct stack *stack)
{
	struct netif *netif = &stack->sender.netif;

	stack->from = tcp_new();
	if (!stack->from)
		return false;
	tcp_arg(stack->from, stack);
	tcp_err(stack->from, on_sender_error);
	tcp_sent(stack->from, on_sent);
	tcp_bind_netif(stack->from, netif);
	return tcp_bind(stack->from, &netif->ip_addr, 0) == ERR_OK &&
	       tcp_connect(stack->from, &stack->receiver.netif.ip_addr, PORT, on_connected) ==
		       ERR_OK;
}

/* Twice the period and more, so that a write from any place in the first is in one piece. */
static bool make_pattern(struct stack *stack, uint64_t seed)
{
	uint64_t state = seed;

	stack->pattern = malloc(STACK_PERIOD + MOST);
	if (!stack->pattern)
		return false;
	for (unsigned i = 0; i < STACK_PERIOD + MOST; i++) {
		/* the generator of Knuth's MMIX */
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		stack->pattern[i] = i < STACK_PERIOD ? (uint8_t)(state >> 56)
						     : stack->pattern[i - STACK_PERIOD];
	}
	return true;
}

int stack_open(struct stack *stack, uint64_t seed)
{
	static bool started; /* lwIP starts once in a process */

	if (!started)
		lwip_init();
	started = true;
	if (!make_pattern(stack, seed) || !open_end(&stack->sender, 1) ||
		!open_end(&stack->receiver, 2) || !listen_at(stack) || !connect_to(stack))
		return -ENOMEM;
	return 0;
}

static void close_end(struct stack_end *end)
{
	if (end->netif.state) {
		netif_set_down(&end->netif);
		netif_remove(&end->netif);
	}
	end->netif.state = NULL;
}

static void drop_unread(struct stack *stack)
{
	while (stack->unread_count)
		pbuf_free(stack->unread[--stack->unread_count]);
}

void stack_close(struct stack *stack)
{
	stack->sender.transmit = stack->receiver.transmit = NULL;
	if (stack->from)
		tcp_abort(stack->from);
	if (stack->to)
		tcp_abort(stack->to);
	if (stack->listener)
		tcp_close(stack->listener);
	stack->from = stack->to = stack->listener = NULL;
	drop_unread(stack);
	close_end(&stack->sender);
	close_end(&stack->receiver);
	free(stack->pattern);
	stack->pattern = NULL;
}

void stack_input(struct stack_end *end, struct pbuf *frame)
{
	if (end->netif.input(frame, &end->netif) != ERR_OK)
		pbuf_free(frame);
}

/* Whole segments only, but for the end of the stream. */
void stack_write(struct stack *stack, uint64_t length)
{
	uint64_t before = stack->written;

	while (stack->from && stack->connected && stack->written < length) {
		uint64_t left = length - stack->written, bytes = tcp_sndbuf(stack->from);

		bytes = bytes < MOST ? bytes : MOST;
		bytes = bytes < left ? bytes - bytes % tcp_mss(stack->from) : left;
		if (!bytes || tcp_write(stack->from, stack->pattern + stack->written % STACK_PERIOD,
				      (u16_t)bytes, TCP_WRITE_FLAG_COPY) != ERR_OK)
			break;
		stack->written += bytes;
	}
	if (stack->written != before)
		tcp_output(stack->from);
}

static void compare(struct stack *stack, const struct pbuf *data)
{
	const uint8_t *got = data->payload;
	const uint8_t *sent = stack->pattern + stack->read % STACK_PERIOD;

	if (memcmp(got, sent, data->len)) {
		for (unsigned i = 0; i < data->len; i++)
			stack->wrong += got[i] != sent[i];
	}
	stack->read += data->len;
}

void stack_read(struct stack *stack)
{
	unsigned bytes = 0;

	for (unsigned i = 0; i < stack->unread_count; i++) {
		bytes += stack->unread[i]->tot_len;
		for (const struct pbuf *data = stack->unread[i]; data; data = data->next)
			compare(stack, data);
	}
	drop_unread(stack);
	if (bytes && stack->to)
		tcp_recved(stack->to, (u16_t)bytes);
}

void stack_timers(void)
{
	sys_check_timeouts();
}
