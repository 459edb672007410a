/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are there cheap ones and dear ones among costs, and where is the border? Found from the costs
 * alone.
 *
 * Costs differ by factors, so their logarithms are what is looked at. Of all borders the best is
 * the one with the least squared distance to the means on both sides (two-means; in one dimension
 * it needs no starting values: all borders are tried). Half of anything is two-means' answer to
 * costs that are in one cluster, so the two must prove themselves: somewhere between their medians
 * there has to be a stretch with at most half of the costs that the sparser cluster has in its
 * middle, by more than chance. No distribution with one peak has that, as between two points it is
 * nowhere lower than at the lower one. The dear ones begin where the emptiest such stretch ends,
 * and not at the border: caches and interrupts make some of the cheap ones dearer, so these have a
 * tail that goes beyond it, but none is cheaper than its work.
 *
 * Outliers make the best border one that has few costs beyond it. Below 5 % of all these are set
 * aside and the rest is tried again. If that makes no two clusters, a group of at least 1 % that
 * has proved itself is the dear (or cheap) cluster after all: ACKs can be as rare.
 */
#ifndef ANALYZER_MEASURE_CLUSTERS_H
#define ANALYZER_MEASURE_CLUSTERS_H

#include "histogram.h"

/*
 * The place (of a bucket) where the dear ones begin; 0 if there is one cluster. `unit` is what all
 * costs are a multiple of, at least 1: a clock's resolution. Medians less than four of it apart are
 * of one cluster, and a cluster has four costs or more. 0 or -ENOMEM.
 */
int clusters_find(const struct histogram *costs, uint64_t unit, uint32_t *border);

/* A part of a histogram: the buckets from `begin` to before `end`. */
struct part {
	uint64_t count;
	uint64_t q1, median, q3; /* the costs at these ranks, to 0.8 % */
	double sum;
};

/* All zero if it is empty. */
struct part histogram_part(const struct histogram *histogram, uint32_t begin, uint32_t end);

#endif
