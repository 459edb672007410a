/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: any bytes are read as a plain list of costs. What comes out are packets, one
 * behind the other.
 */
#include "costs_list.h"
#include "order.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint16_t ids[] = { EVENT_RECEIVE_BEGIN, EVENT_RECEIVE, EVENT_RECEIVE_END };
	struct reader_options options = { .costs = true };
	struct reader *reader;
	struct input *input;
	struct event event;
	struct diag diag;
	uint64_t time = 0, events = 0;
	unsigned cpu;
	int status;

	must(!input_open_memory(data, bytes, &input));
	status = reader_open_input(input, "fuzz", &options, 16, &reader, &diag);
	must(status ? !reader && diag.text[0] : reader != NULL);
	if (status)
		return 0;
	while ((status = reader_next(reader, &event, &cpu, &diag)) == 1) {
		if (strcmp(reader_source(reader)->format, "costs") != 0)
			break; /* a text: read_text_fuzz is for these */
		must(event.time >= time && event.id == ids[events++ % 3]);
		time = event.time;
	}
	must(status >= 0 || diag.text[0]);
	reader_close(reader);
	return 0;
}
