/* SPDX-License-Identifier: BSD-3-Clause */
#include "clusters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SHARE_OF_CLUSTER 0.05 /* a smaller one may be outliers */
#define SHARE_OF_RARE    0.01
#define UNITS_APART      4
#define COSTS_LEAST      4 /* of fewer nobody can say how far they scatter */
#define WINDOWS          4 /* the stretch is this part of the distance of the medians */
#define EMPTY            0.5
#define SIGMAS           3 /* of a Poisson distribution: by more than chance */

/* A bucket that isn't empty. */
struct point {
	uint32_t place;
	double values;
	double cost, log;
};

struct points {
	struct point *points;
	size_t begin, end; /* those that are not set aside */
	double values;     /* of all */
	double unit;
};

/* What a cost stands for: all of the clock's step, or of its bucket, if that is wider. */
static double grain(const struct points *all, double cost)
{
	return fmax(
		all->unit, (double)(UINT64_C(1) << histogram_shift((uint64_t)fmin(cost, 0x1p63))));
}

static double rank_cost(const struct point *points, size_t begin, size_t end, double share)
{
	double rank = 0, seen = 0;
	size_t i = begin;

	for (size_t k = begin; k < end; k++)
		rank += share * points[k].values;
	while (i + 1 < end && (seen += points[i].values) < rank)
		i++;
	return points[i].cost;
}

/* The border with the least squares on both sides: the first point that is beyond it. */
static size_t two_means(const struct points *all)
{
	double values = 0, sum = 0, left = 0, left_sum = 0, best = -1;
	size_t border = all->begin + 1;

	for (size_t i = all->begin; i < all->end; i++) {
		values += all->points[i].values;
		sum += all->points[i].values * all->points[i].log;
	}
	for (size_t i = all->begin; i + 1 < all->end; i++) {
		double right, distance, between;

		left += all->points[i].values;
		left_sum += all->points[i].values * all->points[i].log;
		right = values - left;
		distance = left_sum / left - (sum - left_sum) / right;
		between = left * right * distance * distance;
		if (between > best) {
			best = between;
			border = i + 1;
		}
	}
	return border;
}

static double values_of(const struct points *all, size_t begin, size_t end)
{
	double values = 0;

	for (size_t i = begin; i < end; i++)
		values += all->points[i].values;
	return values;
}

/* Costs per logarithm in the middle half of a cluster. */
static double density(const struct points *all, size_t begin, size_t end)
{
	double q1 = rank_cost(all->points, begin, end, 0.25);
	double q3 = rank_cost(all->points, begin, end, 0.75);

	return values_of(all, begin, end) / 2 / log((q3 + grain(all, q3)) / q1);
}

/*
 * Where the emptiest stretch between the medians ends, if it is emptier than one peak allows: the
 * first point behind it; 0: there is none.
 */
static size_t valley_end(const struct points *all, double from, double to, double dense)
{
	const struct point *points = all->points;
	double width = log(to / from) / WINDOWS, inside = 0;
	size_t last = all->begin; /* of the window that begins behind i */
	double emptiest = EMPTY;
	size_t found = 0;

	for (size_t i = all->begin; i < all->end; i++) {
		double begin = points[i].cost, expected;
		double stop = fmax(begin * exp(width), begin + grain(all, begin));

		if (last > i)
			inside -= points[i].values;
		else
			last = i + 1;
		while (last < all->end && points[last].cost <= stop)
			inside += points[last++].values;
		if (begin < from)
			continue;
		if (stop > to)
			break;
		expected = dense * log(stop / begin);
		if (inside <= emptiest * expected && expected - inside >= SIGMAS * sqrt(expected)) {
			emptiest = inside / expected;
			found = last;
		}
	}
	return found;
}

/* Where the dear ones begin, if there are two clusters, one on either side of the border; or 0. */
static size_t split(const struct points *all, size_t border)
{
	double cheap = rank_cost(all->points, all->begin, border, 0.5);
	double dear = rank_cost(all->points, border, all->end, 0.5);
	double dense = fmin(density(all, all->begin, border), density(all, border, all->end));

	if (values_of(all, all->begin, border) < COSTS_LEAST ||
		values_of(all, border, all->end) < COSTS_LEAST ||
		dear - cheap < UNITS_APART * grain(all, cheap))
		return 0;
	return valley_end(all, cheap, dear, dense);
}

static uint32_t find(struct points *all)
{
	uint32_t rare = 0;

	while (all->end - all->begin > 1) {
		size_t border = two_means(all);
		double left = values_of(all, all->begin, border);
		double right = values_of(all, border, all->end);
		double smaller = fmin(left, right);
		size_t dear = split(all, border);

		if (smaller >= SHARE_OF_CLUSTER * all->values)
			return dear ? all->points[dear].place : rare;
		if (smaller >= SHARE_OF_RARE * all->values && dear && !rare)
			rare = all->points[dear].place;
		if (left < right)
			all->begin = border;
		else
			all->end = border;
	}
	return rare;
}

int clusters_find(const struct histogram *costs, uint64_t unit, uint32_t *border)
{
	struct points all = { .values = (double)costs->count, .unit = (double)unit };

	*border = 0;
	if (!costs->count)
		return 0;
	all.points = malloc(costs->room * sizeof(*all.points));
	if (!all.points)
		return -ENOMEM;
	for (uint32_t i = 0; i < costs->room; i++) {
		double cost;

		if (!costs->buckets[i].values)
			continue;
		cost = fmax((double)histogram_bucket_average(costs, i), all.unit);
		all.points[all.end++] = (struct point){ .place = i,
			.values = (double)costs->buckets[i].values,
			.cost = cost,
			.log = log(cost) };
	}
	*border = find(&all);
	free(all.points);
	return 0;
}

struct part histogram_part(const struct histogram *histogram, uint32_t begin, uint32_t end)
{
	struct part part = { 0 };
	double ranks[3];
	uint64_t *costs[3] = { &part.q1, &part.median, &part.q3 };
	uint64_t seen = 0;
	unsigned next = 0;

	end = end < histogram->room ? end : histogram->room;
	for (uint32_t i = begin; i < end; i++)
		part.count += histogram->buckets[i].values;
	for (unsigned i = 0; i < 3; i++)
		ranks[i] = (double)part.count * (i + 1) / 4;
	for (uint32_t i = begin; i < end; i++) {
		uint64_t values = histogram->buckets[i].values;

		if (!values)
			continue;
		seen += values;
		part.sum += (double)values * (double)histogram_bucket_average(histogram, i);
		while (next < 3 && (double)seen >= ranks[next])
			*costs[next++] = histogram_bucket_average(histogram, i);
	}
	return part;
}
