/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram of times that costs O(1) a value and little memory, whatever the number of values.
 *
 * Log-linear, as HdrHistogram has it: values below 256 have a bucket each, and every power of two
 * above is cut into 128 buckets of equal width. A bucket answers with the average of its values: so
 * a percentile is right to 0.8 %, and exact where times come in steps, as the microseconds of a
 * text do. Minimum, maximum and sum are exact. Memory grows to the largest value seen: 28 KiB for a
 * million, 116 KiB for any 64-bit value.
 */
#ifndef ANALYZER_MEASURE_HISTOGRAM_H
#define ANALYZER_MEASURE_HISTOGRAM_H

#include "transmit.h"
#include <errno.h>

/* A sum of many 64-bit values. */
__extension__ typedef unsigned __int128 wide_sum;

struct histogram_bucket {
	uint64_t values;
	uint64_t excess; /* sum of the values less the bucket's lowest one; see bucket_average */
};

/* All zero is an empty histogram. */
struct histogram {
	struct histogram_bucket *buckets;
	uint32_t room;
	uint64_t count, min, max;
	wide_sum sum;
};

/* Makes room for a bucket. 0 or -ENOMEM. */
int histogram_grow(struct histogram *histogram, uint32_t place);

/* Bits that the values of a bucket differ in. */
static inline unsigned histogram_shift(uint64_t value)
{
	return value < 256 ? 0 : 56 - (unsigned)__builtin_clzll(value);
}

static inline uint32_t histogram_place(uint64_t value)
{
	unsigned shift = histogram_shift(value);

	return (shift << 7) + (uint32_t)(value >> shift);
}

/* Adds a value. 0, or -ENOMEM with the histogram as it was. */
static inline int histogram_add(struct histogram *histogram, uint64_t value)
{
	unsigned shift = histogram_shift(value);
	uint32_t place = histogram_place(value);

	if (place >= histogram->room && histogram_grow(histogram, place))
		return -ENOMEM;
	histogram->buckets[place].values++;
	histogram->buckets[place].excess += value & ((UINT64_C(1) << shift) - 1);
	if (!histogram->count++ || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->sum += value;
	return 0;
}

/*
 * Adds the values of another one's buckets from `begin` to before `end`. Minimum and maximum of
 * these are their buckets' averages. 0, or -ENOMEM with the histogram as it was.
 */
int histogram_add_part(
	struct histogram *histogram, const struct histogram *other, uint32_t begin, uint32_t end);

/*
 * The value at a rank: the smallest that at least `share` (0 to 1) of the values don't exceed, to
 * 0.8 %, never below the minimum nor above the maximum. 0 if the histogram is empty.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double share);

/* The average of a bucket's values, of which it has some: within the bucket. */
uint64_t histogram_bucket_average(const struct histogram *histogram, uint32_t place);

/* What the report shows of it. */
struct spread histogram_spread(const struct histogram *histogram);

/* Frees its memory; the histogram is empty again. */
void histogram_clear(struct histogram *histogram);

#endif
