/* SPDX-License-Identifier: BSD-3-Clause */
/* A run told to a person: the report, the sender's side, the published figures, and what it means.
 */
#include "outcome.h"

#include "setting.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LABEL_COLUMNS 22

static const struct scenario *scenario_of(const struct outcome *outcome)
{
	return outcome->scenario;
}

/* The least gap between two interrupts, as the register has it. */
static double gap_ms(const struct scenario *scenario)
{
	uint64_t rate = scenario->driver.throttle_rate;

	return rate ? (double)(1000000000 / (rate * ITR_UNIT_NS) * ITR_UNIT_NS) / 1e6 : 0;
}

static void say_ring(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = scenario_of(outcome);
	const struct transmit_table *device = outcome_device(outcome);

	fprintf(out,
		"The ring decides: it is packed. The device owned %" PRIu64
		" packets, all that a ring of %" PRIu64
		" can (the queue stops when fewer than %" PRIu64
		" descriptors are free), in %" PRIu64 " of %" PRIu64
		" intervals between clean-ups.\n",
		device->in_device_max, s->nic.ring_size, s->driver.reserve, device->full_intervals,
		device->intervals);
	if (s->driver.throttle_rate)
		fprintf(out,
			"An interrupt comes every %.6f ms at the most and frees them all, so no "
			"more than "
			"%" PRIu64 " packets leave in that time: %.0f a second came of it.\n",
			gap_ms(s), device->in_device_max,
			(double)device->tx_packets / outcome_seconds(outcome));
	fprintf(out,
		"The sender could do more: it slept for send buffer %.0f %% of its time. A larger "
		"ring "
		"or more interrupts would let it.\n",
		100 * outcome_blocked_share(outcome));
}

static void say_sender(const struct outcome *outcome, FILE *out)
{
	const struct transmit_table *device = outcome_device(outcome);

	fprintf(out,
		"The sender decides: %.0f packets a second are what its CPU makes. The device "
		"owned at "
		"most %" PRIu64 " packets",
		(double)device->tx_packets / outcome_seconds(outcome), device->in_device_max);
	if (device->in_device_max < outcome->capacity)
		fprintf(out,
			" of the %" PRIu32 " that a ring of %" PRIu64
			" can own: it isn't packed, and a larger one would change nothing",
			outcome->capacity, scenario_of(outcome)->nic.ring_size);
	else
		fprintf(out,
			", all it can, but only in %" PRIu64 " of %" PRIu64
			" intervals between clean-ups",
			device->full_intervals, device->intervals);
	fputs(".\n", out);
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
		fprintf(out,
			"The send buffer decides: the sender slept for it %.0f %% of its time, "
			"though the ring had room (at most %" PRIu64 " of %" PRIu32 ").\n",
			100 * outcome_blocked_share(outcome),
			outcome_device(outcome)->in_device_max, outcome->capacity);
		break;
	case LIMIT_WIRE:
		fprintf(out, "The wire decides: it was busy %.0f %% of the time.\n",
			100 * outcome_wire_share(outcome));
		break;
	case LIMIT_NONE:
		fputs("No packet has left the device.\n", out);
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
		fprintf(out, "\nRing %" PRIu64 ": ", outcomes[i].scenario->nic.ring_size);
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
