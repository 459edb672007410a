/* SPDX-License-Identifier: BSD-3-Clause */
/* A run told to a person: the report, the sender's side, the published figures, and what it means.
 */
#include "outcome.h"

#include "setting.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define LABEL_COLUMNS 22

static const struct scenario *scenario_of(const struct outcome *outcome)
{
	return outcome->scenario;
}

/* The least gap between two interrupts, as the register has it. */
static double gap_ms(const struct scenario *scenario)
{
	uint32_t units = e1000e_throttle_register((uint32_t)scenario->driver.throttle_rate);

	return (double)units * ITR_UNIT_NS / 1e6;
}

/* Prints a text in lines of at most 96 columns. */
static void paragraph(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void paragraph(FILE *out, const char *format, ...)
{
	enum { WIDTH = 96 };
	char text[1024];
	va_list args;
	size_t column = 0;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest));) {
		size_t bytes = strlen(word);

		if (column && column + 1 + bytes > WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		fprintf(out, "%s%s", column ? " " : "", word);
		column += bytes + (column ? 1 : 0);
	}
	fputc('\n', out);
}

static void say_ring(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = scenario_of(outcome);
	const struct transmit_table *device = outcome_device(outcome);

	paragraph(out,
		"The ring decides: it is packed. In %" PRIu64 " of %" PRIu64
		" intervals between clean-ups the device owned %" PRIu64
		" packets, all that a ring of %" PRIu64
		" can own when its queue stops with fewer than %" PRIu64 " descriptors free.",
		device->full_intervals, device->intervals, device->in_device_max, s->nic.ring_size,
		s->driver.reserve);
	if (s->driver.throttle_rate)
		paragraph(out,
			"An interrupt, %.6f ms after the last at the soonest, frees them all; so "
			"no more "
			"than %" PRIu64
			" packets leave in that time, and %.0f a second came of it.",
			gap_ms(s), device->in_device_max,
			(double)device->tx_packets / outcome_seconds(outcome));
	paragraph(out,
		"The sender slept for send buffer %.0f %% of its time: with a larger ring, or more "
		"interrupts, it would send more.",
		100 * outcome_blocked_share(outcome));
}

static void say_sender(const struct outcome *outcome, FILE *out)
{
	const struct transmit_table *device = outcome_device(outcome);
	double per_s = (double)device->tx_packets / outcome_seconds(outcome);

	if (device->in_device_max < outcome->capacity)
		paragraph(out,
			"The sender decides: %.0f packets a second are what it makes. The device "
			"owned at "
			"most %" PRIu64 " of the %" PRIu32 " packets that a ring of %" PRIu64
			" can own: the ring isn't packed, and a larger one would change nothing.",
			per_s, device->in_device_max, outcome->capacity,
			scenario_of(outcome)->nic.ring_size);
	else
		paragraph(out,
			"The sender decides: %.0f packets a second are what it makes. The ring was "
			"full "
			"(%" PRIu64 " packets), but only in %" PRIu64 " of %" PRIu64
			" intervals between clean-ups.",
			per_s, device->in_device_max, device->full_intervals, device->intervals);
}

static void say_stall(const struct outcome *outcome, FILE *out)
{
	const struct transmit_table *device = outcome_device(outcome);

	for (unsigned i = 0; i < device->stall_count; i++) {
		const struct stall *stall = &device->stalls[i];

		paragraph(out,
			"Transmit is broken: from %.6f s on nothing left the device for %.6f s, "
			"with %" PRIu64 " packets in it%s.",
			(double)(stall->start / 1000) / 1e6,
			(double)(stall->end - stall->start) / 1e9, stall->packets,
			stall->open ? ", and they never left" : "");
	}
}

/* What happened, and why. */
static void say(const struct outcome *outcome, FILE *out)
{
	switch (outcome_limit(outcome)) {
	case LIMIT_RING:
		say_ring(outcome, out);
		break;
	case LIMIT_SENDER:
		say_sender(outcome, out);
		break;
	case LIMIT_BUFFER:
		paragraph(out,
			"The send buffer decides: the sender slept for it %.0f %% of its time, "
			"though the "
			"ring had room (at most %" PRIu64 " of %" PRIu32 " packets).",
			100 * outcome_blocked_share(outcome),
			outcome_device(outcome)->in_device_max, outcome->capacity);
		break;
	case LIMIT_WIRE:
		paragraph(out, "The wire decides: it was busy %.0f %% of the time.",
			100 * outcome_wire_share(outcome));
		break;
	case LIMIT_STALL:
		say_stall(outcome, out);
		break;
	case LIMIT_NONE:
		paragraph(out, "No packet has left the device.");
		break;
	}
}

static void say_hang(const struct e1000e_hang *hang, FILE *out)
{
	if (!hang->found)
		return;
	fprintf(out,
		"\nThe driver's watchdog found a transmit hang at %.6f s (registers and ring, in "
		"hexadecimal):\n"
		"  TDH                  <%" PRIx32 ">\n"
		"  TDT                  <%" PRIx32 ">\n"
		"  next_to_use          <%x>\n"
		"  next_to_clean        <%x>\n"
		"buffer_info[next_to_clean]:\n"
		"  time_stamp           %.6f s\n"
		"  next_to_watch        <%x>\n"
		"  next_to_watch.status <%" PRIx32 ">\n",
		(double)hang->at / 1e9, hang->tdh, hang->tdt, hang->next_to_use,
		hang->next_to_clean, (double)hang->time_stamp / 1e9, hang->next_to_watch,
		hang->next_to_watch_status);
}

