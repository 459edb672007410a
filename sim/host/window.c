/* SPDX-License-Identifier: BSD-3-Clause */
#include "window.h"

#define SCALE_BYTES    128 /* the window scale that follows from WINDOW_BUFFER_MOST is 7 */
#define FIRST_MOST     65535
#define FIRST_SEGMENT  536               /* TCP_MSS_DEFAULT */
#define GROWING_LEAST  128               /* bytes of payload: smaller segments don't make it grow */
#define OVERHEAD_BYTES (320 + 256 + 320) /* MAX_TCP_HEADER, sk_buff and skb_shared_info */
#define OVERHEAD_STEP  128

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Payload that so much memory is good for. */
static uint64_t payload_of(uint64_t memory)
{
	return memory - memory / 2;
}

/* The room that is left for payload. */
static uint64_t room(const struct window *window)
{
	return window->memory < window->buffer ? payload_of(window->buffer - window->memory) : 0;
}

void window_init(struct window *window, uint32_t segment, uint64_t buffer)
{
	uint64_t space;

	*window = (struct window){ .segment = segment, .tuned = !buffer };
	window->buffer = buffer ? buffer : WINDOW_BUFFER_BYTES;
	space = payload_of(window->buffer);
	window->most = space > 3 * (uint64_t)segment ? space - segment : 2 * (uint64_t)segment;
	window->offered = less(space - space % (segment + 12), FIRST_MOST); /* 12: time stamps */
	window->threshold = less(window->offered, window->most);
	window->seen_segment = (uint32_t)less(segment, FIRST_SEGMENT);
	window->round_bytes = less(window->threshold, (uint64_t)TCP_INIT_CWND * segment);
}

void window_open(struct window *window, uint64_t now)
{
	window->round_at = now;
}

/* As many as half of the window has segments, but no more than `most`. */
static void be_quick(struct window *window, uint64_t most)
{
	uint64_t quick = window->offered / (2 * (uint64_t)window->seen_segment);

	quick = less(quick ? quick : 2, most);
	if (quick > window->quick)
		window->quick = quick;
}

/*
 * The threshold grows while there is room, by what the segment's memory is worth: two segments
 * where half of it is payload, and in proportion less of the buffer where it isn't.
 */
static void grow(struct window *window, uint32_t bytes, uint32_t memory)
{
	uint64_t limit = less(window->most, room(window)), by = 0;
	uint64_t worth = payload_of(memory) / 2, up_to = payload_of(WINDOW_BUFFER_MOST) / 2;

	if (limit <= window->threshold)
		return;
	if (payload_of(memory) <= bytes)
		by = 2 * (uint64_t)window->segment;
	for (; !by && window->threshold <= up_to; worth /= 2, up_to /= 2) {
		if (worth <= bytes)
			by = 2 * (uint64_t)window->seen_segment;
	}
	if (!by)
		return;
	by = by > 2 * (uint64_t)bytes ? by : 2 * (uint64_t)bytes;
	window->threshold += less(limit - window->threshold, by);
	window->quick |= 1;
}

void window_data(struct window *window, uint32_t bytes, uint32_t memory, bool push,
	uint64_t most_quick, uint64_t now)
{
	bool full = bytes >= window->seen_segment;

	window->next += bytes;
	window->memory += memory;
	window->scheduled = true;
	if (full)
		window->seen_segment = (uint32_t)less(bytes, window->segment);
	window->pushed = window->pushed || push || !full;
	if (!window->begun || now - window->last_data > TCP_RTO_MIN_NS)
		be_quick(window, most_quick);
	window->begun = true;
	window->last_data = now;
	if (bytes >= GROWING_LEAST)
		grow(window, bytes, memory);
}

/* What would be offered now. */
static uint64_t select_window(struct window *window)
{
	uint64_t space = payload_of(window->buffer), full = less(window->most, space);
	uint64_t free = room(window);

	if (2 * free < full) {
		window->quick = 0;
		free -= free % SCALE_BYTES;
		if (free < space / 16 || free < window->seen_segment)
			return 0;
	}
	free = less(free, window->threshold);
	return (free + SCALE_BYTES - 1) / SCALE_BYTES * SCALE_BYTES;
}

/* More than one segment, and the window's right edge would move by as much; or quick ACKs. */
bool window_wants_ack(struct window *window)
{
	if (window->next - window->acked > window->seen_segment &&
		(window->next == window->read || select_window(window) >= window->offered))
		return true;
	return window->quick > 0;
}

/* The present window, which has shrunk by what has come since the last ACK. */
static uint64_t open_window(const struct window *window)
{
	uint64_t end = window->acked + window->offered;

	return end > window->next ? end - window->next : 0;
}

uint64_t window_acknowledge(struct window *window)
{
	uint64_t now = select_window(window), open = open_window(window);

	if (now < open) /* it never shrinks */
		now = (open + SCALE_BYTES - 1) / SCALE_BYTES * SCALE_BYTES;
	window->offered = now;
	window->acked = window->next;
	window->quick_sent += window->quick > 0;
	window->quick -= window->quick > 0;
	window->scheduled = window->pushed = false;
	return now;
}

bool window_wants_ack_after_read(struct window *window, uint64_t bytes)
{
	uint64_t open = open_window(window), now;

	if (window->scheduled && (window->next - window->acked > window->seen_segment ||
					 (bytes && window->pushed && !window->memory)))
		return true;
	if (!bytes || 2 * open > window->most)
		return false;
	now = select_window(window);
	return now && now >= 2 * open;
}

void window_round_trip(struct window *window, uint64_t ns)
{
	if (!window->round_trip || 8 * ns < window->round_trip)
		window->round_trip = 8 * ns;
	else
		window->round_trip += ns - window->round_trip / 8;
}

/* Memory for a segment, of which half is payload. */
static uint64_t segment_memory(const struct window *window)
{
	uint64_t memory = window->segment + OVERHEAD_BYTES;

	while (payload_of(memory) < window->segment)
		memory += OVERHEAD_STEP;
	return memory;
}

/* Twice what was read in a round trip, twice again for how that has grown, and 16 segments. */
static void tune(struct window *window, uint64_t bytes)
{
	uint64_t wanted = 2 * bytes + 16 * (uint64_t)window->segment, buffer;

	wanted += 2 * (wanted * (bytes - window->round_bytes) / window->round_bytes);
	buffer = less(wanted / window->segment * segment_memory(window), WINDOW_BUFFER_MOST);
	if (buffer <= window->buffer)
		return;
	window->buffer = buffer;
	window->most = payload_of(buffer);
}

void window_read(struct window *window, uint64_t bytes, uint64_t memory, uint64_t now)
{
	uint64_t round;

	window->read += bytes;
	round = window->read - window->round_read;
	window->memory -= memory;
	if (!window->round_trip || now - window->round_at < window->round_trip / 8)
		return;
	if (round > window->round_bytes) {
		if (window->tuned)
			tune(window, round);
		window->round_bytes = round;
	}
	window->round_read = window->read;
	window->round_at = now;
}
