/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: any bytes are read as a trace.dat. What comes out must be in order and of known
 * kinds; what is refused must have a message with the file's name. Files to begin with are in
 * corpus/tracedat.
 */
#include "reader_impl.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
	if (!condition)
		abort();
}

static void check_event(const struct reader *reader, const struct event *event, uint64_t *time)
{
	must(event->time >= *time);
	*time = event->time;
	must(event->id > EVENT_NAME && event->id < EVENT_ID_COUNT);
	must(event->device == EVENT_NO_DEVICE ||
		names_get(reader_names(reader), NAME_DEVICE, event->device));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct reader *reader;
	struct input *input;
	struct diag diag = { "" };
	struct event event;
	uint64_t time = 0, lost = 0;
	unsigned cpu;
	int status;

	must(!input_open_memory(data, bytes, &input));
	status = tracedat_reader_open(input, "fuzz", NULL, 64, &reader, &diag);
	must(status ? !reader && strstr(diag.text, "fuzz") : reader != NULL);
	if (status)
		return 0;
	while ((status = reader_next(reader, &event, &cpu, &diag)) == 1) {
		check_event(reader, &event, &time);
		lost += event.id == EVENT_LOST;
	}
	must(status == 0 || strstr(diag.text, "fuzz"));
	must(!lost || !trace_counts_complete(reader_counts(reader)));
	reader_close(reader);
	return 0;
}
