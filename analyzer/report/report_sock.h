/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people and programs read of the socket measure.
 */
#ifndef ANALYZER_REPORT_REPORT_SOCK_H
#define ANALYZER_REPORT_REPORT_SOCK_H

#include "report.h"
#include "sock.h"

/* A new `ringside.sock/1`; NULL if there is no memory. */
json_t *report_sock_json(const struct report_input *input, const struct sock_report *sock);

void report_sock_text(const struct report_input *input, const struct sock_report *sock, FILE *out);

#endif
