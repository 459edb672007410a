/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wire=tap:IFNAME: a TAP interface of this kernel, which is made at the probe and goes with the
 * port; one that exists already (`ip tuntap add IFNAME mode tap`) is used and stays. It is the
 * caller who brings it up and gives it addresses. What the kernel sends while the port is stopped
 * waits for the start.
 *
 * Frames that leave the wire, of all queues, are written to it: the kernel receives them. What it
 * sends is read when queue 0 is polled, at the wire's pace, as long as the driver has posted
 * buffers for the longest frame; meanwhile it waits in the interface's queue, and what finds that
 * full is the interface's tx_dropped. When the kernel sent a frame isn't known: it is on the wire
 * from the last poll on, or from the end of the one before it.
 */
#include "tap.h"
#include "wire.h"

#include <errno.h>
#include <rte_malloc.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct tap {
	int fd;
	atomic_flag told;                       /* of an error in the log; all are counted */
	uint64_t due;                           /* when the last frame that was read arrives */
	uint32_t bytes;                         /* of that frame; 0: it has */
	uint8_t frame[RINGSIDE_FRAME_MOST + 1]; /* one more shows that it was longer */
};

static int refuse(const struct ringside_port *port, const char *what, int error)
{
	RINGSIDE_LOG(
		ERR, "wire=tap:%s: %s: %s\n", port->args.wire_argument, what, strerror(-error));
	return error;
}

static int open_interface(struct ringside_port *port)
{
	const char *what;
	struct tap *tap;

	tap = rte_zmalloc("ringside tap", sizeof(*tap), 0);
	if (!tap)
		return refuse(port, "it can't be opened", -ENOMEM);
	port->wire = tap;
	atomic_flag_clear(&tap->told);
	tap->fd = tap_open(port->args.wire_argument, &what);
	return tap->fd < 0 ? refuse(port, what, tap->fd) : 0;
}

static void close_interface(struct ringside_port *port)
{
	struct tap *tap = port->wire;

	if (!tap)
		return;
	if (tap->fd >= 0)
		close(tap->fd);
	rte_free(tap);
	port->wire = NULL;
}

static void tell(const struct ringside_port *port, struct tap *tap, const char *what)
{
	int error = errno;

	if (!atomic_flag_test_and_set(&tap->told))
		RINGSIDE_LOG(NOTICE, "%s: %s: %s (further errors are only counted)\n",
			port->args.wire_argument, what, strerror(error));
}

static void transmit(void *context, const struct nic_frame *frame, uint64_t now)
{
	struct ringside_queue *queue = context;
	struct tap *tap = queue->port->wire;
	struct iovec pieces[NIC_SEGMENTS_MOST];

	(void)now;
	for (unsigned i = 0; i < frame->count; i++)
		pieces[i] = (struct iovec){ (void *)(uintptr_t)frame->segment[i].data,
			frame->segment[i].bytes };
	if (writev(tap->fd, pieces, (int)frame->count) >= 0) {
		queue->stats.wire_taken++;
	} else if (errno == EAGAIN) {
		queue->stats.wire_full++;
	} else { /* EIO: the interface is down */
		queue->stats.wire_tx_errors++;
		tell(queue->port, tap, "a frame can't be written");
	}
}

/* Reads a frame that can be received. Returns its length; 0: there is none. */
static uint32_t read_frame(struct ringside_queue *queue, struct tap *tap)
{
	ssize_t bytes;

	while ((bytes = read(tap->fd, tap->frame, sizeof(tap->frame))) > RINGSIDE_FRAME_MOST)
		queue->stats.wire_skipped++;
	if (bytes < 0 && errno != EAGAIN) {
		queue->stats.wire_rx_errors++;
		tell(queue->port, tap, "no frame can be read");
	}
	return bytes > 0 ? (uint32_t)bytes : 0;
}

static void receive(struct ringside_queue *queue, uint64_t now)
{
	struct tap *tap = queue->port->wire;

	if (queue->index)
		return;
	while (ringside_wire_has_room(queue, RINGSIDE_FRAME_MOST, now)) {
		if (!tap->bytes) {
			tap->bytes = read_frame(queue, tap);
			if (!tap->bytes)
				break;
			tap->due = RTE_MAX(tap->due, queue->advanced_at) +
				   ringside_wire_cycles(queue->port, tap->bytes);
		}
		if (tap->due > now)
			break;
		/* one that was on the wire at a stop comes with the next start */
		ringside_wire_give(
			queue, tap->frame, tap->bytes, RTE_MAX(tap->due, queue->advanced_at));
		tap->bytes = 0;
		queue->stats.wire_given++;
	}
}

static uint64_t deadline(struct ringside_queue *queue, uint64_t now)
{
	const struct tap *tap = queue->port->wire;

	if (queue->index || !tap->bytes || !ringside_wire_has_room(queue, RINGSIDE_FRAME_MOST, now))
		return CYCLES_NEVER;
	return tap->due;
}

static int descriptor(const struct ringside_port *port)
{
	return ((const struct tap *)port->wire)->fd;
}

const struct ringside_wire_type ringside_wire_tap = {
	.name = "tap",
	.takes_argument = true,
	.open = open_interface,
	.transmit = transmit,
	.receive = receive,
	.deadline = deadline,
	.descriptor = descriptor,
	.close = close_interface,
};
