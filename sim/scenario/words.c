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

/* The least gap between two interrupts, as the register has it. */
static double gap_ms(const struct scenario *scenario)
{
	uint32_t units =
		e1000e_throttle_register((uint32_t)scenario->devices[0].driver.throttle_rate);

	return (double)units * ITR_UNIT_NS / 1e6;
}

void paragraph(FILE *out, const char *format, ...)
{
	enum { WIDTH = 96 };
	char text[2048];
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

static bool has_faults(const struct scenario *scenario)
{
	unsigned faults = 0;

	for (unsigned i = 0; i < scenario_devices(scenario); i++)
		faults += scenario->devices[i].nic.fault_count;
	return faults > 0;
}

static void say_ring(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = outcome->scenario;
	const struct transmit_table *device = outcome_device(outcome);
	double blocked = outcome_blocked_share(outcome);

	paragraph(out,
		"The ring decides: it is packed. In %" PRIu64 " of %" PRIu64
		" intervals between clean-ups the device owned %" PRIu64
		" packets, all that a ring of %" PRIu64
		" can own when its queue stops with fewer than %" PRIu64 " descriptors free.",
		device->full_intervals, device->intervals, device->in_device_max,
		s->devices[0].nic.ring_size, s->devices[0].driver.reserve);
	if (e1000e_throttle_kind(s->devices[0].driver.throttle_rate) == E1000E_THROTTLE_FIXED)
		paragraph(out,
			"Interrupts come at least %.6f ms apart, and each frees what the ring "
			"holds: that "
			"bounds the rate at %.0f packets a second, and %.0f came of it.",
			gap_ms(s), (double)device->in_device_max / gap_ms(s) * 1e3,
			(double)device->tx_packets / outcome_seconds(outcome));
	if (outcome_dropped(outcome))
		paragraph(out,
			"The queue above the ring overflowed: %" PRIu64
			" packets were dropped. With a "
			"larger ring, or more interrupts, they would be fewer.",
			outcome_dropped(outcome));
	else
		paragraph(out,
			"The sender waited for room in its send buffer %.0f %% of its time: with a "
			"larger "
			"ring, or more interrupts, it would send more.",
			100 * blocked);
}

static void say_sender(const struct outcome *outcome, FILE *out)
{
	const struct transmit_table *device = outcome_device(outcome);
	bool busy = outcome_cpu_share(outcome) >= OUTCOME_BUSY;

	paragraph(out, "The sender decides: %.0f packets a second are what %s.",
		(double)device->tx_packets / outcome_seconds(outcome),
		busy ? "its CPU, which is busy all the time, can do" : "it makes");
	if (device->in_device_max < outcome->capacity)
		paragraph(out,
			"The device owned at most %" PRIu64 " of the %" PRIu32
			" packets that a ring of %" PRIu64
			" can own: the ring isn't packed, and a larger one would change nothing.",
			device->in_device_max, outcome->capacity,
			outcome->scenario->devices[0].nic.ring_size);
	else
		paragraph(out,
			"The ring was full (%" PRIu64 " packets) in %" PRIu64 " of %" PRIu64
			" intervals between clean-ups%s.",
			device->in_device_max, device->full_intervals, device->intervals,
			busy ? ", but a larger one would help little" : "");
	if (outcome_dropped(outcome))
		paragraph(out, "The queue above the ring dropped %" PRIu64 " packets.",
			outcome_dropped(outcome));
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
	if (!device->stall_count)
		paragraph(out,
			"Transmit is broken: %" PRIu64
			" packets were still in the device at the end.",
			device->at_end);
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
	case LIMIT_BQL:
		paragraph(out,
			"BQL decides: its limit of %" PRIu64
			" bytes kept the queue stopped %.0f %% of the time, though neither ring "
			"nor wire nor CPU was at its own. driver.bql_limit_max is too small for "
			"the time between interrupts, or they come late.",
			outcome->host.limits.last, 100 * outcome_bql_share(outcome));
		break;
	case LIMIT_BUFFER:
		paragraph(out,
			"The send buffer decides: the sender waited for room in it %.0f %% of its "
			"time, "
			"though the ring had room (at most %" PRIu64 " of %" PRIu32 " packets).",
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
	case LIMIT_SOURCE:
		paragraph(out, "All that came from the wire was received.");
		break;
	case LIMIT_RECEIVE:
		paragraph(out,
			"The CPU decides: it can't receive all that comes, and frames find the "
			"ring full.");
		break;
	case LIMIT_NONE:
		paragraph(out, "No packet has left the device.");
		break;
	}
	if (has_faults(outcome->scenario))
		paragraph(out, "Faults were injected (nic.faults): a healthy device does better.");
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
		" interrupts; the sender waited for\n          room in its send buffer %.1f %% of "
		"its time\n",
		outcome_messages(outcome), host->nic.packets, host->nic.interrupts,
		100 * outcome_blocked_share(outcome));
	for (unsigned i = 0; i < outcome->scenario->host.cpus; i++) {
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

/* The first of the changes that are told in a line of text; JSON has more of them. */
static void say_changes(const struct host_changes *changes, FILE *out)
{
	enum { MOST = 12 };
	char text[64 * MOST];
	size_t bytes = 0;

	for (uint64_t i = 0; i < changes->count && i < MOST; i++)
		bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes,
			"%s%" PRIu64 " (%.6f s)", i ? ", " : "", changes->first[i].value,
			(double)changes->first[i].at / 1e9);
	if (changes->count > MOST)
		snprintf(text + bytes, sizeof(text) - bytes, " and %" PRIu64 " more",
			changes->count - MOST);
	paragraph(out, "%s", text);
}

static void say_followers(const struct outcome *outcome, FILE *out)
{
	const struct host_stats *host = &outcome->host;

	if (outcome_has_bql(outcome)) {
		fprintf(out,
			"BQL:      stopped the queue %" PRIu64 " times; limit %" PRIu64
			" bytes at the end, at most %" PRIu64 "%s\n",
			host->limit_stops, host->limits.last, host->limits.most,
			host->limits.count ? "; it was:" : "");
		if (host->limits.count)
			say_changes(&host->limits, out);
	}
	if (host->rates.count) {
		fprintf(out, "throttle: set %" PRIu64 " time%s, to interrupts a second:\n",
			host->rates.count, host->rates.count == 1 ? "" : "s");
		say_changes(&host->rates, out);
	}
}

/* Each stream, each device's polls, and how NET_RX softirqs ended. */
static void say_read(const struct host_receiver_stats *r, FILE *out)
{
	fprintf(out,
		"read:     %" PRIu64
		" packets by a process, avg=%.6fmsec max=%.6fmsec after they came; %" PRIu64
		"\n          segments found its socket full\n",
		r->read_packets,
		r->read_packets ? (double)r->read_waited / (double)r->read_packets / 1e6 : 0,
		(double)r->read_waited_most / 1e6, r->overflowed);
}

static void say_receive(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = outcome->scenario;
	const struct host_stats *host = &outcome->host;

	for (unsigned i = s->sender_count; i < s->workload_count; i++) {
		const struct host_receiver_stats *r = &host->receivers[i - s->sender_count];

		fprintf(out,
			"received: %" PRIu64 " segments of %s by %s, %" PRIu64
			" packets to the stack; %" PRIu64 " ACKs, of them\n          %" PRIu64
			" quick and %" PRIu64 " delayed ones; waited avg=%.6fmsec max=%.6fmsec\n",
			r->received, s->workloads[i].type,
			s->devices[scenario_device_of(s, &s->workloads[i])].name, r->deliveries,
			r->acks, r->quick_acks, r->delayed_acks,
			r->sent ? (double)r->waited / (double)r->sent / 1e6 : 0,
			(double)r->waited_most / 1e6);
		if (s->workloads[i].reads)
			say_read(r, out);
	}
	for (unsigned i = 0; i < scenario_devices(s); i++) {
		const struct host_napi_stats *n = &host->napi[i];

		fprintf(out,
			"%-8s  %" PRIu64 " interrupts, %" PRIu64 " polls, %" PRIu64
			" of them used their whole weight; %" PRIu64
			" packets; %.1f %% of\n          the time; longest poll %.6fmsec, longest "
			"wait "
			"for one %.6fmsec; %" PRIu64 " frames missed\n",
			s->devices[i].name, n->interrupts, n->polls, n->full, n->work,
			host->end ? 100 * (double)n->time / (double)host->end : 0,
			(double)n->longest / 1e6, (double)n->waited_most / 1e6, n->rx_missed);
		if (n->thread_polls)
			fprintf(out, "          %" PRIu64 " of the polls are its thread's\n",
				n->thread_polls);
		if (n->busy_polls)
			fprintf(out, "          %" PRIu64 " of the polls are those of processes\n",
				n->busy_polls);
	}
	fprintf(out,
		"NET_RX:   squeezed %" PRIu64 " times by packets, %" PRIu64 " by time; %" PRIu64
		" repolls\n",
		host->squeezes.by_packets, host->squeezes.by_time, host->squeezes.repolls);
}

void scenario_settings_text(const struct scenario *scenario, enum scenario_use use, FILE *out)
{
	char value[SCENARIO_TEXT_BYTES];
	size_t column = 0;

	fputs("\nsettings:", out);
	for (const struct setting *s = settings; s->key; s++) {
		size_t bytes;

		if (s->type == SETTING_TEXT || !strncmp(s->key, "published.", 10) ||
			!setting_applies(s->key, use))
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

		if (!setting_applies(list->key, use))
			continue;
		for (unsigned i = 0; i < count; i++) {
			fprintf(out, "\n  %s[%u]:", list->key, i);
			for (const struct setting *s = list->items; s->key; s++) {
				const char *base = (const char *)scenario + list->offset +
						   i * list->item_bytes;

				if (!setting_item_applies(s, base))
					continue;
				setting_print(s, base, value, sizeof(value));
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

/* "sanagi-256" for "configs/sanagi-256.yaml". */
static void short_name(const char *file, char *name, size_t bytes)
{
	const char *slash = strrchr(file, '/');
	char *dot;

	snprintf(name, bytes, "%s", slash ? slash + 1 : file);
	dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
}

/* Has anybody published it, or is it something of one of these runs? */
static bool is_known(const struct figure *figure, const struct outcome *outcomes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!isnan(figure_published(figure, &outcomes[i])) ||
			!isnan(figure->modelled(&outcomes[i])))
			return true;
	}
	return false;
}

static void table(const struct outcome *outcomes, unsigned count, FILE *out)
{
	fprintf(out, "%-*s", LABEL_COLUMNS, "");
	for (unsigned i = 0; i < count; i++) {
		char head[40];

		short_name(outcomes[i].scenario->file, head, sizeof(head));
		fprintf(out, "%32s", head);
	}
	fprintf(out, "\n%-*s", LABEL_COLUMNS, "");
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "%13s%11s%8s", "published", "modelled", "ratio");
	fputc('\n', out);
	for (const struct figure *f = figures; f->name; f++) {
		if (!is_known(f, outcomes, count))
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
			fprintf(out, "    figures of: %s\n", s->published.source);
	}
	fputc('\n', out);
	table(outcomes, count, out);
	for (unsigned i = 0; i < count; i++) {
		char name[40];

		short_name(outcomes[i].scenario->file, name, sizeof(name));
		fprintf(out, "\n%s:\n", name);
		say(&outcomes[i], out);
	}
}

void outcome_text(const struct outcome *outcome, FILE *out)
{
	const struct scenario *s = outcome->scenario;
	struct report report = { &outcome->source, &outcome->counts, outcome->report,
		outcome->names };

	if (*s->title)
		fprintf(out, "%s\n\n", s->title);
	report_text(&report, out);
	say_workload(outcome, out);
	say_followers(outcome, out);
	if (outcome_receives(outcome))
		say_receive(outcome, out);
	say_hang(&outcome->host.hang, out);
	if (outcome_has_figures(outcome)) {
		fprintf(out, "\nbeside the figures of %s:\n", s->published.source);
		table(outcome, 1, out);
	}
	fputc('\n', out);
	say(outcome, out);
	scenario_settings_text(s, SCENARIO_RUN, out);
}
