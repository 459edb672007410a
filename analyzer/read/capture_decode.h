/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The headers of a captured frame, from the link to TCP. Nothing is read behind what was captured;
 * lengths are those on the wire.
 */
#ifndef ANALYZER_READ_CAPTURE_DECODE_H
#define ANALYZER_READ_CAPTURE_DECODE_H

#include "capture_frame.h"

/*
 * Fills in frame->kind and, of TCP, the fields that belong to it. `link` is a DLT_ number of
 * libpcap: Ethernet, cooked (SLL, SLL2), raw IP or loopback; a frame of any other link is skipped.
 * `captured` bytes of the frame's frame->wire_bytes are at `data`.
 */
void capture_decode(int link, const uint8_t *data, uint32_t captured, struct capture_frame *frame);

#endif