static void say_workload(const struct outcome *outcome, FILE *out)
{
	const struct host_stats *host = &outcome->host;
	double end = host->end ? (double)host->end : 1;

	fprintf(out,
		"\nworkload: %" PRIu64 " messages sent, %" PRIu64 " frames on the wire, %" PRIu64
		" interrupts; the sender slept for send buffer %.1f %% of its time\n",
		outcome_messages(outcome), host->nic.packets, host->nic.interrupts,
		100 * outcome_blocked_share(outcome));
	for (unsigned i = 0; i < scenario_of(outcome)->host.cpus; i++) {
		const uint64_t *busy = host->cpus[i].busy;

		fprintf(out,
			"CPU %u:    %.1f %% in tasks, %.1f %% in softirqs, %.1f %% in hard "
			"interrupts\n",
			i, 100 * (double)busy[HOST_TASK] / end,
			100 * (double)busy[HOST_SOFTIRQ] / end,
			100 * (double)busy[HOST_HARDIRQ] / end);
	}
	if (host->qdisc_at_end)
		fprintf(out,
			"queue:    %" PRIu64
			" packets were still in the queueing discipline at the end\n",
			host->qdisc_at_end);
	if (host->nic.interrupts_lost || host->nic.writebacks_lost)
		fprintf(out,
			"faults:   %" PRIu64 " interrupts and %" PRIu64 " write-backs were lost\n",
			host->nic.interrupts_lost, host->nic.writebacks_lost);
}

/* Each setting, a line of several. */
static void say_settings(const struct scenario *scenario, FILE *out)
{
	char value[SCENARIO_TEXT_BYTES];
	size_t column = 0;

	fputs("\nsettings:", out);
	for (const struct setting *s = settings; s->key; s++) {
		size_t bytes;

		if (s->type == SETTING_TEXT || !strncmp(s->key, "published.", 10))
			continue;
		setting_print(s, scenario, value, sizeof(value));
		bytes = strlen(s->key) + strlen(value) + 2;
		if (!column || column + bytes > 96) {
			fputs("\n ", out);
			column = 1;
		}
		fprintf(out, " %s=%s", s->key, value);
		column += bytes;
	}
	for (const struct setting_list *list = setting_lists; list->key; list++) {
		unsigned count = *(const unsigned *)((const char *)scenario + list->count_offset);

		for (unsigned i = 0; i < count; i++) {
			fprintf(out, "\n  %s[%u]:", list->key, i);
			for (const struct setting *s = list->items; s->key; s++) {
				setting_print(s,
					(const char *)scenario + list->offset +
						i * list->item_bytes,
					value, sizeof(value));
				fprintf(out, " %s=%s", s->key, value);
			}
		}
	}
	fputc('\n', out);
}

/* Centres or cuts nothing: a number in its column, or a dash. */
static void cell(FILE *out, const char *format, double value, int columns)
{
	char text[40] = "-";

	if (isfinite(value))
		snprintf(text, sizeof(text), format, value); // NOLINT: formats are figures[]'s own
	fprintf(out, "%*s", columns, text);
}

static bool any_published(
	const struct figure *figure, const struct outcome *outcomes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!isnan(figure_published(figure, &outcomes[i])))
			return true;
	}
	return false;
}

static void table(const struct outcome *outcomes, unsigned count, FILE *out)
{
	fprintf(out, "%-*s", LABEL_COLUMNS, "");
	for (unsigned i = 0; i < count; i++) {
		char head[40];

		snprintf(head, sizeof(head), "ring %" PRIu64 " at %" PRIu64 "/s",
			outcomes[i].scenario->nic.ring_size,
			outcomes[i].scenario->driver.throttle_rate);
		fprintf(out, "%32s", head);
	}
	fprintf(out, "\n%-*s", LABEL_COLUMNS, "");
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "%13s%11s%8s", "published", "modelled", "ratio");
	fputc('\n', out);
	for (const struct figure *f = figures; f->name; f++) {
		if (!any_published(f, outcomes, count))
			continue;
		fprintf(out, "%-*s", LABEL_COLUMNS, f->label);
		for (unsigned i = 0; i < count; i++) {
			double published = figure_published(f, &outcomes[i]);
			double modelled = f->modelled(&outcomes[i]);

			cell(out, f->format, published, 13);
			cell(out, f->format, modelled, 11);
			cell(out, "%.3f", modelled / published, 8);
		}
		fputc('\n', out);
	}
}

void outcome_compare(const struct outcome *outcomes, unsigned count, FILE *out)
{
	for (unsigned i = 0; i < count; i++) {
		const struct scenario *s = outcomes[i].scenario;

		fprintf(out, "%s: %s\n", s->file, *s->title ? s->title : "(no title)");
		if (*s->published.source)
			fprintf(out, "    published in: %s\n", s->published.source);
	}
	fputc('\n', out);
	table(outcomes, count, out);
	for (unsigned i = 0; i < count; i++) {
		fprintf(out, "\nRing %" PRIu64 ":\n", outcomes[i].scenario->nic.ring_size);
		say(&outcomes[i], out);
	}
}

void outcome_text(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = scenario_of(outcome);
	struct report report = { &outcome->source, &outcome->counts, outcome->report,
		outcome->names };

	if (*s->title)
		fprintf(out, "%s\n\n", s->title);
	report_text(&report, out);
	say_workload(outcome, out);
	say_hang(&outcome->host.hang, out);
	if (outcome_has_figures(outcome)) {
		fprintf(out, "\npublished in %s:\n", s->published.source);
		table(outcome, 1, out);
	}
	fputc('\n', out);
	say(outcome, out);
	say_settings(s, out);
}
