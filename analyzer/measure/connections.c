/* SPDX-License-Identifier: BSD-3-Clause */
#include "connections.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_LOG2 16

int connections_init(struct connections *c)
{
	*c = (struct connections){ .buckets = calloc(1 << BUCKETS_LOG2, sizeof(*c->buckets)) };
	return c->buckets ? 0 : -ENOMEM;
}

void connections_clear(struct connections *c)
{
	free(c->all);
	free(c->buckets);
	free(c->pool);
	histogram_clear(&c->ack_delay_ns);
	*c = (struct connections){ 0 };
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	/* the constants are those of Vigna's SplitMix64 */
	hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	return (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
}

static uint64_t hash_end(const struct capture_end *end)
{
	uint64_t high, low;

	memcpy(&high, end->address, sizeof(high));
	memcpy(&low, end->address + sizeof(high), sizeof(low));
	return mix(mix(high, low), end->port);
}

/* The same for both directions. */
static uint32_t *bucket_of(
	const struct connections *c, const struct capture_end *a, const struct capture_end *b)
{
	return &c->buckets[mix(hash_end(a) + hash_end(b), 0) >> (64 - BUCKETS_LOG2)];
}

static bool same_end(const struct capture_end *a, const struct capture_end *b)
{
	return a->port == b->port && !memcmp(a->address, b->address, sizeof(a->address));
}

/* Which of its ends sends the frame: 0 or 1; -1 if it is another connection's. */
static int side_of(const struct connection *one, const struct capture_frame *frame)
{
	for (int side = 0; side < 2; side++) {
		if (same_end(&one->ends[side], &frame->source) &&
			same_end(&one->ends[!side], &frame->destination))
			return side;
	}
	return -1;
}

static void unlink_age(struct connections *c, struct connection *one)
{
	*(one->older ? &c->all[one->older - 1].newer : &c->oldest) = one->newer;
	*(one->newer ? &c->all[one->newer - 1].older : &c->newest) = one->older;
}

static void link_newest(struct connections *c, struct connection *one)
{
	uint32_t number = (uint32_t)(one - c->all) + 1;

	one->older = c->newest;
	one->newer = 0;
	*(c->newest ? &c->all[c->newest - 1].newer : &c->oldest) = number;
	c->newest = number;
}

static void close_oldest(struct connections *c, struct connection_side *side)
{
	uint32_t number = side->oldest;
	struct open_segment *segment = &c->pool[number - 1];

	side->oldest = segment->next;
	if (!side->oldest)
		side->newest = 0;
	segment->next = c->pool_free;
	c->pool_free = number;
}

static void close_all(struct connections *c, struct connection_side *side)
{
	while (side->oldest)
		close_oldest(c, side);
}

/* Takes out the connection that nothing was heard of for longest. Returns its place. */
static struct connection *evict(struct connections *c)
{
	uint32_t number = c->oldest;
	struct connection *one = &c->all[number - 1];
	uint32_t *link = bucket_of(c, &one->ends[0], &one->ends[1]);

	while (*link != number)
		link = &c->all[*link - 1].chain;
	*link = one->chain;
	unlink_age(c, one);
	close_all(c, &one->sides[0]);
	close_all(c, &one->sides[1]);
	c->evicted++;
	return one;
}

/* Doubles the room of an array, to `most` at most. 0 or -ENOMEM. */
static int grow(void **array, uint32_t *room, uint32_t most, size_t bytes)
{
	uint32_t wanted = *room ? 2 * *room : 64;
	void *grown;

	if (wanted > most)
		wanted = most;
	grown = realloc(*array, wanted * bytes);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = wanted;
	return 0;
}

/* Room for one more connection, found or made. NULL only if there is no memory. */
static struct connection *make_place(struct connections *c)
{
	void *all = c->all;

	if (c->count == CONNECTIONS_MOST)
		return evict(c);
	if (c->count == c->room && grow(&all, &c->room, CONNECTIONS_MOST, sizeof(*c->all)))
		return NULL;
	c->all = all;
	return &c->all[c->count++];
}

/* The frame's connection, entered if it is new, and which end sends. 0 or -ENOMEM. */
static int find(struct connections *c, const struct capture_frame *frame,
	struct connection **connection, int *side)
{
	uint32_t *bucket = bucket_of(c, &frame->source, &frame->destination);
	struct connection *one;

	for (uint32_t number = *bucket; number; number = one->chain) {
		one = &c->all[number - 1];
		*side = side_of(one, frame);
		if (*side < 0)
			continue;
		unlink_age(c, one);
		link_newest(c, one);
		*connection = one;
		return 0;
	}
	one = make_place(c);
	if (!one)
		return -ENOMEM;
	*one = (struct connection){ .ends = { frame->source, frame->destination },
		.chain = *bucket };
	*bucket = (uint32_t)(one - c->all) + 1;
	link_newest(c, one);
	*connection = one;
	*side = 0;
	return 0;
}

/* The end sends data up to `sent_to` that wait for an ACK from now on. 0 or -ENOMEM. */
static int open_segment(
	struct connections *c, struct connection_side *side, uint64_t time_ns, uint32_t sent_to)
{
	uint32_t number = c->pool_free;
	void *pool = c->pool;

	if (!number && c->pool_used == CONNECTIONS_OPEN_MOST) {
		c->untimed++;
		return 0;
	}
	if (!number && c->pool_used == c->pool_room &&
		grow(&pool, &c->pool_room, CONNECTIONS_OPEN_MOST, sizeof(*c->pool)))
		return -ENOMEM;
	c->pool = pool;
	if (number)
		c->pool_free = c->pool[number - 1].next;
	else
		number = ++c->pool_used;
	c->pool[number - 1] = (struct open_segment){ .time_ns = time_ns, .sent_to = sent_to };
	*(side->newest ? &c->pool[side->newest - 1].next : &side->oldest) = number;
	side->newest = number;
	return 0;
}

/*
 * What was sent before is sent again: of which of the two an ACK is nobody can tell, so none of
 * what is open is measured (RFC 6298, 3: Karn's algorithm).
 */
static int take_data(struct connections *c, struct connection_side *side, uint16_t mss,
	const struct capture_frame *frame)
{
	uint32_t syn = frame->flags & TCP_SYN ? 1 : 0;
	uint32_t sent_to = frame->sequence + syn + frame->payload_bytes;
	uint64_t segments = (frame->payload_bytes + (uint64_t)mss - 1) / mss;
	bool again = side->sent && (int32_t)(sent_to - side->sent_to) <= 0;

	side->segments += segments;
	side->payload_bytes += frame->payload_bytes;
	c->total.segments += segments;
	c->total.payload_bytes += frame->payload_bytes;
	if (again) {
		close_all(c, side);
		return 0;
	}
	side->sent = true;
	side->sent_to = sent_to;
	return frame->time_bad ? 0 : open_segment(c, side, frame->time_ns, sent_to);
}

/* `side` sent what the frame, a pure ACK or not, says has arrived. 0 or -ENOMEM. */
static int take_ack(struct connections *c, struct connection_side *side, bool pure,
	const struct capture_frame *frame)
{
	while (side->oldest) {
		const struct open_segment *segment = &c->pool[side->oldest - 1];

		if ((int32_t)(frame->acknowledged - segment->sent_to) < 0)
			break;
		if (pure && !frame->time_bad && frame->time_ns >= segment->time_ns &&
			histogram_add(&c->ack_delay_ns, frame->time_ns - segment->time_ns))
			return -ENOMEM;
		close_oldest(c, side);
	}
	return 0;
}

int connections_frame(struct connections *c, const struct capture_frame *frame)
{
	bool pure = !frame->payload_bytes &&
		    (frame->flags & (TCP_ACK | TCP_SYN | TCP_FIN | TCP_RST)) == TCP_ACK;
	struct connection_side *from, *to;
	struct connection *one;
	uint16_t mss;
	int side, error = find(c, frame, &one, &side);

	if (error)
		return error;
	from = &one->sides[side];
	to = &one->sides[!side];
	if (frame->flags & TCP_SYN) {
		/* a new connection, even if its ports were in use before */
		close_all(c, from);
		from->sent = false;
		if (frame->mss)
			from->mss = frame->mss;
	}
	/* what the other end takes; its SYN may be missing, then what it was offered */
	mss = to->mss ? to->mss : from->mss ? from->mss : CONNECTIONS_MSS;
	from->acks += pure;
	c->total.acks += pure;
	if (frame->flags & TCP_ACK)
		error = take_ack(c, to, pure, frame);
	if (!error && frame->payload_bytes)
		error = take_data(c, from, mss, frame);
	return error;
}
