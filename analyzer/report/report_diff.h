/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two traces side by side: before and after a change of ring, throttle or load. Devices are matched
 * by their names; each figure stands with the ratio of B's to A's.
 */
#ifndef ANALYZER_REPORT_REPORT_DIFF_H
#define ANALYZER_REPORT_REPORT_DIFF_H

#include "report.h"

/*
 * A new `ringside.diff/1`, in which both reports are whole, too; NULL if there is no memory. Where
 * one clock only is calibrated, the
 * other's times and rates are null.
 */
json_t *report_diff_json(const struct report *a, const struct report *b);

void report_diff_text(const struct report *a, const struct report *b, FILE *out);

#endif
