/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people and programs read of the NAPI measure.
 */
#ifndef ANALYZER_REPORT_REPORT_NAPI_H
#define ANALYZER_REPORT_REPORT_NAPI_H

#include "napi.h"
#include "report.h"

/* A new `ringside.napi/1`; NULL if there is no memory. */
json_t *report_napi_json(const struct report_input *input, const struct napi_report *napi);

void report_napi_text(const struct report_input *input, const struct napi_report *napi, FILE *out);

#endif
