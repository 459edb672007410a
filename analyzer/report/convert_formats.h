/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats behind convert.h. */
#ifndef ANALYZER_REPORT_CONVERT_FORMATS_H
#define ANALYZER_REPORT_CONVERT_FORMATS_H

#include "convert.h"

extern const struct convert_format convert_ctf, convert_perfetto, convert_csv;

#endif
