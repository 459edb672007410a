/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thresholds of Intel's poll-mode drivers, each rule with its text. An rs of 0 breaks none: in
 * DPDK it stands for the default.
 */
#include "e1000e.h"

#define FREE_WITHOUT_BATCHES 32

static uint16_t least(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

static uint16_t greatest_divisor(uint16_t of, uint16_t most)
{
	uint16_t divisor = most;

	while (divisor > 1 && of % divisor)
		divisor--;
	return divisor;
}

const char *e1000e_thresholds_set(struct e1000e_thresholds *thresholds,
	const struct e1000e_profile *profile, uint16_t ring_size)
{
	struct e1000e_thresholds *t = thresholds;

	if (t->wthresh > TXDCTL_WTHRESH_MASK)
		return "wthresh must be less than 64";
	if (!profile->rs_threshold) {
		if (t->rs > 1)
			return "tx_rs_thresh must be 0 or 1: this profile has each packet reported";
		t->rs = 1;
		t->free = t->free ? t->free : FREE_WITHOUT_BATCHES;
		return NULL;
	}
	if (!t->free)
		t->free = least(ring_size / 4, profile->free_threshold);
	if (t->free >= ring_size - 3)
		return "tx_free_thresh must be less than the number of descriptors minus 3";
	if (!t->rs)
		t->rs = greatest_divisor(ring_size, least(t->free, profile->rs_threshold));
	if (t->rs >= ring_size - 2)
		return "tx_rs_thresh must be less than the number of descriptors minus 2";
	if (t->rs > t->free)
		return "tx_rs_thresh must be less than or equal to tx_free_thresh";
	if (ring_size % t->rs)
		return "tx_rs_thresh must be a divisor of the number of descriptors";
	if (t->wthresh && t->rs > 1)
		return "wthresh must be 0 if tx_rs_thresh is greater than 1";
	return NULL;
}
