/* SPDX-License-Identifier: BSD-3-Clause */
/* One side: from its descriptor to its driver, and back. */
#include "joined.h"
#include "tap.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEGMENTS_MOST (TAP_FRAME_MOST / RX_BUFFER_BYTES + 1)

/* A frame's bytes, or a negative errno: -EAGAIN if there is none. */
static ssize_t read_frame(struct side *side, void *data, size_t bytes)
{
	ssize_t got = read(side->fd, data, bytes);

	if (got > 0)
		return got;
	side->readable = false;
	if (got == 0 || errno == EBADFD)
		side->gone = true;
	else if (errno != EAGAIN)
		side->account.read_errors++;
	return -EAGAIN;
}

static struct rte_mbuf *next_packet(struct side *side)
{
	struct rte_mbuf *packet = side->held;
	ssize_t bytes;

	if (packet) {
		side->held = NULL;
		return packet;
	}
	packet = rte_pktmbuf_alloc(side->joined->tx_pool);
	if (!packet) /* it has as many as rings can hold: there is no room */
		return NULL;
	do { /* a frame that is too long is cut to one byte more than is taken */
		bytes = read_frame(side, rte_pktmbuf_mtod(packet, void *), TAP_FRAME_MOST + 1);
		side->account.read += bytes > 0;
		side->account.too_long += bytes > TAP_FRAME_MOST;
	} while (bytes > TAP_FRAME_MOST);
	if (bytes < 0) {
		rte_pktmbuf_free(packet);
		return NULL;
	}
	packet->data_len = (uint16_t)bytes;
	packet->pkt_len = (uint32_t)bytes;
	return packet;
}

bool side_transmit(struct side *side, uint64_t now)
{
	struct rte_mbuf *packet;
	uint32_t bytes;
	int rc;

	if (!side_has_room(side))
		return false;
	packet = next_packet(side);
	if (!packet)
		return false;
	bytes = packet->pkt_len;
	rc = e1000e_xmit(side->driver, 0, packet, now);
	if (side->joined->sink)
		e1000e_xmit_returned(side->driver, 0, packet, bytes, rc, now);
	if (rc == E1000E_TX_BUSY)
		side->held = packet;
	if (side_in_device(side) > side->in_device_max)
		side->in_device_max = side_in_device(side);
	return rc == E1000E_TX_OK;
}

static void write_frame(struct side *side, const struct rte_mbuf *packet)
{
	struct live_account *account = &side->other->account;
	struct iovec pieces[SEGMENTS_MOST];
	int count = 0;

	for (const struct rte_mbuf *m = packet; m && count < SEGMENTS_MOST; m = m->next)
		pieces[count++] = (struct iovec){ rte_pktmbuf_mtod(m, void *), m->data_len };
	if (writev(side->fd, pieces, count) >= 0) {
		account->written++;
	} else if (errno == EAGAIN) {
		account->write_full++;
	} else { /* EIO: the interface is down */
		account->write_errors++;
		account->write_errno = (uint64_t)errno;
		side->gone = side->gone || errno == EBADFD;
	}
}

static void emit_poll(const struct side *side, unsigned work, uint64_t now)
{
	struct event event = { .time = now,
		.id = EVENT_NAPI_POLL,
		.device = side->driver->config.device,
		.queue = EVENT_NO_QUEUE,
		.arg = EVENT_PUT(NAPI_POLL, work, work) |
		       EVENT_PUT(NAPI_POLL, budget, LIVE_WEIGHT) };

	if (side->joined->sink)
		event_emit(side->joined->sink, 0, event);
}

void side_poll(struct side *side, uint64_t now)
{
	struct rte_mbuf *packets[LIVE_WEIGHT];
	unsigned received;

	if (!side->scheduled)
		return;
	while (e1000e_clean_packet(side->driver, 0, now))
		;
	e1000e_clean_done(side->driver, 0, now);
	received = e1000e_receive(side->driver, 0, packets, LIVE_WEIGHT, now);
	for (unsigned i = 0; i < received; i++) {
		write_frame(side, packets[i]);
		rte_pktmbuf_free(packets[i]);
	}
	emit_poll(side, received, now);
	if (received == LIVE_WEIGHT)
		return;
	side->scheduled = false;
	e1000e_poll_done(side->driver, now);
}

uint64_t side_discard(struct side *side, uint64_t most)
{
	uint64_t frames = side->held != NULL;
	uint8_t frame[TAP_FRAME_MOST];

	rte_pktmbuf_free(side->held);
	side->account.read -= frames; /* it was never the driver's */
	side->held = NULL;
	while (frames < most && read_frame(side, frame, sizeof(frame)) > 0)
		frames++;
	return frames;
}
