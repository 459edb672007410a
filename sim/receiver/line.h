/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a cable: frames that are under way, each until its last bit has arrived. They
 * leave in the order in which they came, one at a time.
 */
#ifndef SIM_RECEIVER_LINE_H
#define SIM_RECEIVER_LINE_H

#include <stddef.h>
#include <stdint.h>

#define LINE_FRAMES     64
#define LINE_FRAME_MOST 1514 /* bytes, without FCS */

struct line_frame {
	uint64_t at; /* when it has arrived, cycles */
	uint32_t bytes;
	uint8_t data[LINE_FRAME_MOST];
};

/* All zero is empty. */
struct line {
	unsigned first, count;
	uint64_t free_at; /* when the next frame can start */
	uint64_t frames, lost;
	struct line_frame frame[LINE_FRAMES];
};

/*
 * Room for a frame of so many bytes, which the caller fills in; it takes so many cycles on the
 * line. NULL, and it is counted as lost: too long, or too many are under way.
 */
static inline uint8_t *line_put(struct line *line, uint32_t bytes, uint64_t cycles, uint64_t now)
{
	struct line_frame *frame = &line->frame[(line->first + line->count) % LINE_FRAMES];

	if (line->count == LINE_FRAMES || bytes > LINE_FRAME_MOST) {
		line->lost++;
		return NULL;
	}
	line->free_at = (line->free_at > now ? line->free_at : now) + cycles;
	frame->at = line->free_at;
	frame->bytes = bytes;
	line->count++;
	line->frames++;
	return frame->data;
}

/* The frame that has arrived by `now`, or NULL. It stays until line_take. */
static inline const struct line_frame *line_arrived(const struct line *line, uint64_t now)
{
	const struct line_frame *frame = &line->frame[line->first];

	return line->count && frame->at <= now ? frame : NULL;
}

static inline void line_take(struct line *line)
{
	line->first = (line->first + 1) % LINE_FRAMES;
	line->count--;
}

#endif
