/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: any bytes are read as a capture (or gzip of one) and measured. Each frame is
 * accounted for once, and no length is longer than the frame.
 */
#include "capture.h"
#include "captured.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
	if (!condition)
		abort();
}

static void measure(struct capture *capture)
{
	const struct captured_report *report;
	struct captured captured;
	struct capture_frame frame;

	must(!captured_init(&captured));
	while (capture_next(capture, &frame)) {
		must(frame.payload_bytes <= frame.wire_bytes);
		must(!captured_frame(&captured, &frame));
	}
	must(!capture_next(capture, &frame));
	report = captured_finish(&captured);
	must(report->packets == capture_counts(capture)->read);
	must(report->packets == report->tcp_packets + report->other_ip + report->skipped);
	must(report->payload_bytes <= report->bytes && report->acks <= report->tcp_packets);
	must(report->gap_ns.count + report->out_of_order + report->bad_timestamps <=
		report->packets);
	must(!capture_counts(capture)->truncated == !capture_counts(capture)->trouble[0]);
	captured_clear(&captured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct capture *capture;
	struct input *input;
	struct diag diag;
	int error;

	must(!input_open_memory(data, bytes, &input));
	error = capture_open_input(input, "fuzz", &capture, &diag);
	must(error ? !capture && diag.text[0] : capture != NULL);
	if (!error)
		measure(capture);
	capture_close(capture);
	return 0;
}
