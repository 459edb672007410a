/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libFuzzer target: any bytes are read as a perf.data. What comes out must be in order, of known
 * kinds and of devices that have a name; the same bytes must give the same events with much memory
 * and with little; what is refused must have a message with the file's name. Files to begin with
 * are in corpus/perf.
 */
#include "reader_impl.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(int condition)
{
	if (!condition)
		abort();
}

static struct reader *open_reader(const uint8_t *data, size_t bytes, size_t records)
{
	struct reader *reader;
	struct input *input;
	struct diag diag = { "" };
	int error;

	must(!input_open_memory(data, bytes, &input));
	error = perf_reader_open(input, "fuzz", NULL, records, &reader, &diag);
	must(error ? !reader && strstr(diag.text, "fuzz") : reader != NULL);
	return reader;
}

static void check_event(const struct reader *reader, const struct event *event, uint64_t *time)
{
	const struct names *names = reader_names(reader);

	must(event->time >= *time);
	*time = event->time;
	must(event->id > EVENT_NAME && event->id < EVENT_ID_COUNT);
	must(event->device == EVENT_NO_DEVICE || names_get(names, NAME_DEVICE, event->device));
	if (event->id == EVENT_FREE && EVENT_GET(FREE, reason, event->arg))
		must(names_get(names, NAME_REASON, (uint32_t)EVENT_GET(FREE, reason, event->arg)) !=
			NULL);
	if (event->id == EVENT_SOCK_SEND || event->id == EVENT_SOCK_RECV)
		must(names_get(names, NAME_TASK,
			     (uint32_t)EVENT_GET(SOCK_SEND, process, event->arg)) != NULL);
	must(event->id != EVENT_LOST || !trace_counts_complete(reader_counts(reader)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct reader *large = open_reader(data, bytes, 65536);
	struct reader *small = open_reader(data, bytes, 256);
	struct diag diag = { "" };
	const struct cpu_event *other, *end;
	struct event event;
	unsigned cpu;
	uint64_t time = 0;
	int status = 1;

	must(!large == !small);
	other = end = NULL;
	while (large && status == 1) {
		status = reader_next(large, &event, &cpu, &diag);
		must(status >= 0 || strstr(diag.text, "fuzz"));
		/* where memory is short all is read before the first event comes out */
		if (other == end && reader_next_some(small, &other, &end, NULL) != status)
			break;
		if (status != 1)
			break;
		check_event(large, &event, &time);
		must(other < end && cpu == other->cpu &&
			!memcmp(&event, &other->event, sizeof(event)));
		other++;
	}
	reader_close(large);
	reader_close(small);
	return 0;
}
