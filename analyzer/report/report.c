/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>

bool report_complete(const struct report *report)
{
	const struct trace_counts *counts = report->counts;

	return !counts->lost && !counts->lost_unknown && !counts->truncated;
}

int report_write_json(const json_t *object, FILE *out)
{
	/* 12 digits: more than any average deserves, and the same on every machine. */
	if (json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) ||
		fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}
