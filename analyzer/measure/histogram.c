/* SPDX-License-Identifier: BSD-3-Clause */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int histogram_grow(struct histogram *histogram, uint32_t place)
{
	/* To the end of the power of two: most later values then find their bucket. */
	uint32_t room = (place | 127) + 1;
	struct histogram_bucket *buckets = realloc(histogram->buckets, room * sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	memset(buckets + histogram->room, 0, (room - histogram->room) * sizeof(*buckets));
	histogram->buckets = buckets;
	histogram->room = room;
	return 0;
}

static uint64_t bucket_lowest(uint32_t place)
{
	unsigned shift = place < 256 ? 0 : (place >> 7) - 1;

	return (uint64_t)(place - (shift << 7)) << shift;
}

/*
 * The sum may overflow where thousands of values are beyond 2^50 or so; what is left of it, divided
 * by so many, is less than the bucket is wide, so the answer stays in the bucket all the same.
 */
uint64_t histogram_bucket_average(const struct histogram *histogram, uint32_t place)
{
	const struct histogram_bucket *bucket = &histogram->buckets[place];

	return bucket_lowest(place) + bucket->excess / bucket->values;
}

int histogram_add_part(
	struct histogram *histogram, const struct histogram *other, uint32_t begin, uint32_t end)
{
	end = end < other->room ? end : other->room;
	if (end > begin && end > histogram->room && histogram_grow(histogram, end - 1))
		return -ENOMEM;
	for (uint32_t i = begin; i < end; i++) {
		const struct histogram_bucket *bucket = &other->buckets[i];
		uint64_t average;

		if (!bucket->values)
			continue;
		average = histogram_bucket_average(other, i);
		histogram->buckets[i].values += bucket->values;
		histogram->buckets[i].excess += bucket->excess;
		if (!histogram->count || average < histogram->min)
			histogram->min = average;
		if (average > histogram->max)
			histogram->max = average;
		histogram->count += bucket->values;
		histogram->sum += (wide_sum)bucket_lowest(i) * bucket->values + bucket->excess;
	}
	return 0;
}

uint64_t histogram_percentile(const struct histogram *histogram, double share)
{
	uint64_t rank, seen = 0, value;
	uint32_t place = 0;

	if (!histogram->count)
		return 0;
	rank = (uint64_t)ceil(share * (double)histogram->count);
	if (rank < 1)
		rank = 1;
	if (rank > histogram->count)
		rank = histogram->count;
	while ((seen += histogram->buckets[place].values) < rank)
		place++;
	value = histogram_bucket_average(histogram, place);
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

struct spread histogram_spread(const struct histogram *histogram)
{
	struct spread spread = { 0 };

	if (!histogram->count)
		return spread;
	spread.count = histogram->count;
	spread.min = histogram->min;
	spread.max = histogram->max;
	spread.p50 = histogram_percentile(histogram, 0.5);
	spread.p99 = histogram_percentile(histogram, 0.99);
	spread.p999 = histogram_percentile(histogram, 0.999);
	spread.avg = (double)histogram->sum / (double)histogram->count;
	return spread;
}

void histogram_clear(struct histogram *histogram)
{
	free(histogram->buckets);
	memset(histogram, 0, sizeof(*histogram));
}
