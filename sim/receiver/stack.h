/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TCP: lwIP, with two interfaces of its own and a connection from one to the other. Its sender
 * sends a stream whose every byte follows from its place and a seed; its receiver's process reads
 * the stream and compares it.
 *
 * The distribution's lwIP is built for threads. It is used without: tcpip_init, which would start
 * one, is never called, and all calls come from one thread, so that its lock isn't needed (lwIP
 * checks that only once it has a thread). As it knows one TCP in a process, there is one stack.
 */
#ifndef SIM_RECEIVER_STACK_H
#define SIM_RECEIVER_STACK_H

#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/tcp.h>
#include <stdbool.h>
#include <stdint.h>

#define STACK_UNREAD_MOST 256   /* segments; TCP's window holds 45 */
#define STACK_PERIOD      65521 /* bytes after which the stream repeats: a prime */

/* In pbuf.flags, where lwIP has no flag: the NIC has found the frame's checksums right. */
#define STACK_CHECKED 0x80

struct stack_end {
	struct netif netif;
	/* a frame for the wire; false: it can't be sent now */
	bool (*transmit)(void *context, const struct pbuf *frame);
	void *context;
};

struct stack {
	struct stack_end sender, receiver;
	struct tcp_pcb *listener, *from, *to;
	bool connected; /* `from` may send */
	bool broken;    /* a connection was reset, or gave up */
	uint8_t *pattern;
	uint64_t written, acked; /* bytes of the stream: given to TCP, and confirmed by it */
	uint64_t read, wrong;    /* bytes that the process got, and those that were not as sent */
	struct pbuf *unread[STACK_UNREAD_MOST];
	unsigned unread_count;
};

/*
 * Makes the interfaces, with `transmit` and `context` of both ends filled in, and begins to
 * connect. 0 or -ENOMEM; stack_close must follow in any case.
 */
int stack_open(struct stack *stack, uint64_t seed);

/* No frame leaves any more. */
void stack_close(struct stack *stack);

/*
 * A frame has arrived; it is lwIP's from here on. Not one of PBUF_POOL: the distribution's library
 * says that such a buffer holds more than it allocates for it.
 */
void stack_input(struct stack_end *end, struct pbuf *frame);

/* The sender: gives TCP as much as it takes, up to the stream's length. */
void stack_write(struct stack *stack, uint64_t length);

/* The receiver's process: reads all that has come. */
void stack_read(struct stack *stack);

/* To be called every few milliseconds: timers of TCP and ARP. */
void stack_timers(void);

#endif
