/* SPDX-License-Identifier: BSD-3-Clause */
#include "ringstat_input.h"

#include "cycles.h"
#include <inttypes.h>
#include <string.h>

int ringstat_input_open_any(struct ringstat_input *input, const char *file,
	const struct ringstat_options *options, struct capture **capture, struct diag *diag)
{
	struct reader_options reader_options = {
		.hz = options->hz, .costs = options->costs, .capture = capture
	};
	bool seconds = options->from_given || options->to_given || options->stall_given ||
		       options->expire_ns;
	uint64_t hz;

	*input = (struct ringstat_input){ .options = options, .file = file };
	if (reader_open(file, &reader_options, &input->reader, diag))
		return STATUS_REFUSED;
	if (!input->reader)
		return 0;
	hz = reader_source(input->reader)->hz;
	input->most = hz && hz < CYCLES_NS_PER_S ? cycles_of_ns(UINT64_MAX, hz) : UINT64_MAX;
	input->all = input->most == UINT64_MAX && !options->from_given && !options->to_given;
	if (seconds && !hz) {
		ringstat_input_close(input);
		return diag_set(diag, STATUS_REFUSED,
			"%s: its clock counts cycles of an unknown frequency, so options in "
			"seconds "
			"need --hz",
			file);
	}
	return 0;
}

int ringstat_input_open(struct ringstat_input *input, const char *file,
	const struct ringstat_options *options, struct diag *diag)
{
	return ringstat_input_open_any(input, file, options, NULL, diag);
}

static bool is_asked_for(const struct ringstat_input *input, const struct event *event)
{
	const struct ringstat_options *options = input->options;
	uint64_t ns;

	if (!options->from_given && !options->to_given)
		return true;
	ns = cycles_to_ns(event->time, reader_source(input->reader)->hz);
	return (!options->from_given || ns >= options->from_ns) &&
	       (!options->to_given || ns <= options->to_ns);
}

int ringstat_input_next_within(
	struct ringstat_input *input, struct event *event, unsigned *cpu, struct diag *diag)
{
	uint64_t time;
	int found;

	do {
		found = reader_next(input->reader, event, cpu, diag);
		time = found > 0 ? event->time : reader_counts(input->reader)->last;
		if (found >= 0 && time > input->most)
			return diag_set(diag, -1,
				"%s: at %" PRIu64 " Hz its time of %" PRIu64
				" cycles doesn't fit in 64 bits of nanoseconds",
				input->file, reader_source(input->reader)->hz, time);
	} while (found > 0 && !is_asked_for(input, event));
	return found < 0 ? -1 : found;
}

bool ringstat_input_end(const struct ringstat_input *input, uint64_t *time)
{
	const struct ringstat_options *options = input->options;
	uint64_t hz = reader_source(input->reader)->hz, ns;

	*time = reader_counts(input->reader)->last;
	if (!options->from_given && !options->to_given)
		return true;
	ns = cycles_to_ns(*time, hz);
	if (options->to_given && ns > options->to_ns)
		*time = cycles_of_ns(options->to_ns, hz);
	return !options->from_given || ns >= options->from_ns;
}

/* "eth0, eth1": as many names as there is place for. */
static void list_devices(const struct names *names, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < names_count(names, NAME_DEVICE) && used < bytes; i++) {
		const char *name = names_get(names, NAME_DEVICE, i);

		if (name)
			used += (size_t)snprintf(
				text + used, bytes - used, "%s%s", used ? ", " : "", name);
	}
}

/* --dev may also name an interrupt, where received packets are told by theirs. */
static bool is_interrupt(const struct ringstat_input *input)
{
	const char *name = input->options->device;

	return input->options->receive &&
	       names_find(reader_names(input->reader), NAME_IRQ, name, strlen(name)) >= 0;
}

int ringstat_input_check_device(const struct ringstat_input *input, struct diag *diag)
{
	const struct names *names = reader_names(input->reader);
	const char *device = input->options->device;
	char known[256];

	if (!device || names_find(names, NAME_DEVICE, device, strlen(device)) >= 0 ||
		is_interrupt(input))
		return 0;
	list_devices(names, known, sizeof(known));
	return diag_set(diag, STATUS_REFUSED, "%s: has no device '%s' (it has %s)", input->file,
		device, known[0] ? known : "none");
}

int ringstat_status(const char *file, const struct trace_counts *counts)
{
	struct diag line;

	if (trace_counts_complete(counts))
		return STATUS_COMPLETE;
	fprintf(stderr, "ringstat: %s is partial:", file);
	if (counts->lost || counts->lost_unknown)
		fprintf(stderr, " %s%" PRIu64 " events were lost by the recorder;",
			counts->lost_unknown ? "at least " : "", counts->lost);
	if (counts->truncated)
		fputs(" the input is truncated;", stderr);
	diag_set(&line, 0, "%s", counts->trouble); /* it may quote the input */
	fprintf(stderr, " %s\n", line.text[0] ? line.text : "what is whole is analysed");
	return STATUS_PARTIAL;
}

int ringstat_input_status(const struct ringstat_input *input)
{
	return ringstat_status(input->file, reader_counts(input->reader));
}

void ringstat_input_close(struct ringstat_input *input)
{
	reader_close(input->reader);
	input->reader = NULL;
}
