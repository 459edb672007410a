/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from the wire go into the buffers that the driver has posted (82574 datasheet, 7.1). */
#include "device.h"

#include <string.h>

static uint32_t next(const struct nic_rx *rx, uint32_t index)
{
	return index + 1 == rx->count ? 0 : index + 1;
}

/* Buffers between head and tail: the descriptor at tail is not the device's. */
static uint32_t posted(const struct nic_rx *rx)
{
	return rx->tail >= rx->head ? rx->tail - rx->head : rx->count - rx->head + rx->tail;
}

/* Copies the frame into buffers of RX_BUFFER_BYTES, as many as it takes. */
static void store(struct nic_rx *rx, const struct nic_frame *frame)
{
	struct rx_desc *desc = &rx->ring[rx->head];
	uint32_t at = 0, left = frame->bytes;

	for (unsigned i = 0; i < frame->count; i++) {
		const uint8_t *data = frame->segment[i].data;
		uint32_t bytes = frame->segment[i].bytes;

		while (bytes) {
			uint32_t room = RX_BUFFER_BYTES - at, part = bytes < room ? bytes : room;

			memcpy((uint8_t *)(uintptr_t)desc->buffer_addr + at, data, part);
			data += part;
			bytes -= part;
			at += part;
			left -= part;
			if (at < RX_BUFFER_BYTES && left)
				continue;
			desc->length = (uint16_t)at;
			desc->errors = 0;
			desc->status = (uint8_t)(RXD_STAT_DD | (left ? 0 : RXD_STAT_EOP));
			rx->head = next(rx, rx->head);
			desc = &rx->ring[rx->head];
			at = 0;
		}
	}
}

void rx_frame(struct nic *nic, const struct nic_frame *frame, uint64_t now)
{
	struct nic_rx *rx = &nic->rx;
	uint32_t needed = (frame->bytes + RX_BUFFER_BYTES - 1) / RX_BUFFER_BYTES;

	if (!rx->enabled || !frame->bytes || posted(rx) < needed) {
		nic->stats.rx_missed++;
		if (rx->enabled)
			interrupt_cause(nic, ICR_RXO, now);
		return;
	}
	store(rx, frame);
	nic->octets_in += frame->bytes + FCS_BYTES;
	interrupt_delayed(nic, &nic->irq.rx, now);
}
