/* SPDX-License-Identifier: BSD-3-Clause */
/* What came of it: the report, what was received, and what that cost. */
#include "receiver.h"

#include "cycles.h"
#include "object.h"
#include "report_rxcost.h"
#include "setting.h"
#include <inttypes.h>
#include <lwip/init.h>

#define IN_A_ROW 16
#define NS(cycles, outcome) \
	((double)(cycles) * (double)CYCLES_NS_PER_S / (double)(outcome)->source.hz)

/* Of the dear cluster the share that sent an ACK, of the cheap one the share that sent none. */
static double purity(const struct rxcost_table *table, bool dear)
{
	const struct rxcost_cluster *cluster = &table->clusters[dear];
	double share;

	if (table->cluster_count < 2)
		return 0;
	share = (double)cluster->senders / (double)cluster->count;
	return dear ? share : 1 - share;
}

/* Each cost contains the stamps'. 0: there is one cluster, or nothing but the stamps in it. */
static double net_ratio(const struct receiver_outcome *outcome, const struct rxcost_table *table)
{
	double cheap = (double)table->clusters[0].median, stamps = (double)outcome->stamp_cycles;

	return table->cluster_count > 1 && cheap > stamps
		       ? (table->ratio * cheap - stamps) / (cheap - stamps)
		       : 0;
}

static json_t *real_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *log_json(const struct receive_log *log)
{
	struct object array = object_begin_array();
	unsigned count = receive_log_count(log);

	count = count < RXCOST_PRINTED ? count : RXCOST_PRINTED;
	while (count--)
		object_append(
			&array, report_number(receive_log_entry(log, count) & RECEIVE_LOG_MOST));
	return object_end(&array);
}

static json_t *later_json(const struct receiver_outcome *outcome)
{
	const struct report_input input = { &outcome->source, &outcome->events, outcome->names };
	const struct rxcost_table *table = &outcome->later_report->all;
	json_t *object = report_rxcost_json(&input, outcome->later_report, 0);

	if (!object)
		return NULL;
	json_object_set_new(object, "dear_with_ack_share", json_real(purity(table, true)));
	json_object_set_new(object, "cheap_without_ack_share", json_real(purity(table, false)));
	json_object_set_new(
		object, "ratio_without_stamps", real_or_null(net_ratio(outcome, table)));
	return object;
}

static json_t *receiver_part(const struct receiver_outcome *outcome)
{
	const struct receiver_counts *counts = &outcome->counts;
	struct object object = object_begin();

	object_put(&object, "stack", json_string("lwIP " LWIP_VERSION_STRING));
	object_put(&object, "seconds", json_real(outcome->seconds));
	object_put(&object, "stream_bytes", report_number(outcome->written));
	object_put(&object, "acknowledged_bytes", report_number(outcome->acked));
	object_put(&object, "read_bytes", report_number(outcome->read));
	object_put(&object, "wrong_bytes", report_number(outcome->wrong));
	object_put(&object, "connection_broken", json_boolean(outcome->broken));
	object_put(&object, "segments", report_number(counts->segments));
	object_put(&object, "acks_on_wire", report_number(counts->acks));
	object_put(&object, "other_frames_on_wire", report_number(counts->others));
	object_put(&object, "tx_busy", report_number(counts->busy));
	object_put(&object, "rx_missed", report_number(outcome->rx_missed));
	object_put(&object, "lost_on_line", report_number(outcome->line_lost));
	object_put(&object, "interrupts", report_number(counts->interrupts));
	object_put(&object, "polls", report_number(counts->polls));
	object_put(&object, "handed_up", report_number(counts->handed_up));
	object_put(&object, "stamp_cycles", report_number(outcome->stamp_cycles));
	object_put(&object, "receive_log", log_json(&outcome->log));
	object_put(&object, "without_first_of_polls", later_json(outcome));
	return object_end(&object);
}

json_t *receiver_json(const struct receiver_outcome *outcome)
{
	struct report report = { &outcome->source, &outcome->events, outcome->report,
		outcome->names };
	const struct report_input input = { &outcome->source, &outcome->events, outcome->names };
	json_t *object = report_json(&report);

	if (!object)
		return NULL;
	if (json_object_set_new(
		    object, "scenario", setting_json(outcome->scenario, SCENARIO_RECEIVE)) ||
		json_object_set_new(object, "receiver", receiver_part(outcome)) ||
		json_object_set_new(
			object, "rxcost", report_rxcost_json(&input, outcome->all_report, 0))) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static void say_stream(const struct receiver_outcome *outcome, FILE *out)
{
	const struct receiver_counts *counts = &outcome->counts;
	const struct rxcost_table *all = &outcome->all_report->all;

	fprintf(out,
		"\nTCP to lwIP " LWIP_VERSION_STRING " in %.3f s of real time:\n"
		"    stream: %" PRIu64 " bytes sent, %" PRIu64 " read by the receiver's process, ",
		outcome->seconds, outcome->written, outcome->read);
	if (outcome->wrong)
		fprintf(out, "%" PRIu64 " of them wrong\n", outcome->wrong);
	else
		fputs("each as it was sent\n", out);
	if (outcome->broken)
		fputs("    the connection broke\n", out);
	fprintf(out,
		"    segments with data: %" PRIu64 "; frames missed for lack of a receive buffer: "
		"%" PRIu64 "\n"
		"    ACKs on the wire: %" PRIu64 " = %" PRIu64
		" while a packet was handed up + %" PRIu64 " later (reading, timers)\n",
		counts->segments, outcome->rx_missed, counts->acks, all->acks_inside,
		all->acks_in_softirq + all->acks_elsewhere);
	fprintf(out,
		"    interrupts: %" PRIu64 "; polls: %" PRIu64 ", of %.1f packets\n"
		"    two stamps with nothing between them: %" PRIu64
		" ticks (%.1f ns), which are part of each cost below\n\n",
		counts->interrupts, counts->polls,
		counts->polls ? (double)counts->handed_up / (double)counts->polls : 0,
		outcome->stamp_cycles, NS(outcome->stamp_cycles, outcome));
}

static void say_kind(const struct receiver_outcome *outcome, const char *what,
	const struct rxcost_kind *kind, FILE *out)
{
	fprintf(out, "    data segments %s: %" PRIu64 ", median %" PRIu64 " ticks (%.0f ns)\n",
		what, kind->count, kind->median, NS(kind->median, outcome));
}

static void say_later(const struct receiver_outcome *outcome, FILE *out)
{
	const struct rxcost_table *table = &outcome->later_report->all;

	fputs("\nWithout the first packet of each poll, which finds the sender's work in the "
	      "caches,\n",
		out);
	if (table->cluster_count < 2) {
		fprintf(out, "there is one cluster of %" PRIu64 " packets\n", table->packets);
	} else {
		fputs("and found from the costs alone:\n", out);
		for (unsigned dear = 0; dear < 2; dear++)
			fprintf(out,
				"    %s %" PRIu64 " packets, median %" PRIu64
				" ticks (%.0f ns); %.2f %% of them sent %s\n",
				dear ? "dear: " : "cheap:", table->clusters[dear].count,
				table->clusters[dear].median,
				NS(table->clusters[dear].median, outcome),
				100 * purity(table, dear), dear ? "an ACK" : "none");
		fprintf(out, "    a dear one costs %.2f times %s, %.2f times without the stamps\n",
			table->ratio, table->by_order ? "the cheap ones beside it" : "a cheap one",
			net_ratio(outcome, table));
	}
	say_kind(outcome, "that sent an ACK", &table->with_ack, out);
	say_kind(outcome, "that sent none", &table->without_ack, out);
}

/* As the log of 2005 was printed. */
static void say_log(const struct receive_log *log, FILE *out)
{
	unsigned count = receive_log_count(log), printed;

	printed = count < RXCOST_PRINTED ? count : RXCOST_PRINTED;
	fprintf(out, "\nThe driver's receive log, the newest %u of %u (ticks; * sent an ACK):\n",
		printed, count);
	for (unsigned i = 0; i < printed; i++) {
		uint32_t entry = receive_log_entry(log, printed - 1 - i);
		bool last = i % IN_A_ROW == IN_A_ROW - 1 || i + 1 == printed;

		fprintf(out, "%s%" PRIu32 "%s%s", i % IN_A_ROW ? "" : "[ ",
			entry & RECEIVE_LOG_MOST, entry & RECEIVE_LOG_SENT ? "*" : "",
			last ? " ]\n" : " ");
	}
}

void receiver_text(const struct receiver_outcome *outcome, FILE *out)
{
	struct report report = { &outcome->source, &outcome->events, outcome->report,
		outcome->names };
	const struct report_input input = { &outcome->source, &outcome->events, outcome->names };

	if (*outcome->scenario->title)
		fprintf(out, "%s\n\n", outcome->scenario->title);
	report_text(&report, out);
	say_stream(outcome, out);
	report_rxcost_text(&input, outcome->all_report, 0, out);
	say_later(outcome, out);
	say_log(&outcome->log, out);
	scenario_settings_text(outcome->scenario, SCENARIO_RECEIVE, out);
}
